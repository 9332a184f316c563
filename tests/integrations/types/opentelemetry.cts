// The same from CommonJS.

import integration = require("contextfold/opentelemetry");

export const { traceReports } = integration;

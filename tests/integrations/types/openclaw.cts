// The same from CommonJS.

import integration = require("contextfold/openclaw");

export const hook = integration.plugin({ contextWindow: 128_000 });

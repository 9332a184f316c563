// The same from CommonJS.

import integration = require("contextfold/langgraph");

export const hook = integration.modelCall({ contextWindow: 128_000 });

// The same from CommonJS.

import integration = require("contextfold/langchain");

export const hook = integration.middleware({ contextWindow: 128_000 });

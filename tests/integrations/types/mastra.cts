// The same from CommonJS.

import integration = require("contextfold/mastra");

export const hook = integration.processor({ contextWindow: 128_000 });

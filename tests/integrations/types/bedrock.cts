// The same from CommonJS.

import integration = require("contextfold/bedrock");

export const hook = integration.plugin({ contextWindow: 128_000 });

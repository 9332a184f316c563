// The same from CommonJS.

import integration = require("contextfold/opencode");

export const hook = integration.plugin({ contextWindow: 128_000 });

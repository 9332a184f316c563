// The same from CommonJS.

import integration = require("contextfold/anthropic");

export const hook = integration.middleware({ contextWindow: 128_000 });

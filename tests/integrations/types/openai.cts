// The same from CommonJS.

import integration = require("contextfold/openai");

export const fitting = integration.fit({ contextWindow: 128_000 });

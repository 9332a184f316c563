// The same from CommonJS.

import integration = require("contextfold/openai-agents");

export const session = integration.foldingSession({ contextWindow: 128_000 });

// The same from CommonJS.

import integration = require("contextfold/ai-sdk");

export const step = integration.prepareStep({ contextWindow: 128_000 });

// The same from CommonJS.

import integration = require("contextfold/google");

export const hook = integration.fittingFetch({ contextWindow: 128_000 });

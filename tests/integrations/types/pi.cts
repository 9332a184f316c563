// The same from CommonJS.

import integration = require("contextfold/pi");

export const hook = integration.extension({ contextWindow: 128_000 });

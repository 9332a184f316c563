// The same from CommonJS.

import proxy = require("contextfold/proxy");

export const ready = [proxy.startProxy];

// The same from CommonJS.

import react = require("contextfold/react");

export const ready = [react.useSession];

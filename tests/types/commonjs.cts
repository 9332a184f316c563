// The same from CommonJS.

import contextfold = require("contextfold");

const text: string = contextfold.version();
const error: Error = new contextfold.ContextError("ABORTED", text);
contextfold.init().then(() => console.log(error));

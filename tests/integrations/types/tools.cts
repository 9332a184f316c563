// The same from CommonJS.

import tools = require("contextfold/tools");
import testing = require("contextfold/testing");

export const ready = [tools.runTool, testing.recordHooks()];

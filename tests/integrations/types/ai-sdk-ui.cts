// The same from CommonJS.

import ui = require("contextfold/ai-sdk-ui");

export const ready = [ui.foldMetadata, ui.foldsOf, ui.updateFolds, ui.withFolds];

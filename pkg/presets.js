// The presets, read from the module when asked for: in browsers it may not be there yet.

import * as glue from "./wasm/contextfold_bg.js";

const names = ["contextfold", "spec", "rolling", "steps-design", "steps-execution", "selective", "ladder"];

export const presets = Object.freeze(
  Object.defineProperties(
    {},
    Object.fromEntries(names.map((name) => [name, { enumerable: true, get: () => glue.presetPasses(name) }])),
  ),
);

// The presets. They are read from the module on access, because in browsers it may not be loaded yet.

import * as glue from "./wasm/contextfold_bg.js";

const names = ["contextfold", "spec", "rolling", "steps-design", "steps-execution", "selective", "ladder"];

export const presets = Object.freeze(
  Object.defineProperties(
    {},
    Object.fromEntries(names.map((name) => [name, { enumerable: true, get: () => glue.presetPasses(name) }])),
  ),
);

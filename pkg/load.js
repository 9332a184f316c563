// Binds the generated glue to one instance of the module. Every entry goes through here, so that two entries in
// one program share the instance.

import * as glue from "./wasm/contextfold_bg.js";
import { ContextError } from "./error.js";
import * as packer from "./pack.js";
import * as maker from "./made.js";
import { ownParts } from "./parts.js";
import { instantiateSplit } from "./split.js";
import { guarded, settleMethods, unloaded } from "./guard.js";
import { showState } from "./shown.js";
import { refuseClones } from "./uncloned.js";

/** Functions of the glue. */
const imports = { "./contextfold_bg.js": glue };
/** All that a module imports. */
export const importsOf = (module) => ({ ...imports, ...ownParts(module) });

let instance;

glue.__wbg_set_wasm(unloaded);
settleMethods(glue);
showState(glue.Session);
refuseClones(glue.Session);

/** Whether the module is there. */
export const isLoaded = () => instance !== undefined;

/** The instance's memory. */
export const memory = () => instance?.exports.memory;

/** Makes `candidate` the instance. A second one is ignored, because objects of the first may be alive. */
export function bind(candidate) {
  if (instance) return;
  instance = candidate;
  glue.__wbg_set_wasm(guarded(instance.exports, glue.__wbg_set_wasm));
  instance.exports.$begin?.();
  instance.exports.__wbindgen_start?.();
  glue.setErrorClass(ContextError);
  glue.setMaker(maker);
  glue.setPacker(packer);
}

/** Instantiates at once, where that is allowed (anywhere but on a page's main thread). */
export function bindModule(module) {
  if (!instance) bind(new WebAssembly.Instance(module, importsOf(module)));
}

/** The same, first with `core` alone. `readWhole` returns the bytes of the whole module; `wholeAhead` is a promise of the compiled module, or of nothing. */
export function bindSplit(core, readWhole, wholeAhead) {
  if (!instance) bind(instantiateSplit(core, imports, readWhole, wholeAhead));
}

// Binds the generated glue to one instance of the module. Every entry goes through here, so that two entries in
// one program share the instance.

import * as glue from "./wasm/contextfold_bg.js";
import { ContextError } from "./error.js";
import * as packer from "./pack.js";
import * as maker from "./made.js";
import { instantiateSplit } from "./split.js";
import { guarded, settleMethods, unloaded } from "./guard.js";
import { showState } from "./shown.js";
import { refuseClones } from "./uncloned.js";

/** What the module imports: functions of the glue. */
export const imports = { "./contextfold_bg.js": glue };

let instance;

glue.__wbg_set_wasm(unloaded);
settleMethods(glue);
showState(glue.Session);
refuseClones(glue.Session);

/** Whether the module is there. */
export const isLoaded = () => instance !== undefined;

/** The instance's memory. */
export const memory = () => instance?.exports.memory;

/** Makes `candidate` the instance; a second one is ignored, for objects of the first may be alive. */
export function bind(candidate) {
  if (instance) return;
  instance = candidate;
  glue.__wbg_set_wasm(guarded(instance.exports, glue.__wbg_set_wasm));
  instance.exports.__wbindgen_start?.();
  glue.setErrorClass(ContextError);
  glue.setMaker(maker);
  glue.setPacker(packer);
}

/** Instantiates at once, where that is allowed (anywhere but on a page's main thread). */
export function bindModule(module) {
  if (!instance) bind(new WebAssembly.Instance(module, imports));
}

/** The same with the module in two; `readRest` gives the bytes of what is not in `core`, `restAhead` promises its module, or nothing. */
export function bindSplit(core, readRest, restAhead) {
  if (!instance) bind(instantiateSplit(core, imports, readRest, restAhead));
}

// Binds the generated glue to one instance of the module. Every entry point goes through here, so that two entry points in one
// program share the instance.

import * as glue from "./wasm/contextfold_bg.js";
import { ContextError } from "./error.js";
import * as host from "./host/index.js";
import { endAllWaits } from "./host/wait.js";
import * as packer from "./pack.js";
import * as maker from "./object-makers.js";
import { partsOf } from "./parts.js";
import { instantiateSplit } from "./split.js";
import { guarded, promiseMethods, unloaded } from "./guard.js";
import { showState } from "./print-state.js";
import { refuseClones } from "./refuse-clones.js";

/** The functions of the glue. */
const imports = { "./contextfold_bg.js": glue };
/** Everything that a module imports. */
export const importsOf = (module) => ({ ...imports, ...partsOf(module) });

let instance;

glue.__wbg_set_wasm(unloaded);
promiseMethods(glue);
showState(glue.Session);
refuseClones(glue.Session);

/** Whether the module is loaded. */
export const isLoaded = () => instance !== undefined;

/** The instance's memory. */
export const memory = () => instance?.exports.memory;

/** Makes `candidate` the instance. Later ones are ignored, because objects of the first may still be in use. */
export function bind(candidate) {
  if (instance) return;
  instance = candidate;
  const onTrap = (broken, error) => {
    glue.__wbg_set_wasm(broken);
    endAllWaits(error);
  };
  glue.__wbg_set_wasm(guarded(instance.exports, onTrap));
  instance.exports.$begin?.();
  instance.exports.__wbindgen_start?.();
  glue.setErrorClass(ContextError);
  glue.setHost(host);
  glue.setMaker(maker);
  glue.setPacker(packer);
}

/** Instantiates the module synchronously, which is allowed everywhere except on a page's main thread. */
export function bindModule(module) {
  if (!instance) bind(new WebAssembly.Instance(module, importsOf(module)));
}

/** Like `bindModule`, but instantiates only the core of the module in this file at first. */
export function bindCore(file) {
  if (!instance) bind(instantiateSplit(file, imports));
}

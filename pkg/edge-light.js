// Edge runtimes that want the `?module` suffix for a compiled module.

import module from "./wasm/contextfold_bg.wasm?module";
import { bindModule } from "./load.js";

bindModule(module);

export * from "./exports.js";

/** Does nothing here: the module is loaded. */
export async function init() {}
export default init;

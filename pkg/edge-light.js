// For edge runtimes, in which the suffix `?module` imports a compiled module.

import module from "./wasm/contextfold_bg.wasm?module";
import { bindModule } from "./load.js";

bindModule(module);

export * from "./exports.js";

/** Does nothing here, because the module is loaded already. */
export async function init() {}
export default init;

// For Cloudflare Workers, where importing a .wasm file gives a compiled module.

import module from "./wasm/contextfold_bg.wasm";
import { bindModule } from "./load.js";

bindModule(module);

export * from "./exports.js";

/** Does nothing here, because the module is loaded already. */
export async function init() {}
export default init;

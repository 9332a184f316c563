// Node, Bun, and Deno through npm: ready when imported. The CommonJS twin is bundled from this file.

import { readFileSync } from "node:fs";
import { readFilesWith } from "./encoding.js";
import { bindModule } from "./load.js";

bindModule(new WebAssembly.Module(readFileSync(new URL("./wasm/contextfold_bg.wasm", import.meta.url))));
readFilesWith(readFileSync);

export * from "./exports.js";

/** Does nothing here: the module is loaded. */
export async function init() {}
export default init;

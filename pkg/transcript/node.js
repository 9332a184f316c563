// The entry point for Node, Bun and Deno: importing it also loads the WebAssembly module.

import "../node.js";

export * from "./index.js";

// The same for Node, Bun and Deno: the module is loaded when this is.

import "../node.js";

export * from "./index.js";

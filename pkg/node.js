// Node, Bun, and Deno through npm: ready when imported. The CommonJS twin is bundled from this file.

import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { readFilesWith } from "./encoding.js";
import { bindModule } from "./load.js";

bindModule(new WebAssembly.Module(readFileSync(new URL("./wasm/contextfold_bg.wasm", import.meta.url))));
readFilesWith((path, roomFor) => {
  const file = openSync(path);
  try {
    const room = roomFor(fstatSync(file).size);
    let length = 0;
    for (let read; (read = readSync(file, room, length, room.length - length, null)); ) length += read;
    return length;
  } finally {
    closeSync(file);
  }
});

export * from "./exports.js";

/** Does nothing here: the module is loaded. */
export async function init() {}
export default init;

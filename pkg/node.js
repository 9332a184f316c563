// Node, Bun, and Deno through npm: ready when imported. The CommonJS twin is bundled from this file.

import { readFilesWith } from "./encoding.js";
import { bindSplit } from "./load.js";

// Imported, it would bring all that belongs to it: a tenth of the time until the module is there.
const { closeSync, fstatSync, openSync, readFileSync, readSync } = process.getBuiltinModule("node:fs");

bindSplit(
  new WebAssembly.Module(readFileSync(new URL("./wasm/core.wasm", import.meta.url))),
  () => readFileSync(new URL("./wasm/rest.wasm", import.meta.url)),
);
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

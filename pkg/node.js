// For Node, Bun, and Deno through npm: ready when imported. The CommonJS version is bundled from this file.
//
// From Node 20.19 and 22.12 on, which can require ES modules (the condition `module-sync`), `import` and `require` share one
// instance. In older versions, a program that uses both has two instances, and cannot pass objects of one to the other.

import { readFilesWith } from "./encoding.js";
import { ContextError } from "./error.js";
import { bindCore } from "./load.js";
import { Session, detectFormat } from "./wasm/contextfold_bg.js";

// An import would load all of `fs`, which is a tenth of the time until the module is ready.
const { closeSync, fstatSync, openSync, read, readSync } = process.getBuiltinModule("node:fs");
const { setImmediate } = process.getBuiltinModule("node:timers"); // test environments may not have it as a global
const { fileURLToPath } = process.getBuiltinModule("node:url");
const here = import.meta.url;

// Written as a literal, so that bundlers find the file. In CommonJS output its location is not known.
const url = () => new URL("./wasm/contextfold_bg.wasm", import.meta.url);

/**
 * Next.js replaces the URL by an object of its own, which file functions refuse. It has the URL of the file or, in components that
 * also run in the browser, the URL for the browser; then the file is read from the package's folder. That path is built in a way
 * that no bundler mistakes for another file.
 */
function pathOf({ protocol, href }) {
  return protocol === "file:" ? fileURLToPath(href) : fileURLToPath(here).replace(/[^\\/]*$/, "wasm/contextfold_bg.wasm");
}

try {
  bindCore(opened());
} catch (cause) {
  const why = "the module `contextfold_bg.wasm` is not beside the package's code, or damaged. Where that was bundled: keep `contextfold` external (Next.js: `serverExternalPackages: [\"contextfold\"]` in next.config.mjs), or, in an ES module, put `wasm` of the package's `pkg` beside it (docs/runtimes.md)";
  throw new ContextError("NOT_INITIALIZED", why, { cause });
}

/** The module's file. It stays open until it is read to its end, so that the package may be replaced while the program runs. */
function opened() {
  const file = openSync(pathOf(url()));
  const { size } = fstatSync(file);
  const checked = (count) => {
    if (count === 0 || fstatSync(file).size !== size) throw new Error("it is cut off, or has changed");
    return count;
  };
  return {
    size,
    read(bytes, at, from, to) {
      for (let n = from; n < to; ) n += checked(readSync(file, bytes, at + n - from, to - n, n));
    },
    async readLater(bytes, at, from, to) {
      for (let n = from; n < to; ) n += checked(await new Promise((done, fail) => read(file, bytes, at + n - from, to - n, n, (error, count) => (error ? fail(error) : done(count)))));
    },
    idle: () => new Promise((go) => setImmediate(go).unref()),
    close: () => closeSync(file),
  };
}

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

// Not public: for the CommonJS version of `contextfold/transcript`, which needs nothing else of this entry point.
Object.defineProperty(Session, "__detectFormat", { value: detectFormat });

export * from "./exports.js";

/** Does nothing here, because the module is loaded already. */
export async function init() {}
export default init;

// For Node, Bun, and Deno through npm: ready when imported. The CommonJS version is bundled from this file.
//
// From Node 20.19 and 22.12 on, which can require ES modules (the condition `module-sync`), `import` and `require` share one
// instance. In older versions, a program that uses both has two instances, and cannot pass objects of one to the other.

import { readFilesWith } from "./encoding.js";
import { ContextError } from "./error.js";
import { bindCore } from "./load.js";
import { Session, detectFormat } from "./wasm/contextfold_bg.js";

// An import would load all of `fs`, which is a tenth of the time until the module is ready.
const { closeSync, fstatSync, openSync, readFile, readFileSync, readSync } = process.getBuiltinModule("node:fs");
const { setImmediate } = process.getBuiltinModule("node:timers"); // test environments may not have it as a global
const { fileURLToPath } = process.getBuiltinModule("node:url");
const here = import.meta.url;

// Written as literals, so that bundlers find the files. In CommonJS output their location is not known.
const core = () => pathOf(new URL("./wasm/core.wasm", import.meta.url), "core");
const whole = () => pathOf(new URL("./wasm/contextfold_bg.wasm", import.meta.url), "contextfold_bg");

/**
 * Next.js replaces the URL by an object of its own, which file functions refuse. It has the URL of the file or, in components that
 * also run in the browser, the URL for the browser; then the file is read from the package's folder. That path is built in a way
 * that no bundler mistakes for another file.
 */
function pathOf({ protocol, href }, name) {
  return protocol === "file:" ? fileURLToPath(href) : fileURLToPath(here).replace(/[^\\/]*$/, `wasm/${name}.wasm`);
}

bindCore(new WebAssembly.Module(bytesOf(core)), () => bytesOf(whole), wholeAhead());

function bytesOf(file) {
  try {
    return readFileSync(file());
  } catch (cause) {
    const why = "the module's `core.wasm` and `contextfold_bg.wasm` are not beside the package's code. Where that was bundled: keep `contextfold` external (Next.js: `serverExternalPackages: [\"contextfold\"]` in next.config.mjs), or, in an ES module, put `wasm` of the package's `pkg` beside it (docs/runtimes.md)";
    throw new ContextError("NOT_INITIALIZED", why, { cause });
  }
}

/** Compiles the whole module as soon as the program waits for something. A program that ends before that does not load it. */
async function wholeAhead() {
  await new Promise((go) => setImmediate(go).unref());
  const bytes = await new Promise((done) => readFile(whole(), (error, bytes) => done(bytes)));
  return bytes && WebAssembly.compile(bytes);
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

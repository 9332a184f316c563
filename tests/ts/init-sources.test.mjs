import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const web = new URL("../../pkg/web.js", import.meta.url).href;
const wasm = fileURLToPath(new URL("../../pkg/wasm/contextfold_bg.wasm", import.meta.url));

// One process each, because a program loads the module once.
for (const [what, source] of Object.entries({
  bytes: "bytes",
  "an ArrayBuffer": "new Uint8Array(bytes).buffer",
  "a compiled module": "new WebAssembly.Module(bytes)",
  "a response": 'new Response(bytes, { headers: { "content-type": "application/wasm" } })',
  "a promise of one": "Promise.resolve(new WebAssembly.Module(bytes))",
})) {
  test(`init accepts ${what}`, () => {
    const program = `
      import { readFileSync } from "node:fs";
      import init, { version } from ${JSON.stringify(web)};
      const bytes = readFileSync(${JSON.stringify(wasm)});
      await init(${source});
      console.log(version());`;
    const printed = execFileSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" });
    assert.match(printed, /^\d+\.\d+\.\d+\n$/);
  });
}

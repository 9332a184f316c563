// A module that is missing or that traps: the error says what to do, at the first call or later.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { root } from "../../scripts/lib/paths.mjs";
import { guarded } from "../../pkg/guard.js";
import * as glue from "../../pkg/wasm/contextfold_bg.js";

test("after a trap every public function says INTERNAL", () => {
  const trapping = () => {
    throw new WebAssembly.RuntimeError("unreachable");
  };
  glue.__wbg_set_wasm(guarded({ version: trapping, __wbindgen_free: trapping }, glue.__wbg_set_wasm));
  for (let call = 1; call <= 3; call++)
    assert.throws(() => glue.version(), { name: "ContextError", code: "INTERNAL" }, `call ${call}`);
});

test("code bundled without the module's files says how to fix it", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "contextfold-bundled-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [format, extension] of [["esm", "mjs"], ["cjs", "cjs"]]) {
    const outfile = join(folder, `program.${extension}`);
    const stdin = { contents: 'export { version } from "contextfold"', resolveDir: root };
    await build({ stdin, bundle: true, platform: "node", format, outfile, logLevel: "error", logOverride: { "empty-import-meta": "silent" } });
    const imported = import(pathToFileURL(outfile).href);
    await assert.rejects(imported, { name: "ContextError", code: "NOT_INITIALIZED", message: /keep `contextfold` external/ }, format);
  }
});

// The entries for workers, where importing a .wasm gives a compiled module. esbuild stands in for the platform.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { build } from "esbuild";
import { root } from "../../scripts/lib/paths.mjs";

const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** Compiles the .wasm that an import names, with or without `suffix`. */
const compiledModules = (suffix) => ({
  name: "compiled-modules",
  setup(platform) {
    const filter = new RegExp(`\\.wasm${suffix.replace("?", "\\?")}$`);
    platform.onResolve({ filter }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path.slice(0, path.length - suffix.length)),
      namespace: "wasm",
    }));
    platform.onLoad({ filter: /.*/, namespace: "wasm" }, ({ path }) => ({
      contents: `export default new WebAssembly.Module(Uint8Array.from(atob("${readFileSync(path, "base64")}"), (c) => c.charCodeAt(0)));`,
      resolveDir: dirname(path),
    }));
  },
});

for (const [condition, suffix] of [
  ["workerd", ""],
  ["edge-light", "?module"],
])
  test(`${condition}: ready on import, without anything of Node's`, async () => {
    const { outputFiles } = await build({
      stdin: {
        contents: `import init, { version } from "contextfold"; const early = version(); await init(); console.log(early);`,
        resolveDir: root,
      },
      bundle: true,
      write: false,
      format: "esm",
      platform: "neutral",
      conditions: [condition],
      plugins: [compiledModules(suffix)],
      logLevel: "error",
    });
    const program = outputFiles[0].text;
    assert.doesNotMatch(program, /["'`]node:|require\(/); // comments may speak of a node
    const printed = execFileSync(process.execPath, ["--input-type=module"], { input: program, encoding: "utf8" });
    assert.equal(printed.trim(), version);
  });

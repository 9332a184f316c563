// The packed package in every runtime: it loads, compacts the sample, and gives the same figures.

import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { build as esbuild } from "esbuild";
import { nodeOf } from "../../scripts/lib/installed.mjs";
import { root } from "../../scripts/lib/paths.mjs";
import { run } from "./consumer.mjs";
import { JOB, RUNTIMES, WHERE, programs } from "./job.mjs";

const bin = (name) => join(root, RUNTIMES, "node_modules/.bin", name);

let consumer, remove, expected, sample;
before(() => ({ consumer, remove, expected, sample } = programs()));
after(() => remove());

/** Runs both programs: they give the same figures, and they ran in this runtime. */
function runs(t, runtime, command, args = [], more) {
  for (const file of ["main.mjs", "main.cjs"]) {
    const [printed, where] = run(command, [...args, file], { cwd: consumer, ...more }).split("\n");
    assert.equal(printed, expected, file);
    assert.match(where, runtime);
    t.diagnostic(where);
  }
}

describe("runtimes", () => {
  for (const major of [20, 22, 24])
    test(`Node ${major}, ESM and CommonJS`, (t) => runs(t, new RegExp(`^Node ${major}\\.`), nodeOf(major)));

  test("Node 24: `using`", () => {
    writeFileSync(join(consumer, "using.mjs"), `import { Session } from "contextfold"; let kept; { using session = new Session(); kept = session; } try { kept.tokens; } catch (error) { console.log(error.code); }`);
    assert.equal(run(nodeOf(24), ["using.mjs"], { cwd: consumer }).trim(), "FREED");
  });

  test("Bun, ESM and CommonJS", (t) => runs(t, /^Bun 1\./, bin("bun"), ["run"]));

  test("Deno, ESM and CommonJS", (t) => runs(t, /^Deno 2\./, bin("deno"), ["run", "--cached-only", "--node-modules-dir=manual", "--allow-read"], { extraEnv: { DENO_NO_UPDATE_CHECK: "1" } }));

  test("workerd, as Cloudflare's own tools bundle it", async () => {
    // There an imported .wasm is a compiled module, and an imported .bin an ArrayBuffer.
    const out = join(consumer, "worker");
    mkdirSync(out);
    const beside = {
      name: "files-beside",
      setup: (bundle) =>
        bundle.onResolve({ filter: /\.(wasm|bin)$/ }, ({ path, resolveDir }) => {
          copyFileSync(join(resolveDir, path), join(out, basename(path)));
          return { path: `./${basename(path)}`, external: true };
        }),
    };
    const contents = `import init, * as contextfold from "contextfold"; import asset from "contextfold/encodings/cl100k_base"; ${sample} ${JOB}
      export default { async fetch() { await init(); const encoding = await contextfold.loadEncoding("cl100k_base", asset); return new Response([await job(contextfold), ${WHERE}, encoding.count("hello world")].join("\\n")); } };`;
    await esbuild({ stdin: { contents, resolveDir: consumer }, bundle: true, format: "esm", conditions: ["workerd", "worker", "browser"], platform: "neutral", outfile: join(out, "main.js"), plugins: [beside], logLevel: "error" });
    writeFileSync(
      join(root, RUNTIMES, "node_modules/worker.mjs"),
      `import { readFileSync } from "node:fs"; import { Miniflare } from "miniflare";
       const module = (type, path) => ({ type, path, contents: readFileSync(process.argv[2] + "/" + path, type === "ESModule" ? "utf8" : null) });
       const mf = new Miniflare({ modules: [module("ESModule", "main.js"), module("CompiledWasm", "contextfold_bg.wasm"), module("Data", "cl100k_base.bin")], compatibilityDate: "2026-01-01" });
       console.log(await (await mf.dispatchFetch("http://localhost/")).text());
       await mf.dispose();`,
    );
    assert.deepEqual(run(nodeOf(22), [join(root, RUNTIMES, "node_modules/worker.mjs"), out]).trim().split("\n"), [expected, "workerd", "2"]);
  });
});

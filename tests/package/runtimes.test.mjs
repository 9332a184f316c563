// The packed package in every runtime and from every bundler: it loads, compacts the sample, and comes to the same figures.

import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { build as esbuild } from "esbuild";
import { build as vite } from "vite";
import { install, nodeOf } from "../../scripts/lib/installed.mjs";
import { root } from "../../scripts/lib/paths.mjs";
import { launch, open } from "../support/browser.mjs";
import { serve } from "../support/serve.mjs";
import { installPacked, run } from "./consumer.mjs";

const RUNTIMES = "tests/package/runtimes";
const bin = (name) => join(root, RUNTIMES, "node_modules/.bin", name);

/** What every program does; `sample` is there. */
const JOB = `
  function job({ Session, check, toolDefinitions }) {
    const session = new Session({ contextWindow: 32_000 });
    session.pushFrom("openai-responses", sample);
    return session.prepare().then(({ report }) => {
      const view = session.view("openai-responses");
      const valid = check("openai-responses", view).every(({ severity }) => severity !== "error");
      session[Symbol.dispose ?? Symbol.for("Symbol.dispose")]?.();
      session.free();
      let freed;
      try { session.tokens; } catch (error) { freed = error.code; }
      return JSON.stringify([report.tokens_before > 32_000, report.tokens_after, view.input.length, valid, freed, toolDefinitions("anthropic").length]);
    });
  }`;
const ESM = `import init, * as contextfold from "contextfold"; import { middleware } from "contextfold/anthropic"; ${JOB}
  middleware({ contextWindow: 1000 }); await init(); console.log(await job(contextfold));`;
const CJS = `const contextfold = require("contextfold"); const { middleware } = require("contextfold/anthropic"); ${JOB}
  middleware({ contextWindow: 1000 }); contextfold.init().then(() => job(contextfold)).then(console.log);`;

let consumer, remove, expected, sample;
before(async () => {
  install(RUNTIMES);
  ({ consumer, remove } = installPacked());
  sample = `const sample = ${readFileSync(join(root, "examples/transcript.responses.json"), "utf8")};`;
  writeFileSync(join(consumer, "main.mjs"), `${sample}\n${ESM}`);
  writeFileSync(join(consumer, "main.cjs"), `${sample}\n${CJS}`);
  expected = run("node", ["main.mjs"], { cwd: consumer }).trim();
});
after(() => remove());

test("the job is one: too large before, valid and freed afterwards", () => {
  const [wasLarge, tokens, entries, valid, freed, tools] = JSON.parse(expected);
  assert.deepEqual([wasLarge, valid, freed, tools], [true, true, "FREED", 3]);
  assert.ok(tokens > 500 && tokens < 32_000 && entries > 1, expected);
});

describe("runtimes", () => {
  for (const major of [20, 22, 24])
    test(`Node ${major}, ESM and CommonJS`, () => {
      for (const file of ["main.mjs", "main.cjs"]) assert.equal(run(nodeOf(major), [file], { cwd: consumer }).trim(), expected, file);
    });

  test("Node 24: `using`", () => {
    writeFileSync(join(consumer, "using.mjs"), `import { Session } from "contextfold"; let kept; { using session = new Session(); kept = session; } try { kept.tokens; } catch (error) { console.log(error.code); }`);
    assert.equal(run(nodeOf(24), ["using.mjs"], { cwd: consumer }).trim(), "FREED");
  });

  test("Bun, ESM and CommonJS", () => {
    for (const file of ["main.mjs", "main.cjs"]) assert.equal(run(bin("bun"), ["run", file], { cwd: consumer }).trim(), expected, file);
  });

  test("Deno, ESM and CommonJS", () => {
    for (const file of ["main.mjs", "main.cjs"])
      assert.equal(run(bin("deno"), ["run", "--cached-only", "--node-modules-dir=manual", "--allow-read", file], { cwd: consumer, extraEnv: { DENO_NO_UPDATE_CHECK: "1" } }).trim(), expected, file);
  });

  test("workerd, as Cloudflare's own tools bundle it", async () => {
    // A .wasm that is imported is a module of its own there.
    const out = join(consumer, "worker");
    mkdirSync(out);
    const beside = {
      name: "wasm-beside",
      setup: (bundle) =>
        bundle.onResolve({ filter: /\.wasm$/ }, ({ path, resolveDir }) => {
          copyFileSync(join(resolveDir, path), join(out, "contextfold.wasm"));
          return { path: "./contextfold.wasm", external: true };
        }),
    };
    const contents = `import init, * as contextfold from "contextfold"; ${sample} ${JOB}
      export default { async fetch() { await init(); return new Response(await job(contextfold)); } };`;
    await esbuild({ stdin: { contents, resolveDir: consumer }, bundle: true, format: "esm", conditions: ["workerd", "worker", "browser"], platform: "neutral", outfile: join(out, "main.js"), plugins: [beside], logLevel: "error" });
    writeFileSync(
      join(root, RUNTIMES, "node_modules/worker.mjs"),
      `import { readFileSync } from "node:fs"; import { Miniflare } from "miniflare";
       const module = (type, path) => ({ type, path, contents: readFileSync(process.argv[2] + "/" + path, type === "ESModule" ? "utf8" : null) });
       const mf = new Miniflare({ modules: [module("ESModule", "main.js"), module("CompiledWasm", "contextfold.wasm")], compatibilityDate: "2026-01-01" });
       console.log(await (await mf.dispatchFetch("http://localhost/")).text());
       await mf.dispose();`,
    );
    assert.equal(run(nodeOf(22), [join(root, RUNTIMES, "node_modules/worker.mjs"), out]).trim(), expected);
  });
});

describe("pages in Chromium", () => {
  let browser;
  before(async () => (browser = await launch()));
  after(() => browser.close());

  const HTML = (head = "") => `<!doctype html><html lang="en"><meta charset="utf-8"><title>t</title><link rel="icon" href="data:,">${head}<p id="out"></p><script type="module" src="./main.js"></script></html>`;
  const PROGRAM = (from, init = "await init();") => `import init, * as contextfold from "${from}"; ${init.startsWith("import") ? init : ""}
    import { middleware } from "contextfold/anthropic"; ${JOB}
    ${init.startsWith("import") ? "await init(new URL(url, import.meta.url));" : init}
    middleware({ contextWindow: 1000 });
    document.querySelector("#out").textContent = await job(contextfold);`;

  /** A project beside the installed package, with one page; `out` is what is served. */
  function project(name, program, head) {
    const folder = join(consumer, name);
    const out = join(folder, "dist");
    mkdirSync(out, { recursive: true });
    writeFileSync(join(folder, "main.js"), `${sample}\n${program}`);
    for (const place of [folder, out]) writeFileSync(join(place, "index.html"), HTML(head));
    return { folder, out, entry: join(folder, "main.js") };
  }

  async function check(folder) {
    const server = await serve(folder);
    try {
      const { page, problems } = await open(browser, server.url);
      await page.waitForFunction(() => document.querySelector("#out").textContent !== "", null, { timeout: 20_000 }).catch(() => {});
      assert.deepEqual(problems, []);
      assert.equal(await page.textContent("#out"), expected);
    } finally {
      await server.close();
    }
  }

  test("no bundler", async () => {
    const map = '<script type="importmap">{ "imports": { "contextfold": "./node_modules/contextfold/pkg/web.js", "contextfold/anthropic": "./node_modules/contextfold/pkg/integrations/anthropic.js" } }</script>';
    writeFileSync(join(consumer, "index.html"), HTML(map));
    writeFileSync(join(consumer, "main.js"), `${sample}\n${PROGRAM("contextfold")}`);
    await check(consumer);
  });

  test("Vite", async () => {
    const { folder, out } = project("vite", PROGRAM("contextfold"));
    await vite({ root: folder, base: "./", configFile: false, logLevel: "error", build: { target: "esnext" } });
    await check(out);
  });

  test("webpack", async () => {
    const { entry, out } = project("webpack", PROGRAM("contextfold"));
    writeFileSync(
      join(root, RUNTIMES, "node_modules/webpack.mjs"),
      `import webpack from "webpack";
       webpack({ mode: "production", entry: ${JSON.stringify(entry)}, context: ${JSON.stringify(dirname(entry))}, output: { path: ${JSON.stringify(out)}, filename: "main.js", module: true, publicPath: "./" }, experiments: { outputModule: true }, performance: false },
         (error, stats) => { if (error || stats.hasErrors()) { console.error(error ?? stats.toString()); process.exit(1); } });`,
    );
    run(nodeOf(22), [join(root, RUNTIMES, "node_modules/webpack.mjs")]);
    assert.ok(readdirSync(out).some((name) => name.endsWith(".wasm")), "the module is a file of its own");
    await check(out);
  });

  test("esbuild, which is told how to load a .wasm", async () => {
    const { entry, out } = project("esbuild", PROGRAM("contextfold", 'import url from "contextfold/wasm";'));
    await esbuild({ entryPoints: [entry], bundle: true, format: "esm", outdir: out, loader: { ".wasm": "file" }, logLevel: "error" });
    await check(out);
  });

  test("Rollup, with the inline entry", async () => {
    const { entry, out } = project("rollup", PROGRAM("contextfold/inline"));
    writeFileSync(
      join(root, RUNTIMES, "node_modules/rollup.mjs"),
      `import { rollup } from "rollup"; import resolve from "@rollup/plugin-node-resolve";
       const bundle = await rollup({ input: ${JSON.stringify(entry)}, plugins: [resolve({ browser: true })], onwarn: (w) => { if (w.code === "UNRESOLVED_IMPORT") throw new Error(w.message); } });
       await bundle.write({ dir: ${JSON.stringify(out)}, format: "es" });`,
    );
    run(nodeOf(22), [join(root, RUNTIMES, "node_modules/rollup.mjs")]);
    await check(out);
  });
});

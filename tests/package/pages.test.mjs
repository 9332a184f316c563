// Pages with the packed package, from every bundler and without one, in every engine.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { build as esbuild } from "esbuild";
import { build as vite } from "vite";
import { nodeOf } from "../../scripts/lib/installed.mjs";
import { root } from "../../scripts/lib/paths.mjs";
import { launch, open } from "../support/browser.mjs";
import { firefox, until, webkit } from "../support/other-browsers.mjs";
import { serve } from "../support/serve.mjs";
import { run } from "./consumer.mjs";
import { JOB, RUNTIMES, programs } from "./job.mjs";

let consumer, remove, expected, sample;
const browsers = {};
before(async () => {
  ({ consumer, remove, expected, sample } = programs());
  for (const [name, start] of Object.entries({ chromium: launch, firefox, webkit })) browsers[name] = await start();
});
after(async () => {
  for (const browser of Object.values(browsers)) await browser.close();
  remove?.();
});

/** What the page reports if it fails: otherwise only Chromium's driver would learn of it. */
const WATCH = '<script>for (const kind of ["error", "unhandledrejection"]) addEventListener(kind, (event) => (document.querySelector("#out").textContent ||= String(event.reason ?? event.message)));</script>';
const HTML = (head = "") => `<!doctype html><html lang="en"><meta charset="utf-8"><title>t</title>${WATCH}<link rel="icon" href="data:,">${head}<p id="out"></p><script type="module" src="./main.js"></script></html>`;
/** `module` imports the `source` for `init` if it does not find the module by itself; `encoding` is where an encoding's bytes come from. */
const PROGRAM = ({ module = "", source = "", encoding = "contextfold/encodings/o200k_base" } = {}) => `import init, * as contextfold from "contextfold"; ${module}
  import { middleware } from "contextfold/anthropic"; import asset from "${encoding}"; ${JOB}
  await init(${source});
  middleware({ contextWindow: 1000 });
  const done = await job(contextfold);
  const words = (await contextfold.loadEncoding("o200k_base", asset)).count("hello world");
  document.querySelector("#out").textContent = words === 2 ? done : "counted " + words;`;

/** A project next to the installed package, with one page; `out` is the folder that is served. */
function project(name, program, head) {
  const folder = join(consumer, name);
  const out = join(folder, "dist");
  mkdirSync(out, { recursive: true });
  writeFileSync(join(folder, "main.js"), `${sample}\n${program}`);
  for (const place of [folder, out]) writeFileSync(join(place, "index.html"), HTML(head));
  return { folder, out, entry: join(folder, "main.js") };
}

async function inChromium(url) {
  const { page, problems } = await open(browsers.chromium, url);
  await page.waitForFunction(() => document.querySelector("#out").textContent !== "", null, { timeout: 20_000 }).catch(() => {});
  assert.deepEqual(problems, []);
  return page.textContent("#out");
}

async function elsewhere(browser, url) {
  await browser.open(url);
  return until(() => browser.evaluate('return document.querySelector("#out")?.textContent ?? "";'), `nothing came of ${url}`);
}

/** A page built by `build`, which returns the folder to serve; opened in every engine. */
function page(name, build) {
  describe(name, () => {
    let server;
    before(async () => (server = await serve(await build())));
    after(() => server?.close());
    test("Chromium", async () => assert.equal(await inChromium(server.url), expected));
    for (const engine of ["firefox", "webkit"])
      test(engine, async (t) => {
        t.diagnostic(browsers[engine].name);
        assert.equal(await elsewhere(browsers[engine], server.url), expected);
      });
  });
}

page("no bundler", () => {
  const map = '<script type="importmap">{ "imports": { "contextfold": "./node_modules/contextfold/pkg/web.js", "contextfold/anthropic": "./node_modules/contextfold/pkg/integrations/anthropic.js", "contextfold/encodings/o200k_base": "./node_modules/contextfold/pkg/encodings/o200k_base.js" } }</script>';
  writeFileSync(join(consumer, "index.html"), HTML(map));
  writeFileSync(join(consumer, "main.js"), `${sample}\n${PROGRAM()}`);
  return consumer;
});

page("Vite", async () => {
  const { folder, out } = project("vite", PROGRAM());
  await vite({ root: folder, base: "./", configFile: false, logLevel: "error", build: { target: "esnext" } });
  return out;
});

page("webpack", async () => {
  const { entry, out } = project("webpack", PROGRAM());
  writeFileSync(
    join(root, RUNTIMES, "node_modules/webpack.mjs"),
    `import webpack from "webpack";
     webpack({ mode: "production", entry: ${JSON.stringify(entry)}, context: ${JSON.stringify(dirname(entry))}, output: { path: ${JSON.stringify(out)}, filename: "main.js", module: true, publicPath: "./" }, experiments: { outputModule: true }, performance: false },
       (error, stats) => { if (error || stats.hasErrors()) { console.error(error ?? stats.toString()); process.exit(1); } });`,
  );
  run(nodeOf(22), [join(root, RUNTIMES, "node_modules/webpack.mjs")]);
  assert.ok(readdirSync(out).some((name) => name.endsWith(".wasm")), "the module is a file of its own");
  return out;
});

page("esbuild, which is told how to load a .wasm", async () => {
  const { entry, out } = project("esbuild", PROGRAM({ module: 'import url from "contextfold/wasm";', source: "new URL(url, import.meta.url)", encoding: "contextfold/encodings/o200k_base.bin" }));
  await esbuild({ entryPoints: [entry], bundle: true, format: "esm", outdir: out, loader: { ".wasm": "file", ".bin": "binary" }, logLevel: "error" });
  return out;
});

/** The build step of docs/runtimes.md, verbatim. */
const recipe = () => readFileSync(join(root, "docs/runtimes.md"), "utf8").match(/^```js\n(.*?)^```/ms)[1];

page("Rollup, with the module inside the script", async () => {
  const { folder, entry, out } = project("rollup", PROGRAM({ module: 'import module from "./contextfold.wasm.js";', source: "module", encoding: "./o200k_base.js" }));
  writeFileSync(join(folder, "inline.mjs"), recipe());
  run("node", ["inline.mjs"], { cwd: folder });
  writeFileSync(
    join(root, RUNTIMES, "node_modules/rollup.mjs"),
    `import { rollup } from "rollup"; import resolve from "@rollup/plugin-node-resolve";
     const bundle = await rollup({ input: ${JSON.stringify(entry)}, plugins: [resolve({ browser: true })], onwarn: (w) => { if (w.code === "UNRESOLVED_IMPORT") throw new Error(w.message); } });
     await bundle.write({ dir: ${JSON.stringify(out)}, format: "es" });`,
  );
  run(nodeOf(22), [join(root, RUNTIMES, "node_modules/rollup.mjs")]);
  return out;
});

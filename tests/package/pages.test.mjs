// Pages with the packed package, from every bundler and from none, in every engine.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
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

/** What the page says where it fails: nobody but Chromium's driver hears of it otherwise. */
const WATCH = '<script>for (const kind of ["error", "unhandledrejection"]) addEventListener(kind, (event) => (document.querySelector("#out").textContent ||= String(event.reason ?? event.message)));</script>';
const HTML = (head = "") => `<!doctype html><html lang="en"><meta charset="utf-8"><title>t</title>${WATCH}<link rel="icon" href="data:,">${head}<p id="out"></p><script type="module" src="./main.js"></script></html>`;
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

/** A page by `build`, which gives the folder that is served; opened in every engine. */
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
  const map = '<script type="importmap">{ "imports": { "contextfold": "./node_modules/contextfold/pkg/web.js", "contextfold/anthropic": "./node_modules/contextfold/pkg/integrations/anthropic.js" } }</script>';
  writeFileSync(join(consumer, "index.html"), HTML(map));
  writeFileSync(join(consumer, "main.js"), `${sample}\n${PROGRAM("contextfold")}`);
  return consumer;
});

page("Vite", async () => {
  const { folder, out } = project("vite", PROGRAM("contextfold"));
  await vite({ root: folder, base: "./", configFile: false, logLevel: "error", build: { target: "esnext" } });
  return out;
});

page("webpack", async () => {
  const { entry, out } = project("webpack", PROGRAM("contextfold"));
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
  const { entry, out } = project("esbuild", PROGRAM("contextfold", 'import url from "contextfold/wasm";'));
  await esbuild({ entryPoints: [entry], bundle: true, format: "esm", outdir: out, loader: { ".wasm": "file" }, logLevel: "error" });
  return out;
});

page("Rollup, with the inline entry", async () => {
  const { entry, out } = project("rollup", PROGRAM("contextfold/inline"));
  writeFileSync(
    join(root, RUNTIMES, "node_modules/rollup.mjs"),
    `import { rollup } from "rollup"; import resolve from "@rollup/plugin-node-resolve";
     const bundle = await rollup({ input: ${JSON.stringify(entry)}, plugins: [resolve({ browser: true })], onwarn: (w) => { if (w.code === "UNRESOLVED_IMPORT") throw new Error(w.message); } });
     await bundle.write({ dir: ${JSON.stringify(out)}, format: "es" });`,
  );
  run(nodeOf(22), [join(root, RUNTIMES, "node_modules/rollup.mjs")]);
  return out;
});

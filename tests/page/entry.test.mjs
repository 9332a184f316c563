// The browsers' entry in a real page: plain modules, and the output of bundlers.

import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { build as esbuild } from "esbuild";
import { build as vite } from "vite";
import { root } from "../../scripts/lib/paths.mjs";
import { launch, open } from "../support/browser.mjs";
import { serve } from "../support/serve.mjs";
import { temporaryFolder } from "../support/temp.mjs";

const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const page = (script, head = "") =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>t</title><link rel="icon" href="data:,">${head}<p id="out"></p><script type="module" src="${script}"></script></html>`;
const program = (from, source = "") => `
  import init, { ContextError, version } from "${from}";
  let early = "nothing";
  try { version(); } catch (error) { early = ContextError.isInstance(error) && error.code; }
  await init(${source});
  document.querySelector("#out").textContent = early + " " + version();`;

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

/** Serves the folder and checks what its page shows. */
async function check(t, folder) {
  const server = await serve(folder);
  t.after(() => server.close());
  const { page, problems } = await open(browser, server.url);
  await page.waitForFunction(() => document.querySelector("#out").textContent !== "", null, { timeout: 10_000 }).catch(() => {});
  assert.equal(await page.textContent("#out"), `NOT_INITIALIZED ${version}`);
  assert.deepEqual(problems, []);
}

/** A project with the package in its node_modules and one page. */
function project(t, text = program("contextfold")) {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(root, join(folder, "node_modules/contextfold"), "dir");
  writeFileSync(join(folder, "index.html"), page("./main.js"));
  writeFileSync(join(folder, "main.js"), text);
  return folder;
}

test("without a bundler", async (t) => {
  const folder = temporaryFolder(t);
  cpSync(join(root, "pkg"), join(folder, "pkg"), { recursive: true });
  const map = '<script type="importmap">{ "imports": { "contextfold": "./pkg/web.js" } }</script>';
  writeFileSync(join(folder, "index.html"), page("./main.js", map));
  writeFileSync(join(folder, "main.js"), program("contextfold"));
  await check(t, folder);
});

test("built by Vite", async (t) => {
  const folder = project(t);
  await vite({ root: folder, base: "./", configFile: false, logLevel: "error", build: { target: "esnext" } });
  await check(t, join(folder, "dist"));
});

test("bundled by esbuild into one file, with the module inside", async (t) => {
  const folder = project(t, `import bytes from "contextfold/wasm"; ${program("contextfold", "bytes")}`);
  const outdir = join(folder, "dist");
  await esbuild({ entryPoints: [join(folder, "main.js")], bundle: true, format: "esm", outdir, loader: { ".wasm": "binary" }, logLevel: "error" });
  writeFileSync(join(outdir, "index.html"), page("./main.js"));
  await check(t, outdir);
});

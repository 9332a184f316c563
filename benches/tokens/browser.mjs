// The rates of `measure.mjs` in headless Chromium. The page's script is bundled by esbuild and served from 127.0.0.1.

import { build } from "esbuild";
import { createReadStream } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { which } from "../../scripts/lib/run.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "../..");
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** The tables by encoding; `texts` as for `rates`. */
export async function ratesInChromium(texts) {
  const { outputFiles } = await build({
    entryPoints: [join(here, "page.mjs")],
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    external: ["/pkg/*"],
    logLevel: "error",
  });
  const script = outputFiles[0].contents;
  const server = createServer((request, response) => {
    const send = (type, body) => response.writeHead(200, { "content-type": type }).end(body);
    if (request.url === "/") return send("text/html", '<!doctype html><meta charset="utf-8"><script type="module" src="/page.js"></script>');
    if (request.url === "/page.js") return send("text/javascript", script);
    if (request.url === "/texts.json") return send("application/json", JSON.stringify(texts));
    if (!/^\/pkg\/[\w./-]+$/.test(request.url) || request.url.includes("..")) return response.writeHead(404).end();
    const type = request.url.endsWith(".wasm") ? "application/wasm" : request.url.endsWith(".js") ? "text/javascript" : "application/octet-stream";
    response.writeHead(200, { "content-type": type });
    createReadStream(join(root, request.url)).on("error", () => response.destroy()).pipe(response);
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const browser = await chromium.launch({ executablePath: which("chromium", "chromium-browser", "google-chrome"), headless: true, args: FLAGS });
  try {
    const page = await browser.newPage();
    page.on("pageerror", (error) => console.error(String(error)));
    // Do not wait for the load event: it comes only when the page's script is done.
    await page.goto(`http://127.0.0.1:${server.address().port}/`, { waitUntil: "commit" });
    await page.waitForFunction(() => globalThis.rates ?? globalThis.failure, undefined, { timeout: 1_200_000 });
    const failure = await page.evaluate(() => globalThis.failure);
    if (failure) throw new Error(failure);
    return await page.evaluate(() => globalThis.rates);
  } finally {
    await browser.close();
    server.close();
  }
}

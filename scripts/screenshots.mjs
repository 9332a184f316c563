// The pictures of the page in docs/images: light, dark, and on a phone. `node scripts/screenshots.mjs`, after `npm run build`.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "vite";
import { launch } from "../tests/support/browser.mjs";
import { serve } from "../tests/support/serve.mjs";
import { root } from "./lib/paths.mjs";

const PICTURES = [
  { name: "page-light", colorScheme: "light", viewport: { width: 1280, height: 900 } },
  { name: "page-dark", colorScheme: "dark", viewport: { width: 1280, height: 900 } },
  { name: "page-phone", colorScheme: "light", viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
];

const folder = mkdtempSync(join(tmpdir(), "contextfold-page-"));
await build({ root: join(root, "www"), logLevel: "error", build: { outDir: folder } });
const server = await serve(folder);
const browser = await launch();
try {
  for (const { name, ...options } of PICTURES) {
    const page = await browser.newPage({ ...options, reducedMotion: "reduce" });
    await page.goto(server.url);
    await page.getByTestId("facts").filter({ hasText: "%" }).waitFor();
    const tools = await page.context().newCDPSession(page);
    const { data } = await tools.send("Page.captureScreenshot", { format: "webp", quality: 82 });
    writeFileSync(join(root, `docs/images/${name}.webp`), Buffer.from(data, "base64"));
    await page.close();
  }
} finally {
  await browser.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}

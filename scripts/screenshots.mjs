// Takes the screenshots of the page in docs/images: light, dark, on a phone, and what changed at a call.
// `node scripts/screenshots.mjs`, after `npm run build`.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "vite";
import { launch } from "../tests/support/browser.mjs";
import { serve } from "../tests/support/serve.mjs";
import { root } from "./lib/paths.mjs";

const DESK = { viewport: { width: 1280, height: 900 } };
const PICTURES = [
  { name: "page-light", colorScheme: "light", ...DESK },
  { name: "page-dark", colorScheme: "dark", ...DESK },
  { name: "page-phone", colorScheme: "light", viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
  { name: "page-changes", colorScheme: "light", ...DESK, look: changes },
  { name: "page-compare", colorScheme: "light", ...DESK, at: "compare/", look: (page) => page.locator(".chart-bar").first().waitFor() },
];

/** Waits until the sample has run. */
const sample = (page) => page.getByTestId("facts").filter({ hasText: "%" }).waitFor();

/** Shows what changed at the last fold, line by line. */
async function changes(page) {
  await sample(page);
  await page.getByRole("button", { name: "← Fold before" }).click();
  const panel = page.getByTestId("changes");
  await panel.locator(".chip", { hasText: "folded" }).waitFor();
  await panel.locator("summary", { hasText: "Line by line" }).click();
  await panel.locator(".diff-new").first().waitFor();
  await panel.evaluate((element) => element.scrollIntoView());
}

const folder = mkdtempSync(join(tmpdir(), "contextfold-page-"));
await build({ root: join(root, "www"), logLevel: "error", build: { outDir: folder } });
const server = await serve(folder);
const browser = await launch();
try {
  for (const { name, at = "", look = sample, ...options } of PICTURES) {
    const page = await browser.newPage({ ...options, reducedMotion: "reduce" });
    await page.goto(server.url + at);
    await look(page);
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 300))));
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

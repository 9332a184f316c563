// The built page in Firefox and in WebKit: it loads, accepts a file, and compacts it.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { build } from "vite";
import { root } from "../../scripts/lib/paths.mjs";
import { firefox, until, webkit } from "../support/other-browsers.mjs";
import { serve } from "../support/serve.mjs";

let folder, server;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "contextfold-browsers-"));
  await build({ root: join(root, "www"), logLevel: "error", build: { outDir: join(folder, "some/where") } });
  server = await serve(folder);
});
after(async () => {
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

const DROP = `
  const messages = [{ role: "system", content: "You answer questions." }];
  for (let i = 0; i < 60; i++)
    messages.push({ role: "user", content: "What is in src/file" + i + ".rs?" }, { role: "assistant", content: "A module, and much that is said of it. ".repeat(60) });
  const transfer = new DataTransfer();
  transfer.items.add(new File([JSON.stringify(messages)], "dropped.json"));
  document.querySelector("main").dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));`;

const text = (selector) => `return document.querySelector('${selector}')?.textContent ?? "";`;
const figure = (id) => text(`[data-testid="${id}"]`);

for (const launch of [firefox, webkit])
  test(`the page in ${launch.name}`, async (t) => {
    const browser = await launch();
    t.after(() => browser.close());
    t.diagnostic(browser.name);
    await browser.open(`${server.url}some/where/#own`);
    await until(() => browser.evaluate(text(".source h2")), "the page does not load");
    await browser.evaluate(DROP);
    const after = await until(() => browser.evaluate(figure("tokens-after")), "nothing came of the file");
    assert.match(await browser.evaluate(text(".facts")), /dropped\.json.*Chat Completions/s);
    const number = (shown) => Number(shown.replaceAll(",", ""));
    const threshold = number(await browser.evaluate(figure("threshold")));
    const before = number(await browser.evaluate(figure("tokens-before")));
    assert.ok(number(after) > 0 && number(after) <= threshold && threshold < before, `${before} → ${after}, threshold ${threshold}`);
    assert.match(await browser.evaluate(text(".verdict")), /^Fits/);
    assert.ok(await browser.evaluate("return document.querySelectorAll('.timeline-fold').length;"), "it was folded");
  });

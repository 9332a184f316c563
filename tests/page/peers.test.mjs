// The page that compares the package with others, and the guides next to it.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/lib/paths.mjs";
import { RECORDED, recorded } from "../../scripts/peers.mjs";
import { built, visit } from "../support/page.mjs";

const axe = readFileSync(join(root, "node_modules/axe-core/axe.min.js"), "utf8");

test("the page shows the figures of the documents, each with its source, its date and its command", async (t) => {
  const runs = JSON.parse(readFileSync(join(root, RECORDED), "utf8"));
  assert.deepEqual(runs, recorded(), "node scripts/peers.mjs");
  const page = await visit(t, { at: "compare/" });
  for (const { id, run, source, date, rows } of runs) {
    const section = page.locator(`section[aria-labelledby="${id}-title"]`);
    const text = await section.textContent();
    for (const word of [run, source, date]) assert.ok(text.includes(word), `${id}: ${word}`);
    const cells = await section.locator("tbody tr").evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
    assert.deepEqual(cells, rows);
  }
  // Bars are proportional to their figures.
  const bars = await page.locator('section[aria-labelledby="cut-title"] .chart-bar').evaluateAll((all) => all.map((bar) => [parseFloat(bar.querySelector("dd > span").textContent), parseFloat(bar.querySelector("i").style.width)]));
  for (const [value, width] of bars) assert.ok(Math.abs(value / bars[0][0] - width / bars[0][1]) < 0.001);
});

for (const colorScheme of ["light", "dark"])
  test(`axe finds no violations on the benchmark page and on a guide (${colorScheme})`, async (t) => {
    for (const at of ["compare/", "docs/cost.html"]) {
      const page = await visit(t, { at, colorScheme });
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => globalThis.axe.run());
      assert.deepEqual(violations.map(({ id, nodes }) => `${at} ${id}: ${nodes.slice(0, 2).map((node) => node.html.slice(0, 120)).join(" | ")}`), []);
    }
  });

test("the pages link to each other, and every link of a guide works", async (t) => {
  const page = await visit(t);
  await page.getByRole("link", { name: "Benchmarks" }).click();
  await page.getByRole("heading", { name: "What a session costs" }).waitFor();
  await page.getByRole("link", { name: "Guides" }).click();
  await page.getByRole("heading", { name: "Guides", exact: true }).waitFor();
  await page.waitForLoadState("networkidle");
  const guides = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
  for (const name of guides) {
    const from = `${built.url}docs/${name === "README.md" ? "" : name.replace(".md", ".html")}`;
    const links = [...(await (await fetch(from)).text()).matchAll(/<a href="([^"]*)"/g)].map(([, href]) => new URL(href, from).href);
    assert.ok(links.length >= 2, name);
    for (const link of new Set(links.filter((link) => link.startsWith(built.url)))) {
      const [path, hash] = link.split("#");
      const text = await (await fetch(path)).text();
      assert.ok(text.includes("</html>"), `${name}: ${link}`);
      if (hash) assert.ok(text.includes(`id="${decodeURIComponent(hash)}"`), `${name}: ${link}`);
    }
  }
  await page.goto(`${built.url}docs/`, { waitUntil: "networkidle" });
  await page.getByRole("link", { name: "Try it on a session" }).click();
  await page.getByRole("button", { name: "Use the sample" }).waitFor();
});

// The page by keyboard, on a phone, and for people who see little.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/lib/paths.mjs";
import { claudeWithHelpers } from "../support/agent-files.mjs";
import { conversation, drop, openSample, set, visit } from "../support/page.mjs";

/** How many Tab presses it takes to return to the page's first stop. */
async function stopsOf(page) {
  await page.locator(".skip").focus();
  for (let stops = 1; stops < 200; stops++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(() => document.activeElement === document.body || document.activeElement.matches(".skip"))) return stops;
  }
  return Infinity;
}

test("the Tab key cycles through the page in less than sixty stops, even with everything open", async (t) => {
  const page = await visit(t, { at: "" });
  await page.getByTestId("tokens-after").waitFor();
  const first = await stopsOf(page);
  assert.ok(first < 40, `${first} stops`);
  await page.getByRole("button", { name: "Compare four settings" }).click();
  await page.getByText("★ is the best of its column").waitFor();
  for (const summary of await page.locator("details > summary").all()) await summary.click();
  await page.getByTestId("validity").waitFor();
  const all = await stopsOf(page);
  assert.ok(all > first && all < 60, `${all} stops`);
  // A row of buttons is one stop, and the arrow keys reach the others.
  const chips = page.getByRole("toolbar", { name: "Which messages" });
  await chips.locator('[tabindex="0"]').focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await chips.locator('[aria-pressed="true"]').filter({ hasText: "all that went in" }).waitFor();
});

test("on a phone all touch targets are at least 44 pixels high and wide, and the result comes before the settings", async (t) => {
  for (const at of ["", "compare/", "docs/"]) {
    const page = await visit(t, { at, viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
    if (at === "") await page.getByTestId("changes").filter({ hasText: "against the view at call" }).waitFor();
    const small = await page.evaluate(() =>
      [...document.querySelectorAll("header a, main button, main input:not([type=file]), main select, main summary")]
        .filter((each) => each.checkVisibility() && !each.disabled)
        .map((each) => [each, (each.closest("label.check") ?? each).getBoundingClientRect()])
        .filter(([, { width, height }]) => width < 44 || height < 44)
        .map(([each, { width, height }]) => `${each.outerHTML.slice(0, 90)}: ${width} × ${height}`),
    );
    assert.deepEqual(small, [], at);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, at);
    if (at === "") assert.ok((await page.locator(".result").boundingBox()).y < (await page.locator(".controls").boundingBox()).y);
  }
});

test("reduced motion is respected", async (t) => {
  const page = await visit(t, { reducedMotion: "reduce" });
  await openSample(page);
  const moving = await page.evaluate(() => [...document.querySelectorAll("*")].filter((each) => getComputedStyle(each).transitionDuration !== "0s" || getComputedStyle(each).animationName !== "none").length);
  assert.equal(moving, 0);
});

for (const colorScheme of ["light", "dark"])
  test(`every part has its own colour, the ledger too (${colorScheme})`, async (t) => {
    const page = await visit(t, { colorScheme });
    await openSample(page);
    const legend = await page.locator('.timeline [aria-label="Parts"] li').evaluateAll((all) => all.map((each) => [each.textContent.trim(), getComputedStyle(each.querySelector("i")).backgroundColor.match(/\d+/g).map(Number)]));
    assert.ok(legend.some(([name]) => name === "Ledger"), legend.join());
    const apart = ([a], [b]) => Math.hypot(...a.map((value, i) => value - b[i]));
    for (const [i, [name, colour]] of legend.entries())
      for (const [other, another] of legend.slice(i + 1)) assert.ok(apart([colour], [another]) > 60, `${name} and ${other}: ${colour}, ${another}`);
  });

for (const colorScheme of ["light", "dark"])
  test(`axe finds no accessibility violations (${colorScheme})`, async (t) => {
    const page = await visit(t, { colorScheme });
    const found = async () => {
      await page.evaluate(readFileSync(join(root, "node_modules/axe-core/axe.min.js"), "utf8"));
      const { violations } = await page.evaluate(() => globalThis.axe.run());
      return violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join(" | ")}`);
    };
    assert.deepEqual(await found(), []);
    await openSample(page);
    await page.getByText("The view as JSON").click();
    await page.getByTestId("validity").waitFor();
    assert.deepEqual(await found(), []);
    await page.getByRole("button", { name: /^Show m\d/ }).first().click({ position: { x: 5, y: 5 } });
    await page.getByRole("dialog").waitFor();
    assert.deepEqual(await found(), []);
    await page.keyboard.press("Escape");
    await page.getByLabel("Who sums up").selectOption("endpoint");
    await page.locator(".row-fold button").first().click();
    await drop(page, "helpers.jsonl", claudeWithHelpers());
    await page.locator(".graph-pill").first().waitFor();
    assert.deepEqual(await found(), []);
    await drop(page, "broken.json", '[{"role": "user", ');
    await page.getByRole("alert").waitFor();
    assert.deepEqual(await found(), []);
  });

test("a thousand messages: only the visible ones are in the document, and the keyboard reaches all", async (t) => {
  const page = await visit(t);
  await drop(page, "long.json", JSON.stringify(conversation(300)));
  await page.getByTestId("tokens-after").waitFor();
  await set(page, "Context window", 1_000_000, "800,000");
  await page.getByRole("button", { name: /^the view 1,201/ }).waitFor();
  assert.ok((await page.locator(".virtual-row").count()) < 40);
  await page.locator(".row-open").first().focus();
  await page.keyboard.press("ArrowDown");
  await page.locator('.virtual-row[aria-posinset="2"]:focus-within').waitFor();
  await page.keyboard.press("End");
  const last = page.locator('.virtual-row[aria-posinset="1201"]:focus-within');
  await last.waitFor();
  assert.match(await last.textContent(), /It rained 299 mm/);
});

test("on a phone nothing is wider than the screen", async (t) => {
  const page = await visit(t, { viewport: { width: 390, height: 844 }, isMobile: true });
  const width = () => page.evaluate(() => document.documentElement.scrollWidth);
  assert.equal(await width(), 390);
  await openSample(page);
  assert.equal(await width(), 390);
});

// The timeline: pointer, buttons and keyboard select a range of calls; each call has its note.

import assert from "node:assert/strict";
import { test } from "node:test";
import { openSample, visit } from "../support/page.mjs";

const ends = (page) => page.locator(".timeline-ends").textContent();

test("dragging selects a range of calls, and the buttons zoom in and out", async (t) => {
  const page = await visit(t);
  await openSample(page);
  assert.equal(await ends(page), "call 1call 95");
  const all = await page.locator(".timeline-all").boundingBox();
  const at = (share) => [all.x + all.width * share, all.y + all.height / 2];
  await page.mouse.move(...at(0.205));
  await page.mouse.down();
  await page.mouse.move(...at(0.3));
  await page.mouse.move(...at(0.405));
  await page.mouse.up();
  await page.locator(".timeline-ends").filter({ hasText: "call 2020 of 95 callscall 39" }).waitFor();
  await page.getByTestId("call").filter({ hasText: "Call 20 of 95" }).waitFor();
  await page.locator(".timeline-window").waitFor();

  // A position in the chart is now one of these calls.
  const chart = await page.locator(".timeline-chart").boundingBox();
  await page.mouse.click(chart.x + chart.width * 0.99, chart.y + chart.height / 2);
  await page.getByTestId("call").filter({ hasText: "Call 39 of 95" }).waitFor();
  await page.getByRole("button", { name: "Zoom in" }).click();
  assert.match(await ends(page), /10 of 95 calls/);
  await page.getByRole("button", { name: "Zoom out" }).click();
  assert.match(await ends(page), /20 of 95 calls/);
  await page.getByRole("button", { name: "All calls" }).click();
  assert.equal(await ends(page), "call 1call 95");
  assert.equal(await page.locator(".timeline-window").count(), 0);
});

test("the keyboard zooms, pans, and moves beyond the shown range", async (t) => {
  const page = await visit(t);
  await openSample(page);
  await page.getByRole("slider", { name: "Call", exact: true }).focus();
  await page.keyboard.press("Home");
  for (let i = 0; i < 3; i++) await page.keyboard.press("+");
  assert.equal(await ends(page), "call 112 of 95 callscall 12");
  for (let i = 0; i < 12; i++) await page.keyboard.press("ArrowRight");
  await page.getByTestId("call").filter({ hasText: "Call 13 of 95" }).waitFor();
  assert.equal(await ends(page), "call 212 of 95 callscall 13");
  await page.keyboard.press("-");
  assert.match(await ends(page), /24 of 95 calls/);
  await page.keyboard.press("0");
  assert.equal(await ends(page), "call 1call 95");
});

test("each call has a note with its tokens by part, shown under the pointer and at the keyboard's position", async (t) => {
  const page = await visit(t);
  await openSample(page);
  const chart = await page.locator(".timeline-chart").boundingBox();
  await page.mouse.move(chart.x + chart.width / 2, chart.y + chart.height / 2);
  const note = page.locator(".call-note");
  await note.filter({ hasText: "Call 48 ·" }).waitFor();
  const text = await note.locator("b").textContent();
  const tokens = Number(/· ([\d,]+) tokens/.exec(text)[1].replaceAll(",", ""));
  const parts = (await note.locator("li span").allTextContents()).map((part) => Number(part.replaceAll(",", "")));
  assert.equal(parts.reduce((a, b) => a + b, 0), tokens);
  await page.mouse.move(0, 0);
  await note.waitFor({ state: "detached" });
  await page.getByLabel("Ladder").focus();
  for (let i = 0; i < 40 && !(await page.locator(".timeline-scrubber:focus").count()); i++) await page.keyboard.press("Tab");
  await page.keyboard.press("Home");
  await note.filter({ hasText: "Call 1 ·" }).waitFor();
});

test("folds, trims and prompt cache breaks are marked, and the buttons go from one to the next", async (t) => {
  const page = await visit(t);
  await openSample(page);
  const said = page.getByTestId("call");
  for (const kind of ["fold", "trim", "break"]) assert.ok((await page.locator(`.timeline-${kind}`).count()) > 0, kind);
  await page.getByRole("slider", { name: "Call", exact: true }).fill("0");
  await said.filter({ hasText: "Call 1 of 95" }).waitFor();
  const folds = await page.locator(".timeline-fold").count();
  for (let i = 0; i < folds; i++) {
    await page.getByRole("button", { name: "Next fold →" }).click();
    await said.filter({ hasText: /summarize/ }).waitFor();
  }
  assert.ok(await page.getByRole("button", { name: "Next fold →" }).isDisabled());
  const last = await said.locator("strong").textContent();
  await page.getByRole("button", { name: "← Change before" }).click();
  await said.filter({ hasNotText: last }).filter({ hasNotText: "nothing had to be done" }).waitFor();
});

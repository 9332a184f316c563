// Changes at a call, undo and redo, and a session that a provider would refuse.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Recording, check, repair } from "contextfold";
import { SAMPLE, conversation, drop, figure, openSample, set, visit } from "../support/page.mjs";

/** A replay of the sample with the page's initial settings. */
function replayOfSample(t) {
  const recording = new Recording("openai-responses", JSON.parse(readFileSync(SAMPLE, "utf8")));
  const replay = recording.replay({ contextWindow: 32_000, ladder: "contextfold", compaction: { thresholdRatio: 0.8, retainLastTurns: 1 } });
  while (replay.advance(64));
  t.after(() => (replay.free(), recording.free()));
  return replay;
}

test("changes at a call: each message with its reason, the diff of the provider's JSON, and the summary with its ledger", async (t) => {
  const replay = replayOfSample(t);
  const { calls, compactions } = replay.run();
  const fold = compactions.asked[0].call;
  const page = await visit(t);
  await openSample(page);
  await page.getByRole("slider", { name: "Call", exact: true }).fill(String(fold));
  const changes = page.getByTestId("changes");
  await changes.filter({ hasText: `against the view at call ${fold}` }).waitFor();
  await changes.locator(".chip", { hasText: "a summary in their place" }).waitFor();

  // The chips count the messages that differ between the two views.
  const [before, after] = [replay.sessionAt(fold - 1), replay.sessionAt(fold)];
  t.after(() => (before.free(), after.free()));
  const out = (session) => new Map(session.leftOut().map((line) => [line.id, line.state]));
  const [was, is] = [out(before), out(after)];
  const inView = new Set(after.items().map(({ id }) => id));
  const folded = [...is].filter(([id, state]) => state === "folded" && was.get(id) !== "folded" && !inView.has(id)).length;
  const chip = changes.locator(".chip", { hasText: "folded" });
  assert.equal(Number((await chip.locator("span").textContent()).replaceAll(",", "")), folded);
  await chip.click();
  const reasons = await changes.locator(".change-list li").allTextContents();
  assert.equal(reasons.length, folded);
  for (const reason of reasons) assert.match(reason, /folded [\d,]+ → 0 tokens: .+ \((summarize|even_cut)\)/);

  // The diff leads from one view to the other: the numbers of added and removed lines match.
  const linesOf = (session) => session.view("openai-responses").input.flatMap((entry) => JSON.stringify(entry, null, 2).replace(/(?<!\\)((?:\\\\)*)\\n/g, "$1\n").split("\n")).length;
  const summary = changes.locator("summary", { hasText: "Line by line, as OpenAI Responses takes it" });
  const [more, fewer] = (await summary.textContent()).match(/\d[\d,]*/g).map((text) => Number(text.replaceAll(",", "")));
  assert.equal(more - fewer, linesOf(after) - linesOf(before));
  await summary.click();
  assert.ok((await changes.locator(".diff span").count()) < 1_000);
  await changes.locator(".diff-new").first().waitFor();
  await changes.locator(".diff-gone").first().waitFor();

  await changes.locator("summary", { hasText: "The summary as the model reads it" }).click();
  const text = await changes.locator(".summary-text").textContent();
  const newest = after.folds().filter(({ in_view }) => in_view).at(-1);
  assert.equal(text, after.lower().find(({ id }) => id === newest.id).content);
  assert.equal(await changes.locator(".summary-ledger").textContent(), newest.ledger);
  assert.ok(calls[fold].decisions.length > 0);
});

test("a call at which only messages were added says so, and the first one has nothing before it", async (t) => {
  const page = await visit(t);
  await openSample(page);
  const scrubber = page.getByRole("slider", { name: "Call", exact: true });
  await scrubber.fill("2");
  const changes = page.getByTestId("changes");
  await changes.filter({ hasText: "against the view at call 2" }).waitFor();
  assert.deepEqual((await changes.locator(".chip").allTextContents()).map((text) => text.replace(/\d+$/, "").trim()), ["new since then"]);
  await scrubber.fill("0");
  await changes.filter({ hasText: "the first view" }).waitFor();
});

test("undo and redo: settings, pins, and manually opened folds, step by step", async (t) => {
  const page = await visit(t);
  await openSample(page);
  const undo = page.getByRole("button", { name: "Undo" });
  const redo = page.getByRole("button", { name: "Redo" });
  assert.ok(await undo.isDisabled());
  const folded = await figure(page, "tokens-after");
  const newest = await page.locator(".virtual-row:has(.row-summary)").first().getAttribute("data-key");
  const summary = page.locator(`.virtual-row[data-key="${newest}"]`);
  await page.locator(".row-summary").getByRole("button", { name: "unfold" }).first().click();
  await summary.waitFor({ state: "detached" });
  const unfolded = await figure(page, "tokens-after");
  // A nested fold is a summary in the view again, and can be unfolded too.
  const summaries = page.locator(".row-summary");
  let within = 0;
  for (let left = await summaries.count(); left > 0; within++) {
    const before = await figure(page, "tokens-after");
    await summaries.getByRole("button", { name: "unfold" }).first().click();
    while ((await figure(page, "tokens-after")) === before) await page.waitForTimeout(20);
    left = await summaries.count();
  }
  assert.ok(within > 0);
  assert.ok((await figure(page, "tokens-after")) > unfolded);
  await set(page, "Context window", 64_000, "51,200");

  assert.match(await undo.getAttribute("title"), /^Undo: the context window/);
  await undo.click();
  await page.getByTestId("threshold").filter({ hasText: "25,600" }).waitFor();
  await page.locator('.results[aria-busy="false"]').waitFor();
  assert.equal(await page.locator(".row-summary").count(), 0, "all folds are open again");
  await page.locator("h1").click();
  for (let n = 0; n < within; n++) {
    const before = await figure(page, "tokens-after");
    await page.keyboard.press("ControlOrMeta+z");
    while ((await figure(page, "tokens-after")) === before) await page.waitForTimeout(20);
  }
  assert.equal(await figure(page, "tokens-after"), unfolded);
  await page.keyboard.press("ControlOrMeta+z");
  await summary.waitFor();
  assert.equal(await figure(page, "tokens-after"), folded);
  assert.ok(await undo.isDisabled());
  await page.keyboard.press("ControlOrMeta+Shift+z");
  await summary.waitFor({ state: "detached" });
  assert.equal(await figure(page, "tokens-after"), unfolded);
  for (let n = 0; n <= within; n++) await redo.click();
  await page.getByTestId("threshold").filter({ hasText: "51,200" }).waitFor();
  assert.ok(await redo.isDisabled());
});

test("a session that its provider would refuse shows what is wrong, and can be repaired and opened", async (t) => {
  const page = await visit(t);
  const broken = [{ role: "tool", tool_call_id: "nobody", content: "an output without its call" }, ...conversation(2)];
  const errors = check("openai-chat", broken).filter(({ severity }) => severity === "error");
  const { changes } = repair("openai-chat", broken);
  assert.ok(errors.length > 0 && changes.length > 0);
  await drop(page, "orphan.json", JSON.stringify(broken));
  const alert = page.getByRole("alert");
  await alert.locator(".broken").waitFor();
  const told = await alert.locator(".broken li").allTextContents();
  assert.deepEqual(told, errors.map(({ rule, index, message }) => `entry ${index}: ${message} ${rule}`));
  await page.getByRole("button", { name: "Repair and open" }).click();
  await page.locator(".facts").filter({ hasText: "orphan.json" }).waitFor();
  await page.getByTestId("tokens-after").waitFor();
  assert.equal(await alert.count(), 0);
  const notes = await page.locator(".notes li").allTextContents();
  assert.deepEqual(notes, changes.map(({ index, rule, what }) => `Repaired: entry ${index}: ${what} (${rule})`));
});

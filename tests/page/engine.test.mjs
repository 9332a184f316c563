// What the page shows of a session is what the engine decides.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { Recording, presets } from "contextfold";
import { readTranscript } from "contextfold/transcript";
import { folder as dataFolder } from "../support/data.mjs";
import { SAMPLE, figure, openSample, set, visit } from "../support/page.mjs";

/** The page's default settings. */
const AS_SET = { compaction: { thresholdRatio: 0.8, retainLastTurns: 1 } };

/** Transcripts for which the page is compared with the engine: the sample, and recorded sessions if available. */
const RECORDED = [SAMPLE, ...["pi-large-session", "pi-large-session-clean"].map((name) => join(dataFolder, `long-sessions/badlogic+pi-mono/${name}.anthropic.json`))];

/** That many elements of a list, evenly spread from start to end. */
const spread = (list, most) => (list.length <= most ? list : Array.from({ length: most }, (_, i) => list[Math.floor((i * list.length) / most)]));

/** The timeline's text for a call is what the replay recorded: for calls before which something was decided, and some others. */
async function callsAreTold(page, calls, preset) {
  const all = [...calls.keys()];
  const most = calls.length < 100 ? 40 : 10; // each redraws the whole page
  const looked = [...spread(all.filter((call) => calls[call].decisions.length > 0), most), ...spread(all.filter((call) => calls[call].decisions.length === 0), most / 5)];
  const told = await page.evaluate(async (looked) => {
    const scrubber = document.querySelector(".timeline-scrubber");
    const told = [];
    for (const call of looked) {
      scrubber.value = String(call);
      scrubber.dispatchEvent(new InputEvent("input", { bubbles: true }));
      await new Promise((drawn) => setTimeout(drawn));
      told.push([...document.querySelectorAll("[data-testid=call] > *")].map((each) => each.textContent));
    }
    return told;
  }, looked);
  const counted = (n) => n.toLocaleString("en");
  for (const [at, call] of looked.entries()) {
    const { tokens, decisions } = calls[call];
    const [title, sent, ...rest] = told[at];
    assert.equal(title, `Call ${counted(call + 1)} of ${counted(calls.length)}`);
    assert.equal(sent, `${counted(tokens)} tokens`, `${preset}, ${title}`);
    const decided = decisions.map(({ pass, items }) => `${pass} ${counted(items.length)} message${items.length === 1 ? "" : "s"}`).join(", ");
    assert.ok(rest.includes(decided || "nothing had to be done"), `${preset}, ${title}: ${rest.join("; ")}, not ${decided}`);
  }
}

for (const path of RECORDED)
  test(`every message has one row, and decisions and sums are the engine's: ${basename(path)}`, { skip: existsSync(path) ? false : "the recorded session is not there" }, async (t) => {
    const text = readFileSync(path, "utf8");
    const { format, items, body } = readTranscript(text);
    const recording = new Recording(format, body ?? items, { tools: body?.tools ?? [] });
    t.after(() => recording.free());
    const page = await visit(t);
    await page.locator('input[type="file"]').setInputFiles({ name: "session.json", mimeType: "application/json", buffer: Buffer.from(text) });
    await page.getByTestId("tokens-after").waitFor();
    await page.locator(".facts").filter({ hasText: "session.json" }).waitFor();
    await set(page, "Context window", 32_000, "25,600");
    const scrubber = page.getByRole("slider", { name: "Call", exact: true });
    for (const preset of Object.keys(presets)) {
      await page.getByLabel("Ladder").selectOption(preset);
      await page.locator('.results[aria-busy="false"]').waitFor();
      const replay = recording.replay({ contextWindow: 32_000, ladder: preset, ...AS_SET });
      while (replay.advance(64));
      const { calls } = replay.run();
      await callsAreTold(page, calls, preset);
      await page.locator('.results[aria-busy="false"]').waitFor(); // on a slow machine, it may still draw those calls
      const busiest = calls.reduce((most, call, at) => (call.decisions.length > calls[most].decisions.length ? at : most), 0);
      for (const call of [busiest, Math.floor(calls.length / 2), calls.length]) {
        const session = replay.sessionAt(call);
        await scrubber.fill(String(call));
        await page.locator(".messages").filter({ hasText: call < calls.length ? `the view at call ${call + 1} of` : "the view after the last answer" }).waitFor();
        const where = `${preset}, call ${call}`;
        const chips = Object.fromEntries(await page.locator(".messages .chip").evaluateAll((all) => all.map((chip) => [chip.firstChild.nodeType === 3 ? chip.firstChild.data.trim() : chip.childNodes[1].data.trim(), Number(chip.querySelector("span").textContent.replaceAll(",", ""))])));
        const { "the view": inView, "all that went in": all, summary = 0, ...fates } = chips;
        assert.equal(all, session.messages.length, where);
        assert.equal(Object.values(fates).reduce((a, b) => a + b, 0), all, `${where}: each has one fate`);
        assert.equal(inView, session.items().length, where);
        assert.equal(fates.dropped ?? 0, session.leftOut().filter(({ state }) => state === "dropped").length, where);

        const decisions = call < calls.length ? calls[call].decisions : session.report.decisions;
        const told = await page.locator(".decisions .decision-head").evaluateAll((all) => all.map((head) => [head.querySelector("code").textContent, Number(/→ ([\d,]+) tokens/.exec(head.textContent)[1].replaceAll(",", ""))]));
        assert.deepEqual(told, decisions.map(({ pass, tokens_after }) => [pass, tokens_after]), where);

        assert.equal(await figure(page, "tokens-after"), session.tokens, where);
        const parts = await page.locator(".bars .legend td:nth-child(2)").allTextContents();
        assert.equal(parts.reduce((sum, text) => sum + Number(text.replaceAll(",", "")), 0), session.tokens, where);
        session.free();
      }
      replay.free();
    }
  });

test("four settings side by side, with the best of each column marked, and a row can be opened", async (t) => {
  const page = await visit(t);
  await openSample(page);
  await page.getByRole("button", { name: "Compare four settings" }).click();
  await page.getByText("★ is the best of its column").waitFor();
  const table = page.locator(".compare-table");
  const rows = await table.locator("tbody tr").evaluateAll((all) => all.map((row) => [row.querySelector("select").value, ...[...row.querySelectorAll("td")].map((cell) => cell.firstChild?.textContent)]));
  assert.deepEqual(rows.map(([preset]) => preset), ["contextfold", "rolling", "spec", "selective"]);
  const recording = new Recording("openai-responses", JSON.parse(readFileSync(SAMPLE, "utf8")));
  t.after(() => recording.free());
  const { runs } = recording.simulate({ contextWindow: 32_000, ...AS_SET, priceAs: "gpt-5", presets: rows.map(([preset]) => preset) });
  const bills = runs.map((run) => `$${run.cost.toFixed(2)}`);
  assert.deepEqual(rows.map((cells) => cells[2]), bills);
  assert.deepEqual(rows.map((cells) => Number(cells[5])), runs.map((run) => run.compactions.count));
  const least = Math.min(...runs.map((run) => run.cost));
  const best = await table.locator("tbody tr td:nth-child(3)").evaluateAll((all) => all.map((cell) => cell.classList.contains("compare-best")));
  assert.deepEqual(best, runs.map((run) => run.cost === least));
  await page.getByLabel("Window of line 2").selectOption("64000");
  await page.getByText("★ is the best of its column").waitFor();
  await page.getByRole("button", { name: "Look into it: line 2" }).click();
  await page.waitForFunction(() => /preset=rolling&window=64000/.test(location.hash));
});

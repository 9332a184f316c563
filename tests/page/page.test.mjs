// The built page, driven in Chromium.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { basename, join } from "node:path";
import { test } from "node:test";
import { Recording, presets } from "contextfold";
import { readTranscript } from "contextfold/transcript";
import { root } from "../../scripts/lib/paths.mjs";
import { folder as dataFolder } from "../support/data.mjs";
import { SAMPLE, built, conversation, drop, figure, openSample, set, visit } from "../support/page.mjs";
import { serve } from "../support/serve.mjs";

/** A made-up Claude Code session file. */
function claudeSession() {
  const line = (uuid, parentUuid, type, message) => ({ parentUuid, isSidechain: false, sessionId: "s", type, message, uuid });
  return [line("1", null, "user", { role: "user", content: "Hello" }), line("2", "1", "assistant", { id: "m", role: "assistant", content: [{ type: "text", text: "Hi." }] })].map((value) => JSON.stringify(value)).join("\n");
}

/** The same with sub-agents: two that were called by name, and one that was not. */
function claudeWithHelpers() {
  const lines = [];
  let last = null;
  const say = (type, message, more = {}) => {
    const uuid = `u${lines.length}`;
    lines.push(JSON.stringify({ parentUuid: last, isSidechain: false, sessionId: "s", type, message, uuid, ...more }));
    last = uuid;
  };
  const helper = (prompt, more) => {
    const main = last;
    last = null;
    say("user", { role: "user", content: prompt }, { isSidechain: true, ...more });
    say("assistant", { id: `m${lines.length}`, role: "assistant", content: [{ type: "text", text: "It is fine." }] }, { isSidechain: true, ...more });
    last = main;
  };
  say("user", { role: "user", content: "Look through the parser." });
  for (const [name, prompt] of [["Explore", "Read src/parser.rs"], ["Reviewer", "Review src/parser.rs"]]) {
    say("assistant", { id: `m${lines.length}`, role: "assistant", content: [{ type: "tool_use", id: `toolu_${name}`, name: "Task", input: { subagent_type: name, description: "the parser", prompt } }] });
    helper(prompt, { agentId: name });
    say("user", { role: "user", content: [{ type: "tool_result", tool_use_id: `toolu_${name}`, content: "It is fine." }] });
  }
  helper("Who are you?", {});
  say("assistant", { id: "end", role: "assistant", content: [{ type: "text", text: "All is fine." }] });
  return lines.join("\n");
}

/** A made-up Codex rollout. */
function codexRollout() {
  const line = (type, payload) => JSON.stringify({ timestamp: "2026-01-01T00:00:00Z", type, payload });
  return [line("session_meta", { id: "s", instructions: "Be brief." }), line("response_item", { type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }] })].join("\n");
}

test("the page's program type-checks", () => {
  const { stdout, status } = spawnSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "--project", join(root, "www")], { encoding: "utf8" });
  assert.equal(stdout, "");
  assert.equal(status, 0);
});

test("the sample's summary: format, size, turns, tools, language; and it ends below its threshold", async (t) => {
  const page = await visit(t);
  await openSample(page);
  const facts = await page.locator(".facts").textContent();
  for (const fact of ["OpenAI Responses, a list", "846 KiB", "in 4 turns", "95 model calls", "read_file ×75", "English"]) assert.ok(facts.includes(fact), fact);
  const [before, after, threshold] = [await figure(page, "tokens-before"), await figure(page, "tokens-after"), await figure(page, "threshold")];
  assert.ok(after <= threshold && threshold < before, `${before} → ${after}, threshold ${threshold}`);
  await page.locator(".verdict").filter({ hasText: /^Fits/ }).waitFor();
  assert.match(await page.getByTestId("engine-ms").textContent(), /^[\d.,]+ ms$/);

  // The table adds up to the figure above it.
  const parts = await page.locator(".bars .legend td:nth-child(2)").allTextContents();
  assert.equal(parts.reduce((sum, text) => sum + Number(text.replaceAll(",", "")), 0), after);
});

test("the page starts with the result: the sample is open, with the settings and the call of the address", async (t) => {
  const page = await visit(t, { at: "" });
  await page.locator(".verdict").filter({ hasText: /^Fits/ }).waitFor();
  await page.locator(".facts").filter({ hasText: "the sample" }).waitFor();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await set(page, "Context window", 64_000, "51,200");
  await page.getByLabel("Ladder").selectOption("rolling");
  const scrubber = page.getByRole("slider", { name: "Call", exact: true });
  await scrubber.fill("11");
  await page.getByTestId("call").filter({ hasText: "Call 12 of 95" }).waitFor();
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.getByText("Copied.").waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(link, /#preset=rolling&window=64000&threshold=0.8&turns=1&price=gpt-5&call=12$/);
  const other = await visit(t, { at: new URL(link).hash });
  await other.getByTestId("call").filter({ hasText: "Call 12 of 95" }).waitFor();
  assert.equal(await other.getByLabel("Ladder").inputValue(), "rolling");
  assert.equal(await other.getByTestId("tokens-after").textContent(), await page.getByTestId("tokens-after").textContent());

  // Invalid parts of an address are ignored; a link for another file asks for that file.
  const wrong = await visit(t, { at: "#preset=none&window=-3&threshold=x&call=1e99" });
  await wrong.getByTestId("threshold").filter({ hasText: "25,600" }).waitFor();
  await drop(page, "mine.json", JSON.stringify(conversation(3)));
  await page.locator(".facts").filter({ hasText: "mine.json" }).waitFor();
  await page.waitForFunction(() => location.hash.startsWith("#own="));
  assert.ok(!page.url().includes("mine"), "nothing of the file is in the address");
});

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

test("a dropped message shows the pass, the call, the reason, and how it comes back", async (t) => {
  const page = await visit(t);
  await openSample(page);
  await page.getByLabel("Ladder").selectOption("selective");
  await page.getByRole("button", { name: /^dropped \d/ }).click();
  const row = page.locator(".virtual-row").first();
  await row.filter({ hasText: /dropped by selective before call \d+: .+; a pin brings it back/ }).waitFor();
  const id = await row.getAttribute("data-key");
  await page.getByRole("button", { name: `Pin ${id}`, exact: true }).click();
  await page.locator(`.virtual-row[data-key="${id}"] .fate-kept`).waitFor();
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

test("the report is downloaded, and the copied code contains the settings", async (t) => {
  const page = await visit(t);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await openSample(page);
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download report" }).click()]);
  const report = readFileSync(await download.path(), "utf8");
  assert.match(report, /<title>the sample · contextfold simulate<\/title>/);
  await page.getByRole("button", { name: "Copy as command" }).click();
  await page.getByText("Copied.").waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "npx contextfold simulate session.json --preset contextfold --window 32000 --price-as gpt-5 --html report.html");
});

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

test("the timeline: scrubbed call by call with keyboard and pointer, with the view at that call next to it", async (t) => {
  const page = await visit(t);
  await openSample(page);
  const said = page.getByTestId("call");
  assert.match(await said.textContent(), /After the last answer/);
  const areas = await page.locator(".timeline-chart svg path").count();
  assert.ok(areas >= 5, `${areas} parts`);
  assert.ok((await page.locator(".timeline-fold").count()) >= 1);
  assert.equal(await page.locator(".timeline-line").count(), 2);
  const scrubber = page.getByRole("slider", { name: "Call", exact: true });
  await scrubber.focus();
  await page.keyboard.press("Home");
  await said.filter({ hasText: "Call 1 of 95" }).waitFor();
  await page.locator(".messages").filter({ hasText: "the view at call 1 of 95" }).waitFor();
  assert.equal(await page.locator(".virtual-row").count(), 2);
  const shown = Number(/^([\d,]+) tokens/.exec(await said.locator("span").first().textContent())[1].replaceAll(",", ""));
  assert.equal(await figure(page, "tokens-after"), shown);
  await page.keyboard.press("ArrowRight");
  await said.filter({ hasText: "Call 2 of 95" }).waitFor();
  const box = await page.locator(".timeline-plot").boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await said.filter({ hasText: "Call 48 of 95" }).waitFor();
  assert.match(await said.textContent(), /[\d,]+ from the cache, [\d,]+ written to it/);
  await page.locator(".messages").filter({ hasText: "the view at call 48 of 95" }).waitFor();
  const fold = await page.locator(".timeline-fold").first().boundingBox();
  await page.mouse.click(fold.x + 5, box.y + box.height / 2);
  await said.filter({ hasText: /[\d,]+ lost from it to (summarize|even_cut)/ }).waitFor();
  await page.locator(".decisions").filter({ hasText: /To the prompt cache it costs [\d,]+ tokens of input once, and is expected to save [\d,]+ in \d+ calls?/ }).waitFor();
});

test("a change of the settings redraws at once", async (t) => {
  const page = await visit(t);
  await openSample(page);
  const folded = await figure(page, "tokens-after");
  await set(page, "Context window", 128_000, "102,400");
  const trimmed = await figure(page, "tokens-after");
  assert.ok(trimmed > folded && trimmed <= 102_400, `${folded}, then ${trimmed}`);
  assert.equal(await page.locator(".timeline-fold").count(), 0);
  await set(page, "Threshold", 0.5, "64,000");

  const outputs = page.locator(".bars .legend tr", { hasText: "Tool outputs" }).locator("td").first();
  const automatic = await outputs.textContent();
  await page.getByLabel("no budget of my own").uncheck();
  await page.getByLabel("Tool outputs", { exact: true }).fill("3000");
  await page.keyboard.press("Tab");
  await outputs.filter({ hasNotText: automatic }).waitFor();
  assert.ok((await figure(page, "tokens-after")) < trimmed);

  // The slider does the same as the number field, and so does another ladder.
  await page.getByLabel("Context window, slider").focus();
  await page.keyboard.press("ArrowRight");
  await page.getByTestId("threshold").filter({ hasText: "80,000" }).waitFor();
  await page.getByLabel("Ladder").selectOption("rolling");
  await page.getByTestId("threshold").filter({ hasText: "50,001" }).waitFor();

  // Of many quick moves the last one counts, and nothing is shown of the overtaken ones.
  await page.getByLabel("Ladder").selectOption("contextfold");
  await page.getByLabel("Context window, slider").focus();
  for (let i = 0; i < 12; i++) await page.keyboard.press("ArrowLeft");
  await page.getByTestId("threshold").filter({ hasText: /^4,000$/ }).waitFor(); // of 160,000, twelve stops down: 8,000
  await page.locator('.results[aria-busy="false"]').waitFor();
  assert.equal(await page.getByRole("alert").count(), 0);
  assert.match(await page.getByTestId("facts").textContent(), /^\d+(\.\d)? %$/);
});

test("text typed into a field stays while the page is redrawn", async (t) => {
  const page = await visit(t);
  await openSample(page);
  const field = page.getByLabel("Context window", { exact: true });
  await field.focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("64");
  // Redrawn for another reason: another call is selected, and its view arrives.
  await page.evaluate(() => {
    const scrubber = document.querySelector(".timeline-scrubber");
    scrubber.value = "3";
    scrubber.dispatchEvent(new InputEvent("input", { bubbles: true }));
  });
  await page.locator(".messages").filter({ hasText: "the view at call 4 of 95" }).waitFor();
  assert.equal(await field.inputValue(), "64");
  await page.keyboard.type("000");
  await page.keyboard.press("Enter");
  await page.getByTestId("threshold").filter({ hasText: "51,200" }).waitFor();
  assert.equal(await field.inputValue(), "64000");
});

test("a pinned message stays in the view", async (t) => {
  const page = await visit(t);
  await openSample(page);
  await page.getByRole("button", { name: /Show the \d+ folded messages/ }).click();
  await page.getByRole("button", { name: "Pin m3", exact: true }).first().click();
  await page.locator('.virtual-row[data-key="m3"] .fate-kept').waitFor();
  const pin = page.getByRole("button", { name: "Pin m3", exact: true });
  assert.equal(await pin.getAttribute("aria-pressed"), "true");
  await set(page, "Context window", 24_000, "19,200");
  await page.getByRole("button", { name: /^kept/ }).click();
  await page.locator('.virtual-row[data-key="m3"] .fate-kept').waitFor();
  assert.match(await page.locator(".code").textContent(), /session\.pin\("m3"\)/);
  await pin.click();
  await page.locator('.virtual-row[data-key="m3"] .fate-kept').waitFor({ state: "detached" });
});

test("money: as recorded and under these settings, at the price of the chosen model", async (t) => {
  const page = await visit(t);
  await openSample(page);
  const dollars = async (id) => Number((await page.getByTestId(id).textContent()).replace("$", ""));
  const [recorded, now] = [await dollars("cost-recorded"), await dollars("cost")];
  assert.ok(now > 0 && now < recorded, `${now} instead of ${recorded}`);
  await page.getByLabel("Priced as").selectOption("claude-sonnet-4-5");
  await page.locator(".money").filter({ hasText: /list price of claude-sonnet-4-5 in \d{4}-\d\d/ }).waitFor();
  assert.ok((await dollars("cost-recorded")) > recorded);
  assert.match(await page.locator(".money").textContent(), /the cache was broken by \w+ before \d+ calls? \([\d,]+ tokens\)/);
  await page.getByLabel("Priced as").selectOption("");
  await page.getByText("Choose a model under “Priced as”").waitFor();
});

test("changes at a call: those of the selected call, by kind, and the keyboard leads from it to each message or its fold", async (t) => {
  const page = await visit(t);
  await openSample(page);
  const scrubber = page.getByRole("slider", { name: "Call", exact: true });
  const changes = page.getByTestId("changes");
  const list = changes.locator(".change-list");
  const messages = page.locator(".messages");
  const folded = changes.getByRole("button", { name: /^folded \d/ });
  const inner = list.getByRole("button", { name: /^fold_/ });
  for (let call = 1; call < 90 && (await inner.count()) === 0; call++) {
    await scrubber.fill(String(call)); // until a second fold includes the first one
    await changes.filter({ hasText: `against the view at call ${call}` }).waitFor();
    if ((await folded.count()) && (await folded.getAttribute("aria-pressed")) !== "true") await folded.click();
  }
  assert.ok((await list.locator("li").allTextContents()).every((text) => text.includes("folded")));

  // One stop for the Tab key; then the arrow keys. A folded message has no row of its own, but its fold has one.
  assert.equal(await list.locator('[tabindex="0"], button:not([tabindex])').count(), 1);
  await messages.getByLabel("Search all messages").fill("no such text anywhere");
  await messages.locator("[role=status]").filter({ hasText: "0 messages" }).waitFor();
  await changes.getByRole("button", { name: /^folded \d/ }).focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), await list.locator("button").nth(1).textContent());
  await page.keyboard.press("Enter");
  await page.locator(".virtual-row:focus-within .row-summary").waitFor();
  assert.ok((await inner.count()) > 0);
  await page.evaluate(() => document.activeElement.blur());
  await inner.first().click();
  await page.locator(".virtual-row:focus-within .row-summary").waitFor();
  await messages.getByRole("button", { name: /^▸ Show the/ }).click();
  await list.getByRole("button", { name: /^m\d/ }).first().click();
  await page.locator(".virtual-row:focus-within .row-folded").waitFor();

  // Another call: nothing of the previous one is shown, and a kind that it lacks is not selected.
  const stale = await page.evaluate(async () => {
    const scrubber = document.querySelector(".timeline-scrubber");
    scrubber.value = "1";
    scrubber.dispatchEvent(new InputEvent("input", { bubbles: true }));
    while (!document.querySelector("#changes-title").textContent.includes("call 2 ")) await new Promise((drawn) => setTimeout(drawn, 1));
    return document.querySelector(".change-list").checkVisibility({ visibilityProperty: true });
  });
  assert.equal(stale, false);
  await changes.filter({ hasText: "against the view at call 1" }).waitFor();
  assert.equal(await changes.getByRole("button", { name: /^folded \d/ }).count(), 0);
  assert.ok((await list.locator("li").count()) > 0);
});

test("the graph of folds: a fold is above what it folded, with nested folds below it, and it links to its summary", async (t) => {
  const page = await visit(t);
  await openSample(page);
  const graph = page.locator(".graph");
  const folds = await graph.locator(".graph-fold").count();
  assert.ok(folds >= 2);
  const words = (await graph.locator("text").allTextContents()).filter((text) => text.startsWith("fold_")).map((text) => /^(fold_\d+): (\d+) messages, [\d,]+ → [\d,]+ tokens$/.exec(text));
  assert.equal(words.length, folds);
  const [outer, inner] = words;
  assert.ok(Number(outer[2]) > Number(inner[2]), `${outer[0]} holds ${inner[0]}`);
  const heights = await graph.locator("rect.graph-dot").evaluateAll((all) => [...new Set(all.map((dot) => Number(dot.getAttribute("y")) + Number(dot.getAttribute("height")) / 2))].sort((a, b) => a - b));
  assert.equal(heights.length, folds + 1, "the view, what is folded, and what was folded before that");
  await graph.locator("rect.role-summary").first().click();
  await page.locator(".virtual-row:focus-within .row-summary").waitFor();
});

test("the graph of lanes: sub-agents are next to the main lane, and the arrow keys reach all of it", async (t) => {
  const page = await visit(t);
  await drop(page, "helpers.jsonl", claudeWithHelpers());
  await page.getByTestId("tokens-after").waitFor();
  const graph = page.locator(".graph");
  assert.match(await graph.locator(".panel-head p").textContent(), /3 sub-agents’ lanes/);
  const lanes = await graph.locator(".graph-pill").evaluateAll((all) => all.map((each) => each.getAttribute("aria-label")));
  assert.match(lanes[0], /^Explore: the parser: a sub-agent’s lane, 2 messages, \d+ tokens, called by m2$/);
  assert.match(lanes[1], /^Reviewer: the parser: .*called by m4$/);
  assert.match(lanes[2], /^sub-agent 3: a sub-agent’s lane, 2 messages, \d+ tokens$/);
  // One stop for the Tab key; then the arrow keys.
  assert.equal(await graph.locator('[tabindex="0"]').count(), 1);
  await graph.locator('[tabindex="0"]').focus();
  const focused = () => page.evaluate(() => document.activeElement.getAttribute("aria-label"));
  assert.match(await focused(), /^Explore/);
  for (let i = 0; i < 4 && !/^m\d/.test(await focused()); i++) await page.keyboard.press("ArrowDown");
  assert.match(await focused(), /^m\d+, /);
  await page.keyboard.press("Home");
  assert.match(await focused(), /^m1, user/);
  await page.keyboard.press("ArrowRight");
  assert.match(await focused(), /^m2, assistant/);
  await page.keyboard.press("Enter");
  await page.locator('.virtual-row[data-key="m2"]:focus-within').waitFor();
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

/** Stands in for Chrome's Summarizer and its Prompt API as documented; the calls made to them are in `window.asked`. */
function browserModel({ state, quota }) {
  window.asked = [];
  class Model extends EventTarget {
    static async availability(options) {
      window.asked.push(["availability", options]);
      return state;
    }
    static async create({ monitor, ...options }) {
      window.asked.push(["create", options, navigator.userActivation.isActive]);
      if (state === "unavailable") throw new DOMException("no such model", "NotSupportedError");
      if (state !== "available") {
        if (!navigator.userActivation.isActive) throw new DOMException("needs a user gesture", "NotAllowedError");
        const progress = new EventTarget();
        monitor(progress);
        for (const loaded of [0, 0.5, 1]) {
          progress.dispatchEvent(Object.assign(new Event("downloadprogress"), { loaded, total: 1 }));
          await new Promise((done) => setTimeout(done, 150));
        }
      }
      return new this();
    }
    inputQuota = quota;
    async summarize(text) {
      window.asked.push([this.constructor.name, text.length]);
      if (text.length > quota) throw new DOMException("too large", "QuotaExceededError");
      return "<summary>The browser’s own model says: all is well, and the tests pass.</summary>";
    }
    prompt(text) {
      return this.summarize(text);
    }
    destroy() {
      window.asked.push(["destroy"]);
    }
  }
  Object.assign(window, { Summarizer: class Summarizer extends Model {}, LanguageModel: class LanguageModel extends Model {} });
}

for (const [state, who] of [["available", "prompt"], ["downloadable", "summarizer"], ["downloading", "prompt"]])
  test(`the browser's own model summarises: ${who}, ${state}`, async (t) => {
    const page = await visit(t, { first: `(${browserModel})(${JSON.stringify({ state, quota: 1e9 })})` });
    await openSample(page);
    await page.getByLabel("Who sums up").selectOption(who);
    await page.getByRole("button", { name: "Sum up the view at this call" }).click();
    if (state !== "available") await page.getByText("The browser fetches its model: 50 %").waitFor();
    await page.getByText("The summary stands in the view above.").waitFor();
    await page.locator(".row-summary").filter({ hasText: "The browser’s own model says" }).waitFor();
    const asked = await page.evaluate(() => window.asked);
    assert.deepEqual(asked.map(([what]) => what), ["availability", "create", who === "prompt" ? "LanguageModel" : "Summarizer", "destroy"]);
    assert.deepEqual(asked[0][1], asked[1][1], "what is asked for is what was said to be there");
    assert.equal(asked[1][2], true, "while the visitor's click is fresh");
  });

for (const [model, says] of [[{ state: "unavailable", quota: 1e9 }, /has none for this device/], [{ state: "available", quota: 10 }, /too long for this model, which takes 10 tokens/]])
  test(`the reason why the browser's model does not summarise is shown: ${says.source}`, async (t) => {
    const page = await visit(t, { first: `(${browserModel})(${JSON.stringify(model)})` });
    await openSample(page);
    await page.getByLabel("Who sums up").selectOption("summarizer");
    await page.getByRole("button", { name: "Sum up the view at this call" }).click();
    assert.match(await page.getByRole("alert").textContent(), says);
    assert.equal(await page.getByText("The browser fetches its model").count(), 0);
  });

test("a custom endpoint summarises in its own frame, and the settings are shown as code", async (t) => {
  const asked = [];
  const endpoint = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.on("end", () => {
      const cors = { "access-control-allow-origin": "*", "access-control-allow-headers": "content-type, authorization" };
      if (request.method === "OPTIONS") return response.writeHead(204, cors).end();
      asked.push({ path: request.url, key: request.headers.authorization, body: JSON.parse(body) });
      const text = "<summary>The endpoint says: all tests pass, and the rest is up to you.</summary>";
      response.writeHead(200, { ...cors, "content-type": "application/json" }).end(JSON.stringify({ choices: [{ message: { content: text } }] }));
    });
  });
  await new Promise((ready) => endpoint.listen(0, "127.0.0.1", ready));
  t.after(() => endpoint.close());
  const there = `http://127.0.0.1:${endpoint.address().port}/v1`;
  const page = await visit(t, { mayAsk: there });
  await openSample(page);
  await page.getByLabel("Who sums up").selectOption("endpoint");
  await page.getByText("The key stays in this page’s memory").waitFor();
  await page.getByLabel("Address").fill(there);
  await page.getByLabel("Model", { exact: true }).fill("tiny");
  await page.getByLabel("Key", { exact: true }).fill("sk-test");
  await page.getByRole("button", { name: "Sum up the view at this call" }).click();
  await page.getByText("The summary stands in the view above.").waitFor();
  assert.deepEqual(asked.map(({ path, key, body }) => [path, key, body.model]), [["/v1/chat/completions", "Bearer sk-test", "tiny"]]);
  await page.locator(".row-summary").filter({ hasText: "The endpoint says" }).waitFor();
  assert.equal(await page.locator("iframe").count(), 0);
  await page.getByLabel("Address").fill("http://127.0.0.1:1/v1");
  await page.getByRole("button", { name: "Sum up the view at this call" }).click();
  await page.getByRole("alert").filter({ hasText: "cannot be reached" }).waitFor();

  const code = await page.locator(".code").textContent();
  assert.match(code, /contextWindow: 32_000/);
});

test("settings under which nothing fits are reported", async (t) => {
  const page = await visit(t);
  await openSample(page);
  await page.getByLabel("Ladder").selectOption("ladder"); // its document cuts nothing within the last turn
  await set(page, "Context window", 500, "400");
  const alert = page.getByRole("alert");
  await alert.filter({ hasText: "CONTEXT_WINDOW_EXCEEDED" }).waitFor();
  await page.getByText("Does not fit").waitFor();
  await set(page, "Context window", 128_000, "102,400");
  assert.equal(await alert.count(), 0);
});

test("a placeholder opens its output from the cache, by line and by search", async (t) => {
  const page = await visit(t);
  await openSample(page);
  await set(page, "Context window", 128_000, "102,400");
  await page.getByLabel("no budget of my own").uncheck();
  await page.getByLabel("Tool outputs", { exact: true }).fill("3000");
  await page.keyboard.press("Tab");
  await page.getByRole("button", { name: /^placeholder/ }).click();
  const row = page.locator(".virtual-row").first();
  assert.match(await row.locator(".row-after").textContent(), /\[tool output trimmed: .+; ref=out_1\]/);
  await row.locator(".row-open").click({ position: { x: 5, y: 5 } });

  const lines = page.getByRole("dialog").locator(".line");
  await lines.first().waitFor();
  const output = JSON.parse(readFileSync(SAMPLE, "utf8")).find((item) => item.type === "function_call_output").output;
  assert.deepEqual(await lines.locator("code").allTextContents(), output.split("\n"));
  assert.equal(await lines.last().locator(".line-number").textContent(), String(output.split("\n").length));

  const wanted = output.split("\n").findIndex((line) => line.includes("Cargo.toml"));
  await page.getByRole("dialog").getByRole("searchbox").fill("^cargo\\.toml");
  await page.getByText("1 of 1 matching lines shown").waitFor();
  const match = page.locator(".line-match");
  assert.equal(await match.count(), 1);
  assert.equal(await match.locator(".line-number").textContent(), String(wanted + 1));
  await page.getByRole("dialog").getByRole("searchbox").fill("(");
  await page.getByRole("dialog").getByRole("alert").filter({ hasText: "INVALID_ARGUMENT" }).waitFor();
  await page.keyboard.press("Escape"); // clears the search box
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
});

test("a long output is read page by page", async (t) => {
  const page = await visit(t);
  const messages = conversation(1);
  messages[3].content = Array.from({ length: 1000 }, (_, i) => `entry ${i + 1}`).join("\n");
  await drop(page, "long-output.json", JSON.stringify(messages));
  await page.getByTestId("tokens-after").waitFor();
  await set(page, "Context window", 128_000, "102,400");
  await page.getByRole("button", { name: "Show m4, weather, kept" }).click({ position: { x: 5, y: 5 } });
  const lines = page.getByRole("dialog").locator(".line");
  for (const read of [400, 800]) {
    await page.getByRole("button", { name: `Read on from line ${read + 1}` }).waitFor();
    assert.equal(await lines.count(), read);
    await page.getByRole("button", { name: "Read on" }).click();
  }
  await lines.filter({ hasText: "entry 1000" }).waitFor();
  assert.equal(await lines.count(), 1000);
  assert.equal(await page.getByRole("button", { name: "Read on" }).count(), 0);
});

test("a search finds messages in the view and outside it, and marks which is which", async (t) => {
  const page = await visit(t);
  await openSample(page);
  await page.getByLabel("Search all messages").fill("Cargo.toml");
  const status = page.locator(".messages-search [role=status]");
  await status.filter({ hasText: /\d+ messages?, \d+ of them in the view/ }).waitFor();
  const [all, shown] = (await status.textContent()).match(/\d+/g).map(Number);
  assert.ok(all > shown && shown > 0, `${all}, ${shown} of them`);
  assert.equal(Number(await page.locator(".virtual-row").first().getAttribute("aria-setsize")), all);
  await page.getByLabel("Search all messages").fill("no such text anywhere");
  await status.filter({ hasText: "0 messages" }).waitFor();
});

test("a fold opens, and its contents link back to its summary", async (t) => {
  const page = await visit(t);
  await openSample(page);
  assert.equal(await page.locator(".row-folded").count(), 0);
  await page.getByRole("button", { name: /Show the \d+ folded messages/ }).click();
  await page.locator(".row-folded").first().waitFor();
  await page.locator(".row-folded").nth(3).getByRole("button", { name: "into the summary" }).click();
  const focused = page.locator(".virtual-row:focus-within .row-summary");
  await focused.waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByText(/Record of \d+ earlier messages/).waitFor();
});

test("unfolding a fold returns its messages to the view", async (t) => {
  const page = await visit(t);
  await openSample(page);
  const folded = await figure(page, "tokens-after");
  const newest = await page.locator(".virtual-row:has(.row-summary)").first().getAttribute("data-key");
  await page.locator(".row-summary").getByRole("button", { name: "unfold" }).first().click();
  await page.locator(`.virtual-row[data-key="${newest}"]`).waitFor({ state: "detached" });
  assert.ok((await figure(page, "tokens-after")) > folded);
  await page.getByRole("button", { name: "Fold again" }).click();
  await page.locator(`.virtual-row[data-key="${newest}"]`).waitFor();
  assert.equal(await figure(page, "tokens-after"), folded);
  assert.equal(await page.getByRole("button", { name: "Fold again" }).count(), 0);
});

test("the whole view is available as JSON", async (t) => {
  const page = await visit(t);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await openSample(page);
  await page.getByText("The view as JSON").click();
  await page.getByTestId("validity").filter({ hasText: "✓ valid: nothing that OpenAI Responses would refuse" }).waitFor();
  await page.getByRole("button", { name: /^Copy \d/ }).click();
  await page.getByText("Copied.").first().waitFor();
  const { input } = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
  const sample = JSON.parse(readFileSync(SAMPLE, "utf8"));
  assert.ok(input.length > 1 && input.length < sample.length);
  assert.deepEqual(input[0], sample[0]);
  assert.deepEqual(input.at(-1), sample.at(-1));
  for (const [format, name] of [["openai-chat", "Chat Completions"], ["anthropic", "Anthropic Messages"], ["ai-sdk", "AI SDK"], ["messages", "contextfold messages"]]) {
    await page.locator(".view-json select").selectOption(format);
    await page.getByTestId("validity").filter({ hasText: `✓ valid: nothing that ${name} would refuse` }).waitFor();
  }
});

test("dropped files of each shape and format are read", async (t) => {
  const page = await visit(t);
  const messages = conversation(3);
  const files = [
    ["lines.jsonl", messages.map((message) => JSON.stringify(message)).join("\n"), "Chat Completions, JSON lines"],
    ["body.json", JSON.stringify({ model: "m", messages, tools: [{ type: "function", function: { name: "weather" } }] }), "Chat Completions, a request body"],
    ["own.json", JSON.stringify([{ role: "user", content: "Hello", item_type: "USER_MESSAGE" }]), "contextfold messages, a list"],
    ["anthropic.json", JSON.stringify({ system: "Be brief.", messages: [{ role: "user", content: "Hello" }] }), "Anthropic Messages, a request body"],
    ["session.jsonl", claudeSession(), "Anthropic Messages, a Claude Code session file"],
    ["rollout.jsonl", codexRollout(), "OpenAI Responses, a Codex rollout"],
    ["responses.json", JSON.stringify({ instructions: "Be brief.", input: [{ role: "user", content: "Hello" }] }), "OpenAI Responses, a request body"],
  ];
  for (const [name, text, format] of files) {
    await drop(page, name, text);
    await page.locator(".facts").filter({ hasText: name }).filter({ hasText: format }).waitFor();
    await page.locator(".verdict").filter({ hasText: /^Fits/ }).waitFor();
    assert.equal(await page.getByRole("alert").count(), 0);
  }
});

test("a file dropped as soon as the page appears is accepted", async (t) => {
  const page = await visit(t, {
    first: `new MutationObserver((_, observer) => {
      if (!document.querySelector(".source h2")) return;
      observer.disconnect();
      const transfer = new DataTransfer();
      transfer.items.add(new File([${JSON.stringify(JSON.stringify(conversation(2)))}], "early.json"));
      document.querySelector("main").dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }).observe(document, { childList: true, subtree: true });`,
  });
  await page.getByTestId("tokens-after").waitFor();
});

/** Holds the sample's file back until it is released, with the server's answer given then. */
async function heldSample(page) {
  let letGo;
  const held = new Promise((resolve) => (letGo = resolve));
  await page.route("**/transcript.responses*", async (route) => ((await held) ? route.continue() : route.fulfill({ status: 500 })));
  await page.getByRole("button", { name: "Use the sample" }).click();
  return async (ok) => {
    const answered = page.waitForResponse("**/transcript.responses*");
    letGo(ok);
    await answered;
    await page.waitForTimeout(700); // long enough for it to be opened, if it were going to be
  };
}

test("a file dropped while the sample is fetched stays, and so does its message", async (t) => {
  const page = await visit(t);
  const letGo = await heldSample(page);
  await drop(page, "mine.json", JSON.stringify(conversation(2)));
  await page.locator(".facts").filter({ hasText: "mine.json" }).waitFor();
  await letGo(true);
  assert.match(await page.locator(".facts").textContent(), /mine\.json/);

  const other = await visit(t, { mayAsk: built.url }); // the server's answer is an error on purpose
  const fail = await heldSample(other);
  await drop(other, "cut.json", JSON.stringify(conversation(3)).slice(0, -30));
  await other.getByRole("alert").filter({ hasText: "cut.json" }).waitFor();
  await fail(false);
  assert.match(await other.getByRole("alert").textContent(), /cut\.json/);
  await other.getByRole("button", { name: "Read the 12 entries that can be read" }).click();
  await other.locator(".facts").filter({ hasText: "cut.json" }).waitFor();
});

test("fetching the sample can be cancelled", async (t) => {
  const page = await visit(t);
  const letGo = await heldSample(page);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("progressbar", { name: "Progress" }).waitFor({ state: "detached" });
  await letGo(true);
  assert.equal(await page.locator(".facts").count(), 0);
  await page.unrouteAll();
  await openSample(page);
});

test("a broken file shows what is wrong and where; the previous file stays", async (t) => {
  const page = await visit(t);
  await drop(page, "good.json", JSON.stringify(conversation(2)));
  await page.locator(".facts").filter({ hasText: "good.json" }).waitFor();
  const alert = page.getByRole("alert");
  const lines = conversation(1).map((message) => JSON.stringify(message));
  const cases = [
    ["broken.json", '[\n  {"role": "user", "content": "Hello"},\n  {"role": "user" "content": "there"}\n]', [/The JSON is broken/, /line 3, column 19/]],
    ["short.json", '[{"role": "user", "content": "Hel', [/The JSON is broken/, /not closed/, /line 1/]],
    ["broken.jsonl", [...lines.slice(0, 2), '{"role": oops}', ...lines.slice(2)].join("\n"), [/The JSON is broken/, /Read the 5 entries that can be read/, /line 3, column 10/]],
    ["notes.txt", "Dear diary", [/This is no JSON/, /line 1, column 1/]],
    ["empty.json", "\n", [/The file is empty/]],
    ["other.json", '{"name": "x", "version": 1}', [/no transcript/, /“name”, “version”/]],
    ["mixed.json", '[{"role": "user", "content": "Hello"}, 7]', [/entry 1 is a number/]],
    ["orphan.json", '[{"role": "tool", "tool_call_id": "c9", "content": "x"}]', [/INVALID_MESSAGE/, /c9/]],
  ];
  for (const [name, text, says] of cases) {
    await drop(page, name, text);
    await alert.filter({ hasText: name }).waitFor();
    const shown = await alert.textContent();
    for (const pattern of says) assert.match(shown, pattern, name);
    assert.match(await page.locator(".facts").textContent(), /good\.json/);
  }
  await drop(page, "again.json", JSON.stringify(conversation(1)));
  await page.locator(".facts").filter({ hasText: "again.json" }).waitFor();
  assert.equal(await alert.count(), 0);
});

test("a UTF-16 file is read, and a file that is not text is reported", async (t) => {
  const page = await visit(t);
  const choose = (name, buffer) => page.locator('input[type="file"]').setInputFiles({ name, mimeType: "application/json", buffer });
  await choose("wide.json", Buffer.from(`\ufeff${JSON.stringify(conversation(2))}`, "utf16le"));
  await page.locator(".facts").filter({ hasText: "wide.json" }).filter({ hasText: "9 entries" }).waitFor();
  await choose("picture.png", Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 255, 254]));
  await page.getByRole("alert").filter({ hasText: "picture.png: This is no text" }).waitFor();
});

test("the readable part of a broken file is read on request", async (t) => {
  const page = await visit(t);
  const text = JSON.stringify(conversation(3));
  await drop(page, "cut.json", text.slice(0, -30));
  await page.getByRole("button", { name: "Read the 12 entries that can be read" }).click();
  await page.locator(".facts").filter({ hasText: "cut.json" }).filter({ hasText: "12 entries" }).waitFor();
  await page.locator(".notes").filter({ hasText: "everything after it was left out" }).waitFor();
  assert.equal(await page.getByRole("alert").count(), 0);
});

test("a file of 50 MB shows its progress and can be cancelled; the open file stays", async (t) => {
  const page = await visit(t);
  await openSample(page);
  await page.evaluate(() => {
    const turn = (i) => `{"role":"user","content":"Question ${i}"},{"role":"assistant","content":"${"An answer that goes on and on. ".repeat(300)}"},`;
    const list = Array.from({ length: 5600 }, (_, i) => turn(i)).join("");
    const transfer = new DataTransfer();
    transfer.items.add(new File([`[${list}{"role":"user","content":"The end"}]`], "large.json"));
    document.querySelector("main").dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
  });
  await page.getByRole("progressbar", { name: "Progress" }).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("progressbar", { name: "Progress" }).waitFor({ state: "detached" });
  await page.locator(".facts").filter({ hasText: "the sample" }).waitFor();
  await set(page, "Context window", 64_000, "51,200");
  assert.equal(await page.getByRole("alert").count(), 0);
});

test("a file of 50 MB is drawn completely: first the calls and the view, then the facts", async (t) => {
  const page = await visit(t);
  page.setDefaultTimeout(180_000);
  await page.evaluate(() => {
    const line = (i, n) => `${n}: the module reads src/part${i % 97}/file${n}.rs and writes it back, then commit a${i}b${n}c0de is made;\\n`;
    const step = (i) =>
      `{"role":"assistant","content":null,"tool_calls":[{"id":"call_${i}","type":"function","function":{"name":"read_file","arguments":"{\\"path\\":\\"src/part${i % 97}.rs\\"}"}}]},` +
      `{"role":"tool","tool_call_id":"call_${i}","content":"${Array.from({ length: 50 }, (_, n) => line(i, n)).join("")}"},`;
    const list = Array.from({ length: 9000 }, (_, i) => (i % 30 === 0 ? `{"role":"user","content":"Question ${i}. Never touch src/main.rs."},` : "") + step(i));
    const transfer = new DataTransfer();
    transfer.items.add(new File(["[", ...list, '{"role":"user","content":"The end"}]'], "large.json"));
    document.querySelector("main").dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
  });
  await page.getByTestId("tokens-after").waitFor();
  const facts = await page.locator(".facts").textContent();
  assert.match(facts, /[45]\d\.\d MiB, 18,301 entries/);
  assert.match(facts, /9,000 model calls/);
  await page.getByTestId("facts").filter({ hasText: "%" }).waitFor();
  const scrubber = page.getByRole("slider", { name: "Call", exact: true });
  await scrubber.focus();
  await page.keyboard.press("PageDown");
  await page.locator(".messages").filter({ hasText: /the view at call [78],\d{3} of 9,000/ }).waitFor();
  assert.equal(await page.getByRole("alert").count(), 0);
  assert.ok((await page.locator(".virtual-row").count()) < 40);

  // Other settings: what is replayed first is drawn first.
  await page.getByLabel("Context window, slider").press("ArrowLeft");
  await page.locator(".timeline").filter({ hasText: /replaying 9,000 calls: \d+(\.\d)? %/ }).waitFor();
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

test("the page's policy blocks all outgoing requests", async () => {
  const page = await built.browser.newPage();
  const elsewhere = await serve(built.folder);
  let arrived = 0;
  page.on("response", (response) => response.url().startsWith(elsewhere.url) && arrived++);
  await page.goto(built.url);
  const refused = (code) => page.evaluate(code, elsewhere.url);
  assert.equal(await refused((to) => fetch(to, { mode: "no-cors" }).then(() => "sent", () => "refused")), "refused");
  assert.equal(
    await refused((to) => new Promise((done) => Object.assign(new Image(), { onload: () => done("sent"), onerror: () => done("refused"), src: `${to}some/where/x.svg` }))),
    "refused",
  );
  const worker = page.workers()[0] ?? (await page.waitForEvent("worker"));
  await openSample(page); // the engine is ready, so its thread is sealed
  assert.equal(await worker.evaluate(() => [typeof fetch, typeof XMLHttpRequest, typeof WebSocket].join()), "undefined,undefined,undefined");
  assert.equal(arrived, 0);
  await page.close();
  await elsewhere.close();
});

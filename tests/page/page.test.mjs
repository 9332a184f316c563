// The built page, driven in Chromium.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/lib/paths.mjs";
import { claudeWithHelpers } from "../support/agent-files.mjs";
import { SAMPLE, built, conversation, drop, figure, openSample, set, visit } from "../support/page.mjs";
import { serve } from "../support/serve.mjs";

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
  await messages.getByLabel("Search all messages").fill("qqzzxyvw");
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
  await page.getByLabel("Search all messages").fill("qqzzxyvw");
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

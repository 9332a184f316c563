// The page as it is built, driven in Chromium: served from a folder below the root, as a static host may do.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { build } from "vite";
import { root } from "../../scripts/lib/paths.mjs";
import { launch } from "../support/browser.mjs";
import { serve } from "../support/serve.mjs";

const SAMPLE = join(root, "examples/transcript.responses.json");
const PATIENCE = 20_000;

let folder, server, browser, url;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "contextfold-page-"));
  await build({ root: join(root, "www"), logLevel: "error", build: { outDir: join(folder, "some/where") } });
  server = await serve(folder);
  url = `${server.url}some/where/`;
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens the page; when the test ends, nothing may have gone wrong, and nothing may have left for another place. */
async function visit(t, options = {}) {
  const page = await browser.newPage(options);
  page.setDefaultTimeout(PATIENCE);
  const problems = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && problems.push(message.text()));
  page.on("requestfailed", (request) => problems.push(`${request.url()} failed`));
  page.on("request", (request) => request.url().startsWith(url) || problems.push(`a request to ${request.url()}`));
  t.after(async () => {
    await page.close();
    assert.deepEqual(problems, []);
  });
  await page.goto(url);
  return page;
}

const figure = async (page, name) => Number((await page.getByTestId(name).textContent()).replaceAll(",", ""));

async function openSample(page) {
  await page.getByRole("button", { name: "Use the sample" }).click();
  await page.getByTestId("tokens-after").waitFor();
}

/** Sets a control's figure and waits until the result is that of the new settings. */
async function set(page, label, value, shownThreshold) {
  await page.getByLabel(label, { exact: true }).fill(String(value));
  await page.keyboard.press("Tab");
  await page.getByTestId("threshold").filter({ hasText: shownThreshold }).waitFor();
}

/** Drops a file onto the page, as a person does from a folder. */
async function drop(page, name, text) {
  const data = await page.evaluateHandle(
    ([name, text]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], name));
      return transfer;
    },
    [name, text],
  );
  await page.dispatchEvent("main", "dragover", { dataTransfer: data });
  await page.dispatchEvent("main", "drop", { dataTransfer: data });
}

/** A conversation of `turns` turns in Chat Completions' shape, with one tool call each. */
function conversation(turns) {
  const messages = [{ role: "system", content: "You answer questions about the weather." }];
  for (let i = 0; i < turns; i++) {
    const call = { id: `call_${i}`, type: "function", function: { name: "weather", arguments: `{"day":${i}}` } };
    messages.push(
      { role: "user", content: `What was the weather on day ${i}?` },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: call.id, content: `Day ${i}:\nrain ${i} mm\n${"wind from the west, turning later\n".repeat(12)}` },
      { role: "assistant", content: `It rained ${i} mm on day ${i}.` },
    );
  }
  return messages;
}

test("the page's program has the types that it says", () => {
  const { stdout, status } = spawnSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "--project", join(root, "www")], { encoding: "utf8" });
  assert.equal(stdout, "");
  assert.equal(status, 0);
});

test("the sample comes out under its threshold, explained", async (t) => {
  const page = await visit(t);
  await openSample(page);
  const [before, after, threshold] = [await figure(page, "tokens-before"), await figure(page, "tokens-after"), await figure(page, "threshold")];
  assert.ok(after <= threshold && threshold < before, `${before} → ${after}, threshold ${threshold}`);
  await page.locator(".verdict").filter({ hasText: /^Fits/ }).waitFor();
  const passes = await page.locator(".decisions code").allTextContents();
  assert.deepEqual(passes.slice(-3), ["trim_tool_outputs", "dedupe_reads", "summarize"]);
  assert.match(await page.getByTestId("engine-ms").textContent(), /^[\d.,]+ ms$/);

  // The table sums to the figures above it.
  const column = async (n) => (await page.locator(`.legend td:nth-child(${n})`).allTextContents()).reduce((sum, text) => sum + Number(text.replaceAll(",", "")), 0);
  assert.equal(await column(2), before);
  assert.equal(await column(3), after);
});

test("a change of the settings redraws at once", async (t) => {
  const page = await visit(t);
  await openSample(page);
  const folded = await figure(page, "tokens-after");
  await set(page, "Context window", 128_000, "102,400");
  const trimmed = await figure(page, "tokens-after");
  assert.ok(trimmed > folded && trimmed <= 102_400, `${folded}, then ${trimmed}`);
  assert.equal(await page.locator(".decisions code").last().textContent(), "trim_tool_outputs");
  await set(page, "Threshold", 0.5, "64,000");

  const outputs = page.locator(".legend tr", { hasText: "Tool outputs" }).locator("td").last();
  const automatic = await outputs.textContent();
  await page.getByLabel("budget by the window’s size").uncheck();
  const budget = page.getByLabel("Tool outputs", { exact: true });
  const redrawn = outputs.filter({ hasNotText: automatic });
  // The field is drawn anew when the box is unchecked; what is typed at that very moment can be lost, as for a person.
  for (let tries = 0; tries < 3 && (await redrawn.count()) === 0; tries++) {
    await budget.fill("3000");
    await page.keyboard.press("Tab");
    await redrawn.waitFor({ timeout: 6_000 }).catch(() => {});
  }
  await redrawn.waitFor();
  assert.ok((await figure(page, "tokens-after")) < trimmed);

  // The slider does the same as the figure.
  await page.getByLabel("Context window, slider").focus();
  await page.keyboard.press("ArrowRight");
  await page.getByTestId("threshold").filter({ hasText: "80,000" }).waitFor();
});

test("settings that nothing fits are said to be so", async (t) => {
  const page = await visit(t);
  await openSample(page);
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
  await page.getByRole("button", { name: /^placeholder/ }).click();
  const row = page.locator(".virtual-row").first();
  assert.match(await row.locator(".row-after").textContent(), /\[tool output trimmed; ref=out_1\]/);
  await row.locator(".row-open").click({ position: { x: 5, y: 5 } });

  const lines = page.getByRole("dialog").locator(".line");
  await lines.first().waitFor();
  const output = JSON.parse(readFileSync(SAMPLE, "utf8")).find((item) => item.type === "function_call_output").output;
  assert.deepEqual(await lines.locator("code").allTextContents(), output.split("\n"));
  assert.equal(await lines.last().locator(".line-number").textContent(), String(output.split("\n").length));

  const wanted = output.split("\n").findIndex((line) => line.includes("Cargo.toml"));
  await page.getByRole("searchbox").fill("^cargo\\.toml");
  await page.getByText("1 of 1 matching lines shown").waitFor();
  const match = page.locator(".line-match");
  assert.equal(await match.count(), 1);
  assert.equal(await match.locator(".line-number").textContent(), String(wanted + 1));
  await page.getByRole("searchbox").fill("(");
  await page.getByRole("dialog").getByRole("alert").filter({ hasText: "INVALID_ARGUMENT" }).waitFor();
  await page.keyboard.press("Escape"); // clears the search box
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
});

test("a long output is read on page by page", async (t) => {
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

test("a fold opens, and what it holds leads back to its summary", async (t) => {
  const page = await visit(t);
  await openSample(page);
  assert.equal(await page.locator(".row-folded").count(), 0);
  await page.getByRole("button", { name: /Show the \d+ folded messages/ }).click();
  await page.locator(".row-folded").first().waitFor();
  await page.locator(".row-folded").nth(3).getByRole("button", { name: "into the summary" }).click();
  const focused = page.locator(".virtual-row:focus-within .row-summary");
  await focused.waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByText("## Task").waitFor();
});

test("the view is there as JSON, whole", async (t) => {
  const page = await visit(t);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await openSample(page);
  await page.getByText("The view as JSON").click();
  await page.getByRole("button", { name: /^Copy \d/ }).click();
  await page.getByText("Copied.").waitFor();
  const { input } = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
  const sample = JSON.parse(readFileSync(SAMPLE, "utf8"));
  assert.ok(input.length > 1 && input.length < sample.length);
  assert.deepEqual(input[0], sample[0]);
  assert.deepEqual(input.at(-1), sample.at(-1));
});

test("dropped files of each shape and format are read", async (t) => {
  const page = await visit(t);
  const messages = conversation(3);
  const files = [
    ["lines.jsonl", messages.map((message) => JSON.stringify(message)).join("\n"), "Chat Completions, JSON lines"],
    ["body.json", JSON.stringify({ model: "m", messages, tools: [{ type: "function", function: { name: "weather" } }] }), "Chat Completions, a request body"],
    ["own.json", JSON.stringify([{ role: "user", content: "Hello", item_type: "USER_MESSAGE" }]), "contextfold messages, a list"],
    ["responses.json", JSON.stringify({ instructions: "Be brief.", input: [{ role: "user", content: "Hello" }] }), "OpenAI Responses, a request body"],
  ];
  for (const [name, text, format] of files) {
    await drop(page, name, text);
    await page.locator(".facts").filter({ hasText: name }).filter({ hasText: format }).waitFor();
    await page.locator(".verdict").filter({ hasText: /^Fits/ }).waitFor();
    assert.equal(await page.getByRole("alert").count(), 0);
  }
});

test("a broken file says what is wrong and where; the one before it stays", async (t) => {
  const page = await visit(t);
  await drop(page, "good.json", JSON.stringify(conversation(2)));
  await page.locator(".facts").filter({ hasText: "good.json" }).waitFor();
  const alert = page.getByRole("alert");
  const lines = conversation(1).map((message) => JSON.stringify(message));
  const cases = [
    ["broken.json", '[\n  {"role": "user", "content": "Hello"},\n  {"role": "user" "content": "there"}\n]', [/The JSON is broken/, /line 3, column 19/]],
    ["short.json", '[{"role": "user", "content": "Hel', [/The JSON is broken/, /ends in the middle/, /line 1/]],
    ["broken.jsonl", [...lines.slice(0, 2), '{"role": oops}', ...lines.slice(2)].join("\n"), [/Line 3 is no JSON/, /2 entries before it read well/, /line 3, column 10/]],
    ["notes.txt", "Dear diary", [/This is no JSON/, /line 1, column 1/]],
    ["empty.json", "\n", [/The file is empty/]],
    ["other.json", '{"name": "x", "version": 1}', [/no transcript/, /“name”, “version”/]],
    ["mixed.json", '[{"role": "user", "content": "Hello"}, 7]', [/Entry 2 is a number/]],
    ["orphan.json", '[{"role": "tool", "tool_call_id": "c9", "content": "x"}]', [/INVALID_MESSAGE/, /c9/]],
    ["session.jsonl", '{"type":"user","uuid":"1","sessionId":"2","message":{}}\n{"type":"assistant","uuid":"2","sessionId":"2"}', [/Claude Code session file/]],
    ["claude.json", '{"system": "Hi", "messages": [{"role": "user", "content": "Hello"}]}', [/Anthropic request/]],
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

test("a thousand messages: only those in sight are in the document, and the keyboard reaches all", async (t) => {
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

test("the page's policy lets nothing leave", async () => {
  const page = await browser.newPage();
  const elsewhere = await serve(folder);
  let arrived = 0;
  page.on("response", (response) => response.url().startsWith(elsewhere.url) && arrived++);
  await page.goto(url);
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

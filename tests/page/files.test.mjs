// Files that are dropped on the page or chosen: of each kind, broken, large, and while another is read.

import assert from "node:assert/strict";
import { test } from "node:test";
import { claudeSession, codexRollout } from "../support/agent-files.mjs";
import { built, conversation, drop, openSample, set, visit } from "../support/page.mjs";

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

// In a small view that is made once, whole steps are worth more than the little that the built-in summary could say about the others.

import assert from "node:assert/strict";
import { test } from "node:test";
import { compactMessages } from "contextfold";

const dialogue = Array.from({ length: 24 }, (_, n) => [
  { role: "user", content: `And what does ship number ${n} carry, and where does it go?` },
  { role: "assistant", content: `Ship number ${n} carries ${n} tons of grain, and goes to harbour ${n % 7}.` },
]).flat();
const messages = [{ role: "system", content: "You know all ships." }, ...dialogue, { role: "user", content: "Thanks. Which one is the heaviest?" }];
const texts = async (options) => (await compactMessages(messages, { safetyMargin: 0, ...options })).messages.map(({ content }) => content);

test("one line replaces what was left out, and the rest of the room goes to the newest messages", async () => {
  const [, first, ...rest] = await texts({ contextWindow: 300 });
  assert.match(first, /^\[\d+ earlier messages left out here\]$/);
  assert.deepEqual(rest, messages.slice(-rest.length).map(({ content }) => content));
  assert.ok(rest.length >= 8, String(rest.length));
  const left = Number(/\d+/.exec(first)[0]);
  assert.equal(left + rest.length + 1, messages.length);
});

test("the user's rules are kept, and an unframed summary says more than that something is left out", async () => {
  const rule = { role: "user", content: "Never sail to harbour 5." };
  for (let contextWindow = 150; contextWindow <= 600; contextWindow += 10) {
    const ruled = await compactMessages([messages[0], rule, ...messages.slice(1)], { safetyMargin: 0, contextWindow });
    assert.match(JSON.stringify(ruled.messages), /Never sail to harbour 5\./, String(contextWindow));
  }
  for (const compaction of [{ summaryRole: "assistant" }, { frame: null }, { frame: "Before: {summary}" }])
    assert.doesNotMatch(JSON.stringify(await texts({ contextWindow: 300, compaction })), /Earlier messages, left out/, JSON.stringify(compaction));
});

test("a summary is used if it has room, or if a model writes it", async () => {
  const [, larger] = await texts({ contextWindow: 900 });
  assert.match(larger, /^\[Record of \d+ earlier messages.*\n\n## Progress, decisions and findings[^\n]*\n[^]*\nThe user's words, in order/);
  const [, written] = await texts({ contextWindow: 300, summarize: () => "<summary>They speak of ships.</summary>" });
  assert.match(written, /They speak of ships\./);
});

test("the ids in use come before the request, and with the fields that held them", async () => {
  const call = { id: "call_1", type: "function", function: { name: "get_reservation", arguments: '{"reservation_id":"GV1N64"}' } };
  const before = [
    { role: "user", content: "Hi! I need to remove a passenger named Sophia from my upcoming flight, and to know what that costs me." },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "call_1", content: "One passenger: Sophia." },
  ];
  let records = 0;
  for (let contextWindow = 200; contextWindow <= 1200; contextWindow += 10) {
    const { messages: view } = await compactMessages([messages[0], ...before, ...messages.slice(1)], { safetyMargin: 0, contextWindow });
    const record = JSON.stringify(view[1]);
    if (!record.includes("The user's words") || record.includes("get_reservation")) continue;
    records += 1;
    assert.match(record, /Ids \(reservation_id\): GV1N64/, `${contextWindow}: ${record}`);
  }
  assert.ok(records > 5, String(records));
});

// A caller who keeps nothing but what the last call returned, with or without the fields that mark a record.
for (const kept of ["whole messages", "roles and contents"])
  test(`the user's rules outlive any number of calls that fit what the last one returned: ${kept}`, async () => {
    const rules = ["Never name harbour 5.", "In English only, please."];
    for (const contextWindow of [400, 600, 1000, 2000]) {
      let view = [{ role: "system", content: "You know all ships." }, { role: "user", content: `Please list all ships that I may board. ${rules.join(" ")}` }, { role: "assistant", content: "Which one?" }];
      let cuts = 0;
      for (const [at, message] of Array.from({ length: 5 }, () => dialogue).flat().entries()) {
        view.push(message);
        if (message.role !== "user") continue;
        const { messages: fitted, report } = await compactMessages(view, { contextWindow });
        view = kept === "whole messages" ? fitted : fitted.map(({ role, content }) => ({ role, content }));
        cuts += report.decisions.length;
        for (const rule of rules) assert.ok(JSON.stringify(view).includes(rule), `lost at message ${at} in ${contextWindow} tokens: ${JSON.stringify(view[1])}`);
      }
      assert.ok(cuts > 10, String(cuts));
    }
  });

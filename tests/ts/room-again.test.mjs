// Content that a pass removed from the view for lack of room comes back when there is room again.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Session } from "contextfold";

const step = (n, text) => [
  { role: "assistant", content: null, tool_calls: [{ id: `c${n}`, type: "function", function: { name: "run", arguments: "{}" } }] },
  { role: "tool", tool_call_id: `c${n}`, content: text },
];
const exchange = (n) => [
  { role: "user", content: `question ${n} ${"word ".repeat(120)}` },
  ...step(n, `output ${n}\n${"a line of output\n".repeat(40)}`),
  { role: "assistant", content: `answer ${n} ${"word ".repeat(120)}` },
];

async function taken(options, exchanges = 24) {
  const session = new Session({ contextWindow: 8_000, safetyMargin: 0, compaction: { auto: false }, ...options });
  const ids = [];
  for (let n = 0; n < exchanges; n++) ids.push(...session.push(exchange(n)));
  const { report } = await session.prepare();
  assert.ok(report.tokens_after <= report.limit);
  return { session, ids };
}
const altered = (session) => session.items().filter((item) => item.form !== "whole").length;

const LADDERS = {
  rolling: {},
  ladder: {},
  "trim and last resort": { ladder: [{ pass: "trim_tool_outputs" }] },
  "prune and window": { ladder: [{ pass: "prune_tool_outputs" }, { pass: "recent_window" }] },
  "head and tail": { ladder: [{ pass: "truncate_head_tail", max: 300, head: 100, tail: 100 }] },
  selective: {},
  contextfold: {},
};

describe("in a larger window every message is whole again", () => {
  for (const [name, options] of Object.entries(LADDERS))
    test(name, async () => {
      const { session } = await taken({ ladder: name, ...options });
      assert.ok(session.view("messages").length < session.messages.length || altered(session) > 0, "something was taken");
      session.setOptions({ contextWindow: 400_000 });
      const { messages, report } = await session.prepare();
      assert.equal(messages.length, session.messages.length, JSON.stringify(report.decisions.map((d) => d.pass)));
      assert.equal(altered(session), 0);
      const again = await session.prepare();
      assert.deepEqual([again.messages, again.report.decisions], [messages, []], "and the next call changes nothing");
    });
});

describe("after a rewind the remaining messages look as they would in a new session", () => {
  for (const ladder of ["rolling", "ladder", "contextfold"])
    test(ladder, async () => {
      const { session, ids } = await taken({ ladder });
      session.rewind(ids[7]);
      const { messages } = await session.prepare();
      const fresh = new Session({ contextWindow: 8_000, safetyMargin: 0, compaction: { auto: false }, ladder });
      fresh.push([...exchange(0), ...exchange(1)]);
      assert.equal(messages.length, (await fresh.prepare()).messages.length);
      assert.equal(altered(session), 0);
    });
});

test("trimmed outputs come back, newest first, as far as a larger tool output budget allows", async () => {
  const { session } = await taken({ ladder: "spec", contextWindow: 100_000, toolOutputCache: { contextBudgetTokens: 1_000 } });
  const placeholders = () => session.items().map((item) => item.form === "placeholder");
  const before = placeholders();
  session.setOptions({ toolOutputCache: { contextBudgetTokens: 2_500 } });
  const { report } = await session.prepare();
  const after = placeholders();
  assert.ok(after.filter(Boolean).length < before.filter(Boolean).length);
  assert.ok(after.indexOf(false, after.indexOf(true)) > 0 && after.lastIndexOf(true) < before.lastIndexOf(true), "the oldest stay away");
  const outputs = report.parts.find((part) => part.name === "tool_outputs");
  assert.ok(outputs.tokens <= 2_500, `${outputs.tokens}`);
  assert.ok(report.decisions.some((d) => d.pass === "bring_back" && d.tokens_after > d.tokens_before));
});

test("the same holds for a session saved before the window grew", async () => {
  const { session } = await taken({ ladder: "rolling" });
  const restored = Session.restore(session.snapshot(), { contextWindow: 400_000 });
  const { messages } = await restored.prepare();
  assert.equal(messages.length, restored.messages.length);
});

test("a failed run does not bring anything back", async () => {
  const { session } = await taken({ ladder: "ladder" });
  const before = session.view("messages");
  session.setOptions({ contextWindow: 400_000 });
  session.setOptions({ contextWindow: 1 });
  await assert.rejects(session.prepare());
  assert.deepEqual(session.view("messages"), before);
});

// With the tool output cache off, an explicit prune pass still prunes, and a summariser's request is made to fit.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Session } from "contextfold";

function talk(options, turns, lines) {
  const asked = [];
  const summarize = (request) => {
    asked.push(request);
    return "<summary>All went well.</summary>";
  };
  const session = new Session({ summarize, ...options });
  for (let n = 0; n < turns; n++)
    session.push([
      { role: "user", content: `q${n}` },
      { role: "assistant", content: null, tool_calls: [{ id: `c${n}`, type: "function", function: { name: "f", arguments: "{}" } }] },
      { role: "tool", tool_call_id: `c${n}`, content: "a line of output\n".repeat(lines) },
      { role: "assistant", content: "ok" },
    ]);
  return { session, asked };
}

test("pruned outputs become placeholders without a ref, and no summarizer is called", async () => {
  const { session, asked } = talk({ contextWindow: 16_000, ladder: "ladder", toolOutputCache: { enabled: false } }, 10, 420);
  const { messages, report } = await session.prepare();
  assert.deepEqual(report.decisions.map((d) => d.pass), ["prune_tool_outputs"]);
  const outputs = messages.filter((m) => m.role === "tool").map((m) => m.content);
  assert.ok(outputs.includes("[tool output trimmed]") && outputs.every((text) => !text.includes("ref=")), outputs[0]);
  assert.ok(report.left_out.every((line) => line.ref === undefined));
});

test("a system message that contains an output is also pruned without a ref", async () => {
  const session = new Session({ contextWindow: 2_000, ladder: [{ pass: "prune_tool_outputs", protectTurns: 1 }], toolOutputCache: { enabled: false } });
  session.push([
    { role: "user", content: "q" },
    { role: "system", content: `[tool: ls] ${"a line of output\n".repeat(600)}` },
    { role: "assistant", content: "ok" },
    { role: "user", content: "and now?" },
  ]);
  const { messages } = await session.prepare();
  assert.equal(messages[1].content, "[tool output trimmed]");
});

test("a summariser's request drops outputs before it is split into pieces", async () => {
  const sent = [];
  for (const enabled of [true, false]) {
    const { session, asked } = talk({ contextWindow: 9_000, ladder: "spec", toolOutputCache: { enabled } }, 16, 160);
    await session.prepare();
    sent.push(asked.map((request) => request.input_tokens));
  }
  assert.deepEqual([sent[0].length, sent[1].length], [1, 1], JSON.stringify(sent));
  assert.ok(sent[1][0] <= sent[0][0], JSON.stringify(sent));
});

// Thousands of parallel calls in one message cost what they are, through the package, too: pushed, shown in every format, saved. Looking
// through all of them for each one would make these tests run for many minutes.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Session } from "contextfold";

const MANY = 50_000;
const ROOMY = { contextWindow: 1e9, toolOutputCache: { contextBudgetTokens: 1e9 } };
const FORMATS = ["messages", "openai-chat", "openai-responses", "anthropic", "gemini", "bedrock-converse", "ai-sdk"];

const call = (n) => ({ id: `c${n}`, type: "function", function: { name: "read", arguments: '{"path":"src/lib.rs"}' } });
const output = (n) => ({ role: "tool", tool_call_id: `c${n}`, content: `output ${n}` });
const all = (made) => Array.from({ length: MANY }, (_, n) => made(n));
const asked = () => [{ role: "user", content: "go" }, { role: "assistant", content: null, tool_calls: all(call) }];

test("outputs of thousands of calls come one by one, and the session is saved", () => {
  const session = new Session(ROOMY);
  session.push(asked());
  for (const one of all(output)) session.push(one);
  const restored = Session.restore(session.snapshot());
  assert.equal(restored.view("messages").length, MANY + 2);
});

test("every format shows thousands of calls and their outputs", () => {
  const session = new Session(ROOMY);
  session.push([...asked(), ...all(output)]);
  for (const format of FORMATS) assert.ok(JSON.stringify(session.view(format)).includes(`output ${MANY - 1}"`), format);
});

test("thousands of messages are pinned and unpinned one by one", () => {
  const session = new Session(ROOMY);
  const ids = session.push(all((n) => ({ role: n % 2 ? "assistant" : "user", content: `message ${n}` })));
  for (const id of ids) session.pin(id);
  for (const id of ids) session.unpin(id);
  assert.equal(session.view("messages").length, MANY);
});

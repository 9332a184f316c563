// One table of what the APIs refuse, tested for all three users: `check` names it, `repair` mends it, and no view has it (INV-1).
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

import { ContextError, Session, check, repair } from "contextfold";

const user = (content) => ({ role: "user", content });
const assistant = (...content) => ({ role: "assistant", content });
const text = (said) => ({ type: "text", text: said });
const use = (id, name = "read") => ({ type: "tool_use", id, name, input: {} });
const result = (id, more = {}) => ({ type: "tool_result", tool_use_id: id, content: "ok", ...more });
const thinking = { type: "thinking", thinking: "Let me see", signature: "c2ln" };
const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };
const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } };
const found = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] };
const marked = (said) => ({ ...text(said), cache_control: { type: "ephemeral" } });

const chatCall = (id, name = "read") => ({ id, type: "function", function: { name, arguments: "{}" } });
const asks = (...calls) => ({ role: "assistant", content: null, tool_calls: calls });
const answer = (tool_call_id) => ({ role: "tool", tool_call_id, content: "ok" });

const item = (call_id, more = {}) => ({ type: "function_call", call_id, name: "read", arguments: "{}", ...more });
const output = (call_id) => ({ type: "function_call_output", call_id, output: "ok" });
const reasoning = (id) => ({ type: "reasoning", id, summary: [], encrypted_content: "gAAAA" });
const said = (id) => ({ type: "message", id, role: "assistant", content: [{ type: "output_text", text: "Done." }] });

const sdkCall = (toolCallId) => ({ type: "tool-call", toolCallId, toolName: "read", input: {} });
const sdkResult = (toolCallId) => ({ role: "tool", content: [{ type: "tool-result", toolCallId, toolName: "read", output: { type: "text", value: "ok" } }] });

const asked = (...parts) => ({ role: "user", parts });
const made = (...parts) => ({ role: "model", parts });
const called = (id, name = "read") => ({ functionCall: { id, name, args: {} }, thoughtSignature: "c2ln" });
const brought = (id, name = "read") => ({ functionResponse: { id, name, response: { output: "ok" } } });
const go = asked({ text: "Go." });
const says = (text) => ({ text });
const calls = (toolUseId, more = {}) => ({ toolUse: { toolUseId, name: "read", input: {}, ...more } });
const answers = (toolUseId, more = {}) => ({ toolResult: { toolUseId, content: [{ text: "ok" }], ...more } });
const thought = (signature) => ({ reasoningContent: { reasoningText: { text: "hm", signature } } });
const point = { cachePoint: { type: "default" } };
const doc = (name) => ({ document: { format: "pdf", name, source: { bytes: "AAAA" } } });

const LONG = "c".repeat(80);

/** For each rule: the format, and a history that breaks it. */
const TABLE = {
  "A-cache-marks": ["anthropic", [1, 2, 3, 4, 5].flatMap((n) => [user([marked(`Question ${n}`)]), assistant(text("Answer."))]).concat(user("Next."))],
  "A-dup-result": ["anthropic", [user("Go."), assistant(use("a")), user([result("a"), result("a")])]],
  "A-dup-use": ["anthropic", [user("Go."), assistant(use("a"), use("a")), user([result("a")])]],
  "A-empty-content": ["anthropic", [user("Go."), assistant(), user("Next.")]],
  "A-empty-error": ["anthropic", [user("Go."), assistant(use("a")), user([result("a", { content: [], is_error: true })])]],
  "A-empty-text": ["anthropic", [user("Go."), assistant(text(" "), use("a")), user([result("a")])]],
  "A-error-content": ["anthropic", [user("Go."), assistant(use("a")), user([result("a", { content: [text("It failed."), image], is_error: true })])]],
  "A-first": ["anthropic", [assistant(text("Hello.")), user("Go.")]],
  "A-orphan-result": ["anthropic", [user("Go."), assistant(text("No.")), user([result("a"), text("Next.")])]],
  "A-result-in-assistant": ["anthropic", [user("Go."), assistant(use("a")), user([result("a")]), assistant(text("So."), result("a")), user("Next.")]],
  "A-result-not-first": ["anthropic", [user("Go."), assistant(use("a")), user([text("Here."), result("a")])]],
  "A-server-result": ["anthropic", [user("Go."), assistant(found, text("So.")), user("Next.")]],
  "A-server-unanswered": ["anthropic", [user("Go."), assistant(text("I search."), search), user("Never mind.")]],
  "A-signature": ["anthropic", [user("Go."), assistant({ type: "thinking", thinking: "hm", signature: "" }, text("So.")), user("Next.")]],
  "A-thinking-last": ["anthropic", [user("Go."), assistant(text("So."), thinking), user("Next.")]],
  "A-trailing-space": ["anthropic", [user("Go."), assistant(text("So. "))]],
  "A-unanswered": ["anthropic", [user("Go."), assistant(use("a")), user("Next.")]],
  "A-use-in-user": ["anthropic", [user([text("Go."), use("a")]), assistant(text("So.")), user("Next.")]],
  "B-cache-marks": ["bedrock-converse", [1, 2, 3, 4, 5].flatMap((n) => [user([says(`Question ${n}`), point]), assistant(says("Answer."))]).concat(user([says("Next.")]))],
  "B-cache-place": ["bedrock-converse", [user([says("Go.")]), assistant(thought("c2ln"), point, says("So.")), user([says("Next.")])]],
  "B-doc-dup": ["bedrock-converse", [user([says("Read."), doc("a")]), assistant(says("So.")), user([says("And?"), doc("a")])]],
  "B-doc-name": ["bedrock-converse", [user([says("Read."), doc("a.pdf")])]],
  "B-doc-text": ["bedrock-converse", [user([doc("a")])]],
  "B-dup-result": ["bedrock-converse", [user([says("Go.")]), assistant(calls("a")), user([answers("a"), answers("a")])]],
  "B-dup-use": ["bedrock-converse", [user([says("Go.")]), assistant(calls("a"), calls("a")), user([answers("a")])]],
  "B-empty-content": ["bedrock-converse", [user([says("Go.")]), assistant(), user([says("Next.")])]],
  "B-empty-error": ["bedrock-converse", [user([says("Go.")]), assistant(calls("a")), user([answers("a", { content: [], status: "error" })])]],
  "B-empty-text": ["bedrock-converse", [user([says("Go.")]), assistant(says(" "), calls("a")), user([answers("a")])]],
  "B-error-content": ["bedrock-converse", [user([says("Go.")]), assistant(calls("a")), user([answers("a", { content: [says("It failed."), doc("a")], status: "error" })])]],
  "B-first": ["bedrock-converse", [assistant(says("Hello.")), user([says("Go.")])]],
  "B-input": ["bedrock-converse", [user([says("Go.")]), assistant(calls("a", { input: '{"n": 1' })), user([answers("a")])]],
  "B-json": ["bedrock-converse", [user([says("Go.")]), assistant(calls("a")), user([answers("a", { content: [{ json: [1] }] })])]],
  "B-orphan-result": ["bedrock-converse", [user([says("Go.")]), assistant(says("No.")), user([answers("a"), says("Next.")])]],
  "B-result-in-assistant": ["bedrock-converse", [user([says("Go.")]), assistant(calls("a")), user([answers("a")]), assistant(says("So."), answers("a")), user([says("Next.")])]],
  "B-result-not-first": ["bedrock-converse", [user([says("Go.")]), assistant(calls("a")), user([says("Here."), answers("a")])]],
  "B-same-role": ["bedrock-converse", [user([says("Go.")]), user([says("Now.")]), assistant(says("So.")), user([says("Next.")])]],
  "B-signature": ["bedrock-converse", [user([says("Go.")]), assistant(thought(""), says("So.")), user([says("Next.")])]],
  "B-thinking-last": ["bedrock-converse", [user([says("Go.")]), assistant(says("So."), thought("c2ln")), user([says("Next.")])]],
  "B-trailing-space": ["bedrock-converse", [user([says("Go.")]), assistant(says("So. "))]],
  "B-unanswered": ["bedrock-converse", [user([says("Go.")]), assistant(calls("a")), user([says("Next.")])]],
  "B-use-in-user": ["bedrock-converse", [user([says("Go."), calls("a")]), assistant(says("So.")), user([says("Next.")])]],
  "C-dup-call": ["openai-chat", [user("Go."), asks(chatCall("a"), chatCall("a")), answer("a")]],
  "C-dup-tool": ["openai-chat", [user("Go."), asks(chatCall("a")), answer("a"), answer("a")]],
  "C-empty-calls": ["openai-chat", [user("Go."), { role: "assistant", content: "So.", tool_calls: [] }, user("Next.")]],
  "C-null-content": ["openai-chat", [user("Go."), { role: "assistant", content: null }, user("Next.")]],
  "C-orphan-tool": ["openai-chat", [user("Go."), answer("a"), user("Next.")]],
  "C-unanswered": ["openai-chat", [user("Go."), asks(chatCall("a")), user("Next.")]],
  "C-wrong-id": ["openai-chat", [user("Go."), asks(chatCall("a")), answer("a"), answer("b")]],
  "R-call-id-long": ["openai-responses", [user("Go."), item(LONG), output(LONG)]],
  "R-dup-call": ["openai-responses", [user("Go."), item("a"), item("a"), output("a")]],
  "R-dup-id": ["openai-responses", [user("Go."), said("msg_1"), user("Next."), said("msg_1")]],
  "R-dup-output": ["openai-responses", [user("Go."), item("a"), output("a"), output("a")]],
  "R-order": ["openai-responses", [user("Go."), output("a"), item("a")]],
  "R-orphan-output": ["openai-responses", [user("Go."), output("a"), user("Next.")]],
  "R-reasoning-tail": ["openai-responses", [user("Go."), reasoning("rs_1"), user("Next.")]],
  "R-summary": ["openai-responses", [user("Go."), { type: "reasoning", id: "rs_1" }, said("msg_1"), user("Next.")]],
  "R-unanswered": ["openai-responses", [user("Go."), item("a"), user("Next.")]],
  "S-dup-call": ["ai-sdk", [user("Go."), assistant(sdkCall("a"), sdkCall("a")), sdkResult("a")]],
  "S-dup-result": ["ai-sdk", [user("Go."), assistant(sdkCall("a")), sdkResult("a"), sdkResult("a")]],
  "S-orphan-result": ["ai-sdk", [user("Go."), sdkResult("a"), user("Next.")]],
  "S-unanswered": ["ai-sdk", [user("Go."), assistant(sdkCall("a")), user("Next.")]],
  "G-call-place": ["gemini", [made(called("a")), asked(brought("a"))]],
  "G-dup-result": ["gemini", [go, made(called("a")), asked(brought("a"), brought("a"))]],
  "G-dup-use": ["gemini", [go, made(called("a"), called("a")), asked(brought("a"))]],
  "G-empty-parts": ["gemini", [go, made(), asked({ text: "Next." })]],
  "G-empty-text": ["gemini", [go, made({ text: "" }, called("a")), asked(brought("a"))]],
  "G-first": ["gemini", [made({ text: "Hello." }), go]],
  "G-orphan-result": ["gemini", [go, made({ text: "No." }), asked(brought("a"), { text: "Next." })]],
  "G-result-in-model": ["gemini", [go, made(called("a")), asked(brought("a")), made({ text: "So." }, brought("a")), asked({ text: "Next." })]],
  "G-unanswered": ["gemini", [go, made(called("a"), called("b")), asked(brought("a")), made({ text: "So." })]],
  "G-use-in-user": ["gemini", [asked({ text: "Go." }, called("a")), made({ text: "So." }), asked({ text: "Next." })]],
  "M-dup-call": ["messages", [user("Go."), asks(chatCall("a"), chatCall("a")), answer("a")]],
  "M-dup-output": ["messages", [user("Go."), asks(chatCall("a")), answer("a"), answer("a")]],
  "M-orphan-output": ["messages", [user("Go."), answer("a"), user("Next.")]],
  "M-unanswered": ["messages", [user("Go."), asks(chatCall("a")), user("Next.")]],
};

/** Rules that no list breaks for its format's own provider, and why they are not in the table. */
const APART = {
  "A-empty": "an empty list has nothing to mend", "C-empty": "an empty list has nothing to mend",
  "G-empty": "an empty list has nothing to mend", "G-tool-name": "a warning",
  "G-thought-signature": "a warning, of Gemini 3 and later alone; an error where the original had it",
  "B-empty": "an empty list has nothing to mend", "B-thinking-first": "needs to know whether thinking is on",
  "B-id": "a view keeps the ids that a caller knows his calls by", "B-name": "a view keeps the names of the caller's tools",
  "B-tool-config": "a rule of requests: a view has no tools", "B-prefill": "a warning",
  "A-name": "a warning: hosts that took the name once take it again", "C-name": "a warning", "R-name": "a warning",
  "A-same-role": "a warning: the API joins them", "C-id-long": "a warning", "R-reasoning-unlinked": "an error only where `store` is set",
  "A-compaction-place": "check is not told which compaction Anthropic wrote on demand",
  "A-thinking-first": "needs to know whether thinking is on",
  "A-thinking-bound": "compares with the original", "A-thinking-changed": "compares with the original",
  "R-reasoning-lost": "compares with the original", "R-encrypted-changed": "compares with the original",
  "C-id-form": "a rule of Mistral's", "C-thought-signature": "a rule of Gemini's", "R-interleaved": "a rule of DeepSeek's",
  "C-reasoning-missing": "a rule of DeepSeek's and Moonshot's", "C-reasoning-lost": "compares with the original", "C-reasoning-changed": "compares with the original",
  "R-id-prefix": "other hosts give other ids, and a view is not told who answers",
  "R-kind": "an output of another kind than its call is written as the host gave it",
  "R-no-call-id": "an output that names no call cannot be read: it is refused as it comes",
};

const errors = (format, history) => check(format, history).filter(({ severity }) => severity === "error").map(({ rule }) => rule);

test("every rule of check is in the table, or among the exceptions with a reason", () => {
  const folder = new URL("../../src/provider/", import.meta.url);
  const files = readdirSync(new URL("check/", folder)).map((name) => `check/${name}`).concat("position.rs");
  const named = files.flatMap((file) => [...readFileSync(new URL(file, folder), "utf8").matchAll(/"([RCASMGB]-[a-z-]+)"/g)].map(([, rule]) => rule));
  assert.deepEqual([...new Set(named)].sort(), [...Object.keys(TABLE), ...Object.keys(APART)].sort());
});

for (const [rule, [format, list]] of Object.entries(TABLE)) {
  test(`${rule}: check names it, repair mends it, no view has it`, async () => {
    assert.ok(errors(format, list).includes(rule), "check names it");

    const { output: repaired, changes } = repair(format, list);
    assert.deepEqual(errors(format, repaired), [], "repair mends it");
    assert.ok(changes.length > 0);

    const session = new Session({ contextWindow: 100_000 });
    try {
      for (const entry of list) session.pushFrom(format, [entry]);
    } catch (error) {
      assert.ok(ContextError.isInstance(error), "what cannot stand is refused as it comes");
      return;
    }
    await session.prepare();
    const notes = [];
    const view = session.view(format, { onNote: (note) => notes.push(note) });
    assert.deepEqual(errors(format, view), [], "no view has it");
    const entries = (view) => view.messages ?? view.input ?? view.contents ?? view;
    const said = (entry) => entry?.content ?? entry?.parts;
    assert.equal(said(entries(view)[0]) === said(list[0]) ? entries(view)[0] : list[0], list[0], "what the API takes stays the very object");
    assert.deepEqual(session.view(format), view, "and the next view is the same");
    // Whether pushed at once or synced as a list, the result is the same.
    const synced = new Session({ contextWindow: 100_000 });
    try {
      synced.sync(format, list);
    } catch (error) {
      assert.ok(ContextError.isInstance(error));
      return;
    }
    assert.deepEqual(errors(format, synced.view(format)), [], "no view has it of a list that was synced");
  });
}

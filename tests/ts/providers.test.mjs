// convert, check and repair, for those who keep their own list.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Session, check, convert, countTokens, repair } from "contextfold";
import { failsWith } from "../support/session.mjs";

const call = (id) => ({ id, type: "function", function: { name: "f", arguments: "{}" } });
const whole = [
  { role: "system", content: "rules" },
  { role: "user", content: "go" },
  { role: "assistant", content: null, tool_calls: [call("a")] },
  { role: "tool", tool_call_id: "a", content: "1" },
];
const broken = [...whole.slice(0, 3), { role: "user", content: "well?" }];

describe("check", () => {
  test("a valid list has no violations", () => assert.deepEqual(check("openai-chat", whole), []));

  test("a violation has severity, rule, index and message", () => {
    const [found, ...more] = check("openai-chat", broken);
    assert.deepEqual(more, []);
    assert.deepEqual(Object.keys(found).sort(), ["index", "message", "rule", "severity"]);
    assert.deepEqual([found.severity, found.rule, found.index], ["error", "C-unanswered", 2]);
    assert.match(found.message, /a$/);
  });

  test("options: pending, provider, original, stateful, store, thinking, bound", () => {
    const rules = (...args) => check(...args).filter((v) => v.severity === "error").map((v) => v.rule);
    assert.deepEqual(rules("openai-chat", whole.slice(0, 3), { pending: true }), []);
    const empty = [{ role: "user", content: "x" }, { role: "assistant", content: "y", tool_calls: [] }];
    assert.deepEqual(rules("openai-chat", empty), ["C-empty-calls"]);
    assert.deepEqual(rules("openai-chat", empty, { provider: "mistral" }), []);
    const output = [{ type: "function_call_output", call_id: "a", output: "1" }];
    assert.deepEqual(rules("openai-responses", output), ["R-orphan-output"]);
    assert.deepEqual(rules("openai-responses", output, { stateful: true }), []);
    const item = { role: "assistant", id: "msg_1", type: "message", status: "completed", content: [{ type: "output_text", text: "x", annotations: [] }] };
    const original = [{ role: "user", content: "x" }, { type: "reasoning", id: "rs_1", summary: [] }, item];
    assert.deepEqual(rules("openai-responses", [original[0], item], { original }), ["R-reasoning-lost"]);
    const unlinked = [original[0], original[1], { ...item, id: undefined }];
    assert.deepEqual(rules("openai-responses", unlinked, { store: true }), ["R-reasoning-unlinked"]);
    const use = [{ role: "user", content: "x" }, { role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] }];
    assert.deepEqual(rules("anthropic", use, { pending: true, thinking: "enabled" }), ["A-thinking-first"]);
    assert.deepEqual(rules("anthropic", use, { pending: true, thinking: "disabled" }), []);
    const thought = (text) => [{ role: "user", content: text }, { role: "assistant", content: [{ type: "thinking", thinking: "t", signature: "s" }, { type: "text", text: "y" }] }];
    assert.deepEqual(rules("anthropic", thought("b"), { original: thought("a"), bound: true }), ["A-thinking-bound"]);
    assert.deepEqual(rules("anthropic", thought("b"), { original: thought("a") }), []);
  });

  test("a body says what comes besides its list", () => {
    const body = { previous_response_id: "resp_1", input: [{ type: "function_call_output", call_id: "a", output: "1" }] };
    assert.deepEqual(check("openai-responses", body), []);
  });

  test("an argument it cannot read is a typed error", () => {
    assert.throws(() => check("openai", whole), failsWith("INVALID_ARGUMENT", /there is no format "openai"/));
    assert.throws(() => check("openai-chat", "x"), failsWith("INVALID_ARGUMENT", /expected a list/));
    assert.throws(() => check("openai-chat", whole, { origin: [] }), failsWith("INVALID_ARGUMENT", /`origin`: unknown key/));
    assert.throws(() => check("openai-chat", whole, { pending: 1 }), failsWith("INVALID_ARGUMENT", /`pending`: expected true or false/));
    assert.throws(() => check("openai-chat", whole, []), failsWith("INVALID_ARGUMENT", /options/));
  });
});

describe("repair", () => {
  test("repairs, and says what it did", () => {
    const { output, changes } = repair("openai-chat", broken);
    assert.deepEqual(check("openai-chat", output), []);
    assert.deepEqual(changes.map((c) => [c.index, c.rule]), [[2, "C-unanswered"]]);
    assert.match(changes[0].what, /placeholder/);
    assert.equal(output[3].tool_call_id, "a");
  });

  test("a valid list is returned as the same object", () => {
    assert.equal(repair("openai-chat", whole).output, whole);
    const body = { model: "m", messages: whole };
    assert.equal(repair("openai-chat", body).output, body);
  });

  test("a body keeps its other fields; the input is not changed", () => {
    const body = { model: "m", messages: broken };
    const before = structuredClone(body);
    const { output } = repair("openai-chat", body);
    assert.equal(output.model, "m");
    assert.equal(output.messages.length, 5);
    assert.deepEqual(body, before);
  });

  test("calls that are being executed stay open, with pending", () => {
    assert.deepEqual(repair("openai-chat", whole.slice(0, 3), { pending: true }).changes, []);
    assert.equal(repair("openai-chat", whole.slice(0, 3)).changes.length, 1);
  });
});

describe("convert", () => {
  test("keeps ids and pairing", () => {
    assert.deepEqual(convert("openai-chat", "anthropic", whole), {
      system: "rules",
      messages: [
        { role: "user", content: "go" },
        { role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "1" }] },
      ],
    });
  });

  test("reports what the other format cannot express", () => {
    const notes = [];
    const failed = [...whole.slice(0, 3), { ...whole[3], is_error: true }];
    convert("messages", "openai-chat", failed, { onNote: (note) => notes.push(note) });
    assert.deepEqual(notes.map((n) => n.index), [3]);
    assert.match(notes[0].what, /is_error/);
  });

  test("to the same format it returns the input itself, if it can be read", () => {
    assert.equal(convert("openai-chat", "openai-chat", whole), whole);
    assert.throws(() => convert("openai-chat", "openai-chat", [{ role: "tool", content: "x" }]), failsWith("INVALID_MESSAGE", /message 0/));
  });

  test("an argument it cannot read is a typed error; an error thrown by onNote is passed on", () => {
    assert.throws(() => convert("openai-chat", "yaml", whole), failsWith("INVALID_ARGUMENT", /yaml/));
    assert.throws(() => convert("openai-chat", "anthropic", whole, { onNote: 5 }), failsWith("INVALID_ARGUMENT", /onNote/));
    assert.throws(() => convert("openai-chat", "anthropic", whole, { notes: [] }), failsWith("INVALID_ARGUMENT", /unknown key/));
    const failed = [...whole.slice(0, 3), { ...whole[3], is_error: true }];
    const mine = new Error("mine");
    assert.throws(() => convert("messages", "openai-chat", failed, { onNote: () => { throw mine; } }), (e) => e === mine);
  });
});

describe("a single entry", () => {
  const entries = {
    messages: { role: "user", content: "hi" },
    "openai-responses": { type: "message", role: "user", content: [{ type: "input_text", text: "hi" }] },
    "openai-chat": { role: "user", content: "hi" },
    anthropic: { role: "user", content: "hi" },
    "ai-sdk": { role: "user", content: [{ type: "text", text: "hi" }] },
    gemini: { role: "user", parts: [{ text: "hi" }] },
    "bedrock-converse": { role: "user", content: [{ text: "hi" }] },
  };
  for (const [format, entry] of Object.entries(entries))
    test(`${format}: it is pushed, and comes out as the same object`, () => {
      const session = new Session();
      assert.equal(session.pushFrom(format, entry).length, 1);
      const view = session.view(format);
      assert.equal((view.input ?? view.messages ?? view.contents ?? view)[0], entry);
      assert.deepEqual(check(format, entry), []);
    });
});

describe("requests and responses of an SDK, whole", () => {
  const said = { role: "assistant", content: "hello" };
  const responses = {
    "openai-responses": { id: "resp_1", object: "response", instructions: "rules", output: [{ id: "msg_1", type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "hello", annotations: [] }] }] },
    "openai-chat": { id: "c", object: "chat.completion", choices: [{ index: 0, finish_reason: "stop", message: { ...said, refusal: null } }] },
    anthropic: { id: "msg_1", type: "message", role: "assistant", model: "m", stop_reason: "end_turn", content: [{ type: "text", text: "hello" }], usage: { input_tokens: 1, output_tokens: 1 } },
    "bedrock-converse": { output: { message: { role: "assistant", content: [{ text: "hello" }] } }, stopReason: "end_turn", usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } },
    "ai-sdk": { text: "hello", response: { id: "r", messages: [{ role: "assistant", content: [{ type: "text", text: "hello" }] }] } },
    gemini: { responseId: "r", candidates: [{ content: { parts: [{ text: "hello" }], role: "model" }, finishReason: "STOP", index: 0 }], usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 } },
  };
  for (const [format, response] of Object.entries(responses))
    test(`a response of ${format} is converted, checked, counted and pushed`, () => {
      assert.deepEqual(check(format, response), []);
      const to = format === "openai-chat" ? "messages" : "openai-chat";
      const [{ role, content }, ...more] = convert(format, to, response);
      assert.deepEqual([role, content, more], ["assistant", "hello", []]);
      assert.ok(countTokens(response) > 0);
      const session = new Session();
      session.push({ role: "user", content: "go" });
      assert.equal(session.pushFrom(format, response).length, 1);
      assert.deepEqual(check(format, session.view(format)), []);
    });

  test("open calls of a response are valid; those of a list lack their outputs", () => {
    const message = { role: "assistant", content: null, tool_calls: [call("a")] };
    assert.deepEqual(check("openai-chat", { choices: [{ message }] }), []);
    assert.deepEqual(check("openai-chat", [whole[1], message]).map((v) => v.rule), ["C-unanswered"]);
    const use = { type: "message", role: "assistant", stop_reason: "tool_use", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] };
    assert.deepEqual(check("anthropic", use), []);
  });

  const bodies = {
    "openai-responses": { model: "m", instructions: "rules", input: "go" },
    "openai-chat": { model: "m", messages: [{ role: "system", content: "rules" }, { role: "user", content: "go" }] },
    anthropic: { model: "m", system: "rules", messages: [{ role: "user", content: "go" }] },
    "ai-sdk": { system: "rules", prompt: "go" },
    gemini: { systemInstruction: { parts: [{ text: "rules" }] }, contents: "go" },
    "bedrock-converse": { modelId: "m", system: [{ text: "rules" }], messages: [{ role: "user", content: [{ text: "go" }] }] },
    messages: { messages: [{ role: "system", content: "rules" }, { role: "user", content: "go" }] },
  };
  for (const [format, body] of Object.entries(bodies))
    test(`a request body of ${format} is converted with its header, and checked`, () => {
      assert.deepEqual(check(format, body), []);
      const wanted = [{ role: "system", content: "rules" }, { role: "user", content: "go" }];
      if (format !== "openai-chat") assert.deepEqual(convert(format, "openai-chat", body), wanted);
      assert.equal(new Session().pushFrom(format, body).length, 2);
    });

  test("a UI message is distinguished from a model message", () => {
    const ui = [{ id: "1", role: "user", parts: [{ type: "text", text: "hi" }] }];
    assert.throws(() => convert("ai-sdk", "openai-chat", ui), failsWith("INVALID_MESSAGE", /convertToModelMessages/));
    assert.match(check("ai-sdk", ui)[0].message, /convertToModelMessages/);
  });

  test("a broken response is repaired, within the list or alone", () => {
    const message = { role: "assistant", content: null, tool_calls: [call("a"), call("a")] };
    const { output, changes } = repair("openai-chat", { choices: [{ message }] });
    assert.ok(Array.isArray(output) && changes.length > 0);
    assert.deepEqual(check("openai-chat", output, { pending: true }), []);
  });
});

describe("notes of a view", () => {
  const audio = { type: "audio", data: "AAAA", media_type: "audio/wav" };
  const notesOf = (session, format) => {
    const notes = [];
    session.view(format, { onNote: (note) => notes.push(note) });
    return notes;
  };

  test("what a format cannot express is reported at every read, by message id", () => {
    const session = new Session();
    const [id] = session.push({ role: "user", content: [{ type: "text", text: "listen" }, audio] });
    const notes = notesOf(session, "anthropic");
    assert.deepEqual(notes.map((note) => note.id), [id]);
    assert.match(notes[0].what, /audio/);
    assert.deepEqual(notesOf(session, "anthropic"), notes);
    assert.deepEqual(notesOf(session, "messages"), []);
    session.push({ role: "assistant", content: "a bird  " });
    assert.equal(notesOf(session, "anthropic").length, 2); // white space at its end
    session.push({ role: "user", content: "and now?" });
    assert.deepEqual(notesOf(session, "anthropic"), notes);
    session.rewind(id);
    assert.deepEqual(notesOf(session, "anthropic"), notes);
  });

  test("messages that came in this format have none", () => {
    const session = new Session();
    session.pushFrom("anthropic", [{ role: "user", content: [{ type: "text", text: "hi" }] }]);
    assert.deepEqual(notesOf(session, "anthropic"), []);
  });

  test("onNote may use the session, and an error it throws is passed on", () => {
    const session = new Session();
    session.push({ role: "user", content: ["listen", audio].map((part) => (part === audio ? audio : { type: "text", text: part })) });
    const mine = new Error("mine");
    assert.throws(() => session.view("anthropic", { onNote: () => { session.push({ role: "user", content: "x" }); throw mine; } }), (e) => e === mine);
    assert.equal(session.messages.length, 2);
    assert.throws(() => session.view("anthropic", { onNote: 1 }), failsWith("INVALID_ARGUMENT", /onNote/));
    assert.throws(() => session.view("anthropic", { notes: 1 }), failsWith("INVALID_ARGUMENT", /notes/));
  });
});

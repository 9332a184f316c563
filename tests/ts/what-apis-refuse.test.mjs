// No view contains what its API refuses, even if it was pushed: validity matters more than returning the same object (INV-1, INV-5).
import assert from "node:assert/strict";
import { test } from "node:test";

import { Session, check, repair } from "contextfold";

const errors = (format, view) => check(format, view).filter(({ severity }) => severity === "error").map(({ rule }) => rule);

async function shown(format, list) {
  const session = new Session({ contextWindow: 100_000 });
  session.pushFrom(format, list);
  await session.prepare();
  const notes = [];
  const view = session.view(format, { onNote: (note) => notes.push(note.what ?? note) });
  session.sync(format, list);
  assert.equal(session.messages.length, list.length, "the list is known again");
  return { view, entries: view.messages ?? view.contents ?? view, notes, session };
}

test("anthropic: texts of only white space", async () => {
  const list = [
    { role: "user", content: "Go on." },
    { role: "assistant", content: [{ type: "text", text: "\n\n" }, { type: "tool_use", id: "a", name: "read", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: " " }] }] },
    { role: "assistant", content: [{ type: "text", text: "Done." }] },
    { role: "user", content: [{ type: "text", text: " " }] },
  ];
  const { view, entries } = await shown("anthropic", list);
  assert.deepEqual(errors("anthropic", view), []);
  assert.deepEqual(entries[1].content.map(({ type }) => type), ["tool_use"]);
  assert.equal(entries[0], list[0], "what the API takes stays the very object");
  assert.equal(entries[3], list[3]);
});

test("anthropic: the last message too, whose end is also trimmed", async () => {
  const list = [{ role: "user", content: "Go on." }, { role: "assistant", content: [{ type: "text", text: " " }, { type: "text", text: "Done. " }] }];
  const { view, entries } = await shown("anthropic", list);
  assert.deepEqual(errors("anthropic", view), []);
  assert.equal(entries[1].content, "Done.");
});

test("openai-chat: an empty list of tool calls", async () => {
  const list = [{ role: "user", content: "Hi." }, { role: "assistant", content: "Hello.", tool_calls: [] }, { role: "user", content: "Go on." }];
  const { view, entries } = await shown("openai-chat", list);
  assert.deepEqual(errors("openai-chat", view), []);
  assert.deepEqual(entries[1], { role: "assistant", content: "Hello." });
  assert.equal(entries[0], list[0]);
});

test("gemini: empty parts, except those with a signature", async () => {
  const list = [
    { role: "user", parts: [{ text: "Go on." }] },
    { role: "model", parts: [{ text: "" }, { text: "Done." }, { text: "", thoughtSignature: "c2ln" }] },
    { role: "user", parts: [{ text: "" }] },
  ];
  const { view, entries } = await shown("gemini", list);
  assert.deepEqual(errors("gemini", view), []);
  assert.deepEqual(entries[1].parts, [{ text: "Done." }, { text: "", thoughtSignature: "c2ln" }]);
  assert.equal(entries[0], list[0]);
});

test("gemini: calls from another model's history are made valid, with their results in one content", async () => {
  const session = new Session({ contextWindow: 100_000 });
  session.pushFrom("openai-chat", [
    { role: "system", content: "Rules." },
    { role: "user", content: "Go on." },
    { role: "assistant", content: "I look.", tool_calls: ["a", "b"].map((id) => ({ id, type: "function", function: { name: "read", arguments: "{}" } })) },
    { role: "tool", tool_call_id: "b", content: "2" },
    { role: "tool", tool_call_id: "a", content: "1" },
  ]);
  const view = session.view("gemini");
  assert.deepEqual(check("gemini", view), []);
  assert.deepEqual(view.systemInstruction, { parts: [{ text: "Rules." }] });
  assert.deepEqual(view.contents[1].parts, [
    { text: "I look." },
    { functionCall: { id: "a", name: "read", args: {} }, thoughtSignature: "skip_thought_signature_validator" },
    { functionCall: { id: "b", name: "read", args: {} } },
  ]);
  assert.deepEqual(view.contents[2].parts.map(({ functionResponse }) => functionResponse.response.output).sort(), ["1", "2"]);
  assert.equal(view.contents.length, 3);
});

test("bedrock-converse: texts of only white space, and reasoning before a cache point", async () => {
  const user = (...content) => ({ role: "user", content });
  const list = [
    user({ text: "Go on." }),
    { role: "assistant", content: [{ text: "\n" }, { toolUse: { toolUseId: "a", name: "read", input: {} } }] },
    user({ toolResult: { toolUseId: "a", content: [{ text: " " }] } }),
    { role: "assistant", content: [{ reasoningContent: { reasoningText: { text: "hm", signature: "c2ln" } } }, { cachePoint: { type: "default" } }, { text: "Done." }] },
    user({ text: " " }),
  ];
  const { view, entries } = await shown("bedrock-converse", list);
  assert.deepEqual(errors("bedrock-converse", view), []);
  assert.deepEqual(entries[3].content.map((block) => Object.keys(block)[0]), ["reasoningContent", "text"]);
  assert.equal(entries[0], list[0], "what the API takes stays the very object");
});

test("bedrock-converse: trailing white space of an answer, if the user's message after it cannot be expressed", async () => {
  const session = new Session({ contextWindow: 100_000 });
  session.push([{ role: "user", content: "Go." }, { role: "assistant", content: "So. " }, { role: "user", content: [{ type: "x_unheard_of" }] }]);
  assert.deepEqual(errors("bedrock-converse", session.view("bedrock-converse")), []);
});

test("bedrock-converse: documents that are not objects are passed on without a trap", async () => {
  const list = [{ role: "user", content: [{ text: "Read." }, { document: "a" }, { document: "b" }, { document: [1] }] }];
  const { entries } = await shown("bedrock-converse", list);
  assert.equal(entries[0], list[0]);
  repair("bedrock-converse", list);
});

test("gemini: the results of calls next to user text get their own role", () => {
  const list = [
    { role: "user", parts: [{ text: "Go on." }] },
    { role: "model", parts: [{ functionCall: { name: "read", args: {} } }] },
    { role: "user", parts: [{ text: "Well?" }, { functionResponse: { name: "read", response: { output: "ok" } } }] },
    { role: "user", parts: [{ text: "And?" }] },
  ];
  const session = new Session({ contextWindow: 100_000 });
  session.pushFrom("gemini", list);
  const { contents: entries } = session.view("gemini");
  assert.ok(entries.every(({ role }) => role === "user" || role === "model"), JSON.stringify(entries));
});

test("gemini: arguments and responses that are not objects are wrapped in one", async () => {
  const asked = (args) => ({ role: "model", parts: [{ functionCall: { id: "a", name: "read", args }, thoughtSignature: "c2ln" }] });
  const brought = (response) => ({ role: "user", parts: [{ functionResponse: { id: "a", name: "read", response } }] });
  const go = { role: "user", parts: [{ text: "Go on." }] };
  for (const [args, response, becomes] of [["x", "done", ["x", "done"]], [[1], null, [[1], ""]], [{}, ["a"], [undefined, '["a"]']]]) {
    const list = [go, asked(args), brought(response)];
    assert.ok(errors("gemini", { contents: list }).length > 0);
    const { view, entries } = await shown("gemini", list);
    assert.deepEqual(errors("gemini", view), []);
    const [{ functionCall }] = entries[1].parts;
    assert.deepEqual([functionCall.args.input, entries[2].parts[0].functionResponse.response.output], becomes);
    assert.deepEqual(errors("gemini", repair("gemini", list).output), []);
  }
});

test("gemini: an inserted output for a call without an id has none either", () => {
  const list = [{ role: "user", parts: [{ text: "Go on." }] }, { role: "model", parts: [{ functionCall: { name: "read", args: {} } }] }, { role: "user", parts: [{ text: "Stop." }] }];
  assert.ok(!JSON.stringify(repair("gemini", list).output).includes('"id"'));
});

test("openai-chat: a spoken answer is sent again as such, and shortened as text", async () => {
  const words = "the build fails because of a missing module ".repeat(60);
  const spoken = (audio) => ({ role: "assistant", content: null, audio });
  const heard = { id: "audio_2", expires_at: 1, data: "AAAA", transcript: words };
  const list = [{ role: "user", content: "Say it." }, spoken({ id: "audio_1" }), { role: "user", content: "More." }, spoken(heard), { role: "user", content: "And now?" }];
  const { entries, session } = await shown("openai-chat", list);
  assert.equal(entries.length, list.length);
  entries.forEach((entry, i) => assert.equal(entry, list[i]));
  assert.ok(JSON.stringify(session.view("anthropic")).includes(words), "other formats have the transcript");
  const small = new Session({ contextWindow: 300, ladder: [{ pass: "even_cut" }] });
  small.pushFrom("openai-chat", list);
  await small.prepare();
  const cut = small.view("openai-chat").find(({ content }) => content && JSON.stringify(content).includes("the build fails"));
  assert.equal(cut.audio, undefined);
  assert.deepEqual(errors("openai-chat", small.view("openai-chat")), []);
});

test("openai-chat: a call of the old kind that was interrupted is answered in the old way", () => {
  const session = new Session({ contextWindow: 9000 });
  session.pushFrom("openai-chat", [{ role: "user", content: "Go." }, { role: "assistant", content: null, function_call: { name: "read", arguments: "{}" } }, { role: "user", content: "Stop." }]);
  const view = session.view("openai-chat");
  assert.deepEqual(errors("openai-chat", view), []);
  assert.deepEqual([view[2].role, view[2].name], ["function", "read"]);
});

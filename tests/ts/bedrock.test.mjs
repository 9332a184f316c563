// Bedrock's Converse format through the WebAssembly boundary: bytes, cache points, responses, documents.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Session, check, convert, countTokens, repair } from "contextfold";

const FORMAT = "bedrock-converse";
const bytes = (n) => Uint8Array.from({ length: n }, (_, i) => (i * 7) % 256);
const base64 = (bytes) => Buffer.from(bytes).toString("base64");
const user = (...content) => ({ role: "user", content });
const assistant = (...content) => ({ role: "assistant", content });
const document = (name, more = {}) => ({ document: { format: "pdf", name, source: { bytes: bytes(40) }, ...more } });
const point = { cachePoint: { type: "default" } };
const errors = (input) => check(FORMAT, input).filter(({ severity }) => severity === "error").map(({ rule }) => rule);

const list = () => [
  user({ text: "Look." }, { image: { format: "png", source: { bytes: bytes(3000) } } }),
  assistant({ reasoningContent: { redactedContent: bytes(20) } }, { text: "I look." }, { toolUse: { toolUseId: "a", name: "shot", input: {} } }),
  user({ toolResult: { toolUseId: "a", content: [{ text: "word ".repeat(400) }, { image: { format: "jpeg", source: { bytes: Buffer.from(bytes(30)) } } }] } }),
  assistant({ text: "Seen." }),
];

test("a message with bytes is sent as the same object, is counted, and survives a snapshot", () => {
  const own = list();
  const session = new Session({ contextWindow: 100_000 });
  session.pushFrom(FORMAT, own);
  session.view(FORMAT).messages.forEach((message, i) => assert.equal(message, own[i]));
  const onWire = JSON.parse(JSON.stringify(own, function (key, value) {
    return ArrayBuffer.isView(this[key]) ? base64(this[key]) : value;
  }));
  const wire = new Session({ contextWindow: 100_000 });
  wire.pushFrom(FORMAT, onWire);
  assert.equal(session.tokens, wire.tokens, "as many as of base64 text");
  assert.equal(countTokens(own), countTokens(onWire));

  const restored = Session.restore(session.snapshot());
  const view = restored.view(FORMAT).messages;
  assert.deepEqual(view[0].content[1].image.source.bytes, bytes(3000));
  assert.ok(view[0].content[1].image.source.bytes instanceof Uint8Array);
  assert.deepEqual(view[1].content[0].reasoningContent.redactedContent, bytes(20));
  assert.deepEqual(restored.sync(FORMAT, own), { added: 0, diverged_at: null }, "the list is known again");
  restored.view(FORMAT).messages.forEach((message, i) => assert.equal(message, own[i]));
  assert.equal(Session.restore(wire.snapshot()).view(FORMAT).messages[0].content[1].image.source.bytes, base64(bytes(3000)), "text stays text");
});

test("converts to the package's own messages and back", () => {
  const own = list();
  const messages = JSON.parse(JSON.stringify(convert(FORMAT, "messages", own)));
  const back = convert("messages", FORMAT, messages);
  assert.deepEqual(back[0].content[1].image.source.bytes, bytes(3000));
  assert.deepEqual(back.map(({ content }) => content.map((block) => Object.keys(block))), own.map(({ content }) => content.map((block) => Object.keys(block))));
});

test("a response is read, and its message is the same object", () => {
  const response = { output: { message: assistant({ text: "Hi." }) }, stopReason: "end_turn", usage: { inputTokens: 10, outputTokens: 2, totalTokens: 12 } };
  const session = new Session({ contextWindow: 100_000 });
  session.pushFrom(FORMAT, [user({ text: "Hello." })]);
  session.pushFrom(FORMAT, response);
  assert.equal(session.view(FORMAT).messages[1], response.output.message);
});

test("a cache point moves with its block", () => {
  const session = new Session({ contextWindow: 100_000 });
  const ids = session.pushFrom(FORMAT, [
    user({ text: "Go." }),
    assistant({ toolUse: { toolUseId: "a", name: "f", input: {} } }),
    user({ toolResult: { toolUseId: "a", content: [{ text: "1" }] } }, point),
    assistant({ text: "So." }),
  ]);
  assert.equal(session.messages.length, 4, "it is no message of its own");
  assert.equal(ids.length, 4);
  assert.deepEqual(errors(session.view(FORMAT)), []);
});

test("documents with the same name are numbered, and names lose the characters that the API refuses", () => {
  const session = new Session({ contextWindow: 100_000 });
  session.pushFrom(FORMAT, [user({ text: "Read." }, document("report")), assistant({ text: "Yes." }), user({ text: "And?" }, document("report"), document("a.b  c.pdf"))]);
  const notes = [];
  const { messages } = session.view(FORMAT, { onNote: ({ what }) => notes.push(what) });
  assert.deepEqual(messages[2].content.slice(1).map((block) => block.document.name), ["report (2)", "a b c"]);
  assert.deepEqual(messages[2].content[1].document.source.bytes, bytes(40));
  assert.deepEqual(errors({ messages }), []);
  assert.ok(notes.length > 0);
  const { output, changes } = repair(FORMAT, [user(document("x.pdf"))]);
  assert.deepEqual(changes.map(({ rule }) => rule).sort(), ["B-doc-name", "B-doc-text"]);
  assert.deepEqual(errors(output), []);
});

test("tools missing from a request are defined", () => {
  const body = { modelId: "m", messages: [user({ text: "Go." }), assistant({ toolUse: { toolUseId: "a", name: "f", input: {} } }), user({ toolResult: { toolUseId: "a", content: [{ text: "1" }] } })] };
  assert.deepEqual(errors(body), ["B-tool-config"]);
  const { output } = repair(FORMAT, body);
  assert.deepEqual(output.toolConfig.tools.map(({ toolSpec }) => toolSpec.name), ["f"]);
  assert.deepEqual(errors(output), []);
});

test("thinking must be signed for an Anthropic model", () => {
  const messages = [user({ text: "Go." }), assistant({ reasoningContent: { reasoningText: { text: "hm" } } }, { text: "So." }), user({ text: "On." })];
  assert.deepEqual(errors({ modelId: "us.amazon.nova-pro-v1:0", messages }), []);
  const body = { modelId: "us.anthropic.claude-opus-4-6-v1", messages };
  assert.deepEqual(errors(body), ["B-signature"]);
  assert.deepEqual(errors(repair(FORMAT, body).output), []);
});

test("a view has cache points where they are worth it", async () => {
  const session = new Session({ contextWindow: 100_000 });
  session.setHeader("You mend builds. ".repeat(400));
  session.pushFrom(FORMAT, [user({ text: "Go. ".repeat(1500) }), assistant({ text: "So." }), user({ text: "On." }, document("d"))]);
  const { system, messages } = session.view(FORMAT, { cacheMarks: 4 });
  assert.deepEqual(system.at(-1), point);
  assert.deepEqual(messages[2].content.map((block) => Object.keys(block)[0]), ["text", "cachePoint", "document"], "not behind a document");
  assert.deepEqual(errors({ system, messages }), []);
  assert.throws(() => session.view("openai-chat", { cacheMarks: 1 }), { code: "INVALID_ARGUMENT" });
});

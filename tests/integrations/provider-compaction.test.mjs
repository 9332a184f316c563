// `providerCompaction` with the real SDKs, against a server that compacts as documented by Anthropic and OpenAI.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { describe, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { Session, check, countTokens } from "contextfold";
import { middleware, providerCompaction } from "contextfold/anthropic";
import { providerCompaction as ofOpenAI } from "contextfold/openai";
import { FOLDS, TASK, outputOf } from "./support/work.mjs";

const BETA = "compact-2026-09-04";
const WINDOW = 8_000;
const CALLS = 60;
const SUMMARY = "The build fails with E0308. The user wants src/generated left alone, and a report as TICKET-4711.";

const refused = (message) => Object.assign(new Error(message), { status: 400 });

/** Its rules: a compaction block comes first, unchanged, under its beta; calls in the compacted part are answered. */
function anthropicServer() {
  const given = [];
  return function answer(body, headers, state) {
    const compactions = body.messages.flatMap(({ content }, at) => (Array.isArray(content) ? content.map((block, n) => ({ block, at, n })) : [])).filter(({ block }) => block.type === "compaction");
    if (compactions.length > 0 || body.compaction) {
      if (!headers["anthropic-beta"]?.includes(BETA)) throw refused("compaction: needs the beta");
      for (const { block, at, n } of compactions) if (at > 0 || n > 0 || !given.includes(JSON.stringify(block))) throw refused("compaction: not first, or changed");
    }
    const [broken] = check("anthropic", body).filter(({ severity }) => severity === "error");
    if (broken) throw refused(`${broken.rule}: ${broken.message}`);
    if (countTokens(body) > WINDOW) throw refused(`prompt is too long: ${countTokens(body)} tokens > ${WINDOW} maximum`);
    const usage = { input_tokens: countTokens(body), output_tokens: 30 };
    if (body.compaction) {
      state.compacted.push(body);
      if (state.compacted.length === state.failsAt) throw Object.assign(new Error("overloaded"), { status: 529 });
      const block = { type: "compaction", content: SUMMARY, encrypted_content: null, signature: `sig${given.length}` };
      given.push(JSON.stringify(block));
      const iterations = [{ type: "compaction", input_tokens: usage.input_tokens, output_tokens: 30, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, cache_creation: null }];
      return { id: "m", type: "message", role: "assistant", model: "m", content: [block], stop_reason: "compaction", stop_sequence: null, usage: { ...usage, iterations } };
    }
    state.bodies.push(body);
    const n = state.bodies.length - 1;
    const content = n < CALLS ? [{ type: "tool_use", id: `call_${n}`, name: "build", input: { n } }] : [{ type: "text", text: "Done." }];
    return { id: `m${n}`, type: "message", role: "assistant", model: "m", content, stop_reason: n < CALLS ? "tool_use" : "end_turn", stop_sequence: null, usage };
  };
}

function openaiServer() {
  const given = [];
  return function answer(body, headers, state, path) {
    const items = body.input.filter(({ type }) => type === "compaction");
    for (const item of items) if (!given.includes(JSON.stringify(item))) throw refused("compaction: changed");
    const [broken] = check("openai-responses", body).filter(({ severity }) => severity === "error");
    if (broken) throw refused(`${broken.rule}: ${broken.message}`);
    const usage = { input_tokens: countTokens(body), output_tokens: 30, total_tokens: countTokens(body) + 30, input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } };
    if (path.endsWith("/compact")) {
      state.compacted.push(body);
      const item = { id: `cmp_${given.length}`, type: "compaction", encrypted_content: `gA${given.length}` };
      given.push(JSON.stringify(item));
      const said = body.input.filter(({ role }) => role === "user").map(({ content }, n) => ({ id: `msg_u${n}`, type: "message", role: "user", status: "completed", content: typeof content === "string" ? [{ type: "input_text", text: content }] : content }));
      return { id: "c", object: "response.compaction", created_at: 0, output: [...said, item], usage };
    }
    if (countTokens(body) > WINDOW) throw refused("context_length_exceeded");
    state.bodies.push(body);
    const n = state.bodies.length - 1;
    const output = n < CALLS ? [{ id: `fc_${n}`, type: "function_call", call_id: `call_${n}`, name: "build", arguments: JSON.stringify({ n }), status: "completed" }] : [{ id: `msg_${n}`, type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "Done.", annotations: [] }] }];
    return { id: `r${n}`, object: "response", created_at: 0, status: "completed", model: "m", error: null, incomplete_details: null, instructions: null, output, usage };
  };
}

async function serve(t, answer, { failsAt } = {}) {
  const state = { bodies: [], compacted: [], failsAt };
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    try {
      const answered = JSON.stringify(answer(JSON.parse(text), request.headers, state, request.url));
      response.writeHead(200, { "content-type": "application/json" }).end(answered);
    } catch (error) {
      response.writeHead(error.status ?? 500, { "content-type": "application/json" }).end(JSON.stringify({ type: "error", error: { type: "invalid_request_error", message: String(error.message) } }));
    }
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  t.after(() => new Promise((done) => (server.close(done), server.closeAllConnections())));
  return Object.assign(state, { url: `http://127.0.0.1:${server.address().port}` });
}

const anthropicOf = (server, more) => new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0, ...more });
const OPTIONS = { contextWindow: WINDOW, ladder: FOLDS };
const TOOL = { name: "build", description: "Builds.", input_schema: { type: "object", properties: { n: { type: "number" } } } };

async function loop(client, messages = [{ role: "user", content: TASK }]) {
  for (;;) {
    const { content, stop_reason } = await client.messages.create({ model: "m", max_tokens: 500, system: "You build.", tools: [TOOL], messages: [...messages] });
    messages.push({ role: "assistant", content });
    if (stop_reason !== "tool_use") return messages;
    messages.push({ role: "user", content: content.map(({ id, input }) => ({ type: "tool_result", tool_use_id: id, content: outputOf(input.n) })) });
  }
}

describe("providerCompaction", () => {
  test("Anthropic's block comes first, unchanged, with the record beside it, and each request is accepted", async (t) => {
    const server = await serve(t, anthropicServer());
    const summarize = providerCompaction("anthropic", { client: anthropicOf(server), model: "m" });
    const session = new Session({ ...OPTIONS, compaction: { request: "continue" }, summarize });
    const messages = await loop(anthropicOf(server, { middleware: [middleware({ session, strict: true })] }));
    assert.equal(server.bodies.length, CALLS + 1);
    assert.equal(messages.at(-1).content[0].text, "Done.");
    assert.ok(server.compacted.length >= 2, "compacted more than once");
    const [block] = server.bodies.at(-1).messages[0].content;
    assert.deepEqual([block.type, block.content], ["compaction", SUMMARY]);
    const beside = JSON.stringify(server.bodies.at(-1).messages[1]);
    assert.match(beside, /E0301/, "the record of facts stands beside it");
    for (const { messages } of server.bodies) assert.match(JSON.stringify(messages), /src\/generated/, "the user's rule is in each request");
    assert.ok(!beside.includes(SUMMARY), "its words stand once");
    for (const body of server.compacted) {
      assert.deepEqual([body.system, body.tools.length], ["You build.", 1], "asked with the agent's own prompt and tools");
      assert.deepEqual(body.compaction, { type: "summarize" });
    }
    assert.equal(server.compacted[1].messages[0].content[0].type, "compaction", "the second compacts the first");
  });

  test("other formats get its text; the compacted messages can be searched and unfolded", async (t) => {
    const server = await serve(t, anthropicServer());
    const session = new Session({ ...OPTIONS, summarize: providerCompaction("anthropic", { client: anthropicOf(server), model: "m" }) });
    await loop(anthropicOf(server, { middleware: [middleware({ session, strict: true })] }));
    const [{ id }] = session.folds().slice(-1);
    for (const view of [session.view("openai-chat"), session.view("messages"), session.view("openai-responses").input]) assert.ok(JSON.stringify(view).includes(SUMMARY));
    assert.ok((await session.search("E0301")).length > 0);
    const restored = Session.restore(session.snapshot());
    assert.deepEqual(restored.view("anthropic"), session.view("anthropic"), "a saved session has the block");
    const folded = session.view("anthropic").messages.length;
    session.unfold(id);
    assert.ok(session.view("anthropic").messages.length > folded);
  });

  test("a failing compaction leaves the agent running", async (t) => {
    const server = await serve(t, anthropicServer(), { failsAt: 1 });
    const errors = [];
    const summarize = providerCompaction("anthropic", { client: anthropicOf(server), model: "m" });
    await loop(anthropicOf(server, { middleware: [middleware({ ...OPTIONS, summarize, onError: (error) => errors.push(error) })] }));
    assert.equal(server.bodies.length, CALLS + 1);
    assert.ok(server.compacted.length > 1);
  });

  test("OpenAI's items come first, unchanged; other formats get our own summary", async (t) => {
    const server = await serve(t, openaiServer());
    const client = new OpenAI({ apiKey: "none", baseURL: server.url, maxRetries: 0 });
    const session = new Session({ ...OPTIONS, summarize: ofOpenAI("openai", { client, model: "m" }) });
    session.push({ role: "user", content: TASK });
    for (;;) {
      await session.prepare();
      const { output } = await client.responses.create({ model: "m", ...session.view("openai-responses") });
      session.pushFrom("openai-responses", output);
      const calls = output.filter(({ type }) => type === "function_call");
      if (calls.length === 0) break;
      session.pushFrom("openai-responses", calls.map(({ call_id, arguments: input }) => ({ type: "function_call_output", call_id, output: outputOf(JSON.parse(input).n) })));
    }
    assert.equal(server.bodies.length, CALLS + 1);
    assert.ok(server.compacted.length >= 2);
    const { input } = server.bodies.at(-1);
    const at = input.findIndex(({ type }) => type === "compaction");
    assert.ok(at >= 0 && input.slice(0, at).every(({ role }) => role === "user"), "the user's messages, and the compaction behind them");
    assert.match(JSON.stringify(input[at + 1]), /E0301/, "the record stands beside it");
    const chat = JSON.stringify(session.view("openai-chat"));
    assert.ok(!chat.includes("encrypted_content") && chat.includes("TICKET-4711"));
  });

  test("a client that cannot compact, and an unknown provider, are refused at once", () => {
    for (const [provider, options] of [["gemini", {}], ["anthropic", {}], ["openai", { client: {} }]]) assert.throws(() => providerCompaction(provider, options), { code: "INVALID_CONFIG" });
  });
});

// A whole agent loop against a server that refuses by its own limit, in each provider's words: the session learns the limit and goes on.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";
import { Session } from "contextfold";
import { assistant, calls, conversation, failsWith, output, user, words } from "../support/session.mjs";

/** The server's refusal: status and body. `actual` and `limit` are in its own tokens. */
const REFUSALS = {
  Anthropic: (actual, limit) => [400, { type: "error", error: { type: "invalid_request_error", message: `prompt is too long: ${actual} tokens > ${limit} maximum` } }],
  OpenAI: () => [400, { error: { message: "Your input exceeds the context window of this model. Please adjust your input and try again.", type: "invalid_request_error", code: "context_length_exceeded" } }],
  "OpenAI, with figures": (actual, limit) => [400, { error: { message: `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${actual} tokens. Please reduce the length of the messages.`, code: "context_length_exceeded" } }],
  Google: (actual, limit) => [400, { error: { code: 400, status: "INVALID_ARGUMENT", message: `The input token count (${actual}) exceeds the maximum number of tokens allowed (${limit}).` } }],
  xAI: (actual, limit) => [400, { error: `This model's maximum prompt length is ${limit} but the request contains ${actual} tokens.` }],
  Bedrock: () => [400, { message: "Input is too long for requested model." }],
  Groq: () => [413, { error: { message: "Please reduce the length of the messages or completion." } }],
  "llama.cpp": (actual, limit) => [400, { error: { message: `the request exceeds the available context size (${limit} tokens)`, n_prompt_tokens: actual } }],
  Mistral: (actual, limit) => [400, { message: `Prompt contains ${actual} tokens, too large for model with ${limit} maximum context length` }],
  Kimi: (actual, limit) => [400, { error: { message: `Invalid request: Your request exceeded model token limit: ${limit} (requested: ${actual})` } }],
};

let server;
let url;
/** Which provider's words the server uses, its limit, and what it received. */
const provider = { name: "Anthropic", limit: 0, share: 1, requests: [] };

before(async () => {
  server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    // Its tokenizer differs from ours: it counts `share` times as many tokens.
    const actual = Math.ceil((body.length / 4) * provider.share);
    provider.requests.push(actual);
    const [status, answer] = actual > provider.limit ? REFUSALS[provider.name](actual, provider.limit) : [200, { text: "done", usage: { input_tokens: actual, output_tokens: 2 } }];
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  url = `http://127.0.0.1:${server.address().port}/`;
});
after(() => server.close());

async function call(messages) {
  const response = await fetch(url, { method: "POST", body: JSON.stringify({ messages }) });
  const body = await response.json();
  if (!response.ok) throw Object.assign(new Error(`${response.status} status code`), { status: response.status, error: body });
  return body;
}

/** One model call, as an agent makes it: if refused, it recovers and tries again. Returns how often it was refused. */
async function ask(session) {
  let { messages } = await session.prepare();
  for (let refused = 0; ; refused++) {
    try {
      const { text, usage } = await call(messages);
      session.recordUsage(usage);
      session.push(assistant(text));
      return refused;
    } catch (error) {
      const again = await session.recover(error);
      if (!again) throw error;
      ({ messages } = again);
    }
  }
}

describe("a provider that refuses by its own limit", () => {
  for (const name of Object.keys(REFUSALS))
    test(name, async () => {
      // The caller assumes a window four times as large as the provider's.
      Object.assign(provider, { name, limit: 4000, share: 1.2, requests: [] });
      const session = new Session({ contextWindow: 16_000, tokenizer: "bytes/4", summarize: () => "<summary>the gist</summary>" });
      session.setHeader("Be brief.");
      let [refused, naive] = [0, 0];
      const all = [];
      for (let turn = 0; turn < 12; turn++) {
        const more = [user(`question ${turn}: ${words(40, turn)}`), calls(`c${turn}`), output(`c${turn}`, words(110, turn))];
        session.push(more);
        all.push(...more);
        naive += (JSON.stringify(all).length / 4) * 1.2 > provider.limit; // the history as it is: refused from now on
        refused += await ask(session);
      }
      assert.ok(naive > 3, "it must be put to the test");
      assert.ok(refused > 0, "the window that was believed in is too large");
      assert.ok(refused <= 4, `it learns: refused ${refused} times`);
      assert.ok(provider.requests.slice(-4).every((actual) => actual <= provider.limit), `${provider.requests}`);
      assert.ok(session.limit < 16_000);
      assert.equal(session.messages.length, 1 + 12 * 4, "nothing is lost");
    });

  test("a limit that no view can meet fails after three tries, with the provider's message", async () => {
    Object.assign(provider, { name: "OpenAI", limit: 1, share: 1, requests: [] });
    const session = new Session({ contextWindow: 16_000, tokenizer: "bytes/4", summarize: () => "<summary>the gist</summary>" });
    session.push([...conversation(6), user("and now?")]);
    await assert.rejects(ask(session), failsWith("CONTEXT_WINDOW_EXCEEDED"));
    assert.ok(provider.requests.length <= 4, `${provider.requests.length} requests`);
    assert.equal(session.messages.length, 25);
  });

  test("an unrelated error is not handled", async () => {
    Object.assign(provider, { name: "broken", limit: 1, share: 1, requests: [] });
    REFUSALS.broken = () => [529, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }];
    const session = new Session({ contextWindow: 16_000 });
    session.push(user("hello"));
    await assert.rejects(ask(session), /529/);
    assert.equal(provider.requests.length, 1);
    delete REFUSALS.broken;
  });
});

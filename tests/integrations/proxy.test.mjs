// `contextfold proxy` as a separate process, between the real SDKs and a server on 127.0.0.1 that behaves like the providers.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import { setTimeout as after } from "node:timers/promises";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gunzipSync, gzipSync } from "node:zlib";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { check } from "contextfold";
import OpenAI from "openai";
import { provider } from "./support/provider.mjs";
import { CLI, completion, proxyTo, sendJson, upstreamOf } from "./support/proxied.mjs";
import { ANSWER, TASK, WINDOW, failingSummary, outputOf } from "./support/work.mjs";

const KEY = "sk-the-clients-own-key";
const parameters = { type: "object", properties: { n: { type: "number" } }, required: ["n"], additionalProperties: false };
const openai = (proxy, more) => new OpenAI({ apiKey: KEY, baseURL: `${proxy.url}/v1`, maxRetries: 0, timeout: 10_000, ...more });
const anthropic = (proxy, more) => new Anthropic({ apiKey: KEY, baseURL: proxy.url, maxRetries: 0, timeout: 10_000, ...more });
const chat = (...contents) => contents.map((content, i) => ({ role: i % 2 ? "assistant" : "user", content }));

/** A raw request with everything on the wire: `{ status, rawHeaders, bytes }`. */
async function raw(url, { method = "GET", headers = {}, body } = {}) {
  const request = http.request(url, { method, headers, agent: false });
  request.end(body);
  const [response] = await once(request, "response");
  const chunks = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode, headers: response.headers, rawHeaders: response.rawHeaders, bytes: Buffer.concat(chunks) };
}

const post = (proxy, path, body, headers) => raw(`${proxy.url}${path}`, { method: "POST", headers: { "content-type": "application/json", ...headers }, body });

// ---- agents

const CALLS = 200;

/** An agent's loop over each API, with an unmodified client: returns its whole list. */
const LOOPS = {
  "openai-responses": async (proxy) => {
    const client = openai(proxy);
    const tools = [{ type: "function", name: "build", parameters, strict: true }];
    const input = [{ role: "user", content: TASK }];
    for (;;) {
      const { output } = await client.responses.create({ model: "m", instructions: "You build.", tools, input, store: false });
      input.push(...output);
      const calls = output.filter(({ type }) => type === "function_call");
      if (calls.length === 0) return input;
      for (const call of calls) input.push({ type: "function_call_output", call_id: call.call_id, output: outputOf(JSON.parse(call.arguments).n) });
    }
  },
  "openai-chat": async (proxy) => {
    const runner = openai(proxy).chat.completions.runTools(
      { model: "m", stream: true, messages: [{ role: "user", content: TASK }], tools: [{ type: "function", function: { name: "build", parameters, parse: JSON.parse, function: ({ n }) => outputOf(n) } }] },
      { maxChatCompletions: CALLS + 10 },
    );
    await runner.finalContent();
    return runner.messages;
  },
  anthropic: async (proxy) => {
    const client = anthropic(proxy);
    const tools = [{ name: "build", input_schema: parameters }];
    const messages = [{ role: "user", content: TASK }];
    for (let n = 0; ; n++) {
      const asked = { model: "m", max_tokens: 500, system: [{ type: "text", text: "You build.", cache_control: { type: "ephemeral" } }], tools, messages };
      const { content } = await (n % 2 ? client.messages.create(asked) : client.messages.stream(asked).finalMessage());
      messages.push({ role: "assistant", content });
      const calls = content.filter(({ type }) => type === "tool_use");
      if (calls.length === 0) return messages;
      messages.push({ role: "user", content: calls.map(({ id, input }) => ({ type: "tool_result", tool_use_id: id, content: outputOf(input.n) })) });
    }
  },
  gemini: async (proxy) => {
    const ai = new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: proxy.url } });
    const chat = ai.chats.create({ model: "m", config: { systemInstruction: "You build.", tools: [{ functionDeclarations: [{ name: "build", parametersJsonSchema: parameters }] }] } });
    let message = TASK;
    for (let n = 0; ; n++) {
      const calls = [];
      if (n % 2 === 0) calls.push(...((await chat.sendMessage({ message })).functionCalls ?? []));
      else for await (const chunk of await chat.sendMessageStream({ message })) calls.push(...(chunk.functionCalls ?? []));
      if (calls.length === 0) return chat.getHistory();
      message = calls.map(({ id, name, args }) => ({ functionResponse: { id, name, response: { output: outputOf(args.n) } } }));
    }
  },
};

describe("an agent that calls a tool two hundred times", { concurrency: 3 }, () => {
  for (const [format, loop] of Object.entries(LOOPS))
    test(`${format}: every request fits, none is refused or lost, and a failing summary stops nothing`, async (t) => {
      const summary = failingSummary((nth) => nth % 3 === 2);
      const server = await provider({ window: WINDOW, calls: CALLS, summary });
      t.after(() => server.close());
      const proxy = await proxyTo(t, server.url, "--window", String(WINDOW));
      const list = await loop(proxy);
      assert.equal(server.bodies.length, CALLS + 1);
      assert.equal(server.refused, 0); // it would have refused invalid requests too, and the client would have thrown
      assert.ok(JSON.stringify(list.at(-1)).includes(ANSWER));
      assert.equal(JSON.stringify(list).match(/E0\d+\]: mismatched types/g).length, 12 * CALLS, "the client's own list is whole");
      assert.ok(JSON.stringify(server.bodies.at(-1)).includes("Never edit src/generated"));
      assert.ok(summary.asked >= 3, `${summary.asked} summaries`);
      assert.ok(server.asked.every(({ model, stream }) => model === "m" && !stream), "the client's own model");
      assert.ok(server.heads.every((head) => (head.authorization ?? head["x-api-key"] ?? head["x-goog-api-key"]).endsWith(KEY)), "the client's own key");
      assert.doesNotMatch(proxy.said(), /no such host|bug/);
      const { conversations, requests } = await proxy.reports();
      assert.deepEqual([conversations.length, conversations[0].calls, conversations[0].limit <= WINDOW, requests.made_smaller], [1, CALLS + 1, true, 0]);
      assert.ok(conversations[0].edits > 3);
    });
});

describe("clients side by side", () => {
  test("the messages of one key's owner never enter another's request, whatever their lists start with", async (t) => {
    const server = await upstreamOf(t, (_, response) => sendJson(response, 200, completion("Go on.")));
    const proxy = await proxyTo(t, server.url, "--window", "2000", "--extractive");
    const both = chat(...Array.from({ length: 9 }, (_, n) => `${n}: ${"what both of them said ".repeat(30)}`));
    const of = (name) => [...both, { role: "assistant", content: `${"a long word of mine ".repeat(200)} /home/${name}/${name}.rs` }, { role: "user", content: `And now? ${name} ${"a long question ".repeat(100)}` }];
    for (const [name, other] of [["alice", "bob"], ["bob", "alice"], ["alice", "bob"]]) {
      await post(proxy, "/v1/chat/completions", JSON.stringify({ model: "m", messages: of(name) }), { authorization: `Bearer ${name}` });
      assert.ok(!server.requests.at(-1).bytes.toString().includes(other), name);
    }
    assert.ok((await proxy.reports()).requests.fitted > 0);
  });

  test("a conversation that continues with another model has that model's limit", async (t) => {
    const server = await upstreamOf(t, (_, response) => sendJson(response, 200, completion("Go on.")));
    const proxy = await proxyTo(t, server.url);
    for (const model of ["gpt-4o", "nobody-knows-it", "gpt-4o"]) await post(proxy, "/v1/chat/completions", JSON.stringify({ model, messages: chat("Hello.") }));
    const { conversations } = await proxy.reports();
    const limits = Object.fromEntries(conversations.map(({ model, limit }) => [model, limit]));
    assert.equal(conversations.length, 2);
    assert.ok(limits["gpt-4o"] > 100_000);
    assert.ok(!(limits["nobody-knows-it"] > 0), `${limits["nobody-knows-it"]}`);
  });

  test("a past that is rewritten with each request does not grow without end: a new conversation is started", async (t) => {
    const server = await upstreamOf(t, (_, response) => sendJson(response, 200, completion("Go on.")));
    const proxy = await proxyTo(t, server.url);
    for (let n = 0; n < 30; n++) await post(proxy, "/v1/chat/completions", JSON.stringify({ model: "gpt-4o", messages: chat("Hello.", "Hello.", "An example.", "Its answer.", `${n} ${"word ".repeat(20_000)}`) }));
    assert.equal((await proxy.reports()).conversations.length, 2);
  });

  test("a request in progress when its connection broke is not sent a second time", async (t) => {
    const server = await upstreamOf(t, (request, response, _, n) => (n === 1 ? sendJson(response, 200, completion("Go on.")) : setTimeout(() => request.socket.resetAndDestroy(), 600)));
    const proxy = await proxyTo(t, server.url);
    const body = JSON.stringify({ model: "gpt-4o", messages: chat("Hello.") });
    assert.equal((await post(proxy, "/v1/chat/completions", body)).status, 200);
    assert.equal((await post(proxy, "/v1/chat/completions", body)).status, 502);
    assert.equal(server.requests.length, 2);
  });

  test("a web page of another site is refused, whatever host name it uses", async (t) => {
    const server = await upstreamOf(t, (_, response) => sendJson(response, 200, completion("Go on.")));
    const proxy = await proxyTo(t, server.url);
    const strange = [{ host: "evil.example:8484" }, { origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }];
    for (const headers of strange)
      for (const path of ["/contextfold/reports", "/v1/models"]) assert.equal((await raw(`${proxy.url}${path}`, { headers })).status, 403, JSON.stringify(headers));
    assert.equal(server.requests.length, 0);
    for (const headers of [{ host: "localhost" }, { host: "proxy:8484" }, { origin: "http://localhost:5173" }]) assert.equal((await raw(`${proxy.url}/v1/models`, { headers })).status, 200, JSON.stringify(headers));
  });

  test("content-length is forwarded even if `connection` names it: the body cannot become a separate request", async (t) => {
    const server = await upstreamOf(t, (_, response) => sendJson(response, 200, {}));
    const proxy = await proxyTo(t, server.url);
    const body = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n";
    await raw(`${proxy.url}/v1/files/1`, { method: "DELETE", headers: { connection: "content-length", "content-length": body.length }, body });
    await raw(`${proxy.url}/v1/models`);
    assert.deepEqual(server.requests.map(({ url }) => url), ["/v1/files/1", "/v1/models"]);
    assert.equal(server.requests[0].bytes.toString(), body);
  });
});

describe("a refusal as too long", () => {
  const long = chat(...Array.from({ length: 41 }, (_, n) => `${n}: ${"some words about the build ".repeat(40)}`));

  test("for an unknown model is retried with less, once, and the client does not notice", async (t) => {
    const server = await provider({ window: 4_000, calls: 0 });
    t.after(() => server.close());
    const proxy = await proxyTo(t, server.url, "--extractive");
    const messages = [...long];
    for (let n = 0; n < 3; n++) {
      const { choices } = await openai(proxy).chat.completions.create({ model: "of-nobody", messages });
      messages.push(choices[0].message, { role: "user", content: "And now?" });
    }
    assert.deepEqual([server.refused, server.bodies.length], [1, 3], "what was refused is learnt from");
    assert.ok(server.bodies.every((body) => check("openai-chat", body).length === 0));
    const { conversations: [row] } = await proxy.reports();
    assert.deepEqual([row.calls, row.made_smaller], [3, 1]);
  });

  test("that repeats is passed on as the upstream sent it", async (t) => {
    const refusal = { type: "error", error: { type: "invalid_request_error", message: "prompt is too long: 9000 tokens > 4000 maximum" } };
    const upstream = await upstreamOf(t, (_, response) => sendJson(response, 400, refusal, { "request-id": "req_1" }));
    const proxy = await proxyTo(t, upstream.url, "--extractive");
    const failed = await anthropic(proxy, { defaultHeaders: { "idempotency-key": "once" } }).messages.create({ model: "of-nobody", max_tokens: 100, messages: long }).catch((error) => error);
    assert.ok(failed instanceof Anthropic.BadRequestError);
    assert.deepEqual([failed.error, failed.headers.get("request-id"), upstream.requests.length], [refusal, "req_1", 2]);
    assert.ok(upstream.requests[1].bytes.length < upstream.requests[0].bytes.length);
    assert.deepEqual(upstream.requests.map(({ headers }) => headers["idempotency-key"]), ["once", undefined], "the smaller one is another request");
  });

  test("of one of several parallel requests of a conversation is retried with that request's own list", async (t) => {
    const upstream = await upstreamOf(t, async (_, response, bytes) => {
      const { messages } = JSON.parse(bytes);
      if (bytes.length > 20_000) return sendJson(response, 413, { error: { message: "This model's maximum context length is 4000 tokens. However, your messages resulted in 9000 tokens.", code: "context_length_exceeded" } });
      sendJson(response, 200, completion(messages.at(-1).content));
    });
    const proxy = await proxyTo(t, upstream.url, "--extractive");
    const asked = Array.from({ length: 12 }, (_, n) => `question ${n}`);
    const answers = await Promise.all(asked.map((content) => openai(proxy).chat.completions.create({ model: "of-nobody", messages: [...long, { role: "assistant", content: "Yes." }, { role: "user", content }] })));
    assert.deepEqual(answers.map(({ choices }) => choices[0].message.content), asked);
  });
});

// ---- the wire

describe("what passes through unchanged", () => {
  test("other paths, with any contents; headers of both sides, in order, duplicates included", async (t) => {
    const upstream = await upstreamOf(t, (request, response) => {
      response.sendDate = false;
      response.writeHead(request.method === "DELETE" ? 404 : 200, "As It Is", ["X-One", "1", "Set-Cookie", "a=1", "x-two", "2", "Set-Cookie", "b=2", "Content-Length", "2"]);
      response.end(request.method === "HEAD" ? undefined : "ok");
    });
    const proxy = await proxyTo(t, `${upstream.url}/base/v1`);
    for (const [method, path, body] of [["GET", "/v1/models?after=x%20y&key=z"], ["HEAD", "/v1/models"], ["DELETE", "/v1/files/1"], ["POST", "/v1/messages/count_tokens", '{"messages":[ ]}'], ["PUT", "/v1beta/x:generateContent", Buffer.from([0, 255, 13])]]) {
      const { status, rawHeaders, bytes } = await raw(`${proxy.url}${path}`, { method, body, headers: { "X-Mine": "yes", Authorization: KEY, Connection: "close, X-Hop", "X-Hop": "no" } });
      assert.equal(status, method === "DELETE" ? 404 : 200);
      assert.deepEqual(rawHeaders.slice(0, 10), ["X-One", "1", "Set-Cookie", "a=1", "x-two", "2", "Set-Cookie", "b=2", "Content-Length", "2"]);
      assert.equal(bytes.toString(), method === "HEAD" ? "" : "ok");
      const came = upstream.requests.at(-1);
      assert.deepEqual([came.method, came.url, came.headers["x-mine"], came.headers.authorization, came.headers["x-hop"], came.headers.host], [method, path.startsWith("/v1/") ? `/base${path}` : `/base/v1${path}`, "yes", KEY, undefined, new URL(upstream.url).host]);
      assert.deepEqual(came.bytes, Buffer.from(body ?? ""));
    }
    const chunked = http.request(`${proxy.url}/v1/files`, { method: "POST" });
    chunked.write("one ");
    chunked.end("two");
    await once(chunked, "response");
    assert.equal(upstream.requests.at(-1).bytes.toString(), "one two");
  });

  test("bodies that are not conversations, byte for byte: malformed, compressed, not an object, not text", async (t) => {
    const upstream = await upstreamOf(t, (_, response) => sendJson(response, 400, { error: { message: "We could not parse the JSON body of your request." } }));
    const proxy = await proxyTo(t, upstream.url);
    const bodies = ['{"messages": [', "null", "[1,2]", '"text"', "", '{"messages":"hello"}', '{"model":7,"messages":[null,3,{"role":"x"}]}', '{ "input" : "a text",  "model":"m" }', '{"previous_response_id":"r","input":[]}', Buffer.from([0xff, 0xfe, 0x7b])];
    for (const body of bodies)
      for (const path of ["/v1/responses", "/v1/chat/completions", "/v1/messages"]) {
        const { status, bytes } = await post(proxy, path, body);
        assert.equal(status, 400);
        assert.match(bytes.toString(), /could not parse/);
        assert.deepEqual(upstream.requests.at(-1).bytes, Buffer.from(body), `${path} ${body}`);
      }
    const packed = gzipSync(JSON.stringify({ messages: chat("hello") }));
    await post(proxy, "/v1/chat/completions", packed, { "content-encoding": "gzip" });
    assert.deepEqual([upstream.requests.at(-1).bytes, upstream.requests.at(-1).headers["content-encoding"]], [packed, "gzip"]);
  });

  test("compressed answers: unchanged, or decompressed if a conversation is read", async (t) => {
    const packed = gzipSync(JSON.stringify(completion("packed")));
    const upstream = await upstreamOf(t, (_, response) => response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip", "content-length": packed.length }).end(packed));
    const proxy = await proxyTo(t, upstream.url);
    const models = await raw(`${proxy.url}/v1/models`, { headers: { "accept-encoding": "gzip" } });
    assert.deepEqual([models.headers["content-encoding"], models.bytes], ["gzip", packed]);
    const answer = await openai(proxy).chat.completions.create({ model: "m", messages: chat("hello") });
    assert.equal(answer.choices[0].message.content, "packed");
    const read = await post(proxy, "/v1/chat/completions", JSON.stringify({ model: "m", messages: chat("hello") }));
    assert.deepEqual([read.headers["content-encoding"], read.bytes], [undefined, gunzipSync(packed)]);
    assert.equal(upstream.requests.at(-1).headers["accept-encoding"], "identity");
  });

  test("a connection that the upstream closes just as it is reused is not a failure", async (t) => {
    const used = new WeakSet();
    const upstream = await upstreamOf(t, ({ socket }, response) => {
      if (used.has(socket)) return socket.destroy();
      used.add(socket);
      sendJson(response, 200, completion("hello"));
    });
    const proxy = await proxyTo(t, upstream.url);
    for (let n = 0; n < 3; n++) assert.equal((await post(proxy, "/v1/chat/completions", JSON.stringify({ model: "m", messages: chat("hello") }))).status, 200);
    assert.equal(upstream.requests.length, 5);
  });

  test("errors of the upstream, as the SDKs expect them", async (t) => {
    const bodies = { 400: { error: { message: "Unknown parameter.", type: "invalid_request_error", code: "unknown_parameter", param: "x" } }, 401: { error: { message: "no key" } }, 429: { error: { message: "slow down" } }, 500: { error: { message: "broken" } }, 529: { error: { message: "overloaded" } } };
    const upstream = await upstreamOf(t, (_, response, bytes) => {
      const status = Number(JSON.parse(bytes).model);
      sendJson(response, status, bodies[status], { "retry-after": "7", "x-request-id": `r${status}` });
    });
    const proxy = await proxyTo(t, upstream.url);
    for (const [status, body] of Object.entries(bodies)) {
      const failed = await openai(proxy).chat.completions.create({ model: status, messages: chat("hello") }).catch((error) => error);
      assert.ok(failed instanceof OpenAI.APIError);
      assert.deepEqual([failed.status, failed.error, failed.headers.get("retry-after"), failed.requestID], [Number(status), body.error, "7", `r${status}`]);
      assert.equal((await anthropic(proxy).messages.create({ model: status, max_tokens: 1, messages: chat("hello") }).catch((error) => error)).status, Number(status));
    }
    assert.equal(upstream.requests.length, 2 * Object.keys(bodies).length, "nothing is tried again");
  });
});

describe("streams", () => {
  const EVENTS = ['event: a\r\ndata: {"n":1}\r\n\r\n', ": a comment\n\n", 'data: {"usage":{"prompt_tokens":3,"completion_tokens":1}}\n\n', "data: [DO", "NE]\n\n", "data: no end of line"];

  test("bytes arrive unchanged, each as soon as it is there", async (t) => {
    let next;
    const upstream = await upstreamOf(t, async (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
      response.flushHeaders();
      for (const event of EVENTS) {
        await new Promise((go) => (next = go));
        response.write(event);
      }
      response.end();
    });
    const proxy = await proxyTo(t, upstream.url);
    const response = await fetch(`${proxy.url}/v1/chat/completions`, { method: "POST", body: JSON.stringify({ model: "m", stream: true, messages: chat("hello") }) });
    assert.equal(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
    const reader = response.body.getReader();
    for (const event of EVENTS) {
      next(); // the previous one has arrived
      const { value } = await reader.read();
      assert.equal(Buffer.from(value).toString(), event);
    }
    assert.ok((await reader.read()).done);
  });

  test("a stream that is cut off is cut off for the client too, and the proxy goes on", async (t) => {
    const server = await provider({ calls: 0, breakAt: 0 });
    t.after(() => server.close());
    const proxy = await proxyTo(t, server.url);
    const asked = { model: "m", stream: true, messages: chat("hello") };
    const read = async () => {
      let text = "";
      for await (const { choices } of await openai(proxy).chat.completions.create(asked)) text += choices[0]?.delta?.content ?? "";
      return text;
    };
    await assert.rejects(read());
    assert.equal(await read(), ANSWER);
    const cut = await upstreamOf(t, (_, response) => (response.writeHead(200, { "content-type": "application/json", "content-length": "1000" }), response.write('{"id":'), after(20).then(() => response.destroy())));
    const other = await proxyTo(t, cut.url);
    await assert.rejects(raw(`${other.url}/v1/models`));
    const { status, bytes } = await post(other, "/v1/responses", JSON.stringify({ model: "m", input: chat("hello") }));
    assert.equal(status, 502, "of JSON nobody can use a half");
    assert.match(bytes.toString(), /the upstream broke off in the middle of its answer/);
    assert.doesNotMatch(other.said(), /bug/);
  });

  test("a client that disconnects ends its upstream request, before the answer and during it", async (t) => {
    const gone = [];
    const upstream = await upstreamOf(t, (request, response, bytes) => {
      gone.push(once(response, "close"));
      if (JSON.parse(bytes).stream) response.writeHead(200, { "content-type": "text/event-stream" }).write('data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n');
    });
    const proxy = await proxyTo(t, upstream.url);
    const controller = new AbortController();
    const waiting = openai(proxy).chat.completions.create({ model: "m", messages: chat("hello") }, { signal: controller.signal });
    while (gone.length < 1) await after(5);
    controller.abort();
    await assert.rejects(waiting, OpenAI.APIUserAbortError);
    const stream = await openai(proxy).chat.completions.create({ model: "m", stream: true, messages: chat("hello") });
    for await (const { choices } of stream) if (choices.length) break; // which aborts it
    assert.equal(gone.length, 2);
    await Promise.all(gone);
    assert.doesNotMatch(proxy.said(), /failed|bug/i);
  });

  test("a client that reads slowly slows the upstream", async (t) => {
    const CHUNK = `data: ${"x".repeat(65_530 - 8)}\n\n`;
    let sent = 0;
    const upstream = await upstreamOf(t, async (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (; sent < 1000 && !response.destroyed; sent++) if (!response.write(CHUNK)) await once(response, "drain");
      response.end();
    });
    const proxy = await proxyTo(t, upstream.url);
    const request = http.request(`${proxy.url}/v1/chat/completions`, { method: "POST", agent: false });
    request.end(JSON.stringify({ model: "m", stream: true, messages: chat("hello") }));
    const [response] = await once(request, "response");
    response.pause();
    await after(400);
    const held = sent;
    assert.ok(held < 700, `${held} of 1000 chunks were sent to a client that reads nothing`);
    let length = 0;
    for await (const chunk of response) length += chunk.length;
    assert.deepEqual([length, sent], [1000 * CHUNK.length, 1000]);
  });
});

// ---- many, and large

describe("under load", () => {
  test("a thousand requests, fifty at once: each gets its own answer", async (t) => {
    const upstream = await upstreamOf(t, (_, response, bytes) => sendJson(response, 200, completion(`to ${JSON.parse(bytes).messages.at(-1).content}`)));
    const proxy = await proxyTo(t, upstream.url, "--window", "100k");
    let next = 0;
    const work = async () => {
      for (let n = next++; n < 1000; n = next++) {
        const about = `conversation ${n % 300}`; // more than are kept
        const messages = chat(about, `to ${about}`, `${n}`);
        const response = await fetch(`${proxy.url}/v1/chat/completions`, { method: "POST", headers: { authorization: KEY }, body: JSON.stringify({ model: "m", messages }) });
        assert.equal((await response.json()).choices[0].message.content, `to ${n}`);
      }
    };
    await Promise.all(Array.from({ length: 50 }, work));
    assert.deepEqual(upstream.requests.map(({ bytes }) => Number(JSON.parse(bytes).messages.at(-1).content)).sort((a, b) => a - b), Array.from({ length: 1000 }, (_, n) => n));
    const { requests, conversations } = await proxy.reports();
    assert.deepEqual([requests.requests, requests.failed, conversations.length], [1000, 0, 100]);
  });

  test("bodies of 10 MB: they are made to fit, or passed on as they are", async (t) => {
    const upstream = await upstreamOf(t, (_, response, bytes) => sendJson(response, 200, completion(String(bytes.length))));
    const proxy = await proxyTo(t, upstream.url, "--window", "100k", "--extractive");
    const log = `${"error in src/main.rs, line 17; ".repeat(8_000)}\n`;
    const messages = chat("Why does the build fail?", ...Array.from({ length: 40 }, () => log), "And now?");
    const body = JSON.stringify({ model: "m", messages });
    assert.ok(body.length > 9_500_000);
    const made = JSON.parse((await post(proxy, "/v1/chat/completions", body)).bytes).choices[0].message.content;
    assert.ok(Number(made) < 1_000_000, made);
    const text = JSON.stringify({ model: "m", input: "x".repeat(10_000_000) });
    assert.equal((await post(proxy, "/v1/responses", text)).status, 200);
    assert.equal(upstream.requests.at(-1).bytes.length, text.length);
    await post(proxy, "/v1/files", "x".repeat(10_000_000));
    assert.equal(upstream.requests.at(-1).bytes.length, 10_000_000);
  });

  test("bodies larger than any API accepts are refused, in the API's own shape", async (t) => {
    const upstream = await upstreamOf(t, (_, response) => sendJson(response, 200, {}));
    const proxy = await proxyTo(t, upstream.url);
    const request = http.request(`${proxy.url}/v1/messages`, { method: "POST", headers: { "content-length": 100_000_001 } });
    request.on("error", () => {}); // the connection closes with the answer
    request.flushHeaders();
    const [response] = await once(request, "response");
    let text = "";
    for await (const chunk of response) text += chunk;
    request.destroy();
    const { type, error } = JSON.parse(text);
    assert.deepEqual([response.statusCode, type, error.type], [413, "error", "request_too_large"]);
    assert.match(error.message, /limit of 100 MB/);
    assert.equal(upstream.requests.length, 0);
  });
});

// ---- the process

describe("the process", () => {
  test("an unreachable upstream is reported in the API's own shape, and once on standard error", async (t) => {
    const proxy = await proxyTo(t, "http://127.0.0.1:1");
    const ours = await openai(proxy).responses.create({ model: "m", input: chat("hello") }).catch((error) => error);
    assert.deepEqual([ours.status, ours.code], [502, "contextfold_502"]);
    assert.match(ours.message, /127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\); check --upstream/);
    const theirs = await anthropic(proxy).messages.create({ model: "m", max_tokens: 1, messages: chat("hello") }).catch((error) => error);
    assert.deepEqual([theirs.status, theirs.error.type, theirs.error.error.type], [502, "error", "api_error"]);
    assert.equal((await raw(`${proxy.url}/v1/models`)).status, 502);
    assert.equal(proxy.said().match(/cannot be reached/g).length, 1);
  });

  test("its output and reports contain neither keys nor message texts; a model's name cannot break the page", async (t) => {
    const server = await provider({ window: 4_000, calls: 0, summary: () => assert.fail("no") });
    t.after(() => server.close());
    const proxy = await proxyTo(t, server.url, "--window", "4k", "--preset", "rolling");
    const secret = "the-secret-word";
    const messages = chat(...Array.from({ length: 41 }, (_, n) => `${n} ${secret} ${"and some words ".repeat(60)}`));
    const model = '<script>"m"</script>';
    for (let n = 0; n < 3; n++) await openai(proxy).chat.completions.create({ model, messages });
    await anthropic(proxy).messages.create({ model, max_tokens: 10, messages });
    await post(proxy, `/v1/messages/count_tokens?key=${KEY}`, "{}");
    const page = await (await fetch(`${proxy.url}/contextfold`)).text();
    const json = await (await fetch(`${proxy.url}/contextfold/reports`)).text();
    for (const text of [page, json, proxy.said()]) for (const word of [KEY, secret]) assert.ok(!text.includes(word), `${word} in ${text}`);
    assert.ok(page.includes("&lt;script&gt;&quot;m&quot;&lt;/script&gt;") && !page.includes("<script"));
    const { conversations } = JSON.parse(json);
    assert.deepEqual(conversations.map(({ api }) => api), ["anthropic", "chat"], "the newest first");
    assert.ok(conversations.every(({ edits, newest_edit }) => edits > 0 && newest_edit.tokens_after <= 4_000));
    assert.equal((await (await fetch(`${proxy.url}/contextfold/reports?limit=1`)).json()).conversations.length, 1);
    assert.equal((await fetch(`${proxy.url}/contextfold/other`)).status, 404);
  });

  for (const signal of ["SIGTERM", "SIGINT"])
    test(`${signal}: requests in progress finish, new ones are not accepted, and the exit code is 0`, async (t) => {
      let finish;
      const upstream = await upstreamOf(t, async (_, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" }).write("data: one\n\n");
        await new Promise((done) => (finish = done));
        response.end("data: two\n\n");
      });
      const proxy = await proxyTo(t, upstream.url);
      await (await fetch(`${proxy.url}/contextfold/reports`)).text(); // an idle keep-alive connection
      const response = await fetch(`${proxy.url}/v1/chat/completions`, { method: "POST", body: JSON.stringify({ model: "m", messages: chat("hello") }) });
      const text = response.text();
      proxy.child.kill(signal);
      let refused;
      for (let n = 0; n < 100 && !refused; n++) refused = await raw(`${proxy.url}/contextfold/reports`).then(() => after(10), (error) => error);
      assert.match(`${refused?.code}`, /^ECONN(REFUSED|RESET)$/); // reset if the system had accepted the connection just before
      finish();
      assert.equal(await text, "data: one\n\ndata: two\n\n");
      assert.equal(await proxy.ended, 0);
    });

  test("a second signal ends requests in progress", async (t) => {
    const upstream = await upstreamOf(t, (_, response) => response.writeHead(200, { "content-type": "text/event-stream" }).write("data: one\n\n"));
    const proxy = await proxyTo(t, upstream.url);
    const response = await fetch(`${proxy.url}/v1/chat/completions`, { method: "POST", body: JSON.stringify({ model: "m", messages: chat("hello") }) });
    const text = assert.rejects(response.text());
    proxy.child.kill("SIGTERM");
    await after(100);
    proxy.child.kill("SIGTERM");
    await text;
    assert.equal(await proxy.ended, 0);
  });

  test("wrong arguments, and its help", async (t) => {
    const run = (...args) => promisify(execFile)(process.execPath, [CLI, "proxy", ...args], { timeout: 20_000 }).then(({ stdout }) => ({ stdout }), (error) => error);
    const wrong = {
      "": /--upstream URL is needed/,
      "--upstream api.openai.com": /not a URL such as/,
      "--upstream https://user:pass@host": /keys are sent with each request/,
      "--upstream http://host --port 70000": /not a port/,
      "--upstream http://host --preset nope": /no preset `nope`/,
      "--upstream http://host --models /nowhere.json": /cannot read \/nowhere.json: no such file/,
      "--upstream http://host --window 0": /--window: expected a whole number of at least 1, got 0/,
      [`--upstream http://host --models ${fileURLToPath(new URL("../../package.json", import.meta.url))}`]: /`models\.name`: expected an object/,
      "FILE --upstream http://host": /takes no FILE/,
    };
    const proxy = await proxyTo(t, "http://127.0.0.1:1");
    wrong[`--upstream http://host --port ${new URL(proxy.url).port}`] = /port is already in use/;
    const judged = Object.entries(wrong).map(async ([args, expected]) => {
      const { code, stderr } = await run(...args.split(" ").filter(Boolean));
      assert.equal(code, 2, stderr);
      assert.match(stderr, expected);
      assert.match(stderr, /^contextfold: [A-Z_]+: [^\n]+\n$/);
    });
    await Promise.all(judged);
    const { stdout } = await run("--help");
    for (const flag of ["--upstream", "--port", "--host", "--window", "--models", "--preset", "--extractive"]) assert.ok(stdout.includes(flag), flag);
  });
});

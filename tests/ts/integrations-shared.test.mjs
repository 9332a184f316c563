// What the integrations share, tested alone: headers, and streams put back together.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Session, check } from "contextfold";
import { runChat, runResponses } from "contextfold/openai";
import { Owners } from "../../pkg/cli/proxy/owners.js";
import { Reports } from "../../pkg/cli/proxy/reports.js";
import { runLoop } from "../../pkg/integrations/shared/agent-loop.js";
import { completionOf } from "../../pkg/integrations/shared/chat-stream.js";
import { withoutHeader } from "../../pkg/integrations/shared/header.js";
import { foldsOf } from "contextfold/ai-sdk-ui";
import { fit, fittingFetch } from "contextfold/openai";
import { prepareStep } from "contextfold/ai-sdk";
import { memoryStore } from "contextfold/stores/memory";
import { BodyKeeper } from "../../pkg/integrations/shared/bodies.js";
import { sendFitting } from "../../pkg/integrations/shared/http.js";
import { usageIn } from "../../pkg/integrations/shared/summed.js";

test("a header into which an instruction was merged is not repeated", () => {
  const merged = [{ role: "system", content: "Be brief.\n\nNever push." }, { role: "user", content: "go" }];
  const { entries } = withoutHeader({ input: merged }, "Be brief.");
  assert.deepEqual(entries, [{ role: "system", content: "Never push." }, { role: "user", content: "go" }]);
  const blocks = { system: [{ type: "text", text: "Be brief.\n\nNever push." }], messages: [] };
  assert.deepEqual(withoutHeader(blocks, "Be brief.").system, [{ type: "text", text: "Never push." }]);
  assert.deepEqual(withoutHeader({ input: merged }, "Be").entries, merged);
});

test("streams: an empty first chunk, and a name that comes in pieces", async () => {
  const call = (name, more = {}) => ({ delta: { tool_calls: [{ index: 0, function: { name }, ...more }] }, index: 0 });
  const chunks = [
    { id: "", model: "", choices: [] },
    { id: "c1", model: "gpt-5", choices: [call("get_", { id: "call_1" })] },
    { id: "c1", model: "gpt-5", choices: [call("weather")] },
    { id: "c1", model: "gpt-5", choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
  ];
  const whole = await completionOf(chunks);
  assert.equal(whole.id, "c1");
  assert.equal(whole.model, "gpt-5");
  assert.equal(whole.choices[0].message.tool_calls[0].function.name, "get_weather");
  const again = await completionOf([chunks[1], chunks[1], chunks[3]]);
  assert.equal(again.choices[0].message.tool_calls[0].function.name, "get_");
});

test("usage is recorded when a request was retried with less", async () => {
  const recorded = [];
  const keeper = {
    fit: async (body) => ({ body, conversation: "c" }),
    recovered: async (fitting) => ({ ...fitting, body: { smaller: true } }),
    record: ({ body }, usage) => recorded.push({ body, usage }),
  };
  const json = (status, value) => new Response(JSON.stringify(value), { status, headers: { "content-type": "Application/Problem+JSON" } });
  const answers = [json(400, { error: {} }), json(200, { usage: { input_tokens: 7 } })];
  const response = await sendFitting(keeper, "{}", { send: async () => answers.shift() });
  assert.equal(response.status, 200);
  assert.deepEqual(recorded, [{ body: { smaller: true }, usage: { input_tokens: 7 } }]);
});

test("what is not changed in a request is sent as it was written, integers beyond 2^53 included", async () => {
  const call = (n, id) => `{"role": "assistant", "content": [{"type":"text","text":${JSON.stringify(`I look at account ${n}. `.repeat(200))}}, {"type":"tool_use","id":"toolu_${n}","name":"read","input":{"account": ${id}, "9":0, "1": 1.0}}]}`;
  const output = (n) => `{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_${n}","content":${JSON.stringify(`balance ${n}; \"quoted\" \\\\ `.repeat(200))}}]}`;
  // Their digits differ only where `JSON.parse` rounds.
  const ids = Array.from({ length: 30 }, (_, n) => String(9007199254740993n + BigInt(n)));
  const tools = `[{"name":"read","input_schema":{"type":"object","properties":{"account":{"type":"integer","maximum":18446744073709551615},"2":{},"1":{}}}}]`;
  const text = `{ "model": "m", "temperature": 1.0, "tools": ${tools}, "messages": [{"role":"user","content":"Read [ all {accounts\\""}, ${ids.flatMap((id, n) => [call(n, id), output(n)]).join(", ")}, {"role" :"assistant","content": "\\u0041ll."}, {"content":"And now?", "role":"user"}] }`;
  const sent = [];
  const keeper = new BodyKeeper("test", "anthropic", { contextWindow: 9_000, ladder: [{ pass: "even_cut" }], strict: true });
  const refused = new Response(JSON.stringify({ error: { message: "prompt is too long: 9000 tokens > 8000 maximum" } }), { status: 400 });
  await sendFitting(keeper, text, { send: async (body) => (sent.push(body), sent.length === 1 ? refused : new Response("{}")) });
  assert.equal(sent.length, 2, "one request was refused, and one that is smaller was sent");
  for (const body of sent) {
    assert.ok(body.length < text.length / 2);
    for (const part of [`"temperature":1.0`, `"tools":${tools}`, `"Read [ all {accounts\\""`, '{"role" :"assistant","content": "\\u0041ll."},{"content":"And now?", "role":"user"}']) assert.ok(body.includes(part), part);
    const accounts = [...body.matchAll(/"toolu_(\d+)","name":"read","input":\{"account": ?(\d+)/g)];
    assert.equal(accounts.length, 30);
    for (const [, n, id] of accounts) assert.equal(id, ids[n]);
  }
});

test("`fittingFetch` makes the body of a `Request` fit, too, and says which bodies it cannot read", async () => {
  const url = "https://api.openai.com/v1/chat/completions";
  const messages = Array.from({ length: 40 }, (_, n) => ({ role: n % 2 ? "assistant" : "user", content: `message ${n} `.repeat(100) }));
  const body = JSON.stringify({ model: "m", messages });
  const sent = [];
  const inner = async (...given) => {
    const request = new Request(...given);
    sent.push({ body: await request.text(), headers: Object.fromEntries(request.headers), signal: request.signal });
    return new Response("{}", { headers: { "content-type": "application/json" } });
  };
  const fetching = fittingFetch({ contextWindow: 4_000, fetch: inner, strict: true });
  const headers = { authorization: "Bearer k", "content-type": "application/json", "content-length": String(body.length) };
  const { signal } = new AbortController();
  for (const given of [[url, { method: "POST", headers, body, signal }], [new Request(url, { method: "POST", headers, body, signal })], [new Request(url, { headers }), { method: "POST", body, signal }]]) {
    await fetching(...given);
    const { body: made, headers: withHeaders } = sent.pop();
    assert.ok(made.length < body.length / 2, `${made.length}`);
    assert.equal(withHeaders.authorization, "Bearer k");
    assert.equal(withHeaders["content-length"], undefined, "it would be wrong");
  }
  const small = JSON.stringify({ model: "m", messages: messages.slice(0, 1) });
  await fetching(new Request(url, { method: "POST", body: small }));
  assert.equal(sent.pop().body, small);
  await fetching(new Request(`${url}/c1`, { method: "POST", body }));
  assert.equal(sent.pop().body, body, "another path");

  const errors = [];
  const failingOpen = fittingFetch({ contextWindow: 4_000, fetch: inner, onError: (error) => errors.push(error) });
  const unreadable = { method: "POST", body: new TextEncoder().encode(body) };
  await failingOpen(url, unreadable);
  assert.equal(sent.pop().body, body);
  assert.deepEqual(errors.map(({ code }) => code), ["INVALID_ARGUMENT"]);
  await assert.rejects(fetching(url, unreadable), { code: "INVALID_ARGUMENT", message: /JSON\.stringify/ });
});

test("calls whose server gives them no id, an empty one, or the same one are paired with their outputs by their order", async () => {
  const text = (of) => `${of} ${"word ".repeat(2000)}`;
  const answer = (id, n) => ({ role: "assistant", content: "", tool_calls: ["read", "list", "read"].map((name) => ({ ...id, type: "function", function: { name, arguments: `{"n":${n}}` } })) });
  const outputs = (id, n) => ["first", "second", "third"].map((which) => ({ role: "tool", ...id, content: text(`${which} of ${n}`) }));
  for (const [inCall, inOutput] of [[{ id: "" }, { tool_call_id: "" }], [{}, {}], [{ id: null }, {}], [{ id: "call" }, { tool_call_id: "call" }]]) {
    const reports = [];
    const fitting = fit({ contextWindow: 20_000, ladder: [{ pass: "even_cut" }], strict: true, onReport: (report) => reports.push(report) });
    const messages = [{ role: "user", content: "Go." }];
    let sent;
    for (let n = 0; n < 6; n++) {
      messages.push(answer(inCall, n), ...outputs(inOutput, n));
      const before = sent;
      sent = (await fitting({ model: "m", messages })).messages;
      assert.deepEqual(check("openai-chat", sent).filter(({ severity }) => severity === "error"), [], "each call has an id, and its output the same one");
      assert.deepEqual(sent.map(({ role }) => role), messages.map(({ role }) => role));
      for (const [i, { content }] of sent.entries()) assert.equal(content.slice(0, 8), messages[i].content.slice(0, 8), "in their order");
      if (before) assert.deepEqual(sent.map(idsOf).slice(0, before.length), before.map(idsOf), "the same ids in each request");
      messages.splice(1, Infinity, ...structuredClone(messages.slice(1)));
    }
    assert.ok(JSON.stringify(sent).length < JSON.stringify(messages).length / 2, "it was made to fit");
    assert.ok(reports.slice(1).every(({ conversation }) => conversation.by === "beginning"));
    const again = await fitting({ model: "m", messages: sent });
    assert.deepEqual(again.messages.map(idsOf), sent.map(idsOf), "a caller may go on from what was sent");
  }
  const interrupted = [{ role: "user", content: "Go." }, answer({}, 0), { role: "user", content: "No, this." }, answer({}, 1), ...outputs({}, 1)];
  const { messages } = await fit({ contextWindow: 100_000, strict: true })({ model: "m", messages: interrupted });
  assert.deepEqual(check("openai-chat", messages), [], "outputs answer the newest calls");
  assert.equal(messages.at(-1).tool_call_id, messages.findLast(({ role }) => role === "assistant").tool_calls[2].id);
});

test("where Chat Completions cannot be fitted, the caller's own list goes out", async () => {
  const user = { role: "user", content: "Go." };
  const call = { type: "function", function: { name: "read", arguments: "{}" } };
  for (const broken of [{ role: "assistant", content: "x", tool_calls: {} }, { role: "assistant", content: null, tool_calls: [null] }, { role: "assistant", content: null, tool_calls: [call, 5] }]) {
    const errors = [];
    const body = { model: "m", messages: [user, { role: "assistant", content: null, tool_calls: [call] }, { role: "tool", content: "ok" }, broken, user] };
    const sent = await fit({ contextWindow: 100_000, onError: (error) => errors.push(error) })(body);
    assert.equal(errors.length, 1, JSON.stringify(broken));
    assert.equal(sent, body);
  }
});

const idsOf = ({ tool_call_id, tool_calls }) => tool_call_id ?? tool_calls?.map(({ id }) => id);

test("the proxy's figures are in the model's own tokens, like the limit", async () => {
  const session = new Session({ model: "claude-sonnet-4-5", contextWindow: 3_000, ladder: "rolling" });
  for (let n = 0; n < 40; n++) session.push({ role: n % 2 ? "assistant" : "user", content: `message ${n} `.repeat(30) });
  const { report } = await session.prepare();
  const reports = new Reports("https://api.anthropic.com");
  reports.call({ conversation: {}, report }, { name: "anthropic" }, "claude-sonnet-4-5");
  const [{ tokens, limit, parts, newest_edit }] = reports.newest().conversations;
  assert.ok(report.counter.calibration > 1 && tokens > report.tokens_after);
  assert.deepEqual([tokens, limit, newest_edit.tokens_after], [report.counter.corrected_tokens, report.limit, tokens]);
  assert.ok(Math.abs(parts.reduce((sum, part) => sum + part.tokens, 0) - tokens) <= parts.length);
  assert.ok(newest_edit.decisions[0].tokens_before > report.decisions[0].tokens_before);
});

test("a hook without a window says so once, in its reports or on the console", async () => {
  const said = [];
  const { warn } = console;
  console.warn = (text) => said.push(text);
  try {
    const fitting = fit({});
    for (const content of ["go", "on"]) await fitting({ input: [{ role: "user", content }] });
    assert.equal(said.length, 1);
    assert.match(said[0], /neither `model` nor `contextWindow`.*reported once/);
    const reports = [];
    const heard = fit({ onReport: (report) => reports.push(report) });
    for (const content of ["go", "on"]) await heard({ input: [{ role: "user", content }] });
    assert.deepEqual([said.length, reports.length], [1, 1]);
  } finally {
    console.warn = warn;
  }
});

test("a loop that throws frees the session it created, and leaves the caller's alone", async (t) => {
  const freed = [];
  const { free } = Session.prototype;
  t.after(() => (Session.prototype.free = free));
  Session.prototype.free = function () {
    freed.push(this);
    return free.call(this);
  };
  const api = { format: "openai-chat", list: "messages", first: (list) => list, refusal: () => null, create: async () => Promise.reject(new Error("the client is down")) };
  const body = { messages: [{ role: "user", content: "go" }] };
  const thrown = { message: "the client is down" };
  // Each run makes two: one to try out the options, and its own.
  await assert.rejects(runLoop(api, {}, body, { contextWindow: 4_000 }), thrown);
  assert.equal(freed.length, 2);
  for (const one of freed) assert.throws(() => one.tokens, { code: "FREED" });
  const session = new Session({ contextWindow: 4_000 });
  await assert.rejects(runLoop(api, {}, body, { session }), thrown);
  assert.deepEqual([freed.length, session.messages.length], [2, 1]);
  await assert.rejects(runLoop(api, {}, { messages: 7 }, { contextWindow: 4_000 }), thrown);
  assert.equal(freed.length, 4);
});

test("a streamed response has its `output_text`, as the SDK gives one that is not streamed", async () => {
  const said = (text) => ({ type: "output_text", text, annotations: [] });
  const output = [{ type: "message", id: "m", role: "assistant", status: "completed", content: [said("Done"), { type: "refusal", refusal: "no" }, said(".")] }];
  const response = { id: "r", object: "response", status: "completed", output, usage: { input_tokens: 9, output_tokens: 2, total_tokens: 11 } };
  async function* events() {
    yield { type: "response.created", response: { ...response, output: [] } };
    yield { type: "response.completed", response };
  }
  const run = async (end) => (await runResponses({ responses: { create: async () => end() } }, { model: "gpt-5", input: "Hi", stream: true }, { contextWindow: 8000 })).response;
  assert.equal((await run(events)).output_text, "Done.");
  assert.equal(response.output_text, undefined, "the event's own object is the caller's");
});

test("strict: a failed summary fails the step, though the view fits without it", async () => {
  const messages = [{ role: "user", content: "Why?" }];
  for (let n = 0; n < 40; n++) {
    const call = { toolCallId: `c${n}`, toolName: "read" };
    const output = { type: "text", value: "a line\n".repeat(120) };
    messages.push({ role: "assistant", content: [{ type: "tool-call", ...call, input: {} }] }, { role: "tool", content: [{ type: "tool-result", ...call, output }] });
  }
  const summarize = () => Promise.reject(new Error("overloaded"));
  for (const compaction of [{}, { onFailure: "error" }]) {
    const options = { contextWindow: 4000, summarize, compaction };
    const step = prepareStep({ ...options, strict: true });
    await assert.rejects(step({ messages, steps: [], stepNumber: 0 }), { code: "SUMMARY_FAILED", message: /overloaded/ });
    const heard = [];
    await prepareStep({ ...options, onError: (error) => heard.push(error.code) })({ messages, steps: [], stepNumber: 0 });
    assert.deepEqual(heard, ["SUMMARY_FAILED"]);
  }
});

test("an error of `onReport` says where it comes from", async () => {
  const options = { onReport: (report) => report.nothing.length };
  const call = { messages: [{ role: "user", content: "Why?" }], steps: [], stepNumber: 0 };
  const heard = [];
  await prepareStep({ ...options, onError: (error) => heard.push(error) })(call);
  assert.match(heard[0].message, /^your `onReport` threw: Cannot read properties of undefined/);
  assert.ok(heard[0].cause instanceof TypeError);
  await assert.rejects(prepareStep({ ...options, strict: true })(call), /your `onReport` threw/);
});

test("two runs under one key: the hook's user is told what they can do", async () => {
  const store = memoryStore();
  const told = [];
  const client = { chat: { completions: { create: async () => ({ choices: [{ message: { role: "assistant", content: "done" } }] }) } } };
  const run = (content) => runChat(client, { model: "gpt-5", messages: [{ role: "user", content }] }, { contextWindow: 8000, execute: {}, store, key: "chat-17", onError: (error) => told.push(error) });
  await Promise.all([run("A"), run("B")]);
  assert.deepEqual([...new Set(told.map(({ code }) => code))], ["STORE_CONFLICT"]);
  assert.match(told[0].message, /`chat-17`.*a `key` of its own/);
  assert.match(told[0].cause.message, /already saved/);
});

test("a hook with a store and no key says that nothing would be saved", () => {
  const store = memoryStore();
  assert.throws(() => prepareStep({ contextWindow: 8000, store }), { code: "INVALID_CONFIG", message: /nothing is saved without a `key`/ });
  prepareStep({ contextWindow: 8000, store, key: "chat-17" });
  prepareStep({ contextWindow: 8000, store, toolOutputCache: { memoryBytes: 1000 } }); // outputs go there
});

test("an unknown option of a hook: the error suggests a near name, or lists all options", () => {
  const said = (options) => {
    try {
      prepareStep({ contextWindow: 8000, ...options });
    } catch ({ code, message }) {
      assert.equal(code, "INVALID_CONFIG");
      return message;
    }
  };
  for (const [slip, meant] of Object.entries({ stict: "strict", sesion: "session", keys: "key", onReports: "onReport", summarise: "summarize" })) assert.match(said({ [slip]: 1 }), new RegExp(`\`${slip}\`: unknown key; did you mean \`${meant}\``));
  for (const other of ["abortSignal"]) {
    const message = said({ [other]: 1 });
    assert.doesNotMatch(message, /did you mean/);
    for (const name of ["contextWindow", "summarize", "session", "key", "strict", "onReport", "onError", "signal", "tools", "instructions"]) assert.ok(message.includes(`\`${name}\``), `${name} in ${message}`);
  }
});

test("a request that came as JSON and fits is passed on as it is, also when its conversation is known", async () => {
  const lists = { "openai-chat": "messages", anthropic: "messages", "openai-responses": "input", gemini: "contents" };
  for (const [format, key] of Object.entries(lists)) {
    const keeper = new BodyKeeper("server", format, { contextWindow: 9_000, strict: true }, { serverLimits: { most: 3, bytes: Infinity } });
    const entry = (n) => (key === "contents" ? { role: n % 2 ? "model" : "user", parts: [{ text: `text ${n}` }] } : { role: n % 2 ? "assistant" : "user", content: `text ${n}` });
    for (const length of [1, 3, 5]) {
      const body = { model: "m", [key]: Array.from({ length }, (_, n) => entry(n)) };
      const fitting = await keeper.fit(body, { bytes: 100 });
      assert.ok(fitting.conversation, format);
      assert.equal(fitting.body, body, `${format}, ${length} entries`);
      const text = JSON.stringify(body, null, 2);
      await sendFitting(keeper, text, { send: async (sent) => (assert.equal(sent, text), new Response()) });
    }
  }
});

test("a client of the proxy is recognised whatever the path of its request looks like", () => {
  const owners = new Owners();
  const of = (url) => owners.of({ headers: {}, url }, "m");
  assert.equal(of("//:80/v1/messages"), of("//[/v1/messages?x=1"));
  assert.notEqual(of("/v1beta/models/m:generateContent?key=a"), of("/v1beta/models/m:generateContent?key=b"));
});

test("a server keeps a limited number of conversations and characters; sessions that it drops are freed", async () => {
  const bodyOf = (n, more = "") => ({ model: "m", messages: [{ role: "user", content: `conversation ${n}${more}` }] });
  const keeperOf = (serverLimits) => new BodyKeeper("server", "openai-chat", { contextWindow: 9_000, strict: true }, { serverLimits });
  const isFreed = ({ session }) => {
    try {
      return session.limit !== 9_000;
    } catch (error) {
      return error.code === "FREED";
    }
  };
  const many = keeperOf({ most: 3, bytes: Infinity });
  const kept = [];
  for (let n = 0; n < 5; n++) kept.push(await many.fit(bodyOf(n), { bytes: 10 }));
  assert.deepEqual(kept.map(({ conversation }) => isFreed(conversation)), [true, true, false, false, false], "the one that was longest not heard of goes first");
  assert.equal((await many.fit(bodyOf(3), { bytes: 10 })).conversation, kept[3].conversation);
  assert.equal(await many.recovered(kept[0], new Error("prompt is too long: 9 tokens > 5 maximum")), null);
  many.record(kept[0], { prompt_tokens: 5, completion_tokens: 1 });

  const long = keeperOf({ most: 100, bytes: 1_000 });
  const first = (await long.fit(bodyOf(1), { bytes: 300 })).conversation;
  const second = (await long.fit(bodyOf(2), { bytes: 600 })).conversation;
  assert.deepEqual([first, second].map(isFreed), [false, false]);
  const third = (await long.fit(bodyOf(3), { bytes: 5_000 })).conversation;
  assert.deepEqual([first, second, third].map(isFreed), [true, true, false], "the newest stays, however long");
});

test("calls of one conversation on a server run one after the other, each with its own list; options depend on the body", async () => {
  const limits = [];
  const sessions = [];
  const serverLimits = { most: 10, bytes: Infinity, limitsOf: ({ model }) => ({ contextWindow: Number(model) }) };
  const keeper = new BodyKeeper("server", "openai-chat", { strict: true, summarize: async () => new Promise((done) => setTimeout(done, 5, "<summary>Short.</summary>")) }, { serverLimits });
  const before = Array.from({ length: 30 }, (_, n) => ({ role: n % 2 ? "assistant" : "user", content: `${n} ${"words ".repeat(200)}` }));
  const sent = await Promise.all(
    Array.from({ length: 8 }, async (_, n) => {
      const { body, conversation, report } = await keeper.fit({ model: String(3_000 + n), messages: [...before, { role: "user", content: `question ${n}` }] });
      limits.push(report.limit);
      sessions.push(conversation.session);
      return body.messages;
    }),
  );
  assert.deepEqual(sent.map((messages) => messages.at(-1).content), Array.from({ length: 8 }, (_, n) => `question ${n}`));
  assert.ok(sent.every((messages) => messages.length < 31));
  assert.equal(new Set(sessions).size, 1);
  assert.deepEqual(limits.toSorted(), Array.from({ length: 8 }, (_, n) => 3_000 + n));
});

test("requests that are refused in parallel however small they are made are given up", async () => {
  const keeper = new BodyKeeper("loop", "openai-chat", { onError: () => {} });
  const before = Array.from({ length: 30 }, (_, n) => ({ role: n % 2 ? "assistant" : "user", content: `${n} ${"words ".repeat(200)}` }));
  let open = [];
  for (let n = 0; n < 2; n++) open.push(await keeper.fit({ messages: [...before, { role: "user", content: `question ${n}` }] }));
  let tries = 0;
  for (; open.length > 0 && tries < 20; tries++) {
    const [fitting, ...others] = open;
    const smaller = await keeper.recovered(fitting, "context_length_exceeded");
    open = smaller ? [...others, smaller] : others;
  }
  assert.ok(tries < 20, "both were given up");
});

test("of requests refused in parallel each is retried with less, using the limit learnt from the first", async () => {
  const keeper = new BodyKeeper("server", "openai-chat", { strict: true }, { serverLimits: { most: 10, bytes: Infinity } });
  const before = Array.from({ length: 30 }, (_, n) => ({ role: n % 2 ? "assistant" : "user", content: `${n} ${"words ".repeat(200)}` }));
  const bodies = Array.from({ length: 8 }, (_, n) => ({ messages: [...before, { role: "user", content: `question ${n}` }] }));
  const sent = await Promise.all(bodies.map((body) => keeper.fit(body)));
  const again = await Promise.all(sent.map((fitting) => keeper.recovered(fitting, new Error("prompt is too long: 9000 tokens > 3000 maximum"))));
  assert.deepEqual(again.map(({ body }) => body.messages.at(-1).content), bodies.map(({ messages }) => messages.at(-1).content));
  assert.ok(again.every(({ body }) => JSON.stringify(body).length < 15_000));
  assert.equal(await keeper.recovered(again[0], new Error("Unknown parameter.")), null);
});

test("an error that is not about the size changes nothing of a conversation that has had another call since", async () => {
  const keeper = new BodyKeeper("parallel", "openai-chat", { strict: true });
  const before = Array.from({ length: 10 }, (_, n) => ({ role: n % 2 ? "assistant" : "user", content: `words ${n}` }));
  const [older, newer] = [await keeper.fit({ messages: [...before, { role: "user", content: "one" }] }), await keeper.fit({ messages: [...before, { role: "user", content: "two" }] })];
  const { session } = newer.conversation;
  assert.equal(older.conversation, newer.conversation);
  const items = session.messages.length;
  for (const error of [Object.assign(new Error("Too many requests"), { status: 429 }), new DOMException("stopped", "AbortError"), undefined]) assert.equal(await keeper.recovered(older, error), null);
  assert.equal(session.messages.length, items);
  assert.equal(session.messages.at(-1).content, "two");
});

test("a call that is aborted while it waits for another call of its conversation leaves that one alone", async () => {
  const summaries = [];
  const text = "<summary>They talked.</summary>";
  const summarize = () => (summaries.length > 0 ? { text } : new Promise((resolve) => summaries.push(resolve)));
  const keeper = new BodyKeeper("waiting", "openai-chat", { onError: () => {}, contextWindow: 2_000, summarize });
  const before = Array.from({ length: 40 }, (_, n) => ({ role: n % 2 ? "assistant" : "user", content: `${n} ${"words ".repeat(60)}` }));
  const older = await keeper.fit({ messages: before.slice(0, 3) });
  const newer = keeper.fit({ messages: [...before, { role: "user", content: "two" }] });
  while (summaries.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const stop = new AbortController();
  const stopped = keeper.recovered(older, new Error("prompt is too long: 9000 tokens > 3000 maximum"), { signal: stop.signal });
  const waiting = keeper.recovered(older, new Error("prompt is too long: 9000 tokens > 3000 maximum"));
  setTimeout(() => stop.abort(), 5);
  assert.equal(await stopped, null);
  summaries[0]({ text });
  assert.ok((await newer).body.messages.length < 40);
  assert.ok(await Promise.race([waiting.then(() => true), new Promise((resolve) => setTimeout(resolve, 5_000, false))]), "the other call is not waited for without end");
});

test("a run that ends with a call that the loop does not run is not finished, and goes on with the call's output", async () => {
  const shell = { type: "shell_call", id: "sh_1", call_id: "call_1", status: "completed", environment: { type: "local" }, action: { commands: ["make"] } };
  const said = { type: "message", id: "msg_1", role: "assistant", status: "completed", content: [{ type: "output_text", text: "Built.", annotations: [] }] };
  const search = { type: "tool_search_call", id: "ts_1", call_id: null, execution: "server", status: "completed", arguments: {} };
  const answers = [[shell], [search, said]];
  const inputs = [];
  const client = { responses: { create: async ({ input }) => (inputs.push(input), { output: answers.shift(), status: "completed" }) } };
  const first = await runResponses(client, { model: "gpt-5", input: "Build it." }, { contextWindow: 8000 });
  assert.equal(first.finished, false);
  const output = { type: "shell_call_output", call_id: "call_1", output: [{ stdout: "ok", stderr: "", outcome: { type: "exit", exit_code: 0 } }] };
  const second = await runResponses(client, { model: "gpt-5", input: [output] }, { session: first.session });
  assert.equal(second.finished, true);
  assert.deepEqual(inputs[1].slice(1), [shell, output]);
});

test("a run stops where the caller has to act, also if the answer calls functions as well", async () => {
  const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "list", arguments: "{}", status: "completed" };
  const shell = { type: "shell_call", id: "sh_1", call_id: "call_2", status: "completed", environment: { type: "local" }, action: { commands: ["make"] } };
  const approval = { type: "mcp_approval_request", id: "mcpr_1", server_label: "files", name: "delete", arguments: "{}" };
  for (const answer of [[call, shell], [call, approval], [approval]]) {
    let asked = 0;
    const client = { responses: { create: async () => (asked++, { output: answer, status: "completed" }) } };
    const { finished, input } = await runResponses(client, { model: "gpt-5", input: "Clean up." }, { contextWindow: 8000, execute: () => "a.txt" });
    assert.deepEqual([asked, finished], [1, false]);
    assert.equal(input.filter(({ type }) => type === "function_call_output").length, answer.includes(call) ? 1 : 0);
  }
});

test("a call whose server leaves out its type is run as a function", async () => {
  const call = { id: "call_1", function: { name: "build", arguments: '{"n":1}' } };
  const answers = [{ role: "assistant", content: null, tool_calls: [call] }, { role: "assistant", content: "Built." }];
  const client = { chat: { completions: { create: async () => ({ choices: [{ index: 0, message: answers.shift() }] }) } } };
  const execute = { build: ({ n }) => `ran ${n}` };
  const { messages, finished } = await runChat(client, { model: "m", messages: [{ role: "user", content: "Build it." }] }, { contextWindow: 8000, execute });
  assert.equal(finished, true);
  assert.deepEqual(messages[2], { role: "tool", tool_call_id: "call_1", content: "ran 1" });
});

test("the usage of an answer with a shell that the provider ran is a sum; with the caller's own shell it is not", () => {
  const usage = { input_tokens: 900, output_tokens: 9, total_tokens: 909 };
  const call = { type: "shell_call", id: "sh_1", call_id: "call_1" };
  assert.equal(usageIn({ usage, output: [call, { type: "shell_call_output", call_id: "call_1", output: [] }] }).requests, 2);
  assert.equal(usageIn({ usage, output: [call] }).requests, undefined);
});

test("the page is told of steps only: what a summariser retained is none, in a fold that contains an earlier one", async () => {
  const session = new Session({ contextWindow: 3_000, ladder: "spec", summarize: () => "<retain>The token.</retain><summary>Short.</summary>" });
  for (let n = 0; n < 4; n++) {
    session.push([{ role: "user", content: `question ${n}` }, { role: "assistant", content: `answer ${n} `.repeat(40) }]);
    if (n > 1) await session.compact();
  }
  const [fold] = foldsOf(session);
  assert.ok(session.folds().length > 1 && fold.id === session.folds().at(-1).id, "a fold of a fold");
  assert.deepEqual(fold.steps, [0, 1, 2, 3, 4, 5]);
});

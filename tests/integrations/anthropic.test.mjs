// `contextfold/anthropic` with the real SDK against a local server.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { Session } from "contextfold";
import { middleware, toolRunner } from "contextfold/anthropic";
import { provider } from "./support/provider.mjs";
import { ANSWER, CALLS, FOLDS, OPTIONS, SUMMARY, TASK, assertKept, outputOf, warnings } from "./support/work.mjs";

const STRICT = { ...OPTIONS, strict: true };
const input_schema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
const TOOL = { name: "build", description: "Builds.", input_schema };
const RUNNABLE = { ...TOOL, run: ({ n }) => outputOf(n), parse: (input) => input };

describe("@anthropic-ai/sdk 1", () => {
  let server;
  before(async () => (server = await provider({ summary: SUMMARY })));
  after(() => server.close());
  const fresh = () => ((server.bodies.length = 0), server);
  const client = (more) => new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0, timeout: 10_000, ...more });
  const base = { model: "m", max_tokens: 1000, system: "You build." };

  /** A typical loop that keeps the whole list. */
  async function loop(anthropic, create = (params) => anthropic.messages.create(params), messages = [{ role: "user", content: TASK }]) {
    for (;;) {
      const { content, stop_reason } = await create({ ...base, tools: [TOOL], messages: [...messages] });
      messages.push({ role: "assistant", content });
      if (stop_reason !== "tool_use") return messages;
      messages.push({ role: "user", content: content.filter(({ type }) => type === "tool_use").map(({ id, input }) => ({ type: "tool_result", tool_use_id: id, content: outputOf(input.n) })) });
    }
  }

  /** The message assembled from a stream of `create`. */
  async function collected(anthropic, params) {
    const content = [];
    let stop_reason;
    for await (const event of await anthropic.messages.create({ ...params, stream: true })) {
      if (event.type === "content_block_start") content.push({ ...event.content_block, json: "" });
      if (event.type === "message_delta") ({ stop_reason } = event.delta);
      if (event.type !== "content_block_delta") continue;
      const block = content[event.index];
      if (event.delta.type === "text_delta") block.text += event.delta.text;
      else block.json += event.delta.partial_json;
    }
    return { stop_reason, content: content.map(({ json, ...block }) => (block.type === "tool_use" ? { ...block, input: JSON.parse(json) } : block)) };
  }

  function assertWhole(messages) {
    const results = messages.flatMap(({ content }) => (Array.isArray(content) ? content.filter(({ type }) => type === "tool_result") : []));
    assert.equal(results.length, CALLS);
    const text = ({ content }) => (typeof content === "string" ? content : content[0].text);
    for (const [n, result] of results.entries()) assert.equal(text(result), outputOf(n));
  }

  test("middleware: each request fits and is valid, and the caller's list is whole", async () => {
    const { bodies } = fresh();
    const messages = await loop(client({ middleware: [middleware(STRICT)] }));
    assertKept("anthropic", bodies);
    assertWhole(messages);
    assert.equal(messages.at(-1).content[0].text, ANSWER);
    assert.ok(bodies.every(({ system, tools }) => system === "You build." && tools.length === 1));
  });

  test("streamed, by `stream` and by `create`: the same, and usage is learnt from", async (t) => {
    const counting = await provider({ perToken: 1.3 });
    t.after(() => counting.close());
    for (const streamed of [(anthropic, params) => anthropic.messages.stream(params).finalMessage(), collected]) {
      counting.bodies.length = 0;
      const session = new Session(OPTIONS);
      const anthropic = client({ baseURL: counting.url, middleware: [middleware({ session, strict: true })] });
      const messages = await loop(anthropic, (params) => streamed(anthropic, params));
      assertKept("anthropic", counting.bodies);
      assertWhole(messages);
      assert.ok(session.report.counter.calibration > 1.2, "the reported tokens were more than counted");
    }
  });

  describe("cacheMarks", () => {
    const MARK = { type: "ephemeral" };
    const LONG = "You mend builds. ".repeat(400);
    const blocks = ({ system, messages, tools }) => [...(Array.isArray(system) ? system : []), ...(tools ?? []), ...messages.flatMap(({ content }) => (Array.isArray(content) ? content : []))];
    const marksIn = (body) => blocks(body).filter((block) => block.cache_control).length;
    const marked = ({ content }) => Array.isArray(content) && content.some((block) => block.cache_control !== undefined);
    const bare = (value) => JSON.stringify(value, (key, inner) => (key === "cache_control" ? undefined : key === "content" && typeof inner === "string" ? [{ type: "text", text: inner }] : inner));
    const run = (options, more) => {
      const { bodies } = fresh();
      const anthropic = client({ middleware: [middleware({ ...STRICT, contextWindow: 10_000, ...options })] });
      return loop(anthropic, (params) => anthropic.messages.create({ ...params, ...more })).then(() => bodies);
    };

    test("the system prompt, the step before the newest and the end of each request are marked", async () => {
      const bodies = await run({ cacheMarks: 4 }, { system: LONG });
      assertKept("anthropic", bodies, { limit: 10_000 });
      for (const [n, body] of bodies.entries()) {
        assert.deepEqual(body.system, [{ type: "text", text: LONG, cache_control: MARK }]);
        assert.ok(marked(body.messages.at(-1)), `the end of request ${n}`);
        assert.ok(marksIn(body) <= 4);
      }
      const found = bodies.slice(1).filter((body, n) => {
        const before = bodies[n].messages;
        return marked(body.messages[before.length - 1] ?? {}) && bare(body.messages.slice(0, before.length)) === bare(before);
      });
      assert.ok(found.length > bodies.length * 0.8, `${found.length} of ${bodies.length} find the request before in the cache`);
    });

    test("the caller's own marks stay, in the system prompt too, and there are never more than four", async () => {
      const system = [{ type: "text", text: LONG }, { type: "text", text: "Be brief.", cache_control: MARK }];
      for (const cache_control of [undefined, MARK]) {
        const bodies = await run({ cacheMarks: 4 }, { system, tools: [{ ...TOOL, cache_control: MARK }], ...(cache_control && { cache_control }) });
        for (const body of bodies) {
          assert.deepEqual(body.system, system);
          assert.ok(marksIn(body) + (cache_control ? 1 : 0) <= 4);
        }
        assert.equal(marksIn(bodies.at(-1)), cache_control ? 3 : 4);
      }
    });

    test("a summary by the same client is requested with the same system prompt and tools, and with marks", async () => {
      const system = [{ type: "text", text: LONG }, { type: "text", text: "Be brief.", cache_control: MARK }];
      const summarize = async (request, { signal }) => {
        const answer = await asking.messages.create({ model: "m", max_tokens: 1000, ...request.as("anthropic") }, { signal });
        return { text: answer.content[0].text, usage: answer.usage, finish_reason: answer.stop_reason };
      };
      const asking = client();
      server.asked.length = 0;
      const bodies = await run({ cacheMarks: 4, summarize, ladder: FOLDS, compaction: { request: "continue" } }, { system });
      assert.ok(server.asked.length > 0);
      for (const body of server.asked) {
        assert.deepEqual([body.system, body.tools], [system, bodies[0].tools]);
        assert.ok(marksIn(body) >= 2, "in the messages, too");
        assert.ok(bodies.some(({ messages }) => bare(body.messages.slice(0, messages.length)) === bare(messages)), "it goes on from a request that was sent");
      }
    });

    test("no marks without the option; an invalid one is refused at once", async () => {
      for (const body of await run({}, { system: LONG })) assert.equal(marksIn(body), 0);
      for (const cacheMarks of [5, -1, 1.5, "4"]) assert.throws(() => middleware({ ...OPTIONS, cacheMarks }), { code: "INVALID_CONFIG" });
    });
  });

  test("usage that also counts the provider's own searches does not change the counts", async () => {
    const calibrationAfter = async (more) => {
      const session = new Session({ contextWindow: 32_000 });
      const usage = { input_tokens: 3_000, output_tokens: 20, ...more };
      const answering = async () => Response.json({ id: "msg_1", type: "message", role: "assistant", model: "m", stop_reason: "end_turn", content: [{ type: "text", text: ANSWER }], usage });
      const anthropic = new Anthropic({ apiKey: "none", fetch: answering, middleware: [middleware({ session, strict: true })] });
      await anthropic.messages.create({ model: "m", max_tokens: 100, messages: [{ role: "user", content: "word ".repeat(1_000) }] });
      await session.prepare();
      return session.report.counter.calibration;
    };
    assert.ok((await calibrationAfter({ server_tool_use: { web_search_requests: 0 } })) > 2);
    assert.equal(await calibrationAfter({ server_tool_use: { web_search_requests: 3 } }), 1);
  });

  test("a broken stream is the caller's error; the loop can go on", async (t) => {
    const breaking = await provider({ breakAt: 10 });
    t.after(() => breaking.close());
    const anthropic = client({ baseURL: breaking.url, middleware: [middleware(STRICT)] });
    const messages = [{ role: "user", content: TASK }];
    const stream = (params) => anthropic.messages.stream(params).finalMessage();
    await assert.rejects(loop(anthropic, stream, messages));
    breaking.bodies.length = 10;
    assertWhole(await loop(anthropic, stream, messages));
  });

  test("a summary by the same client", async () => {
    const { bodies } = fresh();
    const summarize = async (request, { signal }) => {
      const answer = await anthropic.messages.create({ model: "m", max_tokens: 1000, ...request.as("anthropic") }, { signal });
      return { text: answer.content[0].text, usage: answer.usage, finish_reason: answer.stop_reason };
    };
    const anthropic = client({ middleware: [middleware({ ...STRICT, summarize })] });
    await loop(anthropic);
    assertKept("anthropic", bodies);
    assert.ok(server.summaries > 0);
  });

  test("Anthropic's own compaction is left as it is", async () => {
    const { bodies } = fresh();
    const compaction = { role: "assistant", content: [{ type: "compaction", content: "what was there before" }] };
    await loop(client({ middleware: [middleware(STRICT)] }), undefined, [compaction, { role: "user", content: TASK }]);
    assertKept("anthropic", bodies);
    for (const { messages } of bodies) assert.equal(JSON.stringify(messages).split("what was there before").length, 2);
  });

  test("the tool runner with `thread: false`; its own messages are whole", async () => {
    const { bodies } = fresh();
    const runner = toolRunner(client(), { ...base, messages: [{ role: "user", content: TASK }], tools: [RUNNABLE], thread: false, max_iterations: CALLS + 5 }, STRICT);
    const answer = await runner;
    assert.equal(answer.content[0].text, ANSWER);
    assertKept("anthropic", bodies);
    assertWhole(runner.params.messages);
  });

  test("the tool runner, streamed", async () => {
    const { bodies } = fresh();
    const runner = toolRunner(client(), { ...base, messages: [{ role: "user", content: TASK }], tools: [RUNNABLE], thread: false, max_iterations: CALLS + 5, stream: true }, STRICT);
    let answer;
    for await (const stream of runner) answer = await stream.finalMessage();
    assert.equal(answer.content[0].text, ANSWER);
    assertKept("anthropic", bodies);
    assertWhole(runner.params.messages);
  });

  test("… and without it: a clear error, or one warning from the middleware", async () => {
    const params = { ...base, messages: [{ role: "user", content: TASK }], tools: [RUNNABLE], max_iterations: 4 };
    assert.throws(() => toolRunner(client(), params, STRICT), (error) => error.code === "INVALID_ARGUMENT" && /thread: false/.test(error.message));
    fresh();
    const { said } = await warnings(() => client({ middleware: [middleware(OPTIONS)] }).beta.messages.toolRunner({ ...params }).runUntilDone());
    assert.equal(said.length, 1);
    assert.match(said[0], /thread: false/);
    await assert.rejects(client({ middleware: [middleware(STRICT)] }).beta.messages.toolRunner({ ...params }).runUntilDone(), /thread: false/);
  });

  test("the caller's own session can be searched afterwards; other middleware goes on working", async () => {
    const { bodies } = fresh();
    const session = new Session(OPTIONS);
    let seen = 0;
    const counting = (request, next) => (seen++, next(request));
    await toolRunner(client({ middleware: [counting] }), { ...base, messages: [{ role: "user", content: TASK }], tools: [RUNNABLE], thread: false, max_iterations: CALLS + 5 }, { session, strict: true });
    assertKept("anthropic", bodies);
    assert.equal(seen, CALLS + 1);
    assert.match(session.search("src/file3.rs:5:")[0].excerpt, /E0303/);
  });

  test("a session with memory: it reaches the model, after the system prompt", async () => {
    const { bodies } = fresh();
    const session = new Session(OPTIONS);
    session.setContext({ memory: ["The build runs on Fridays."] });
    await loop(client({ middleware: [middleware({ session, strict: true })] }));
    assert.deepEqual(bodies.at(-1).system.map(({ text }) => text), ["You build.", "<relevant_context>The build runs on Fridays.</relevant_context>"]);
    assertKept("anthropic", bodies);
  });

  test("a request refused as too long is retried with less", async (t) => {
    const small = await provider({ window: 4_000 });
    t.after(() => small.close());
    const messages = await loop(client({ baseURL: small.url, middleware: [middleware(STRICT)] }));
    assertWhole(messages);
    assert.ok(small.refused >= 1 && small.refused <= 3, `${small.refused} refusals`);
  });

  test("an internal failure leaves the run alone, and is reported once", async () => {
    const { bodies } = fresh();
    const { result, said } = await warnings(() => loop(client({ middleware: [middleware({ contextWindow: 200_000, tokenizer: () => NaN })] })));
    assertWhole(result);
    assert.equal(bodies.at(-1).messages.length, 1 + 2 * CALLS);
    assert.equal(said.length, 1);
  });

  test("strict: an internal failure fails the run", async () => {
    fresh();
    const failing = loop(client({ middleware: [middleware({ ...STRICT, ladder: FOLDS, summarize: () => Promise.reject(new Error("no model")) })] }));
    await assert.rejects(failing, { code: "SUMMARY_FAILED" });
  });
});

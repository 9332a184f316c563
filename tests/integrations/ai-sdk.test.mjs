// `contextfold/ai-sdk` with the real SDK, in both of its majors.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as ai6 from "ai-6";
import * as kit6 from "ai-6/test";
import { ContextError, Session, countTokens } from "contextfold";
import { middleware, prepareStep } from "contextfold/ai-sdk";
import { memoryStore } from "contextfold/stores/memory";
import { scriptedSummarize } from "contextfold/testing";
import { z } from "zod";
import { ANSWER, CALLS, FOLDS, OPTIONS, TASK, WINDOW, assertKept, outputOf, warnings } from "./support/work.mjs";

// Version 7 requires Node 22.
const majors = [{ name: "ai 6", ai: ai6, kit: kit6, Model: kit6.MockLanguageModelV3 }];
if (Number(process.versions.node.split(".")[0]) >= 22) {
  const kit = await import("ai/test");
  majors.push({ name: "ai 7", ai: await import("ai"), kit, Model: kit.MockLanguageModelV4 });
}

// Mocks report arbitrary usage; impossible figures are ignored.
const USAGE = { inputTokens: { total: 10, noCache: 10 }, outputTokens: { total: 20, text: 20 } };
const answerOf = (n) =>
  n < CALLS
    ? { content: [{ type: "tool-call", toolCallId: `call_${n}`, toolName: "build", input: JSON.stringify({ n }) }], finishReason: { unified: "tool-calls" }, usage: USAGE, warnings: [] }
    : { content: [{ type: "text", text: ANSWER }], finishReason: { unified: "stop" }, usage: USAGE, warnings: [] };

/** The answer with usage as providers report it. */
const honest = (result, { prompt }) => ({ ...result, usage: { ...USAGE, inputTokens: { total: countTokens(prompt), noCache: countTokens(prompt) } } });

for (const { name, ai, kit, Model } of majors) {
  /** A model that answers call `n` of a run with a tool call, and finally with a text. */
  const scripted = (answer = answerOf, told = honest) => {
    let n = 0;
    const stream = (result) => {
      const [part] = result.content;
      const parts = part.type === "text" ? [{ type: "text-start", id: "1" }, { type: "text-delta", id: "1", delta: part.text }, { type: "text-end", id: "1" }] : [part];
      return { stream: kit.simulateReadableStream?.({ chunks: [{ type: "stream-start", warnings: [] }, ...parts, { type: "finish", finishReason: result.finishReason, usage: result.usage }] }) ?? null };
    };
    return new Model({ doGenerate: async (params) => told(answer(n++), params), doStream: async () => stream(answer(n++)) });
  };
  const tools = { build: ai.tool({ description: "Builds.", inputSchema: ai.jsonSchema({ type: "object", properties: { n: { type: "number" } } }), execute: async ({ n }) => outputOf(n) }) };
  const run = (model, more) => ai.generateText({ model, tools, prompt: TASK, system: "You build.", stopWhen: ai.stepCountIs(CALLS + 5), ...more });
  const prompts = (calls) => calls.map(({ prompt }) => prompt);

  /** What the SDK keeps of a run: every call with its whole output. */
  const messagesOf = (result) => result.responseMessages ?? result.response.messages;
  const assertWhole = (messages) => {
    assert.equal(messages.length, 2 * CALLS + 1);
    for (let n = 0; n < CALLS; n++) {
      assert.equal(messages[2 * n].content[0].toolCallId, `call_${n}`);
      assert.equal(messages[2 * n + 1].content[0].output.value, outputOf(n));
    }
    assert.equal(messages.at(-1).content[0].text, ANSWER);
  };

  describe(`${name}: prepareStep`, () => {
    test("without it, the window is exceeded", async () => {
      const model = scripted();
      await run(model);
      assert.throws(() => assertKept("ai-sdk", prompts(model.doGenerateCalls)), /tokens are more than/);
    });

    test("each request fits and is valid, and everything is stored", async () => {
      const model = scripted();
      const reports = [];
      const result = await run(model, { prepareStep: prepareStep({ ...OPTIONS, strict: true, tools, instructions: "You build.", onReport: (report) => reports.push(report) }) });
      assertKept("ai-sdk", prompts(model.doGenerateCalls));
      assertWhole(messagesOf(result));
      assert.equal(result.text, ANSWER);
      assert.ok(reports.some(({ decisions }) => decisions.some(({ pass }) => pass === "summarize")));
      for (const { prompt } of model.doGenerateCalls) assert.equal(prompt.filter(({ role }) => role === "system").length, 1, "the summary is no system message");
    });

    test("the same with streamText", async () => {
      const model = scripted();
      const result = ai.streamText({ model, tools, prompt: TASK, stopWhen: ai.stepCountIs(CALLS + 5), prepareStep: prepareStep({ ...OPTIONS, strict: true }) });
      await result.consumeStream();
      assertKept("ai-sdk", prompts(model.doStreamCalls));
      assertWhole((await result.responseMessages) ?? (await result.response).messages);
    });

    test("one hook for several conversations at once, and for a continued conversation", async () => {
      const summaries = [];
      const shared = prepareStep({ ...OPTIONS, strict: true, summarize: async (request) => (summaries.push(request), await new Promise(setImmediate), "<summary>The build fails. Never edit src/generated.</summary>") });
      const models = [scripted(), scripted()];
      const results = await Promise.all(models.map((model, n) => run(model, { prompt: `${TASK} Conversation ${n}.`, prepareStep: shared })));
      for (const [n, model] of models.entries()) {
        assertKept("ai-sdk", prompts(model.doGenerateCalls));
        assert.ok(!JSON.stringify(prompts(model.doGenerateCalls)).includes(`Conversation ${1 - n}`), "what belongs to one stays out of the other");
      }
      const before = summaries.length;
      const more = scripted((n) => answerOf(n + CALLS));
      await run(more, { prompt: undefined, messages: [{ role: "user", content: `${TASK} Conversation 0.` }, ...messagesOf(results[0]), { role: "user", content: "And now?" }], prepareStep: shared });
      assert.equal(summaries.length, before, "the fold of the earlier run still stands");
      assert.ok(JSON.stringify(more.doGenerateCalls[0].prompt).length < 4 * WINDOW);
    });

    test("the caller's own session holds the whole history, and can be searched", async () => {
      const session = new Session(OPTIONS);
      const model = scripted();
      await run(model, { prepareStep: prepareStep({ session, strict: true }) });
      assert.equal(session.messages.filter(({ role }) => role !== "system").length, 1 + 2 * CALLS, "the last answer comes in with the next run");
      assert.ok(session.folds().length > 0);
      assert.match(session.search("src/file3.rs:5:")[0].excerpt, /E0303/);
    });

    test("a session with memory: it reaches the model, after the instructions", async () => {
      for (const hooked of [(session, model) => run(model, { prepareStep: prepareStep({ session, instructions: "You build.", strict: true }) }), (session, model) => run(ai.wrapLanguageModel({ model, middleware: middleware({ session, strict: true }) }))]) {
        const session = new Session(OPTIONS);
        session.setContext({ memory: ["The build runs on Fridays."] });
        const model = scripted();
        await hooked(session, model);
        assertKept("ai-sdk", prompts(model.doGenerateCalls));
        for (const prompt of prompts(model.doGenerateCalls)) assert.deepEqual(prompt.filter(({ role }) => role === "system").map(({ content }) => content), ["You build.", "<relevant_context>The build runs on Fridays.</relevant_context>"]);
      }
    });

    test("an internal failure leaves the run alone, and is reported once", async () => {
      const model = scripted();
      const { result, said } = await warnings(() => run(model, { prepareStep: prepareStep({ contextWindow: 200_000, tokenizer: () => NaN }) }));
      assertWhole(messagesOf(result));
      assert.equal(model.doGenerateCalls.at(-1).prompt.length, 2 + 2 * CALLS, "its own messages");
      assert.equal(said.length, 1);
      assert.match(said[0], /prepareStep.*own messages/);
    });

    test("after a failed summary the agent keeps its own messages as long as they fit", async () => {
      const errors = [];
      const model = scripted();
      await run(model, { prepareStep: prepareStep({ ladder: FOLDS, contextWindow: 30_000, compaction: { thresholdRatio: 0.2 }, summarize: () => Promise.reject(new Error("no model")), onError: (error) => errors.push(error) }) });
      assert.ok(errors.length >= 1 && errors.every((error) => error.code === "SUMMARY_FAILED"));
      assert.equal(model.doGenerateCalls.at(-1).prompt.length, 2 + 2 * CALLS);
    });

    test("with occasional summary failures every request is whole and valid, and one session continues", async () => {
      const model = scripted();
      const sessions = new Set();
      let asked = 0;
      const summarize = () => (++asked % 3 ? Promise.reject(new Error("overloaded")) : "<summary>The build fails. Never edit src/generated.</summary>");
      const hook = prepareStep({ ladder: FOLDS, contextWindow: 20_000, summarize, compaction: { maxAttempts: 1, thresholdRatio: 0.2, lowRatio: 0.1 }, onError: () => {}, onReport: (_, session) => sessions.add(session) });
      const result = await run(model, { prepareStep: hook });
      assertKept("ai-sdk", prompts(model.doGenerateCalls), { limit: 20_000 });
      for (const prompt of prompts(model.doGenerateCalls)) {
        const ids = prompt.flatMap(({ role, content }) => (role === "assistant" ? content.filter(({ type }) => type === "tool-call").map(({ toolCallId }) => toolCallId) : []));
        assert.equal(new Set(ids).size, ids.length, "nothing stands twice");
      }
      assert.ok(asked > 3);
      assert.equal(sessions.size, 1);
      assertWhole(messagesOf(result));
    });

    test("strict: an internal failure fails the run", async () => {
      const failing = run(scripted(), { prepareStep: prepareStep({ ...OPTIONS, ladder: FOLDS, strict: true, summarize: () => Promise.reject(new Error("no model")) }) });
      await assert.rejects(failing, (error) => ContextError.isInstance(error) && error.code === "SUMMARY_FAILED");
    });

    test("tools with a zod schema are counted, descriptions included", async () => {
      const described = (inputSchema) => ({ build: ai.tool({ description: "Builds.", inputSchema, execute: async ({ n }) => outputOf(n) }) });
      const schema = z.object({ n: z.number().describe("Which one. ".repeat(200)) });
      const tokens = async (inputSchema) => {
        const session = new Session(OPTIONS);
        await prepareStep({ session, tools: described(inputSchema), strict: true })({ messages: [{ role: "user", content: TASK }], steps: [], stepNumber: 0 });
        return session.tokens;
      };
      assert.equal(await tokens(schema), await tokens(ai.jsonSchema(z.toJSONSchema(schema))));
      assert.ok((await tokens(schema)) > 400);
    });

    test("an unreadable tool set stops nothing", async () => {
      const errors = [];
      const step = prepareStep({ ...OPTIONS, tools: { broken: undefined }, onError: (error) => errors.push(error) });
      assert.equal(await step({ messages: [{ role: "user", content: TASK }], steps: [], stepNumber: 0 }), undefined);
      assert.equal(errors.length, 1);
    });

    test("a saved session continues in another process, with its fold", async () => {
      const summarize = scriptedSummarize("<summary>The build fails. Never edit src/generated.</summary>");
      const store = memoryStore();
      const session = new Session({ ...OPTIONS, summarize });
      const result = await run(scripted(), { prepareStep: prepareStep({ session, strict: true }) });
      await session.save(store, "chat-17");
      const asked = summarize.requests.length;
      const loaded = await Session.load(store, "chat-17", { summarize });
      const more = scripted((n) => answerOf(n + CALLS));
      const messages = JSON.parse(JSON.stringify([{ role: "user", content: TASK }, ...messagesOf(result), { role: "user", content: "And now?" }]));
      await run(more, { prompt: undefined, messages, prepareStep: prepareStep({ session: loaded, strict: true }) });
      assert.ok(asked > 0 && summarize.requests.length === asked, `${asked} → ${summarize.requests.length}`);
      assert.ok(JSON.stringify(more.doGenerateCalls[0].prompt).length < 4 * WINDOW);
    });

    test("wrong options are refused at once", () => {
      assert.throws(() => prepareStep({ contextWindows: 1 }), { code: "INVALID_CONFIG" });
      for (const [key, value] of Object.entries({ signal: 5, strict: "yes", tools: 5, onError: 5 })) assert.throws(() => prepareStep({ contextWindow: 8_000, [key]: value }), { code: "INVALID_CONFIG", message: new RegExp(`^${key}: expected`) });
      assert.throws(() => prepareStep({ model: "no-such-model" }), { code: "UNKNOWN_MODEL" });
      assert.throws(() => prepareStep({ session: new Session(), contextWindow: 8_000 }), { code: "INVALID_CONFIG" });
    });

    test("bytes are not text: an image counts as an image", async () => {
      const model = scripted(answerOf, (result) => result);
      const image = { type: "file", mediaType: "image/png", data: new Uint8Array(20_000) };
      const messages = [{ role: "user", content: [{ type: "text", text: TASK }, image] }];
      await run(model, { prompt: undefined, messages, prepareStep: prepareStep({ ...OPTIONS, strict: true }) });
      const [file] = model.doGenerateCalls[5].prompt.find(({ role }) => role === "user").content.filter(({ type }) => type === "file");
      const data = file.data.data ?? file.data;
      assert.equal(data.length, 20_000, "it goes out as it came in");
    });
  });

  describe(`${name}: middleware`, () => {
    test("each request fits and is valid, and everything is stored", async () => {
      const model = scripted();
      const result = await run(ai.wrapLanguageModel({ model, middleware: middleware({ ...OPTIONS, strict: true }) }));
      assertKept("ai-sdk", prompts(model.doGenerateCalls));
      assertWhole(messagesOf(result));
    });

    test("the same when streaming", async () => {
      const model = scripted();
      const result = ai.streamText({ model: ai.wrapLanguageModel({ model, middleware: middleware({ ...OPTIONS, strict: true }) }), tools, prompt: TASK, stopWhen: ai.stepCountIs(CALLS + 5) });
      await result.consumeStream();
      assertKept("ai-sdk", prompts(model.doStreamCalls));
      assert.equal(await result.text, ANSWER);
    });

    test("usage that also counts tools that the provider ran does not change the counts", async () => {
      const usage = { ...USAGE, inputTokens: { total: 3_000, noCache: 3_000 } };
      const search = [
        { type: "tool-call", toolCallId: "ws_1", toolName: "web_search", input: "{}", providerExecuted: true, dynamic: true },
        { type: "tool-result", toolCallId: "ws_1", toolName: "web_search", result: {}, providerExecuted: true, dynamic: true },
      ];
      const WAYS = {
        prepareStep: (session, model) => ai.generateText({ model, tools, prompt: "word ".repeat(1_000), prepareStep: prepareStep({ session, strict: true }), stopWhen: ai.stepCountIs(2) }),
        generated: (session, model) => ai.generateText({ model: ai.wrapLanguageModel({ model, middleware: middleware({ session, strict: true }) }), tools, prompt: "word ".repeat(1_000) }),
        streamed: (session, model) => ai.streamText({ model: ai.wrapLanguageModel({ model, middleware: middleware({ session, strict: true }) }), tools, prompt: "word ".repeat(1_000) }).consumeStream(),
      };
      for (const [way, run] of Object.entries(WAYS))
        for (const hosted of [[], search]) {
          const session = new Session({ contextWindow: 32_000 });
          const content = [...hosted, ...answerOf(0).content];
          const finish = { finishReason: { unified: "tool-calls" }, usage };
          const model = new Model({ doGenerate: { content, ...finish, warnings: [] }, doStream: async () => ({ stream: ReadableStream.from([{ type: "stream-start", warnings: [] }, ...content, { type: "finish", ...finish }]) }) });
          await run(session, model);
          await session.prepare();
          const { calibration } = session.report.counter;
          assert.ok(hosted.length > 0 ? calibration === 1 : calibration > 2, `${way}, ${hosted.length}: ${calibration}`);
        }
    });

    test("a summary may be requested through the same model", async () => {
      const model = scripted((n) => answerOf(n));
      let asked = 0;
      const asking = new Model({
        doGenerate: async (params) => {
          if (!JSON.stringify(params.prompt.at(-1)).includes("<summary>")) return model.doGenerate(params);
          asked++;
          return { ...answerOf(CALLS), content: [{ type: "text", text: "<summary>The build fails. Never edit src/generated.</summary>" }] };
        },
      });
      const wrapped = ai.wrapLanguageModel({
        model: asking,
        middleware: middleware({
          ...OPTIONS,
          strict: true,
          summarize: async (request, { signal }) => {
            const { system, messages } = request.as("ai-sdk");
            const { text, usage } = await ai.generateText({ model: wrapped, system, messages, abortSignal: signal });
            return { text, usage };
          },
        }),
      });
      await run(wrapped);
      assertKept("ai-sdk", prompts(model.doGenerateCalls));
      assert.ok(asked > 0);
    });

    test("a request refused as too long is retried with less", async () => {
      const model = scripted();
      const sizes = [];
      let refused = 0;
      const small = new Model({
        doGenerate: async (params) => {
          const size = Math.ceil(JSON.stringify(params.prompt).length / 4);
          sizes.push(size);
          if (size <= 3_000) return model.doGenerate(params);
          refused++;
          throw new Error(`This model's maximum context length is 3000 tokens. However, your messages resulted in ${size} tokens.`);
        },
      });
      const result = await run(ai.wrapLanguageModel({ model: small, middleware: middleware({ ...OPTIONS, strict: true }) }), { maxRetries: 0 });
      assert.equal(result.text, ANSWER);
      assert.ok(refused >= 1 && refused <= 3, `${refused} refusals`);
    });

    test("a stream refused at its beginning is retried with less; an unrelated error is passed on", async () => {
      const model = scripted();
      let refused = 0;
      const small = new Model({
        doStream: async (params) => {
          const size = Math.ceil(JSON.stringify(params.prompt).length / 4);
          if (size <= 3_000) return model.doStream(params);
          refused++;
          const error = { code: "context_length_exceeded", message: `This model's maximum context length is 3000 tokens. However, your messages resulted in ${size} tokens.` };
          return { stream: kit.simulateReadableStream({ chunks: [{ type: "stream-start", warnings: [] }, { type: "error", error }] }) };
        },
      });
      const stream = (of) => ai.streamText({ model: ai.wrapLanguageModel({ model: of, middleware: middleware({ ...OPTIONS, strict: true }) }), tools, prompt: TASK, stopWhen: ai.stepCountIs(CALLS + 5), maxRetries: 0, onError: () => {} });
      const result = stream(small);
      await result.consumeStream();
      assert.equal(await result.text, ANSWER);
      assert.ok(refused >= 1 && refused <= 3, `${refused} refusals`);
      const broken = new Model({ doStream: async () => ({ stream: kit.simulateReadableStream({ chunks: [{ type: "stream-start", warnings: [] }, { type: "error", error: new Error("overloaded") }] }) }) });
      const errors = [];
      for await (const part of stream(broken).fullStream) if (part.type === "error") errors.push(part.error.message);
      assert.deepEqual(errors, ["overloaded"]);
    });

    test("an internal failure leaves the run alone, and is reported once", async () => {
      const model = scripted();
      const { said } = await warnings(() => run(ai.wrapLanguageModel({ model, middleware: middleware({ contextWindow: 200_000, tokenizer: () => NaN }) })));
      assert.equal(model.doGenerateCalls.at(-1).prompt.length, 2 + 2 * CALLS);
      assert.equal(said.length, 1);
    });
  });
}

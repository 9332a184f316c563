// `contextfold/mastra` with the real SDK, its memory, and the AI SDK's providers against our own server.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Agent } from "@mastra/core/agent";
import { createDurableAgent } from "@mastra/core/agent/durable";
import { ConsoleLogger } from "@mastra/core/logger";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { Memory } from "@mastra/memory";
import { createOpenAI as openai3 } from "ai-sdk-openai-3";
import { Session } from "contextfold";
import { processor } from "contextfold/mastra";
import { memoryStore } from "contextfold/stores/memory";
import { agentTranscript } from "contextfold/testing";
import { aiSdkTools } from "contextfold/tools";
import { z } from "zod";
import { provider } from "./support/provider.mjs";
import { ANSWER, CALLS, FOLDS, OPTIONS, SUMMARY, TASK, WINDOW, assertKept, failingSummary, outputOf, warnings } from "./support/work.mjs";

const STRICT = { ...OPTIONS, strict: true };
const THREAD = { memory: { thread: "chat-17", resource: "someone" } };
const build = createTool({ id: "build", description: "Builds.", inputSchema: z.object({ n: z.number() }), execute: async ({ n }) => outputOf(n) });
const logger = new ConsoleLogger({ level: "none" });

const of = (create) => (server, api = "responses") => create({ apiKey: "none", baseURL: `${server.url}/v1` })[api]("m");
const models = { "a model of version 3": of(openai3) };
// The provider of version 4 requires Node 22.
if (Number(process.versions.node.split(".")[0]) >= 22) models["a model of version 4"] = of((await import("@ai-sdk/openai")).createOpenAI);
models["Mastra's own router"] = (server) => ({ id: "local/m", url: `${server.url}/v1`, apiKey: "none" });
const [modelOf] = Object.values(models);

async function serverFor(t, options) {
  const server = await provider(options);
  t.after(() => server.close());
  return server;
}

function agentOf(model, options, { errors = true, ...more } = {}) {
  const fitting = options && (options.processLLMRequest ? options : processor(options));
  const agent = new Agent({
    id: "builder", name: "builder", instructions: "You build.", model, tools: { build },
    ...(fitting && { inputProcessors: [fitting], ...(errors && { errorProcessors: [fitting], maxProcessorRetries: 3 }) }),
    ...more,
  });
  agent.__setLogger(logger);
  return agent;
}

const generated = (agent, prompt = TASK, more) => agent.generate(prompt, { maxSteps: 500, modelSettings: { maxRetries: 0 }, ...more });
const bodyFormat = (body) => (body.input ? "openai-responses" : "openai-chat");

/** The outputs of a thread, as the memory stored them. */
async function storedOutputs(memory) {
  const { messages } = await memory.recall({ threadId: "chat-17", perPage: false });
  const parts = messages.flatMap(({ content }) => content.parts);
  return Object.fromEntries(parts.flatMap(({ toolInvocation: of }) => (of ? [[of.toolCallId, of.result]] : [])));
}

function assertAllStored(outputs, calls) {
  assert.equal(Object.keys(outputs).length, calls);
  for (let n = 0; n < calls; n++) assert.equal(outputs[`call_${n}`], outputOf(n));
}

for (const [name, modelFor] of Object.entries(models))
  describe(`mastra 1, ${name}`, () => {
    test("without it, the window is exceeded", async (t) => {
      const server = await serverFor(t);
      await generated(agentOf(modelFor(server)));
      assert.throws(() => assertKept(bodyFormat(server.bodies[0]), server.bodies), /tokens are more than/);
    });

    test("each request fits and is valid, and the result is whole", async (t) => {
      const server = await serverFor(t, { window: WINDOW });
      const passes = [];
      const result = await generated(agentOf(modelFor(server), { ...STRICT, onReport: ({ decisions }) => passes.push(...decisions.map(({ pass }) => pass)) }));
      assertKept(bodyFormat(server.bodies[0]), server.bodies);
      assert.equal(server.refused, 0);
      assert.equal(result.text, ANSWER);
      assertAllStored(Object.fromEntries(result.steps.flatMap(({ toolResults }) => toolResults.map(({ payload }) => [payload.toolCallId, payload.result]))), CALLS);
      assert.ok(passes.includes("summarize"));
    });

    test("a streaming agent too", async (t) => {
      const server = await serverFor(t, { window: WINDOW });
      const stream = await agentOf(modelFor(server), STRICT).stream(TASK, { maxSteps: 500 });
      assert.equal(await stream.text, ANSWER);
      assertKept(bodyFormat(server.bodies[0]), server.bodies);
      assert.equal(server.refused, 0);
    });

    test("a call refused as too long is retried with less; without the error processor the run gets the error", async (t) => {
      const run = async (errors) => {
        const server = await serverFor(t, { window: 4_000 });
        const { text, error } = await generated(agentOf(modelFor(server), STRICT, { errors })).catch((error) => ({ error }));
        return { server, text, error };
      };
      const { server, text } = await run(true);
      assert.equal(text, ANSWER);
      assert.ok(server.refused >= 1 && server.refused <= 3, `${server.refused} refusals`);
      assertKept(bodyFormat(server.bodies[0]), server.bodies, { limit: 4_000 });
      assert.match(String((await run(false)).error), /context window|too long/);
    });
  });

describe("mastra 1, with its memory", () => {
  test("200 calls: none is refused or lost, and a summary that throws midway stops nothing", async (t) => {
    const calls = 200;
    const server = await serverFor(t, { window: WINDOW, calls });
    const errors = [];
    const memory = new Memory({ storage: new InMemoryStore() });
    const summarize = failingSummary((nth) => nth === 3);
    const options = { ...OPTIONS, ladder: FOLDS, compaction: { maxAttempts: 1, onFailure: "extractive" }, summarize, onError: (error) => errors.push(error) };
    const { text } = await generated(agentOf(modelOf(server), options, { memory }), TASK, THREAD);
    assert.equal(text, ANSWER);
    assert.equal(server.refused, 0);
    assertKept("openai-responses", server.bodies, { calls });
    assert.ok(summarize.asked > 3, `${summarize.asked} summaries`);
    assert.ok(errors.every((error) => error.code === "SUMMARY_FAILED"), String(errors[0]));
    assertAllStored(await storedOutputs(memory), calls);
  });

  test("a thread continues with its fold, in this process and, by its key, in another", async (t) => {
    const memory = new Memory({ storage: new InMemoryStore(), options: { lastMessages: 100 } });
    const store = memoryStore();
    let summaries = 0;
    const options = { ...STRICT, ladder: FOLDS, summarize: () => (summaries++, SUMMARY), store, key: ({ requestContext }) => requestContext?.get("MastraMemory")?.thread?.id };
    const fitting = processor(options);
    const first = await serverFor(t, { window: WINDOW, calls: 20 });
    await generated(agentOf(modelOf(first), fitting, { memory }), TASK, THREAD);
    const before = summaries;
    assert.ok(before > 0);
    for (const again of [fitting, processor(options)]) {
      const server = await serverFor(t, { window: WINDOW, calls: 0 });
      await generated(agentOf(modelOf(server), again, { memory }), "And now?", THREAD);
      assert.ok(JSON.stringify(server.bodies[0]).includes("The build fails. Never"), "the summary of the run before");
      assert.ok(JSON.stringify(server.bodies[0]).length < 4 * WINDOW);
    }
    assert.equal(summaries, before);
    assertAllStored(await storedOutputs(memory), 20);
  });
});

describe("mastra 1, the processor", () => {
  test("a durable agent too", async (t) => {
    const server = await serverFor(t, { window: WINDOW });
    const session = new Session(OPTIONS);
    const { output, cleanup } = await createDurableAgent({ agent: agentOf(modelOf(server), { session, strict: true }) }).stream(TASK, { maxSteps: 500 });
    assert.equal(await output.text, ANSWER);
    cleanup();
    assertKept("openai-responses", server.bodies);
    assert.equal(server.refused, 0);
    assert.ok(session.report.parts.some(({ name, tokens }) => name === "tools" && tokens > 0));
  });

  test("usage is recorded: the provider's higher counts are adopted", async (t) => {
    const server = await serverFor(t, { window: WINDOW, perToken: 1.5 });
    const session = new Session(OPTIONS);
    await generated(agentOf(modelOf(server), { session, strict: true }));
    const plain = await serverFor(t, { window: WINDOW });
    await generated(agentOf(modelOf(plain), STRICT));
    const largest = (bodies) => Math.max(...bodies.map((body) => JSON.stringify(body).length));
    assert.ok(largest(server.bodies) < largest(plain.bodies) * 0.9, `${largest(server.bodies)} of ${largest(plain.bodies)}`);
  });

  test("the step's tools are counted, and no others", async (t) => {
    const described = createTool({ id: "described", description: "Which one. ".repeat(100), inputSchema: z.object({ n: z.number().describe("Which one. ".repeat(100)) }), execute: async () => "" });
    const tokensOf = async (more, tools = {}) => {
      const session = new Session(OPTIONS);
      await generated(agentOf(modelOf(await serverFor(t, { calls: 0 })), { session, strict: true }, { tools: { build, ...tools } }), TASK, more);
      return session.report.parts.find(({ name }) => name === "tools").tokens;
    };
    const few = await tokensOf();
    assert.ok((await tokensOf({}, { described })) > few + 400);
    assert.equal(await tokensOf({ activeTools: ["build"] }, { described }), few);
  });

  test("the caller's own session, with the tools to search it and memory after the instructions", async (t) => {
    const session = new Session({ contextWindow: 4_000 });
    session.push(agentTranscript());
    await session.prepare();
    const tools = aiSdkTools(session);
    let n = 0;
    const asked = [["tool_output_cache_grep", { ref_id: "out_3", pattern: "file3.ts:7:" }], ["search_history", { query: "value_5_2 " }]];
    const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
    const model = {
      specificationVersion: "v2", provider: "local", modelId: "m", supportedUrls: {},
      doGenerate: async () => {
        const [toolName, args] = asked[n++] ?? [];
        return { content: [toolName ? { type: "tool-call", toolCallId: `s${n}`, toolName, input: JSON.stringify(args) } : { type: "text", text: ANSWER }], finishReason: toolName ? "tool-calls" : "stop", usage, warnings: [] };
      },
    };
    const { steps } = await generated(agentOf(model, undefined, { tools }), "go");
    const [grepped, found] = steps.flatMap(({ toolResults }) => toolResults.map(({ payload }) => payload.result));
    assert.match(grepped, /value_3_7/);
    assert.match(found, /src\/file5\.ts:2/);

    const remembering = new Session(OPTIONS);
    remembering.setContext({ memory: ["The build runs on Fridays."] });
    const server = await serverFor(t, { window: WINDOW });
    await generated(agentOf(modelOf(server), { session: remembering, strict: true }));
    for (const { input } of server.bodies) assert.deepEqual(input.filter(({ role }) => role === "system" || role === "developer").map(({ content }) => content), ["You build.", "<relevant_context>The build runs on Fridays.</relevant_context>"]);
  });

  test("a summary may be requested through the same agent", async (t) => {
    const server = await serverFor(t, { window: WINDOW, summary: SUMMARY });
    const model = modelOf(server);
    const fitting = processor({
      ...STRICT,
      ladder: FOLDS,
      summarize: async (request, { signal }) => {
        const { system, messages } = request.as("ai-sdk");
        const { text, usage } = await writer.generate(messages, { ...(system && { instructions: system }), abortSignal: signal, toolChoice: "none" });
        return { text, usage };
      },
    });
    const writer = agentOf(model, fitting, { id: "writer", tools: {} });
    await generated(agentOf(model, fitting));
    assertKept("openai-responses", server.bodies);
    assert.ok(server.summaries > 0);
  });

  test("an error that is not about the length is passed to the run", async () => {
    const fitting = processor(STRICT);
    let calls = 0;
    const model = { specificationVersion: "v2", provider: "local", modelId: "m", supportedUrls: {}, doGenerate: () => (calls++, Promise.reject(Object.assign(new Error("no such key"), { statusCode: 401 }))) };
    await assert.rejects(generated(agentOf(model, fitting)), /no such key/);
    assert.equal(calls, 1);
  });

  test("an internal failure leaves the run alone, and is reported once", async (t) => {
    const server = await serverFor(t);
    const { result, said } = await warnings(() => generated(agentOf(modelOf(server), { contextWindow: 200_000, tokenizer: () => NaN })));
    assert.equal(result.text, ANSWER);
    assert.equal(server.bodies.at(-1).input.filter(({ type }) => type === "function_call_output").length, CALLS, "its own messages");
    assert.equal(said.filter((line) => line.includes("contextfold")).length, 1);
  });

  test("strict: an internal failure fails the run", async (t) => {
    const server = await serverFor(t);
    const failing = generated(agentOf(modelOf(server), { ...STRICT, ladder: FOLDS, summarize: () => Promise.reject(new Error("no model")) }));
    await assert.rejects(failing, /summarize callback failed/);
  });

  test("wrong options are refused at once", () => {
    assert.throws(() => processor({ contextWindows: 1 }), { code: "INVALID_CONFIG" });
    assert.throws(() => processor({ model: "no-such-model" }), { code: "UNKNOWN_MODEL" });
  });
});

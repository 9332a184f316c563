// `contextfold/pi` with the real packages: pi's coding agent and its own providers, against a server on 127.0.0.1.

import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Agent } from "@earendil-works/pi-agent-core";
import { streamSimple } from "@earendil-works/pi-ai/compat";
import { DefaultResourceLoader, ModelRuntime, SessionManager, SettingsManager, createAgentSession } from "@earendil-works/pi-coding-agent";
import { Session } from "contextfold";
import { extension, fittingStream } from "contextfold/pi";
import { provider } from "./support/provider.mjs";
import { ANSWER, CALLS, FOLDS, OPTIONS, TASK, WINDOW, assertKept, failingSummary, outputOf, warnings } from "./support/work.mjs";

const STRICT = { ...OPTIONS, strict: true };
const APIS = { "openai-chat": "openai-completions", "openai-responses": "openai-responses", anthropic: "anthropic-messages" };
const folder = fileURLToPath(new URL(`.pi-${process.pid}`, import.meta.url));
after(() => rmSync(folder, { recursive: true, force: true }));

const build = {
  name: "build",
  label: "build",
  description: "Builds.",
  parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  execute: async (_id, { n }) => ({ content: [{ type: "text", text: outputOf(n) }], details: { n } }),
};

async function served(t, options) {
  const server = await provider(options);
  t.after(() => server.close());
  return server;
}

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const modelAt = (server, { format = "openai-chat", contextWindow = WINDOW, input = ["text"] } = {}) => ({
  id: "m", name: "m", api: APIS[format], provider: "local", baseUrl: format === "anthropic" ? server.url : `${server.url}/v1`, reasoning: format === "openai-responses", input,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow, maxTokens: 500,
});

/** A session of pi's coding agent, with extensions. */
async function agentOf(server, extensionFactories, { compaction = { enabled: false }, files = [], ...more } = {}) {
  const agentDir = `${folder}/${Math.random()}`;
  mkdirSync(agentDir, { recursive: true });
  const { name, ...model } = modelAt(server, more);
  writeFileSync(`${agentDir}/models.json`, JSON.stringify({ providers: { local: { baseUrl: model.baseUrl, api: model.api, apiKey: "none", models: [{ ...model, name }] } } }));
  const settingsManager = SettingsManager.inMemory({ compaction, retry: { enabled: false } });
  const resourceLoader = new DefaultResourceLoader({
    cwd: agentDir, agentDir, settingsManager, extensionFactories, additionalExtensionPaths: files, systemPrompt: "You build.", noExtensions: files.length === 0, noSkills: true, noContextFiles: true, noPromptTemplates: true, noThemes: true,
  });
  await resourceLoader.reload();
  const modelRuntime = await ModelRuntime.create({ authPath: `${agentDir}/auth.json`, modelsPath: `${agentDir}/models.json` });
  const { session, extensionsResult } = await createAgentSession({
    cwd: agentDir, agentDir, settingsManager, resourceLoader, modelRuntime, model: modelRuntime.getModel("local", "m"), thinkingLevel: "off", noTools: "builtin", customTools: [build], sessionManager: SessionManager.inMemory(agentDir),
  });
  assert.deepEqual(extensionsResult.errors, []);
  return session;
}

const outputsOf = (messages) => messages.filter(({ role }) => role === "toolResult");
const textOf = ({ content }) => content.map(({ text }) => text ?? "").join("");

function assertWhole(messages, calls = CALLS) {
  assert.deepEqual(outputsOf(messages).map(textOf), Array.from({ length: calls }, (_, n) => outputOf(n)));
  assert.equal(textOf(messages.at(-1)), ANSWER);
}

describe("pi's coding agent", () => {
  test("without it, the window is exceeded", async (t) => {
    const server = await served(t, { window: WINDOW });
    await (await agentOf(server, [])).prompt(TASK);
    assert.ok(server.refused > 0 && server.bodies.length < CALLS);
  });

  for (const format of Object.keys(APIS))
    test(`${format}: each request fits and is valid, and pi's session is whole`, async (t) => {
      const server = await served(t, { window: WINDOW });
      const passes = [];
      const session = await agentOf(server, [extension({ ...STRICT, onReport: ({ decisions }) => passes.push(...decisions.map(({ pass }) => pass)) })], { format, compaction: { enabled: true, reserveTokens: 500, keepRecentTokens: 2_000 } });
      await session.prompt(TASK);
      assertKept(format, server.bodies);
      assert.equal(server.refused, 0);
      assertWhole(session.messages); // so pi had nothing to compact
      assert.ok(passes.includes("summarize"), `${passes}`);
    });

  test("without options, the window is that of pi's model", async (t) => {
    const server = await served(t, { window: WINDOW });
    const session = await agentOf(server, [extension({ strict: true })]);
    await session.prompt(TASK);
    assertKept("openai-chat", server.bodies);
    assert.equal(server.refused, 0);
  });

  test("200 calls, and a summary that throws midway: none is refused or lost", async (t) => {
    const server = await served(t, { window: WINDOW, calls: 200 });
    const errors = [];
    const summarize = failingSummary();
    const session = await agentOf(server, [extension({ ...OPTIONS, summarize, onError: (error) => errors.push(error) })]);
    await session.prompt(TASK);
    assert.ok(summarize.asked > 7, `${summarize.asked} summaries`);
    assert.equal(server.refused, 0);
    assertKept("openai-chat", server.bodies, { calls: 200 });
    assertWhole(session.messages, 200);
    assert.ok(errors.length > 0);
  });

  test("it is loaded from a file, as pi loads extensions", async (t) => {
    const server = await served(t, { window: WINDOW });
    mkdirSync(folder, { recursive: true });
    const file = `${folder}/contextfold.ts`;
    writeFileSync(file, `import { extension } from "contextfold/pi";\nexport default extension({ strict: true });\n`);
    const session = await agentOf(server, [], { files: [file] });
    await session.prompt(TASK);
    assertKept("openai-chat", server.bodies);
  });

  test("messages of other extensions and the user's commands reach the model, and its images stay", async (t) => {
    const server = await served(t, { window: WINDOW });
    const session = await agentOf(server, [(pi) => pi.on("before_agent_start", () => ({ message: { customType: "rule", content: "Remember RULE-77.", display: false } })), extension(STRICT)], { input: ["text", "image"] });
    await session.executeBash("echo shown-to-it");
    await session.executeBash("echo kept-from-it", undefined, { excludeFromContext: true });
    await session.prompt(TASK, { images: [{ type: "image", data: PIXEL, mimeType: "image/png" }] });
    assertKept("openai-chat", server.bodies);
    const [first] = server.bodies.map((body) => JSON.stringify(body));
    for (const words of ["RULE-77", "shown-to-it", PIXEL]) assert.ok(first.includes(words), words);
    assert.ok(!first.includes("kept-from-it"));
    assert.ok(JSON.stringify(server.bodies.at(-1)).includes("RULE-77"));
  });

  test("a second prompt keeps the fold", async (t) => {
    const server = await served(t, { window: WINDOW });
    let summaries = 0;
    const session = await agentOf(server, [extension({ ...STRICT, ladder: FOLDS, summarize: () => (summaries++, "<summary>The build fails. Never edit src/generated.</summary>") })]);
    await session.prompt(TASK);
    const before = summaries;
    await session.prompt("And now?");
    assert.ok(before > 0 && summaries === before);
    assert.ok(server.bodies.at(-1).messages.length < 40);
  });

  test("if the model accepts less than it claims, the refused call is retried with less", async (t) => {
    const server = await served(t, { window: WINDOW / 2 });
    const session = await agentOf(server, [extension(STRICT)], { compaction: { enabled: true, reserveTokens: 100, keepRecentTokens: 1_000 } });
    await session.prompt(TASK);
    assert.ok(server.refused > 0, "the server takes less");
    assert.ok(server.refused < 3, `learnt, not tried: ${server.refused}`);
    assert.equal(textOf(session.messages.at(-1)), ANSWER);
    assert.equal(server.bodies.length, CALLS + 1);
    assert.equal(server.summaries, 0, "no summary was asked for");
  });

  test("/compact writes our summary into pi's session", async (t) => {
    const server = await served(t, { calls: 9 });
    const session = await agentOf(server, [extension({ ...STRICT, contextWindow: 100_000 })], { compaction: { enabled: true, reserveTokens: 100, keepRecentTokens: 1_000 }, contextWindow: 100_000 });
    await session.prompt(TASK);
    const asked = server.bodies.length;
    const { summary } = await session.compact();
    assert.equal(server.bodies.length, asked, "no model was asked");
    assert.match(summary, /E0300/);
    assert.match(summary, /Never edit src\/generated/);
    await session.prompt("And now?");
    assert.match(JSON.stringify(server.bodies.at(-1)), /compacted into the following summary.*Never edit src\/generated/);
  });

  test("an internal failure leaves pi running, and is reported once", async (t) => {
    const server = await served(t);
    const session = await agentOf(server, [extension({ contextWindow: 200_000, tokenizer: () => NaN })]);
    const { said } = await warnings(() => session.prompt(TASK));
    assertWhole(session.messages);
    assert.equal(server.bodies.at(-1).messages.length, 2 + 2 * CALLS);
    assert.equal(said.length, 1);
  });

  test("the usage that pi reports corrects the counts", async (t) => {
    const server = await served(t, { perToken: 1.5 });
    const session = new Session({ contextWindow: WINDOW * 2, tokenizer: "bytes/4" });
    await (await agentOf(server, [extension({ session, strict: true })])).prompt(TASK);
    assert.ok(session.report.counter.calibration > 1.2, `${session.report.counter.calibration}`);
  });

  test("wrong options are refused at once", () => {
    assert.throws(() => extension({ contextWindows: 1 }), { code: "INVALID_CONFIG" });
    assert.throws(() => fittingStream(streamSimple, { model: "gpt-99" }), { code: "UNKNOWN_MODEL" });
  });
});

describe("pi's agent core", () => {
  const agent = (server, streamFn, more) => new Agent({ initialState: { systemPrompt: "You build.", model: modelAt(server, more), tools: [build], thinkingLevel: "off" }, getApiKey: () => "none", streamFn });

  for (const format of Object.keys(APIS))
    test(`${format}: each request fits, and the agent's state is whole`, async (t) => {
      const server = await served(t, { window: WINDOW });
      const one = agent(server, fittingStream(streamSimple, { strict: true }), { format });
      await one.prompt(TASK);
      assertKept(format, server.bodies);
      assert.equal(server.refused, 0);
      assertWhole(one.state.messages);
    });

  test("without it, the window is exceeded", async (t) => {
    const server = await served(t, { window: WINDOW });
    await agent(server, streamSimple).prompt(TASK);
    assert.ok(server.refused > 0);
  });

  test("a refused request is retried before the agent notices", async (t) => {
    const server = await served(t, { window: WINDOW / 2 });
    const one = agent(server, fittingStream(streamSimple, STRICT));
    await one.prompt(TASK);
    assert.ok(server.refused > 0 && server.refused < 3, `${server.refused}`);
    assertWhole(one.state.messages);
  });

  test("an answer that lost its reasoning to a cut also loses the ids by which OpenAI would look for it", async (t) => {
    const server = await served(t, { window: WINDOW, calls: 1 });
    const one = agent(server, fittingStream(streamSimple, STRICT), { format: "openai-responses" });
    const from = { api: "openai-responses", provider: "local", model: "m", usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: {} }, timestamp: 1 };
    one.state.messages = [
      { role: "user", content: TASK, timestamp: 1 },
      ...Array.from({ length: 12 }, (_, n) => [
        {
          role: "assistant", ...from, stopReason: "toolUse",
          content: [
            { type: "thinking", thinking: "Hm.", thinkingSignature: JSON.stringify({ id: `rs_${n}`, type: "reasoning", summary: [], encrypted_content: `gA${n}` }) },
            { type: "text", text: `${n} ${"I look at it. ".repeat(200)}`, textSignature: JSON.stringify({ v: 1, id: `msg_old_${n}` }) },
            { type: "toolCall", id: `old_${n}|fc_old_${n}`, name: "build", arguments: { n } },
          ],
        },
        { role: "toolResult", toolCallId: `old_${n}|fc_old_${n}`, toolName: "build", content: [{ type: "text", text: outputOf(n) }], isError: false, timestamp: 1 },
      ]).flat(),
    ];
    await one.prompt("And now?");
    assert.equal(one.state.errorMessage, undefined);
    const { input } = server.bodies[0];
    const cut = input.filter((item) => item.type === "message" && item.role === "assistant" && JSON.stringify(item).includes("left out"));
    assert.ok(cut.length > 0, "some answers are cut");
    for (const item of cut) assert.doesNotMatch(item.id ?? "", /^msg_old/, "its own id is gone");
    const reasons = new Set(input.filter(({ type }) => type === "reasoning").map(({ id }) => id.slice(3)));
    for (const { id } of input.filter(({ type }) => type === "function_call")) if (id) assert.ok(reasons.has(id.slice(7)), id);
  });

  test("messages that no pass changed are the same objects", async (t) => {
    const server = await served(t, { window: WINDOW });
    const given = new Set();
    let same = 0;
    const watched = (model, context, options) => {
      same = context.messages.filter((message) => given.has(message)).length;
      return streamSimple(model, context, options);
    };
    const fitting = fittingStream(watched, STRICT);
    await agent(server, (model, context, options) => {
      for (const message of context.messages) given.add(message);
      return fitting(model, context, options);
    }).prompt(TASK);
    assert.ok(same > 4, `${same}`);
  });

  test("messages without content, which pi reads as empty", async () => {
    const answer = (n) => ({ role: "assistant", content: [{ type: "toolCall", id: `c${n}`, name: "build", arguments: { n } }], api: "openai-completions", provider: "local", model: "m", stopReason: "toolUse", timestamp: 1 });
    const output = (n) => ({ role: "toolResult", toolCallId: `c${n}`, toolName: "build", content: n === 2 ? undefined : [{ type: "text", text: outputOf(n) }], isError: false, timestamp: 1 });
    const messages = [{ role: "user", content: TASK, timestamp: 1 }, { role: "user", content: null, timestamp: 1 }, { role: "assistant", content: null, stopReason: "stop", timestamp: 1 }, { role: "user", content: "Go on.", timestamp: 1 }];
    messages.push(...Array.from({ length: CALLS }, (_, n) => [answer(n), output(n)]).flat());
    let sent;
    const done = { role: "assistant", content: [{ type: "text", text: ANSWER }], stopReason: "stop" };
    const model = (_model, context) => {
      sent = context.messages;
      return { result: async () => done, async *[Symbol.asyncIterator]() { yield { type: "done", reason: "stop", message: done }; } };
    };
    await fittingStream(model, STRICT)({ id: "m" }, { systemPrompt: "You build.", messages, tools: [build] });
    const letters = (list) => JSON.stringify(list).length;
    assert.ok(sent.length > 2 && letters(sent) < letters(messages) * 0.7, `${letters(sent)} of ${letters(messages)} letters`);
  });

  test("after a failed summary, a list that would not fit is not sent", async (t) => {
    const server = await served(t, { window: WINDOW, calls: 60 });
    const errors = [];
    const summarize = failingSummary((nth) => nth > 1);
    const options = { ...OPTIONS, ladder: FOLDS, summarize, compaction: { maxAttempts: 1, onFailure: "error" }, onError: (error) => errors.push(error) };
    const sizes = [];
    const counted = (model, context, rest) => {
      sizes.push([context.messages.length, JSON.stringify(context.messages).length]);
      return streamSimple(model, context, rest);
    };
    const one = agent(server, fittingStream(counted, options));
    await one.prompt(TASK);
    assert.ok(errors.length > 2, `${errors.length} failures`);
    const afterFold = sizes.findIndex(([length], n) => n > 0 && length < sizes[n - 1][0]);
    assert.ok(afterFold > 0, "folded once");
    for (let n = afterFold + 1; n < sizes.length; n++) assert.ok(sizes[n][0] <= sizes[n - 1][0] + 2, `call ${n}: ${sizes[n - 1][0]}, then ${sizes[n][0]} messages`);
  });
});

// `contextfold/langchain` with the real SDK and its fake model.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { createAgent, tool } from "langchain";
import { Session } from "contextfold";
import { z } from "zod";
import { middleware, tools as searchTools } from "contextfold/langchain";
import { agentTranscript } from "contextfold/testing";
import { ANSWER, CALLS, FOLDS, OPTIONS, TASK, assertKept, outputOf, warnings } from "./support/work.mjs";

const STRICT = { ...OPTIONS, strict: true };
const build = tool(({ n }) => outputOf(n), { name: "build", description: "Builds.", schema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } });

function scripted(from = 0, to = CALLS) {
  let model = fakeModel();
  for (let n = from; n < to; n++) model = model.respond(new AIMessage({ content: "", tool_calls: [{ name: "build", args: { n }, id: `call_${n}`, type: "tool_call" }] }));
  return model.respond(new AIMessage(ANSWER));
}

/** What reached the model, as Chat Completions. */
const bodies = (model) =>
  model.calls.map(({ messages }) =>
    messages.map((message) => {
      const content = typeof message.content === "string" ? message.content : message.content.map((part) => ({ ...part }));
      if (message.getType() === "tool") return { role: "tool", tool_call_id: message.tool_call_id, content };
      if (message.getType() === "ai") return { role: "assistant", content, ...(message.tool_calls.length > 0 && { tool_calls: message.tool_calls.map(({ id, name, args }) => ({ id, type: "function", function: { name, arguments: JSON.stringify(args) } })) }) };
      return { role: message.getType() === "system" ? "system" : "user", content };
    }),
  );

const agentOf = (model, options, more) => createAgent({ model, tools: [build], systemPrompt: "You build.", ...(options && { middleware: [middleware(options)] }), ...more });
const config = { recursionLimit: 500 };

function assertWhole(messages, calls = CALLS) {
  const outputs = messages.filter((message) => message.getType() === "tool");
  assert.equal(outputs.length, calls);
  for (const { tool_call_id, content } of outputs) assert.equal(content, outputOf(Number(tool_call_id.slice(5))));
  assert.equal(messages.at(-1).content, ANSWER);
}

describe("langchain 1", () => {
  test("without it, the window is exceeded", async () => {
    const model = scripted();
    await agentOf(model).invoke({ messages: [new HumanMessage(TASK)] }, config);
    assert.throws(() => assertKept("openai-chat", bodies(model)), /tokens are more than/);
  });

  test("each request fits and is valid, and the agent's state is whole", async () => {
    const model = scripted();
    const passes = [];
    const { messages } = await agentOf(model, { ...STRICT, onReport: ({ decisions }) => passes.push(...decisions.map(({ pass }) => pass)) }).invoke({ messages: [new HumanMessage(TASK)] }, config);
    assertKept("openai-chat", bodies(model));
    assertWhole(messages);
    assert.ok(passes.includes("summarize"));
    assert.ok(bodies(model).every(([first, ...rest]) => first.content === "You build." || first.content[0].text === "You build."));
  });

  test("a streaming agent too; tools with a zod schema are counted", async () => {
    const model = scripted();
    const schema = z.object({ n: z.number().describe("Which one. ".repeat(100)) });
    const session = new Session(OPTIONS);
    const agent = createAgent({ model, tools: [tool(({ n }) => outputOf(n), { name: "build", description: "Builds.", schema })], middleware: [middleware({ session, strict: true })] });
    let state;
    for await (const [mode, chunk] of await agent.stream({ messages: [new HumanMessage(TASK)] }, { ...config, streamMode: ["values", "messages"] })) if (mode === "values") state = chunk;
    assertKept("openai-chat", bodies(model));
    assertWhole(state.messages);
    assert.ok(session.report.parts.find(({ name }) => name === "tools").tokens > 200);
  });

  test("a conversation that continues from a checkpoint keeps its fold", async () => {
    let summaries = 0;
    const options = { ...STRICT, ladder: FOLDS, summarize: () => (summaries++, "<summary>The build fails. Never edit src/generated.</summary>") };
    const checkpointer = new MemorySaver();
    const hook = middleware(options);
    const first = scripted(0, 18);
    const thread = { ...config, configurable: { thread_id: "1" } };
    await createAgent({ model: first, tools: [build], middleware: [hook], checkpointer }).invoke({ messages: [new HumanMessage(TASK)] }, thread);
    const before = summaries;
    const second = scripted(18, 19);
    const { messages } = await createAgent({ model: second, tools: [build], middleware: [hook], checkpointer }).invoke({ messages: [new HumanMessage("And now?")] }, thread);
    assert.ok(before > 0 && summaries === before);
    assertWhole(messages, 19);
    assert.ok(bodies(second)[0].length < 30 && JSON.stringify(bodies(second)[0]).includes("The build fails. Never"));
  });

  test("a session with memory: it reaches the model, after the system prompt", async () => {
    const session = new Session(OPTIONS);
    session.setContext({ memory: ["The build runs on Fridays."] });
    const model = scripted();
    await agentOf(model, { session, strict: true }).invoke({ messages: [new HumanMessage(TASK)] }, config);
    for (const body of bodies(model)) {
      const said = body.filter(({ role }) => role === "system").map(({ content }) => (typeof content === "string" ? content : content.map(({ text }) => text).join("|")));
      assert.equal(said.length, 1, "some models take one system message, and only at the beginning");
      assert.match(said[0], /^You build\.[\s|]*<relevant_context>The build runs on Fridays\.<\/relevant_context>$/);
    }
  });

  test("blocks of the system prompt stay blocks, cache marks included", async () => {
    const session = new Session(OPTIONS);
    session.setContext({ memory: ["The build runs on Fridays."] });
    const model = fakeModel().respond(new AIMessage(ANSWER));
    const blocks = [{ type: "text", text: "You build.", cache_control: { type: "ephemeral" } }, { type: "text", text: "Be brief." }];
    const systemPrompt = new SystemMessage({ content: blocks, id: "prompt" });
    await createAgent({ model, tools: [], systemPrompt, middleware: [middleware({ session, strict: true })] }).invoke({ messages: [new HumanMessage(TASK)] }, config);
    const [sent] = model.calls[0].messages;
    assert.deepEqual(sent.content, [...blocks, { type: "text", text: "<relevant_context>The build runs on Fridays.</relevant_context>" }]);
    assert.equal(sent.id, "prompt");
  });

  test("the caller's own session, with the tools to search it", async () => {
    const session = new Session({ contextWindow: 4_000 });
    session.push(agentTranscript());
    await session.prepare();
    const model = fakeModel()
      .respondWithTools([{ name: "tool_output_cache_grep", args: { ref_id: "out_3", pattern: "file3.ts:7:" }, id: "a" }])
      .respondWithTools([{ name: "search_history", args: { query: "value_5_2 " }, id: "b" }])
      .respond(new AIMessage("done"));
    const { messages } = await createAgent({ model, tools: searchTools(session) }).invoke({ messages: [new HumanMessage("go")] }, config);
    const [grepped, found] = messages.filter((message) => message.getType() === "tool");
    assert.match(grepped.content, /value_3_7/);
    assert.match(found.content, /src\/file5\.ts:2/);
  });

  test("cut outputs keep their own tool's name and status, even if another conversation has the same call ids", async () => {
    const { wrapModelCall } = middleware(STRICT);
    const listOf = (name, status) => [new HumanMessage(`Work of ${name}.`), ...Array.from({ length: CALLS }, (_, n) => [
      new AIMessage({ content: "", tool_calls: [{ id: `${n}`, name, args: { n }, type: "tool_call" }] }),
      new ToolMessage({ tool_call_id: `${n}`, name, status, content: outputOf(n) }),
    ]).flat()];
    const shown = async (messages) => {
      let given;
      await wrapModelCall({ messages, tools: [], runtime: {} }, async (request) => ((given = request.messages), new AIMessage(ANSWER)));
      return [...new Set(given.filter((message) => message.getType() === "tool").map(({ name, status }) => `${name} ${status}`))];
    };
    const build = listOf("build", "success");
    await shown(build);
    assert.deepEqual(await shown(listOf("deploy", "error")), ["deploy error"]);
    assert.deepEqual(await shown([...build, new AIMessage(ANSWER), new HumanMessage(`Go on. ${"And on. ".repeat(1_000)}`)]), ["build success"]);
  });

  test("a call refused as too long is retried with less", async () => {
    const model = fakeModel()
      .respond(new Error("This model's maximum context length is 3000 tokens. However, your messages resulted in 5000 tokens."))
      .respond(new AIMessage(ANSWER));
    const history = agentTranscript("messages", { calls: 9 });
    const messages = history.map((m) => (m.role === "user" ? new HumanMessage(m.content) : m.role === "tool" ? m : { role: "assistant", content: "", tool_calls: m.tool_calls }));
    const result = await createAgent({ model, tools: [], middleware: [middleware(STRICT)] }).invoke({ messages }, config);
    assert.equal(result.messages.at(-1).content, ANSWER);
    assert.ok(JSON.stringify(bodies(model)[1]).length < JSON.stringify(bodies(model)[0]).length * 0.7);
  });

  test("an internal failure leaves the run alone, and is reported once", async () => {
    const model = scripted();
    const { result, said } = await warnings(() => agentOf(model, { contextWindow: 200_000, tokenizer: () => NaN }).invoke({ messages: [new HumanMessage(TASK)] }, config));
    assertWhole(result.messages);
    assert.equal(bodies(model).at(-1).length, 2 + 2 * CALLS);
    assert.equal(said.length, 1);
  });

  test("strict: an internal failure fails the run", async () => {
    const failing = agentOf(scripted(), { ...STRICT, ladder: FOLDS, summarize: () => Promise.reject(new Error("no model")) }).invoke({ messages: [new HumanMessage(TASK)] }, config);
    await assert.rejects(failing, /summarize callback failed/);
  });

  test("wrong options are refused at once", () => {
    assert.throws(() => middleware({ contextWindows: 1 }), { code: "INVALID_CONFIG" });
  });
});

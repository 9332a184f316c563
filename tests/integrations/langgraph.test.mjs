// `contextfold/langgraph` in graphs of the real SDK, with its fake model and its checkpointer.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AIMessage, HumanMessage, SystemMessage, ToolMessage, coerceMessageLikeToMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { tool } from "@langchain/core/tools";
import { END, MemorySaver, MessagesAnnotation, REMOVE_ALL_MESSAGES, START, StateGraph } from "@langchain/langgraph";
import { ToolNode, createReactAgent } from "@langchain/langgraph/prebuilt";
import { Session, countTokens } from "contextfold";
import { compactionNode, modelCall, preModelHook, tools as searchTools } from "contextfold/langgraph";
import { memoryStore } from "contextfold/stores/memory";
import { agentTranscript } from "contextfold/testing";
import { z } from "zod";
import { ANSWER, CALLS, FOLDS, OPTIONS, SUMMARY, TASK, WINDOW, assertFits, assertKept, failingSummary, outputOf, warnings } from "./support/work.mjs";

const STRICT = { ...OPTIONS, strict: true };
const SYSTEM = new SystemMessage("You build.");
const build = tool(({ n }) => outputOf(n), { name: "build", description: "Builds.", schema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } });
const thread = (id = "chat-17") => ({ recursionLimit: 2_000, configurable: { thread_id: id } });

/** What reached the model, as Chat Completions. */
function bodyOf(messages) {
  return messages.map((message) => {
    const content = typeof message.content === "string" ? message.content : message.content.map((part) => ({ ...part }));
    if (message.getType() === "tool") return { role: "tool", tool_call_id: message.tool_call_id, content };
    if (message.getType() === "ai") return { role: "assistant", content, ...(message.tool_calls.length > 0 && { tool_calls: message.tool_calls.map(({ id, name, args }) => ({ id, type: "function", function: { name, arguments: JSON.stringify(args) } })) }) };
    return { role: message.getType() === "system" ? "system" : "user", content };
  });
}

/** A model with an enforced window, like a provider's: calls `from` to `to` of the tool, each with its usage, then the answer. */
function scripted({ from = 0, to = CALLS, window = Infinity, perToken = 1 } = {}) {
  const state = { bodies: [], refused: 0 };
  const usageOf = (messages) => {
    const input_tokens = Math.round(countTokens(bodyOf(messages)) * perToken);
    return { input_tokens, output_tokens: 10, total_tokens: input_tokens + 10 };
  };
  const answer = (message) => (messages) => {
    const body = bodyOf(messages);
    const tokens = countTokens(body);
    if (tokens > window) {
      state.refused++;
      return new Error(`This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens.`);
    }
    state.bodies.push(body);
    return new AIMessage({ ...message(state.bodies.length - 1 + from), usage_metadata: usageOf(messages) });
  };
  const said = (n) => (n < to ? { content: "", tool_calls: [{ name: "build", args: { n }, id: `call_${n}`, type: "tool_call" }] } : { content: ANSWER });
  let model = fakeModel();
  for (let n = from; n < to + 20; n++) model = model.respond(answer(said));
  return Object.assign(state, { model });
}

/** A hand-written graph: `nodes` may put another one before the model, which is called by `call`. */
function graphOf({ call, compact, tools = [build], checkpointer }) {
  const next = ({ messages }) => (messages.at(-1).tool_calls?.length ? "tools" : END);
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("model", async ({ messages }, config) => ({ messages: [await call(messages, config)] }))
    .addNode("tools", new ToolNode(tools))
    .addConditionalEdges("model", next, ["tools", END]);
  if (!compact) return graph.addEdge(START, "model").addEdge("tools", "model").compile({ checkpointer });
  return graph.addNode("compact", compact).addEdge(START, "compact").addEdge("compact", "model").addEdge("tools", "compact").compile({ checkpointer });
}

const fittingGraph = ({ model }, options, more) => {
  const fitting = modelCall(options);
  return graphOf({ call: (messages, config) => fitting([SYSTEM, ...messages], (list) => model.invoke(list, config), config), ...more });
};
const ask = (content = TASK) => ({ messages: [new HumanMessage(content)] });

function assertWhole(messages, calls = CALLS) {
  const outputs = messages.filter((message) => message.getType() === "tool");
  assert.equal(outputs.length, calls);
  for (const { tool_call_id, content } of outputs) assert.equal(content, outputOf(Number(tool_call_id.slice(5))));
  assert.equal(messages.at(-1).content, ANSWER);
}

function assertUniqueIds(messages) {
  const ids = messages.map(({ id }) => id);
  assert.ok(ids.every((id) => typeof id === "string" && id !== ""));
  assert.equal(new Set(ids).size, ids.length);
}

describe("langgraph 1: modelCall", () => {
  test("without it, the window is exceeded", async () => {
    const script = scripted();
    await graphOf({ call: (messages, config) => script.model.invoke([SYSTEM, ...messages], config) }).invoke(ask(), thread());
    assert.throws(() => assertKept("openai-chat", script.bodies), /tokens are more than/);
  });

  test("200 calls: none is refused or lost, and a summary that throws midway stops nothing", async () => {
    const calls = 200;
    const script = scripted({ to: calls, window: WINDOW });
    const summarize = failingSummary((nth) => nth === 3);
    const errors = [];
    const options = { ...OPTIONS, ladder: FOLDS, compaction: { maxAttempts: 1, onFailure: "extractive" }, summarize, onError: (error) => errors.push(error) };
    const { messages } = await fittingGraph(script, options).invoke(ask(), thread());
    assertKept("openai-chat", script.bodies, { calls });
    assert.equal(script.refused, 0);
    assert.ok(summarize.asked > 3, `${summarize.asked} summaries`);
    assert.ok(errors.every(({ code }) => code === "SUMMARY_FAILED"), String(errors[0]));
    assertWhole(messages, calls);
  });

  test("a thread goes on with its fold, in this process and, by its key, in another", async () => {
    const [store, checkpointer] = [memoryStore(), new MemorySaver()];
    let summaries = 0;
    const options = { ...STRICT, ladder: FOLDS, summarize: () => (summaries++, SUMMARY), store, key: ({ config }) => config?.configurable?.thread_id };
    await fittingGraph(scripted({ to: 18 }), options, { checkpointer }).invoke(ask(), thread());
    const before = summaries;
    const more = scripted({ from: 18, to: 18 });
    const { messages } = await fittingGraph(more, options, { checkpointer }).invoke(ask("And now?"), thread());
    assert.ok(before > 0 && summaries === before);
    assert.ok(more.bodies[0].length < 30 && JSON.stringify(more.bodies[0]).includes("The build fails. Never"));
    assertWhole(messages, 18);
  });

  test("a call refused as too long is retried with less", async () => {
    const script = scripted({ window: 3_000 });
    const { messages } = await fittingGraph(script, STRICT).invoke(ask(), thread());
    assertKept("openai-chat", script.bodies, { limit: 3_000 });
    assert.ok(script.refused >= 1 && script.refused <= 3, `${script.refused} refusals`);
    assertWhole(messages);
  });

  test("an unrelated error is passed to the node", async () => {
    const fitting = modelCall(STRICT);
    let calls = 0;
    await assert.rejects(fitting([new HumanMessage(TASK)], () => (calls++, Promise.reject(new Error("no such key")))), /no such key/);
    assert.equal(calls, 1);
  });

  test("usage is recorded: the model's higher counts are adopted", async () => {
    const [more, plain] = [scripted({ perToken: 1.5 }), scripted()];
    for (const script of [more, plain]) await fittingGraph(script, STRICT).invoke(ask(), thread());
    const largest = ({ bodies }) => Math.max(...bodies.map((body) => countTokens(body)));
    assert.ok(largest(more) < largest(plain) * 0.8, `${largest(more)} of ${largest(plain)}`);
  });

  test("tools and instructions beside the messages count", async () => {
    const described = tool(() => "", { name: "described", description: "Which one. ".repeat(100), schema: z.object({ n: z.number().describe("Which one. ".repeat(100)) }) });
    const session = new Session(OPTIONS);
    await modelCall({ session, tools: [described], instructions: "Be brief. ".repeat(100) })([new HumanMessage(TASK)], async () => new AIMessage("ok"));
    const tokens = Object.fromEntries(session.report.parts.map(({ name, tokens }) => [name, tokens]));
    assert.ok(tokens.tools > 400 && tokens.system > 200, JSON.stringify(tokens));
  });

  test("a session with memory: it reaches the model within the one system message", async () => {
    const session = new Session(OPTIONS);
    session.setContext({ memory: ["The build runs on Fridays."] });
    const script = scripted();
    await fittingGraph(script, { session, strict: true }).invoke(ask(), thread());
    for (const body of script.bodies) assert.deepEqual(body.filter(({ role }) => role === "system").map(({ content }) => content), ["You build.\n\n<relevant_context>The build runs on Fridays.</relevant_context>"]);
  });

  test("the caller's own session, with the tools to search it", async () => {
    const session = new Session({ contextWindow: 4_000 });
    session.push(agentTranscript());
    await session.prepare();
    const model = fakeModel()
      .respondWithTools([{ name: "tool_output_cache_grep", args: { ref_id: "out_3", pattern: "file3.ts:7:" }, id: "a" }])
      .respond(new AIMessage("done"));
    const { messages } = await graphOf({ call: (messages) => model.invoke(messages), tools: searchTools(session) }).invoke(ask("go"), thread());
    assert.match(messages.find((message) => message.getType() === "tool").content, /value_3_7/);
  });

  test("Claude's thinking: a model that binds it gets none whose messages before were edited, and keeps the rest", async () => {
    const call = modelCall({ model: "claude-opus-5-5", contextWindow: 6_000, strict: true });
    const list = [new HumanMessage("go")];
    const seen = new Map(); // what a model saw before it thought, by signature
    let thoughts = 0;
    for (let n = 0; n < 24; n++) {
      await call([...list], async (sent) => {
        const contents = sent.map(({ content }) => JSON.stringify(content));
        contents.forEach((content, at) => {
          const [signature] = /sig \d+/.exec(content) ?? [];
          if (signature === undefined) return;
          thoughts++;
          assert.equal(contents.slice(0, at).join(), seen.get(signature), `${signature} in call ${n}`);
        });
        seen.set(`sig ${n}`, contents.join());
        return new AIMessage("ok");
      });
      const thought = n % 2 ? { type: "redacted_thinking", data: `sig ${n}` } : { type: "thinking", thinking: `hm ${n}`, signature: `sig ${n}` };
      const text = `text ${n} `.repeat(150);
      list.push(new AIMessage({ content: [thought, { type: "text", text }, { type: "tool_use", id: `c${n}`, name: "build", input: {} }], tool_calls: [{ id: `c${n}`, name: "build", args: {} }] }), new ToolMessage({ content: text, tool_call_id: `c${n}` }));
    }
    assert.ok(thoughts > 10, `${thoughts}`);
  });

  test("calls that could not be read, calls without ids and calls with the same id: they fit, and keep what the server wrote", async () => {
    const call = (n, id) => ({ name: "build", args: { n }, id, type: "tool_call" });
    const unreadable = (id) => ({ name: "build", args: "{bad", id, error: "no JSON", type: "invalid_tool_call" });
    const output = (tool_call_id, content) => new ToolMessage({ tool_call_id, content, name: "build" });
    const steps = (n) => [
      new AIMessage({ content: "", tool_calls: [call(n)] }),
      output(undefined, `none ${n} ${outputOf(n)}`),
      new AIMessage({ content: "", tool_calls: [call(n, ""), call(n + 1, "")] }),
      output("", `first ${n} ${outputOf(n)}`),
      output("", `second ${n} ${outputOf(n)}`),
      new AIMessage({ content: "", tool_calls: [call(n, "call_0"), call(n + 1, "call_0")], invalid_tool_calls: [unreadable("call_1"), unreadable("call_2")] }),
      output("call_0", `same ${n} ${outputOf(n)}`),
      output("call_0", `again ${n} ${outputOf(n)}`),
      output("call_1", `Error: ${n}`),
    ];
    const messages = [new HumanMessage(TASK)];
    const fitting = modelCall(STRICT);
    let cut = 0;
    for (let n = 0; n < 40; n++) {
      messages.push(...steps(n));
      let sent;
      await fitting(messages, async (list) => ((sent = list), new AIMessage(ANSWER)));
      assert.ok(countTokens(sent.map(({ content }) => content).join("\n")) <= WINDOW);
      let open = [];
      for (const message of sent) {
        if (message.getType() === "ai") open = [...message.tool_calls, ...message.invalid_tool_calls].map(({ id }) => id || undefined);
        if (message.getType() !== "tool") continue;
        const at = open.indexOf(message.tool_call_id || undefined);
        assert.ok(at >= 0, "an output follows its call");
        open.splice(at, 1);
        if (!messages.includes(message)) cut += 1;
      }
      const first = sent.findIndex((message) => message.getType() === "ai" && messages.includes(message));
      const texts = sent.slice(first).filter((message) => message.getType() === "tool").map(({ content }) => content.split(" ")[0]);
      const order = ["none", "first", "second", "same", "again", "Error:"];
      assert.deepEqual(texts, texts.map((_, i) => order[(order.indexOf(texts[0]) + i) % order.length]), "each output stays with its call");
    }
    assert.ok(cut > 0, "outputs were cut");
  });

  test("a call that could not be read and is answered after its answer was seen", async () => {
    const messages = [new HumanMessage(TASK), new AIMessage("On it."), new HumanMessage("Go on.")];
    const fitting = modelCall(STRICT);
    const sentFor = async (list) => {
      let sent;
      await fitting(list, async (given) => ((sent = given), new AIMessage(ANSWER)));
      return sent;
    };
    const unreadable = { name: "build", args: "{bad", id: "call_1", error: "no JSON", type: "invalid_tool_call" };
    messages.push(new AIMessage({ content: "", tool_calls: [{ name: "build", args: {}, id: "call_0", type: "tool_call" }], invalid_tool_calls: [unreadable] }));
    assert.deepEqual(await sentFor([...messages]), messages);
    messages.push(new ToolMessage({ tool_call_id: "call_0", content: outputOf(1), name: "build" }), new ToolMessage({ tool_call_id: "call_1", content: "Error: no JSON", name: "build" }));
    assert.deepEqual(await sentFor([...messages]), messages);
  });

  test("conversations of one hook keep their servers' ids apart", async () => {
    const call = (id) => ({ name: "build", args: {}, id, type: "tool_call" });
    const conversation = (task, ids) => [new HumanMessage(task), new AIMessage({ content: "", tool_calls: ids.map(call) }), ...ids.map((tool_call_id, n) => new ToolMessage({ tool_call_id, content: outputOf(n), name: "build" })), new AIMessage("Built.")];
    const lists = [conversation("Build this.", [undefined]), conversation("Build that.", ["build", "build"])];
    const fitting = modelCall({ ...STRICT, ladder: [{ pass: "even_cut" }] });
    const outputs = (list) => list.filter((message) => message.getType() === "tool");
    const written = new Set();
    for (let n = 0; written.size < lists.length; n++) {
      for (const list of lists) {
        let sent;
        await fitting([...list], async (given) => ((sent = given), new AIMessage(ANSWER)));
        const cut = outputs(sent).filter((message) => !list.includes(message));
        for (const { tool_call_id } of cut) assert.equal(tool_call_id, outputs(list)[0].tool_call_id);
        if (cut.length > 0) written.add(list);
        list.push(new HumanMessage(`And ${n}? ${outputOf(n)}`), new AIMessage(outputOf(n)));
      }
    }
  });

  test("media count as media, whichever of LangChain's blocks they are in", async () => {
    const data = "A".repeat(400_000);
    const blocks = [
      { type: "image_url", image_url: `data:image/png;base64,${data}` },
      { type: "image", source: { type: "base64", media_type: "image/png", data } },
      { type: "image", mimeType: "image/png", data: new Uint8Array(300_000) },
      { type: "file", source_type: "base64", mime_type: "application/pdf", data },
      { type: "audio", mimeType: "audio/wav", data },
      { type: "media", mimeType: "application/pdf", data },
    ];
    for (const block of blocks) {
      const session = new Session({ contextWindow: 10_000_000 });
      const list = [new HumanMessage({ content: [{ type: "text", text: TASK }, block] })];
      await modelCall({ session, strict: true })(list, async (sent) => (assert.equal(sent, list), new AIMessage(ANSWER)));
      assert.ok(session.tokens < 20_000, `${JSON.stringify(block).slice(0, 60)}: ${session.tokens} tokens`);
    }
  });

  test("a summary may be requested through the same function", async () => {
    const writer = fakeModel();
    for (let n = 0; n < 20; n++) writer.respond(new AIMessage(SUMMARY));
    const summarize = async (request, { signal }) => {
      const { text, usage_metadata } = await fitting(request.as("openai-chat").messages.map(coerceMessageLikeToMessage), (messages) => writer.invoke(messages, { signal }));
      return { text, usage: usage_metadata };
    };
    const fitting = modelCall({ ...STRICT, ladder: FOLDS, summarize });
    const script = scripted();
    await graphOf({ call: (messages, config) => fitting([SYSTEM, ...messages], (list) => script.model.invoke(list, config), config) }).invoke(ask(), thread());
    assertKept("openai-chat", script.bodies);
    assert.ok(writer.calls.length > 0);
    assert.ok(writer.calls.some(({ messages }) => JSON.stringify(messages).includes("E0307")), "what is summarised is in it");
  });

  test("an internal failure leaves the graph alone, and is reported once", async () => {
    const script = scripted();
    const { result, said } = await warnings(() => fittingGraph(script, { contextWindow: 200_000, tokenizer: () => NaN }).invoke(ask(), thread()));
    assertWhole(result.messages);
    assert.equal(script.bodies.at(-1).length, 2 + 2 * CALLS);
    assert.equal(said.length, 1);
  });

  test("strict: an internal failure fails the node", async () => {
    await assert.rejects(fittingGraph(scripted(), { ...STRICT, ladder: FOLDS, summarize: () => Promise.reject(new Error("no model")) }).invoke(ask(), thread()), /summarize callback failed/);
  });

  test("wrong options are refused at once", () => {
    for (const hook of [modelCall, preModelHook, compactionNode]) assert.throws(() => hook({ contextWindows: 1 }), { code: "INVALID_CONFIG" });
    assert.throws(() => modelCall({ contextWindow: 8_000, messagesKey: "chat" }), { code: "INVALID_CONFIG" });
  });
});

describe("langgraph 1: preModelHook of createReactAgent", () => {
  for (const version of ["v1", "v2"])
    test(`each request fits and is valid, and the state is whole: ${version}`, async () => {
      const script = scripted({ window: WINDOW });
      const checkpointer = new MemorySaver();
      const agent = createReactAgent({ llm: script.model, tools: [build], prompt: "You build.", version, checkpointer, preModelHook: preModelHook({ ...STRICT, tools: [build], instructions: "You build." }) });
      await agent.invoke(ask(), thread());
      assertKept("openai-chat", script.bodies);
      assert.equal(script.refused, 0);
      assert.ok(script.bodies.every(([first]) => first.content === "You build."));
      assertWhole((await agent.getState(thread())).values.messages);
    });

  test("an answer's usage is recorded once, before the next call", async () => {
    const [more, plain] = [scripted({ perToken: 1.5 }), scripted()];
    for (const script of [more, plain]) await createReactAgent({ llm: script.model, tools: [build], preModelHook: preModelHook(STRICT) }).invoke(ask(), thread());
    const largest = ({ bodies }) => Math.max(...bodies.map((body) => countTokens(body)));
    assert.ok(largest(more) < largest(plain) * 0.8, `${largest(more)} of ${largest(plain)}`);
    const session = new Session(OPTIONS);
    const recorded = [];
    const { recordUsage } = session;
    session.recordUsage = (usage) => (recorded.push(usage), recordUsage.call(session, usage));
    const hook = preModelHook({ session });
    const messages = [new HumanMessage({ content: TASK, id: "1" })];
    await hook({ messages });
    const answered = [...messages, new AIMessage({ content: "well", id: "2", usage_metadata: { input_tokens: 40, output_tokens: 1, total_tokens: 41 } }), new HumanMessage({ content: "And now?", id: "3" })];
    await hook({ messages: answered });
    await hook({ messages: answered });
    assert.equal(recorded.length, 1);
  });
});

describe("langgraph 1: compactionNode", () => {
  const compacting = ({ model }, compact, more) => graphOf({ call: (messages, config) => model.invoke([SYSTEM, ...messages], config), compact, ...more });

  test("all messages are removed with LangGraph's own marker", async () => {
    const compact = compactionNode(STRICT);
    const messages = [new HumanMessage(TASK), ...Array.from({ length: CALLS }, (_, n) => [new AIMessage({ content: "", tool_calls: [{ name: "build", args: { n }, id: `call_${n}`, type: "tool_call" }] }), new ToolMessage({ content: outputOf(n), tool_call_id: `call_${n}` })]).flat()];
    const { messages: [first, ...rest] } = await compact({ messages });
    assert.deepEqual([first.getType(), first.id], ["remove", REMOVE_ALL_MESSAGES]);
    assert.ok(rest.length < messages.length);
  });

  test("200 calls: the state of every checkpoint fits, its ids are stable and unique, and nothing is written without a change", async () => {
    const calls = 200;
    const script = scripted({ to: calls, window: WINDOW });
    const checkpointer = new MemorySaver();
    const summarize = failingSummary((nth) => nth === 3);
    let written = 0;
    const session = new Session({ ...OPTIONS, ladder: FOLDS, compaction: { maxAttempts: 1, onFailure: "extractive" }, summarize });
    const node = compactionNode({ session, instructions: "You build.", onError: () => {} });
    const before = new Map();
    const graph = compacting(script, async (state, config) => {
      const update = await node(state, config);
      if (update.messages) written++;
      // Remaining calls and outputs keep their ids.
      for (const message of [...state.messages, ...(update.messages ?? [])]) {
        const of = message.tool_call_id ?? message.tool_calls?.[0]?.id;
        if (of === undefined) continue;
        const what = `${message.getType()} ${of}`;
        if (!before.has(what)) before.set(what, message.id);
        assert.equal(message.id, before.get(what), what);
      }
      return update;
    }, { checkpointer });
    await graph.invoke(ask(), thread());
    assertKept("openai-chat", script.bodies, { calls });
    assert.equal(script.refused, 0);
    assert.ok(summarize.asked > 3 && written > 3 && written < calls / 2, `${summarize.asked} summaries, ${written} updates`);
    for await (const { values: { messages = [] }, next } of graph.getStateHistory(thread())) {
      assertUniqueIds(messages);
      if (next[0] === "model") assertFits("openai-chat", bodyOf([SYSTEM, ...messages]));
    }
    const outputs = session.messages.filter(({ role }) => role === "tool");
    assert.deepEqual(outputs.map(({ content }) => content), Array.from({ length: calls }, (_, n) => outputOf(n)), "the session has them all");
  });

  test("a cut message keeps its id, except for an answer whose id is its provider's", async () => {
    const messages = Array.from({ length: 40 }, (_, n) => (n % 2 ? new AIMessage({ content: `${n}: ${outputOf(n)}`, id: n % 4 === 1 ? `msg_${n}` : `id_${n}` }) : new HumanMessage({ content: `${n}: ${outputOf(n)}`, id: `id_${n}` })));
    const { messages: [, ...view] } = await compactionNode(STRICT)({ messages });
    const was = Object.fromEntries(messages.map((message) => [message.content.split(":")[0], message]));
    const cut = view.filter(({ content }) => was[content.split(":")[0]] && was[content.split(":")[0]].content !== content);
    assert.ok(cut.some((message) => message.getType() === "ai") && cut.some((message) => message.getType() === "human"));
    for (const { id, content } of cut) {
      const before = was[content.split(":")[0]].id;
      assert.equal(id, before.startsWith("msg_") ? undefined : before);
    }
  });

  test("unfolded messages return to the state as they were, ids included; earlier checkpoints have them too", async () => {
    const checkpointer = new MemorySaver();
    const session = new Session({ ...OPTIONS, ladder: FOLDS, summarize: () => SUMMARY });
    const compact = compactionNode({ session, strict: true });
    const originals = new Map();
    const graph = compacting(scripted({ to: 18 }), (state, config) => (state.messages.forEach((message) => originals.has(message.id) || originals.set(message.id, message)), compact(state, config)), { checkpointer });
    await graph.invoke(ask(), thread());
    const { values } = await graph.getState(thread());
    assert.ok(JSON.stringify(values.messages).includes("The build fails. Never"));
    assert.ok(values.messages.length < 30);

    session.setOptions({ contextWindow: 200_000 });
    for (const { id } of session.folds().reverse()) session.unfold(id);
    await graph.updateState(thread(), await compact(values), "model");
    const undone = await graph.getState(thread());
    assertWhole(undone.values.messages, 18);
    assertUniqueIds(undone.values.messages);
    assert.equal(undone.values.messages.length, 2 + 2 * 18);
    for (const { id, content, tool_calls } of undone.values.messages.slice(0, -1)) assert.deepEqual([content, tool_calls], [originals.get(id).content, originals.get(id).tool_calls]);
    assert.deepEqual(undone.next, [], "and the graph stands where it stood");

    const seen = new Set();
    for await (const { values: { messages = [] } } of graph.getStateHistory(thread())) for (const message of messages) if (message.getType() === "tool") seen.add(message.content);
    for (let n = 0; n < 18; n++) assert.ok(seen.has(outputOf(n)));
  });

  test("a thread continues in another process, with or without its session, and from an earlier checkpoint", async () => {
    for (const stored of [true, false]) {
      const [store, checkpointer] = [memoryStore(), new MemorySaver()];
      let summaries = 0;
      const options = { ...STRICT, ladder: FOLDS, summarize: () => (summaries++, SUMMARY), ...(stored && { store, key: ({ config }) => config?.configurable?.thread_id }) };
      const graphFor = (script) => compacting(script, compactionNode(options), { checkpointer });
      await graphFor(scripted({ to: 18 })).invoke(ask(), thread());
      const before = summaries;
      const more = scripted({ from: 18, to: 19, window: WINDOW });
      const { messages } = await graphFor(more).invoke(ask("And now?"), thread());
      assert.ok(before > 0 && summaries === before, `${before} summaries, then ${summaries}`);
      assertUniqueIds(messages);
      assert.equal(messages.filter(({ content }) => JSON.stringify(content).includes("The build fails. Never")).length, 1);
      const graph = graphFor(scripted({ from: 5, to: 6, window: WINDOW }));
      let early;
      for await (const snapshot of graph.getStateHistory(thread())) if (snapshot.next[0] === "model" && snapshot.values.messages.at(-1).tool_call_id === "call_4") early = snapshot;
      const forked = await graph.invoke(null, { ...early.config, recursionLimit: 2_000 });
      assertWhole(forked.messages, 6);
    }
  });

  test("from a checkpoint of an earlier compaction: every call fits, and folded messages are still in the session", async () => {
    const checkpointer = new MemorySaver();
    const session = new Session({ ...OPTIONS, ladder: FOLDS, summarize: () => SUMMARY });
    const compact = compactionNode({ session, strict: true, instructions: "You build." });
    const graph = (script) => compacting(script, compact, { checkpointer });
    await graph(scripted({ window: WINDOW })).invoke(ask(), thread());
    let first;
    for await (const snapshot of graph(scripted()).getStateHistory(thread())) if (snapshot.next[0] === "model" && JSON.stringify(snapshot.values.messages).includes("The build fails. Never")) first = snapshot;
    const from = Number(first.values.messages.at(-1).tool_call_id.slice(5)) + 1;
    assert.ok(from < CALLS - 10);
    const again = scripted({ from, window: WINDOW });
    const { messages } = await graph(again).invoke(null, { ...first.config, recursionLimit: 2_000 });
    assert.equal(again.refused, 0);
    for (const body of again.bodies) assertFits("openai-chat", body);
    assert.equal(messages.at(-1).content, ANSWER);
    assertUniqueIds(messages);
    const outputs = new Set(session.messages.filter(({ role }) => role === "tool").map(({ content }) => content));
    for (let n = 0; n < CALLS; n++) assert.ok(outputs.has(outputOf(n)));
  });

  test("a session's memory is not written into the state, and a system message there stays first", async () => {
    const session = new Session(OPTIONS);
    session.setContext({ memory: ["The build runs on Fridays."] });
    const script = scripted({ window: WINDOW });
    const compact = compactionNode({ session, strict: true });
    const { messages } = await graphOf({ call: (list, config) => script.model.invoke(list, config), compact }).invoke({ messages: [SYSTEM, new HumanMessage(TASK)] }, thread());
    assert.deepEqual(messages.filter((message) => message.getType() === "system").map(({ content }) => content), ["You build."]);
    assert.equal(messages[0].content, "You build.");
    assert.ok(session.folds().length > 0 || session.report.left_out.length > 0);
  });

  test("as preModelHook of createReactAgent, and under another key", async () => {
    const script = scripted({ window: WINDOW });
    const { messages } = await createReactAgent({ llm: script.model, tools: [build], preModelHook: compactionNode(STRICT) }).invoke(ask(), thread());
    assertKept("openai-chat", script.bodies);
    assert.ok(messages.length < 2 * CALLS || countTokens(bodyOf(messages)) <= WINDOW);
    const chat = [new HumanMessage(TASK), ...Array.from({ length: 10 }, (_, n) => [new AIMessage(outputOf(n)), new HumanMessage(outputOf(n + 10))]).flat()];
    assert.deepEqual(Object.keys(await compactionNode({ ...STRICT, messagesKey: "chat" })({ chat })), ["chat"]);
  });

  test("an internal failure writes nothing", async () => {
    const { result, said } = await warnings(() => compactionNode({ contextWindow: 200_000, tokenizer: () => NaN })({ messages: [new HumanMessage(TASK)] }));
    assert.deepEqual(result, {});
    assert.equal(said.length, 1);
  });
});

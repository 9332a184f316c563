// Every hook recognises a conversation it has seen, with the real SDKs: whatever agents usually do between two calls, nothing that is
// already summarised is summarised again.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import Anthropic from "@anthropic-ai/sdk";
import { BedrockRuntimeClient, ConverseCommand } from "@aws-sdk/client-bedrock-runtime";
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { Agent } from "@mastra/core/agent";
import { createAgent, tool } from "langchain";
import OpenAI from "openai";
import * as ai6 from "ai-6";
import * as kit6 from "ai-6/test";
import { Session } from "contextfold";
import { middleware as anthropicMiddleware } from "contextfold/anthropic";
import { middleware as aiMiddleware, prepareStep } from "contextfold/ai-sdk";
import { plugin as bedrockPlugin } from "contextfold/bedrock";
import { middleware as langchainMiddleware } from "contextfold/langchain";
import { modelCall } from "contextfold/langgraph";
import { processor } from "contextfold/mastra";
import { fit, fittingFetch } from "contextfold/openai";
import { foldingSession } from "contextfold/openai-agents";
import { memoryStore } from "contextfold/stores/memory";
import { assertFits } from "./support/work.mjs";

const CALLS = 60;
const WORDS = "some words about the build and its modules ".repeat(40);
const SUMMARY = "<summary>Modules were discussed.</summary>";

const majors = [{ name: "ai 6", ai: ai6, kit: kit6, Model: kit6.MockLanguageModelV3 }];
if (Number(process.versions.node.split(".")[0]) >= 22) {
  const kit = await import("ai/test");
  majors.push({ name: "ai 7", ai: await import("ai"), kit, Model: kit.MockLanguageModelV4 });
}

/** What an agent does between two calls. `sent`: the messages it sends; `behind`: what it does with them once they are answered. */
const plain = { system: () => "You build.", tools: (tools) => tools, sent: (messages) => messages, again: () => false };
const last = (messages, change) => messages.with(-1, change(messages.at(-1)));
const HABITS = {
  "the cache mark moves along": { sent: (messages) => last(messages, (m) => ({ ...m, mark: true })) },
  "the time is in the prompt": { system: (n) => `You build. It is 12:${n}.` },
  "a reminder behind the newest message": { sent: (messages) => [...messages, { role: "user", text: "<reminder>Keep to the plan.</reminder>" }] },
  "a reminder in the newest message": { sent: (messages) => last(messages, (m) => ({ ...m, text: `${m.text}<reminder>Keep to the plan.</reminder>` })) },
  "ids are made anew": { sent: (messages, n) => messages.map((m, i) => ({ ...m, id: `msg_${n}_${i}` })) },
  "ids of calls are made anew": { sent: (messages, n) => messages.map((m) => (m.call ? { ...m, call: `${m.call}_${n}` } : m)) },
  "white space is trimmed": { sent: (messages) => last(messages, (m) => ({ ...m, text: `${m.text} \n` })) },
  "tools come in another order": { tools: (tools, n) => (n % 2 ? tools.toReversed() : tools) },
  "the newest message is edited": { again: (messages, n) => n % 3 === 2 && last(messages, (m) => ({ ...m, text: `${m.text} and quickly` })) },
  "an answer is made anew": { again: (messages, n) => n % 3 === 2 && messages.length > 2 && messages.with(-2, { role: "assistant", text: `another ${WORDS}` }) },
};

/** How many summaries an agent's calls request; each turn is a question, a tool call and an answer. */
async function summariesAsked(open, habit, more) {
  const { system, tools, sent, again } = { ...plain, ...habit };
  let asked = 0;
  const sessions = new Set();
  const call = open({ contextWindow: 12_000, strict: true, summarize: () => (asked++, SUMMARY), onReport: (_, session) => sessions.add(session), ...more });
  let messages = [];
  let n = 0;
  const send = () => call({ system: system(n), tools: tools(["build", "test"], n), messages: sent(messages, n++) });
  for (let turn = 0; n < CALLS; turn++) {
    messages = [...messages, { role: "user", text: `question ${turn} ${WORDS}` }];
    await send();
    const other = again(messages, turn);
    if (other) {
      messages = other;
      await send();
    }
    messages = [...messages, { role: "assistant", text: `step ${turn}`, call: `c${turn}` }, { role: "tool", call: `c${turn}`, text: `output ${turn} ${WORDS}` }];
    await send();
    messages = [...messages, { role: "assistant", text: `answer ${turn} ${WORDS}` }];
  }
  return { asked, sessions: sessions.size };
}

const parameters = { type: "object", properties: {} };
const json = (value) => new Response(JSON.stringify(value), { headers: { "content-type": "application/json" } });
const marked = (m, mark) => (m.mark ? mark : {});

const CHAT = {
  messages: ({ system, messages }) => [{ role: "system", content: system }, ...messages.map((m) => ({
    role: m.role,
    content: m.mark ? [{ type: "text", text: m.text, cache_control: { type: "ephemeral" } }] : m.text,
    ...(m.call && (m.role === "tool" ? { tool_call_id: m.call } : { tool_calls: [{ id: m.call, type: "function", function: { name: "build", arguments: "{}" } }] })),
  }))],
  tools: ({ tools }) => tools.map((name) => ({ type: "function", function: { name, parameters } })),
  answer: { id: "c", object: "chat.completion", created: 0, model: "m", choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "ok" } }], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } },
};
const RESPONSES = {
  items: ({ messages }) => messages.flatMap((m) => m.role === "tool" ? [{ type: "function_call_output", call_id: m.call, output: m.text }] : [RESPONSES.said(m), ...(m.call ? [{ type: "function_call", call_id: m.call, name: "build", arguments: "{}" }] : [])]),
  said: (m) => ({ type: "message", role: m.role, ...(m.role === "assistant" ? { id: m.id ?? "msg_1", status: "completed" } : {}), content: [{ type: m.role === "user" ? "input_text" : "output_text", text: m.text, ...(m.role === "assistant" && { annotations: [] }), ...marked(m, { cache_control: { type: "ephemeral" } }) }] }),
  tools: ({ tools }) => tools.map((name) => ({ type: "function", name, parameters, strict: false })),
  answer: { id: "r", object: "response", created_at: 0, status: "completed", model: "m", output: [{ id: "msg", type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "ok", annotations: [] }] }], usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2, input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } } },
};
const openai = (fetch) => new OpenAI({ apiKey: "none", maxRetries: 0, fetch });
const answers = async (url) => json(String(url).endsWith("/responses") ? RESPONSES.answer : CHAT.answer);

const langchainMessages = (messages) => messages.map((m) => {
  const content = m.mark ? [{ type: "text", text: m.text, cache_control: { type: "ephemeral" } }] : m.text;
  if (m.role === "tool") return new ToolMessage({ content, id: m.id, tool_call_id: m.call, name: "build" });
  return m.role === "user" ? new HumanMessage({ content, id: m.id }) : new AIMessage({ content, id: m.id, tool_calls: m.call ? [{ id: m.call, name: "build", args: {} }] : [] });
});

const HOOKS = {
  "anthropic middleware": (options) => {
    const answer = { id: "m", type: "message", role: "assistant", model: "m", content: [{ type: "text", text: "ok" }], stop_reason: "end_turn", stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } };
    const client = new Anthropic({ apiKey: "none", maxRetries: 0, fetch: async () => json(answer), middleware: [anthropicMiddleware(options)] });
    return ({ system, tools, messages }) =>
      client.messages.create({
        model: "m", max_tokens: 100, system, tools: tools.map((name) => ({ name, input_schema: parameters })),
        messages: messages.map((m) => {
          const mark = marked(m, { cache_control: { type: "ephemeral" } });
          if (m.role === "tool") return { role: "user", content: [{ type: "tool_result", tool_use_id: m.call, content: m.text, ...mark }] };
          return { role: m.role, content: [{ type: "text", text: m.text, ...mark }, ...(m.call ? [{ type: "tool_use", id: m.call, name: "build", input: {} }] : [])] };
        }),
      });
  },
  "bedrock plugin": (options) => {
    const client = new BedrockRuntimeClient({ region: "us-east-1", credentials: { accessKeyId: "none", secretAccessKey: "none" } });
    client.middlewareStack.use(bedrockPlugin(options));
    const output = { output: { message: { role: "assistant", content: [{ text: "ok" }] } }, stopReason: "end_turn", usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } };
    client.middlewareStack.add(() => async () => ({ output, response: {} }), { step: "serialize", priority: "high" }); // nothing is sent
    return ({ system, tools, messages }) =>
      client.send(new ConverseCommand({
        modelId: "m", system: [{ text: system }], toolConfig: { tools: tools.map((name) => ({ toolSpec: { name, inputSchema: { json: parameters } } })) },
        messages: messages.map((m) => {
          const mark = m.mark ? [{ cachePoint: { type: "default" } }] : [];
          if (m.role === "tool") return { role: "user", content: [{ toolResult: { toolUseId: m.call, content: [{ text: m.text }] } }, ...mark] };
          return { role: m.role, content: [{ text: m.text }, ...mark, ...(m.call ? [{ toolUse: { toolUseId: m.call, name: "build", input: {} } }] : [])] };
        }),
      }));
  },
  "openai fit, Chat Completions": (options) => {
    const [fitting, client] = [fit(options), openai(answers)];
    return async (call) => client.chat.completions.create(await fitting({ model: "m", tools: CHAT.tools(call), messages: CHAT.messages(call) }));
  },
  "openai fit, Responses": (options) => {
    const [fitting, client] = [fit(options), openai(answers)];
    return async (call) => client.responses.create(await fitting({ model: "m", instructions: call.system, tools: RESPONSES.tools(call), input: RESPONSES.items(call) }));
  },
  "openai fetch, Chat Completions": (options) => {
    const client = openai(fittingFetch({ ...options, fetch: answers }));
    return (call) => client.chat.completions.create({ model: "m", tools: CHAT.tools(call), messages: CHAT.messages(call) });
  },
  "openai fetch, Responses": (options) => {
    const client = openai(fittingFetch({ ...options, fetch: answers }));
    return (call) => client.responses.create({ model: "m", instructions: call.system, tools: RESPONSES.tools(call), input: RESPONSES.items(call) });
  },
  "openai-agents session": (options) => {
    let items = [];
    const session = foldingSession({ ...options, sessionId: "s", store: { getItems: async () => structuredClone(items), addItems: async () => {} } });
    return ({ messages }) => {
      const said = (m) => ({ type: "message", role: m.role, ...(m.role === "assistant" ? { id: m.id ?? "msg_1", status: "completed" } : {}), content: [{ type: m.role === "user" ? "input_text" : "output_text", text: m.text }], ...marked(m, { providerData: { cache: true } }) });
      const answered = (m) => ({ type: "function_call_result", callId: m.call, name: "build", status: "completed", output: { type: "text", text: m.text }, ...marked(m, { providerData: { cache: true } }) });
      const made = (m) => ({ type: "function_call", callId: m.call, name: "build", status: "completed", arguments: "{}" });
      items = messages.flatMap((m) => (m.role === "tool" ? [answered(m)] : [said(m), ...(m.call ? [made(m)] : [])]));
      return session.getItems();
    };
  },
  "langchain middleware": (options) => {
    const hook = langchainMiddleware(options);
    return ({ system, tools, messages }) => {
      const agent = createAgent({ model: fakeModel().respond(new AIMessage("ok")), tools: tools.map((name) => tool(() => "done", { name, description: name, schema: parameters })), systemPrompt: system, middleware: [hook] });
      return agent.invoke({ messages: langchainMessages(messages) });
    };
  },
  "langgraph modelCall": (options) => {
    const fitting = modelCall(options);
    return ({ system, messages }) => fitting([new SystemMessage(system), ...langchainMessages(messages)], async () => new AIMessage("ok"));
  },
};
const aiContent = (m) => m.role === "tool" ? [{ type: "tool-result", toolCallId: m.call, toolName: "build", output: { type: "text", value: m.text } }] : [{ type: "text", text: m.text }, ...(m.call ? [{ type: "tool-call", toolCallId: m.call, toolName: "build", input: {} }] : [])];
const aiMessages = ({ messages }) => messages.map((m) => ({ role: m.role, content: aiContent(m), ...marked(m, { providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } }) }));
for (const { name, ai, Model } of majors) {
  const usage = { inputTokens: { total: 10, noCache: 10 }, outputTokens: { total: 20, text: 20 } };
  const model = () => new Model({ doGenerate: async () => ({ content: [{ type: "text", text: "ok" }], finishReason: { unified: "stop" }, usage, warnings: [] }) });
  const toolsOf = ({ tools }) => Object.fromEntries(tools.map((name) => [name, ai.tool({ description: name, inputSchema: ai.jsonSchema(parameters), execute: async () => "done" })]));
  HOOKS[`${name}: prepareStep`] = (options) => {
    const hook = prepareStep(options);
    return (call) => ai.generateText({ model: model(), system: call.system, tools: toolsOf(call), messages: aiMessages(call), prepareStep: hook });
  };
  HOOKS[`${name}: middleware`] = (options) => {
    const wrapped = ai.wrapLanguageModel({ model: model(), middleware: aiMiddleware(options) });
    return (call) => ai.generateText({ model: wrapped, system: call.system, tools: toolsOf(call), messages: aiMessages(call) });
  };
}

HOOKS["mastra processor"] = (options) => {
  const fitting = processor(options);
  const usage = { inputTokens: 10, outputTokens: 20, totalTokens: 30 };
  const model = { specificationVersion: "v2", provider: "local", modelId: "m", supportedUrls: {}, doGenerate: async () => ({ content: [{ type: "text", text: "ok" }], finishReason: "stop", usage, warnings: [] }) };
  const build = { description: "Builds.", inputSchema: { jsonSchema: parameters }, execute: async () => "done" };
  return (call) => new Agent({ id: "a", name: "a", instructions: call.system, model, tools: Object.fromEntries(call.tools.map((name) => [name, build])), inputProcessors: [fitting] }).generate(aiMessages(call));
};

for (const [name, open] of Object.entries(HOOKS))
  describe(name, () => {
    let without;
    test("the plain list", async () => {
      without = await summariesAsked(open);
      assert.ok(without.asked > 2 && without.asked < 12, `${without.asked} summaries`);
    });
    for (const [what, habit] of Object.entries(HABITS))
      test(what, async (t) => {
        const { asked } = await summariesAsked(open, habit);
        t.diagnostic(`${asked} summaries, ${without.asked} without the habit`);
        assert.ok(asked <= without.asked + 1, `${asked} summaries, ${without.asked} without the habit`);
      });
  });

describe("an agent's steps, with marks that its own `prepareStep` sets on our output", () => {
  /** `carried`: the sent list comes back with new messages at its end, as in `ai` 7; otherwise the whole list, as in `ai` 6. */
  async function steps({ marking, carried }) {
    let asked = 0;
    const sessions = new Set();
    const hook = prepareStep({ contextWindow: 12_000, strict: true, summarize: () => (asked++, SUMMARY), onReport: (_, session) => sessions.add(session) });
    const mark = (list) => list.map(({ providerOptions, ...m }, i) => (i === list.length - 1 ? { ...m, providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } } : providerOptions ? m : list[i]));
    let [whole, messages] = [[], [{ role: "user", content: [{ type: "text", text: "Mend the build." }] }]];
    whole = messages;
    for (let n = 0; n < CALLS; n++) {
      const given = carried ? messages : whole;
      const out = (await hook({ messages: given, steps: [], stepNumber: n }))?.messages ?? given;
      const sent = marking ? mark(out) : out;
      const news = [
        { role: "assistant", content: [{ type: "text", text: `step ${n} ${WORDS}` }, { type: "tool-call", toolCallId: `c${n}`, toolName: "build", input: { n } }] },
        { role: "tool", content: [{ type: "tool-result", toolCallId: `c${n}`, toolName: "build", output: { type: "text", value: `output ${n} ${WORDS}` } }] },
      ];
      whole = [...whole, ...news];
      messages = [...sent, ...news];
    }
    const [session, ...others] = sessions;
    return { asked, others: others.length, history: session.messages.length };
  }

  for (const carried of [false, true])
    test(carried ? "carried forward" : "from the whole list", async () => {
      const [without, marked] = [await steps({ marking: false, carried }), await steps({ marking: true, carried })];
      assert.ok(without.asked > 2);
      assert.deepEqual(marked, without);
    });
});

describe("a key", () => {
  test("identifies the conversation, whatever its list", async () => {
    for (const [name, open] of Object.entries(HOOKS)) {
      if (name === "openai-agents session") continue; // it is one conversation
      const reports = [];
      const call = open({ contextWindow: 12_000, strict: true, summarize: () => SUMMARY, key: () => "chat-17", onReport: (report) => reports.push(report) });
      for (let n = 0; n < 4; n++) {
        const messages = Array.from({ length: 41 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", text: `${n} says ${i} otherwise ${WORDS}` }));
        await call({ system: "You build.", tools: ["build"], messages });
      }
      assert.ok(reports.length > 0, name);
      assert.ok(reports.every(({ conversation }) => conversation.by === "key" && conversation.key === "chat-17"), name);
    }
  });

  test("with a store, another process continues with the previous one's summaries", async () => {
    for (const [name, open] of Object.entries(HOOKS)) {
      if (name === "openai-agents session") continue; // its store is the SDK's
      const store = memoryStore();
      let asked = 0;
      const options = { contextWindow: 12_000, strict: true, summarize: () => (asked++, SUMMARY), key: "chat-17", store };
      const messages = Array.from({ length: 121 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", text: `says ${i} ${WORDS}` }));
      await open(options)({ system: "You build.", tools: ["build"], messages });
      assert.ok(asked > 0, name);
      await new Promise((done) => setTimeout(done, 20)); // it is saved while the model is running
      const before = asked;
      const more = [...messages, { role: "assistant", text: "well" }, { role: "user", text: "and?" }];
      const reports = [];
      await open({ ...options, onReport: (report) => reports.push(report) })({ system: "You build.", tools: ["build"], messages: more });
      assert.equal(asked, before, name);
    }
  });
});

describe("several calls of one conversation at once", () => {
  const list = [{ role: "user", content: "Go." }, ...Array.from({ length: 60 }, (_, i) => ({ role: i % 2 ? "user" : "assistant", content: `says ${i} ${WORDS}` }))];
  const OWNERS = {
    "with a key": (options) => ({ ...options, key: "chat-17" }),
    "recognised by its beginning": (options) => options,
    "a session of the caller's own": (options) => ({ session: new Session(options) }),
  };
  for (const [name, ownerOf] of Object.entries(OWNERS))
    test(`${name}: each fits`, async () => {
      const slow = async () => (await new Promise((done) => setTimeout(done, 20)), SUMMARY);
      const fitting = fit(ownerOf({ contextWindow: 8_000, summarize: slow }));
      await fitting({ model: "m", messages: list.slice(0, 5) });
      const bodies = await Promise.all([61, 61, 59].map((length) => fitting({ model: "m", messages: list.slice(0, length) })));
      for (const body of bodies) assertFits("openai-chat", body, { limit: 8_000 });
      assert.equal(JSON.stringify(bodies).split(SUMMARY.slice(9, -10)).length, 2, "only the first has the model's summary");
      assert.equal((await fitting({ model: "m", messages: list })).messages.length, bodies[0].messages.length, "the conversation itself goes on with its summary");
    });

  test("a summarizer may call its own session's hook with words of its own", async () => {
    let asked = 0;
    const session = new Session({
      contextWindow: 12_000,
      summarize: async (request) => {
        asked++;
        const { messages } = request.as("openai-chat");
        const given = [...messages.slice(0, -1), { role: "user", content: "Summarize this." }];
        assert.deepEqual((await fitting({ model: "m", messages: given })).messages, given);
        return SUMMARY;
      },
    });
    const fitting = fit({ session, strict: true });
    await fitting({ model: "m", messages: list });
    assert.ok(asked > 0);
  });
});

describe("a call whose conversation has another call before it is answered", () => {
  const before = [{ role: "user", text: "Go." }, ...Array.from({ length: 59 }, (_, i) => ({ role: i % 2 ? "user" : "assistant", text: `says ${i} ${WORDS}` }))];
  const asking = (text) => ({ system: "You build.", tools: ["build"], messages: [...before, { role: "user", text }] });
  const isTooLong = (request) => JSON.stringify(request).length > 60_000;
  const refusal = "prompt is too long: 30000 tokens > 12000 maximum";
  /** A promise, and the function that resolves it. */
  const gate = () => {
    let open;
    return [new Promise((done) => (open = done)), open];
  };

  /** Hooks that see refusals, each with a model that answers with what `model` returns, and refuses if it throws. */
  const CALLED = {
    "openai fetch": (options, model) => {
      const fetch = async (_, { body }) => {
        const request = JSON.parse(body);
        try {
          return json({ ...CHAT.answer, choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: await model(request) } }] });
        } catch ({ message }) {
          return new Response(JSON.stringify({ error: { message } }), { status: 400 });
        }
      };
      const client = openai(fittingFetch({ ...options, fetch }));
      return async (call) => (await client.chat.completions.create({ model: "m", messages: CHAT.messages(call) })).choices[0].message.content;
    },
    "langgraph modelCall": (options, model) => {
      const fitting = modelCall(options);
      return async ({ messages }) => (await fitting(langchainMessages(messages), async (list) => new AIMessage(await model(list)))).content;
    },
  };
  for (const { name, ai, Model } of majors)
    CALLED[`${name}: middleware`] = (options, model) => {
      const usage = { inputTokens: { total: 10, noCache: 10 }, outputTokens: { total: 20, text: 20 } };
      const echo = new Model({ doGenerate: async ({ prompt }) => ({ content: [{ type: "text", text: await model(prompt) }], finishReason: { unified: "stop" }, usage, warnings: [] }) });
      const wrapped = ai.wrapLanguageModel({ model: echo, middleware: aiMiddleware(options) });
      return async (call) => (await ai.generateText({ model: wrapped, maxRetries: 0, messages: aiMessages(call) })).text;
    };

  for (const [name, open] of Object.entries(CALLED))
    test(`${name}: each refused request is retried with its own messages`, async () => {
      const [firstIsHere, comes] = gate();
      const [bothAreHere, come] = gate();
      let requests = 0;
      const call = open({ contextWindow: 100_000, strict: true }, async (request) => {
        if (!isTooLong(request)) return /Question \w/.exec(JSON.stringify(request))[0];
        (++requests === 1 ? comes : come)();
        await bothAreHere;
        throw new Error(refusal);
      });
      const first = call(asking("Question A"));
      await firstIsHere;
      assert.deepEqual(await Promise.all([first, call(asking("Question B"))]), ["Question A", "Question B"]);
    });

  test("a refusal for another reason is not retried, also when a limit was learnt meanwhile", async () => {
    const [firstIsHere, comes] = gate();
    const [firstFails, fail] = gate();
    const sent = [];
    const call = CALLED["langgraph modelCall"]({ contextWindow: 100_000, strict: true }, async (request) => {
      sent.push(request);
      if (sent.length === 1) {
        comes();
        await firstFails;
        throw new Error("no credit");
      }
      if (isTooLong(request)) throw new Error(refusal);
      return "fine";
    });
    const failing = assert.rejects(call(asking("Question A")), /no credit/);
    await firstIsHere;
    assert.equal(await call(asking("Question B")), "fine");
    fail();
    await failing;
    assert.equal(sent.length, 3);
  });

  test("a summarizer may call its own hook with words of its own while a refused request is made smaller", async () => {
    let asked = 0;
    const call = CALLED["langgraph modelCall"](
      {
        key: "chat-17", contextWindow: 100_000, strict: true, ladder: [{ pass: "summarize" }],
        summarize: async () => (asked++, `<summary>${await call({ messages: [{ role: "user", text: "Which modules were discussed?" }] })}</summary>`),
      },
      async (request) => {
        if (isTooLong(request)) throw new Error(refusal);
        return "Modules were discussed.";
      },
    );
    assert.equal(await call(asking("And now?")), "Modules were discussed.");
    assert.ok(asked > 0);
  });
});

describe("without a key", () => {
  test("the report says how the conversation was recognised", async () => {
    const seen = [];
    await summariesAsked(HOOKS["openai fit, Chat Completions"], {}, { onReport: ({ conversation }) => seen.push(conversation) });
    assert.ok(seen.length > 2);
    for (const { by, entries, rewritten } of seen) assert.deepEqual({ by, isMost: entries > 10, rewritten }, { by: "beginning", isMost: true, rewritten: 0 });
  });

  test("an answer with several calls and outputs is made anew", async () => {
    const items = (turn, take) => [
      { type: "reasoning", id: `rs_${turn}_${take}`, summary: [], encrypted_content: "gA" },
      { type: "message", role: "assistant", id: `msg_${turn}_${take}`, status: "completed", content: [{ type: "output_text", text: `I look, ${take}. ${WORDS}`, annotations: [] }] },
      ...[1, 2, 3].map((n) => ({ type: "function_call", call_id: `c${turn}_${take}_${n}`, name: "build", arguments: "{}" })),
      ...[1, 2, 3].map((n) => ({ type: "function_call_output", call_id: `c${turn}_${take}_${n}`, output: `output ${take} ${WORDS}` })),
    ];
    const sessions = new Set();
    const fitting = fit({ contextWindow: 12_000, strict: true, onReport: (_, session) => sessions.add(session) });
    let input = [{ role: "user", content: "Go." }];
    for (let turn = 0; turn < 12; turn++) {
      const question = { role: "user", content: `question ${turn}` };
      for (const take of turn % 3 === 2 ? ["first", "second"] : ["only"]) {
        await fitting({ model: "m", input: [...input, question] });
        await fitting({ model: "m", input: [...input, question, ...items(turn, take)] });
        if (take !== "first") input = [...input, question, ...items(turn, take)];
      }
    }
    assert.equal(sessions.size, 1);
  });

  test("two conversations with the same beginning stay separate", async () => {
    const sessions = new Set();
    const call = HOOKS["openai fit, Chat Completions"]({ contextWindow: 12_000, summarize: () => SUMMARY, onReport: (_, session) => sessions.add(session) });
    const lists = ["one", "other"].map((who) => (n) => [{ role: "user", text: "The same task." }, ...Array.from({ length: 2 * n }, (_, i) => ({ role: i % 2 ? "user" : "assistant", text: `${who} says ${i} ${WORDS}` }))]);
    for (let n = 1; n < 20; n++) for (const list of lists) await call({ system: "You build.", tools: [], messages: list(n) });
    assert.equal(sessions.size, 2);
    for (const session of sessions) {
      const said = JSON.stringify(session.view("messages"));
      assert.ok(said.includes("one says") !== said.includes("other says"));
    }
  });

  test("the memory of conversations that are dropped is freed", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc");
    const sessions = [];
    const call = HOOKS["openai fit, Chat Completions"]({ contextWindow: 12_000, onReport: (_, session) => sessions.push(new WeakRef(session)) });
    for (let n = 0; n < 50; n++) await call({ system: "You build.", tools: [], messages: [{ role: "user", text: `${n}: go` }, ...Array.from({ length: 60 }, (_, i) => ({ role: i % 2 ? "user" : "assistant", text: `says ${i} ${WORDS}` }))] });
    assert.equal(sessions.length, 50);
    await new Promise((done) => setTimeout(done, 20));
    collect();
    assert.ok(sessions.slice(0, 10).every((session) => session.deref() === undefined));
  });

  test("a conversation that is never recognised is reported once, with the remedy", async (t) => {
    const said = [];
    t.mock.method(console, "warn", (text) => said.push(text));
    const call = HOOKS["openai fit, Chat Completions"]({ contextWindow: 100_000 });
    for (let n = 0; n < 20; n++) await call({ system: "You build.", tools: [], messages: [{ role: "user", text: `${n}: go` }, { role: "assistant", text: "so" }, { role: "user", text: "and?" }] });
    assert.equal(said.length, 1);
    assert.match(said[0], /set the hook.s `key`/);
    said.length = 0;
    const fresh = HOOKS["openai fit, Chat Completions"]({ contextWindow: 100_000 });
    for (let n = 0; n < 20; n++) await fresh({ system: "You build.", tools: [], messages: [{ role: "user", text: `${n}: go` }] });
    assert.deepEqual(said, [], "conversations that begin here are no sign of it");
  });
});

// `contextfold/openai` with the real SDK against a local server.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Session, check } from "contextfold";
import { fit, fittingFetch, runChat, runResponses } from "contextfold/openai";
import { memoryJournals, memoryStore } from "contextfold/stores/memory";
import { scriptedSummarize } from "contextfold/testing";
import OpenAI6 from "openai-6";
import OpenAI7 from "openai";
import { provider } from "./support/provider.mjs";
import { ANSWER, CALLS, FOLDS, OPTIONS, TASK, assertKept, outputOf, warnings } from "./support/work.mjs";

const parameters = { type: "object", properties: { n: { type: "number" } }, required: ["n"], additionalProperties: false };
const RESPONSES_TOOLS = [{ type: "function", name: "build", description: "Builds.", parameters, strict: true }];
const CHAT_TOOLS = [{ type: "function", function: { name: "build", description: "Builds.", parameters } }];
const STRICT = { ...OPTIONS, strict: true };
const execute = { build: ({ n }) => outputOf(n) };
const client = (OpenAI, server, more) => new OpenAI({ apiKey: "none", baseURL: `${server.url}/v1`, maxRetries: 0, timeout: 10_000, ...more });

function assertWholeInput(input) {
  const calls = input.filter(({ type }) => type === "function_call");
  assert.equal(calls.length, CALLS);
  assert.equal(input.filter(({ type }) => type === "reasoning").length, CALLS);
  for (let n = 0; n < CALLS; n++) assert.equal(input.find((item) => item.type === "function_call_output" && item.call_id === `call_${n}`).output, outputOf(n));
  assert.equal(input.at(-1).content[0].text, ANSWER);
}

function assertWholeMessages(messages) {
  for (let n = 0; n < CALLS; n++) assert.equal(messages.find(({ tool_call_id }) => tool_call_id === `call_${n}`).content, outputOf(n));
  assert.equal(messages.at(-1).content, ANSWER);
}

for (const [name, OpenAI] of [["openai 6", OpenAI6], ["openai 7", OpenAI7]])
  describe(name, () => {
    let server;
    before(async () => (server = await provider({ summary: "<summary>The build fails. Never edit src/generated.</summary>" })));
    after(() => server.close());
    const fresh = () => ((server.bodies.length = 0), server);

    test("runResponses: each request fits and is valid, and its result is whole", async () => {
      const { bodies } = fresh();
      const { response, input, finished, steps, session } = await runResponses(client(OpenAI, server), { model: "m", input: TASK, instructions: "You build.", tools: RESPONSES_TOOLS }, { ...STRICT, execute });
      assertKept("openai-responses", bodies);
      assertWholeInput(input);
      assert.deepEqual([response.output_text, finished, steps], [ANSWER, true, CALLS + 1]);
      assert.ok(bodies.every(({ instructions, tools }) => instructions === "You build." && tools.length === 1));
      assert.ok(bodies.every(({ input }) => input.every(({ role }) => role !== "system")), "instructions are sent once");
      assert.match(session.search("src/file3.rs:5:")[0].excerpt, /E0303/);
    });

    test("a run continues with the session of the previous one, in the same process and in one that loaded it", async () => {
      const bodies = [];
      const answering = async (url, init) => {
        bodies.push(JSON.parse(init.body));
        const text = `Answer ${bodies.length}.`;
        const message = { id: `msg_${bodies.length}`, type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text, annotations: [] }] };
        const answer = String(url).endsWith("/responses")
          ? { id: "resp", object: "response", status: "completed", output: [message], usage: null }
          : { id: "chat", object: "chat.completion", choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: text } }] };
        return new Response(JSON.stringify(answer), { headers: { "content-type": "application/json" } });
      };
      const openai = client(OpenAI, server, { fetch: answering });
      const QUESTIONS = ["I am Bo. Never change LICENSE.", "Who am I?", "Go on."];
      const ways = {
        "openai-responses": (session, question) => runResponses(openai, { model: "m", instructions: "You help.", input: question }, { session, strict: true }),
        "openai-chat": (session, question) => runChat(openai, { model: "m", messages: [{ role: "system", content: "You help." }, { role: "user", content: question }] }, { session, strict: true }),
      };
      for (const [format, run] of Object.entries(ways))
        for (const loaded of [false, true]) {
          let session = new Session({ contextWindow: 32_000 });
          bodies.length = 0;
          for (const question of QUESTIONS) {
            if (loaded) session = Session.restore(session.snapshot());
            await run(session, question);
          }
          const list = bodies.at(-1).input ?? bodies.at(-1).messages;
          const asked = list.filter(({ role }) => role === "user").map(({ content }) => content);
          assert.deepEqual(asked, QUESTIONS, `${format}, ${loaded}`);
          assert.equal(list.filter(({ role }) => role === "system").length, format === "openai-chat" ? 1 : 0, "instructions are sent once");
          assert.deepEqual(check(format, list), []);
          assert.equal(session.messages.filter(({ role }) => role !== "system").length, 6);
        }
    });

    test("a run continues a session that has folds, whatever its instructions are and wherever they stand", async () => {
      let answers = 0;
      const answering = async (url) => {
        const text = `Answer ${answers++} with some words that matter. `.repeat(12);
        const output = [{ id: `msg_${answers}`, type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text, annotations: [] }] }];
        const choices = [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: text } }];
        return Response.json(String(url).endsWith("/responses") ? { id: "resp", object: "response", status: "completed", output } : { id: "chat", object: "chat.completion", choices });
      };
      const openai = client(OpenAI, server, { fetch: answering });
      const responses = (body) => (session, input) => runResponses(openai, { model: "m", input, ...body }, { session, strict: true });
      const chat = (system) => (session, content) => runChat(openai, { model: "m", messages: [{ role: "system", content: system() }, { role: "user", content }] }, { session, strict: true });
      const ways = [responses({ instructions: "You help." }), responses({}), chat(() => "You help."), chat(() => `You help. So far, you gave ${answers} answers.`)];
      for (const [way, run] of ways.entries())
        for (const context of [{}, { memory: ["The build runs on Fridays."] }, { injections: [{ role: "user", content: "The build runs on Fridays." }] }]) {
          const session = new Session({ contextWindow: 3_000 });
          session.setContext(context);
          const about = `way ${way}, ${Object.keys(context)}`;
          for (let i = 0; i < 24; i++) {
            const [folds, messages] = [session.folds().length, session.messages.length];
            await run(session, `Question ${i} about the build?`);
            assert.ok(session.folds().length >= folds, `${about}: the folds stay`);
            assert.ok(session.messages.length <= messages + 3, `${about}: only the question, the answer and the instructions are new`);
          }
          assert.ok(session.folds().length > 0);
          assert.equal(session.view("openai-chat").filter(({ content }) => content.includes("Fridays")).length, Object.keys(context).length, about);
        }
    });

    test("the list of a run that folded continues the session, though its record was replaced during that run", async () => {
      let answers = 0;
      const answering = async () => Response.json({ id: "chat", object: "chat.completion", choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: `Answer ${answers++} with some words that matter. `.repeat(12) } }] });
      const openai = client(OpenAI, server, { fetch: answering });
      const session = new Session({ contextWindow: 3_000 });
      let list = [];
      for (let i = 0; i < 60; i++) {
        const question = { role: "user", content: `Question ${i} about the build?` };
        const messages = i % 3 === 0 ? [question] : [...list, question];
        ({ messages: list } = await runChat(openai, { model: "m", messages }, { session, strict: true }));
        assert.equal(session.messages.length, 2 * (i + 1), "only the question and the answer are new");
      }
      assert.ok(session.folds().length > 3);
    });

    test("a first message that is repeated is new input; with the answers it is the whole conversation", async () => {
      const bodies = [];
      const answering = async (_, init) => {
        bodies.push(JSON.parse(init.body));
        const content = "Hello.";
        return Response.json({ id: "chat", object: "chat.completion", choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }] });
      };
      const openai = client(OpenAI, server, { fetch: answering });
      const asked = () => bodies.at(-1).messages.filter(({ role }) => role === "user").map(({ content }) => content);
      const user = (content) => ({ role: "user", content });
      const store = memoryStore();
      const TURNS = ["hi", "I am Bob, order 4711.", "hi", "What is my order?"];
      const saved = { store, key: "chat", contextWindow: 32_000, strict: true };
      for (const turn of TURNS) await runChat(openai, { model: "m", messages: [user(turn)] }, saved);
      assert.deepEqual(asked(), TURNS);
      // Two messages of the user, the first of them the session's first one, are new input as well.
      const { messages } = await runChat(openai, { model: "m", messages: [user("hi"), user("again")] }, saved);
      assert.deepEqual(asked(), [...TURNS, "hi", "again"]);
      await runChat(openai, { model: "m", messages: [...messages, user("Bye.")] }, saved);
      assert.deepEqual(asked(), [...TURNS, "hi", "again", "Bye."]);
      // A run that had no answer is repeated: nothing is asked twice.
      const session = new Session({ contextWindow: 32_000 });
      session.push(user("hi"));
      await runChat(openai, { model: "m", messages: [user("hi")] }, { session, strict: true });
      assert.deepEqual(asked(), ["hi"]);
    });

    test("a list that starts like the session is the whole conversation", async () => {
      const { bodies } = fresh();
      const { input, session } = await runResponses(client(OpenAI, server), { model: "m", input: TASK, tools: RESPONSES_TOOLS }, { ...STRICT, execute });
      const pushed = session.messages.length;
      await runResponses(client(OpenAI, server), { model: "m", input: [...input, { role: "user", content: "And now?" }], tools: RESPONSES_TOOLS }, { session, strict: true, execute });
      assert.equal(session.messages.filter(({ role, content }) => role === "user" && JSON.stringify(content).includes("And now?")).length, 1);
      assert.ok(session.messages.length > pushed && session.messages.length <= pushed + 4);
      assert.deepEqual(check("openai-responses", bodies.at(-1).input), []);
    });

    test("runChat: the same", async () => {
      const { bodies } = fresh();
      const { response, messages } = await runChat(client(OpenAI, server), { model: "m", messages: [{ role: "system", content: "You build." }, { role: "user", content: TASK }], tools: CHAT_TOOLS }, { ...STRICT, execute });
      assertKept("openai-chat", bodies);
      assertWholeMessages(messages);
      assert.equal(response.choices[0].message.content, ANSWER);
      assert.ok(bodies.every(({ messages }) => messages[0].content === "You build."));
    });

    test("a session with memory: it reaches the model, after the instructions", async () => {
      const { bodies } = fresh();
      const remembering = () => {
        const session = new Session(OPTIONS);
        session.setContext({ memory: ["The build runs on Fridays."] });
        return { session, strict: true, execute, maxSteps: 30 };
      };
      await runResponses(client(OpenAI, server), { model: "m", input: TASK, instructions: "You build.", tools: RESPONSES_TOOLS }, remembering());
      await runChat(client(OpenAI, server), { model: "m", messages: [{ role: "system", content: "You build." }, { role: "user", content: TASK }], tools: CHAT_TOOLS }, remembering());
      for (const { input, messages } of bodies) assert.deepEqual((input ?? messages).filter(({ role }) => role === "system").map(({ content }) => content), [...(messages ? ["You build."] : []), "<relevant_context>The build runs on Fridays.</relevant_context>"]);
    });

    test("both, streamed: events arrive as they are made, the result is the same, and usage is learnt from", async (t) => {
      const counting = await provider({ perToken: 1.3 });
      t.after(() => counting.close());
      const texts = [];
      const responses = await runResponses(client(OpenAI, counting), { model: "m", input: TASK, tools: RESPONSES_TOOLS, stream: true }, { ...STRICT, execute, onEvent: (event, step) => event.type === "response.output_text.delta" && texts.push(`${step}: ${event.delta}`) });
      assertKept("openai-responses", counting.bodies);
      assertWholeInput(responses.input);
      assert.deepEqual([responses.response.status, responses.response.output_text, responses.finished], ["completed", ANSWER, true]);
      assert.equal(texts.map((text) => text.replace(`${CALLS + 1}: `, "")).join(""), ANSWER);
      counting.bodies.length = 0;
      let chunks = 0;
      const chat = await runChat(client(OpenAI, counting), { model: "m", messages: [{ role: "user", content: TASK }], tools: CHAT_TOOLS, stream: true }, { ...STRICT, execute, onEvent: async () => void chunks++ });
      assertKept("openai-chat", counting.bodies);
      assertWholeMessages(chat.messages);
      assert.deepEqual([chat.response.object, chat.response.choices[0].finish_reason, chat.messages.at(-1)], ["chat.completion", "stop", { role: "assistant", content: ANSWER, refusal: null }]);
      assert.ok(chunks > 4 * CALLS);
      for (const { session } of [responses, chat]) assert.ok(session.report.counter.calibration > 1.2, "the reported tokens were more than counted");
    });

    test("a broken stream leaves the session whole, and the loop can go on", async (t) => {
      const breaking = await provider({ breakAt: 20 });
      t.after(() => breaking.close());
      const session = new Session(OPTIONS);
      const openai = client(OpenAI, breaking);
      let messages;
      const run = (list) => runChat(openai, { model: "m", messages: list, tools: CHAT_TOOLS, stream: true }, { session, strict: true, execute, onResponse: () => {} });
      await assert.rejects(run([{ role: "user", content: TASK }]));
      assert.equal(session.messages.length, 1 + 2 * 20);
      assert.deepEqual(check("openai-chat", session.view("openai-chat")), []);
      breaking.bodies.length = 20;
      ({ messages } = await run(session.messages));
      assertWholeMessages(messages);
      const mine = new Error("enough");
      breaking.bodies.length = 0;
      await assert.rejects(runResponses(openai, { model: "m", input: TASK, stream: true }, { ...STRICT, onEvent: () => Promise.reject(mine) }), (error) => error === mine);
    });

    test("a refusal in a stream that started well is also retried with less", async (t) => {
      const small = await provider({ window: 4_000, inStream: true });
      t.after(() => small.close());
      for (const stream of [true, false]) {
        small.bodies.length = small.refused = 0;
        const { input } = await runResponses(client(OpenAI, small), { model: "m", input: TASK, tools: RESPONSES_TOOLS, stream }, { ...STRICT, execute });
        assertWholeInput(input);
        assert.ok(small.refused >= 1 && small.refused <= 3, `${small.refused} refusals`);
      }
    });

    test("`fittingFetch` passes streams through, and learns from their usage", async (t) => {
      const counting = await provider({ perToken: 1.3 });
      t.after(() => counting.close());
      const session = new Session(OPTIONS);
      const openai = client(OpenAI, counting, { fetch: fittingFetch({ session, strict: true }) });
      const runner = openai.chat.completions.runTools(
        { model: "m", stream: true, stream_options: { include_usage: true }, messages: [{ role: "user", content: TASK }], tools: [{ type: "function", function: { name: "build", description: "Builds.", parameters, parse: JSON.parse, function: ({ n }) => outputOf(n) } }] },
        { maxChatCompletions: CALLS + 5 },
      );
      assert.equal(await runner.finalContent(), ANSWER);
      assertKept("openai-chat", counting.bodies);
      assertWholeMessages(runner.messages);
      assert.ok(session.report.counter.calibration > 1.2);
    });

    test("usage that also counts the provider's own tool calls does not change the counts", async () => {
      const message = { id: "msg_1", type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: ANSWER, annotations: [] }] };
      const search = { id: "ws_1", type: "web_search_call", status: "completed", action: { type: "search", query: "E0308" } };
      const usage = { input_tokens: 3_000, output_tokens: 20, total_tokens: 3_020 };
      const calibrationAfter = async (output, stream) => {
        const session = new Session({ contextWindow: 32_000 });
        const answer = { id: "resp_1", object: "response", status: "completed", output, usage };
        const inner = async () => (stream ? new Response(`data: ${JSON.stringify({ type: "response.completed", response: answer })}\n\n`, { headers: { "content-type": "text/event-stream" } }) : Response.json(answer));
        const openai = client(OpenAI, server, { fetch: fittingFetch({ session, strict: true, fetch: inner }) });
        const input = [{ role: "user", content: "word ".repeat(1_000) }];
        const answered = await openai.responses.create({ model: "m", input, stream });
        if (stream) for await (const _ of answered) continue;
        await session.prepare();
        return session.report.counter.calibration;
      };
      for (const stream of [false, true]) {
        assert.ok((await calibrationAfter([message], stream)) > 2);
        assert.equal(await calibrationAfter([search, message], stream), 1);
      }
      const alone = { responses: { create: async () => ({ status: "completed", output: [search, message], usage }) } };
      const { session } = await runResponses(alone, { model: "m", input: "word ".repeat(1_000) }, STRICT);
      await session.prepare();
      assert.equal(session.report.counter.calibration, 1);
    });

    test("an event of many megabytes, such as an image, does not slow the stream down", async () => {
      const event = `data: ${JSON.stringify({ type: "response.image_generation_call.partial_image", partial_image_b64: "A".repeat(24_000_000) })}\n\n`;
      const bytes = new TextEncoder().encode(event);
      const pieces = Array.from({ length: Math.ceil(bytes.length / 16_384) }, (_, i) => bytes.subarray(i * 16_384, (i + 1) * 16_384));
      const image = async () => new Response(ReadableStream.from(pieces), { headers: { "content-type": "text/event-stream" } });
      const begun = performance.now();
      const response = await fittingFetch({ ...STRICT, fetch: image })("http://host/v1/responses", { method: "POST", body: JSON.stringify({ model: "m", input: [{ role: "user", content: TASK }], stream: true }) });
      assert.equal((await response.arrayBuffer()).byteLength, bytes.length);
      assert.ok(performance.now() - begun < 8_000, "it took a minute when each piece of the event was searched from its beginning");
    });

    test("a saved session continues in another process, with its fold", async (t) => {
      const calling = await provider();
      t.after(() => calling.close());
      const store = memoryStore();
      const summarize = scriptedSummarize("<summary>The build fails. Never edit src/generated.</summary>");
      const options = { ...OPTIONS, ladder: FOLDS, summarize };
      const run = async (session, messages, maxSteps) => runChat(client(OpenAI, calling), { model: "m", messages, tools: CHAT_TOOLS }, { session, strict: true, execute, maxSteps });
      const first = await run(new Session(options), [{ role: "user", content: TASK }], 20);
      await first.session.save(store, "chat-17");
      const asked = summarize.requests.length;
      assert.ok(asked > 0);
      const loaded = await Session.load(store, "chat-17", { summarize });
      const second = await run(loaded, [...JSON.parse(JSON.stringify(first.messages)), { role: "user", content: "And now?" }], 1);
      assert.equal(summarize.requests.length, asked);
      assert.equal(loaded.folds().length, first.session.folds().length);
      assert.ok(calling.bodies.at(-1).messages.length < second.messages.length - 10);
    });

    test("a run with a store that is aborted while its tool runs: the next run has everything up to there", async () => {
      const { bodies } = fresh();
      const store = memoryStore();
      const saved = { ...STRICT, store, key: "chat-17" };
      const controller = new AbortController();
      const tools = {
        build: ({ n }) => {
          if (n < 2) return outputOf(n);
          controller.abort();
          throw new Error("aborted");
        },
      };
      const run = (content, more) => runChat(client(OpenAI, server), { model: "m", messages: [{ role: "user", content }], tools: CHAT_TOOLS }, { ...saved, ...more });
      await assert.rejects(run(TASK, { execute: tools, signal: controller.signal }), { name: "AbortError" });
      await run("Go on.", { execute, maxSteps: 1 });
      const { messages } = bodies.at(-1);
      assert.deepEqual(messages.map(({ role, content }) => (role === "tool" ? content : role)), ["user", "assistant", outputOf(0), "assistant", outputOf(1), "assistant", "[no output yet: the call was interrupted]", "user"]);
      assert.deepEqual(check("openai-chat", messages), []);
    });

    test("a background summary is applied without a call waiting for it", async () => {
      const { bodies } = fresh();
      const summarize = scriptedSummarize(async () => (await new Promise((done) => setTimeout(done, 30)), "<summary>The build fails. Never edit src/generated.</summary>"));
      const { session } = await runResponses(client(OpenAI, server), { model: "m", input: TASK, tools: RESPONSES_TOOLS }, { ...STRICT, ladder: FOLDS, execute, summarize, compaction: { background: { atRatio: 0.4 } } });
      assertKept("openai-responses", bodies);
      assert.ok(session.folds().length > 0 && summarize.requests.length > 0);
    });

    test("a summary by the same client", async () => {
      const { bodies } = fresh();
      const openai = client(OpenAI, server);
      const summarize = async (request, { signal }) => {
        const answer = await openai.responses.create({ model: "m", ...request.as("openai-responses") }, { signal });
        return { text: answer.output_text, usage: answer.usage };
      };
      await runResponses(openai, { model: "m", input: TASK, tools: RESPONSES_TOOLS }, { ...STRICT, execute, summarize });
      assertKept("openai-responses", bodies);
      assert.ok(server.summaries > 0);
    });

    test("a custom loop with `fit`; the service's own compaction is left as it is", async () => {
      const { bodies } = fresh();
      const openai = client(OpenAI, server);
      const fitting = fit(STRICT);
      const compaction = { type: "compaction", id: "cmp_1", encrypted_content: "gAAAAopaque" };
      const input = [{ role: "user", content: TASK }, compaction];
      for (;;) {
        const response = await openai.responses.create(await fitting({ model: "m", tools: RESPONSES_TOOLS, input: [...input] }));
        input.push(...response.output);
        const calls = response.output.filter(({ type }) => type === "function_call");
        if (calls.length === 0) break;
        for (const call of calls) input.push({ type: "function_call_output", call_id: call.call_id, output: outputOf(JSON.parse(call.arguments).n) });
      }
      assertKept("openai-responses", bodies);
      for (const body of bodies) assert.deepEqual(body.input.filter(({ type }) => type === "compaction"), [compaction]);
      assertWholeInput(input);
    });

    test("runTools through `fittingFetch`", async () => {
      const { bodies } = fresh();
      const openai = client(OpenAI, server, { fetch: fittingFetch(STRICT) });
      const runner = openai.chat.completions.runTools(
        { model: "m", messages: [{ role: "user", content: TASK }], tools: [{ type: "function", function: { name: "build", description: "Builds.", parameters, parse: JSON.parse, function: ({ n }) => outputOf(n) } }] },
        { maxChatCompletions: CALLS + 5 },
      );
      assert.equal(await runner.finalContent(), ANSWER);
      assertKept("openai-chat", bodies);
      assertWholeMessages(runner.messages);
    });

    test("a summary through the client whose own requests are made to fit", async () => {
      const { bodies } = fresh();
      const before = server.summaries;
      const openai = client(OpenAI, server, {
        fetch: fittingFetch({ ...STRICT, summarize: async (request) => (await openai.chat.completions.create({ model: "m", ...request.as("openai-chat") })).choices[0].message.content }),
      });
      const messages = [{ role: "user", content: TASK }];
      for (let n = 0; n <= CALLS; n++) {
        const { message } = (await openai.chat.completions.create({ model: "m", messages, tools: CHAT_TOOLS })).choices[0];
        messages.push(message);
        for (const call of message.tool_calls ?? []) messages.push({ role: "tool", tool_call_id: call.id, content: outputOf(n) });
      }
      assertKept("openai-chat", bodies);
      assert.ok(server.summaries > before);
    });

    test("a request refused as too long is retried with less", async (t) => {
      const small = await provider({ window: 4_000 });
      t.after(() => small.close());
      const { input } = await runResponses(client(OpenAI, small), { model: "m", input: TASK, tools: RESPONSES_TOOLS }, { ...STRICT, execute });
      assertWholeInput(input);
      assert.ok(small.refused >= 1 && small.refused <= 3, `${small.refused} refusals`);
      small.bodies.length = small.refused = 0;
      const openai = client(OpenAI, small, { fetch: fittingFetch(STRICT) });
      const messages = input.filter(({ type }) => type === "function_call" || type === "function_call_output").slice(0, 24);
      await openai.responses.create({ model: "m", input: [{ role: "user", content: TASK }, ...messages] });
      assert.equal(small.refused, 1);
    });

    test("a conversation held by the service cannot be made smaller: one warning, or an error", async () => {
      fresh();
      const openai = client(OpenAI, server, { fetch: fittingFetch(OPTIONS) });
      const { said } = await warnings(async () => {
        for (let n = 0; n < 3; n++) await openai.responses.create({ model: "m", input: "go on", previous_response_id: "resp_1" });
      });
      assert.equal(said.length, 1);
      assert.match(said[0], /previous_response_id/);
      await assert.rejects(fit(STRICT)({ model: "m", input: [], conversation: "conv_1" }), { code: "INVALID_ARGUMENT" });
    });

    test("an internal failure leaves the run alone, and is reported once", async () => {
      const { bodies } = fresh();
      const { result, said } = await warnings(() => runChat(client(OpenAI, server), { model: "m", messages: [{ role: "user", content: TASK }], tools: CHAT_TOOLS }, { contextWindow: 200_000, tokenizer: () => NaN, execute }));
      assertWholeMessages(result.messages);
      assert.equal(bodies.at(-1).messages.length, 1 + 2 * CALLS);
      assert.equal(said.length, 1);
    });

    test("… the same with `fit` and `fittingFetch`, whose requests are sent unchanged", async () => {
      const { bodies } = fresh();
      const failing = { contextWindow: 200_000, tokenizer: () => NaN };
      const fitting = fit(failing);
      const openai = client(OpenAI, server, { fetch: fittingFetch(failing) });
      const body = { model: "m", input: [{ role: "user", content: TASK }] };
      const { said } = await warnings(async () => {
        for (let n = 0; n < 3; n++) assert.equal(await fitting(body), body);
        for (let n = 0; n < 3; n++) await openai.responses.create({ ...body, stream: n === 1 });
      });
      assert.deepEqual(said.map((text) => text.slice(0, 26)), ["contextfold (openai fit): ", "contextfold (openai fetch)"]);
      assert.deepEqual(bodies.map(({ input }) => input), [body.input, body.input, body.input]);
    });

    test("calls with no id, or with the same one, get ids of their own: the session has everything", async () => {
      const call = (id, n, name = "build") => ({ id, type: "function", function: { name, arguments: `{"n":${n}}` } });
      const item = (call_id, n) => ({ type: "function_call", call_id, name: "build", arguments: `{"n":${n}}` });
      const completion = (message) => ({ id: "chat", object: "chat.completion", choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: null, ...message } }] });
      const message = { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "Done.", annotations: [] }] };
      const chat = [completion({ tool_calls: [call("", 1), call("", 2)] }), completion({ tool_calls: [call("c", 3), call("c", 4), call(undefined, 5)] }), completion({ content: "Done." })];
      const responses = [[item("", 1), item("", 2)], [item("c", 3), item("c", 4), item(null, 5)], [message]].map((output) => ({ id: "resp", object: "response", status: "completed", output }));
      const IDS = ["build", "build--2", "c", "c--2", "build--3"];
      for (const [api, answers] of Object.entries({ chat, responses })) {
        const left = [...answers];
        const openai = client(OpenAI, server, { fetch: async () => Response.json(left.shift()) });
        const seen = [];
        const asked = [];
        const options = { contextWindow: 32_000, strict: true, execute: (_, { n }, { call }) => (seen.push(call.call_id ?? call.id), `output ${n}`), onResponse: (answer) => asked.push(...(answer.output ?? answer.choices[0].message.tool_calls ?? [])) };
        const run = api === "chat" ? await runChat(openai, { model: "m", messages: [{ role: "user", content: TASK }] }, options) : await runResponses(openai, { model: "m", input: TASK }, options);
        const list = run.messages ?? run.input;
        const outputs = list.filter(({ role, type }) => role === "tool" || type === "function_call_output");
        assert.deepEqual(outputs.map((entry) => [entry.tool_call_id ?? entry.call_id, entry.content ?? entry.output]), IDS.map((id, i) => [id, `output ${i + 1}`]));
        assert.deepEqual([seen, asked.filter(({ role }) => !role).map((made) => made.call_id ?? made.id)], [IDS, IDS]);
        assert.equal(run.session.messages.filter(({ role }) => role === "tool").length, 5);
        assert.deepEqual(check(api === "chat" ? "openai-chat" : "openai-responses", run.session.view(api === "chat" ? "openai-chat" : "openai-responses")), []);
      }
    });

    test("a call with the id of one that was interrupted gets an id of its own: the session goes on", async () => {
      for (const api of ["chat", "responses"]) {
        const isChat = api === "chat";
        const store = memoryJournals();
        const bodies = [];
        // A server that numbers the calls of each answer anew.
        const answer = (text) =>
          isChat
            ? { id: "chat", object: "chat.completion", choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: text ?? null, ...(!text && { tool_calls: [{ id: "call_0", type: "function", function: { name: "build", arguments: "{}" } }] }) } }] }
            : { id: "resp", object: "response", status: "completed", output: [text ? { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text, annotations: [] }] } : { type: "function_call", call_id: "call_0", name: "build", arguments: "{}" }] };
        const answers = [answer(), answer(), answer("Done."), answer("Welcome.")];
        const openai = client(OpenAI, server, { fetch: async (_, { body }) => (bodies.push(JSON.parse(body)), Response.json(answers.shift())) });
        const run = (text, options) => (isChat ? runChat(openai, { model: "m", messages: [{ role: "user", content: text }] }, options) : runResponses(openai, { model: "m", input: text }, options));
        const options = { contextWindow: 32_000, strict: true, store, key: "k" };
        const stopped = new AbortController();
        const stop = () => {
          stopped.abort();
          throw new Error("stopped");
        };
        await assert.rejects(run(TASK, { ...options, signal: stopped.signal, execute: { build: stop } }));
        (await run("Again, please.", { ...options, execute: { build: () => "Built." } })).session.free();
        const { session } = await run("Thanks.", { ...options, execute: {} });
        for (const body of bodies) assert.deepEqual(check(isChat ? "openai-chat" : "openai-responses", body.messages ?? body.input), []);
        assert.deepEqual(session.messages.map(({ role }) => role), ["user", "assistant", "user", "assistant", "tool", "assistant", "user", "assistant"]);
      }
    });

    test("a run that was killed while its tools ran goes on: with an empty list, they are run again", async () => {
      for (const api of ["responses", "chat"]) {
        const isChat = api === "chat";
        const store = memoryJournals();
        const bodies = [];
        const answer = isChat
          ? { id: "chat", object: "chat.completion", choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Done." } }] }
          : { id: "resp", object: "response", status: "completed", output: [{ type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "Done.", annotations: [] }] }] };
        const openai = client(OpenAI, server, { fetch: async (_, { body }) => (bodies.push(JSON.parse(body)), Response.json(answer)) });
        const run = (list, key, build) => (isChat ? runChat(openai, { model: "m", messages: list ?? [] }, { contextWindow: 32_000, strict: true, store, key, execute: { build } }) : runResponses(openai, { model: "m", ...(list && { input: list }) }, { contextWindow: 32_000, strict: true, store, key, execute: { build } }));
        const killed = new Session({ contextWindow: 32_000 });
        const call = (id) => ({ id, type: "function", function: { name: "build", arguments: `{"id":"${id}"}` } });
        killed.push([{ role: "user", content: TASK }, { role: "assistant", tool_calls: [call("a"), call("b"), call("c")] }, { role: "tool", tool_call_id: "b", content: "b, before" }]);
        for (const [key, list] of [["empty", []], ["none", undefined], ["more", [{ role: "user", content: "Go on." }]]]) {
          await Session.restore(killed.snapshot()).save(store, key);
          const ran = [];
          const { session } = await run(list, key, ({ id }) => (ran.push(id), `${id}, again`));
          const request = bodies.at(-1);
          assert.deepEqual(check(isChat ? "openai-chat" : "openai-responses", request.messages ?? request.input), []);
          assert.deepEqual(ran, key === "more" ? [] : ["a", "c"]);
          const outputs = session.messages.filter(({ role }) => role === "tool").map(({ content }) => content);
          assert.deepEqual(outputs.sort(), key === "more" ? ["b, before"] : ["a, again", "b, before", "c, again"]);
          assert.equal((await Session.load(store, key)).messages.length, session.messages.length);
        }
      }
    });

    test("what tools of a killed run return when they run again is saved before the model is asked", async () => {
      for (const isChat of [false, true]) {
        const store = memoryJournals();
        const killed = new Session({ contextWindow: 32_000 });
        killed.push([{ role: "user", content: TASK }, { role: "assistant", tool_calls: [{ id: "a", type: "function", function: { name: "build", arguments: "{}" } }] }]);
        await killed.save(store, "k");
        const saved = [];
        const answer = isChat
          ? { id: "chat", object: "chat.completion", choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Done." } }] }
          : { id: "resp", object: "response", status: "completed", output: [{ type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "Done.", annotations: [] }] }] };
        const fetch = async () => {
          saved.push((await Session.load(store, "k")).messages.map(({ role, content }) => (role === "tool" ? content : role)));
          return Response.json(answer);
        };
        const options = { contextWindow: 32_000, strict: true, store, key: "k", execute: { build: () => "built again" } };
        const run = await (isChat ? runChat(client(OpenAI, server, { fetch }), { model: "m", messages: [] }, options) : runResponses(client(OpenAI, server, { fetch }), { model: "m" }, options));
        assert.deepEqual(saved, [["user", "assistant", "built again"]]);
        assert.deepEqual(run.session.messages.map(({ role }) => role), ["user", "assistant", "tool", "assistant"]);
      }
    });

    test("an output that the caller gives, beside those of tools that run again, is in the session once", async () => {
      const call = (id) => ({ id, type: "function", function: { name: "build", arguments: "{}" } });
      const session = new Session({ contextWindow: 32_000 });
      session.push([{ role: "user", content: TASK }, { role: "assistant", tool_calls: [call("a"), call("b")] }]);
      const answer = { id: "chat", object: "chat.completion", choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Done." } }] };
      const fetch = async () => Response.json(answer);
      await runChat(client(OpenAI, server, { fetch }), { model: "m", messages: [{ role: "tool", tool_call_id: "a", content: "given" }] }, { session, strict: true, execute: { build: () => "built" } });
      assert.deepEqual(session.messages.map(({ role, content }) => (role === "tool" ? content : role)), ["user", "assistant", "given", "built", "assistant"]);
    });

    test("wrong options are refused before a request is sent, with the names of a loop's own", async () => {
      const { bodies } = fresh();
      const refuses = async (options, code, says) => {
        for (const run of [() => runChat(client(OpenAI, server), { model: "m", messages: [{ role: "user", content: TASK }] }, options), () => runResponses(client(OpenAI, server), { model: "m", input: TASK }, options)])
          await assert.rejects(run, (error) => error.code === code && says.test(error.message), JSON.stringify(options));
      };
      for (const maxSteps of [0, -1, NaN, "3", 1.5, null]) await refuses({ ...OPTIONS, maxSteps }, "INVALID_ARGUMENT", /^maxSteps: expected a whole number of model calls, at least 1/);
      await refuses({ ...OPTIONS, excute: {} }, "INVALID_CONFIG", /`excute`: unknown key; did you mean `execute`\?/);
      await refuses({ ...OPTIONS, zzz: {} }, "INVALID_CONFIG", /of this hook .*`execute`, `maxSteps`, `signal`, `onResponse`, `onEvent`/);
      await refuses({ session: new Session(OPTIONS), excute: {} }, "INVALID_CONFIG", /excute/);
      await refuses({ session: () => new Session(OPTIONS) }, "INVALID_CONFIG", /^session: a run is one conversation/);
      await refuses({ ...OPTIONS, execute: "build" }, "INVALID_CONFIG", /^execute: /);
      await refuses({ ...OPTIONS, signal: 5 }, "INVALID_CONFIG", /^signal: expected an AbortSignal/);
      await refuses({ ...OPTIONS, strict: "yes" }, "INVALID_CONFIG", /^strict: /);
      assert.equal(bodies.length, 0);
    });

    test("an answer without a choice is an error that says so", async () => {
      const answers = [{ choices: [] }, { error: { message: "the upstream is overloaded" } }, { choices: [], id: "x" }];
      const openai = client(OpenAI, server, { fetch: async () => Response.json(answers.shift()) });
      const run = () => runChat(openai, { model: "m", messages: [{ role: "user", content: TASK }] }, OPTIONS);
      await assert.rejects(run, { code: "INVALID_MESSAGE", message: /^the answer has no choice with a message/ });
      await assert.rejects(run, { code: "INVALID_MESSAGE", message: /the upstream is overloaded/ });
      await assert.rejects(runResponses(openai, { model: "m", input: TASK }, OPTIONS), { message: /output/ });
    });

    test("failing tools, unknown tools, and the end of a run", async () => {
      fresh();
      const session = new Session(OPTIONS);
      const { messages, finished } = await runChat(client(OpenAI, server), { model: "m", messages: [{ role: "user", content: TASK }] }, {
        session,
        maxSteps: 3,
        execute: { build: ({ n }) => (n === 0 ? Promise.reject(new Error("disk full")) : { ok: true }) },
      });
      assert.equal(finished, false);
      assert.deepEqual(messages.filter(({ role }) => role === "tool").map(({ content }) => content), ["Error: disk full", '{"ok":true}', '{"ok":true}']);
      fresh();
      const none = await runChat(client(OpenAI, server), { model: "m", messages: [{ role: "user", content: TASK }] }, { ...OPTIONS, maxSteps: 2 });
      assert.equal(none.messages.at(-1).content, "Error: there is no tool named build");
      assert.deepEqual([session.messages.length, none.session.messages.length], [7, 5], "all of it is in the session, the last output, too");
      const aborted = AbortSignal.abort(new Error("enough"));
      await assert.rejects(runChat(client(OpenAI, server), { model: "m", messages: [] }, { ...OPTIONS, signal: aborted }), /enough/);
    });
  });

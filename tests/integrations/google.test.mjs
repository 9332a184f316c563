// `contextfold/google` with the real SDK, in both majors in use, against a local server.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Session } from "contextfold";
import { fittingFetch } from "contextfold/google";
import { provider } from "./support/provider.mjs";
import { ANSWER, CALLS, FOLDS, OPTIONS, SUMMARY, TASK, assertKept, failingSummary, outputOf, warnings } from "./support/work.mjs";

const STRICT = { ...OPTIONS, strict: true };
const build = { name: "build", description: "Builds.", parametersJsonSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } };
const config = { systemInstruction: "You build.", tools: [{ functionDeclarations: [build] }] };
const LONG_CALLS = 200;

/** Version 3 requires Node 22. */
const MAJORS = { 2: "genai-2", ...(Number.parseInt(process.versions.node, 10) >= 22 && { 3: "@google/genai" }) };

for (const [major, name] of Object.entries(MAJORS)) {
  const { GoogleGenAI } = await import(name);
  describe(`@google/genai ${major}`, () => {
    let server;
    before(async () => (server = await provider({ summary: SUMMARY })));
    after(() => server.close());
    const fresh = () => ((server.bodies.length = 0), (server.asked.length = 0), server);
    const client = (options, { url = server.url, ...more } = {}) =>
      new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: url, ...(options && { fetch: fittingFetch(options) }), ...more } });

    const outputs = (calls) => calls.map(({ id, name, args }) => ({ functionResponse: { id, name, response: { output: outputOf(args.n) } } }));

    /** A typical loop that keeps the whole list. */
    async function loop(ai, contents = [{ role: "user", parts: [{ text: TASK }] }], more = {}) {
      for (;;) {
        const response = await ai.models.generateContent({ model: "m", contents: [...contents], config: { ...config, ...more } });
        contents.push(response.candidates[0].content);
        if (!response.functionCalls) return contents;
        contents.push({ role: "user", parts: outputs(response.functionCalls) });
      }
    }

    /** The same, streamed: the chunks' contents are added to the list one by one, as the SDK's own loops do it. */
    async function streamed(ai, contents = [{ role: "user", parts: [{ text: TASK }] }]) {
      for (;;) {
        const calls = [];
        for await (const chunk of await ai.models.generateContentStream({ model: "m", contents: [...contents], config })) {
          contents.push(chunk.candidates[0].content);
          calls.push(...(chunk.functionCalls ?? []));
        }
        if (calls.length === 0) return contents;
        contents.push({ role: "user", parts: outputs(calls) });
      }
    }

    async function chatting(chat, send) {
      for (let message = TASK; ; ) {
        const calls = await send(chat, message);
        if (calls.length === 0) return chat.getHistory();
        message = outputs(calls);
      }
    }

    function assertWhole(contents, calls = CALLS) {
      const answers = contents.flatMap(({ parts }) => parts.filter(({ functionResponse }) => functionResponse));
      assert.equal(answers.length, calls);
      for (const [n, { functionResponse }] of answers.entries()) assert.equal(functionResponse.response.output, outputOf(n));
    }

    test("each request fits and is valid, and the caller's list is whole", async () => {
      const { bodies } = fresh();
      const contents = await loop(client(STRICT));
      assertKept("gemini", bodies);
      assertWhole(contents);
      assert.equal(contents.at(-1).parts[0].text, ANSWER);
      assert.ok(bodies.every(({ systemInstruction, tools }) => systemInstruction.parts.length === 1 && tools.length === 1));
      // Each remaining call has the signature that it came with.
      for (const { functionCall, thoughtSignature } of bodies.at(-1).contents.flatMap(({ parts }) => parts).filter((part) => part.functionCall))
        assert.equal(Buffer.from(thoughtSignature, "base64").toString(), `signature ${functionCall.args.n}`);
    });

    test("without it, the requests do not fit", async () => {
      const { bodies } = fresh();
      await loop(client());
      assert.throws(() => assertKept("gemini", bodies), /tokens are more than/);
    });

    test("streamed: the same, and usage is learnt from", async (t) => {
      const counting = await provider({ perToken: 1.3 });
      t.after(() => counting.close());
      const session = new Session(OPTIONS);
      const contents = await streamed(client({ session, strict: true }, { url: counting.url }));
      assertKept("gemini", counting.bodies);
      assertWhole(contents);
      assert.ok(session.report.counter.calibration > 1.2, "the reported tokens were more than counted");
    });

    test("a chat: the view is sent, and its history is whole", async () => {
      for (const send of [
        async (chat, message) => (await chat.sendMessage({ message })).functionCalls ?? [],
        async (chat, message) => {
          const calls = [];
          for await (const chunk of await chat.sendMessageStream({ message })) calls.push(...(chunk.functionCalls ?? []));
          return calls;
        },
      ]) {
        const { bodies } = fresh();
        const history = await chatting(client(STRICT).chats.create({ model: "m", config }), send);
        assertKept("gemini", bodies);
        assertWhole(history);
      }
    });

    test("automatic function calling, streamed or not: each of its requests fits", async () => {
      const callable = { tool: async () => ({ functionDeclarations: [build] }), callTool: async (calls) => outputs(calls) };
      const params = { model: "m", contents: TASK, config: { systemInstruction: "You build.", tools: [callable], automaticFunctionCalling: { maximumRemoteCalls: CALLS + 5 } } };
      fresh();
      const response = await client(STRICT).models.generateContent(params);
      assert.equal(response.text, ANSWER);
      assertKept("gemini", server.bodies);
      fresh();
      let text = "";
      for await (const chunk of await client(STRICT).models.generateContentStream(params)) text += chunk.candidates[0].content.parts[0].text ?? "";
      assert.equal(text, ANSWER);
      assertKept("gemini", server.bodies);
    });

    test("two hundred calls against a server that enforces the limit: none is refused or lost, and a failing summary stops nothing", async (t) => {
      const strict = await provider({ window: OPTIONS.contextWindow, calls: LONG_CALLS });
      t.after(() => strict.close());
      const summarize = failingSummary((nth) => nth % 3 === 2);
      const errors = [];
      const contents = await loop(client({ ...OPTIONS, ladder: FOLDS, summarize, onError: (error) => errors.push(error) }, { url: strict.url }));
      assert.deepEqual([strict.refused, strict.bodies.length], [0, LONG_CALLS + 1]);
      assertWhole(contents, LONG_CALLS);
      assert.ok(summarize.asked >= 3, `${summarize.asked} summaries`);
      assert.ok(errors.every((error) => /overloaded|SUMMARY_FAILED/.test(`${error.code} ${error.message}`)), `${errors}`);
      assert.ok(JSON.stringify(strict.bodies.at(-1)).includes("Never edit src/generated"));
    });

    test("a request refused as too long is retried once with less", async (t) => {
      const small = await provider({ window: 4_000 });
      t.after(() => small.close());
      const contents = await loop(client({ contextWindow: 100_000, strict: true }, { url: small.url }));
      assert.ok(small.refused >= 1);
      assert.equal(small.bodies.length, CALLS + 1);
      assertWhole(contents);
    });

    test("a summary by the same client", async () => {
      const { bodies } = fresh();
      const summarize = async (request, { signal }) => {
        const { text, usageMetadata, candidates } = await ai.models.generateContent({ model: "m", ...request.as("gemini"), config: { ...request.as("gemini").config, abortSignal: signal } });
        return { text, usage: usageMetadata, finish_reason: candidates[0].finishReason };
      };
      const ai = client({ ...STRICT, ladder: FOLDS, summarize });
      await loop(ai);
      assertKept("gemini", bodies);
      assert.ok(server.asked.length > 0);
      for (const body of server.asked) assert.equal(body.contents.at(-1).role, "user");
    });

    test("memory comes after the caller's own instructions", async () => {
      const { bodies } = fresh();
      const session = new Session(OPTIONS);
      session.setContext({ memory: ["The user is called Ann."] });
      await loop(client({ session, strict: true }));
      assertKept("gemini", bodies);
      assert.ok(bodies.every(({ systemInstruction, contents }) => systemInstruction.parts[0].text === "You build." && JSON.stringify([systemInstruction, contents]).includes("called Ann")));
    });

    test("requests without a conversation pass through, and another `fetch` sends", async () => {
      fresh();
      const paths = [];
      const ai = new GoogleGenAI({
        apiKey: "none",
        httpOptions: { baseUrl: server.url, fetch: fittingFetch({ ...STRICT, fetch: async (url) => (paths.push(new URL(url).pathname), Response.json({ totalTokens: 3 })) }) },
      });
      assert.equal((await ai.models.countTokens({ model: "m", contents: "x" })).totalTokens, 3);
      assert.match(paths.join(), /^\/v1(beta)?\/models\/m:countTokens$/);
    });

    test("an internal failure leaves the agent running with its own contents, and is reported once", async () => {
      const { bodies } = fresh();
      const session = new Session(OPTIONS);
      session.free();
      const { said } = await warnings(() => loop(client({ session })));
      assert.equal(said.length, 1);
      assert.match(said[0], /contextfold \(google fetch\)/);
      assert.equal(bodies.length, CALLS + 1);
      await assert.rejects(loop(client({ session, strict: true })), { code: "FREED" });
    });
  });
}

test("wrong options are refused at once", () => {
  assert.throws(() => fittingFetch({ contextWindw: 1 }), { code: "INVALID_CONFIG", message: /contextWindow/ });
  assert.throws(() => fittingFetch({ fetc: fetch }), { code: "INVALID_CONFIG", message: "`fetc`: unknown key; did you mean `fetch`?" });
  assert.throws(() => fittingFetch({ ...OPTIONS, key: 7 }), { code: "INVALID_CONFIG" });
  assert.throws(() => fittingFetch({ ...OPTIONS, session: new Session() }), { code: "INVALID_CONFIG" });
});

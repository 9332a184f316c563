// A loop over OpenAI's APIs whose run is aborted while tools run: nothing is waited for, and what was done is kept.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { check } from "contextfold";
import { runChat, runResponses } from "contextfold/openai";
import { memoryJournals } from "contextfold/stores/memory";

const APIS = {
  chat: {
    format: "openai-chat",
    list: "messages",
    run: runChat,
    client: (answers, bodies) => ({ chat: { completions: { create: async (body) => (bodies.push(body), { choices: [{ message: { role: "assistant", content: null, ...answers.shift() } }] }) } } }),
    calls: (calls) => ({ tool_calls: calls.map(([id, name, args = "{}"]) => ({ id, type: "function", function: { name, arguments: args } })) }),
    says: (content) => ({ content }),
    outputs: (list) => list.filter(({ role }) => role === "tool").map(({ tool_call_id, content }) => [tool_call_id, content]),
  },
  responses: {
    format: "openai-responses",
    list: "input",
    run: runResponses,
    client: (answers, bodies) => ({ responses: { create: async (body) => (bodies.push(body), { status: "completed", output: answers.shift() }) } }),
    calls: (calls) => calls.map(([call_id, name, args = "{}"]) => ({ type: "function_call", call_id, name, arguments: args })),
    says: (text) => [{ type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text, annotations: [] }] }],
    outputs: (list) => list.filter(({ type }) => type === "function_call_output").map(({ call_id, output }) => [call_id, output]),
  },
};
const INTERRUPTED = "[no output yet: the call was interrupted]";

for (const [name, { format, list, run, client, calls, says, outputs }] of Object.entries(APIS)) {
  /** Runs with these answers of the model; returns the result and the requests. */
  async function go(content, answers, options) {
    const bodies = [];
    const result = await run(client(answers, bodies), { model: "m", [list]: content === null ? [] : [{ role: "user", content }] }, { contextWindow: 32_000, strict: true, ...options });
    return { result, bodies };
  }

  describe(name, () => {
    test("an aborted run ends although a tool ignores its signal, and keeps what the others returned", async () => {
      const saved = { store: memoryJournals(), key: "k" };
      const controller = new AbortController();
      const ran = [];
      const execute = {
        build: () => (ran.push("build"), "built"),
        hang: () => (ran.push("hang"), controller.abort(new Error("enough")), new Promise(() => {})),
      };
      await assert.rejects(go("go", [calls([["a", "build"], ["b", "hang"]])], { ...saved, execute, signal: controller.signal }), /enough/);

      const again = { ...execute, hang: () => (ran.push("hang again"), "hung") };
      const { result, bodies } = await go(null, [says("done")], { ...saved, execute: again });
      assert.deepEqual(ran, ["build", "hang", "hang again"], "only what had not ended is run again");
      assert.deepEqual(outputs(bodies[0][list]), [["a", "built"], ["b", "hung"]]);
      assert.deepEqual(outputs(result[list]), outputs(bodies[0][list]));
    });

    test("with a new message, interrupted calls have an output in the list that is returned", async () => {
      const saved = { store: memoryJournals(), key: "k" };
      const controller = new AbortController();
      const stop = () => {
        controller.abort();
        throw new Error("stopped");
      };
      await assert.rejects(go("go", [calls([["a", "build"], ["b", "stop"], ["c", "stop"]])], { ...saved, execute: { build: () => "built", stop }, signal: controller.signal }), { name: "AbortError" });
      const { result, bodies } = await go("stop that", [says("fine")], { ...saved, execute: {} });
      for (const sent of [bodies[0][list], result[list]]) {
        assert.deepEqual(check(format, sent), []);
        assert.deepEqual(outputs(sent), [["a", "built"], ["b", INTERRUPTED], ["c", INTERRUPTED]]);
      }
      const next = await go("and now?", [says("good")], { ...saved, execute: {} });
      assert.deepEqual(check(format, next.result[list]), []);
    });

    test("an aborted run without a session of its own ends, too", async () => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(new Error("enough")), 5);
      await assert.rejects(go("go", [calls([["a", "hang"]])], { execute: { hang: () => new Promise(() => {}) }, signal: controller.signal }), /enough/);
    });

    test("calls of the last answer that are left to the caller stay open", async () => {
      const { result } = await go("go", [calls([["a", "build"]])], { execute: { build: () => "built" }, maxSteps: 1 });
      assert.deepEqual(outputs(result[list]), [["a", "built"]]);
    });

    test("the model is told which arguments are not JSON", async () => {
      const long = `{"text": "${"x".repeat(1_000)}`;
      const { bodies } = await go("go", [calls([["a", "build", "{bad"], ["b", "build", long]]), says("done")], { execute: { build: () => "built" } });
      const [[, short], [, cut]] = outputs(bodies[1][list]);
      assert.match(short, /^Error: the arguments of this call are not JSON \(.+\): \{bad$/s);
      assert.ok(cut.includes(`: {"text": "xxx`) && cut.includes("x … x") && cut.length < 400, cut);
    });
  });
}

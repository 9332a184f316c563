// `contextfold/openai-agents` with the real SDK and its scripted model.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Agent, MemorySession, OpenAIResponsesModel, run, setTracingDisabled, tool } from "@openai/agents";
import { ScriptedModel, assistantMessage, functionCall } from "@openai/agents/testing";
import { Session, check, countTokens } from "contextfold";
import { fittingFetch } from "contextfold/openai";
import { callModelInputFilter, foldingSession } from "contextfold/openai-agents";
import { scriptedSummarize } from "contextfold/testing";
import OpenAI from "openai";
import { agentItems } from "../../pkg/integrations/shared/agent-items.js";
import { provider } from "./support/provider.mjs";
import { ANSWER, CALLS, OPTIONS, TASK, WINDOW, assertKept, outputOf, warnings } from "./support/work.mjs";

setTracingDisabled(true);
const STRICT = { ...OPTIONS, strict: true };
const parameters = { type: "object", properties: { n: { type: "number" } }, required: ["n"], additionalProperties: false };
const build = tool({ name: "build", description: "Builds.", parameters, strict: false, execute: async ({ n }) => outputOf(n) });

/** A model that calls the tool with these numbers, one after the other, and then answers. */
const script = (from = 0, to = CALLS) => [...Array.from({ length: to - from }, (_, i) => [functionCall("build", { n: from + i }, { callId: `call_${from + i}`, id: `fc_${from + i}` })]), [assistantMessage(ANSWER, { id: `msg_${to}` })]];
const agentOf = (model) => new Agent({ name: "builder", instructions: "You build.", model, tools: [build] });
const inputs = (model) => model.calls.map(({ request }) => request.input);

/** Their items as the Responses API receives them, checked against its rules. */
function assertFits(items, limit = WINDOW) {
  const mirror = agentItems();
  const body = { instructions: "You build.", input: typeof items === "string" ? [{ role: "user", content: items }] : items.map((item) => mirror.toEngine(item)) };
  assert.deepEqual(check("openai-responses", body).filter(({ severity }) => severity === "error"), []);
  const tokens = countTokens(body);
  assert.ok(tokens <= limit, `${tokens} tokens are more than ${limit}`);
  return tokens;
}

/** The body of the SDK's next request. */
async function requestOf(session) {
  const bodies = [];
  const fetch = async (_, { body }) => {
    bodies.push(JSON.parse(body));
    const output = [{ id: "msg", type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "ok", annotations: [] }] }];
    return new Response(JSON.stringify({ id: "r", object: "response", created_at: 0, status: "completed", model: "m", output, usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } }), { headers: { "content-type": "application/json" } });
  };
  const model = new OpenAIResponsesModel(new OpenAI({ apiKey: "none", fetch }), "gpt-5");
  await run(agentOf(model), TASK, { session, callModelInputFilter: session.callModelInputFilter });
  return bodies[0];
}

const text = (output) => (typeof output === "string" ? output : output.text);

function assertWhole(items, calls = CALLS) {
  const results = items.filter(({ type }) => type === "function_call_result");
  assert.equal(results.length, calls);
  for (const { callId, output } of results) assert.equal(text(output), outputOf(Number(callId.slice(5))));
}

describe("@openai/agents 0.20", () => {
  test("without it, the window is exceeded", async () => {
    const model = new ScriptedModel(script());
    await run(agentOf(model), TASK, { maxTurns: CALLS + 5 });
    assert.throws(() => inputs(model).forEach((items) => assertFits(items)), /tokens are more than/);
  });

  test("the filter: each request fits and is valid; the SDK's own session stores everything", async () => {
    const model = new ScriptedModel(script());
    const session = new MemorySession();
    await run(agentOf(model), TASK, { session, maxTurns: CALLS + 5, callModelInputFilter: callModelInputFilter(STRICT) });
    assert.equal(model.calls.length, CALLS + 1);
    for (const [n, items] of inputs(model).entries()) {
      assertFits(items);
      assert.equal(items.length, 1 + 2 * n, "no item leaves its place");
      assert.equal(items[0].content, TASK);
    }
    const last = inputs(model).at(-1);
    assert.equal(text(last.at(-1).output), outputOf(CALLS - 1), "the newest output is whole");
    assert.match(text(last[2].output), /^\[tool output trimmed: \w+.*, \d+ tokens\]$/, "no ref, for this agent has no tool that opens one");
    const stored = await session.getItems();
    assertWhole(stored);
    assert.equal(stored[0].content, TASK);
  });

  test("the filter: several calls at once are each cut", async () => {
    const input = [{ type: "message", role: "user", content: TASK }, ...Array.from({ length: CALLS }, (_, n) => [
      { type: "function_call", callId: `call_${n}`, name: "build", arguments: JSON.stringify({ n }), status: "completed" },
      { type: "function_call_result", callId: `call_${n}`, name: "build", status: "completed", output: { type: "text", text: outputOf(n) } },
    ]).flat()];
    const filter = callModelInputFilter(STRICT);
    const filtered = await Promise.all([1, 2, 3].map(() => filter({ modelData: { input }, agent: { tools: [build] } })));
    for (const { input: out } of filtered) assertFits(out);
  });

  test("the filter: if calls have the same id, each keeps its own output", async () => {
    const input = Array.from({ length: CALLS }, (_, n) => [
      { type: "function_call", callId: "call_0", name: "build", arguments: JSON.stringify({ n }), status: "completed" },
      { type: "function_call_result", callId: "call_0", name: "build", status: "completed", output: { type: "text", text: outputOf(n) } },
    ]).flat();
    const { input: out } = await callModelInputFilter(STRICT)({ modelData: { input: [{ type: "message", role: "user", content: TASK }, ...input] }, agent: { tools: [build] } });
    const outputs = out.filter(({ type }) => type === "function_call_result").map(({ output }) => text(output));
    assert.equal(outputs.length, CALLS);
    assert.ok(!outputs[0].includes("src/file") || outputs[0].includes("src/file0"));
    assert.deepEqual(outputs.slice(-2), [outputOf(CALLS - 2), outputOf(CALLS - 1)]);
  });

  test("the filter: if the calls alone are too long, it says that the request does not fit", async () => {
    const errors = [];
    const calls = Array.from({ length: 12 }, (_, n) => [functionCall("build", { n, why: "the module changed ".repeat(300) }, { callId: `call_${n}`, id: `fc_${n}` })]);
    const runWith = (options) => run(agentOf(new ScriptedModel([...calls, [assistantMessage(ANSWER, { id: "msg" })]])), TASK, { maxTurns: 20, callModelInputFilter: callModelInputFilter({ ...OPTIONS, ...options }) });
    const { finalOutput } = await runWith({ onError: (error) => errors.push(error) });
    assert.equal(finalOutput, ANSWER);
    assert.ok(errors.length > 0);
    for (const { code, message } of errors) {
      assert.equal(code, "CONTEXT_WINDOW_EXCEEDED");
      assert.match(message, /fittingFetch/);
    }
    await assert.rejects(runWith({ strict: true }), { code: "CONTEXT_WINDOW_EXCEEDED" });
  });

  test("the filter: if its view leaves messages out, it says that the request does not fit", async () => {
    const words = "The parser of this part reads its input, and it took long to write. ";
    const turn = (n) => [
      { type: "message", role: "user", content: `Question ${n}? ${words.repeat(5)}` },
      { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: `Answer ${n}. ${words.repeat(5)}` }] },
    ];
    const input = [...Array.from({ length: 40 }, (_, n) => turn(n)).flat(), { type: "message", role: "user", content: `Newest: ${words.repeat(60)}` }];
    const errors = [];
    const filter = callModelInputFilter({ contextWindow: 4_000, onError: ({ code }) => errors.push(code) });
    const filtered = await filter({ modelData: { input }, agent: { tools: [] } });
    assert.deepEqual(filtered.input, input);
    assert.deepEqual(errors, ["CONTEXT_WINDOW_EXCEEDED"]);
  });

  test("a session and its filter over several runs: it folds between them and stores everything", async () => {
    const session = foldingSession(STRICT);
    let from = 0;
    const sizes = [];
    for (let turn = 0; turn < 5; turn++) {
      const model = new ScriptedModel(script(from, from + 25));
      const result = await run(agentOf(model), `${TASK} Part ${turn}.`, { session, maxTurns: 30, callModelInputFilter: session.callModelInputFilter });
      assert.equal(result.finalOutput, ANSWER);
      for (const items of inputs(model)) sizes.push(assertFits(items));
      from += 25;
    }
    assert.equal(sizes.length, 130);
    const all = await session.allItems();
    assertWhole(all, 125);
    assert.equal(all.filter(({ role }) => role === "user").length, 5);
    assert.equal(all.filter(({ role }) => role === "assistant").length, 5);
    assert.deepEqual(all.filter(({ role }) => role === "user").map(({ content }) => content), [0, 1, 2, 3, 4].map((n) => `${TASK} Part ${n}.`));
    const seen = await session.getItems();
    assert.ok(seen.length < all.length / 2, "older turns are folded");
    assert.match(JSON.stringify(seen[0]), /Never edit src\/generated/);
    assert.ok(session.context.folds().length > 0);
    assert.match(session.context.search("src/file3.rs:5:")[0].excerpt, /E0303/);
  });

  test("streaming, with an SDK store", async () => {
    const store = new MemorySession({ sessionId: "mine" });
    const session = foldingSession({ ...STRICT, store });
    assert.equal(await session.getSessionId(), "mine");
    for (let turn = 0; turn < 3; turn++) {
      const model = new ScriptedModel(script(turn * 15, turn * 15 + 15));
      const result = await run(agentOf(model), `${TASK} ${turn}`, { session, stream: true, maxTurns: 20, callModelInputFilter: session.callModelInputFilter });
      await result.completed;
      inputs(model).forEach((items) => assertFits(items));
    }
    assertWhole(await store.getItems(), 45);
  });

  test("the caller's own session, compacted explicitly", async () => {
    const own = new Session({ contextWindow: 100_000 });
    const session = foldingSession({ session: own, strict: true });
    for (let turn = 0; turn < 2; turn++) await run(agentOf(new ScriptedModel(script(turn * 15, turn * 15 + 15))), TASK, { session, maxTurns: 20 });
    assert.equal(own.folds().length, 0);
    assert.equal(await session.runCompaction({ force: true }), null);
    assert.equal(own.folds().length, 1);
    assert.equal(session.context, own);
    assertWhole(await session.allItems(), 30);
    assert.ok((await session.getItems()).length < 62);
  });

  test("a call that an aborted run left without an output: later runs still fit, and the stored items stay as they are", async () => {
    const store = new MemorySession();
    const session = foldingSession({ ...STRICT, store });
    const aborted = [{ type: "message", role: "user", content: TASK }, { type: "function_call", callId: "call_x", name: "build", arguments: '{"n":1}', status: "completed" }];
    await store.addItems(aborted);
    for (let turn = 0; turn < 3; turn++) {
      const model = new ScriptedModel(script(turn * 15, turn * 15 + 15));
      const result = await run(agentOf(model), `${TASK} ${turn}`, { session, maxTurns: 20, callModelInputFilter: session.callModelInputFilter });
      assert.equal(result.finalOutput, ANSWER);
      inputs(model).forEach((items) => assertFits(items));
      if (turn > 0) continue;
      const { callId, ...output } = (await session.getItems()).find(({ callId, type }) => callId === "call_x" && type === "function_call_result");
      assert.deepEqual([output.name, output.status, typeof output.output.text], ["build", "completed", "string"]);
    }
    const stored = await store.getItems();
    assert.deepEqual(stored.slice(0, 2), aborted);
    assertWhole(stored, 45);
  });

  test("popped items and a cleared session", async () => {
    const session = foldingSession(STRICT);
    await session.addItems([{ type: "message", role: "user", content: "one" }, { type: "message", role: "user", content: "two" }]);
    assert.equal((await session.popItem()).content, "two");
    assert.deepEqual((await session.getItems()).map(({ content }) => content), ["one"]);
    assert.equal((await session.getItems(0)).length, 0);
    await session.clearSession();
    assert.deepEqual(await session.getItems(), []);
  });

  test("a saved session continues in another process, with its fold", async () => {
    const summarize = scriptedSummarize("<summary>The build fails. Never edit src/generated.</summary>");
    const store = new MemorySession();
    const session = foldingSession({ session: new Session({ ...OPTIONS, summarize }), store, strict: true });
    const turn = async (of, from) => {
      const model = new ScriptedModel(script(from, from + 40));
      await run(agentOf(model), `${TASK} Part ${from}.`, { session: of, maxTurns: 50, callModelInputFilter: of.callModelInputFilter });
      for (const items of inputs(model)) assertFits(items);
      return model;
    };
    await turn(session, 0);
    await turn(session, 40);
    await session.runCompaction();
    const saved = session.context.snapshot();
    const asked = summarize.requests.length;
    const again = foldingSession({ session: Session.restore(saved, { summarize }), store, strict: true });
    const items = await again.getItems();
    assert.ok(asked > 0 && summarize.requests.length === asked, `${asked} → ${summarize.requests.length}`);
    assert.ok(items.length < (await again.allItems()).length);
    await turn(again, 80);
    assertWhole(await again.allItems(), 120);
  });

  test("a client with our `fetch`: a run of any length fits, and a refusal is retried with less", async (t) => {
    for (const [window, refusals] of [[Infinity, [0, 0]], [4_000, [1, 3]]]) {
      const server = await provider({ window });
      t.after(() => server.close());
      const client = new OpenAI({ apiKey: "none", baseURL: `${server.url}/v1`, maxRetries: 0, fetch: fittingFetch(STRICT) });
      const session = new MemorySession();
      const result = await run(agentOf(new OpenAIResponsesModel(client, "m")), TASK, { session, maxTurns: CALLS + 5 });
      assert.equal(result.finalOutput, ANSWER);
      assertKept("openai-responses", server.bodies);
      assertWhole(await session.getItems());
      assert.ok(server.refused >= refusals[0] && server.refused <= refusals[1], `${server.refused} refusals`);
    }
  });

  test("history transactions are applied once, or not at all", async () => {
    const session = foldingSession(STRICT);
    const item = (content) => ({ type: "message", role: "user", content });
    const append = { operationId: "a", transaction: { type: "append_items", items: [item("one"), item("two")] } };
    await session.applyHistoryTransaction(append);
    await session.applyHistoryTransaction(structuredClone(append));
    assert.equal((await session.allItems()).length, 2);
    await assert.rejects(session.applyHistoryTransaction({ ...append, transaction: { type: "append_items", items: [] } }), { code: "INVALID_ARGUMENT" });
    await assert.rejects(session.applyHistoryTransaction({ operationId: "b", transaction: { type: "replace_suffix", expectedSuffix: [item("three")], replacement: [] } }), { code: "INVALID_ARGUMENT" });
    await session.applyHistoryTransaction({ operationId: "c", transaction: { type: "replace_suffix", expectedSuffix: [{ content: "two", role: "user", type: "message" }], replacement: [item("second")] } });
    assert.deepEqual((await session.getItems()).map(({ content }) => content), ["one", "second"]);
    await session.replaceHistoryWithCompaction([{ type: "compaction", encrypted_content: "gAAA" }, item("on")]);
    assert.deepEqual((await session.getItems()).map(({ type }) => type), ["compaction", "message"]);
  });

  test("items of every kind come out as they went in", async () => {
    const items = [
      { type: "message", role: "user", content: [{ type: "input_text", text: "look" }, { type: "input_image", image: "data:image/png;base64,iVBORw0KGgo=" }, { type: "input_file", file: { id: "file_1" } }] },
      { type: "reasoning", id: "rs_1", content: [{ type: "input_text", text: "hm" }], providerData: { encrypted_content: "gA" } },
      { type: "function_call", id: "fc_1", callId: "a", name: "f", arguments: "{}", status: "completed" },
      { type: "function_call_result", callId: "a", name: "f", status: "completed", output: { type: "text", text: "1" } },
      { type: "function_call", callId: "b", name: "f", arguments: "{}", status: "completed" },
      { type: "function_call_result", callId: "b", name: "f", status: "completed", output: [{ type: "input_text", text: "1" }, { type: "input_image", image: "https://a.b/c.png" }] },
      { type: "hosted_tool_call", id: "ws_1", name: "web_search_call", status: "completed", providerData: { type: "web_search_call" } },
      { type: "shell_call", callId: "s", action: { commands: ["ls"] } },
      { type: "shell_call_output", callId: "s", output: [{ stdout: "x", stderr: "", outcome: { type: "exit", exitCode: 0 } }] },
      { type: "message", role: "assistant", status: "completed", id: "m_1", content: [{ type: "output_text", text: "done" }] },
      { type: "message", role: "system", content: "mind this" },
    ];
    const session = foldingSession(STRICT);
    await session.addItems(items);
    assert.deepEqual(await session.getItems(), items);
  });

  test("a step with reasoning that was cut is a valid request of the SDK, and keeps the ids that belong together", async () => {
    const words = "some words about the build and its modules ".repeat(60);
    const session = foldingSession({ contextWindow: 12_000, strict: true });
    for (let n = 0; n < 12; n++)
      await session.addItems([
        { type: "message", role: "user", content: `question ${n}` },
        { type: "reasoning", id: `rs_${n}`, content: [{ type: "input_text", text: "hm" }], providerData: { encrypted_content: "gA" } },
        { type: "message", role: "assistant", id: `msg_${n}`, status: "completed", content: [{ type: "output_text", text: words }], providerData: { phase: "commentary" } },
        { type: "function_call", callId: `call_${n}`, id: `fc_${n}`, name: "build", status: "completed", arguments: JSON.stringify({ words }) },
        { type: "function_call_result", callId: `call_${n}`, name: "build", status: "completed", output: { type: "text", text: words } },
        { type: "message", role: "assistant", id: `msg_${n}_end`, status: "completed", content: [{ type: "output_text", text: `answer ${n}` }] },
      ]);
    const body = await requestOf(session);
    assert.deepEqual(check("openai-responses", body).filter(({ severity }) => severity === "error"), []);
    assert.ok(countTokens(body) <= 12_000);
    const { input } = body;
    const at = input.findIndex(({ type }, i) => type === "reasoning" && input[i + 1].content[0].text.length < words.length);
    assert.ok(at >= 0, "a step with reasoning was cut");
    const n = input[at].id.slice(3);
    assert.deepEqual(input[at], { type: "reasoning", id: `rs_${n}`, summary: [{ type: "summary_text", text: "hm" }], encrypted_content: "gA" });
    assert.deepEqual([input[at + 1].id, input[at + 1].phase, input[at + 2].id], [`msg_${n}`, "commentary", `fc_${n}`]);
  });

  test("outputs of shells, screens, patches and tool searches are valid requests, also if they are cut or missing", async () => {
    const lines = "a line of the log of the build\n".repeat(100);
    const screen = { type: "computer_screenshot", data: "data:image/png;base64,iVBORw0KGgo=" };
    const calls = (n) => [
      { type: "shell_call", id: `sh_${n}`, callId: `shell_${n}`, status: "completed", action: { commands: ["make"] } },
      { type: "apply_patch_call", id: `apc_${n}`, callId: `patch_${n}`, status: "completed", operation: { type: "delete_file", path: "a" } },
      { type: "computer_call", id: `cu_${n}`, callId: `screen_${n}`, status: "completed", action: { type: "screenshot" }, providerData: { pending_safety_checks: [{ id: `check_${n}` }] } },
      { type: "tool_search_call", id: `tsc_${n}`, callId: `search_${n}`, execution: "client", status: "completed", arguments: { q: "build" } },
    ];
    const outputs = (n) => [
      { type: "shell_call_output", callId: `shell_${n}`, output: [{ stdout: lines, stderr: lines, outcome: { type: "exit", exitCode: 2 } }] },
      { type: "apply_patch_call_output", callId: `patch_${n}`, status: "failed", output: lines },
      { type: "computer_call_result", callId: `screen_${n}`, output: screen },
      { type: "tool_search_output", id: `tso_${n}`, callId: `search_${n}`, execution: "client", status: "completed", tools: [{ type: "function", name: `found_${n}` }] },
    ];
    const turn = (n) => [{ type: "message", role: "user", content: `question ${n}` }, ...calls(n), ...outputs(n), { type: "message", role: "assistant", id: `msg_${n}`, status: "completed", content: [{ type: "output_text", text: `answer ${n}` }] }];
    const turns = Array.from({ length: 6 }, (_, n) => turn(n)).flat();
    for (const more of [{}, { ladder: [{ pass: "trim_tool_outputs", budgetTokens: 1 }] }]) {
      const session = foldingSession({ contextWindow: 6_000, strict: true, ...more });
      await session.addItems(turns);
      if (!more.ladder) await session.addItems([{ type: "message", role: "user", content: "again" }, ...calls("aborted"), { type: "message", role: "user", content: "and now?" }]);
      const body = await requestOf(session);
      assert.deepEqual(check("openai-responses", body).filter(({ severity }) => severity === "error"), []);
      const of = (type) => body.input.filter((item) => item.type === type);
      const shells = of("shell_call_output");
      assert.ok(shells.some(({ output }) => output[0].stdout.length < lines.length), "an output was cut");
      assert.ok(more.ladder || shells.some(({ output }) => output[0].outcome.exit_code === 2), "a cut output keeps its outcome");
      assert.ok(of("computer_call_output").every(({ output }) => output.image_url.startsWith("data:image/png;base64,")));
      assert.ok(of("apply_patch_call_output").every(({ status, output }) => ["completed", "failed"].includes(status) && output.length <= lines.length));
      const missing = body.input.filter(({ type, call_id }) => type?.endsWith("_output") && call_id?.endsWith("aborted")).map(({ type }) => type);
      if (!more.ladder) assert.deepEqual(missing.sort(), ["apply_patch_call_output", "computer_call_output", "function_call_output", "shell_call_output"]);
    }
  });

  test("an internal failure leaves the run alone, and is reported once", async () => {
    const model = new ScriptedModel(script());
    const options = { contextWindow: 200_000, tokenizer: () => NaN };
    const session = foldingSession(options);
    const { said } = await warnings(async () => {
      await run(agentOf(model), TASK, { session, maxTurns: CALLS + 5, callModelInputFilter: session.callModelInputFilter });
      await session.getItems();
    });
    assert.equal(said.length, 2, "by the session, and by the filter");
    assertWhole(inputs(model).at(-1));
    assertWhole(await session.allItems());
  });

  test("strict: an internal failure fails the run", async () => {
    const failing = run(agentOf(new ScriptedModel(script())), TASK, { maxTurns: 5, callModelInputFilter: callModelInputFilter({ ...STRICT, tokenizer: () => NaN }) });
    await assert.rejects(failing);
  });

  test("wrong options are refused at once", () => {
    assert.throws(() => foldingSession({ contextWindows: 1 }), { code: "INVALID_CONFIG" });
    assert.throws(() => foldingSession({ ...OPTIONS, sesionId: "a" }), { code: "INVALID_CONFIG", message: /did you mean `sessionId`/ });
    assert.throws(() => callModelInputFilter({ ...OPTIONS, outputRatoi: 0.5 }), { code: "INVALID_CONFIG", message: /did you mean `outputRatio`/ });
    assert.throws(() => callModelInputFilter({ model: "no-such-model" }), { code: "UNKNOWN_MODEL" });
    assert.throws(() => callModelInputFilter({ ...OPTIONS, outputRatio: 2 }), { code: "INVALID_CONFIG" });
  });
});

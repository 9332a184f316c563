// `contextfold/tools`: the SDKs accept the tools and run them, and a model can read what its view has left out.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { Agent, run as runAgent } from "@openai/agents";
import { ScriptedModel, assistantMessage, functionCall } from "@openai/agents/testing";
import * as ai6 from "ai-6";
import * as kit6 from "ai-6/test";
import OpenAI from "openai";
import { Session } from "contextfold";
import { runResponses } from "contextfold/openai";
import { aiSdkTools, anthropicTools, openaiAgentsTools, openaiRunnableTools, openaiTools, runTool } from "contextfold/tools";
import { agentTranscript } from "contextfold/testing";
import { scriptServer } from "./support/script-server.mjs";

const CALLS = [
  ["tool_output_cache", { ref_id: "out_3", offset: 1, limit: 2 }, /^.*2.*src\/file3\.ts:2:/m],
  ["tool_output_cache_grep", { ref_id: "out_3", pattern: "file3.ts:7:" }, /value_3_7/],
  ["search_history", { query: "value_5_2 " }, /src\/file5\.ts:2/],
  ["tool_output_cache", { ref_id: "out_999" }, /^Error: .*out_999/],
  ["tool_output_cache_grep", { ref_id: "out_3", pattern: "(" }, /^Error: /],
  ["search_history", { query: "never said" }, /nothing found/],
];

async function folded() {
  const session = new Session({ contextWindow: 4_000 });
  session.push(agentTranscript());
  await session.prepare();
  assert.ok(session.folds().length > 0);
  return session;
}

function assertAnswers(answers) {
  assert.equal(answers.length, CALLS.length);
  for (const [n, answer] of answers.entries()) assert.match(answer, CALLS[n][2]);
}

describe("the tools", () => {
  let session;
  before(async () => (session = await folded()));

  test("on their own", async () => {
    assertAnswers(await Promise.all(CALLS.map(([name, args]) => runTool(() => session, name, args))));
    await assert.rejects(runTool(session, "toString", {}), { code: "INVALID_ARGUMENT" });
    assertAnswers(await Promise.all(CALLS.map(([name, args]) => runTool(session, name, JSON.stringify(args)))));
    for (const none of ["{", "[]", "7", 7, ["query"], '"query"']) assert.ok((await runTool(session, "search_history", none)).startsWith(`Error: the arguments are no JSON object: ${typeof none === "object" ? JSON.stringify(none) : none}`));
    for (const empty of [undefined, null, "", {}, "{}", { query: 5 }]) assert.match(await runTool(session, "search_history", empty), /^Error: `query`: say what/);
  });

  test("creating them tells the session that its model can open refs, besides the tools it already has", async () => {
    const makers = [aiSdkTools, openaiTools, openaiRunnableTools, anthropicTools, openaiAgentsTools];
    for (const make of makers) {
      const fresh = new Session({ contextWindow: 4_000 });
      const own = { type: "function", function: { name: "read", parameters: {} } };
      fresh.setTools("openai-chat", [own]);
      make(fresh);
      make(fresh);
      assert.deepEqual(fresh.tools.map((tool) => tool.function.name), ["read", "tool_output_cache", "tool_output_cache_grep", "search_history"], make.name);
      fresh.push(agentTranscript("messages", { tokens: 800 })); // large outputs are named
      await fresh.prepare();
      assert.match(JSON.stringify(fresh.view("messages").map(({ content }) => content)), /out_\d/, make.name);
      make(() => fresh); // one added later
    }
    assert.doesNotMatch(JSON.stringify(session.view("messages").map(({ content }) => content)), /out_\d/);
  });

  const majors = [["ai 6", ai6, kit6, kit6.MockLanguageModelV3]];
  test("ai 6 and 7", async () => {
    if (Number(process.versions.node.split(".")[0]) >= 22) {
      const kit = await import("ai/test");
      majors.push(["ai 7", await import("ai"), kit, kit.MockLanguageModelV4]);
    }
    for (const [, ai, , Model] of majors) {
      let n = 0;
      const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
      const model = new Model({
        doGenerate: async () =>
          n < CALLS.length
            ? { content: [{ type: "tool-call", toolCallId: `c${n}`, toolName: CALLS[n][0], input: JSON.stringify(CALLS[n++][1]) }], finishReason: { unified: "tool-calls" }, usage, warnings: [] }
            : { content: [{ type: "text", text: "done" }], finishReason: { unified: "stop" }, usage, warnings: [] },
      });
      const { steps } = await ai.generateText({ model, tools: aiSdkTools(session), prompt: "go", stopWhen: ai.stepCountIs(20) });
      assertAnswers(steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output)));
      const [{ inputSchema }] = model.doGenerateCalls[0].tools;
      assert.deepEqual(inputSchema.required, ["ref_id"]);
    }
  });

  test("openai: Responses, and runTools", async (t) => {
    const server = await scriptServer(t, CALLS);
    const client = new OpenAI({ apiKey: "none", baseURL: `${server.url}/v1`, maxRetries: 0, timeout: 10_000 });
    const { tools, execute } = openaiTools(session);
    const { input } = await runResponses(client, { model: "m", input: "go", tools }, { contextWindow: 100_000, execute });
    assertAnswers(input.filter(({ type }) => type === "function_call_output").map(({ output }) => output));
    server.again();
    const runner = client.chat.completions.runTools({ model: "m", messages: [{ role: "user", content: "go" }], tools: openaiRunnableTools(session) }, { maxChatCompletions: 20 });
    await runner.finalContent();
    assertAnswers(runner.messages.filter(({ role }) => role === "tool").map(({ content }) => content));
    assert.equal(openaiTools(session, "chat").tools[0].function.name, "tool_output_cache");
  });

  test("@anthropic-ai/sdk", async (t) => {
    const server = await scriptServer(t, CALLS);
    const client = new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0, timeout: 10_000 });
    const runner = client.beta.messages.toolRunner({ model: "m", max_tokens: 100, messages: [{ role: "user", content: "go" }], tools: anthropicTools(session), thread: false });
    await runner;
    const results = runner.params.messages.flatMap(({ content }) => (Array.isArray(content) ? content.filter(({ type }) => type === "tool_result") : []));
    assertAnswers(results.map(({ content }) => (typeof content === "string" ? content : content[0].text)));
    assert.ok(server.bodies[0].tools.every((tool) => !("run" in tool) && tool.input_schema));
  });

  test("@openai/agents", async () => {
    const model = new ScriptedModel([...CALLS.map(([name, args], n) => [functionCall(name, args, { callId: `c${n}` })]), [assistantMessage("done")]]);
    const agent = new Agent({ name: "a", model, tools: openaiAgentsTools(session) });
    const result = await runAgent(agent, "go", { maxTurns: 20 });
    const text = (output) => (typeof output === "string" ? output : (output.text ?? output[0].text));
    assertAnswers(result.history.filter(({ type }) => type === "function_call_result").map(({ output }) => text(output)));
  });
});

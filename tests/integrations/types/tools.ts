// Compiled, not run: the tools in each SDK's own types, and the testing helpers.

import Anthropic from "@anthropic-ai/sdk";
import { Agent } from "@openai/agents";
import { type LanguageModel, type ToolSet, generateText } from "ai";
import * as six from "ai-6";
import OpenAI from "openai";
import { Session, type Summarize } from "contextfold";
import { runResponses } from "contextfold/openai";
import { agentTranscript, assertSendable, recordEvents, recordHooks, scriptedSummarize } from "contextfold/testing";
import { aiSdkTools, anthropicTools, openaiAgentsTools, openaiRunnableTools, openaiTools, runTool } from "contextfold/tools";

declare const model: LanguageModel;
const session = new Session({ contextWindow: 128_000 });
const tools: ToolSet = aiSdkTools(session);
const tools6: six.ToolSet = aiSdkTools(() => session);
await generateText({ model, tools: { ...tools }, prompt: "go" });
console.log(tools6);

const openai = new OpenAI();
await runResponses(openai, { model: "gpt-5", input: "go", tools: openaiTools(session).tools }, { session, execute: openaiTools(session).execute });
openai.chat.completions.runTools({ model: "gpt-5", messages: [], tools: openaiRunnableTools(session) });
await openai.chat.completions.create({ model: "gpt-5", messages: [], tools: openaiTools(session, "chat").tools });
await new Anthropic().beta.messages.toolRunner({ model: "claude-opus-4-5", max_tokens: 100, messages: [], tools: anthropicTools(session), thread: false });
export const agent = new Agent({ name: "a", tools: openaiAgentsTools(session) });

const text: string = await runTool(session, "search_history", { query: "E0308" });
declare const called: { function: { name: string; arguments: string } };
await runTool(session, called.function.name, called.function.arguments);
// @ts-expect-error arguments are an object or its JSON
runTool(session, "search_history", 7);
console.log(text);

const summarize: Summarize & { requests: readonly object[] } = scriptedSummarize("<summary>x</summary>", new Error("no"));
const names: string[] = recordEvents(session).names();
const hooks = recordHooks();
const tokens: number = assertSendable("anthropic", agentTranscript("anthropic", { calls: 3 }), { limit: 5_000 });
console.log(new Session({ contextWindow: 1000, summarize }), names, hooks.passes(), tokens);

import { McpServer } from "@modelcontextprotocol/server";
import { registerMcpTools } from "contextfold/tools";

registerMcpTools(new McpServer({ name: "a", version: "1.0.0" }), async () => session);
// @ts-expect-error no server
registerMcpTools({ registerTool: 1 }, session);
// @ts-expect-error a schema is not just any value
openaiTools(session).tools[0]?.parameters.properties.pattern.toFixed();

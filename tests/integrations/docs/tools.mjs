import { jsonSchema, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";

const usage = { inputTokens: { total: 10 }, outputTokens: { total: 5 } };
let n = 0;
const answer = (text) => ({ content: [{ type: "text", text }], finishReason: { unified: "stop" }, usage, warnings: [] });
export const model = new MockLanguageModelV4({
  doGenerate: async () => (n++ < 5 ? { content: [{ type: "tool-call", toolCallId: `c${n}`, toolName: "build", input: "{}" }], finishReason: { unified: "tool-calls" }, usage, warnings: [] } : answer("It is E0308.")),
});
export const smallModel = new MockLanguageModelV4({ doGenerate: async () => answer("<summary>The build fails.</summary>") });
export const tools = { build: tool({ inputSchema: jsonSchema({ type: "object", properties: {} }), execute: async () => "error[E0308]: mismatched types" }) };

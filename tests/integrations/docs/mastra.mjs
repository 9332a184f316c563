import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { Memory } from "@mastra/memory";
import { z } from "zod";

const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 };
let n = 0;
export const model = {
  specificationVersion: "v2",
  provider: "local",
  modelId: "m",
  supportedUrls: {},
  doGenerate: async () =>
    n++ < 5
      ? { content: [{ type: "tool-call", toolCallId: `c${n}`, toolName: "build", input: "{}" }], finishReason: "tool-calls", usage, warnings: [] }
      : { content: [{ type: "text", text: "It is E0308." }], finishReason: "stop", usage, warnings: [] },
};
export const tools = { build: createTool({ id: "build", description: "Builds.", inputSchema: z.object({}), execute: async () => "error[E0308]: mismatched types" }) };
export const memory = new Memory({ storage: new InMemoryStore(), options: { lastMessages: 1_000 } });

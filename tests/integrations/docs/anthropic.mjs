import Anthropic from "@anthropic-ai/sdk";
import { outputOf } from "../support/work.mjs";

export const client = new Anthropic({ maxRetries: 0, timeout: 10_000 });
export const tools = [{ name: "build", input_schema: { type: "object", properties: { n: { type: "number" } } } }];
export const runnableTools = [{ ...tools[0], parse: (input) => input, run: ({ n }) => outputOf(n) }];
export const messages = [{ role: "user", content: "Why does the build fail?" }];

import Anthropic from "@anthropic-ai/sdk";
import { provider } from "../support/provider.mjs";
import { outputOf } from "../support/work.mjs";

const server = await provider();
server.unref();
export const baseURL = server.url;
export const client = new Anthropic({ apiKey: "none", baseURL, maxRetries: 0, timeout: 10_000 });
export const tools = [{ name: "build", input_schema: { type: "object", properties: { n: { type: "number" } } } }];
export const runnableTools = [{ ...tools[0], parse: (input) => input, run: ({ n }) => outputOf(n) }];
export const messages = [{ role: "user", content: "Why does the build fail?" }];

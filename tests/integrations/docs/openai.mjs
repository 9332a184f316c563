import OpenAI from "openai";
import { provider } from "../support/provider.mjs";
import { outputOf } from "../support/work.mjs";

const server = await provider();
server.unref();
const parameters = { type: "object", properties: { n: { type: "number" } }, required: ["n"], additionalProperties: false };
export const baseURL = `${server.url}/v1`;
export const client = new OpenAI({ apiKey: "none", baseURL, maxRetries: 0, timeout: 10_000 });
export const runBuild = async ({ n }) => outputOf(n);
export const tools = [{ type: "function", name: "build", parameters, strict: true }];
export const runnableTools = [{ type: "function", function: { name: "build", parameters, parse: JSON.parse, function: runBuild } }];

import OpenAI from "openai";
import { outputOf } from "../support/work.mjs";

const parameters = { type: "object", properties: { n: { type: "number" } }, required: ["n"], additionalProperties: false };
export const client = new OpenAI({ maxRetries: 0, timeout: 10_000 });
export const runBuild = async ({ n }) => outputOf(n);
export const tools = [{ type: "function", name: "build", parameters, strict: true }];
export const runnableTools = [{ type: "function", function: { name: "build", parameters, parse: JSON.parse, function: runBuild } }];

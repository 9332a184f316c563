// The proxy of the guide, between the examples' clients and the provider of the tests.

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { CALLS, TASK, outputOf } from "../support/work.mjs";

const CLI = fileURLToPath(new URL("../node_modules/contextfold/pkg/cli/main.js", import.meta.url));

const child = spawn(process.execPath, [CLI, "proxy", "--upstream", process.env.ANTHROPIC_BASE_URL, "--port", "0", "--window", "8k"], { stdio: ["ignore", "pipe", "inherit"] });
process.once("exit", () => child.kill());
const [line] = await new Promise((said) => child.stdout.once("data", (chunk) => said(String(chunk).split("\n"))));
const [, address] = /ANTHROPIC_BASE_URL=(\S+) or/.exec(line);
child.unref();
child.stdout.destroy();
Object.assign(process.env, { ANTHROPIC_BASE_URL: address, OPENAI_BASE_URL: `${address}/v1`, PROXY_URL: address });

export const messages = [
  { role: "user", content: TASK },
  ...Array.from({ length: CALLS }, (_, n) => [
    { role: "assistant", content: [{ type: "tool_use", id: `call_${n}`, name: "build", input: { n } }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `call_${n}`, content: outputOf(n) }] },
  ]).flat(),
];
export const tools = [{ name: "build", input_schema: { type: "object", properties: { n: { type: "number" } } } }];

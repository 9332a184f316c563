// Compiled, not run: what a user of the Claude Agent SDK writes.

import { type Options, query } from "@anthropic-ai/claude-agent-sdk";
import { compactionHooks } from "contextfold/claude-agent";
import { startProxy } from "contextfold/proxy";

export async function run(): Promise<void> {
  await using proxy = await startProxy({ upstream: "https://api.anthropic.com" });
  const options: Options = { env: { ...process.env, ...proxy.env }, hooks: compactionHooks({ maxTokens: 1_000 }), settings: { autoCompactEnabled: false } };
  for await (const message of query({ prompt: "go", options })) console.log(message.type);
  query({ prompt: "go", options: { hooks: { ...compactionHooks(), Stop: [] } } });
}

// @ts-expect-error no such option
compactionHooks({ maxToken: 5 });

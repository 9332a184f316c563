// Compiled, not run: what a user of the in-process proxy writes.

import { spawn } from "node:child_process";
import { type ProxiedConversation, type RunningProxy, startProxy } from "contextfold/proxy";

export async function run(): Promise<number> {
  const proxy: RunningProxy = await startProxy({ upstream: new URL("https://api.anthropic.com"), contextWindow: 200_000, ladder: "rolling", onError: (error) => console.error(error) });
  spawn("claude", ["-p", "Why does the build fail?"], { env: { ...process.env, ...proxy.env } });
  const newest: ProxiedConversation | undefined = proxy.reports(1).conversations[0];
  await proxy.close();
  await using other = await startProxy({ upstream: "https://api.openai.com", extractive: true, port: 8484 });
  return (newest?.tokens ?? 0) + other.url.length;
}

// @ts-expect-error the upstream is required
await startProxy({});
// @ts-expect-error no such ladder
await startProxy({ upstream: "https://api.openai.com", ladder: "rollin" });

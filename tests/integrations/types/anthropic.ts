// Compiled, not run: what a user of `@anthropic-ai/sdk` writes.

import Anthropic from "@anthropic-ai/sdk";
import { Session } from "contextfold";
import { middleware, toolRunner } from "contextfold/anthropic";

const client = new Anthropic({ middleware: [middleware({ model: "claude-opus-4-5", cacheMarks: 4 })] });
const session = new Session({ contextWindow: 200_000 });
const params = { model: "claude-opus-4-5" as const, max_tokens: 1000, messages: [], tools: [], thread: false as const };

const answer = await toolRunner(client, params, { session });
const text: string[] = answer.content.map((block) => (block.type === "text" ? block.text : ""));
for await (const stream of toolRunner(client, { ...params, stream: true as const }, { session, strict: true })) console.log(await stream.finalMessage(), text);

// @ts-expect-error Anthropic would hold the conversation
toolRunner(client, { ...params, thread: undefined }, { session });

// Inputs and outputs have the SDK's own types.
await client.messages.create({ model: "claude-opus-4-5", max_tokens: 1000, ...session.view("anthropic") });
middleware({
  model: "claude-opus-4-5",
  summarize: async (request, { signal }) => {
    const { content, usage, stop_reason } = await client.messages.create({ max_tokens: request.max_tokens ?? 4000, ...request.as("anthropic"), model: "claude-haiku-4-5" }, signal ? { signal } : {});
    return { text: content.map((block) => (block.type === "text" ? block.text : "")).join(""), usage, finish_reason: stop_reason ?? "end_turn" };
  },
});

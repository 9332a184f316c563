// Hooks know which model a call is for: if it binds its thinking to everything before it, thinking is left out after an edit, also if
// the hook was given a window only.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { prepareStep } from "contextfold/ai-sdk";
import { middleware } from "contextfold/anthropic";
import { fittingStream } from "contextfold/pi";

const WINDOW = { contextWindow: 6_000, strict: true };
const BOUND = "claude-opus-5.5-20260901";
const words = (n) => `text ${n} `.repeat(150);

/** How each SDK writes a step, and one call with a list; `sent` is what reached the model. */
const SDKS = {
  anthropic: {
    first: { role: "user", content: "go" },
    step: (n) => [
      { role: "assistant", content: [{ type: "thinking", thinking: `hm ${n}`, signature: `sig ${n}` }, { type: "text", text: words(n) }, { type: "tool_use", id: `c${n}`, name: "build", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: `c${n}`, content: words(n) }] },
    ],
    open(options, model) {
      const fitting = middleware(options);
      return async (messages) => {
        let sent;
        const next = async ({ body }) => ((sent = JSON.parse(body).messages), new Response("{}"));
        await fitting({ url: "https://api.anthropic.com/v1/messages", method: "POST", headers: new Headers(), body: JSON.stringify({ model, max_tokens: 100, messages }) }, next);
        return sent;
      };
    },
  },
  "ai-sdk": {
    first: { role: "user", content: "go" },
    step: (n) => [
      { role: "assistant", content: [{ type: "reasoning", text: `hm ${n}`, providerOptions: { anthropic: { signature: `sig ${n}` } } }, { type: "text", text: words(n) }, { type: "tool-call", toolCallId: `c${n}`, toolName: "build", input: {} }] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: `c${n}`, toolName: "build", output: { type: "text", value: words(n) } }] },
    ],
    open(options, modelId) {
      const fitting = prepareStep(options);
      return async (messages) => (await fitting({ messages, steps: [], stepNumber: 0, model: { modelId } }))?.messages ?? messages;
    },
  },
  pi: {
    first: { role: "user", content: "go", timestamp: 1 },
    step: (n) => [
      { role: "assistant", api: "anthropic-messages", provider: "anthropic", model: BOUND, stopReason: "toolUse", timestamp: 1, content: [n % 2 ? { type: "thinking", thinking: "", thinkingSignature: `sig ${n}`, redacted: true } : { type: "thinking", thinking: `hm ${n}`, thinkingSignature: `sig ${n}` }, { type: "text", text: words(n) }, { type: "toolCall", id: `c${n}`, name: "build", arguments: {} }] },
      { role: "toolResult", toolCallId: `c${n}`, toolName: "build", content: [{ type: "text", text: words(n) }], isError: false, timestamp: 1 },
    ],
    open(options, id) {
      let sent;
      const answer = { role: "assistant", stopReason: "stop", content: [] };
      const stream = { result: async () => answer, async *[Symbol.asyncIterator]() { yield { type: "done", message: answer }; } };
      const fitting = fittingStream(async (_, { messages }) => ((sent = messages), stream), options);
      return async (messages) => {
        await fitting({ id, contextWindow: 100_000, maxTokens: 1_000 }, { messages });
        return sent;
      };
    },
  },
};

/** A run of 24 steps. Counts the thinking that was sent, and how much of it did not have before it what its model saw. */
async function run({ first, step, open }, options, model) {
  const call = open(options, model);
  const list = [first];
  const seen = new Map(); // what a model saw before it thought, by signature
  const count = { sent: 0, broken: 0, newest: undefined };
  for (let n = 0; n < 24; n++) {
    const sent = await call([...list]);
    sent.forEach((message, at) => {
      const [signature] = /sig \d+/.exec(JSON.stringify(message)) ?? [];
      if (signature === undefined) return;
      count.sent++;
      count.newest = signature;
      if (seen.get(signature) !== JSON.stringify(sent.slice(0, at))) count.broken++;
    });
    seen.set(`sig ${n}`, JSON.stringify(sent));
    list.push(...step(n));
  }
  return count;
}

for (const [name, sdk] of Object.entries(SDKS))
  describe(name, () => {
    test("a model that binds its thinking gets none whose messages before were edited, and keeps the rest", async () => {
      const { sent, broken, newest } = await run(sdk, WINDOW, BOUND);
      assert.equal(broken, 0);
      assert.ok(sent > 10 && newest === "sig 22", `${sent}, ${newest}`);
    });

    test("other models keep it, and so does `boundThinking: \"keep\"`", async () => {
      for (const [options, model] of [[WINDOW, "claude-opus-4-5"], [{ ...WINDOW, boundThinking: "keep" }, BOUND]]) {
        const { broken } = await run(sdk, options, model);
        assert.ok(broken > 0, model);
      }
    });
  });

// Usage objects as providers and SDKs report them (TOK-7): no cached token is counted twice.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Session, tokenUsage } from "contextfold";
import { conversation, failsWith } from "../support/session.mjs";

/** [input, output, cache creation, cache read] and the total they must add up to. */
const SHAPES = {
  "OpenAI Responses": [{ input_tokens: 1000, input_tokens_details: { cached_tokens: 600 }, output_tokens: 50, output_tokens_details: { reasoning_tokens: 20 }, total_tokens: 1050 }, [400, 50, 0, 600]],
  "OpenAI Responses, nothing cached": [{ input_tokens: 10, output_tokens: 5, total_tokens: 15 }, [10, 5, 0, 0]],
  "Chat Completions": [{ prompt_tokens: 1000, completion_tokens: 50, total_tokens: 1050, prompt_tokens_details: { cached_tokens: 600, audio_tokens: 0 }, completion_tokens_details: { reasoning_tokens: 20 } }, [400, 50, 0, 600]],
  "Chat Completions, details null": [{ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, prompt_tokens_details: null }, [10, 5, 0, 0]],
  "Anthropic Messages": [{ input_tokens: 100, cache_creation_input_tokens: 300, cache_read_input_tokens: 600, output_tokens: 50 }, [100, 50, 300, 600]],
  "Anthropic Messages, cache null": [{ input_tokens: 100, cache_creation_input_tokens: null, cache_read_input_tokens: null, output_tokens: 50 }, [100, 50, 0, 0]],
  "AI SDK": [{ inputTokens: 1000, outputTokens: 50, totalTokens: 1050, cachedInputTokens: 600 }, [400, 50, 0, 600]],
  "AI SDK 4": [{ promptTokens: 10, completionTokens: 5, totalTokens: 15 }, [10, 5, 0, 0]],
  ours: [{ input_tokens: 1, output_tokens: 2, cache_creation_tokens: 3, cache_read_tokens: 4, total_tokens: 10 }, [1, 2, 3, 4]],
};

for (const [shape, [usage, [input_tokens, output_tokens, cache_creation_tokens, cache_read_tokens]]] of Object.entries(SHAPES))
  test(`${shape}`, () => {
    const expected = { input_tokens, output_tokens, cache_creation_tokens, cache_read_tokens, total_tokens: input_tokens + output_tokens + cache_creation_tokens + cache_read_tokens };
    assert.deepEqual(tokenUsage(usage), expected);
    assert.deepEqual(tokenUsage({ id: "resp_1", usage }), expected, "the whole response will do");
    assert.deepEqual(tokenUsage(tokenUsage(usage)), expected, "ours is one of the shapes");
    assert.deepEqual(new Session().recordUsage(usage), expected);
    assert.deepEqual(Object.keys(tokenUsage(usage)), ["input_tokens", "output_tokens", "cache_creation_tokens", "cache_read_tokens", "total_tokens"]);
  });

describe("objects that are not usage", () => {
  const cycle = {};
  cycle.input_tokens = cycle;
  const bad = { undefined: undefined, null: null, "a number": 5, "a string": "1000", "an array": [], "an empty object": {}, "other keys": { tokens: 5 }, "a negative number": { input_tokens: -1, output_tokens: 1 }, "a fraction": { input_tokens: 1.5, output_tokens: 1 }, "a string as a number": { input_tokens: "5", output_tokens: 1 }, "a BigInt": { input_tokens: 5n, output_tokens: 1 }, "a cycle": cycle, "too large a number": { input_tokens: 2 ** 60, output_tokens: 0 } };
  for (const [what, usage] of Object.entries(bad))
    test(what, async () => {
      assert.throws(() => tokenUsage(usage), failsWith("INVALID_ARGUMENT"));
      if (usage == null) return; // a session accepts it, see below
      const session = new Session({ contextWindow: 100 });
      assert.throws(() => session.recordUsage(usage), failsWith("INVALID_ARGUMENT"));
      await assert.rejects(async () => session.afterModelCall(usage), failsWith("INVALID_ARGUMENT"));
      assert.equal(session.shouldCompact(), false);
    });
});

test("missing usage records nothing", async () => {
  const session = new Session({ contextWindow: 1000 });
  session.push(conversation(3));
  for (const usage of [undefined, null]) {
    assert.equal(session.recordUsage(usage).total_tokens, 0);
    assert.equal(session.shouldCompact(), true, "counted tokens judge");
  }
  assert.equal((await session.afterModelCall(undefined)).decisions.length, 1);
});

describe("a provider that reports no usage: its SDK's object records nothing", () => {
  const none = { inputTokens: undefined, inputTokenDetails: { noCacheTokens: undefined, cacheReadTokens: undefined }, outputTokens: undefined, outputTokenDetails: { textTokens: undefined }, totalTokens: undefined };
  class Result {
    steps = [{ usage: none }];
    totalUsage = none;
    get usage() {
      return none;
    }
  }
  const nothing = { "AI SDK 6": none, "AI SDK 5": { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined }, "a whole result": new Result(), "a response": { id: "r", usage: none }, nulls: { prompt_tokens: null, completion_tokens: null }, zeros: { input_tokens: 0, output_tokens: 0 } };
  for (const [what, usage] of Object.entries(nothing))
    test(what, async () => {
      const costs = [];
      const session = new Session({ model: "gpt-5", contextWindow: 1000, onCost: (cost) => costs.push(cost) });
      session.push(conversation(3));
      assert.equal(session.recordUsage(usage).total_tokens, 0);
      assert.equal(session.shouldCompact(), true, "counted tokens judge");
      assert.equal((await session.loop().modelCall(() => ({ usage }))).usage, usage);
      await session.afterModelCall(usage);
      assert.deepEqual(costs, []);
    });
  test("but an object of no known shape is refused", () => {
    for (const usage of [{ tokens: undefined }, { inputTokens: undefined, outputTokens: "5" }, () => {}]) assert.throws(() => new Session().recordUsage(usage), failsWith("INVALID_ARGUMENT"));
  });
});

test("the last usage decides, not the sum and not the counted tokens", () => {
  const session = new Session({ contextWindow: 1000 });
  session.push(conversation(3));
  assert.equal(session.shouldCompact(), true, "counted tokens, while no usage is known");
  session.recordUsage({ input_tokens: 700, output_tokens: 99 });
  assert.equal(session.shouldCompact(), false);
  session.recordUsage({ input_tokens: 700, output_tokens: 100 });
  assert.equal(session.shouldCompact(), true);
  session.recordUsage({ input_tokens: 5, output_tokens: 5 });
  assert.equal(session.shouldCompact(), false);
});

test("cached tokens count once toward the threshold", () => {
  const session = new Session({ contextWindow: 1000 });
  session.recordUsage({ input_tokens: 750, input_tokens_details: { cached_tokens: 700 }, output_tokens: 49 });
  assert.equal(session.shouldCompact(), false);
  session.recordUsage({ input_tokens: 50, cache_read_input_tokens: 700, cache_creation_input_tokens: 0, output_tokens: 50 });
  assert.equal(session.shouldCompact(), true);
});

test("a sum over several calls is never treated as one call", () => {
  const session = new Session({ contextWindow: 1000 });
  session.recordUsage({ totalUsage: { inputTokens: 5000, outputTokens: 10 } });
  assert.equal(session.shouldCompact(), false);
  session.recordUsage({ totalUsage: { inputTokens: 5000, outputTokens: 10 }, usage: { inputTokens: 900, outputTokens: 10 } });
  assert.equal(session.shouldCompact(), true, "its last call is");
});

test("loop().modelCall: an answer without usage, or with one of unknown shape, is passed on", async () => {
  const { modelCall } = new Session({ contextWindow: 1000 }).loop();
  for (const answer of [undefined, null, "text", 5, {}, { usage: null }, { usage: { tokens: 5 } }]) assert.equal(await modelCall(() => answer), answer);
});

// `onCost`: the cost of each call, reported when its usage is known.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Session } from "contextfold";
import { failsWith } from "../support/session.mjs";

const prices = { dear: { input: 10, output: 50, cache_read: 1, cache_write: 12.5 }, cheap: { input: 1, output: 2 } };
const models = { dear: { max_input_tokens: 20_000 }, cheap: { max_input_tokens: 20_000 } };
const usage = { input_tokens: 100, cache_read_input_tokens: 800, cache_creation_input_tokens: 100, output_tokens: 10 };
const dollars = (100 * 10 + 800 * 1 + 100 * 12.5 + 10 * 50) / 1e6;

function heard(options = {}) {
  const costs = [];
  const session = new Session({ model: "dear", models, prices, onCost: (cost) => costs.push(cost), ...options });
  return { session, costs };
}

const near = (one, other) => assert.ok(Math.abs(one - other) < 1e-12, `${one} is not ${other}`);

describe("a call of the agent", () => {
  test("costs its tokens at their prices, cache reads and writes included", () => {
    const { session, costs } = heard();
    session.recordUsage(usage);
    assert.equal(costs.length, 1);
    const { dollars: told, ...rest } = costs[0];
    near(told, dollars);
    assert.deepEqual(rest, { cached: 0.8, summary: false, model: "dear", usage: { input_tokens: 100, output_tokens: 10, cache_creation_tokens: 100, cache_read_tokens: 800, total_tokens: 1010 } });
  });

  test("is reported once, however its usage arrived", async () => {
    const { session, costs } = heard();
    session.push({ role: "user", content: "go" });
    await session.afterModelCall(usage);
    await session.loop().modelCall(async () => ({ usage }));
    session.recordUsage(null);
    assert.equal(costs.length, 2);
  });

  test("uses the built-in prices if none are given, and the prices for long prompts", () => {
    const builtIn = heard({ model: "gpt-5", models: undefined, prices: undefined });
    builtIn.session.recordUsage({ input_tokens: 1_000, output_tokens: 0 });
    assert.ok(builtIn.costs[0].dollars > 0);
    const stepped = heard({ prices: { input_cost_per_token: 1, output_cost_per_token: 0, input_cost_per_token_above_200k_tokens: 2 } });
    for (const input_tokens of [200_000, 200_001]) stepped.session.recordUsage({ input_tokens, output_tokens: 0 });
    assert.deepEqual(stepped.costs.map((cost) => cost.dollars), [200_000, 400_002]);
  });

  test("goes on if the callback throws; the callback may use the session", (t) => {
    const said = t.mock.method(console, "error", () => {});
    const { session } = heard({
      onCost: () => {
        session.setOptions({ model: "cheap" });
        throw new Error("full");
      },
    });
    session.recordUsage(usage);
    assert.equal(said.mock.callCount(), 1);
  });
});

describe("a summary", () => {
  const steps = (session) => {
    for (let n = 0; n < 60; n++) session.push([{ role: "user", content: `question ${n} ${"word ".repeat(200)}` }, { role: "assistant", content: `answer ${n} ${"word ".repeat(200)}` }]);
  };

  test("is reported as one, at its model's price, refused answers included", async () => {
    const answers = ["", "<summary>All went well.</summary>"];
    const { session, costs } = heard({ compaction: { model: "cheap" }, summarize: async () => ({ text: answers.shift(), usage: { input_tokens: 1_000, output_tokens: 100 } }) });
    steps(session);
    await session.prepare();
    assert.deepEqual(costs.map(({ summary, model }) => ({ summary, model })), Array(2).fill({ summary: true, model: "cheap" }));
    for (const cost of costs) near(cost.dollars, (1_000 * 1 + 100 * 2) / 1e6);
  });

  test("without usage is not reported", async () => {
    const { session, costs } = heard({ summarize: async () => "<summary>All went well.</summary>" });
    steps(session);
    await session.prepare();
    assert.deepEqual(costs, []);
  });
});

describe("an unknown price", () => {
  test("is refused by name", () => {
    const onCost = () => {};
    assert.throws(() => new Session({ contextWindow: 9_000, onCost }), failsWith("INVALID_CONFIG"));
    assert.throws(() => new Session({ model: "dear", models, onCost }), failsWith("INVALID_CONFIG"));
    assert.throws(() => new Session({ model: "dear", models, prices, onCost: 3 }), failsWith("INVALID_CONFIG"));
    assert.throws(() => heard({ compaction: { model: "another" } }), failsWith("INVALID_CONFIG"));
    const { session } = heard();
    assert.throws(() => session.setOptions({ prices: null }), failsWith("INVALID_CONFIG"));
    session.setOptions({ onCost: null, prices: null });
    new Session({ contextWindow: 9_000, prices: prices.cheap, onCost });
  });
});

test("a restored session keeps its prices, and is given the callback again", () => {
  const { session } = heard({ compaction: { model: "cheap" } });
  const costs = [];
  const again = Session.restore(session.snapshot(), { onCost: (cost) => costs.push(cost) });
  again.recordUsage(usage);
  near(costs[0].dollars, dollars);
  Session.restore(session.snapshot()).recordUsage(usage);
  assert.equal(costs.length, 1);
});

// Usage reported by providers corrects our counts, and the report names the counting rules.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Session, encodingForModel, loadEncoding } from "contextfold";

const o200k = await loadEncoding("o200k_base");
const words = (n) => Array.from({ length: n }, (_, i) => `word${i % 97}`).join(" ");
const turn = (session, n) => session.push([{ role: "user", content: words(n) }, { role: "assistant", content: "ok" }]);
const near = (a, b, off = 0.01) => assert.ok(Math.abs(a / b - 1) < off, `${a} is not about ${b}`);

test("the ratio of reported to counted input tokens corrects the next view", async () => {
  const session = new Session({ contextWindow: 100_000 });
  turn(session, 1000);
  const before = (await session.prepare()).report;
  assert.equal(before.counter.calibration, 1);
  assert.equal(before.counter.corrected_tokens, before.tokens_after);
  session.recordUsage({ input_tokens: Math.round(before.tokens_after * 1.5), output_tokens: 3 });
  const { report } = await session.prepare();
  near(report.counter.calibration, 1.5);
  near(report.counter.corrected_tokens, report.tokens_after * 1.5);
  assert.equal(report.parts.reduce((sum, part) => sum + part.tokens, 0), report.tokens_after);
  near(report.target, before.target / 1.5);
});

test("a view stays within its limit in corrected tokens", async () => {
  const session = new Session({ contextWindow: 20_000, safetyMargin: 0 });
  turn(session, 2000);
  const { tokens_after } = (await session.prepare()).report;
  session.recordUsage({ input_tokens: tokens_after * 2, output_tokens: 3 });
  for (let i = 0; i < 20; i++) turn(session, 1000);
  const { report } = await session.prepare();
  near(report.counter.calibration, 2);
  assert.ok(report.counter.corrected_tokens <= 20_000, String(report.counter.corrected_tokens));
  near(report.target, 10_000 / 2); // the low mark, in our own counts
  assert.ok(report.counter.corrected_tokens < report.threshold, String(report.counter.corrected_tokens));
});

test("calibrate: false learns nothing; only a boolean is accepted", async () => {
  const session = new Session({ contextWindow: 100_000, calibrate: false });
  turn(session, 1000);
  const { tokens_after } = (await session.prepare()).report;
  session.recordUsage({ input_tokens: tokens_after * 2, output_tokens: 3 });
  assert.equal((await session.prepare()).report.counter.calibration, 1);
  assert.throws(() => new Session({ calibrate: "yes" }), { code: "INVALID_CONFIG", message: /calibrate/ });
});

test("a sum over several calls, and usage without a matching view, are ignored", async () => {
  const session = new Session({ contextWindow: 100_000 });
  turn(session, 1000);
  session.recordUsage({ input_tokens: 90_000, output_tokens: 3 });
  const { tokens_after } = (await session.prepare()).report;
  session.recordUsage({ totalUsage: { inputTokens: tokens_after * 3, outputTokens: 9 } });
  assert.equal((await session.prepare()).report.counter.calibration, 1);
});

test("messages pushed after a run count only once they were sent", async () => {
  const said = async (change) => {
    const session = new Session({ contextWindow: 20_000 });
    session.push({ role: "user", content: words(600) });
    await session.prepare();
    session.push({ role: "user", content: words(1500) });
    session.recordUsage({ input_tokens: change(session), output_tokens: 1 });
    return (await session.prepare()).report.counter.calibration;
  };
  assert.equal(await said((session) => session.tokens), 1);
  for (const format of ["messages", "anthropic"])
    near(await said((session) => (session.view(format), Math.round(session.tokens * 1.25))), 1.25);
  near(await said((session) => {
    session.lower();
    const reported = Math.round(session.tokens * 1.25);
    session.push([{ role: "assistant", content: words(800) }, { role: "user", content: words(300) }]);
    return reported;
  }), 1.25);
});

test("the safety margin shrinks as reports confirm the counter", async () => {
  const session = new Session({ contextWindow: 1_000_000 });
  const margins = [];
  for (let i = 0; i < 12; i++) {
    turn(session, 1000);
    const { report } = await session.prepare();
    margins.push(report.counter.margin);
    session.recordUsage({ input_tokens: Math.round(report.tokens_after * 1.1), output_tokens: 3 });
  }
  assert.equal(margins[0], 0.1);
  assert.ok(margins.every((margin, i) => i === 0 || margin <= margins[i - 1]) && margins.at(-1) < 0.02, margins.join());
});

test("an encoding is exact for the models that use it, never for another maker's", async () => {
  const counter = async (model) => {
    const session = new Session({ model, tokenizer: o200k });
    turn(session, 10);
    return (await session.prepare()).report.counter;
  };
  assert.deepEqual([(await counter("gpt-5")).exact, (await counter("gpt-5")).margin], [true, 0]);
  for (const model of ["claude-sonnet-4-5", "gemini-2.5-pro"]) {
    const { exact, margin, rules } = await counter(model);
    assert.deepEqual([exact, margin], [false, 0.1], model);
    assert.ok(rules.some(({ name, source }) => name.startsWith("family:") && source.length > 10), model);
    assert.throws(() => encodingForModel(model), { code: "UNKNOWN_MODEL" });
  }
});

test("tools and images are counted by the rules of the model's provider, which the report names", async () => {
  const tools = [{ type: "function", function: { name: "read", description: "Read a file", parameters: { type: "object", properties: { path: { type: "string" } } } } }];
  const session = new Session({ model: "gpt-5", tokenizer: o200k });
  session.setTools("openai-chat", tools);
  session.push({ role: "user", content: [{ type: "image", url: "https://example.com/a.png", width: 1024, height: 1024 }] });
  const { report } = await session.prepare();
  const part = (name) => report.parts.find((p) => p.name === name)?.tokens;
  // 12 at the end, 7 per function, 3 for properties, 3 per property, plus the texts.
  assert.equal(part("tools"), 12 + 7 + o200k.count("read:Read a file") + 3 + 3 + o200k.count("path:string:"));
  const names = report.counter.rules.map(({ name }) => name);
  assert.deepEqual(names.slice(2, 4), ["tools:openai-cookbook", "image:openai-tiles"]);
  const claude = new Session({ model: "claude-sonnet-4-5" });
  claude.setTools("anthropic", [{ name: "read", description: "Read a file", input_schema: {} }]);
  const said = (await claude.prepare()).report;
  assert.ok(said.parts.find((p) => p.name === "tools").tokens > 346);
  assert.ok(said.counter.rules.some(({ name }) => name === "tools:anthropic"));
});

test("a call's cost is given in the model's tokens, like its limit", async () => {
  const session = new Session({ model: "claude-sonnet-4-5" });
  session.push({ role: "user", content: "word ".repeat(700) });
  const { context_cost, counter, limit, tokens_after } = (await session.prepare()).report;
  assert.ok(counter.corrected_tokens > tokens_after);
  assert.deepEqual([context_cost.limit, context_cost.estimated_tokens], [limit, counter.corrected_tokens]);
});

// What a summary request asks of its answer, and what happens to an unusable answer.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Session } from "contextfold";

const turns = (count, words) =>
  Array.from({ length: count }, (_, i) => [
    { role: "user", content: `Question ${i}: ${"what of the file src/a.rs, please? ".repeat(words)}` },
    { role: "assistant", content: `Answer ${i}: ${"it was done as you said. ".repeat(words)}` },
  ]).flat();

test("as(format) gives the temperature and the output limit under the format's names (COMP-8)", async () => {
  const bodies = {};
  const summarize = (request) => {
    for (const format of ["openai-chat", "openai-responses", "anthropic", "ai-sdk", "gemini"]) bodies[format] = request.as(format);
    return '<compact_summary>{"current":{"goal":"x"},"progress":"y","pending":[]}</compact_summary>';
  };
  const session = new Session({ contextWindow: 4_000, ladder: "steps-design", summarize });
  session.push(turns(12, 10));
  await session.compact().catch(() => {});
  assert.deepEqual(Object.values(bodies).map((body) => (body.config ?? body).temperature), [0, 0, 0, 0, 0]);
  const limits = [bodies["openai-chat"].max_completion_tokens, bodies["openai-responses"].max_output_tokens, bodies.anthropic.max_tokens, bodies["ai-sdk"].maxOutputTokens, bodies.gemini.config.maxOutputTokens];
  assert.ok(limits.every((limit) => limit > 0), `${limits}`);
});

test("an answer that is far too long is a bad summary, and the error says so", async () => {
  const session = new Session({ contextWindow: 4_000, compaction: { onFailure: "error" }, summarize: () => `<summary>${"long ".repeat(20_000)}</summary>` });
  session.push(turns(40, 10));
  await assert.rejects(session.prepare(), (error) => /^SUMMARY_/.test(error.code) && /summary/.test(error.message));
  assert.doesNotMatch(session.report?.summary?.fallback ?? "", /continued without/);
});

test("an answer without a text is an empty summary", async () => {
  const session = new Session({ contextWindow: 4_000, compaction: { onFailure: "error" }, summarize: () => ({ text: null, finish_reason: null }) });
  session.push(turns(40, 10));
  await assert.rejects(session.compact(), { code: "SUMMARY_EMPTY" });
});

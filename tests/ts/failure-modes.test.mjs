// Failure modes that need JavaScript to show; the others are in tests/failure_modes. Each test contains the naive version.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Session, countTokens } from "contextfold";
import { conversation } from "../support/session.mjs";

const models = {
  large: { max_input_tokens: 100_000, max_output_tokens: 8_000 },
  small: { max_input_tokens: 4_000, max_output_tokens: 1_000 },
};

/** A naive agent: its budget is that of the model it started with. */
class FixedBudget {
  constructor(limit) {
    this.limit = limit;
    this.messages = [];
  }
  prepare() {
    const tokens = countTokens(this.messages);
    if (tokens > this.limit) this.messages = [{ role: "user", content: "s" }, ...this.messages.slice(-2)];
    return this.messages;
  }
}

test("F28 a switch to a smaller model compacts before the next call", async () => {
  const asked = [];
  const session = new Session({ model: "large", models, summarize: (request) => (asked.push(request), "<summary>s</summary>") });
  session.push(conversation(12));
  await session.prepare();
  const naive = new FixedBudget(models.large.max_input_tokens);
  naive.messages.push(...conversation(12));
  assert.equal(asked.length, 0);
  session.setOptions({ model: "small" });
  const sent = countTokens(naive.prepare());
  assert.ok(sent > models.small.max_input_tokens, "what fitted the old model goes to the new one");
  assert.ok(session.shouldCompact(), "judged at once");
  const { report } = await session.prepare();
  assert.ok(asked.length > 0 && session.tokens <= 4_000);
  assert.equal(report.limit, 4_000);
});

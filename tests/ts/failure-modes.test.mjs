// Failure modes that need JavaScript to show; the others are in tests/failure_modes. Each naive version stands in its test.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Session } from "contextfold";
import { conversation } from "../support/session.mjs";

const models = {
  large: { max_input_tokens: 100_000, max_output_tokens: 8_000 },
  small: { max_input_tokens: 4_000, max_output_tokens: 1_000 },
};

test("F28 a switch to a smaller model compacts before the next call", async () => {
  const asked = [];
  const session = new Session({ model: "large", models, summarize: (request) => (asked.push(request), "<summary>s</summary>") });
  session.push(conversation(12));
  await session.prepare();
  const naive = session.tokens; // what a naive one sends to the new model: the view that fitted the old one
  assert.equal(asked.length, 0);
  session.setOptions({ model: "small" });
  assert.ok(naive > session.limit && session.shouldCompact(), "judged at once");
  const { report } = await session.prepare();
  assert.ok(asked.length > 0 && session.tokens <= 4_000);
  assert.equal(report.limit, 4_000);
});

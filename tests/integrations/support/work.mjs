// The work of every agent here: 34 tool calls, whose outputs together exceed the window several times.

import assert from "node:assert/strict";
import { check, countTokens } from "contextfold";

export const CALLS = 34;
export const WINDOW = 8_000;
/** A ladder that folds all but the last turns: for tests of summaries, where the default ladder would not need one yet. */
export const FOLDS = [{ pass: "ephemeral" }, { pass: "trim_tool_outputs" }, { pass: "dedupe_reads" }, { pass: "summarize" }];

export const OPTIONS = { contextWindow: WINDOW };

export const TASK = "Why does the build fail? Never edit src/generated. Report as TICKET-4711.";
export const ANSWER = "E0308 in src/file7.rs, see TICKET-4711.";
export const SUMMARY = "<summary>The build fails. Never edit src/generated.</summary>";

/** The output of tool call `n`: about 450 tokens, with its own path and error code. */
export const outputOf = (n) =>
  Array.from({ length: 12 }, (_, line) => `src/file${n}.rs:${line + 1}: error[E0${300 + n}]: mismatched types, expected \`u${n}\`, found \`Vec<Option<u${line}>>\` in module ${n}`).join("\n");

/** A model that writes the summaries, and throws if `fails` is true for its nth request. It counts: `.asked`. */
export function failingSummary(fails = (nth) => nth > 2 && nth < 7) {
  const summarize = () => {
    if (fails(++summarize.asked)) throw new Error("overloaded");
    return SUMMARY;
  };
  summarize.asked = 0;
  return summarize;
}

/** Checks a request that reached a model against its limit and its provider's rules. */
export function assertFits(format, body, { limit = WINDOW } = {}) {
  const violations = check(format, body).filter((v) => v.severity === "error");
  assert.deepEqual(violations, []);
  const tokens = countTokens(body);
  assert.ok(tokens <= limit, `${tokens} tokens are more than ${limit}`);
  return tokens;
}

/** All of a run's requests: valid, under the limit, and in at least one place smaller than before. */
export function assertKept(format, bodies, { calls = CALLS, limit } = {}) {
  assert.equal(bodies.length, calls + 1);
  const sizes = bodies.map((body) => assertFits(format, body, { limit }));
  assert.ok(sizes.some((size, n) => n > 0 && size < sizes[n - 1] * 0.8), `never folded: ${sizes}`);
  const last = JSON.stringify(bodies.at(-1));
  assert.ok(last.includes("Never edit src/generated"), "the user's rule is still there");
  return sizes;
}

/** What was logged with console.warn during `run`. */
export async function warnings(run) {
  const said = [];
  const { warn } = console;
  console.warn = (...words) => said.push(words.join(" "));
  try {
    return { result: await run(), said };
  } finally {
    console.warn = warn;
  }
}

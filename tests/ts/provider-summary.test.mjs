// A summary written by the provider itself: what is accepted as one, and where it is placed.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Session } from "contextfold";

const SAID = "They build a CLI. The parser is done.";
const BLOCK = { type: "compaction", content: SAID, encrypted_content: null, signature: "c2ln" };
const ENTRIES = [{ role: "assistant", content: [BLOCK] }];

/** A session of a few long turns that was compacted by an answer with this `compaction`. */
async function compacted(compaction, { text = `<summary>\n${SAID}\n</summary>`, ...options } = {}) {
  const session = new Session({ contextWindow: 20_000, summarize: async () => ({ text, compaction }), ...options });
  for (let n = 0; n < 8; n++) session.pushFrom("anthropic", [{ role: "user", content: `Question ${n}: ${"what of it? ".repeat(60)}` }, { role: "assistant", content: `Answer ${n}: ${"so it is. ".repeat(60)}` }]);
  session.pushFrom("anthropic", [{ role: "user", content: "And now?" }]);
  await session.compact();
  return session;
}
const first = (session) => session.view("anthropic").messages[0];

test("it comes first, unchanged, and its text is used in every other format", async () => {
  const session = await compacted({ format: "anthropic", entries: ENTRIES });
  assert.deepEqual(first(session), ENTRIES[0]);
  assert.ok(!JSON.stringify(session.view("anthropic").messages.slice(1)).includes(SAID));
  for (const format of ["messages", "openai-chat", "openai-responses", "ai-sdk", "gemini", "bedrock-converse"]) {
    const view = JSON.stringify(session.view(format));
    assert.ok(view.includes(SAID), format);
    if (format !== "messages") assert.ok(!view.includes("c2ln"), format); // our own messages carry it, so that it survives the round trip
  }
});

test("while something comes before it, its text is used instead", async () => {
  const session = await compacted({ format: "anthropic", entries: ENTRIES });
  session.setContext({ injections: [{ role: "user", content: "Today is Monday." }] });
  assert.ok(JSON.stringify(session.view("anthropic")).includes(SAID));
  assert.ok(!JSON.stringify(session.view("anthropic")).includes("c2ln"));
  session.setContext({ injections: [] });
  assert.deepEqual(first(session), ENTRIES[0]);
});

test("if a conversation is summarised in pieces, the text is used, and the report says why", async () => {
  const session = await compacted({ format: "anthropic", entries: ENTRIES }, { compaction: { summarizerWindow: 1_500 } });
  assert.match(session.report.summary.fallback, /in \d+ chunks.*its text is used as the summary instead/);
  assert.ok(JSON.stringify(first(session)).includes(SAID));
});

test("a block longer than its text is counted as such", async () => {
  const long = { ...BLOCK, content: "It goes on and on. ".repeat(200) };
  const [short, longer] = [await compacted({ format: "anthropic", entries: ENTRIES }), await compacted({ format: "anthropic", entries: [{ role: "assistant", content: [long] }] })];
  assert.ok(longer.tokens > short.tokens + 500);
});

const NONSENSE = {
  "of a format that has none": { format: "gemini", entries: [{ role: "model", parts: [{ text: "x" }] }] },
  "of no format": { format: "zzz", entries: ENTRIES },
  "without entries": { format: "anthropic", entries: [] },
  "without the block": { format: "anthropic", entries: [{ role: "assistant", content: [{ type: "text", text: "x" }] }] },
  "with more than the block": { format: "anthropic", entries: [{ role: "assistant", content: [{ type: "text", text: "x" }, BLOCK] }] },
  "of the user's": { format: "anthropic", entries: [{ role: "user", content: [BLOCK] }] },
  "without a compaction among the items": { format: "openai-responses", entries: [{ role: "user", content: "x" }] },
};
for (const [what, compaction] of Object.entries(NONSENSE))
  test(`a compaction ${what} is refused`, async () => {
    await assert.rejects(compacted(compaction, { compaction: { onFailure: "error" } }), { code: "SUMMARY_FAILED" });
  });

test("the caller's own key is not taken for one", () => {
  const session = new Session({ contextWindow: 20_000 });
  session.push({ role: "user", content: "Hello.", extras: { anthropic: { compaction: { entries: ENTRIES } } } });
  assert.ok(JSON.stringify(session.view("anthropic").messages[0]).includes("Hello."));
});

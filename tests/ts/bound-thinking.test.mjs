// Thinking and reasoning that are bound to what stood before or after them: no ladder, pin or request for a summary leaves
// a half of such a pair (PROV-3, PROV-3b).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Session, check, presets } from "contextfold";
import { missing, recordedRequests } from "../support/data.mjs";
import { words } from "../support/session.mjs";

if (missing) console.log(`recorded data: ${missing}; skipped`);

const thought = (n) => ({ role: "assistant", content: [{ type: "thinking", thinking: `thought ${n}`, signature: `s${n}` }, { type: "tool_use", id: `t${n}`, name: "read", input: { n } }] });
const result = (n) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: `t${n}`, content: `result ${n}: ${words(150, n)}` }] });
const made = Array.from({ length: 24 }, (_, n) => [{ role: "user", content: `question ${n}: keep /srv/app/${n}.txt` }, thought(n), result(n), { role: "assistant", content: [{ type: "text", text: `answer ${n}` }] }]).flat();

const holds = (items, type) => JSON.stringify(items).includes(`"type":"${type}"`);
const recordedOf = (format, type) => (missing ? [] : recordedRequests(format).filter(({ items, opts }) => !opts.stateful && items.length >= 3 && holds(items, type)));
const anthropic = [{ id: "made", items: made }, ...recordedOf("anthropic", "thinking")];

/** The rules about thinking and reasoning that a view breaks, measured against the history it was made of. */
const brokenBy = (format, list, options) => check(format, list, { provider: "other", pending: true, ...options }).filter((v) => /thinking|signature|reasoning/.test(v.rule) && v.severity === "error");

/** Prepares with the ladder under a window of `share` of the history; a view that cannot fit is none. */
async function prepared(format, items, options, share, edit = () => {}) {
  const window = Math.max(200, Math.round((JSON.stringify(items).length / 4) * share));
  const session = new Session({ contextWindow: window, compaction: { onFailure: "extractive" }, ...options });
  session.pushFrom(format, items);
  edit(session);
  try {
    await session.prepare();
  } catch (error) {
    if (!["CONTEXT_WINDOW_EXCEEDED", "BUDGET_IMPOSSIBLE"].includes(error.code) && !/^SUMMARY_/.test(error.code)) throw error;
  }
  return session;
}

describe("bound thinking", () => {
  for (const ladder of [...Object.keys(presets), [], [{ pass: "drop_old_tool_results", keepSteps: 1 }], [{ pass: "truncate_head_tail", max: 100, head: 20, tail: 20 }], [{ pass: "prune_tool_outputs", protectTurns: 1 }]])
    test(`ladder ${JSON.stringify(ladder)}: none is left behind an edit`, async () => {
      for (const { id, items } of anthropic)
        for (const share of [0.3, 0.6]) {
          const session = await prepared("anthropic", items, { ladder, boundThinking: "drop" }, share);
          assert.deepEqual(brokenBy("anthropic", session.view("anthropic").messages, { original: items, bound: true }), [], `${id} at ${share}`);
        }
    });

  test("the same histories with `keep` would be refused: the check above can fail", async () => {
    const session = await prepared("anthropic", made, { boundThinking: "keep" }, 0.3);
    assert.ok(brokenBy("anthropic", session.view("anthropic").messages, { original: made, bound: true }).length > 0);
  });

  test("a pinned piece of text is an edit at once, before the next run", () => {
    const session = new Session({ boundThinking: "drop" });
    const [first] = session.pushFrom("anthropic", made);
    assert.ok(holds(session.view("anthropic").messages, "thinking"));
    session.pin({ id: first, text: "/srv/app/0.txt" });
    assert.deepEqual(brokenBy("anthropic", session.view("anthropic").messages, { original: made, bound: true }), []);
  });

  test("a request for a summary, which has no tools, takes none along", async () => {
    let body;
    const summarize = (request) => ((body = request.as("anthropic")), "<summary>short</summary>");
    for (const boundThinking of ["drop", "keep"]) {
      const session = new Session({ boundThinking, summarize });
      session.pushFrom("anthropic", made);
      await session.compact();
      assert.equal(holds(body.messages, "thinking"), boundThinking === "keep");
      assert.deepEqual(check("anthropic", body.messages).filter((v) => v.severity === "error"), []);
    }
  });
});

describe("reasoning items", () => {
  const item = (n) => [
    { type: "reasoning", id: `rs_${n}`, summary: [], encrypted_content: `e${n}` },
    { type: "function_call", id: `fc_${n}`, call_id: `c${n}`, name: "read", arguments: "{}" },
    { type: "function_call_output", call_id: `c${n}`, output: `output ${n}: ${words(150, n)}` },
  ];
  const reasoned = Array.from({ length: 20 }, (_, n) => [{ role: "user", content: `question ${n}` }, ...item(n)]).flat();
  const stored = { store: true, provider: "openai" };
  const linked = ({ items }) => brokenBy("openai-responses", items, stored).length === 0; // some were sent with store: false
  const responses = [{ id: "made", items: reasoned }, ...recordedOf("responses", "reasoning").filter(linked)];

  for (const ladder of Object.keys(presets))
    test(`ladder ${ladder}: each with what it made, or neither with its id`, async () => {
      for (const { id, items } of responses)
        for (const share of [0.3, 0.6]) {
          const session = await prepared("openai-responses", items, { ladder }, share);
          assert.deepEqual(brokenBy("openai-responses", session.view("openai-responses").input, { original: items, ...stored }), [], `${id} at ${share}`);
        }
    });

  test("a request for a summary: what a redaction or an unanswered call takes away takes its other half's id along", async () => {
    let body;
    const summarize = (request) => ((body = request.as("openai-responses")), "<summary>short</summary>");
    const session = new Session({ summarize, compaction: { redact: (text) => text } });
    session.pushFrom("openai-responses", reasoned);
    await session.compact();
    const options = { original: reasoned, store: true };
    assert.deepEqual(check("openai-responses", body.input, options).filter((v) => /^R-(reasoning|unanswered|orphan)/.test(v.rule)), []);
    assert.ok(!holds(body.input, "reasoning") && !JSON.stringify(body.input).includes('"fc_'), "reasoning is no text to redact: it stays here, and so do the ids");
  });
});

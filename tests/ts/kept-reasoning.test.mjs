// Some Chat Completions providers (DeepSeek, Moonshot) refuse calls without the reasoning that came with them: cuts and folds keep it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";

import { Session, check, countTokens } from "contextfold";

const LINES = Array.from({ length: 60 }, (_, n) => `src/file${n}.rs:${n}: error[E0${300 + n}]: mismatched types`).join("\n");

/** An agent that thinks before each call. */
const turn = (n, reasoning) => [
  { role: "assistant", content: null, ...reasoning(n), tool_calls: [{ id: `call_${n}`, type: "function", function: { name: "build", arguments: JSON.stringify({ n }) } }] },
  { role: "tool", tool_call_id: `call_${n}`, content: `${n}\n${LINES}` },
];

const KINDS = {
  deepseek: (n) => ({ reasoning_content: `Step ${n}: the build fails, so I look at file ${n}. `.repeat(12) }),
  moonshot: (n) => ({ reasoning_content: `Step ${n}: I look at file ${n}. `.repeat(12) }),
  openrouter: (n) => ({ reasoning: `Step ${n}. `.repeat(40), reasoning_details: [{ type: "reasoning.encrypted", data: `gA${n}`, format: "anthropic-claude-v1", index: 0 }] }),
  litellm: (n) => ({ reasoning_content: `Step ${n}. `.repeat(40), thinking_blocks: [{ type: "thinking", thinking: `Step ${n}`, signature: `sig${n}` }] }),
};

for (const [provider, reasoning] of Object.entries(KINDS)) {
  for (const ladder of [undefined, [{ pass: "trim_tool_outputs" }, { pass: "summarize" }]]) {
    test(`${provider}, ${ladder ? "outputs trimmed and folded" : "the default ladder"}: each request keeps the reasoning of its calls`, async () => {
      const session = new Session({ contextWindow: 6_000, ...(ladder && { ladder }) });
      const whole = [{ role: "user", content: "Why does the build fail?" }];
      session.pushFrom("openai-chat", whole);
      let cut = 0;
      for (let n = 0; n < 40; n++) {
        const entries = turn(n, reasoning);
        whole.push(...entries);
        session.pushFrom("openai-chat", entries);
        const { report } = await session.prepare();
        cut += report.decisions.length;
        const view = session.view("openai-chat");
        assert.ok(countTokens(view) <= 6_000);
        for (const message of view.filter(({ tool_calls }) => tool_calls?.length > 0))
          for (const [field, came] of Object.entries(reasoning(JSON.parse(message.tool_calls[0].function.arguments).n)))
            assert.ok(Array.isArray(came) ? isDeepStrictEqual(message[field], came) : message[field]?.length > 0, `${field} of ${message.tool_calls[0].id} after call ${n}`);
        const told = check("openai-chat", view, { provider, original: whole });
        assert.deepEqual(told.filter(({ rule }) => rule.startsWith("C-reasoning")), [], `after call ${n}`);
        assert.deepEqual(told.filter(({ severity }) => severity === "error"), []);
      }
      assert.ok(cut > 0, "the view was cut");
    });
  }
}

// Anthropic: "When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of
// `tool_use` and `tool_result` blocks)".
const thinkingStep = (n) => [
  { role: "assistant", content: [{ type: "thinking", thinking: `Step ${n}: I look at file ${n}. `.repeat(5), signature: `c2ln${n}` }, { type: "text", text: LINES }, { type: "tool_use", id: `c${n}`, name: "build", input: {} }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: `c${n}`, content: `${n}\n${LINES}` }] },
];
const errorsOf = (session) => check("anthropic", session.view("anthropic"), { thinking: "enabled" }).filter(({ severity }) => severity === "error");

const passes = (...names) => names.map((pass) => ({ pass }));
const LADDERS = { default: undefined, selective: "selective" };
for (const ladder of [passes("even_cut", "summarize"), passes("even_cut", "recent_window"), passes("trim_tool_outputs", "even_cut", "summarize")]) LADDERS[ladder.map(({ pass }) => pass).join(", ")] = ladder;
const folding = (name) => name === "default" || name.endsWith("summarize");

for (const [name, ladder] of Object.entries(LADDERS)) {
  test(`the running turn opens with thinking, whatever is cut or folded (ladder: ${name})`, async () => {
    const session = new Session({ model: "claude-sonnet-4-5", contextWindow: 12_000, ...(ladder && { ladder }) });
    let [edits, folds] = [0, 0];
    session.push({ role: "user", content: "Why does the build fail?" });
    for (let n = 0; n < 60; n++) {
      session.pushFrom("anthropic", thinkingStep(n));
      if (n === 40) session.push([{ role: "assistant", content: "It builds." }, { role: "user", content: "And the tests?" }]);
      const { report } = await session.prepare();
      edits += report.decisions.length;
      folds = session.folds().length;
      assert.deepEqual(errorsOf(session), [], `after step ${n}`);
    }
    assert.ok(edits > 10 && (folds > 0 || !folding(name)), `${edits} edits, ${folds} folds`);
  });
}

test("after a rewind into an earlier turn, that turn opens with thinking again", async () => {
  const session = new Session({ model: "claude-sonnet-4-5", contextWindow: 40_000 });
  session.push({ role: "user", content: "Why does the build fail?" });
  const ids = Array.from({ length: 8 }, (_, n) => session.pushFrom("anthropic", thinkingStep(n))).flat();
  session.push([{ role: "assistant", content: "It builds." }, { role: "user", content: "And the tests?" }]);
  let isCut = false;
  for (let n = 8; n < 20; n++) {
    session.pushFrom("anthropic", thinkingStep(n));
    await session.prepare();
    isCut ||= session.folds().length === 0 && !JSON.stringify(session.view("anthropic")).includes("c2ln0");
  }
  assert.ok(isCut, "the first step was cut without a fold");
  session.rewind(ids[7]);
  assert.deepEqual(errorsOf(session), []);
});

// Thinking and reasoning bound to what came before or after them: no ladder, pin or summary request leaves half of such a pair
// (PROV-3, PROV-3b).

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

/** The thinking and reasoning rules that a view breaks, checked against its history. */
const brokenBy = (format, list, options) => check(format, list, { provider: "other", pending: true, ...options }).filter((v) => /thinking|signature|reasoning/.test(v.rule) && v.severity === "error");

/** Prepares with the ladder under a window of `share` of the history; returns no view if it cannot fit. */
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
    test(`ladder ${JSON.stringify(ladder)}: no thinking is left after an edited prefix`, async () => {
      for (const { id, items } of anthropic)
        for (const share of [0.3, 0.6]) {
          const session = await prepared("anthropic", items, { ladder, boundThinking: "drop" }, share);
          assert.deepEqual(brokenBy("anthropic", session.view("anthropic").messages, { original: items, bound: true }), [], `${id} at ${share}`);
        }
    });

  test("the same histories with `keep` are refused, so the check above can fail", async () => {
    const session = await prepared("anthropic", made, { boundThinking: "keep" }, 0.3);
    assert.ok(brokenBy("anthropic", session.view("anthropic").messages, { original: made, bound: true }).length > 0);
  });

  test("a pinned piece of text counts as an edit at once, before the next run", () => {
    const session = new Session({ boundThinking: "drop" });
    const [first] = session.pushFrom("anthropic", made);
    assert.ok(holds(session.view("anthropic").messages, "thinking"));
    session.pin({ id: first, text: "/srv/app/0.txt" });
    assert.deepEqual(brokenBy("anthropic", session.view("anthropic").messages, { original: made, bound: true }), []);
  });

  test("a caller who edits an earlier message of the list loses the thinking behind it, which is bound to the old text", () => {
    const session = new Session({ boundThinking: "drop" });
    session.sync("anthropic", made);
    const edited = [...made];
    edited[8] = { role: "user", content: "Another question." };
    session.sync("anthropic", edited);
    const { messages } = session.view("anthropic");
    assert.equal(messages.length, made.length);
    assert.deepEqual(messages.slice(0, 8), made.slice(0, 8));
    assert.ok(!holds(messages.slice(8), "thinking"));
    const more = [...edited, { role: "user", content: "question" }, thought(99)];
    session.sync("anthropic", more);
    assert.ok(holds(session.view("anthropic").messages.slice(-1), "thinking"), "what is thought from then on stays");
  });

  test("a summary request, which has no tools, contains no bound thinking", async () => {
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

describe("bound thinking and an undone fold (docs/undo.md)", () => {
  const question = (n) => ({ role: "user", content: `question ${n}: ${words(60, n)}` });
  const answer = (n) => ({ role: "assistant", content: [{ type: "thinking", thinking: `thought ${n}`, signature: `s${n}` }, { type: "text", text: `answer ${n}: ${words(60, n)}` }] });
  const list = [question(0), answer(0), question(1), answer(1), question(2), answer(2), question(3)];
  const withoutThinking = (messages) => messages.map((message) => (Array.isArray(message.content) ? { role: message.role, content: message.content.at(-1).text } : message));
  const summarize = () => "<summary>Two questions were answered.</summary>";

  /** Folds, lets the model answer after the summary, and undoes the fold. */
  async function undone(options) {
    const session = new Session({ contextWindow: 100_000, summarize, ...options });
    const ids = session.pushFrom("anthropic", list);
    const before = session.view("anthropic").messages;
    assert.deepEqual(before, list);
    const report = await session.plan().apply({ fold: ids.slice(0, 4), keep: ids.slice(4) });
    assert.equal(session.folds().length, 1);
    ids.push(...session.pushFrom("anthropic", [answer(3), question(4)]));
    session.unfold(session.folds()[0].id);
    return { session, ids, folded: report, whole: [...list, answer(3), question(4)] };
  }

  const binding = [{ boundThinking: "drop" }, { model: "claude-opus-5-5" }, { model: "anthropic/claude-haiku-5.5" }];
  for (const options of binding)
    test(`${JSON.stringify(options)}: the messages come back without their earlier thinking, and reports name each`, async () => {
      const { session, ids, folded, whole } = await undone(options);
      assert.deepEqual(session.view("anthropic").messages, withoutThinking(whole));
      assert.deepEqual(brokenBy("anthropic", session.view("anthropic").messages, { original: whole, bound: true }), []);
      assert.equal(JSON.stringify(session.messages).match(/thought \d/g).length, 4, "the history keeps it");
      const lost = ({ left_out }) => left_out.filter(({ why }) => why.includes("thinking")).map(({ id }) => id).sort();
      assert.deepEqual(lost(folded), [ids[5]], "what stood behind the summary");
      assert.deepEqual(lost((await session.prepare()).report), [ids[1], ids[3], ids[7]], "what came back, and what was thought meanwhile");
      assert.equal(session.items().reduce((sum, { tokens }) => sum + tokens, 0), session.tokens);
      session.pushFrom("anthropic", [answer(5), question(6)]);
      await session.prepare();
      assert.deepEqual(session.view("anthropic").messages, [...withoutThinking(whole), answer(5), question(6)], "what is thought from then on stays");
      const restored = Session.restore(session.snapshot(), { summarize });
      assert.deepEqual(restored.view("anthropic"), session.view("anthropic"));
    });

  for (const options of [{ boundThinking: "keep", model: "claude-opus-5-5" }, { model: "claude-opus-4-5" }, {}])
    test(`${JSON.stringify(options)}: the view is what it was before, thinking included`, async () => {
      const { session, whole } = await undone(options);
      assert.equal(JSON.stringify(session.view("anthropic").messages), JSON.stringify(whole));
      const { report } = await session.prepare();
      assert.deepEqual(report.left_out, []);
    });
});

/** A provider that binds each thinking block to everything before it in the request that it answered. */
class BindingProvider {
  bound = new Map();
  answers = 0;
  checked = 0;

  /** Everything before each block, in order. */
  static blocks({ system = null, messages }, tools) {
    const content = ({ role, content }) => (typeof content === "string" ? [{ role, block: { type: "text", text: content } }] : content.map((block) => ({ role, block })));
    return [{ tools }, { system }, ...messages.flatMap(content)];
  }

  /** The signature for the answer's thinking, or the refusal. */
  asked(view, tools) {
    const all = BindingProvider.blocks(view, tools).map((part) => JSON.stringify(part));
    const prefix = (until) => all.slice(0, until).join("\n");
    BindingProvider.blocks(view, tools).forEach(({ block }, at) => {
      if (!block?.signature) return;
      this.checked++;
      if (this.bound.get(block.signature) !== prefix(at)) throw new Error(`the block ${block.signature} is bound to a different conversation`);
    });
    const signature = `sig${++this.answers}`;
    this.bound.set(signature, prefix(all.length));
    return signature;
  }
}

/** A seeded random generator of numbers below 1. */
function numbers(seed) {
  let state = seed * 2654435761 + 17 || 1;
  return () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}

test("whatever is done to a session, no thinking is sent that is bound to another conversation", async () => {
  const gist = () => "<summary>the gist of it</summary>";
  let checked = 0;
  for (let seed = 1; seed <= 120; seed++) {
    const random = numbers(seed);
    const pick = (list) => list[Math.floor(random() * list.length)];
    const log = [];
    const provider = new BindingProvider();
    const ladder = pick([undefined, ...Object.keys(presets)]);
    let tools = [];
    let session = new Session({
      contextWindow: pick([1500, 3000, 6000]), safetyMargin: 0, boundThinking: "drop", summarize: gist, ...(ladder ? { ladder } : {}),
      compaction: { onFailure: "extractive", maxAttempts: 1, background: random() < 0.3 },
      toolOutputCache: { contextBudgetTokens: pick([200, 600, 100_000]), maxMessageBytes: pick([400, 50_000]) },
    });
    session.pushFrom("anthropic", { system: "You are terse.", messages: [{ role: "user", content: "begin" }] });
    const some = (type) => pick(session.items().filter((item) => item.item_type === type))?.id;
    const does = {
      compact: () => session.compact(),
      pin: () => session.pin(pick(session.items()).id),
      "pin a text": () => session.pin({ id: some("USER_MESSAGE"), text: "begin" }),
      unpin: () => session.unpin(pick(session.items().filter((item) => item.pinned)).id),
      "set header": () => session.setHeader(`You are terse, ${provider.answers}.`),
      "set tools": () => session.setTools("anthropic", (tools = [{ name: `f${provider.answers}`, input_schema: { type: "object" } }])),
      "set context": () => session.setContext({ memory: [`remember ${provider.answers}`] }),
      unfold: () => session.unfold(pick(session.folds().filter((fold) => fold.in_view)).id),
      "fold by hand": () => session.graph.compress([some("ASSISTANT_MESSAGE")], "by hand"),
      rewind: () => session.rewind(some("USER_MESSAGE")),
      recover: () => session.recover(new Error(`prompt is too long: ${session.tokens + 200} tokens > ${Math.max(600, session.tokens - 100)} maximum`)),
      window: () => session.setOptions({ contextWindow: pick([1200, 2500, 8000]) }),
      ladder: () => session.setOptions({ ladder: pick(Object.keys(presets)) }),
      budget: () => session.setOptions({ toolOutputCache: { contextBudgetTokens: pick([100, 1000, 100_000]) } }),
      restore: () => (session = Session.restore(session.snapshot(), { summarize: gist })),
      fork: () => (session = session.fork(some("USER_MESSAGE"))),
      plan: () => session.plan().apply(),
      flush: () => session.flush(),
    };
    const attempt = async (name, work) => {
      try {
        await work();
        log.push(name);
      } catch (error) {
        if (error.code === "INTERNAL") throw error;
        log.push(`${name}: ${error.code ?? error.message}`);
      }
    };
    for (let round = 0; round < 24; round++) {
      const name = pick(Object.keys(does));
      if (random() < 0.45) await attempt(name, does[name]);
      if (random() < 0.8) await attempt("prepare", () => session.prepare());
      let signature;
      try {
        signature = provider.asked(session.view("anthropic"), tools);
      } catch (error) {
        throw new Error(`seed ${seed}, ${ladder}, after ${log.slice(-4)}: ${error.message}`, { cause: error });
      }
      const n = provider.answers;
      const thinking = { type: "thinking", thinking: `thought ${n} ${words(10, n)}`, signature };
      if (random() < 0.7) {
        session.pushFrom("anthropic", [
          { role: "assistant", content: [thinking, { type: "tool_use", id: `t${n}`, name: "read", input: { n } }] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: `t${n}`, content: words(pick([5, 60, 200]), n) }] },
        ]);
      } else session.pushFrom("anthropic", [{ role: "assistant", content: [thinking, { type: "text", text: `answer ${n}` }] }, { role: "user", content: `question ${n}` }]);
    }
    checked += provider.checked;
    session.free();
  }
  assert.ok(checked > 2_000, `${checked} blocks went out`);
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
    test(`ladder ${ladder}: an item keeps its id together with its output, or both lose it`, async () => {
      for (const { id, items } of responses)
        for (const share of [0.3, 0.6]) {
          const session = await prepared("openai-responses", items, { ladder }, share);
          assert.deepEqual(brokenBy("openai-responses", session.view("openai-responses").input, { original: items, ...stored }), [], `${id} at ${share}`);
        }
    });

  test("summary request: if a redaction or an unanswered call removes one half, the other half's id is removed too", async () => {
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

// The ledger, redaction, language, chunks, recall and pinned texts, as a caller uses them.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Session, extractiveSummarize, toolDefinitions } from "contextfold";
import { assistant, calls, conversation, failsWith, output, stateOf, user, words } from "../support/session.mjs";

const GOOD = "<summary>some work was done</summary>";
const SECRET = "sk-live-0123secret";

/** A session with rules, paths and a secret to fold. */
function sessionWith(compaction, summarize = () => GOOD) {
  const session = new Session({ contextWindow: 100_000, compaction, summarize });
  session.push([
    user(`Never push to main. The key is ${SECRET}. Fix src/deep/engine.rs.`, { id: "rules" }),
    calls("c1"),
    output("c1", `tests/of/engine_test.rs failed\n${words(200)}`),
    assistant(`done with it: ${words(100, 1)}`),
    user("and now?"),
  ]);
  return session;
}

describe("the ledger", () => {
  test("facts that the summary omits are listed after it, and counted", async () => {
    const session = sessionWith();
    const report = await session.compact();
    const summary = session.view("messages")[0].content;
    assert.equal(session.folds()[0].summary, "some work was done");
    assert.ok(summary.endsWith(`${session.folds()[0].ledger}\n\n[End of the record]`));
    for (const fact of ["some work was done", "Never push to main.", "src/deep/engine.rs", "tests/of/engine_test.rs"])
      assert.ok(summary.includes(fact), `${fact} in ${summary}`);
    assert.ok(report.summary.ledger_tokens > 0);
    assert.equal(report.parts.reduce((sum, p) => sum + p.tokens, 0), report.tokens_after);
  });

  test("ledgerTokens: 0 turns it off; an invalid value is refused", async () => {
    const session = sessionWith({ ledgerTokens: 0 });
    const report = await session.compact();
    assert.equal(session.folds()[0].summary, "some work was done");
    assert.equal(report.summary.ledger_tokens, 0);
    for (const ledgerTokens of [-1, 1.5, "all"])
      assert.throws(() => new Session({ compaction: { ledgerTokens } }), failsWith("INVALID_CONFIG", /compaction\.ledgerTokens/));
  });
});

describe("redact", () => {
  test("it may not use the session, and gets an error that names redact", async () => {
    const thrown = [];
    let session;
    session = new Session({
      contextWindow: 3000, summarize: () => "<summary>s</summary>",
      compaction: { redact: (text) => { try { session.push({ role: "user", content: "x" }); } catch (error) { thrown.push(error); } return text; } },
    });
    for (let i = 0; i < 4; i++) session.push([{ role: "user", content: `question ${i} ${"word ".repeat(200)}` }, { role: "assistant", content: "ok" }]);
    await session.compact();
    assert.ok(thrown.length > 0 && thrown.every((e) => e.code === "INVALID_ARGUMENT" && /compaction\.redact/.test(e.message)), String(thrown[0]));
  });

  test("sees everything sent to the summariser and to the ledger", async () => {
    for (const style of ["messages", "transcript"]) {
      const requests = [];
      const redact = (text) => text.replaceAll(SECRET, "[key]");
      const session = sessionWith({ redact, style }, (request) => {
        requests.push(JSON.stringify([request.system, request.messages, request.as("anthropic")]));
        return GOOD;
      });
      await session.compact();
      assert.equal(requests.length, 1);
      assert.ok(!requests[0].includes(SECRET) && requests[0].includes("[key]"));
      assert.ok(!JSON.stringify(session.view("messages")).includes(SECRET));
    }
  });

  test("if it throws or returns no text, the compaction fails and nothing has changed", async () => {
    const bad = [() => { throw new Error("no regex today"); }, () => 42, () => undefined, async (text) => text];
    for (const redact of bad) {
      const session = sessionWith({ redact });
      const before = stateOf(session);
      await assert.rejects(session.compact(), failsWith("SUMMARY_FAILED", /redact callback/));
      assert.deepEqual(stateOf(session), before);
    }
    assert.throws(() => new Session({ compaction: { redact: "x" } }), failsWith("INVALID_CONFIG", /compaction\.redact/));
  });
});

test("the summary is requested in the user's language, or in the configured one", async () => {
  const asked = async (compaction, text) => {
    let instructions;
    const session = new Session({
      contextWindow: 100_000, compaction,
      summarize: ({ messages }) => { instructions = messages.at(-1).content; return GOOD; },
    });
    session.push([user(text.repeat(20)), assistant("ok"), user("go on")]);
    await session.compact();
    return instructions;
  };
  assert.match(await asked({}, "파서를 고쳐 주세요. "), /Korean \(한국어\)/);
  assert.match(await asked({ language: "French" }, "Fix the parser. "), /Write in this language: French\./);
  assert.doesNotMatch(await asked({ language: "auto" }, "Fix the parser. "), /Write in this language/);
});

test("a conversation of many windows is summarised in chunks, by any summariser", async () => {
  const reasons = [];
  const builtIn = extractiveSummarize();
  for (const summarize of [() => GOOD, builtIn]) {
    const session = new Session({
      contextWindow: 100_000, compaction: { summarizerWindow: 1500 },
      summarize: async (request, options) => {
        reasons.push(request.reason);
        assert.ok(request.input_tokens <= 1500 && request.style === "transcript");
        return summarize(request, options);
      },
    });
    session.push(conversation(20));
    const report = await session.compact();
    assert.match(report.summary.fallback, /in \d+ chunks/);
    assert.equal(session.folds().length, 1);
  }
  assert.ok(reasons.filter((reason) => reason === "chunk").length > 10);
});

describe("search", () => {
  const session = sessionWith();
  test("finds folded parts and whole outputs, newest first", async () => {
    await session.compact();
    assert.ok(!JSON.stringify(session.view("messages")).includes("word0x199"));
    const [hit, ...more] = session.search("WORD0X199");
    assert.equal(more.length, 0);
    assert.equal(hit.role, "tool");
    assert.equal(hit.fold, session.folds()[0].id);
    assert.ok(hit.excerpt.includes("word0x199") && hit.excerpt.length < 400);
    assert.equal(session.search("push to main")[0].id, "rules");
    assert.deepEqual(session.search(/engine(?:_test)?\.rs/).map((h) => h.role), ["tool", "user"]);
    assert.deepEqual(session.search(/ENGINE/), []);
    assert.equal(session.search(/ENGINE/i, { max_hits: 1 }).length, 1);
    session.toolOutputs.put("a lone output with a needle");
    assert.equal(session.search("needle")[0].id, session.toolOutputs.refs().at(-1).id);
  });

  test("a text is found with composed and with decomposed accents", () => {
    const session = new Session({ contextWindow: 1_000 });
    session.push([user("caf\u00e9"), user("cafe\u0301"), user("cafe"), user("caf|e")]);
    for (const query of ["caf\u00e9", "cafe\u0301", "CAF\u00c9"]) assert.deepEqual(session.search(query).map((hit) => hit.id), ["m2", "m1"], query);
    assert.deepEqual(session.search("caf|").map((hit) => hit.id), ["m4"]);
    assert.deepEqual(session.search("caf\u00e9", { regex: true }).map((hit) => hit.id), ["m1"]);
  });

  test("an unsupported search gives an error that says so", async () => {
    assert.throws(() => session.search(/\p{L}/u), failsWith("INVALID_ARGUMENT", /no `\\p\{…\}`.*`\\w`/s));
    const { id } = session.toolOutputs.put("x");
    await assert.rejects(session.toolOutputs.grep({ ref_id: id, pattern: "\\p{L}" }), failsWith("INVALID_ARGUMENT", /no `\\p\{…\}`/));
    for (const query of [/(?=x)/, /(a)\1/, ""]) assert.throws(() => session.search(query), failsWith("INVALID_ARGUMENT"));
    for (const query of [42, null, undefined, {}, []]) assert.throws(() => session.search(query), failsWith("INVALID_ARGUMENT", /query/));
    assert.throws(() => session.search("a", { maxHits: 3 }), failsWith("INVALID_ARGUMENT", /maxHits/));
  });

  test("a model's call of search_history can be passed on", () => {
    const definition = toolDefinitions("openai-chat").find((d) => d.function.name === "search_history");
    const args = { query: "push\\s+to", regex: true, ignore_case: null, max_hits: 5 };
    assert.deepEqual(Object.keys(definition.function.parameters.properties), Object.keys(args));
    assert.equal(session.search(args.query, args)[0].id, "rules");
  });
});

describe("pinned pieces of text", () => {
  test("stay verbatim while their message is folded, round after round, until unpinned", async () => {
    const session = sessionWith({ ledgerTokens: 0 });
    const pin = { id: "rules", text: "Never push to main." };
    session.pin(pin);
    session.pin(pin);
    for (let round = 0; round < 5; round++) {
      session.push(conversation(2, 60, `round${round}`));
      await session.compact();
      const texts = session.view("messages").map((m) => m.content);
      assert.equal(texts.filter((text) => String(text).includes(pin.text)).length, 1);
      assert.ok(!JSON.stringify(texts).includes(SECRET), "the rest of the message is folded");
    }
    session.unpin(pin);
    assert.ok(!JSON.stringify(session.view("messages")).includes(pin.text));
  });

  test("a text that is not there cannot be pinned", () => {
    const session = sessionWith();
    for (const target of [{ id: "rules", text: "never said" }, { id: "nobody", text: "x" }, { id: "rules", text: "" }, { id: "rules" }, {}, 7, null])
      assert.throws(() => session.pin(target), failsWith("INVALID_ARGUMENT"));
    assert.throws(() => session.unpin({ id: "rules", text: "Never push to main." }), failsWith("INVALID_ARGUMENT"));
  });
});

// Every code of a ContextError, as a caller meets it: each comes from the engine, or is listed as not reachable yet.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { ContextError, OpenAIHistoryAdapter, Session, contextLimit, extractiveSummarize, tokenUsage } from "contextfold";
import { assistant, calls, conversation, deferred, failsWith, output, settled, user, words } from "../support/session.mjs";

/** Folds all but the last turns: these tests are not about the summary's contents. */
const ladder = [{ pass: "ephemeral" }, { pass: "trim_tool_outputs" }, { pass: "dedupe_reads" }, { pass: "summarize" }];

const twin = createRequire(import.meta.url)("../../pkg/wasm/cjs/node.cjs"); // a separate copy, for require() in older Node

/** A session with something to fold, whose callback returns this answer. */
function session(summarize, options) {
  const made = new Session({ ladder, contextWindow: 3000, ...options, summarize });
  made.push(conversation(4));
  return made;
}

const REACHED = {
  INVALID_CONFIG: () => new Session({ contextWindow: 0 }),
  INVALID_MESSAGE: () => new Session().push({ role: "robot", content: "x" }),
  INVALID_ARGUMENT: () => tokenUsage({}),
  UNKNOWN_MODEL: () => contextLimit("nobody-knows-this"),
  UNKNOWN_REF: () => new Session().toolOutputs.get("out_99"),
  BUDGET_IMPOSSIBLE: () => {
    const made = new Session({ contextWindow: 1000 });
    made.setHeader(words(2000));
    return made.prepare();
  },
  CONTEXT_WINDOW_EXCEEDED: () => {
    // Text of many small parts: none can be cut by much, together they exceed the window.
    const made = new Session({ contextWindow: 300, compaction: { auto: false } });
    made.push(Array.from({ length: 200 }, (_, i) => (i % 2 ? assistant(`answer ${i} ${words(6)}`) : user(`question ${i} ${words(6)}`))));
    return made.prepare();
  },
  SUMMARY_FAILED: () => session(() => 7).compact(),
  SUMMARY_EMPTY: () => session(() => "").compact(),
  SUMMARY_TRUNCATED: () => session(() => ({ text: "x", finish_reason: "length" })).compact(),
  SUMMARY_NOT_SMALLER: () => session(() => words(5000)).compact(),
  STALE_PLAN: null,
  ABORTED: () => new Session().prepare({ signal: AbortSignal.abort() }),
  FREED: () => {
    const made = new Session();
    made.free();
    return made.tokens;
  },
  INTERNAL: null,
};

/** Codes that nothing in this version can raise from JavaScript, and why. */
const NOT_REACHED = {
  NOT_INITIALIZED: "browsers only: web-entry.test.mjs and inline-entry.test.mjs meet it",
  INTERNAL: "a trap; no input is known that leads to one: guard.test.mjs and broken-module.test.mjs make one",
  STALE_PLAN: "runs join, and nothing else rewrites a history yet",
  ENCODING_INVALID: "no encodings yet",
  ENCODING_UNSUPPORTED: "tokenizers are a module of their own: tokenizer-json.test.mjs meets it",
  SUMMARY_INVALID: "no profiles with a shape of their own yet",
  GRAPH_CONSTRAINT: "no graph yet",
  SAFETY_LIMIT_EXCEEDED: "no graph yet",
  SNAPSHOT_INVALID: "no snapshots yet",
  SNAPSHOT_TOO_NEW: "no snapshots yet",
  STORE_FAILED: "no stores yet",
  STORE_CONFLICT: "no stores yet",
};

describe("every code", () => {
  for (const [code, reach] of Object.entries(REACHED).filter(([, reach]) => reach))
    test(`${code} arrives as a ContextError with a message that says what to do`, async () => {
      await assert.rejects(async () => reach(), (error) => {
        failsWith(code)(error);
        assert.ok(error instanceof Error && error instanceof ContextError);
        assert.equal(error.name, "ContextError");
        assert.ok(error.message.length > 15 && !/undefined|\[object|wasm/.test(error.message), error.message);
        assert.ok(error.stack.includes("ContextError"));
        assert.deepEqual(Object.keys(error).filter((key) => !["code", "report"].includes(key)), [], "own fields");
        return true;
      });
    });

  test("the list is complete: the declared codes are those reached here and those not reachable yet", () => {
    const types = readFileSync(new URL("../../pkg/wasm/contextfold.d.cts", import.meta.url), "utf8");
    const declared = types.match(/type ErrorCode =([^;]+);/)[1].match(/[A-Z_]{4,}/g);
    const known = Object.keys(REACHED).filter((code) => REACHED[code]).concat(Object.keys(NOT_REACHED));
    assert.deepEqual([...new Set(declared)].sort(), known.sort());
  });

  test("each is explained: in the comment of the type, and in the table of docs/debugging.md", () => {
    const types = readFileSync(new URL("../../pkg/wasm/contextfold.d.cts", import.meta.url), "utf8");
    const table = readFileSync(new URL("../../docs/debugging.md", import.meta.url), "utf8");
    for (const code of types.match(/type ErrorCode =([^;]+);/)[1].match(/[A-Z_]{4,}/g)) {
      assert.ok(types.includes(` * - \`${code}\`: `), code);
      assert.ok(table.includes(`| \`${code}\` | `), code);
    }
    for (const name of types.match(/type EventName =([^;]+);/)[1].match(/[a-z_]{4,}/g)) assert.ok(types.includes(` * - \`${name}\`: `), name);
  });

  test("the advice is for the function that was called", () => {
    assert.throws(() => contextLimit("nobody-knows-this"), failsWith("UNKNOWN_MODEL", /; pass a row with `max_input_tokens` for it as `models`$/));
    assert.throws(() => new Session({ model: "nobody-knows-this" }), failsWith("UNKNOWN_MODEL", /leave `model` out and set `contextWindow`$/));
    for (const wrong of [5, {}, null]) assert.throws(() => new Session().setHeader(wrong), failsWith("INVALID_ARGUMENT", /^`setHeader` expects a text or a list/));
  });
});

describe("details", () => {
  test("report: what was tried, if a run failed; absent otherwise", async () => {
    for (const code of ["BUDGET_IMPOSSIBLE", "CONTEXT_WINDOW_EXCEEDED", "SUMMARY_FAILED", "SUMMARY_EMPTY", "SUMMARY_TRUNCATED", "SUMMARY_NOT_SMALLER"])
      await assert.rejects(async () => REACHED[code](), (e) => {
        assert.equal(typeof e.report.tokens_before, "number", code);
        assert.ok(Array.isArray(e.report.decisions), code);
        assert.equal(e.report.tokens_after, e.report.parts.reduce((sum, part) => sum + part.tokens, 0), code);
        return true;
      });
    for (const code of ["INVALID_CONFIG", "INVALID_MESSAGE", "UNKNOWN_REF"]) await assert.rejects(async () => REACHED[code](), (e) => !("report" in e));
  });

  test("report is the same as session.report afterwards", async () => {
    const made = session(() => 7);
    await assert.rejects(made.compact(), (e) => (assert.deepEqual(e.report, made.report), true));
  });

  test("a synchronous method throws, one that returns a promise rejects", () => {
    const made = new Session();
    assert.throws(() => made.push(5));
    for (const promise of [made.toolOutputs.get("x"), made.toolOutputs.read({}), made.toolOutputs.grep({}), made.prepare({ signal: AbortSignal.abort() })]) {
      assert.ok(promise instanceof Promise);
      promise.catch(() => {});
    }
  });

  test("CommonJS and ESM recognise each other's errors", () => {
    try {
      new twin.Session({ contextWindow: 0 });
    } catch (error) {
      assert.ok(error instanceof ContextError);
      assert.ok(ContextError.isInstance(error) && twin.ContextError.isInstance(error));
      assert.equal(error.code, "INVALID_CONFIG");
      return;
    }
    assert.fail("nothing was thrown");
  });

  test("an abort or a ContextError of the other copy is recognised as such", async () => {
    const theirs = new twin.ContextError("UNKNOWN_REF", "theirs");
    await assert.rejects(session(() => { throw theirs; }).compact(), (e) => failsWith("SUMMARY_FAILED")(e) && e.cause === theirs);
  });

  for (const [what, thrown] of Object.entries({ "an error of another library": Object.assign(new Error("theirs"), { code: "ABORTED" }), "our own class": new ContextError("ABORTED", "made by the callback") }))
    test(`a callback that throws ${what} with the code ABORTED has failed, not been aborted`, async () => {
      await assert.rejects(session(() => { throw thrown; }).compact(), (e) => failsWith("SUMMARY_FAILED")(e) && e.cause === thrown);
    });
});

describe("free", () => {
  const uses = {
    push: (s) => s.push(user("x")),
    view: (s) => s.view("messages"),
    tokens: (s) => s.tokens,
    compact: (s) => s.compact(),
    prepare: (s) => s.prepare(),
    on: (s) => s.on("*", () => {}),
    toolOutputs: (s) => s.toolOutputs,
    loop: (s) => s.loop(),
  };
  for (const [what, use] of Object.entries(uses))
    test(`${what} after free() fails with FREED`, async () => {
      const made = new Session();
      made.free();
      await assert.rejects(async () => use(made), failsWith("FREED", /create a new one/));
    });

  test("free() twice, or before any use, is fine", () => {
    const made = new Session();
    made.free();
    made.free();
  });

  test("Symbol.dispose frees, as `using` does", () => {
    const made = new Session();
    made[Symbol.dispose ?? Symbol.for("Symbol.dispose")]?.();
    if (Symbol.dispose) assert.throws(() => made.tokens, failsWith("FREED"));
    const adapter = new OpenAIHistoryAdapter();
    adapter.free();
    assert.throws(() => adapter.inputItems, failsWith("FREED"));
  });

  test("objects returned earlier stay usable: views, the report, the inputItems", async () => {
    const made = new Session({ ladder, contextWindow: 3000, compaction: { ledgerTokens: 0 }, summarize: () => "S" });
    made.push(conversation(4));
    const { messages, report } = await made.prepare();
    made.free();
    assert.equal(messages[0].content, "S");
    assert.equal(report.decisions.at(-1).pass, "summarize");
    const adapter = new OpenAIHistoryAdapter([user("x")]);
    const items = adapter.inputItems;
    adapter.free();
    assert.equal(items.length, 1);
  });

  test("hooks of a freed session still pass on the wrapped function's result", async () => {
    const made = new Session({ contextWindow: 3000 });
    const { modelCall } = made.loop();
    made.free();
    assert.equal(await modelCall(() => "the answer"), "the answer");
    assert.throws(() => made.loop(), failsWith("FREED"));
  });

  test("many sessions do not leak memory", () => {
    for (let i = 0; i < 2000; i++) {
      const made = new Session();
      made.push(user(`message ${i}`));
      made.free();
    }
    assert.ok(new Session().push(user("x")).length === 1);
  });
});

test("unhandled: a failed run rejects its own promise and no other", async () => {
  const unhandled = [];
  const listener = (reason) => unhandled.push(reason);
  process.on("unhandledRejection", listener);
  const wait = deferred();
  const made = session(() => wait.promise);
  const runs = [made.compact(), made.compact(), made.prepare()];
  await settled();
  wait.reject(new Error("down"));
  for (const run of runs) await assert.rejects(run);
  const controller = new AbortController();
  const other = session(() => new Promise(() => {})).prepare({ signal: controller.signal });
  await settled();
  controller.abort();
  await assert.rejects(other);
  await settled();
  process.off("unhandledRejection", listener);
  assert.deepEqual(unhandled, []);
});

test("extractiveSummarize called by hand says which arguments it needs", async () => {
  const summarize = extractiveSummarize();
  for (const bad of [undefined, null, {}, { messages: 5 }]) await assert.rejects(async () => summarize(bad, {}), failsWith("INVALID_ARGUMENT"), String(bad));
  assert.equal(typeof (await summarize({ messages: [user("Fix src/a.rs"), user("instructions")] }, {})), "string");
});

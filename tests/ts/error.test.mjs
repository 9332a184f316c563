import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { ContextError, Session, compactMessages, contextLimit, convert, loadEncoding, version } from "contextfold";
import { memoryStore } from "contextfold/stores/memory";

const twin = createRequire(import.meta.url)("../../pkg/wasm/cjs/node.cjs"); // a separate copy, for require() in older Node

test("a ContextError is an Error with name, code, message and only the given details", () => {
  const bare = new ContextError("UNKNOWN_REF", "no such ref");
  assert.ok(bare instanceof Error);
  assert.equal(String(bare), "ContextError: no such ref");
  assert.deepEqual(Object.keys(bare), ["code"]);
  assert.ok(!("cause" in bare));

  const full = new ContextError("SUMMARY_FAILED", "the callback threw", { cause: undefined, report: { tokens_after: 1 } });
  assert.ok(Object.hasOwn(full, "cause"), "a callback may throw undefined");
  assert.deepEqual(full.report, { tokens_after: 1 });
});

test("a message that holds what the caller passed is cut to its beginning and its end", async () => {
  const session = new Session({ contextWindow: 1000 });
  const long = "y".repeat(100_000);
  for (const wrong of [() => session.unfold(long), () => session.view(long), () => session.push({ role: long }), () => new Session({ ladder: long })])
    assert.throws(wrong, ({ message }) => message.length <= 1_010 && message.includes("yyy … yyy"), String(wrong));
  assert.throws(() => session.view("😀".repeat(2_000)), ({ message }) => !/[\uD800-\uDFFF]/u.test(message) && message.length > 900);
  assert.throws(() => session.pin(long), /^ContextError: no message has the id `yyy.* … .*yyy`; see items\(\) for the ids$/);
  await assert.rejects(loadEncoding(new Uint8Array(100_000)), { message: /^expected the name of an encoding, such as "o200k_base", and then/ });
});

test("isInstance works across the ESM and the CommonJS copy, and for nothing else", () => {
  const theirs = new twin.ContextError("ABORTED", "the signal fired");
  assert.ok(theirs instanceof ContextError);
  class Own extends ContextError {}
  assert.ok(!(theirs instanceof Own) && new Own("ABORTED", "the signal fired") instanceof Own);
  assert.ok(ContextError.isInstance(theirs));
  assert.ok(twin.ContextError.isInstance(new ContextError("ABORTED", "the signal fired")));
  for (const other of [new Error("x"), { code: "ABORTED", name: "ContextError" }, null, undefined, "ABORTED", ContextError])
    assert.ok(!ContextError.isInstance(other));
});

test("the CommonJS twin is the same version of the same engine", () => {
  assert.equal(twin.version(), version());
});

test("a stack starts with the caller's own line and has no frames of the module", async () => {
  const here = /^ContextError: .*\n    at .*error\.test\.mjs:\d+/;
  const checked = (run, error) => {
    assert.match(error.stack, here, String(run));
    assert.doesNotMatch(error.stack, /wasm|guard\.js/, String(run));
  };
  const talk = (session) => {
    for (let n = 0; n < 20; n++) session.push([{ role: "user", content: "word ".repeat(100) }, { role: "assistant", content: "word ".repeat(100) }]);
    return session;
  };
  const fails = async () => {
    throw new Error("down");
  };
  const limit = Error.stackTraceLimit;
  const deep = (n, run) => (n > 0 ? deep(n - 1, run) : run());
  for (const run of [
    () => new Session({ contextWindo: 5 }),
    () => new Session().push({}),
    () => convert("messages", "no-format", []),
    () => contextLimit("no-such-model"),
    () => deep(40, () => new ContextError("INVALID_ARGUMENT", "made by hand")),
  ])
    try {
      throw run();
    } catch (error) {
      checked(run, error);
      assert.ok(error.stack.split("\n    at ").length <= limit + 1);
    }
  for (const run of [
    () => new Session().compact({ no: 1 }),
    () => talk(new Session({ contextWindow: 2_000, ladder: "ladder", summarize: fails })).prepare(),
    () => talk(new Session({ contextWindow: 2_000, summarize: fails, compaction: { onFailure: "error" } })).compact(),
    () => compactMessages(talk(new Session()).messages, { contextWindow: 2_000, summarize: fails, compaction: { onFailure: "error" } }),
    () => Session.load(memoryStore(), "nothing"),
  ]) {
    const error = await run().then(assert.fail, (thrown) => thrown);
    checked(run, error);
  }
  assert.equal(Error.stackTraceLimit, limit);
});

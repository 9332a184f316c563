import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { ContextError, version } from "contextfold";

const twin = createRequire(import.meta.url)("contextfold");

test("a ContextError is an Error with name, code, message and only the details that were given", () => {
  const bare = new ContextError("UNKNOWN_REF", "no such ref");
  assert.ok(bare instanceof Error);
  assert.equal(String(bare), "ContextError: no such ref");
  assert.deepEqual(Object.keys(bare), ["code"]);
  assert.ok(!("cause" in bare));

  const full = new ContextError("SUMMARY_FAILED", "the callback threw", { cause: undefined, report: { tokens_after: 1 } });
  assert.ok(Object.hasOwn(full, "cause"), "a callback may throw undefined");
  assert.deepEqual(full.report, { tokens_after: 1 });
});

test("isInstance holds between the ESM and the CommonJS copy, and for nothing else", () => {
  const theirs = new twin.ContextError("ABORTED", "the signal fired");
  assert.ok(!(theirs instanceof ContextError));
  assert.ok(ContextError.isInstance(theirs));
  assert.ok(twin.ContextError.isInstance(new ContextError("ABORTED", "the signal fired")));
  for (const other of [new Error("x"), { code: "ABORTED", name: "ContextError" }, null, undefined, "ABORTED", ContextError])
    assert.ok(!ContextError.isInstance(other));
});

test("the twin is the same version of the same engine", () => {
  assert.equal(twin.version(), version());
});

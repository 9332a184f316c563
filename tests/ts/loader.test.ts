import assert from "node:assert/strict";
import { test } from "node:test";
import { ContextError, type ErrorCode } from "contextfold";

test("tests may be written in TypeScript", () => {
  const code: ErrorCode = "UNKNOWN_MODEL";
  assert.equal(new ContextError(code, "name a known model").code, code);
});

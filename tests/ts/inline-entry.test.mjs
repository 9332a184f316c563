import assert from "node:assert/strict";
import { test } from "node:test";
import init, { version } from "contextfold/inline";

test("the inline entry needs no second file", async () => {
  assert.throws(() => version(), { code: "NOT_INITIALIZED" });
  await init();
  assert.match(version(), /^\d+\.\d+\.\d+/);
});

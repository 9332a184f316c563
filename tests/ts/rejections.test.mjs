// A function that returns a promise never throws: errors reject.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Session, compactMessages } from "contextfold";
import { failsWith, user } from "../support/session.mjs";

const session = () => new Session({ contextWindow: 10_000 });

/** Calls the function; a synchronous throw fails the test, because errors must reject. */
async function rejects(call, code) {
  let promise;
  assert.doesNotThrow(() => (promise = call()));
  assert.ok(promise instanceof Promise);
  await assert.rejects(promise, failsWith(code));
}

describe("wrong arguments", () => {
  for (const method of ["prepare", "compact", "checkAndCompact", "afterToolExecution", "beforeFinalAnswer"])
    for (const wrong of [{ foo: 1 }, 5, null, { signal: 5 }, []])
      test(`${method}(${JSON.stringify(wrong)})`, () => rejects(() => session()[method](wrong), "INVALID_ARGUMENT"));
  test("compact({ instructions: 5 })", () => rejects(() => session().compact({ instructions: 5 }), "INVALID_ARGUMENT"));
  test("afterModelCall of no usage", () => rejects(() => session().afterModelCall({ foo: 1 }), "INVALID_ARGUMENT"));
  test("afterModelCall of wrong options", () => rejects(() => session().afterModelCall({ input_tokens: 1, output_tokens: 1 }, 5), "INVALID_ARGUMENT"));
  test("compactMessages of no messages", () => rejects(() => compactMessages([{ role: "nope" }], {}), "INVALID_MESSAGE"));
  test("compactMessages with wrong options", () => rejects(() => compactMessages([user("x")], { foo: 1 }), "INVALID_CONFIG"));
  test("compactMessages with a wrong signal", () => rejects(() => compactMessages([user("x")], { signal: 5 }), "INVALID_ARGUMENT"));
  for (const method of ["read", "grep", "get"]) {
    test(`toolOutputs.${method}(5)`, () => rejects(() => session().toolOutputs[method](5), "INVALID_ARGUMENT"));
    test(`toolOutputs.${method}(5n)`, () => rejects(() => session().toolOutputs[method](5n), "INVALID_ARGUMENT"));
  }
  for (const hook of ["modelCall", "toolExecution", "finalAnswer"])
    test(`loop().${hook}(5)`, () => rejects(() => session().loop()[hook](5), "INVALID_ARGUMENT"));
});

describe("a freed object", () => {
  for (const method of ["prepare", "compact", "checkAndCompact", "afterModelCall", "afterToolExecution", "beforeFinalAnswer"])
    test(method, () => {
      const freed = session();
      freed.free();
      return rejects(() => freed[method](), "FREED");
    });
  for (const method of ["read", "grep", "get"])
    test(`toolOutputs.${method}`, () => {
      const freed = session().toolOutputs;
      freed.free();
      return rejects(() => freed[method]({}), "FREED");
    });
});

// The steps document, fifth step: very long tool results are cut to head and tail.

import assert from "node:assert/strict";
import { test } from "node:test";
import { truncateHeadTail } from "contextfold";
import { failsWith } from "../support/session.mjs";

/** The document's function, in JavaScript; its lengths are code points. */
function documented(text, max = 5000) {
  const chars = [...text];
  if (chars.length <= max) return text;
  return `${chars.slice(0, 1000).join("")}\n\n[... ${chars.length - 2000} chars omitted ...]\n\n${chars.slice(-1000).join("")}`;
}

test("more than 5,000 characters become the first and the last 1,000, with the number of omitted ones between", () => {
  for (const size of [0, 1, 4999, 5000, 5001, 10_000, 123_456])
    for (const one of ["a", "日", "👍"]) {
      const text = one.repeat(size);
      assert.equal(truncateHeadTail(text), documented(text), `${size} of ${one}`);
    }
  assert.match(truncateHeadTail("x".repeat(10_000)), /^x{1000}\n\n\[\.\.\. 8000 chars omitted \.\.\.\]\n\nx{1000}$/);
});

test("the three numbers can be set", () => {
  assert.equal(truncateHeadTail("0123456789", { max: 5, head: 3, tail: 2 }), "012\n\n[... 5 chars omitted ...]\n\n89");
  assert.equal(truncateHeadTail("0123456789", { max: 10, head: 3, tail: 2 }), "0123456789");
  assert.equal(truncateHeadTail("0123456789", { max: 9, head: 0, tail: 0 }), "\n\n[... 10 chars omitted ...]\n\n");
});

test("no visible character is split", () => {
  const family = "👨‍👩‍👧‍👦";
  const cut = truncateHeadTail(family.repeat(20), { max: 20, head: 10, tail: 10 });
  assert.equal(cut, `${family}\n\n[... ${20 * 7 - 14} chars omitted ...]\n\n${family}`);
  assert.ok(truncateHeadTail("\ud800".repeat(6000)).isWellFormed());
});

test("contradictory and absurd numbers are refused with their key", () => {
  for (const [options, key] of [
    [{ max: 1999 }, "max"],
    [{ max: 10, head: 6, tail: 5 }, "max"],
    [{ head: -1 }, "head"],
    [{ tail: 0.5 }, "tail"],
    [{ head: NaN }, "head"],
    [{ size: 5 }, "size"],
    ["5", "options"],
  ])
    assert.throws(() => truncateHeadTail("x", options), (error) => failsWith("INVALID_ARGUMENT")(error) && error.message.includes(`${key}\``), JSON.stringify(options));
});

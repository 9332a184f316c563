// The diff of two lists: it leads from one to the other, and is the shortest one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { random } from "../../benches/tokens/generate.mjs";
import { difference } from "../../www/src/engine/diff.ts";

/** What the pieces give: the list before, the list after, and how many elements are not shared. */
function told(pieces, before, after) {
  const [was, is] = [[], []];
  let edits = 0;
  for (const { kind, from, to } of pieces) {
    const run = (kind === "gone" ? before : after).slice(from, to);
    if (kind !== "new") was.push(...run);
    if (kind !== "gone") is.push(...run);
    if (kind !== "same") edits += to - from;
  }
  return { was, is, edits };
}

/** The smallest number of elements not shared, by dynamic programming. */
function fewest(a, b) {
  const longest = Array.from({ length: a.length + 1 }, () => new Array(b.length + 1).fill(0));
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++) longest[i][j] = a[i - 1] === b[j - 1] ? longest[i - 1][j - 1] + 1 : Math.max(longest[i - 1][j], longest[i][j - 1]);
  return a.length + b.length - 2 * longest[a.length][b.length];
}

test("removed and added elements lead from one list to the other, and are as few as possible", () => {
  const next = random(11);
  const list = () => Array.from({ length: Math.floor(next() * 14) }, () => "abcd"[Math.floor(next() * 4)]);
  for (let round = 0; round < 3_000; round++) {
    const [before, after] = [list(), list()];
    const { was, is, edits } = told(difference(before, after, 1_000), before, after);
    assert.deepEqual([was, is], [before, after]);
    assert.equal(edits, fewest(before, after), `${before.join("")} → ${after.join("")}`);
  }
});

test("if too much differs, everything is removed and added", () => {
  const before = ["head", ...Array.from({ length: 50 }, (_, i) => `old ${i}`), "tail"];
  const after = ["head", ...Array.from({ length: 30 }, (_, i) => `new ${i}`), "tail"];
  assert.deepEqual(difference(before, after, 10), [
    { kind: "same", from: 0, to: 1 },
    { kind: "gone", from: 1, to: 51 },
    { kind: "new", from: 1, to: 31 },
    { kind: "same", from: 31, to: 32 },
  ]);
});

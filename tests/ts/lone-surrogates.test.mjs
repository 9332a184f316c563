// Half a surrogate pair is not valid Unicode: every provider refuses it (INV-5).
import assert from "node:assert/strict";
import { test } from "node:test";

import { Session, check, repair } from "contextfold";

const broken = () => [
  { role: "user", content: "cut here \ud83d" },
  { role: "assistant", content: [{ type: "text", text: "whole \ud83d\ude00" }] },
  { role: "user", content: "\udc00 and here, with \ufffd as it came" },
];
const has = (list) => /\\ud[89a-f]/i.test(JSON.stringify(list));

for (const format of ["messages", "anthropic", "openai-chat"]) {
  test(`${format}: it is replaced, and the report says so`, async () => {
    const list = broken();
    const session = new Session({ contextWindow: 4_000 });
    session.pushFrom(format, list);
    const { report } = await session.prepare();
    const view = session.view(format);
    const entries = view.messages ?? view;
    assert.ok(has(list) && !has(entries), JSON.stringify(entries));
    assert.ok(JSON.stringify(entries).includes("\ud83d\ude00"));
    assert.equal(report.left_out.filter((line) => line.why.includes("surrogate")).length, 2);
    assert.equal(entries[1], list[1], "what is whole stays the very object");
    session.sync(format, list);
    assert.equal(session.messages.length, 3, "the list is known again");
  });

  test(`${format}: check names it, and repair mends it`, () => {
    const list = broken();
    const found = check(format, list).filter((violation) => violation.rule === "lone-surrogate");
    assert.deepEqual(found.map(({ index, severity }) => [index, severity]), [[0, "error"], [2, "error"]]);
    const { output, changes } = repair(format, list);
    assert.deepEqual(changes.map(({ index, rule }) => [index, rule]), [[0, "lone-surrogate"], [2, "lone-surrogate"]]);
    assert.ok(!has(output));
    assert.deepEqual(check(format, output).filter(({ severity }) => severity === "error"), []);
  });
}

test("it is also named next to the list and in a single entry", () => {
  const named = (format, input) => check(format, input).filter(({ rule }) => rule === "lone-surrogate").map(({ index }) => index);
  assert.deepEqual(named("anthropic", { system: "cut \ud83d", messages: [{ role: "user", content: "Hi." }] }), [0]);
  assert.deepEqual(named("openai-chat", { role: "user", content: "cut \ud83d" }), [0]);
  assert.equal(repair("anthropic", { system: "cut \ud83d", messages: [{ role: "user", content: "Hi." }] }).changes.length, 1);
});

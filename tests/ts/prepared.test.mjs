// The result of `prepare`: the view as prepared, whenever it is read.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Session, compactMessages } from "contextfold";
import { assistant, calls, conversation, output, user, words } from "../support/session.mjs";

const GOOD = "<summary>the gist</summary>";

test("messages is an own, enumerable field: it can be spread, written as JSON and replaced", async () => {
  const session = new Session();
  session.push(conversation(1));
  const prepare = () => session.prepare();
  const view = session.view("messages");
  assert.deepEqual(Object.keys(await prepare()).sort(), ["messages", "report"]);
  assert.deepEqual({ ...(await prepare()) }.messages, view);
  assert.deepEqual(JSON.parse(JSON.stringify(await prepare())).messages, view);
  assert.deepEqual(structuredClone(await prepare()).messages, view);
  const read = await prepare();
  assert.equal(typeof Object.getOwnPropertyDescriptor(read, "messages").get, "function", "nothing is written before it is read");
  assert.ok(read.messages === read.messages);
  assert.ok(read.messages.every((message, i) => message === view[i]));
  read.messages = [];
  assert.deepEqual(read.messages, []);
  assert.deepEqual(Object.getOwnPropertyDescriptor(read, "messages"), { value: [], writable: true, enumerable: true, configurable: true });
});

const CHANGES = {
  "a push": (session) => session.push(user("later")),
  "a header": (session) => session.setHeader("You are another one."),
  "a fold": (session) => session.compact(),
  "a late tool output": (session) => session.push(output("late", "here")),
  "outputs over their budget": (session) => session.push([calls("big"), output("big", words(4000, 7))]),
  "a pin and a fold": (session) => (session.pin(session.messages[0].id ?? session.items()[1].id), session.compact()),
};
for (const [what, change] of Object.entries(CHANGES))
  test(`it is the view as prepared, when read after ${what}`, async () => {
    const session = new Session({ contextWindow: 100_000, toolOutputCache: { contextBudgetTokens: 3000 }, summarize: () => GOOD });
    session.setHeader("You are one.");
    session.push([...conversation(3), user("go"), calls("late")]);
    const asPrepared = session.view("messages");
    const before = await session.prepare();
    const twin = await session.prepare();
    await change(session);
    const after = await session.prepare();
    assert.notDeepEqual(session.view("messages"), asPrepared);
    assert.deepEqual(before.messages, asPrepared);
    assert.deepEqual(twin.messages, asPrepared);
    assert.deepEqual(after.messages, session.view("messages"));
    session.push(assistant("the last"));
    assert.deepEqual(before.messages, asPrepared);
  });

for (const event of ["compaction_finished", "compaction_started", "*"])
  test(`it is the view that its report describes, whatever a listener of ${event} pushes`, async () => {
    const session = new Session({ contextWindow: 3000, compaction: { summarizerWindow: 100_000, ledgerTokens: 0 }, summarize: () => GOOD });
    session.push(conversation(4));
    let left = 3;
    session.on(event, () => left-- > 0 && session.push(user("pushed by a listener")));
    const { messages, report } = await session.prepare();
    assert.ok(left < 3 && session.folds().length === 1);
    assert.equal(report.messages_after, messages.length);
    const copy = new Session({ contextWindow: 100_000 });
    copy.push(messages.map(({ role, content, tool_calls, tool_call_id }) => JSON.parse(JSON.stringify({ role, content, tool_calls, tool_call_id }))));
    assert.equal(copy.tokens, report.tokens_after);
  });

test("it can be read even if nobody holds its session", async () => {
  assert.equal((await compactMessages(conversation(2), {})).messages.length, 8);
});

test("free() releases a view that nobody has read; its report can still be read later", async () => {
  const probe = new Session();
  const kept = [];
  let taken;
  for (let n = 0; n < 60; n++) {
    const session = new Session({ contextWindow: 3000, compaction: { summarizerWindow: 100_000 }, summarize: () => GOOD });
    session.push(conversation(100));
    kept.push(await session.prepare());
    session.free();
    if (n === 20) taken = probe.memory().wasm_bytes;
  }
  assert.ok(probe.memory().wasm_bytes - taken < 1e6, `${probe.memory().wasm_bytes - taken} bytes more`);
  for (const prepared of kept) {
    assert.ok(prepared.report.left_out.length > 100);
    assert.throws(() => prepared.messages, { code: "FREED" });
  }
});

// Invariants of every session, whatever it went through: determinism, idempotence, complete token accounting.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Session, compactMessages } from "contextfold";
import { FORMATS, assistant, calls, conversation, failsWith, output, stateOf, user, words } from "../support/session.mjs";

/** Sessions with different histories; each call makes a new one. */
const LIVES = {
  "nothing yet": async () => new Session({ contextWindow: 3000 }),
  "a few turns": async () => {
    const session = new Session({ contextWindow: 100_000 });
    session.setHeader("Be brief.");
    session.push(conversation(3));
    return session;
  },
  "a fold by the extractive summariser": async () => {
    const session = new Session({ contextWindow: 3000 });
    session.push(conversation(5));
    await session.compact();
    return session;
  },
  "folds of folds, trims and a live call": async () => {
    const session = new Session({ contextWindow: 3000, toolOutputCache: { contextBudgetTokens: 600 } });
    session.setHeader("Be brief.");
    for (const prefix of ["a", "b", "c"]) {
      session.push(conversation(3, 100, prefix));
      await session.prepare();
    }
    session.push([user("now"), calls("live_1", "live_2"), output("live_1", words(50))]);
    return session;
  },
  "one message that is too long": async () => {
    const session = new Session({ contextWindow: 2000 });
    session.push([user("go"), calls("a"), output("a", words(2000)), user(words(3000))]);
    await session.prepare();
    return session;
  },
  "pins": async () => {
    const session = new Session({ contextWindow: 3000 });
    const ids = session.push(conversation(5));
    session.pin(ids[0]);
    session.pin(ids[2]);
    await session.compact();
    return session;
  },
};

for (const [what, live] of Object.entries(LIVES))
  describe(`after ${what}`, () => {
    test("INV-6: the same operations give the same bytes", async () => {
      assert.equal(JSON.stringify(stateOf(await live())), JSON.stringify(stateOf(await live())));
    });

    test("INV-7: preparing twice changes nothing and returns the same objects", async () => {
      const session = await live();
      const first = await session.prepare();
      const state = stateOf(session);
      const second = await session.prepare();
      assert.deepEqual(stateOf(session), state);
      assert.deepEqual(second.messages.map((m, i) => m === first.messages[i]), second.messages.map(() => true));
      assert.equal(second.report.tokens_before, second.report.tokens_after);
      assert.deepEqual(second.report.decisions, []);
      assert.equal(second.report.stable_prefix_tokens, second.report.tokens_after, "all of it is as it was");
    });

    test("INV-10: the parts and the items both add up to the view's tokens", async () => {
      const session = await live();
      const { report } = await session.prepare();
      const sum = (list) => list.reduce((total, entry) => total + entry.tokens, 0);
      assert.equal(sum(report.parts), session.tokens);
      assert.equal(sum(session.items()), session.tokens);
      assert.equal(report.tokens_after, session.tokens);
    });

    test("the newest user message is in the view, and the header comes first", async () => {
      const session = await live();
      const users = session.messages.filter((m) => m.role === "user");
      const view = session.view("messages");
      if (users.length > 0 && users.at(-1).content.length < 1000) assert.ok(view.some((m) => m.content === users.at(-1).content));
      const headers = view.filter((m) => m.role === "system");
      assert.deepEqual(view.slice(0, headers.length), headers);
    });

    test("INV-1: in every format each output has its call before it", async () => {
      const session = await live();
      for (const format of ["messages", "openai-chat"]) {
        const open = new Set();
        for (const m of session.view(format)) {
          if (m.role === "tool") assert.ok(open.delete(m.tool_call_id), `${format}: ${m.tool_call_id}`);
          else assert.ok(![...open].some((id) => !id.startsWith("live")), `${format}: unanswered ${[...open]}`);
          for (const call of m.tool_calls ?? []) open.add(call.id);
        }
      }
      const answered = new Set();
      for (const item of session.view("openai-responses").input.toReversed?.() ?? [...session.view("openai-responses").input].reverse()) {
        if (item.type === "function_call_output") answered.add(item.call_id);
        if (item.type === "function_call") assert.ok(answered.delete(item.call_id) || item.call_id.startsWith("live"), item.call_id);
      }
      assert.equal(answered.size, 0);
    });

    test("a view can be pushed into a new session, in every format it can be read from", async () => {
      const session = await live();
      for (const format of FORMATS.slice(0, 3)) {
        const again = new Session();
        again.pushFrom(format, session.view(format));
        assert.equal(again.view(format).length ?? again.view(format).input.length, session.view(format).length ?? session.view(format).input.length, format);
      }
    });
  });

const NOTHING = /^there was nothing to fold/;

test("INV-8: with nothing to fold, compact() resolves to a report that says so and calls no summarizer", async () => {
  for (const pushes of [[], [user("only")], [user("go"), calls("a")]]) {
    const session = new Session({ contextWindow: 1000, summarize: () => assert.fail("asked") });
    session.push(pushes);
    const report = await session.compact();
    assert.deepEqual([report.tokens_before, report.tokens_after], [session.tokens, session.tokens]);
    assert.deepEqual(report.decisions.map(({ pass, items }) => [pass, items]), [["compact", []]]);
    assert.match(report.decisions[0].why, NOTHING);
    assert.equal(await session.checkAndCompact(), null);
  }
});

test("INV-8: the same turns are not folded twice", async () => {
  const session = new Session({ contextWindow: 10_000, summarize: () => "S" });
  session.push(conversation(4));
  assert.ok(await session.compact());
  const { decisions } = await session.compact();
  assert.equal(decisions.length, 1);
  assert.match(decisions[0].why, NOTHING);
  assert.equal(session.folds().length, 1);
});

test("INV-11: pinned messages stay verbatim after any number of compactions", async () => {
  const session = new Session({ contextWindow: 4000, summarize: () => "<summary>S</summary>" });
  const [first] = session.push(user("never touch main", { pinned: true }));
  session.push(assistant("understood"));
  for (const prefix of ["a", "b", "c", "d"]) {
    session.push(conversation(3, 80, prefix));
    await session.compact();
    assert.ok(session.view("messages").some((m) => m.content === "never touch main"));
    assert.equal(session.items().find((i) => i.id === first).pinned, true);
  }
  session.unpin(first);
  session.push(conversation(2, 80, "e"));
  await session.compact();
  assert.ok(!session.view("messages").some((m) => m.content === "never touch main"));
});

test("INV-3: pins that alone exceed the limit are refused with the token counts, without calling the summarizer", async () => {
  const session = new Session({ contextWindow: 500, summarize: () => assert.fail("asked") });
  session.push(user(words(600), { pinned: true }));
  await assert.rejects(session.prepare(), (e) => failsWith("BUDGET_IMPOSSIBLE", /pins/)(e) && e.report.tokens_after > 450);
});

test("compactMessages equals prepare on a new session, and does not change its input", async () => {
  const messages = conversation(5);
  const copy = structuredClone(messages);
  const { messages: fitted, report } = await compactMessages(messages, { contextWindow: 2000, compaction: { ledgerTokens: 0 }, summarize: () => "<summary>S</summary>" });
  assert.ok(report.tokens_after <= 1800);
  assert.match(fitted[0].content, /^\[Record of \d+ earlier messages, .*\]\n\nS\n\n\[End of the record\]$/);
  assert.equal(fitted.at(-1), messages.at(-1));
  assert.deepEqual(messages, copy);
});

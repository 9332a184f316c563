// A JavaScript function as the tokenizer (TOK-8), well-behaved and not.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Session, countTokens, loadEncoding } from "contextfold";
import { FORMATS, assistant, calls, conversation, failsWith, output, stateOf, user, words } from "../support/session.mjs";

const perWord = (text) => text.split(/\s+/).filter(Boolean).length;

/** The tokens a message costs in addition to its text. */
const OVERHEAD = overhead();
function overhead() {
  const session = new Session({ tokenizer: () => 0 });
  session.push(user("x"));
  return session.tokens;
}

test("the session counts with its numbers", async () => {
  const session = new Session({ contextWindow: 10_000, tokenizer: perWord });
  session.push([user("one two three"), assistant("four")]);
  assert.equal(session.tokens, 4 + 2 * OVERHEAD);
  assert.deepEqual(session.items().map((i) => i.tokens), [3 + OVERHEAD, 1 + OVERHEAD]);
  const { report } = await session.prepare();
  assert.equal(report.counter.method, "callback");
  assert.equal(report.counter.exact, false);
});

test("each text is counted once, when it is pushed", async () => {
  const asked = [];
  const session = new Session({ contextWindow: 100_000, tokenizer: (text) => (asked.push(text), perWord(text)) });
  session.push([user("alpha"), assistant("beta")]);
  session.push(user("gamma"));
  const known = asked.length;
  assert.deepEqual(asked, ["alpha", "beta", "gamma"]);
  void session.tokens, session.items(), session.view("messages"), session.shouldCompact();
  await session.prepare();
  await session.prepare();
  assert.equal(asked.length, known);
});

test("fractions are rounded up; an empty text is not counted", () => {
  const session = new Session({ tokenizer: (text) => (assert.notEqual(text, ""), 0.2) });
  session.push([user("x"), user("")]);
  assert.equal(session.tokens, 1 + 2 * OVERHEAD);
});

test("lone surrogates reach it as U+FFFD", () => {
  let asked;
  new Session({ tokenizer: (text) => ((asked = text), 1) }).push(user("a\ud800b"));
  assert.equal(asked, "a\ufffdb");
});

describe("a failing tokenizer refuses the push, and nothing has changed", () => {
  const bad = {
    throws: () => { throw new Error("no vocabulary"); },
    "answers NaN": () => NaN,
    "answers Infinity": () => Infinity,
    "answers a negative number": () => -1,
    "answers nothing": () => {},
    "answers null": () => null,
    "answers a string": () => "7",
    "answers a BigInt": () => 7n,
    "answers a promise": async () => 7,
    "answers an object": () => ({ tokens: 7 }),
  };
  for (const [what, fail] of Object.entries(bad))
    test(what, () => {
      let failing = false;
      const session = new Session({ tokenizer: (text) => (failing && text.includes("poison") ? fail() : perWord(text)) });
      session.push(conversation(2));
      const before = stateOf(session);
      failing = true;
      const batch = [user("fine"), assistant("fine"), user("poison")];
      for (let attempt = 0; attempt < 2; attempt++) {
        assert.throws(() => session.push(batch), failsWith("INVALID_ARGUMENT", /tokenizer/));
        assert.deepEqual(stateOf(session), before);
      }
      failing = false;
      assert.equal(session.push(batch).length, 3);
    });

  test("the error it threw is the cause", () => {
    const cause = new Error("no vocabulary");
    const session = new Session({ tokenizer: () => { throw cause; } });
    assert.throws(() => session.push(user("x")), (e) => failsWith("INVALID_ARGUMENT")(e) && e.cause === cause);
  });

  for (const [what, act] of Object.entries({
    "setHeader": (session) => session.setHeader("poison"),
    "setTools": (session) => session.setTools("openai-chat", [{ type: "function", function: { name: "poison" } }]),
  })) {
    test(`${what} says so`, () => {
      const session = new Session({ tokenizer: (text) => (text.includes("poison") ? NaN : 1) });
      const before = stateOf(session);
      assert.throws(() => act(session), failsWith("INVALID_ARGUMENT", /tokenizer/));
      assert.deepEqual(stateOf(session), before);
    });

    test(`a failure in ${what} does not affect the next push`, () => {
      const session = new Session({ tokenizer: (text) => (text.includes("poison") ? NaN : 1) });
      try {
        act(session);
      } catch {}
      session.push(user("fine"));
    });
  }

  test("a failure on the placeholder of a trimmed output does not fail a later push", () => {
    const session = new Session({
      tokenizer: (text) => { if (text.startsWith("[tool output trimmed")) throw new Error("x"); return perWord(text); },
      toolOutputCache: { contextBudgetTokens: 100 },
    });
    session.push([user("go"), calls("a", "b")]);
    try {
      session.push([output("a", words(200)), output("b", words(200))]);
    } catch {
      return; // refusing the push itself is fine
    }
    session.push(assistant("fine"));
  });
});

describe("re-entry: the tokenizer uses the session that it counts for", () => {
  const reads = {
    tokens: (session) => session.tokens,
    items: (session) => session.items(),
    view: (session) => session.view("messages"),
    messages: (session) => session.messages,
    shouldCompact: (session) => session.shouldCompact(),
    refs: (session) => session.toolOutputs.refs(),
  };
  for (const [what, read] of Object.entries(reads))
    test(`reads ${what} while a message is pushed`, () => {
      let session, before;
      session = new Session({ tokenizer: (text) => (before && assert.deepEqual(read(session), before), perWord(text)) });
      session.push(user("first"));
      before = read(session);
      session.push(assistant("second"));
      before = null;
      session.push(user("third"));
      assert.equal(session.messages.length, 3);
    });

  test("pushes while a message is pushed: both messages are added, or a typed error is thrown", () => {
    let session, nested = false;
    session = new Session({
      tokenizer: (text) => {
        if (text === "outer" && !nested) {
          nested = true;
          session.push(user("inner"));
        }
        return perWord(text);
      },
    });
    session.push(user("outer"));
    assert.deepEqual(session.messages.map((m) => m.content).sort(), ["inner", "outer"]);
    assert.equal(session.tokens, 2 + 2 * OVERHEAD);
  });

  test("frees it: gets an error that it cannot do so now", () => {
    let thrown;
    const session = new Session({
      tokenizer: () => {
        try {
          session.free();
        } catch (error) {
          thrown = error;
        }
        return 1;
      },
    });
    try {
      session.push(user("x"));
    } catch (error) {
      failsWith("FREED")(error);
    }
    failsWith("INVALID_ARGUMENT", /cannot be freed while/)(thrown);
  });

  test("using the session while the engine counts is a typed error, never a borrow error", () => {
    let session;
    const errors = [];
    session = new Session({
      tokenizer: (text) => {
        if (text.startsWith("[tool output trimmed"))
          for (const use of [() => session.tokens, () => session.push(user("x")), () => session.view("messages"), () => session.toolOutputs.refs()])
            try {
              use();
            } catch (error) {
              errors.push(error);
            }
        return perWord(text);
      },
      toolOutputCache: { contextBudgetTokens: 100 },
    });
    session.push([user("go"), calls("a", "b"), output("a", words(200)), output("b", words(200))]);
    for (const error of errors) failsWith("INVALID_ARGUMENT", /the callbacks that it calls \(`tokenizer`/)(error);
    assert.equal(session.view("messages").filter((m) => /trimmed/.test(m.content)).length > 0, true);
  });
});

test("countTokens accepts the names of the estimates, and refuses others", () => {
  assert.equal(countTokens("abcdefgh", "bytes/4"), 2);
  assert.equal(countTokens("hello"), countTokens("hello", "estimate"));
  for (const tokenizer of ["o300k", "", null, 7, {}]) assert.throws(() => countTokens("x", tokenizer), failsWith("INVALID_ARGUMENT", /tokenizer/), String(tokenizer));
});

test("countTokens counts with an encoding, and with a function", async () => {
  const encoding = await loadEncoding("o200k_base");
  assert.equal(countTokens("Hello, world", encoding), encoding.count("Hello, world"));
  const length = (text) => text.length;
  assert.equal(countTokens("hello", length), 5);
  const session = new Session({ tokenizer: length });
  session.push(conversation(2));
  assert.equal(countTokens(conversation(2), length), session.tokens);
  const cause = new Error("no");
  const throws = () => {
    throw cause;
  };
  assert.throws(() => countTokens("x", throws), (e) => failsWith("INVALID_ARGUMENT")(e) && e.cause === cause);
  assert.throws(() => countTokens([{ role: "user", content: "x" }], () => NaN), failsWith("INVALID_ARGUMENT"));
});

test("countTokens accepts lists and bodies of every format", () => {
  const session = new Session({ tokenizer: "bytes/4" });
  session.setHeader("Be brief.");
  session.push(conversation(2));
  for (const format of FORMATS) {
    const view = session.view(format);
    const same = new Session({ tokenizer: "bytes/4" });
    same.pushFrom(format, view);
    assert.equal(countTokens(view, "bytes/4"), same.tokens, format);
  }
  const { input } = session.view("openai-responses");
  assert.ok(countTokens(input) > 0);
  assert.equal(countTokens({ model: "m", input }), countTokens(input));
  for (const nothing of [5, null, undefined, true, {}]) assert.throws(() => countTokens(nothing), failsWith("INVALID_ARGUMENT"), String(nothing));
});

test("countTokens of messages equals the session's count", () => {
  const session = new Session({ tokenizer: "bytes/4" });
  session.push(conversation(2));
  assert.equal(countTokens(conversation(2), "bytes/4"), session.tokens);
  assert.throws(() => countTokens([{ content: "no role" }]), failsWith("INVALID_MESSAGE", /message 0/));
});

// Reading the caller's objects can run their code: getters, `toJSON`, proxies. None of it breaks the module.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ContextError, OpenAIHistoryAdapter, Session, check, countTokens } from "contextfold";

const user = (content) => ({ role: "user", content });
const assistant = (content) => ({ role: "assistant", content });
const refused = (error) => ContextError.isInstance(error) && error.code === "INVALID_ARGUMENT";

test("a list that uses the session while sync reads it is refused, and the session goes on", () => {
  let armed = false;
  const session = new Session({
    tokenizer: (text) => {
      if (armed) {
        armed = false;
        session.sync("openai-chat", []);
      }
      return text.length;
    },
  });
  const talk = [user("a"), assistant("b")];
  session.sync("openai-chat", talk);
  armed = true;
  assert.throws(() => session.sync("openai-chat", [...talk, user("n")]), refused);
  assert.deepEqual(session.sync("openai-chat", [...talk, user("n")]).added, 3);
  const entry = { ...user("n"), toJSON: () => (session.sync("openai-chat", []), user("n")) };
  assert.throws(() => session.sync("openai-chat", [...talk, user("n"), entry]), refused);
  assert.equal(session.sync("openai-chat", talk).added, 2);
});

test("a refused list leaves the header unchanged", () => {
  const session = new Session();
  const hi = { role: "user", content: "hi" };
  session.sync("anthropic", { system: "A", messages: [hi] });
  const orphan = { role: "user", content: [{ type: "tool_result", tool_use_id: "nope", content: "1" }] };
  assert.throws(() => session.sync("anthropic", { system: "B", messages: [hi, { role: "assistant", content: "x" }, orphan] }));
  assert.equal(session.view("anthropic").system, "A");
});

test("a getter that throws, or calls back into the session, gives an error and breaks nothing", () => {
  let armed;
  const session = new Session();
  const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };
  const output = {
    role: "tool",
    tool_call_id: "c",
    content: "x",
    get extra() {
      return armed?.();
    },
  };
  session.push([user("q"), { role: "assistant", content: null, tool_calls: [call] }, output]);
  armed = () => {
    throw new Error("boo");
  };
  assert.throws(() => session.messages, /boo/);
  armed = () => session.view("messages");
  assert.throws(() => session.messages, refused);
  armed = undefined;
  assert.equal(session.messages.length, 3);
  assert.equal(session.view("messages").length, 3);
});

/** Objects that throw at the first access of any kind. */
const takenBack = (of) => {
  const { proxy, revoke } = Proxy.revocable(of, {});
  revoke();
  return proxy;
};

test("a list or an object that throws when read leaves nothing borrowed: the session goes on, and can be freed", () => {
  const throwing = new Proxy([user("a")], {
    get() {
      throw new Error("boo");
    },
  });
  for (const bad of [takenBack([]), takenBack({}), throwing]) {
    const session = new Session();
    const works = [
      () => session.push(bad),
      ...["messages", "openai-chat", "openai-responses"].flatMap((format) => [() => session.pushFrom(format, bad), () => session.sync(format, bad), () => session.sync(format, { messages: bad, input: bad })]),
      () => session.setHeader(bad),
      () => session.setOptions(bad),
      () => session.setContext(bad),
      () => session.plan(bad),
      () => session.merge(bad, bad),
      () => session.graph.compress(bad, "s"),
    ];
    for (const work of works) assert.throws(work, undefined, work.toString());
    const history = new OpenAIHistoryAdapter([]);
    assert.throws(() => history.append(bad));
    assert.throws(() => history.rebuild(bad));
    assert.throws(() => check("openai-chat", bad));
    session.push(user("b"));
    assert.equal(session.messages.length, 1);
    session.free();
    history.free();
  }
  assert.throws(() => countTokens("text", takenBack({})), refused);
});

test("an error with unreadable fields is understood from the readable ones", async () => {
  const gone = Proxy.revocable([], {});
  gone.revoke();
  const session = new Session({ contextWindow: 100_000 });
  session.push([user("word ".repeat(400)), assistant("yes"), user("and now?")]);
  const error = Object.assign(new Error("prompt is too long: 205668 tokens > 200000 maximum"), { cause: gone.proxy });
  assert.ok(await session.recover(error));
});

test("a message that makes the module's memory grow while it is read is read correctly", () => {
  const session = new Session({ contextWindow: 1e9 });
  const grown = { role: "user", content: "before" };
  const message = {
    role: "user",
    get content() {
      session.tokens; // the growing getter may only be read; others may be written
      new Session({ contextWindow: 1e9 }).push([{ role: "user", content: "x".repeat(40_000_000) }]);
      return "the text";
    },
  };
  session.push([grown, message]);
  assert.deepEqual(session.view("openai-chat").map((m) => m.content), ["before", "the text"]);
});

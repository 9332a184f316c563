// Events: typed, in order, and no listener can harm the session (IR-2).

import assert from "node:assert/strict";
import { test } from "node:test";
import { Session } from "contextfold";
import { assistant, calls, conversation, failsWith, output, user, words } from "../support/session.mjs";

/** Folds all but the last turns: these tests are not about the summary's contents. */
const ladder = [{ pass: "ephemeral" }, { pass: "trim_tool_outputs" }, { pass: "dedupe_reads" }, { pass: "summarize" }];

const GOOD = "<summary>the gist</summary>";
const NAMES = ["message_added", "items_removed", "conversation_replaced", "output_trimmed", "prompt_changed", "compaction_due", "compaction_started", "compaction_finished", "compaction_failed", "folded", "unfolded"];

/** A session and the names of all its events. */
function listened(options) {
  const session = new Session({ ladder, ...options });
  const events = [];
  session.on("*", (event) => events.push(event));
  return { session, events, names: () => events.map((e) => e.event) };
}

/** Runs with `console.error` silenced, and returns what was logged. */
async function quietly(run) {
  const said = [];
  const original = console.error;
  console.error = (...args) => said.push(args);
  try {
    await run();
  } finally {
    console.error = original;
  }
  return said;
}

test("one message_added for each message, with its id and the view's tokens", () => {
  const { session, events } = listened();
  const ids = session.push([user("one"), assistant("two")]);
  assert.deepEqual(events.map((e) => [e.event, e.items]), ids.map((id) => ["message_added", [id]]));
  assert.ok(events.every((e) => typeof e.detail === "string" && e.tokens === session.tokens));
  assert.deepEqual(Object.keys(events[0]), ["event", "items", "detail", "tokens"]);
});

test("a pin that restores a message to the view sends its event at once, not with the next push", async () => {
  const { session, events, names } = listened({ contextWindow: 10_000, summarize: () => GOOD });
  const [id] = session.push(conversation(4));
  await session.compact();
  events.length = 0;
  session.pin(id);
  assert.deepEqual(names(), ["unfolded"]);
  session.unpin(id);
  session.setHeader("Be brief.");
  const told = events.length;
  session.push(user("next"));
  assert.deepEqual(names().slice(told), ["message_added"]);
});

test("the header, the tools, the parts of setContext and erase send events, once each and only if they change something", () => {
  const { session, events } = listened();
  const [, secret] = session.push([user("one"), assistant("my secret"), user("two")]);
  const told = (change) => {
    events.length = 0;
    change();
    change();
    return events.map((e) => [e.event, e.items, e.detail, e.tokens === session.tokens]);
  };
  assert.deepEqual(told(() => session.setHeader("Be brief.")), [["prompt_changed", [session.items()[0].id], "the header", true]]);
  assert.deepEqual(told(() => session.setTools("openai-chat", [{ type: "function", function: { name: "read", parameters: {} } }])), [["prompt_changed", [], "the tools", true]]);
  const [[name, items, ...rest], ...more] = told(() => session.setContext({ memory: ["They prefer tabs."] }));
  assert.deepEqual([name, items.length, rest, more], ["prompt_changed", 1, ["the parts of setContext", true], []]);
  assert.deepEqual(told(() => session.setContext(null)), [["prompt_changed", [], "the parts of setContext", true]]);
  assert.deepEqual(told(() => session.setContext({ toolFilter: () => false })), [["prompt_changed", [], "the tools", true]]);
  events.length = 0;
  session.erase(secret);
  assert.deepEqual(events.map((e) => [e.event, e.items, e.tokens]), [["output_trimmed", [secret], session.tokens]]);
});

test("a listener of message_added gets the pushed message, the same object", () => {
  const session = new Session();
  const message = user("one");
  const seen = [];
  session.on("message_added", () => seen.push(session.view("messages").at(-1)));
  session.push(message);
  assert.ok(seen[0] === message);
});

test("a listener of compaction_started sees the compaction under way", async () => {
  let asked = 0;
  const session = new Session({ contextWindow: 10_000, summarize: () => (asked++, GOOD) });
  session.push(conversation(4));
  let joined;
  session.on("compaction_started", () => (joined = session.compact()));
  const report = await session.compact();
  assert.deepEqual(await joined, report);
  assert.equal(asked, 1);
});

test("a refused push sends no event", () => {
  const { session, events } = listened();
  assert.throws(() => session.push([user("fine"), { role: "nobody" }]));
  assert.deepEqual(events, []);
});

test("output_trimmed names what was trimmed", () => {
  const { session, events } = listened({ toolOutputCache: { contextBudgetTokens: 500 } });
  const ids = session.push([user("go"), calls("a", "b"), output("a", words(150)), output("b", words(150))]);
  const trimmed = events.filter((e) => e.event === "output_trimmed");
  assert.deepEqual(trimmed.map((e) => e.items), [[ids[2]]]);
});

test("the even cut tells which messages it cut, and which are whole again", async () => {
  const session = new Session({ contextWindow: 6000 });
  session.push([user("go"), ...Array.from({ length: 12 }, (_, i) => [calls(`c${i}`), output(`c${i}`, words(400))]).flat()]);
  const events = [];
  session.on("*", (event) => events.push(event));
  await session.prepare();
  const { decisions } = session.report;
  const trimmed = events.filter((e) => e.event === "output_trimmed");
  assert.deepEqual(trimmed.map((e) => [e.detail, e.items, e.tokens]), decisions.map((d) => [d.why, d.items, d.tokens_after]));
  assert.deepEqual(decisions.map((d) => d.pass), ["even_cut"]);
  events.length = 0;
  await session.prepare();
  assert.deepEqual(events, [], "an idle prepare tells nothing");
  for (const contextWindow of [20_000, 100_000]) {
    session.setOptions({ contextWindow });
    await session.prepare();
    const [{ event, items, tokens }, ...more] = events.splice(0);
    assert.deepEqual([event, tokens, more], ["unfolded", session.tokens, []], "there is room for more of them");
    assert.match(session.report.decisions.find(({ pass }) => pass === "even_cut").why, contextWindow === 20_000 ? /^there is room again: .* still cut/ : /^there is room again: no text/);
    assert.ok(items.length > 0 && items.every((id) => trimmed[0].items.includes(id)));
  }
  assert.ok(session.items().every(({ form }) => form === "whole"));
});

test("the last resort tells what it shortened", async () => {
  const session = new Session({ contextWindow: 2000, ladder: [] });
  const [id] = session.push(user(words(3000)));
  const events = [];
  session.on("*", (event) => events.push(event));
  await session.prepare();
  assert.deepEqual(events.map((e) => [e.event, e.items, e.tokens]), [["output_trimmed", [id], session.tokens]]);
});

for (const way of ["compact", "prepare", "checkAndCompact"]) {
  test(`${way}: started, folded, finished, in this order`, async () => {
    const { session, names } = listened({ contextWindow: 3000, compaction: { summarizerWindow: 100_000 }, summarize: () => GOOD });
    session.push(conversation(4));
    const before = names().length;
    await session[way]();
    const relevant = names().slice(before).filter((n) => /^compaction|^folded/.test(n));
    assert.deepEqual(relevant, ["compaction_started", "folded", "compaction_finished"]);
  });

  test(`${way}: started, failed`, async () => {
    const { session, names, events } = listened({ contextWindow: 3000, compaction: { summarizerWindow: 100_000 }, summarize: () => { throw new Error("down"); } });
    session.push(conversation(4));
    const before = names().length;
    await assert.rejects(session[way]());
    assert.deepEqual(names().slice(before), ["compaction_started", "compaction_failed"]);
    assert.match(events.at(-1).detail, /SUMMARY_FAILED/);
  });
}

test("compaction_started comes before the callback is called", async () => {
  const order = [];
  const session = new Session({ contextWindow: 3000, compaction: { summarizerWindow: 100_000 }, summarize: () => (order.push("asked"), GOOD) });
  session.on("compaction_started", () => order.push("started"));
  session.on("compaction_finished", () => order.push("finished"));
  session.push(conversation(4));
  await session.compact();
  assert.deepEqual(order, ["started", "asked", "finished"]);
});

test("on() accepts every name and *, and refuses others with the list", () => {
  const session = new Session();
  for (const name of [...NAMES, "*"]) assert.equal(typeof session.on(name, () => {}), "function");
  for (const name of ["message", "", "MESSAGE_ADDED"]) assert.throws(() => session.on(name, () => {}), failsWith("INVALID_ARGUMENT", /message_added/));
});

for (const listener of [undefined, null, 5, "x", {}])
  test(`an invalid listener is refused: ${String(listener)}`, () => {
    assert.throws(() => new Session().on("*", listener), failsWith("INVALID_ARGUMENT", /listener/));
  });

test("a listener for one name hears only that event; several are called in order", () => {
  const session = new Session();
  const heard = [];
  session.on("message_added", () => heard.push("first"));
  session.on("folded", () => heard.push("never"));
  session.on("*", () => heard.push("second"));
  session.push(user("x"));
  assert.deepEqual(heard, ["first", "second"]);
});

test("the function that on() returns removes the listener, and may be called again", () => {
  const session = new Session();
  let heard = 0;
  const off = session.on("*", () => heard++);
  session.push(user("x"));
  off();
  off();
  session.push(user("y"));
  assert.equal(heard, 1);
  session.free();
  off();
});

test("the same function twice is two listeners", () => {
  const session = new Session();
  let heard = 0;
  const listener = () => heard++;
  const off = session.on("*", listener);
  session.on("*", listener);
  session.push(user("x"));
  off();
  session.push(user("y"));
  assert.equal(heard, 3);
});

test("a listener that throws is logged on the console and stops nothing", async () => {
  const session = new Session();
  let heard = 0;
  const thrown = new Error("mine");
  session.on("*", () => { throw thrown; });
  session.on("*", () => heard++);
  const said = await quietly(() => session.push([user("x"), user("y")]));
  assert.equal(heard, 2);
  assert.equal(session.messages.length, 2);
  assert.deepEqual(said.map((args) => args.at(-1)), [thrown, thrown]);
});

test("so is what an async listener rejects with, instead of ending the process", async () => {
  const session = new Session();
  const thrown = new Error("mine");
  session.on("*", async () => { throw thrown; });
  const said = await quietly(async () => {
    session.push(user("x"));
    await new Promise((done) => setImmediate(done));
  });
  assert.deepEqual(said.map((args) => args.at(-1)), [thrown]);
});

test("a listener may use the session: push, compact, read, remove itself", async () => {
  const session = new Session({ contextWindow: 3000, compaction: { summarizerWindow: 100_000 }, summarize: () => GOOD });
  let pushed = false;
  const off = session.on("folded", () => {
    session.push(user("from a listener"));
    void session.view("messages"), session.items();
    pushed = true;
    off();
  });
  session.push(conversation(4));
  await session.compact();
  assert.ok(pushed);
  assert.equal(session.view("messages").at(-1).content, "from a listener");
});

test("a listener that pushes keeps events in order", () => {
  const session = new Session();
  const heard = [];
  session.on("message_added", (event) => {
    heard.push(event.items[0]);
    if (heard.length === 1) session.push(user("three", { id: "third" }));
  });
  session.push([user("one", { id: "first" }), user("two", { id: "second" })]);
  assert.deepEqual(heard, ["first", "second", "third"]);
});

test("a listener that frees the session during a push gets an error", async () => {
  const session = new Session();
  let thrown;
  session.on("*", () => {
    try {
      session.free();
    } catch (error) {
      thrown = error;
    }
  });
  await quietly(() => {
    try {
      session.push(user("x"));
    } catch (error) {
      failsWith("FREED")(error);
    }
  });
  failsWith("INVALID_ARGUMENT", /cannot be freed while/)(thrown);
});

test("after a refused free() the handle is still released", async () => {
  const session = new Session();
  const off = session.on("*", () => session.free());
  await quietly(() => session.push(user("x")));
  off();
  assert.throws(() => session.tokens, failsWith("FREED"));
});

test("a listener that tries to free the session does not break the module", async () => {
  const session = new Session();
  session.on("*", () => session.free());
  await quietly(() => {
    try {
      session.push(user("x"));
    } catch {}
  });
  new Session().push(user("others go on"));
});

test("each listener gets its own copy of the event", () => {
  const session = new Session();
  const seen = [];
  session.on("*", (event) => { event.items.length = 0; event.event = "forged"; });
  session.on("*", (event) => seen.push(event));
  session.push(user("x"));
  assert.equal(session.messages.length, 1);
  assert.equal(seen.length, 1);
});

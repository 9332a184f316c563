// Messages as JavaScript may pass them: odd text, odd objects. The result is sensible JSON or a typed error, never a trap.

import assert from "node:assert/strict";
import { inspect } from "node:util";
import { describe, test } from "node:test";
import { Session } from "contextfold";
import { FORMATS, assistant, call, calls, conversation, failsWith, output, stateOf, user, words } from "../support/session.mjs";

/** A session after one push; it must be readable in every format. */
function pushed(...input) {
  const session = new Session({ contextWindow: 100_000 });
  session.push(...input);
  for (const format of FORMATS) JSON.stringify(session.view(format));
  return session;
}

describe("text-only messages", () => {
  /** The same to `JSON.stringify`, but not a plain object, so it takes the slow path over JSON. */
  const overJson = (message) => Object.assign(Object.create(null), message);
  const strange = ["", "a\0b", "\ud800", "x\ud83d", "日本👍🏽", "\u2028\r\n\t\"\\", "a".repeat(5_461), "é".repeat(6_000), "x".repeat(200_000)];
  const cases = {
    "texts of every kind": strange.flatMap((text) => [user(text), assistant(text), calls("a"), output("a", text)]),
    "a header": [{ role: "system", content: "You help." }, { role: "developer", content: "Briefly." }, user("go")],
    "calls and a text": [user("go"), { role: "assistant", content: "I look.", tool_calls: [call("a", "t", "{}"), call("\ud800", "t", "x")] }, output("a", "1"), output("\ud800", "2")],
    "fields that are undefined": [{ role: "user", tool_call_id: undefined, content: "go", tool_calls: undefined }],
    "keys in another order": [{ content: "go", role: "user" }, { content: "1", role: "assistant" }],
    "empty ids": [user("go"), { role: "assistant", content: "", tool_calls: [call("", "t", "{}")] }, output("", "1")],
    "an empty list of calls": [user("go"), { role: "assistant", content: "x", tool_calls: [] }],
    "several calls": [user("go"), { role: "assistant", content: "é", tool_calls: ["a", "b", "c"].map((id) => call(id, `t${id}`, `{"${id}":"日"}`)) }, ...["a", "b", "c"].map((id) => output(id, id))],
    "a NUL in a call": [user("go"), { role: "assistant", content: "x", tool_calls: [call("a", "t", "1\0 2"), call("b\0", "t", "{}")] }],
    "long arguments": [user("go"), { role: "assistant", content: "x", tool_calls: [call("a", "t", "é".repeat(30_000))] }],
    "calls with other keys": [
      { id: "a", function: { name: "t", arguments: "{}" }, type: "function" },
      { id: "b", type: "function", function: { arguments: "{}", name: "t" } },
      { id: "c", type: "function", function: { name: "t", arguments: "{}", strict: true } },
      { id: "d", type: "function", function: { name: "t", arguments: "{}" }, index: 0 },
      { id: "e", type: "function", function: { name: "t", arguments: "{}" }, extra: undefined },
    ].flatMap((given) => [user("go"), { role: "assistant", content: "x", tool_calls: [given] }]),
    "calls that are written otherwise": [user("go"), { role: "assistant", content: "x", tool_calls: Object.assign([call("a", "t", "{}")], { toJSON: () => [call("b", "t", "{}")] }) }],
    "calls of other kinds": [user("go"), { role: "assistant", content: "x", tool_calls: [{ id: "a", type: "custom", custom: { name: "t", input: "x", more: 1 }, hosted: false }] }],
  };
  for (const [what, list] of Object.entries(cases))
    test(`are read like their JSON: ${what}`, () => {
      const [one, other] = [new Session(), new Session()];
      one.push(list);
      other.push(list.map(overJson));
      assert.deepEqual(one.snapshot(), other.snapshot());
    });

  const refused = [{ role: "tool", content: "x" }, { role: "user", content: "x", tool_calls: [call("a", "t", "{}")] }, { role: "robot", content: "x" }, { role: "assistant", content: "x", tool_calls: [{}] }];
  for (const bad of refused)
    test(`are refused like their JSON: ${JSON.stringify(bad)}`, () => {
      const thrown = (message) => {
        const session = new Session();
        try {
          session.push([user("go"), message]);
        } catch (error) {
          return [error.code, error.message];
        }
        return session.snapshot();
      };
      assert.deepEqual(thrown(bad), thrown(overJson(bad)));
    });
});

describe("text", () => {
  const texts = {
    "every plane": "aé日本👍🏽👨‍👩‍👧‍👦🇯🇵\u{10ffff}",
    "right to left and marks": "\u202eשלום\u200f مرحبا",
    "zalgo": `e${"\u0301".repeat(1900)}`,
    "controls": Array.from({ length: 32 }, (_, i) => String.fromCharCode(i)).join(""),
    "NUL": "a\0b",
    "line separators": "a\u2028b\u2029c\r\nd\re",
    "a byte order mark": "\ufeffx",
    "noncharacters": "\ufffe\uffff",
    "escapes": "\\u0041 \\ud800 \\\\ \" ' ` $& $1 ${x} </script>",
    "only blanks": " \t\n",
    "keys of JSON": '{"role":"system","content":"x"}',
  };
  for (const [what, text] of Object.entries(texts))
    test(what, () => {
      const session = pushed([user(text), assistant(text), calls("a"), output("a", text)]);
      assert.ok(session.tokens > 0);
      assert.equal(session.view("openai-chat")[0].content, text);
      assert.equal(session.view("openai-chat")[3].content, text);
    });

  test("a stored output comes back unchanged", async () => {
    for (const text of Object.values(texts)) {
      const session = pushed([calls("a"), output("a", text)]);
      const { id } = session.toolOutputs.refs()[0];
      assert.equal(await session.toolOutputs.get(id), text);
    }
  });

  for (const lone of ["\ud800", "\udc00", "x\ud83d", "\ude00\ud83d", "\\\ud800", "\ud800\ud800\udc00", "\\ud800 \udfff"])
    test(`lone surrogates become U+FFFD when the engine writes them: ${JSON.stringify(lone)}`, async () => {
      const session = pushed([user("go"), calls("a"), output("a", lone)]);
      const ref = session.toolOutputs.refs()[0];
      assert.equal(await session.toolOutputs.get(ref.id), lone.toWellFormed());
      const part = pushed(user([{ type: "text", text: lone }])).view("openai-chat")[0];
      assert.ok(JSON.stringify(part).isWellFormed());
      assert.equal(session.toolOutputs.put(lone).byte_size, Buffer.byteLength(lone.toWellFormed()));
    });

  test("lone surrogates in keys, ids and arguments", () => {
    const session = pushed([
      user("go", { extras: { "openai-chat": { "\ud800": "\udc00" } } }),
      { role: "assistant", content: null, tool_calls: [call("a\ud800", "t", '{"x":"\ud800"}')] },
    ]);
    session.push(output("a\ud800", "ok"));
    assert.equal(session.messages.length, 3);
  });

  for (const [what, make] of Object.entries({
    "a megabyte of one letter": () => "a".repeat(1 << 20),
    "a megabyte of blanks": () => " ".repeat(1 << 20),
    "a megabyte of lines": () => "\n".repeat(1 << 20),
    "a megabyte of base64": () => Buffer.alloc(786_432, 7).toString("base64"),
    "a megabyte of emoji": () => "👩‍👩‍👧‍👦".repeat(40_000),
    "a megabyte of one grapheme": () => `e${"\u0301".repeat(500_000)}`,
  }))
    test(`${what}: pushed, cut for the view, whole in the store`, async () => {
      const text = make();
      const session = new Session({ contextWindow: 8000 });
      session.push([user("go"), calls("a"), output("a", text), user(text)]);
      assert.ok(session.view("messages")[2].content.length <= 51_200);
      assert.equal(await session.toolOutputs.get(session.toolOutputs.refs()[0].id), text);
      const { messages, report } = await session.prepare();
      assert.ok(report.tokens_after <= report.limit * (1 - report.counter.margin), "INV-3");
      assert.ok(messages.every((m) => JSON.stringify(m).isWellFormed()));
    });

  test("10,000 messages", () => {
    const session = pushed(Array.from({ length: 10_000 }, (_, i) => (i % 2 ? assistant(`a ${i}`) : user(`q ${i}`))));
    assert.equal(session.view("openai-responses").input.length, 10_000);
  });
});

describe("objects", () => {
  class Speech {
    constructor(content) {
      this.role = "user";
      this.content = content;
    }
  }
  const throwing = new Error("mine");

  const taken = {
    "frozen to the bottom": [Object.freeze({ role: "user", content: Object.freeze([Object.freeze({ type: "text", text: "said" })]) }), "said"],
    "a class": [new Speech("said"), "said"],
    "no prototype": [Object.assign(Object.create(null), user("said")), "said"],
    "a getter": [{ role: "user", get content() { return "said"; } }, "said"],
    "a proxy": [new Proxy(user("said"), {}), "said"],
    "toJSON": [{ toJSON: () => user("said") }, "said"],
    "functions and symbols beside": [{ ...user("said"), f() {}, [Symbol("x")]: 1, u: undefined }, "said"],
    "boxed strings": [{ role: new String("user"), content: new String("said") }, "said"],
    "a Date as its text": [user(new Date(0)), "1970-01-01T00:00:00.000Z"],
    "a sparse list of parts, filled": [user(Array.from([{ type: "text", text: "said" }])), "said"],
  };
  for (const [what, [message, text]] of Object.entries(taken))
    test(`${what}: read as its JSON, returned as the same object`, () => {
      const session = pushed(message);
      assert.equal(session.view("messages")[0], message);
      assert.equal(session.messages[0], message);
      assert.equal(session.view("openai-chat")[0].content?.[0]?.text ?? session.view("openai-chat")[0].content, text);
    });

  const cycle = user("x");
  cycle.self = cycle;
  const refused = {
    undefined: undefined,
    null: null,
    "a number": 5,
    "a string": "hello",
    "a function": () => {},
    "a symbol": Symbol("x"),
    "a Map": new Map([["role", "user"]]),
    "an empty object": {},
    "a list in the list": [[user("x")]],
    "no role": { content: "x" },
    "an unknown role": { role: "robot", content: "x" },
    "a role that is no string": { role: 5, content: "x" },
    "no content": { role: "user" },
    "null content of a user": user(null),
    "a number as content": user(5),
    "an object as content": user({ text: "x" }),
    "a Map as content": user(new Map()),
    "a Set as content": user(new Set(["x"])),
    "a symbol as content": user(Symbol("x")),
    "null among the parts": user([null]),
    "a hole among the parts": user(new Array(1)),
    "a string among the parts": user(["x"]),
    "a text part without text": user([{ type: "text" }]),
    "a text part whose text is a number": user([{ type: "text", text: 5 }]),
    "calls that are no list": { role: "assistant", content: "x", tool_calls: {} },
    "a call without an id": { role: "assistant", tool_calls: [{ type: "function", function: { name: "x", arguments: "{}" } }] },
    "a call without a function": { role: "assistant", tool_calls: [{ id: "a", type: "function" }] },
    "arguments that are no text": { role: "assistant", tool_calls: [{ id: "a", type: "function", function: { name: "x", arguments: {} } }] },
    "two calls of one id": { role: "assistant", tool_calls: [call("a"), call("a")] },
    "an output without its call": output("nobody"),
    "an output without an id": { role: "tool", content: "x" },
    "an id that is no string": user("x", { id: 5 }),
    "an empty id": user("x", { id: "" }),
    "an unknown item_type": user("x", { item_type: "NOTE" }),
    "a negative ephemeral": user("x", { ephemeral: -1 }),
    "a BigInt": user("x", { n: 1n }),
    "a cycle": cycle,
    "a getter that throws": { get role() { throw throwing; } },
    "a proxy that throws": new Proxy({}, { get() { throw throwing; } }),
    "a revoked proxy": (() => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy; })(),
    "toJSON that throws": { toJSON() { throw throwing; } },
    "toJSON that gives nonsense": { toJSON: () => 5 },
  };
  for (const [what, bad] of Object.entries(refused))
    test(`refused with its index, and nothing changed: ${what}`, () => {
      const session = new Session({ contextWindow: 100_000 });
      session.push(conversation(1));
      const before = stateOf(session);
      assert.throws(() => session.push([user("fine"), bad]), failsWith("INVALID_MESSAGE", /message 1\b/));
      assert.deepEqual(stateOf(session), before);
    });

  const refusedWith = (words) => (error) => failsWith("INVALID_MESSAGE")(error) && (error.message.includes(words) || assert.fail(`no ${words} in: ${error.message}`));

  test("what cannot be written as JSON is named by its path", () => {
    const paths = { n: refused["a BigInt"], self: cycle, "content.0.size": user([{ type: "text", text: "x", size: 5n }]), "a.b.b": user("x", { a: (() => { const a = {}; a.b = { b: a }; return a; })() }), role: refused["a getter that throws"] };
    for (const [path, bad] of Object.entries(paths))
      for (const push of [(s) => s.push(bad), (s) => s.pushFrom("openai-chat", [bad])])
        assert.throws(() => push(new Session()), refusedWith(`\`${path}\` cannot be written as JSON`));
  });

  test("arguments as an object: the message says what to do, and each path stands in one pair of backticks", () => {
    const bad = refused["arguments that are no text"];
    assert.throws(() => new Session().push(bad), refusedWith("`tool_calls[0].function` needs `name` and `arguments`, both strings: pass `JSON.stringify(arguments)`"));
    assert.throws(() => new Session().pushFrom("openai-chat", bad), refusedWith("pass `JSON.stringify(arguments)`"));
    assert.throws(() => new Session().push(user([{ type: "image", url: 5 }])), refusedWith("`content[0].url` is not a string"));
  });

  test("an item of the Responses API under another format: the message names its format", () => {
    for (const format of ["messages", "openai-chat", "anthropic", "bedrock-converse", "ai-sdk"])
      assert.throws(() => new Session().pushFrom(format, [{ type: "function_call_output", call_id: "c", output: "x" }]), refusedWith('pushFrom("openai-responses", …)'), format);
  });

  test("the value that a getter threw is the cause", () => {
    for (const bad of [refused["a getter that throws"], refused["toJSON that throws"]])
      assert.throws(() => new Session().push(bad), (e) => failsWith("INVALID_MESSAGE")(e) && e.cause === throwing);
  });

  test("a getter that calls back into the session", () => {
    const session = new Session();
    session.push({ role: "user", get content() { session.push(assistant("from inside")); return `${session.messages.length} so far`; } });
    assert.equal(session.messages.length, 2);
    assert.equal(session.view("openai-chat").at(-1).content, "1 so far");
  });

  test("pushed objects are never modified", () => {
    const list = conversation(2);
    const copy = structuredClone(list);
    const session = new Session({ contextWindow: 100_000, summarize: () => "S" });
    session.push(list);
    void session.view("messages"), session.view("openai-chat");
    assert.deepEqual(list, copy);
  });
});

describe("identity", () => {
  test("a pushed object is returned as the same object unless something is added to it", () => {
    const list = conversation(3);
    const session = new Session();
    session.push(list);
    for (const view of [session.view("messages"), session.lower(), session.messages])
      for (const [i, message] of list.entries()) {
        if (message.role !== "tool") assert.equal(view[i], message);
        else {
          const { output_ref, ...rest } = view[i];
          assert.deepEqual(rest, message);
          assert.equal(typeof output_ref.id, "string");
        }
      }
  });

  test("a tool message is copied once", () => {
    const session = new Session();
    session.push(conversation(1));
    assert.equal(session.view("messages")[2], session.view("messages")[2]);
  });

  test("without the cache, tool messages are the same objects too", () => {
    const list = conversation(1);
    const session = new Session({ toolOutputCache: { enabled: false } });
    session.push(list);
    assert.equal(session.view("messages")[2], list[2]);
  });

  test("the same object pushed twice is two messages", () => {
    const message = user("again");
    const session = new Session();
    const ids = session.push([message, assistant("a"), message]);
    assert.equal(new Set(ids).size, 3);
    assert.equal(session.view("messages")[2], message);
  });

  test("Chat messages are returned as the same objects in the Chat format", () => {
    const list = conversation(1);
    const session = new Session();
    session.pushFrom("openai-chat", list);
    for (const [i, message] of session.view("openai-chat").entries()) assert.equal(message, list[i]);
  });

  test("a returned list belongs to the caller: changing it changes nothing in the session", () => {
    const session = new Session();
    session.push(conversation(1));
    for (const view of [session.view("messages"), session.messages, session.lower(), session.view("openai-responses").input]) view.length = 0;
    assert.equal(session.messages.length, 4);
    assert.equal(session.view("messages").length, 4);
  });
});

describe("ids", () => {
  test("each message has one id, in order, unique; given ids are kept", () => {
    const session = new Session();
    const ids = session.push([user("a"), user("b", { id: "mine" }), user("c")]);
    assert.equal(ids[1], "mine");
    assert.equal(new Set(ids).size, 3);
    assert.deepEqual(session.items().map((i) => i.id), ids);
  });

  test("a given id that is already used is refused", () => {
    const session = new Session();
    session.push(user("a", { id: "mine" }));
    assert.throws(() => session.push(user("b", { id: "mine" })), failsWith("INVALID_MESSAGE", /mine/));
    assert.throws(() => session.push([user("b", { id: "x" }), user("c", { id: "x" })]), failsWith("INVALID_MESSAGE", /message 1\b.*x/));
    assert.equal(session.messages.length, 1);
  });

  test("generated ids avoid given ones", () => {
    const session = new Session();
    const ids = session.push([user("a", { id: "m2" }), user("b"), user("c"), user("d", { id: "m4" }), user("e")]);
    assert.equal(new Set(ids).size, 5);
  });

  test("names of Object.prototype's members work as ids", () => {
    const session = new Session();
    const names = ["__proto__", "constructor", "toString", "hasOwnProperty"];
    assert.deepEqual(session.push(names.map((id) => user("x", { id }))), names);
    session.push([{ role: "assistant", tool_calls: [call("__proto__")] }, output("__proto__", "y")]);
    assert.equal(session.view("messages").at(-1).content, "y");
  });

  test("pin and unpin refuse unknown ids", () => {
    const session = new Session();
    for (const id of ["", "m1", "nobody"]) for (const way of ["pin", "unpin"]) assert.throws(() => session[way](id), failsWith("INVALID_ARGUMENT"), `${way} ${id}`);
  });
});

describe("pairing", () => {
  test("an interrupted call is answered in every view, until its output comes", () => {
    const session = pushed([user("go"), calls("a"), user("wait, stop")]);
    const chat = () => session.view("openai-chat").map((m) => m.tool_call_id ?? m.role);
    assert.deepEqual(chat(), ["user", "assistant", "a", "user"]);
    session.push(output("a", "late"));
    assert.deepEqual(chat(), ["user", "assistant", "a", "user"]);
    assert.equal(session.view("openai-chat")[2].content, "late");
  });

  test("a second output for the same call is refused", () => {
    const session = pushed([calls("a"), output("a")]);
    assert.throws(() => session.push(output("a", "again")), failsWith("INVALID_MESSAGE", /a/));
  });

  test("an id may be reused once its call is answered", () => {
    const session = pushed([calls("a"), output("a", "1"), calls("a"), output("a", "2")]);
    assert.deepEqual(session.view("openai-chat").filter((m) => m.role === "tool").map((m) => m.content), ["1", "2"]);
  });

  test("empty messages are not sent to a provider", () => {
    for (const empty of [user([]), assistant(null), { role: "assistant" }, { role: "assistant", content: null, tool_calls: [] }]) {
      const session = pushed([user("go"), empty, user("on")]);
      for (const m of session.view("openai-chat")) assert.ok(m.content?.length > 0 || m.tool_calls?.length > 0, JSON.stringify(empty));
    }
  });
});

test("an empty message left out of the view is listed in the report", async () => {
  const session = new Session({ contextWindow: 1000 });
  const [, empty] = session.push([user("go"), user([])]);
  const { report } = await session.prepare();
  assert.deepEqual(report.left_out.map((line) => line.id), [empty]);
});

test("setHeader takes a text or messages, and refuses roles that cannot be in a header", () => {
  const session = new Session();
  session.push(user("x"));
  session.setHeader("You are terse.");
  assert.deepEqual(session.view("openai-chat").map((m) => m.role), ["system", "user"]);
  session.setHeader([{ role: "developer", content: "Be kind." }, { role: "system", content: "And brief." }]);
  assert.deepEqual(session.view("openai-chat").map((m) => m.content), ["Be kind.", "And brief.", "x"]);
  const before = session.view("openai-chat");
  for (const bad of [[user("no")], [{ role: "tool", tool_call_id: "a", content: "x" }], 5, null, {}, [5]])
    assert.throws(() => session.setHeader(bad), (e) => failsWith(e.code === "INVALID_ARGUMENT" ? "INVALID_ARGUMENT" : "INVALID_MESSAGE")(e), JSON.stringify(bad));
  assert.deepEqual(session.view("openai-chat"), before);
  session.setHeader([]);
  assert.equal(session.view("openai-chat").length, 1);
});

test("pushFrom refuses an unknown format, and lists the known ones", () => {
  for (const format of ["", "openai", "messages ", "ANTHROPIC"]) {
    assert.throws(() => new Session().pushFrom(format, []), failsWith("INVALID_ARGUMENT", /openai-responses/));
    assert.throws(() => new Session().view(format), failsWith("INVALID_ARGUMENT", /openai-responses/));
  }
});

test("tokens add up: the view's are the sum of its items' and of the report's parts", async () => {
  const session = new Session({ contextWindow: 100_000 });
  session.setHeader(words(20));
  session.push(conversation(4));
  const sum = (list) => list.reduce((total, x) => total + x.tokens, 0);
  const { report } = await session.prepare();
  assert.equal(sum(session.items()), session.tokens);
  assert.equal(sum(report.parts), session.tokens);
});

test("push refuses a part or an entry of another format, and says how to pass it", () => {
  const call = { type: "tool_use", id: "t1", name: "f", input: {} };
  const foreign = {
    anthropic: [
      { role: "assistant", content: [{ type: "text", text: "x" }, call] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "x" }] },
      { role: "user", content: [{ type: "image", source: { type: "url", url: "https://a/b.png" } }] },
    ],
    "openai-responses": [
      { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
      { type: "message", role: "user", content: [{ type: "input_text", text: "hello" }] },
    ],
    "bedrock-converse": [{ role: "user", content: [{ toolResult: { toolUseId: "t1", content: [{ text: "x" }] } }] }],
    "openai-chat": [{ role: "user", content: [{ type: "image_url", image_url: { url: "https://a/b.png" } }] }],
    "ai-sdk": [
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "c", toolName: "f", input: {} }] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "c", toolName: "f", output: { type: "text", value: "x" } }] },
    ],
    gemini: [{ role: "user", parts: [{ text: "x" }] }, { role: "model", parts: [{ functionCall: { name: "f", args: {} } }] }],
  };
  for (const [format, entries] of Object.entries(foreign))
    for (const entry of entries) {
      const session = new Session({ contextWindow: 1_000 });
      assert.throws(() => session.push([user("go"), entry]), failsWith("INVALID_MESSAGE", new RegExp(`message 1: .*pushFrom\\("${format}", …\\)`)), JSON.stringify(entry));
      assert.equal(session.messages.length, 0);
    }
  const session = new Session({ contextWindow: 1_000 });
  const unknown = [{ role: "user", content: [{ type: "hologram", beam: 1 }, { type: "opaque", format: "anthropic", raw: call }], x_trace: 7 }];
  session.push(unknown);
  assert.deepEqual(session.view("messages"), unknown, "what nobody knows goes through");
});

test("an answer of Chat Completions that says something outside `content` is refused, and says how to push it", () => {
  for (const said of [{ refusal: "I can't." }, { reasoning_content: "deep" }, { function_call: { name: "f", arguments: "{}" } }])
    assert.throws(() => new Session().push([user("go"), { role: "assistant", content: null, ...said }]), failsWith("INVALID_MESSAGE", /pushFrom\("openai-chat"/), JSON.stringify(said));
  new Session().push([user("go"), { role: "assistant", content: "Yes.", refusal: null, annotations: [] }]); // as the SDK returns it
});

test("a printed session shows its state", () => {
  const session = new Session({ contextWindow: 1_000 });
  session.push([user("hi"), { role: "assistant", content: "hello" }]);
  const { tokens } = session;
  assert.equal(inspect(session), `Session { messages: 2, turns: 1, tokens: ${tokens}, limit: 1000, folds: 0 }`);
  assert.deepEqual(JSON.parse(JSON.stringify(session)), { messages: 2, turns: 1, tokens, limit: 1_000, folds: 0 });
  session.free();
  assert.equal(inspect(session), "Session { code: 'FREED' }");
});

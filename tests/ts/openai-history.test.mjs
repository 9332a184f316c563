// OpenAIHistoryAdapter with the real item types of the Responses API (PROV-1), and the same items through a session.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { OpenAIHistoryAdapter, Session, check, countTokens } from "contextfold";
import { failsWith, user, words } from "../support/session.mjs";

const message = (id, text) => ({ type: "message", id, role: "assistant", status: "completed", content: [{ type: "output_text", text, annotations: [], logprobs: [] }] });
const reasoning = (n) => ({ type: "reasoning", id: `rs_${n}`, summary: [{ type: "summary_text", text: "hm" }], encrypted_content: "gAAAA" });
const call = (n, more) => ({ type: "function_call", id: `fc_${n}`, call_id: `call_${n}`, name: "read", arguments: '{"path": "a"}', status: "completed", ...more });
const output = (n, text = "text") => ({ type: "function_call_output", call_id: `call_${n}`, output: text });

/** Tokens that fit one output of 400 words, but not two. */
const ROOM_FOR_ONE = Math.ceil(countTokens(words(400)) * 1.5);

/** One item of every type, in an order that the API accepts. */
const everything = () => [
  { role: "developer", content: "Be brief." },
  { role: "user", content: [{ type: "input_text", text: "look" }, { type: "input_image", image_url: "https://host.invalid/a.png", detail: "low" }] },
  reasoning(1),
  call(1),
  call(2),
  output(1),
  { type: "function_call_output", call_id: "call_2", output: [{ type: "input_text", text: "as parts" }] },
  reasoning(2),
  { type: "custom_tool_call", id: "ctc_1", call_id: "call_3", name: "patch", input: "*** Begin" },
  { type: "custom_tool_call_output", call_id: "call_3", output: "patched" },
  { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "q" } },
  { type: "computer_call", id: "cu_1", call_id: "call_4", action: { type: "screenshot" }, pending_safety_checks: [], status: "completed" },
  { type: "computer_call_output", call_id: "call_4", output: { type: "computer_screenshot", image_url: "data:image/png;base64,AAAA" } },
  { type: "local_shell_call", id: "ls_1", call_id: "call_5", action: { type: "exec", command: ["ls"], env: {} }, status: "completed" },
  { type: "local_shell_call_output", id: "call_5", output: "a b" },
  { type: "mcp_call", id: "mcp_1", server_label: "s", name: "t", arguments: "{}", output: "o", error: null },
  { type: "a_kind_of_tomorrow", id: "xx_1", nested: { z: 1, a: [null, { deep: true }] } },
  message("msg_1", "done"),
  { role: "user", content: "thanks", unknown_field: { b: 1, a: 2 } },
  { type: "message", role: "assistant", content: [{ type: "refusal", refusal: "no" }], id: "msg_2", status: "completed" },
  { role: "user", content: "again" },
  { role: "assistant", content: "plain" },
];

describe("a live list", () => {
  test("inputItems is always the same array: appended to and spliced in place", () => {
    const adapter = new OpenAIHistoryAdapter();
    const live = adapter.inputItems;
    assert.deepEqual(live, []);
    const first = { role: "user", content: "go" };
    adapter.append(first);
    adapter.append([reasoning(1), call(1), output(1)]);
    assert.equal(adapter.inputItems, live);
    assert.equal(live.length, 4);
    assert.equal(live[0], first);
    assert.equal(adapter.rebuild([user("S")]), live);
    assert.equal(live.length, 1);
  });

  test("an output without its call gets no item, and onNote says so", () => {
    const adapter = new OpenAIHistoryAdapter([{ role: "user", content: "go" }, call(1), output(1)]);
    const notes = [];
    const items = adapter.rebuild([user("S"), { role: "tool", tool_call_id: "call_1", content: "text" }], { onNote: (note) => notes.push(note) });
    assert.deepEqual(items, [{ role: "user", content: "S" }]);
    assert.deepEqual(notes, [{ index: 1, what: "the output of the call `call_1` is left out: the call does not come before it" }]);
    assert.throws(() => adapter.rebuild([user("S")], { onNotes() {} }), failsWith("INVALID_ARGUMENT", /onNotes/));
  });

  test("the constructor takes items as they are, and does not keep the caller's array", () => {
    const items = everything();
    const adapter = new OpenAIHistoryAdapter(items);
    assert.notEqual(adapter.inputItems, items);
    for (const [i, item] of items.entries()) assert.equal(adapter.inputItems[i], item);
    items.length = 0;
    assert.equal(adapter.inputItems.length, everything().length);
  });

  test("between compactions it only grows: earlier items are not changed", () => {
    const adapter = new OpenAIHistoryAdapter();
    const seen = [];
    for (const item of everything()) {
      adapter.append(item);
      seen.push(item);
      assert.deepEqual(adapter.inputItems.map((x, i) => x === seen[i]), seen.map(() => true));
    }
    assert.deepEqual(adapter.inputItems, everything(), "nor changed");
  });

  test("a bad item is refused with its index, and nothing is appended", () => {
    const adapter = new OpenAIHistoryAdapter([{ role: "user", content: "go" }]);
    for (const bad of [null, 5, "x", {}, { role: "user" }, { role: "nobody", content: "x" }, { type: "function_call", name: "x", arguments: "{}" }, { type: 7 }, []])
      assert.throws(() => adapter.append([{ role: "user", content: "fine" }, bad]), failsWith("INVALID_MESSAGE", /1/), JSON.stringify(bad));
    assert.equal(adapter.inputItems.length, 1);
    assert.throws(() => new OpenAIHistoryAdapter([7]), failsWith("INVALID_MESSAGE", /0/));
  });

  test("an invalid list is refused as a whole", () => {
    for (const bad of [5, "x", true]) assert.throws(() => new OpenAIHistoryAdapter(bad), failsWith("INVALID_MESSAGE"), String(bad));
    for (const bad of [undefined, null, 5]) assert.throws(() => new OpenAIHistoryAdapter().append(bad), failsWith("INVALID_MESSAGE"), String(bad));
    for (const bad of [undefined, null, 5, "x", {}, [{}]])
      assert.throws(() => new OpenAIHistoryAdapter().rebuild(bad), (e) => failsWith(e.code === "INVALID_ARGUMENT" ? "INVALID_ARGUMENT" : "INVALID_MESSAGE")(e), String(bad));
  });
});

describe("through a session", () => {
  test("every kind of item comes out as the same object", () => {
    const items = everything();
    const session = new Session();
    session.pushFrom("openai-responses", items);
    const { input } = session.view("openai-responses");
    assert.equal(input.length, items.length);
    for (const [i, item] of items.entries()) {
      // An output contains nothing of ours in this format: it is the object itself.
      assert.equal(input[i], item, item.type ?? item.role);
    }
    assert.deepEqual(input, everything());
    assert.equal(JSON.stringify(input), JSON.stringify(everything()), "in the order of its keys");
  });

  for (const [what, wrap] of Object.entries({ "a request body": (input) => ({ model: "m", input }), "a response": (output) => ({ id: "resp_1", output }) }))
    test(`the same from ${what}`, () => {
      const items = everything().slice(0, 7);
      const session = new Session();
      session.pushFrom("openai-responses", wrap(items));
      const { input } = session.view("openai-responses");
      assert.deepEqual(input, items);
      for (const [i, item] of items.entries()) assert.equal(input[i], item);
    });

  test("instructions come back as instructions", () => {
    const session = new Session();
    session.pushFrom("openai-responses", { instructions: "Be brief.", input: [{ role: "user", content: "go" }] });
    assert.deepEqual(session.view("openai-responses"), { instructions: "Be brief.", input: [{ role: "user", content: "go" }] });
  });

  test("pushing item by item is the same as all at once", () => {
    const session = new Session();
    for (const item of everything()) session.pushFrom("openai-responses", [item]);
    assert.deepEqual(session.view("openai-responses").input, everything());
  });

  test("a response's items pushed after the request's, as an agent loop does it", () => {
    const session = new Session();
    const items = everything();
    const cuts = [0, 2, 5, 7, 9, 10, items.length];
    for (let i = 1; i < cuts.length; i++) session.pushFrom("openai-responses", items.slice(cuts[i - 1], cuts[i]));
    assert.deepEqual(session.view("openai-responses").input, everything());
  });

  test("a trimmed output keeps its type: the item is new, the others are the same objects", () => {
    const items = [{ role: "user", content: "go" }, call(1), output(1, words(400)), call(2), { ...output(2, words(400)), id: "fco_2", status: "completed" }];
    const session = new Session({ toolOutputCache: { contextBudgetTokens: ROOM_FOR_ONE } });
    session.pushFrom("openai-responses", items);
    const { input } = session.view("openai-responses");
    const [same, trimmed] = [input.filter((x, i) => x === items[i]).length, input.filter((x, i) => x !== items[i])];
    assert.deepEqual([same, trimmed.length], [4, 1]);
    assert.deepEqual(Object.keys(trimmed[0]), ["type", "call_id", "output"]);
    assert.match(trimmed[0].output, /^\[tool output trimmed: read .+ tokens\]$/);
  });

  test("a returned view is never changed afterwards", async () => {
    const session = new Session({ contextWindow: 100_000, summarize: () => "S" });
    session.pushFrom("openai-responses", [{ role: "user", content: words(300) }, message("msg_1", words(300)), { role: "user", content: "next" }]);
    const views = ["messages", "openai-responses", "openai-chat"].map((f) => session.view(f));
    const copies = structuredClone(views);
    session.push(user("more"));
    await session.compact();
    assert.deepEqual(views, copies);
  });
});

describe("rebuild", () => {
  /** Compacts the items in a session and rebuilds an adapter that holds the same items. */
  async function rebuilt(items, { viaFormat = "messages", ...options } = {}) {
    const session = new Session({ contextWindow: 100_000, summarize: () => "<summary>S</summary>", ...options });
    const adapter = new OpenAIHistoryAdapter(items);
    session.pushFrom("openai-responses", items);
    await session.compact();
    adapter.rebuild(session.view(viaFormat));
    return { session, adapter, items: adapter.inputItems };
  }
  const twoTurns = (older, newer) => [{ role: "user", content: words(200) }, ...older, { role: "user", content: "next" }, ...newer];

  test("kept items are the same objects; folded ones are gone; the summary comes first", async () => {
    const all = twoTurns([reasoning(1), call(1), output(1), message("msg_1", words(100))], [reasoning(2), call(2), output(2), message("msg_2", "yes")]);
    const { items } = await rebuilt(all);
    assert.equal(items.length, 6);
    assert.deepEqual(items.slice(1).map((x, i) => x === all[5 + i]), [true, true, true, true, true]);
    assert.match(JSON.stringify(items[0]), /\\n\\nS\\n\\n/);
  });

  test("reasoning with encrypted content stays with the items it produced, or both are removed", async () => {
    for (const newer of [[reasoning(2), message("msg_2", "yes")], [reasoning(2), call(2), output(2)], [reasoning(2), call(2), call(3), output(2), output(3), reasoning(4), message("msg_4", "ok")]]) {
      const all = twoTurns([reasoning(1), message("msg_1", words(100))], newer);
      const { items } = await rebuilt(all);
      assert.deepEqual(items.slice(2), newer);
      assert.ok(!JSON.stringify(items).includes("rs_1"));
    }
  });

  test("afterwards the adapter goes on growing and can be rebuilt again", async () => {
    const { adapter, session } = await rebuilt(twoTurns([message("msg_1", words(100))], [message("msg_2", words(100))]));
    const more = [{ role: "user", content: "and?" }, reasoning(9), message("msg_9", "fine")];
    adapter.append(more);
    session.pushFrom("openai-responses", more);
    await session.compact();
    adapter.rebuild(session.view("messages"));
    assert.deepEqual(adapter.inputItems.slice(1), more);
    assert.equal(adapter.inputItems[3], more[2]);
  });

  test("a message that the caller changed is judged by the list that is passed, not by the one read last", async () => {
    const talk = async () => {
      const session = new Session();
      session.push([user("go"), { role: "assistant", content: "well" }]);
      return { session, messages: (await session.prepare()).messages };
    };
    const rebuild = (list) => /well|changed/.exec(JSON.stringify(new OpenAIHistoryAdapter().rebuild(list)[1]))[0];
    for (const readBetween of [() => {}, async () => (await talk()).messages, async () => new Session().lower()]) {
      const { session, messages } = await talk();
      messages[1].content = "changed";
      await readBetween();
      assert.equal(rebuild(messages), "well", "a session's own list counts as it was pushed");
      assert.equal(rebuild([...messages]), "changed", "any other is read as it stands");
      assert.equal(rebuild(session.lower()), "well");
      session.push(user("and?"));
      assert.equal(rebuild(messages), "changed", "and so is one that is not the view any more");
    }
  });

  test("a session's own long list is matched object by object, and its items stay in order", () => {
    const long = words(2000);
    const items = Array.from({ length: 300 }, (_, n) => [{ role: "user", content: `do ${n}` }, call(n), output(n, `text ${n}`)]).flat();
    const session = new Session();
    session.pushFrom("openai-responses", items);
    const rebuilt = (edit) => {
      const list = session.lower();
      edit(list);
      return new OpenAIHistoryAdapter(items).rebuild(list);
    };
    assert.deepEqual(rebuilt(() => {}).findIndex((item, at) => item !== items[at]), -1);
    const swapped = rebuilt((list) => ([list[600], list[603]] = [list[603], list[600]]));
    assert.deepEqual([599, 600, 603, 604].map((at) => swapped[at].content ?? swapped[at].call_id), ["call_199", "do 201", "do 200", "call_201"]);
    assert.throws(() => rebuilt((list) => delete list[600]), failsWith("INVALID_MESSAGE", /600/));
    const edited = rebuilt((list) => {
      for (let at = 2; at < 600; at += 3) list[at] = { ...list[at], content: at === 299 ? long : `[${at}]` };
      list.splice(3, 3, user("S"));
    });
    assert.equal(edited.length, 898);
    assert.deepEqual([0, 1, 3, 4, 6].map((at) => edited[at].output ?? edited[at].content ?? at), ["do 0", 1, "S", "do 2", "[8]"]);
    assert.equal(edited[297].output, long);
    edited.forEach((item, at) => assert.equal(item === items[at < 3 ? at : at + 2], at !== 3 && (at > 597 || item.type !== "function_call_output"), `${at}`));
  });

  test("an unchanged list rebuilds to itself", () => {
    const items = everything();
    const session = new Session();
    session.pushFrom("openai-responses", items);
    const adapter = new OpenAIHistoryAdapter(items);
    adapter.rebuild(session.view("messages"));
    assert.deepEqual(adapter.inputItems, everything());
    assert.deepEqual(adapter.inputItems.map((x, i) => x === items[i]), items.map(() => true));
  });

  test("a trimmed output keeps its item except for the text", async () => {
    const items = [{ role: "user", content: "go" }, call(1), { ...output(1, words(400)), id: "fco_1", status: "completed" }, call(2), output(2, words(400))];
    const session = new Session({ toolOutputCache: { contextBudgetTokens: ROOM_FOR_ONE } });
    session.pushFrom("openai-responses", items);
    const adapter = new OpenAIHistoryAdapter(items);
    adapter.rebuild(session.view("messages"));
    assert.deepEqual(adapter.inputItems.map((x, i) => x === items[i]), [true, true, false, true, true]);
    const { output: text, ...rest } = adapter.inputItems[2];
    assert.match(text, /^\[tool output trimmed/);
    assert.deepEqual(rest, { type: "function_call_output", call_id: "call_1", id: "fco_1", status: "completed" });
  });

  test("outputs without their call, and calls without their output, are discarded", () => {
    const adapter = new OpenAIHistoryAdapter([{ role: "user", content: "go" }, call(1), output(1), call(2), output(2)]);
    adapter.rebuild([user("go"), { role: "tool", tool_call_id: "call_1", content: "text" }]);
    assert.deepEqual(adapter.inputItems, [{ role: "user", content: "go" }]);
  });

  test("an empty list is an empty list", () => {
    const adapter = new OpenAIHistoryAdapter(everything());
    assert.deepEqual(adapter.rebuild([]), []);
    assert.deepEqual(adapter.inputItems, []);
  });
});

test("a message of another format is refused with the way to convert it", () => {
  const chat = { role: "tool", tool_call_id: "call_1", content: "ok" };
  const told = /"openai-chat".*`convert\("openai-chat", "openai-responses", …\)`.*`push`/;
  const adapter = new OpenAIHistoryAdapter();
  assert.throws(() => adapter.append(chat), failsWith("INVALID_MESSAGE", told));
  assert.throws(() => new Session().pushFrom("openai-responses", chat), failsWith("INVALID_MESSAGE", told));
  assert.deepEqual(adapter.inputItems, []);
});

describe("however items were added to the session and to the adapter", () => {
  const said = (n) => message(`msg_${n}`, "I look.");
  const turns = {
    "parallel calls": [user("q"), call(0), call(1), output(0), output(1)],
    "a text and a call": [user("q"), said(0), call(0), output(0)],
    "reasoning and a text": [user("q"), reasoning(0), said(0)],
    "reasoning and calls": [user("q"), reasoning(0), call(0), call(1), output(0), output(1), reasoning(2), call(2), output(2)],
  };
  const ways = { "at once": (items, take) => take(items), "one by one": (items, take) => items.forEach((item) => take(item)) };

  for (const [what, items] of Object.entries(turns))
    for (const [pushed, push] of Object.entries(ways))
      for (const [appended, append] of Object.entries(ways))
        test(`${what}, pushed ${pushed}, appended ${appended}: the same objects stay`, async () => {
          const session = new Session({ contextWindow: 100_000 });
          const history = new OpenAIHistoryAdapter();
          push(items, (entries) => session.pushFrom("openai-responses", entries));
          append(items, (entries) => history.append(entries));
          history.rebuild((await session.prepare()).messages);
          assert.equal(history.inputItems.length, items.length);
          items.forEach((item, at) => assert.equal(history.inputItems[at], item, `${at}`));
        });

  test("after a fold within the turn each remaining step keeps its own reasoning", async () => {
    const session = new Session({ contextWindow: 100_000 });
    const history = new OpenAIHistoryAdapter();
    const steps = Array.from({ length: 4 }, (_, n) => [reasoning(n), call(n), output(n, `text ${n}`)]).flat();
    for (const item of [user("q"), ...steps]) {
      history.append(item);
      session.pushFrom("openai-responses", item);
    }
    const { messages } = await session.prepare();
    const behind = messages.slice(1 + 2 * 3);
    const trimmed = { ...behind.at(-1), content: "[trimmed]" };
    const rebuilt = history.rebuild([{ role: "user", content: "They read." }, ...behind.slice(0, -1), trimmed]);
    assert.deepEqual(rebuilt.map(({ id, call_id, role }) => id ?? call_id ?? role), ["user", "rs_2", "fc_2", "call_2", "rs_3", "fc_3", "call_3"]);
    assert.deepEqual(check("openai-responses", rebuilt), []);
  });
});

describe("what a rebuild must not lose", () => {
  const texts = (items) => items.map(({ content, output, call_id }) => content ?? output ?? call_id);

  test("reasoning written by a rebuild is removed together with its items", () => {
    const history = new OpenAIHistoryAdapter();
    const session = new Session({ contextWindow: 100_000 });
    session.pushFrom("openai-responses", [user("q"), reasoning(0), call(0), output(0), reasoning(1), call(1), output(1)]);
    const messages = session.lower();
    history.rebuild(messages);
    assert.ok(history.inputItems.some(({ type }) => type === "reasoning"));
    const without = messages.map((message) => ({ ...message, content: Array.isArray(message.content) ? null : message.content }));
    without[0].content = "They asked.";
    without.at(-1).content = "[trimmed]";
    assert.deepEqual(check("openai-responses", history.rebuild(without)), []);
  });

  test("when call ids are reused, an output keeps its own text and status", () => {
    const again = (n, more) => [{ ...call(0), id: `fc_${n}` }, { ...output(0, `out ${n}`), id: `fco_${n}`, ...more }];
    const items = [user("q"), ...again(1), ...again(2, { status: "incomplete" })];
    const history = new OpenAIHistoryAdapter(items);
    const session = new Session();
    session.pushFrom("openai-responses", items.slice(0, 3));
    history.rebuild(session.lower()); // the session is one step behind
    items.slice(0, 3).forEach((item, at) => assert.equal(history.inputItems[at], item, `${at}`));
    assert.equal(history.inputItems.length, 3);
  });

  test("changes that the caller makes to the list move no item", () => {
    const items = Array.from({ length: 8 }, (_, n) => user(`u${n}`));
    for (const change of [(list) => list.pop(), (list) => list.reverse(), (list) => list.push(user("mine")), (list) => list.splice(2, 3)]) {
      const history = new OpenAIHistoryAdapter(items);
      const list = history.inputItems;
      change(list);
      history.rebuild([user("S"), user("u7"), user("T")]);
      assert.deepEqual(texts(list), ["S", "u7", "T"]);
      assert.equal(list[1], items[7]);
      assert.equal(history.inputItems, list);
    }
  });

  test("a frozen list gives an error that says so, and nothing is lost", () => {
    for (const freeze of [Object.freeze, Object.seal, Object.preventExtensions]) {
      const history = new OpenAIHistoryAdapter([user("a"), user("b")]);
      freeze(history.inputItems);
      const frozen = { code: "INVALID_ARGUMENT", message: /`inputItems`.*freeze a copy/ };
      assert.throws(() => history.rebuild([user("S"), user("b")]), frozen);
      assert.throws(() => history.append(user("c")), frozen);
      assert.deepEqual(texts(history.inputItems), ["a", "b"]);
    }
  });

  test("it uses no array method that somebody may have replaced", () => {
    const items = Array.from({ length: 6 }, (_, n) => user(`u${n}`));
    const history = new OpenAIHistoryAdapter(items);
    const session = new Session();
    session.pushFrom("openai-responses", items);
    const messages = session.lower();
    const list = [user("S"), ...messages.slice(3)];
    for (const name of ["push", "map", "slice", "at", "concat", "indexOf", "splice", "forEach"]) {
      const was = Array.prototype[name];
      Array.prototype[name] = () => {
        throw new Error(`a replaced ${name}`);
      };
      let failure;
      try {
        history.rebuild(list);
      } catch (error) {
        failure = error;
      } finally {
        Array.prototype[name] = was;
      }
      assert.equal(failure, undefined, name);
      assert.deepEqual(texts(history.inputItems), ["S", "u3", "u4", "u5"]);
    }
  });
});

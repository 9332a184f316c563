// `session.sync`: an SDK passes its whole list at every step.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Session, check, convert } from "contextfold";
import { memoryStore } from "contextfold/stores/memory";
import { missing, recordedRequests, withoutEmptyCalls } from "../support/data.mjs";
import { FORMATS, failsWith, saidIn } from "../support/session.mjs";

const call = (id) => ({ id, type: "function", function: { name: "f", arguments: "{}" } });
const asks = (text) => ({ role: "user", content: text });
const calls = (...ids) => ({ role: "assistant", content: null, tool_calls: ids.map(call) });
const says = (text) => ({ role: "assistant", content: text });
const answers = (id, text) => ({ role: "tool", tool_call_id: id, content: text });

const list = [{ role: "system", content: "rules" }, asks("go"), calls("a"), answers("a", "1"), says("done"), asks("more"), calls("b"), answers("b", "2")];

function assertSays(session, expected, format = "openai-chat") {
  const view = session.view(format);
  const items = Array.isArray(view) ? view : (view.input ?? view.messages ?? view.contents);
  assert.deepEqual(items, expected);
  return items;
}

/** The view is the list, object for object. */
function assertShows(session, expected, format = "openai-chat") {
  const items = assertSays(session, expected, format);
  for (const [i, item] of expected.entries()) assert.equal(items[i], item, `entry ${i} is the caller's own`);
}

describe("call ids that change with each request", () => {
  const LISTS = {
    "openai-chat": (id) => [asks("go"), calls(id("a"), id("b")), answers(id("b"), "2"), answers(id("a"), "1"), says("so"), calls(id("c")), answers(id("c"), "3"), says("done")],
    anthropic: (id) => [
      asks("go"),
      { role: "assistant", content: ["a", "b"].map((call) => ({ type: "tool_use", id: id(call), name: "f", input: {} })) },
      { role: "user", content: ["b", "a"].map((call) => ({ type: "tool_result", tool_use_id: id(call), content: call })) },
      { role: "assistant", content: [{ type: "text", text: "so" }, { type: "tool_use", id: id("c"), name: "f", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id("c"), content: "3" }] },
    ],
    "openai-responses": (id) => [
      asks("go"),
      ...["a", "b"].map((call) => ({ type: "function_call", call_id: id(call), name: "f", arguments: "{}" })),
      ...["b", "a"].map((call) => ({ type: "function_call_output", call_id: id(call), output: call })),
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "so", annotations: [] }] },
      { type: "function_call", call_id: id("c"), name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: id("c"), output: "3" },
    ],
    "ai-sdk": (id) => [
      asks("go"),
      { role: "assistant", content: ["a", "b"].map((call) => ({ type: "tool-call", toolCallId: id(call), toolName: "f", input: {} })) },
      { role: "tool", content: ["b", "a"].map((call) => ({ type: "tool-result", toolCallId: id(call), toolName: "f", output: { type: "text", value: call } })) },
      { role: "assistant", content: [{ type: "text", text: "so" }, { type: "tool-call", toolCallId: id("c"), toolName: "f", input: {} }] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: id("c"), toolName: "f", output: { type: "text", value: "3" } }] },
    ],
    gemini: (id) => [
      { role: "user", parts: [{ text: "go" }] },
      { role: "model", parts: ["a", "b"].map((call) => ({ functionCall: { id: id(call), name: "f", args: {} } })) },
      { role: "user", parts: ["b", "a"].map((call) => ({ functionResponse: { id: id(call), name: "f", response: { output: call } } })) },
      { role: "model", parts: [{ text: "so" }, { functionCall: { id: id("c"), name: "f", args: {} } }] },
      { role: "user", parts: [{ functionResponse: { id: id("c"), name: "f", response: { output: "3" } } }] },
    ],
    "bedrock-converse": (id) => [
      { role: "user", content: [{ text: "go" }] },
      { role: "assistant", content: ["a", "b"].map((call) => ({ toolUse: { toolUseId: id(call), name: "f", input: {} } })) },
      { role: "user", content: ["b", "a"].map((call) => ({ toolResult: { toolUseId: id(call), content: [{ text: call }] } })) },
      { role: "assistant", content: [{ text: "so" }, { toolUse: { toolUseId: id("c"), name: "f", input: {} } }] },
      { role: "user", content: [{ toolResult: { toolUseId: id("c"), content: [{ text: "3" }] } }] },
    ],
  };
  const ownIn = (n) => (call) => `${call}_${n}`;

  test("it is recognised as the same conversation, and the newest ids are sent", () => {
    for (const [format, listOf] of Object.entries(LISTS)) {
      const session = new Session();
      const { length } = listOf(ownIn(0));
      for (let n = 1; n <= length; n++) {
        const list = listOf(ownIn(n)).slice(0, n);
        assert.deepEqual(session.sync(format, list), { added: 1, diverged_at: null }, `${format}, ${n} entries`);
        assertSays(session, list, format);
        const again = Session.restore(session.snapshot());
        assert.deepEqual(again.sync(format, listOf(ownIn("later")).slice(0, n)), { added: 0, diverged_at: null }, format);
        assertSays(again, listOf(ownIn("later")).slice(0, n), format);
      }
    }
  });

  test("items kept as they came get the new ids too", () => {
    const items = (id) => [
      asks("go"),
      { type: "apply_patch_call", call_id: id, status: "completed", operation: { type: "delete_file", path: "a" } },
      { type: "apply_patch_call_output", call_id: id, status: "completed", output: "done" },
    ];
    const session = new Session();
    session.sync("openai-responses", items("call_1"));
    assert.deepEqual(session.sync("openai-responses", items("call_2")), { added: 0, diverged_at: null });
    assertSays(session, items("call_2"), "openai-responses");
    assert.deepEqual(check("openai-responses", session.view("openai-responses")), []);
  });

  test("an output under the old id of its call is refused, and nothing changes", () => {
    const session = new Session();
    session.sync("openai-chat", [asks("go"), calls("a")]);
    assert.throws(() => session.sync("openai-chat", [asks("go"), calls("x"), answers("a", "1")]), failsWith("INVALID_MESSAGE"));
    assert.deepEqual(session.sync("openai-chat", [asks("go"), calls("x"), answers("x", "1")]), { added: 1, diverged_at: null });
  });

  test("calls that leave with a rewritten past do not count", () => {
    const session = new Session();
    const item = (id, n) => ({ type: "function_call", call_id: id, name: "f", arguments: `{"n":${n}}` });
    const output = (id) => ({ type: "function_call_output", call_id: id, output: "ok" });
    session.sync("openai-responses", [asks("go"), item("1", 1), item("2", 2), output("1"), output("2")]);
    const list = [asks("go"), item("2", 1), output("2")];
    assert.equal(session.sync("openai-responses", list).diverged_at, 2);
    assertSays(session, list, "openai-responses");
  });

  test("two open calls may swap their ids", () => {
    const session = new Session();
    const listOf = LISTS["openai-chat"];
    session.sync("openai-chat", listOf(ownIn(0)).slice(0, 2));
    const swapped = listOf((call) => ownIn(0)({ a: "b", b: "a" }[call] ?? call));
    assert.deepEqual(session.sync("openai-chat", swapped), { added: 6, diverged_at: null });
    assertSays(session, swapped);
    assert.deepEqual(session.items().filter(({ item_type }) => item_type === "TOOL_RESULT").length, 3);
  });

  test("an output of another call means a rewritten past", () => {
    const session = new Session();
    const listOf = LISTS["openai-chat"];
    session.sync("openai-chat", listOf(ownIn(0)));
    const list = listOf(ownIn(1));
    [list[2], list[3]] = [{ ...list[2], tool_call_id: list[3].tool_call_id }, { ...list[3], tool_call_id: list[2].tool_call_id }];
    assert.equal(session.sync("openai-chat", list).diverged_at, 2);
    assertSays(session, list);
  });

  test("an id under which another call is open is refused, and nothing changes", () => {
    const session = new Session();
    session.sync("openai-chat", [asks("go"), calls("a")]);
    assert.throws(() => session.sync("openai-chat", [asks("go"), calls("x"), calls("x")]), failsWith("INVALID_MESSAGE"));
    assert.deepEqual(session.sync("openai-chat", [asks("go"), calls("y"), answers("y", "1")]), { added: 1, diverged_at: null });
  });

  test("folded, trimmed and stored items come back under the new ids", async () => {
    const listOf = (n, steps) => [asks("go"), ...Array.from({ length: steps }, (_, i) => [calls(`c${i}_${n}`), answers(`c${i}_${n}`, `output ${i} `.repeat(200))]).flat()];
    for (const store of [undefined, memoryStore()]) {
      const session = new Session({ contextWindow: 3_000, store, toolOutputCache: { contextBudgetTokens: 1_500, ...(store && { memoryBytes: 4_000 }) }, summarize: () => "<summary>Files were read.</summary>" });
      for (let n = 1; n <= 12; n++) {
        assert.deepEqual(session.sync("openai-chat", listOf(n, n * 3)).diverged_at, null, `call ${n}`);
        await session.prepare();
        await session.flush?.();
        const view = session.view("openai-chat");
        assert.deepEqual(check("openai-chat", view), []);
        assert.ok(view.flatMap((m) => m.tool_calls ?? []).every(({ id }) => id.endsWith(`_${n}`)));
      }
      await session.compact();
      session.sync("openai-chat", listOf("last", 36));
      const folds = session.folds();
      assert.ok(folds.length > 0);
      for (const { id } of folds.toReversed()) session.unfold(id);
      const view = session.view("openai-chat");
      assert.deepEqual(check("openai-chat", view), []);
      assert.ok(view.flatMap((m) => m.tool_calls ?? []).every(({ id }) => id.endsWith("_last")));
      assert.equal(session.messages.length, 73);
      Session.restore(session.snapshot(), store && { store });
    }
  });
});

describe("a list that grows", () => {
  test("only new items are added", () => {
    const session = new Session();
    for (let n = 1; n <= list.length; n++) {
      assert.deepEqual(session.sync("openai-chat", list.slice(0, n)), { added: 1, diverged_at: null });
      assert.equal(session.messages.length, n);
    }
    assert.deepEqual(session.sync("openai-chat", list), { added: 0, diverged_at: null });
    assertShows(session, list);
  });

  test("copies are recognised by value, in any key order", () => {
    const session = new Session();
    session.sync("openai-chat", list.slice(0, 5));
    const copies = list.map((m) => Object.fromEntries(Object.entries(structuredClone(m)).reverse()));
    assert.deepEqual(session.sync("openai-chat", copies), { added: 3, diverged_at: null });
  });

  test("a text is the same as a list with that one text part", () => {
    const part = (text) => [{ type: "text", text }];
    const forms = [(text) => text, part];
    for (const before of forms)
      for (const after of forms) {
        const session = new Session();
        const list = (form) => [{ role: "user", content: form("go") }, calls("a"), { role: "tool", tool_call_id: "a", content: form("1") }, { role: "assistant", content: form("done") }];
        const first = list(before);
        session.sync("openai-chat", first);
        assert.deepEqual(session.sync("openai-chat", [...list(after), asks("and?")]), { added: 1, diverged_at: null });
        assert.deepEqual(session.view("openai-chat").slice(0, 4), list(after), "the newest form is sent");
        const again = Session.restore(session.snapshot());
        assert.deepEqual(again.sync("openai-chat", [...list(after), asks("and?")]), { added: 0, diverged_at: null });
        assert.equal(session.sync("openai-chat", list(() => after("otherwise"))).diverged_at, 0);
      }
    const anthropic = (content) => [asks("go"), { role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] }, { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content }] }];
    const session = new Session();
    session.sync("anthropic", anthropic("1"));
    assert.deepEqual(session.sync("anthropic", anthropic(part("1"))), { added: 0, diverged_at: null });
  });

  test("an unchanged object is not read again", () => {
    let read = 0;
    const watched = { role: "user", get content() { read++; return "go"; } };
    const session = new Session();
    const answer = says("ok");
    session.sync("openai-chat", [watched, answer]);
    const before = read;
    session.sync("openai-chat", [watched, answer, asks("and?")]);
    assert.equal(read, before);
  });

  test("messages pushed in between count", () => {
    const session = new Session();
    session.sync("openai-chat", list.slice(0, 2));
    session.pushFrom("openai-chat", [list[2]]);
    session.pushFrom("openai-chat", { choices: [{ message: says("done"), finish_reason: "stop" }] });
    assert.deepEqual(session.sync("openai-chat", [...list.slice(0, 3), says("done"), answers("a", "1")]), { added: 1, diverged_at: null });
  });

  test("the same in every format, item by item", () => {
    const lists = {
      messages: list,
      "openai-responses": [
        asks("go"),
        { type: "reasoning", id: "rs_1", summary: [] },
        { type: "function_call", id: "fc_1", call_id: "a", name: "f", arguments: "{}" },
        { type: "function_call", id: "fc_2", call_id: "b", name: "f", arguments: "{}" },
        { type: "function_call_output", call_id: "a", output: "1" },
        { type: "function_call_output", call_id: "b", output: "2" },
      ],
      anthropic: [
        asks("go"),
        { role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: {} }, { type: "tool_use", id: "b", name: "f", input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "1" }, { type: "tool_result", tool_use_id: "b", content: "2" }, { type: "text", text: "and?" }] },
        asks("well?"),
        says("done"),
      ],
      "ai-sdk": [
        asks("go"),
        { role: "assistant", content: [{ type: "tool-call", toolCallId: "a", toolName: "f", input: {} }, { type: "tool-call", toolCallId: "b", toolName: "f", input: {} }] },
        { role: "tool", content: [{ type: "tool-result", toolCallId: "a", toolName: "f", output: { type: "text", value: "1" } }, { type: "tool-result", toolCallId: "b", toolName: "f", output: { type: "text", value: "2" } }] },
        says("done"),
      ],
      gemini: [
        { role: "user", parts: [{ text: "go" }] },
        { role: "model", parts: [{ functionCall: { name: "f", args: {} }, thoughtSignature: "c2ln" }, { functionCall: { name: "f", args: { n: 1 } } }] },
        { role: "user", parts: [{ functionResponse: { name: "f", response: { output: "1" } } }, { functionResponse: { name: "f", response: { n: 2 } } }, { text: "and?" }] },
        { role: "model", parts: [{ functionCall: { id: "x", name: "f", args: {} } }] },
        { role: "user", parts: [{ functionResponse: { name: "f", response: { result: "3" } } }] },
        { parts: [{ text: "done" }], role: "model" },
      ],
    };
    for (const [format, items] of Object.entries(lists)) {
      const session = new Session({ toolOutputCache: { enabled: false } });
      for (let n = 1; n <= items.length; n++) assert.deepEqual(session.sync(format, items.slice(0, n)), { added: 1, diverged_at: null }, `${format} ${n}`);
      assertShows(session, items, format);
      assert.deepEqual(session.sync(format, structuredClone(items)), { added: 0, diverged_at: null }, format);
    }
  });

  test("a body's header becomes the session's", () => {
    const session = new Session();
    session.sync("anthropic", { system: "rules", messages: [asks("go")] });
    session.sync("anthropic", { system: "rules", messages: [asks("go"), says("ok")] });
    assert.deepEqual(session.view("anthropic"), { system: "rules", messages: [asks("go"), says("ok")] });
    session.sync("anthropic", { system: "other rules", messages: [asks("go"), says("ok")] });
    assert.deepEqual(session.view("anthropic"), { system: "other rules", messages: [asks("go"), says("ok")] });
  });
});

describe("changes without meaning to a reader", () => {
  const marked = (message) => ({ ...message, content: [{ type: "text", text: message.content, cache_control: { type: "ephemeral" } }] });
  const said = (i) => (i % 2 ? says(`answer ${i}`) : asks(`question ${i}`));

  test("a cache mark that moves rewrites nothing, and stays where it was set last", async () => {
    const session = new Session({ contextWindow: 100_000 });
    for (let n = 1; n < 12; n += 2) {
      const list = Array.from({ length: n }, (_, i) => said(i));
      assert.deepEqual(session.sync("anthropic", list.with(-1, marked(list.at(-1)))), { added: n === 1 ? 1 : 2, diverged_at: null });
      assert.deepEqual(session.view("anthropic").messages, list.with(-1, marked(list.at(-1))));
    }
    const restored = Session.restore(session.snapshot());
    const list = Array.from({ length: 13 }, (_, i) => said(i));
    assert.deepEqual(restored.sync("anthropic", list), { added: 2, diverged_at: null });
    assert.deepEqual(restored.view("anthropic").messages, list);
    // Also in another format, and where a pass rewrote the item, the newest version counts.
    assert.ok(!JSON.stringify(restored.view("messages")).includes("cache_control"));
  });

  test("an item rewritten by a pass also carries the newest mark", async () => {
    const session = new Session({ contextWindow: 3_000, summarize: () => "<summary>the gist</summary>" });
    const list = [{ role: "user", content: [{ type: "text", text: "go" }] }];
    for (let n = 0; n < 30; n++) {
      const last = list.at(-1);
      const sent = list.with(-1, { ...last, content: last.content.map((block) => ({ ...block, cache_control: { type: "ephemeral" } })) });
      assert.equal(session.sync("anthropic", sent).diverged_at, null);
      await session.prepare();
      const marks = JSON.stringify(session.view("anthropic")).match(/cache_control/g) ?? [];
      assert.ok(marks.length <= 1, `${marks.length} marks in call ${n}`);
      list.push(
        { role: "assistant", content: [{ type: "tool_use", id: `t${n}`, name: "run", input: { n } }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: `t${n}`, content: `output ${n} `.repeat(150) }] },
      );
    }
  });

  test("an output whose content is only in the store is still recognised", async () => {
    const session = new Session({ contextWindow: 100_000, store: memoryStore(), toolOutputCache: { memoryBytes: 1_000, maxMessageBytes: 500 } });
    const output = (n, more) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: `t${n}`, content: `output ${n} `.repeat(500), ...more }] });
    const list = (k, mark) => [asks("go"), ...Array.from({ length: k }, (_, n) => [{ role: "assistant", content: [{ type: "tool_use", id: `t${n}`, name: "run", input: {} }] }, output(n, mark && n === k - 1 ? { cache_control: { type: "ephemeral" } } : {})]).flat()];
    for (let k = 1; k < 6; k++) {
      assert.deepEqual(session.sync("anthropic", list(k, true)), { added: k === 1 ? 3 : 2, diverged_at: null });
      await session.flush();
    }
    const again = Session.restore(session.snapshot(), { store: memoryStore() });
    assert.deepEqual(again.sync("anthropic", list(5, false)), { added: 0, diverged_at: null });
    assert.equal(again.sync("anthropic", list(5, false).with(2, { role: "user", content: [{ type: "tool_result", tool_use_id: "t0", content: "otherwise" }] })).diverged_at, 2);
  });

  test("leading instructions are the header, and are replaced", () => {
    const rules = (text) => ({ role: "system", content: text });
    const shows = (session, list) => assert.deepEqual(session.view("openai-chat"), list);
    const session = new Session();
    session.sync("openai-chat", [rules("one"), asks("go"), says("so")]);
    session.setTools("openai-chat", []);
    assert.deepEqual(session.sync("openai-chat", [rules("two"), asks("go"), says("so"), asks("and?")]), { added: 2, diverged_at: null });
    shows(session, [rules("two"), asks("go"), says("so"), asks("and?")]);
    assert.deepEqual(session.sync("openai-chat", [rules("two"), rules("three"), asks("go"), says("so"), asks("and?")]), { added: 2, diverged_at: null });
    shows(session, [rules("two"), rules("three"), asks("go"), says("so"), asks("and?")]);
    assert.deepEqual(session.sync("openai-chat", [asks("go"), says("so"), asks("and?")]), { added: 0, diverged_at: null });
    shows(session, [asks("go"), says("so"), asks("and?")]);
    session.setHeader("mine");
    assert.deepEqual(session.sync("openai-chat", [asks("go"), says("so"), asks("and?")]), { added: 0, diverged_at: null });
    assert.deepEqual(session.view("openai-chat")[0].content, "mine", "what the list never said is not its to take away");
  });

  test("a body's instructions and those in its list are separate, each replaced by its own", () => {
    const body = (instructions, rules) => ({ ...(instructions !== undefined && { instructions }), input: [...(rules ? [{ role: "developer", content: rules }] : []), asks("go")] });
    const session = new Session();
    for (const [instructions, rules] of [["A", "B"], ["A", "C"], ["D", "C"], [undefined, "C"], ["E"], [null], ["F", "G"], [""]]) {
      assert.equal(session.sync("openai-responses", body(instructions, rules)).diverged_at, null);
      assert.deepEqual(session.view("openai-responses"), body(instructions || undefined, rules));
    }
  });

  test("a replaced header may come back with its id; an empty one counts as none", () => {
    const session = new Session();
    const [plan, act] = ["plan", "act"].map((id) => [{ role: "system", content: id, id }]);
    for (const header of [plan, act, plan, act]) {
      session.setHeader(header);
      assert.deepEqual(session.view("messages"), header);
    }
    session.sync("anthropic", { system: " ", messages: [asks("go")] });
    assert.deepEqual(session.view("anthropic"), { messages: [asks("go")] });
    const other = new Session();
    other.pushFrom("anthropic", { system: "", messages: [asks("go")] });
    assert.deepEqual(other.view("anthropic"), { messages: [asks("go")] });
  });

  test("a message is recognised by its id", () => {
    const session = new Session();
    const [id] = session.push(asks("go"));
    assert.equal(session.message(id), session.messages[0]);
    assert.equal(session.message("none"), undefined);
    assert.throws(() => session.message(7), { code: "INVALID_ARGUMENT" });
  });
});

describe("the last entry with more behind it", () => {
  const said = (format, list) => convert("openai-chat", format, list);
  const entriesOf = (body) => (Array.isArray(body) ? body : (body.input ?? body.messages ?? body.contents));
  const partOf = (format) => ({ gemini: (text) => ({ text }), "bedrock-converse": (text) => ({ text }), "openai-responses": (text) => ({ type: "input_text", text }) })[format] ?? ((text) => ({ type: "text", text }));
  const JOINED = ["anthropic", "gemini", "bedrock-converse"];

  for (const format of FORMATS)
    test(`${format}: only what is new is added, and folds stay`, async () => {
      const part = partOf(format);
      const key = format === "gemini" ? "parts" : "content";
      const user = (...texts) => ({ ...(format === "openai-responses" && { type: "message" }), role: "user", [key]: texts.map(part) });
      const earlier = entriesOf(said(format, Array.from({ length: 8 }, (_, i) => (i % 2 ? says : asks)(`${i} ${"word ".repeat(200)}`))));
      const list = (...texts) => [...earlier, user(...texts)];
      const session = new Session({ contextWindow: 8_000 });
      session.sync(format, list("next?"));
      await session.compact();
      const ids = session.items().map(({ id }) => id);
      const others = () => [session, Session.restore(session.snapshot())];
      for (const texts of [["next?", "a reminder"], ["next?", "a reminder", "another", "and one more"]])
        for (const [i, s] of others().entries()) {
          assert.deepEqual(s.sync(format, list(...texts)), { added: 1, diverged_at: null });
          assert.deepEqual(s.sync(format, structuredClone(list(...texts))), { added: 0, diverged_at: null });
          assert.deepEqual(s.items().slice(0, ids.length).map(({ id }) => id), ids);
          assert.equal(s.folds().filter((fold) => fold.in_view).length, 1);
          const view = s.view(format);
          for (const text of texts) assert.equal(JSON.stringify(view).split(`"${text}"`).length, 2, `${text} once`);
          assert.deepEqual(check(format, view).filter(({ severity }) => severity === "error"), []);
          if (i === 0) continue;
          assert.deepEqual(s.sync(format, [...list(...texts), saidIn(format, says("done"))]), { added: 1, diverged_at: null });
        }
      if (JOINED.includes(format)) {
        for (const { id } of session.folds()) session.unfold(id);
        assertSays(session, list("next?", "a reminder", "another", "and one more"), format);
      }
    });

  test("also behind outputs, with more after it, and in a list that is our view", async () => {
    const steps = Array.from({ length: 6 }, (_, n) => [
      { role: "assistant", content: [{ type: "text", text: "word ".repeat(200) }, { type: "tool_use", id: `t${n}`, name: "run", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: `t${n}`, content: `output ${n}` }] },
    ]).flat();
    const more = (entry) => ({ ...entry, content: [...entry.content, { type: "text", text: "a reminder" }] });
    const session = new Session({ contextWindow: 8_000, toolOutputCache: { enabled: false } });
    session.sync("anthropic", [asks("go"), ...steps]);
    await session.compact();
    const again = Session.restore(session.snapshot());
    const list = [asks("go"), ...steps.with(-1, more(steps.at(-1))), says("done")];
    assert.deepEqual(session.sync("anthropic", list), { added: 2, diverged_at: null });
    assert.deepEqual(session.view("anthropic").messages.slice(-2), list.slice(-2));

    const { messages } = again.view("anthropic");
    assert.deepEqual(again.sync("anthropic", messages.with(-1, more(messages.at(-1)))), { added: 1, diverged_at: null });
    assert.deepEqual(again.view("anthropic").messages, messages.with(-1, more(messages.at(-1))));
  });

  test("the output of a parallel call that comes later", () => {
    const call = (id) => ({ type: "tool_use", id, name: "run", input: {} });
    const output = (id) => ({ type: "tool_result", tool_use_id: id, content: `of ${id}` });
    const list = (...ids) => [asks("go"), { role: "assistant", content: [call("a"), call("b")] }, { role: "user", content: ids.map(output) }];
    const session = new Session();
    session.sync("anthropic", list("a"));
    assert.deepEqual(session.sync("anthropic", list("a", "b")), { added: 1, diverged_at: null });
    assertSays(session, list("a", "b"), "anthropic");
    assert.equal(session.sync("anthropic", list("b")).diverged_at, 2, "what is gone is a rewrite");
  });
});

describe("a restored session recognises the caller's list", () => {
  const long = "word ".repeat(500);
  const lists = {
    messages: [asks("go"), calls("a"), answers("a", "done"), { role: "tool", tool_call_id: "b", content: "no", is_error: true }].toSpliced(1, 1, calls("a", "b")).concat([says(long), asks("go on")]),
    "openai-chat": [asks("go"), calls("a"), answers("a", "1"), says(long), asks("go on"), calls("b")],
    "openai-responses": [asks("go"), { type: "function_call", call_id: "a".repeat(80), name: "f", arguments: "{}" }, { type: "function_call_output", call_id: "a".repeat(80), output: "1" }, { role: "assistant", content: long }, { role: "user", content: [{ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }] }],
    anthropic: [asks("go"), says(long), asks("go on"), says("Done.\n")],
    "bedrock-converse": [[asks, "go"], [says, long], [asks, "go on"]].map(([one, text]) => ({ ...one(text), content: [{ text }, ...(text === "go" ? [{ image: { format: "png", source: { bytes: Uint8Array.of(1, 2, 3) } } }, { cachePoint: { type: "default" } }] : [])] })),
    "anthropic, begun by the assistant": [says(`Hello. ${long}`), asks("go"), says("ok"), asks("go on")],
    "anthropic, blank texts": [asks("go"), { role: "assistant", content: [{ type: "text", text: "" }, { type: "text", text: long }] }, asks("go on"), says(" "), asks("and?")],
    "anthropic, a call that waits": [asks("go"), says(long), asks("go on"), { role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] }],
    "ai-sdk": [asks("go"), { role: "assistant", content: [{ type: "tool-call", toolCallId: "a", toolName: "f", input: {} }] }, { role: "tool", content: [{ type: "tool-result", toolCallId: "a", toolName: "f", output: { type: "text", value: "1" } }] }, says(long), asks("go on")],
    gemini: [{ role: "user", parts: [{ text: "go" }] }, { role: "model", parts: [{ functionCall: { name: "f", args: {} } }] }, { role: "user", parts: [{ functionResponse: { name: "f", response: { output: "1" } } }] }, { role: "model", parts: [{ text: long }] }, { role: "user", parts: [{ text: "go on" }] }, { role: "model", parts: [{ functionCall: { name: "f", args: {} } }] }],
  };
  for (const [name, list] of Object.entries(lists))
    test(`${name}: only new items are added, and a fold stays`, async () => {
      const format = name.split(",")[0];
      const session = new Session({ contextWindow: 9000 });
      session.sync(format, list);
      await session.compact();
      const folds = session.folds().length;
      assert.ok(folds > 0);
      const copies = structuredClone(list);
      const role = list.at(-1).role === "user" ? "assistant" : "user";
      const again = Session.restore(session.snapshot());
      for (const [s, entries] of [[session, list], [again, copies]]) {
        assert.deepEqual(s.sync(format, [...entries, saidIn(format, { role, content: "next" })]), { added: 1, diverged_at: null });
        assert.equal(s.folds().filter((fold) => fold.in_view).length, folds);
      }
      assert.deepEqual(again.snapshot(), session.snapshot());
      assert.deepEqual(Session.restore(again.snapshot()).sync(format, [...copies, saidIn(format, { role, content: "next" })]), { added: 0, diverged_at: null });
    });

  for (const format of FORMATS)
    describe(`after content has left memory, ${format}`, () => {
      const steps = [1, 2, 3, 4].flatMap((n) => [calls(`c${n}`), answers(`c${n}`, `line ${n} of the output\n`.repeat(300))]);
      const converted = convert("openai-chat", format, [asks("My password is hunter2."), says("Noted."), asks("go"), ...steps]);
      const list = Array.isArray(converted) ? converted : (converted.input ?? converted.messages ?? converted.contents);
      const bounded = (store) => ({ contextWindow: 3000, store, toolOutputCache: { memoryBytes: 0 } });

      /** A session that another process has saved, before it knows the caller's list. */
      async function loaded(store, options) {
        const session = new Session({ contextWindow: 3000 });
        session.sync(format, list);
        await session.save(store, "s");
        session.free();
        return Session.load(store, "s", options);
      }

      test("to the store", async () => {
        const store = memoryStore();
        const session = await loaded(store, bounded(store));
        await session.prepare();
        await session.flush();
        assert.ok(session.memory().outputs_bytes < 10_000, "outputs have left memory");
        await session.save(store, "s");
        for (const each of [await Session.load(store, "s"), Session.restore(session.snapshot()), session])
          assert.deepEqual(each.sync(format, structuredClone(list)), { added: 0, diverged_at: null });
      });

      test("to the store, while it was being saved", async () => {
        const store = memoryStore();
        const slow = { ...store, setItemRaw: async (key, bytes) => (await new Promise((resolve) => setTimeout(resolve, 2)), store.setItemRaw(key, bytes)) };
        const session = new Session(bounded(slow));
        session.sync(format, list);
        await session.save(store, "s");
        await session.prepare();
        for (let saves = 0; saves < 8; saves++) {
          await session.save(store, "s");
          const again = await Session.load(store, "s");
          assert.deepEqual(again.sync(format, structuredClone(list)), { added: 0, diverged_at: null });
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
      });

      test("for good: what was erased does not come back", async () => {
        const session = await loaded(memoryStore());
        session.erase(session.items()[0].id);
        assert.deepEqual(session.sync(format, structuredClone(list)), { added: 0, diverged_at: null });
        assert.ok(!JSON.stringify([session.messages, session.view(format)]).includes("hunter2"));
      });
    });
});

describe("a rewritten past", () => {
  test("a regenerated answer: the view continues from there, the history keeps both", () => {
    const session = new Session();
    session.sync("openai-chat", list.slice(0, 5));
    const other = [...list.slice(0, 4), says("done otherwise")];
    assert.deepEqual(session.sync("openai-chat", other), { added: 1, diverged_at: 4 });
    assertShows(session, other);
    assert.deepEqual(session.messages.map((m) => m.content).filter((c) => /done/.test(c)), ["done", "done otherwise"]);
    assert.deepEqual(session.sync("openai-chat", [...other, asks("and?")]), { added: 1, diverged_at: null });
  });

  test("a shortened list", () => {
    const session = new Session();
    session.sync("openai-chat", list);
    assert.deepEqual(session.sync("openai-chat", list.slice(0, 2)), { added: 0, diverged_at: 2 });
    assertShows(session, list.slice(0, 2));
  });

  test("everything rewritten, the header too", () => {
    const session = new Session();
    session.sync("openai-chat", list);
    const other = [{ role: "system", content: "other rules" }, asks("something else")];
    assert.deepEqual(session.sync("openai-chat", other), { added: 2, diverged_at: 1 });
    assertShows(session, other);
    assert.deepEqual(session.items().map((i) => i.item_type), ["SYSTEM_PROMPT", "USER_MESSAGE"]);
  });

  test("everything rewritten, with more instructions than before: no view shows removed items", () => {
    for (const format of ["messages", "openai-chat", "ai-sdk"]) {
      const session = new Session();
      session.push(list.slice(1, 5));
      session.setHeader([{ role: "system", content: "rules" }, { role: "developer", content: "more" }]);
      assert.equal(session.view(format).length, 6);
      const first = { role: "system", content: "otherwise" };
      session.sync(format, [first, { role: "system", content: "quite" }, asks("again")]);
      assert.equal(session.view(format).length, 5);
      assert.deepEqual(session.view(format)[2].content, first.content);
      assert.deepEqual(session.view("messages").map((m) => m.content), ["rules", "more", "otherwise", "quite", "again"]);
      assert.deepEqual(session.view("openai-chat").map((m) => m.content), ["rules", "more", "otherwise", "quite", "again"]);
    }
  });

  test("a new output answers its call again", () => {
    const session = new Session();
    session.sync("openai-chat", list.slice(0, 4));
    assert.deepEqual(session.sync("openai-chat", [...list.slice(0, 3), answers("a", "other")]), { added: 1, diverged_at: 3 });
    session.pushFrom("openai-chat", [says("done")]);
    assert.deepEqual(session.view("openai-chat").map((m) => m.role), ["system", "user", "assistant", "tool", "assistant"]);
  });

  test("a call that was open is no longer awaited", () => {
    const session = new Session();
    session.sync("openai-chat", list.slice(0, 3));
    const other = [...list.slice(0, 2), calls("a", "z"), answers("a", "1"), answers("z", "2"), asks("and?")];
    assert.deepEqual(session.sync("openai-chat", other), { added: 4, diverged_at: 2 });
    assertShows(session, other);
  });

  test("an interruption that is withdrawn", () => {
    const session = new Session();
    const interrupted = [...list.slice(0, 3), asks("stop")];
    session.sync("openai-chat", interrupted);
    assert.equal(session.view("openai-chat").length, 5, "a stand-in answers");
    session.sync("openai-chat", list.slice(0, 4));
    assertShows(session, list.slice(0, 4));
  });

  test("ids may be reused", () => {
    const session = new Session();
    session.sync("messages", [{ ...asks("go"), id: "x" }, { ...says("one"), id: "y" }]);
    session.sync("messages", [{ ...asks("go"), id: "x" }, { ...says("two"), id: "y" }]);
    assert.deepEqual(session.lower().map((m) => [m.id, m.content]), [["x", "go"], ["y", "two"]]);
  });

  test("an output that was stored is not stored twice", () => {
    const session = new Session();
    const big = "line\n".repeat(20_000);
    session.sync("openai-chat", [asks("go"), calls("a"), answers("a", big)]);
    const [ref] = session.toolOutputs.refs();
    session.sync("openai-chat", [asks("go on"), calls("a"), answers("a", big)]);
    assert.deepEqual(session.toolOutputs.refs(), [ref]);
    session.sync("openai-chat", [asks("go on"), calls("a"), answers("a", `${big}more`)]);
    assert.equal(session.toolOutputs.refs().length, 2);
  });

  test("malformed items change nothing", () => {
    const session = new Session();
    session.sync("openai-chat", list);
    assert.throws(() => session.sync("openai-chat", [...list.slice(0, 2), answers("zz", "?")]), failsWith("INVALID_MESSAGE", /message 0.*no open tool call/));
    assert.throws(() => session.sync("openai-chat", [...list, { content: "x" }]), failsWith("INVALID_MESSAGE", /message 0: `role` is missing/));
    assertShows(session, list);
    assert.deepEqual(session.sync("openai-chat", [...list, says("ok")]), { added: 1, diverged_at: null });
  });

  test("not a list, or not the whole list: INVALID_ARGUMENT, and nothing changes", () => {
    assert.throws(() => new Session().sync("openai-chat", "x"), failsWith("INVALID_ARGUMENT", /whole list/));
    const session = new Session();
    const call = { type: "function_call", call_id: "a", name: "f", arguments: "{}" };
    session.sync("openai-responses", [asks("go"), call]);
    const parts = [{ type: "input_text", text: "x" }];
    for (const one of [{ type: "function_call_output", call_id: "a", output: parts }, { id: "resp_1", object: "response", output: [says("done")] }, { id: "resp_1", output: [] }])
      assert.throws(() => session.sync("openai-responses", one), failsWith("INVALID_ARGUMENT", /whole list.*pushFrom/));
    assertShows(session, [asks("go"), call].map((_, i) => session.view("openai-responses").input[i]), "openai-responses");
    assert.equal(session.messages.length, 2);
    assert.throws(() => new Session().sync("yaml", []), failsWith("INVALID_ARGUMENT", /yaml/));
  });
});

describe("folds", () => {
  const long = (n) => Array.from({ length: n }, (_, i) => [asks(`question ${i} ${"word ".repeat(100)}`), says(`answer ${i} ${"word ".repeat(100)}`)]).flat();
  const folding = () => new Session({ contextWindow: 4000, summarize: () => "<summary>the gist</summary>" });

  test("a growing list leaves a fold unchanged", async () => {
    const session = folding();
    const items = long(10);
    session.sync("openai-chat", items);
    await session.compact();
    const folded = session.folds()[0].items.length;
    assert.ok(folded > 5);
    assert.deepEqual(session.sync("openai-chat", [...items, asks("and?")]), { added: 1, diverged_at: null });
    assert.equal(session.folds().length, 1);
    assert.ok(session.view("openai-chat").length < items.length);
  });

  test("a change after a fold leaves it unchanged", async () => {
    const session = folding();
    const items = long(10);
    session.sync("openai-chat", items);
    await session.compact();
    session.sync("openai-chat", [...items.slice(0, -1), says("otherwise")]);
    assert.equal(session.folds().length, 1);
    assert.equal(session.view("openai-chat").at(-1).content, "otherwise");
  });

  test("a change inside a fold undoes it", async () => {
    const session = folding();
    const items = long(10);
    session.sync("openai-chat", items);
    await session.compact();
    const other = [...items.slice(0, 3), says("otherwise"), asks("and?")];
    assert.deepEqual(session.sync("openai-chat", other), { added: 2, diverged_at: 3 });
    assert.deepEqual(session.folds(), []);
    assertShows(session, other);
  });

  test("a fold of a fold is undone too", async () => {
    const session = folding();
    const items = long(10);
    session.sync("openai-chat", items);
    await session.compact();
    items.push(...long(10));
    session.sync("openai-chat", items);
    await session.compact();
    assert.equal(session.folds().length, 2);
    const later = [...items.slice(0, 19), says("otherwise")];
    session.sync("openai-chat", later);
    assert.equal(session.folds().length, 1, "the first fold still holds");
    session.sync("openai-chat", [items[0]]);
    assert.deepEqual(session.folds(), []);
    assertShows(session, [items[0]]);
  });

  test("a list cut back to what is folded shows the question at its end again, and the fold stays", async () => {
    for (const [items, left, shown] of [
      [[asks(`unanswered ${"word ".repeat(100)}`), ...long(10)], 1, 1],
      [long(10), 5, 1],
      [long(10), 4, 0], // all questions are answered
    ]) {
      const session = folding();
      session.sync("openai-chat", items);
      await session.compact();
      const { items: folded } = session.folds()[0];
      assert.ok(folded.length > left);
      session.unfold(session.folds()[0].id);
      await session.plan().apply({ keep: folded.slice(left) });
      assert.equal(session.folds().find((fold) => fold.in_view).items.length, left);
      session.sync("openai-chat", items.slice(0, left));
      const view = session.view("openai-chat");
      assert.equal(view.length, left === 1 ? 1 : 1 + shown);
      if (shown) assert.equal(view.at(-1), items[left - 1]);
      assert.equal(session.folds().length, left === 1 ? 0 : 1);
      assert.deepEqual(session.sync("openai-chat", items.slice(0, left)), { added: 0, diverged_at: null });
    }
  });

  test("a summary requested before the change is stale", async () => {
    let answer;
    const session = new Session({ contextWindow: 4000, summarize: () => new Promise((resolve) => (answer = resolve)) });
    const items = long(10);
    session.sync("openai-chat", items);
    const compacting = session.compact();
    while (!answer) await new Promise(setImmediate);
    session.sync("openai-chat", [asks("something else")]);
    answer("<summary>the gist</summary>");
    await assert.rejects(compacting, failsWith("STALE_PLAN", /rewritten/));
    assertShows(session, [asks("something else")].map((_, i) => session.view("openai-chat")[i]));
  });
});

describe("a view that is handed back", () => {
  const entries = (view) => (Array.isArray(view) ? view : (view.input ?? view.messages ?? view.contents));
  const talk = () => {
    const session = new Session({ contextWindow: 4000, summarize: () => "<summary>the gist</summary>", toolOutputCache: { contextBudgetTokens: 50 } });
    session.setHeader("rules");
    session.push([asks("go"), calls("a"), answers("a", "lorem ipsum ".repeat(100)), says(`done ${"word ".repeat(300)}`), asks("and?"), calls("b"), answers("b", "yes"), says("so")]);
    return session;
  };
  for (const format of FORMATS)
    test(`${format}: entries after it are new, before a fold and after`, async () => {
      const session = talk();
      for (let round = 0; round < 3; round++) {
        const said = session.messages.length;
        const view = entries(session.view(format));
        const goesOn = [...structuredClone(view), saidIn(format, { role: "user", content: `more ${round}` })];
        assert.deepEqual(session.sync(format, goesOn), { added: 1, diverged_at: null });
        assert.deepEqual(session.sync(format, goesOn), { added: 0, diverged_at: null });
        assert.equal(session.messages.length, said + 1);
        assert.equal(session.folds().length, Math.min(round, 1));
        if (round === 0) await session.compact();
      }
      // Malformed entries after it change nothing, and the list goes on.
      const view = entries(session.view(format));
      const before = Buffer.from(session.snapshot());
      assert.throws(() => session.sync(format, [...view, { role: "nobody" }]), failsWith("INVALID_MESSAGE"));
      assert.ok(before.equals(Buffer.from(session.snapshot())));
      // A changed entry rewrites the past from there on; the fold is removed only if its own entry changed.
      const said = session.messages.length;
      session.sync(format, [...view.slice(0, -1), saidIn(format, { role: "user", content: "otherwise" })]);
      const own = format === "bedrock-converse" ? 1 : 0; // roles must alternate here: what follows the fold is in the same entry
      assert.equal(session.folds().length, 1 - own);
      session.sync(format, [saidIn(format, { role: "user", content: "from the beginning" })]);
      assert.equal(session.folds().length, 0);
      assert.equal(session.messages.length, said + 2, "the history keeps all of it");
      assert.equal(entries(session.view(format)).filter((entry) => entry.role !== "system").length, 1);
    });
});

test("a list without its beginning is no view that was handed back, if the view's summary is outside the list", async () => {
  const text = (entry) => JSON.stringify(entry);
  for (const [format, ladder] of [["anthropic", "ladder"], ["gemini", "ladder"], ["bedrock-converse", "ladder"], ["anthropic", "rolling"]]) {
    const session = new Session({ contextWindow: 5_000, ladder, summarize: () => "<summary>the old gist</summary>" });
    const said = (role, content) => saidIn(format, { role, content });
    const rest = [said("user", "Which versions?"), said("assistant", "Two."), said("user", "Go on.")];
    const first = [said("user", `The old question. ${"word ".repeat(400)}`), said("assistant", `Noted. ${"word ".repeat(100)}`)];
    session.sync(format, [...first, rest[0]]);
    await session.compact();
    const view = structuredClone(session.view(format));
    const outside = !text(view.messages ?? view.contents).includes("the old gist");
    // The body is the view, with what is outside its list.
    const twin = Session.restore(session.snapshot(), { summarize: () => "" });
    twin.sync(format, view);
    assert.equal(twin.folds().length, 1, format);
    const { diverged_at } = session.sync(format, structuredClone(rest));
    if (outside) {
      assert.deepEqual([diverged_at, session.folds().length], [0, 0], `${format}, ${ladder}`);
      assert.doesNotMatch(text(session.view(format)), /old/);
    }
    assert.ok(outside || ladder !== "ladder", "the summary is in the header");
  }
});

describe("if the caller rewrites a handed-back view, items that a pass removed from it go too", () => {
  const prepared = async () => {
    const session = new Session({ contextWindow: 100_000, ladder: [{ pass: "drop_old_tool_results", keepSteps: 1 }] });
    const saying = (text, ...ids) => ({ ...calls(...ids), content: text });
    session.push([asks("go"), calls("a"), calls("b"), answers("b", "1"), saying("so", "c"), answers("c", "2"), asks("on")]);
    await session.prepare();
    const view = session.view("openai-chat");
    assert.deepEqual(view, [asks("go"), says("so"), asks("on")]);
    session.sync("openai-chat", view);
    return { session, view };
  };
  test("from the beginning: none of it comes back", async () => {
    const { session } = await prepared();
    session.sync("openai-chat", [asks("else")]);
    assert.deepEqual(session.view("openai-chat"), [asks("else")]);
  });
  test("from after the request: neither its calls nor their outputs come back", async () => {
    const { session, view } = await prepared();
    session.sync("openai-chat", [view[0], says("no")]);
    assert.deepEqual(session.view("openai-chat"), [asks("go"), says("no")]);
  });
  test("from after an answer without its calls: that answer stays as it is", async () => {
    const { session, view } = await prepared();
    session.sync("openai-chat", [view[0], view[1], asks("else")]);
    assert.deepEqual(session.view("openai-chat"), [asks("go"), says("so"), asks("else")]);
    assert.equal(session.messages.length, 8, "the history keeps all of it");
  });
});

describe("rewriting a handed-back summary removes everything it covers", () => {
  const handedBack = async () => {
    const session = new Session({ contextWindow: 100_000, summarize: () => "<summary>the gist</summary>" });
    const turns = (n) => Array.from({ length: 4 }, (_, i) => [asks(`question ${n}.${i}`), says(`answer ${n}.${i}`)]).flat();
    session.sync("openai-chat", turns(1));
    await session.compact();
    session.sync("openai-chat", [...session.view("openai-chat"), ...turns(2)]);
    await session.compact();
    const list = [...session.view("openai-chat"), asks("on")];
    session.sync("openai-chat", list);
    return { session, list, fold: session.folds().at(-1) };
  };
  const AFTERWARDS = {
    "nothing happened to it": () => {},
    "it was unfolded": (session, fold) => session.unfold(fold.id),
    "both folds were": (session, fold) => [fold.id, session.folds()[0].id].map((id) => session.unfold(id)),
    "it was expanded in the graph": (session, fold) => session.graph.expand(fold.id),
    "a message of it was pinned": (session, fold) => session.pin(fold.items.at(-1)),
    "a message of it was pinned, and it was unfolded": (session, fold) => (session.pin(fold.items.at(-1)), session.unfold(fold.id)),
  };
  for (const [what, happens] of Object.entries(AFTERWARDS))
    for (const where of ["there", "in a restored session", "in a fork"]) {
      if (where === "in a fork" && /graph/.test(what)) continue; // it has other ids there
      test(`${what}, ${where}`, async () => {
        let { session, list, fold } = await handedBack();
        if (where === "in a fork") session = session.fork(session.messages.at(-1).id ?? session.items().at(-1).id);
        happens(session, fold);
        if (where === "in a restored session") session = Session.restore(session.snapshot());
        assert.deepEqual(session.sync("openai-chat", structuredClone(list)), { added: 0, diverged_at: null }, "the list is known as it was");
        assert.deepEqual(session.sync("openai-chat", [asks("from the beginning")]), { added: 1, diverged_at: 0 });
        assert.deepEqual(session.view("openai-chat"), [asks("from the beginning")]);
        assert.deepEqual(session.folds(), []);
      });
    }

  test("the same after a rewind into the folded conversation", async () => {
    const { session, fold } = await handedBack();
    session.unfold(fold.id);
    session.rewind(session.folds()[0].items[0]);
    session.sync("openai-chat", [asks("from the beginning")]);
    assert.deepEqual(session.view("openai-chat"), [asks("from the beginning")]);
  });
});

describe("a restored session accepts a list like the original", () => {
  const twins = (session) => [session, Session.restore(session.snapshot())];

  test("a header that is handed back with the view is not added twice", () => {
    for (const format of FORMATS) {
      const live = new Session();
      live.setHeader("rules");
      live.pushFrom(format, [saidIn(format, says("one"))]);
      for (const session of twins(live)) {
        const view = session.view(format);
        const list = [...(Array.isArray(view) ? view : (view.input ?? view.messages ?? view.contents)), saidIn(format, asks("two"))];
        session.sync(format, structuredClone(list));
        assert.deepEqual(session.messages.filter((m) => m.role === "system").map((m) => m.content), ["rules"], format);
      }
    }
  });

  test("an additional header in the list is kept as its own entry", () => {
    const live = new Session();
    live.setHeader("rules");
    live.sync("openai-chat", [says("one")]);
    const [one, other] = twins(live).map((session) => {
      session.sync("openai-chat", [{ role: "system", content: "more" }, says("one"), asks("two")]);
      return session.view("openai-chat");
    });
    assert.deepEqual(other, one);
    assert.deepEqual(other.map((m) => m.content), ["rules", "more", "one", "two"]);
  });

  test("two entries of one role that came separately stay separate", () => {
    const first = [{ role: "user", content: [{ type: "text", text: "x", cache_control: { type: "ephemeral" } }] }];
    const live = new Session();
    live.sync("anthropic", structuredClone(first));
    for (const session of twins(live)) {
      session.sync("anthropic", structuredClone([...first, asks("y")]));
      assert.deepEqual(session.view("anthropic").messages, [...first, asks("y")]);
    }
  });

  test("white space trimmed by a view is treated alike by the live and the restored session", () => {
    const live = new Session();
    live.sync("anthropic", [asks("x"), says("one ")]);
    const [one, other] = twins(live).map((session) => {
      session.sync("anthropic", [asks("x"), says("one"), asks("y")]);
      return session.view("anthropic");
    });
    assert.deepEqual(other, one);
  });
});

describe("a text part without text", () => {
  for (const format of FORMATS)
    test(`${format}: is refused, and named by its path`, () => {
      const content = [{ type: format === "openai-responses" ? "input_text" : "text" }];
      const session = new Session();
      for (const take of [() => session.pushFrom(format, [{ role: "user", content }]), () => session.sync(format, [{ role: "user", content }])])
        assert.throws(take, failsWith("INVALID_MESSAGE", /`content\[0\]` needs `text`/));
      assert.equal(session.messages.length, 0);
    });
});

describe("recorded requests, step by step", { skip: missing }, () => {
  const FORMATS = { responses: "openai-responses", chat: "openai-chat", anthropic: "anthropic" };
  for (const [of, format] of Object.entries(FORMATS))
    test(`${format}: synced items come out as they came in`, () => {
      let lists = 0;
      for (const { id, items, opts } of recordedRequests(of)) {
        if (opts.stateful || items.length > 60) continue;
        const session = new Session({ toolOutputCache: { enabled: false } });
        for (let n = 1; n <= items.length; n++) assert.deepEqual(session.sync(format, items.slice(0, n)), { added: 1, diverged_at: null }, id);
        const view = session.view(format);
        const list = Array.isArray(view) ? view : (view.input ?? view.messages ?? view.contents);
        const holdsNothing = (m) => m.role === "assistant" && Array.isArray(m.content) && !m.content.length && !m.tool_calls?.length;
        const isCompaction = (part) => part.type === "compaction";
        const compacted = items.some((m) => isCompaction(m) || (Array.isArray(m.content) && m.content.some(isCompaction)));
        const said = items.filter((m) => !holdsNothing(m)).map(withoutEmptyCalls);
        // If the provider compacted, the view starts at its compaction.
        const from = compacted ? said.findLastIndex((m) => isCompaction(m) || (Array.isArray(m.content) && m.content.some(isCompaction))) : 0;
        assert.equal(JSON.stringify(list.slice(-(said.length - from))), JSON.stringify(said.slice(from)), id);
        lists++;
      }
      assert.ok(lists > 50);
    });
});

describe("a view that is passed back after a fold", () => {
  const said = (i) => [asks(`Question ${i} about the build`), says(`Answer ${i} with some words that matter. `.repeat(12))];

  for (const [what, header] of [["another header", [{ role: "system", content: "Today is Tuesday." }]], ["no header", []]])
    for (const format of ["openai-chat", "openai-responses", "messages"])
      test(`with ${what}: ${format}`, async () => {
        const session = new Session({ contextWindow: 3_000 });
        session.sync("messages", [{ role: "system", content: "Today is Monday." }, ...Array.from({ length: 20 }, (_, i) => said(i)).flat()]);
        await session.prepare();
        const [folds, messages] = [session.folds().length, session.messages.length];
        assert.ok(folds > 0);
        const view = session.view(format);
        const entries = (view.input ?? view).filter(({ role }) => role !== "system" && role !== "developer");
        session.sync(format, [...header, ...entries, { role: "user", content: "new" }]);
        assert.equal(session.folds().length, folds, "the folds stay");
        assert.equal(session.messages.length, messages + 1 + header.length, "one message more, and another header");
        const shown = session.view("openai-chat");
        assert.deepEqual(shown.filter(({ role }) => role === "system").map(({ content }) => content), header.map(({ content }) => content));
        assert.equal(shown.at(-1).content, "new");
      });
});

describe("an answer of Gemini in several contents, as its SDK keeps the chunks of a stream", () => {
  const user = (text) => ({ role: "user", parts: [{ text }] });
  const model = (...parts) => ({ role: "model", parts });
  const asksFor = (name, more) => ({ functionCall: { name, args: {} }, ...more });
  const output = (name, text) => ({ functionResponse: { name, response: { output: text } } });
  const signed = { thoughtSignature: "c2ln" };
  const go = user("go");
  const answers = {
    "a text": [model(asksFor("f", signed)), model({ text: "I look." })],
    "an empty text with a signature": [model(asksFor("f", signed)), model({ text: "", thoughtSignature: "c2ln" })],
    "a thought": [model({ text: "Hm." }), model(asksFor("f", signed)), model({ text: "More.", thought: true }), model(asksFor("g"))],
  };

  for (const [what, chunks] of Object.entries(answers)) {
    const outputs = { role: "user", parts: chunks.flatMap(({ parts }) => parts).flatMap((part) => (part.functionCall ? [output(part.functionCall.name, "1")] : [])) };
    const list = [go, ...chunks, outputs];
    test(`${what} behind a call stays before the output`, async () => {
      const whole = new Session();
      whole.pushFrom("gemini", list);
      const synced = new Session();
      synced.sync("gemini", [go]);
      assert.equal(synced.sync("gemini", list).diverged_at, null);
      for (const session of [whole, synced]) {
        await session.prepare();
        assertSays(session, list, "gemini").forEach((content, at) => assert.equal(content, list[at]));
        assert.deepEqual(Session.restore(session.snapshot()).view("gemini").contents, list);
        for (const format of FORMATS) assert.deepEqual(check(format, session.view(format)).filter(({ severity }) => severity === "error"), [], format);
      }
      assert.deepEqual(convert("messages", "gemini", convert("gemini", "messages", list)), list);
    });
  }

  for (const [what, chunks] of Object.entries(answers)) {
    test(`${what} behind a call stays before the output, if the contents are pushed one by one`, () => {
      const outputs = chunks.flatMap(({ parts }) => parts).flatMap((part) => (part.functionCall ? [output(part.functionCall.name, "1")] : []));
      const list = [go, ...chunks, { role: "user", parts: outputs }];
      const session = new Session();
      for (const content of list) session.pushFrom("gemini", content);
      assertSays(session, list, "gemini");
      assert.deepEqual(Session.restore(session.snapshot()).view("gemini").contents, list);
      for (const format of FORMATS) assert.deepEqual(check(format, session.view(format)).filter(({ severity }) => severity === "error"), [], format);
    });
  }

  test("an empty chunk, which the API refuses, is left out, and the view ends with the output", () => {
    const session = new Session();
    session.sync("gemini", [go, model(asksFor("f")), model({ text: "" }), { role: "user", parts: [output("f", "1")] }]);
    assertSays(session, [go, model(asksFor("f")), { role: "user", parts: [output("f", "1")] }], "gemini");
  });

  test("calls without ids are told apart however they are pushed", () => {
    const list = [go, model(asksFor("f")), model(asksFor("f")), model(asksFor("f")), { role: "user", parts: [output("f", "1")] }, { role: "user", parts: [output("f", "2")] }, { role: "user", parts: [output("f", "3")] }];
    const session = new Session();
    for (const content of list) session.pushFrom("gemini", content);
    const outputs = { role: "user", parts: ["1", "2", "3"].map((text) => output("f", text)) };
    assert.deepEqual(session.view("gemini").contents, [...list.slice(0, 4), outputs]);
    const synced = new Session();
    for (let n = 1; n <= list.length; n++) assert.equal(synced.sync("gemini", list.slice(0, n)).diverged_at, null);
    assert.deepEqual(synced.view("gemini").contents, [...list.slice(0, 4), outputs]);
  });
});

test("a call that is stored with the provider is found by its output, in whatever pieces the list comes", async () => {
  const reference = (id) => ({ type: "item_reference", id });
  const brought = (call_id) => ({ type: "function_call_output", call_id, output: call_id });
  const list = [{ role: "user", content: "hi" }, reference("rs_1"), reference("fc_1"), reference("fc_2"), brought("call_1"), brought("call_2"), { role: "user", content: "go on" }];
  const store = memoryStore();
  const pushed = new Session();
  const synced = new Session();
  for (const [at, item] of list.entries()) {
    pushed.pushFrom("openai-responses", item);
    await pushed.save(store, "key");
    assert.deepEqual(synced.sync("openai-responses", list.slice(0, at + 1)), { added: 1, diverged_at: null });
  }
  for (const session of [pushed, synced, await Session.load(store, "key"), Session.restore(synced.snapshot())]) {
    assert.deepEqual(session.view("openai-responses").input, list);
    assert.deepEqual(session.sync("openai-responses", structuredClone(list)), { added: 0, diverged_at: null });
  }
  // A refused list claims nothing: no call waits.
  const refused = new Session();
  refused.pushFrom("openai-responses", list.slice(0, 4));
  assert.throws(() => refused.pushFrom("openai-responses", ["call_1", "call_2", "call_3"].map(brought)), { code: "INVALID_MESSAGE" });
  refused.push({ role: "user", content: "on" });
  assert.equal(refused.view("openai-responses").input.length, 5);
});

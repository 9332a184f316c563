// Real requests that providers accepted: they come out as they came in, and stay valid under tiny windows.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ContextError, OpenAIHistoryAdapter, Session } from "contextfold";
import { dialogues, missing, recordedRequests, validator, withoutEmptyCalls } from "../support/data.mjs";
import { failsWith } from "../support/session.mjs";

const validate = missing ? null : await validator();
const invalid = missing || (validate ? false : "no validator beside it");
if (missing || invalid) console.log(`recorded data: ${missing || invalid}; skipped`);

const all = missing ? [] : recordedRequests("responses");
/** Requests whose history the provider keeps: outputs come without their calls. */
const stateful = all.filter((r) => r.opts.stateful);
/** Requests whose history the provider compacted: a view starts at the newest compaction. */
const isCompaction = (item) => item.type === "compaction";
const compacted = all.filter((r) => !r.opts.stateful && r.items.some(isCompaction));
const requests = all.filter((r) => !r.opts.stateful && !r.items.some(isCompaction));
const chats = missing ? [] : [...recordedRequests("chat"), ...dialogues("chat").map((d) => ({ ...d, opts: { format: "chat" } }))];
const rich = ({ items }) => items.length >= 6;

describe("Responses requests", { skip: missing }, () => {
  test("the data is there", () => assert.ok(requests.length > 100 && chats.length > 100));

  test("each comes out unchanged, key order included, and as the same objects", () => {
    for (const { id, items } of requests) {
      const session = new Session();
      session.pushFrom("openai-responses", items);
      const { input, ...rest } = session.view("openai-responses");
      assert.equal(JSON.stringify(input), JSON.stringify(items), id);
      assert.deepEqual(rest, {}, id);
      for (const [i, item] of items.entries()) assert.equal(input[i], item, `${id} item ${i}`);
    }
  });

  test("if the provider compacted, the view has the same objects from the newest compaction on", () => {
    assert.ok(compacted.length > 0);
    for (const { id, items } of compacted) {
      const session = new Session();
      session.pushFrom("openai-responses", items);
      const { input } = session.view("openai-responses");
      const behind = items.slice(items.findLastIndex(isCompaction));
      for (const [i, item] of behind.entries()) assert.equal(input.at(i - behind.length), item, `${id} item ${i}`);
      const answers = (item) => !["user", "system", "developer"].includes(item.role);
      assert.equal(input.length > behind.length, !items.slice(0, -behind.length).some(answers) && items.length > behind.length, id);
      assert.equal(session.messages.length > 0 && new OpenAIHistoryAdapter(items).inputItems.length, items.length, id);
    }
  });

  test("rewritten without the original objects, they are unchanged too", () => {
    for (const { id, items } of requests) {
      const [once, twice] = [new Session(), new Session({ toolOutputCache: { enabled: false } })];
      once.pushFrom("openai-responses", items);
      twice.push(structuredClone(once.messages).map(({ output_ref, ...message }) => message));
      assert.equal(JSON.stringify(twice.view("openai-responses").input), JSON.stringify(items), id);
    }
  });

  test("item by item is the same as all at once, except for empty assistant items", () => {
    for (const { id, items } of requests) {
      const session = new Session();
      for (const item of items) session.pushFrom("openai-responses", [item]);
      const holdsNothing = (item) => Array.isArray(item.content) && item.content.length === 0;
      const said = items.filter((item) => item.role !== "assistant" || !holdsNothing(item));
      assert.equal(JSON.stringify(session.view("openai-responses").input), JSON.stringify(said), id);
    }
  });

  test("an adapter rebuilds an unchanged history to the same objects", () => {
    for (const { id, items } of requests) {
      const session = new Session();
      session.pushFrom("openai-responses", items);
      const adapter = new OpenAIHistoryAdapter(items);
      adapter.rebuild(session.view("messages"));
      assert.deepEqual(adapter.inputItems, items, id);
    }
  });

  test("requests that rely on a history stored by the provider: an adapter accepts them, a session says what is missing", () => {
    assert.ok(stateful.length > 0);
    for (const { id, items } of stateful) {
      assert.deepEqual(new OpenAIHistoryAdapter(items).inputItems, items, id);
      if (/_output$/.test(items[0].type)) assert.throws(() => new Session().pushFrom("openai-responses", items), failsWith("INVALID_MESSAGE", /message 0.*no open tool call/), id);
    }
  });

  test("their answers can be pushed after them", () => {
    for (const { id, items, answer } of requests.filter((r) => Array.isArray(r.answer))) {
      const session = new Session();
      session.pushFrom("openai-responses", items);
      session.pushFrom("openai-responses", answer);
      assert.equal(JSON.stringify(session.view("openai-responses").input), JSON.stringify([...items, ...answer]), id);
    }
  });
});

describe("Chat requests and dialogues", { skip: missing }, () => {
  test("each comes out unchanged, key order included, except for empty assistant messages", () => {
    const isEmpty = (m) => m.role === "assistant" && (m.content ?? []) instanceof Array && !m.content?.length && !m.tool_calls?.length;
    const odd = chats.filter(({ items }) => {
      const session = new Session({ toolOutputCache: { enabled: false } });
      session.pushFrom("openai-chat", items);
      return JSON.stringify(session.view("openai-chat")) !== JSON.stringify(items.filter((m) => !isEmpty(m)).map(withoutEmptyCalls));
    });
    assert.deepEqual(odd.map((r) => r.id), []);
  });
});

describe("views under windows that are too small are valid for their provider", { skip: invalid }, () => {
  const FORMATS = {
    "openai-responses": { list: requests, of: "responses", items: (view) => view.input },
    "openai-chat": { list: chats, of: "chat", items: (view) => view },
  };
  const WAYS = {
    prepare: (session) => session.prepare(),
    compact: (session) => session.compact(),
    "compact, then prepare": async (session) => (await session.compact(), session.prepare()),
  };

  /** Rule violations of the view that the recorded request itself did not have. */
  function errors(items, request, of) {
    const options = { ...request.opts, format: of, original: request.items };
    const before = new Set(validate(request.items, { ...request.opts, format: of }).filter((v) => v.severity === "error").map((v) => v.rule));
    return validate(items, options).filter((v) => v.severity === "error" && !before.has(v.rule));
  }

  /** Whether the parts that must stay verbatim (header, newest user message) leave room, and the request is not tiny. */
  function hasRoom(session) {
    const tokensOf = (items) => items.reduce((sum, item) => sum + item.tokens, 0);
    const ofType = (type) => session.items().filter((item) => item.item_type === type);
    const verbatim = tokensOf(ofType("SYSTEM_PROMPT")) + tokensOf(ofType("USER_MESSAGE").slice(-1));
    return session.limit >= 800 && verbatim < session.limit * 0.6;
  }

  for (const [format, { list, of, items }] of Object.entries(FORMATS))
    for (const [way, run] of Object.entries(WAYS))
      for (const share of [0.8, 0.5, 0.2])
        test(`${format}: ${way} at ${share} of its tokens`, async () => {
          let fit = 0;
          for (const request of list.filter(rich)) {
            const whole = new Session();
            whole.pushFrom(format, request.items);
            const session = new Session({
              contextWindow: Math.max(1, Math.floor(whole.tokens * share)),
              toolOutputCache: { contextBudgetTokens: Math.floor(whole.tokens * share * 0.5) },
              summarize: () => "<summary>The gist.</summary>",
            });
            session.pushFrom(format, request.items);
            try {
              await run(session);
              if (way.includes("prepare")) assert.ok(session.tokens <= session.limit * 0.9, `${request.id}: ${session.tokens} of ${session.limit}`);
              fit++;
            } catch (error) {
              if (error instanceof assert.AssertionError) throw error;
              // Only what cannot be made small enough may be refused, with a message.
              assert.ok(ContextError.isInstance(error), String(error));
              assert.ok(["CONTEXT_WINDOW_EXCEEDED", "BUDGET_IMPOSSIBLE", "SUMMARY_NOT_SMALLER"].includes(error.code), `${request.id}: ${error.code} ${error.message}`);
              if (error.code === "CONTEXT_WINDOW_EXCEEDED") assert.ok(!hasRoom(session), `${request.id}: ${error.message}`);
            }
            const found = errors(items(session.view(format)), request, of);
            assert.deepEqual(found.map((v) => `${request.id}: ${v.rule} [${v.index}] ${v.message}`), []);
          }
          assert.ok(fit > 5, `only ${fit} fit`);
        });

  test("the same views without one output are refused, so the check can fail", () => {
    let refused = 0;
    const paired = requests.filter(({ items }) => items.some((i) => i.type === "function_call_output"));
    for (const request of paired) {
      const at = request.items.findIndex((i) => i.type === "function_call_output");
      refused += Number(errors(request.items.filter((_, i) => i !== at), { ...request, opts: { ...request.opts, stateful: false } }, "responses").length > 0);
    }
    assert.equal(refused, paired.length);
  });
});

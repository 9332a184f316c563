// A session as bytes: restoring gives the same session, in every format's view.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Session, loadEncoding } from "contextfold";
import { missing, recordedRequests } from "../support/data.mjs";
import { FORMATS, assistant, calls, conversation, failsWith, listOf, output, saidIn, stateOf, user, words } from "../support/session.mjs";

const json = (value) => JSON.stringify(value);
const wide = { contextWindow: 100_000 };

/** A session that uses every feature. */
async function rich(options = {}) {
  const session = new Session({ contextWindow: 4_000, summarize: () => "<summary>They talked of words.</summary>", ...options });
  session.setHeader("Be brief.");
  session.setTools("openai-chat", [{ type: "function", function: { name: "read", parameters: { type: "object" } } }]);
  const ids = session.push(conversation(8, 60));
  session.pin(ids[0]);
  session.pin({ id: ids[4], text: "question 1" });
  await session.prepare();
  session.recordUsage({ input_tokens: 1_900, output_tokens: 10 });
  session.pushFrom("openai-responses", [
    { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" },
    { type: "function_call", id: "fc_1", call_id: "r1", name: "read", arguments: '{"a": 1.10}', status: "completed" },
    { type: "function_call_output", call_id: "r1", output: "é日本" },
  ]);
  session.pushFrom("anthropic", [{ role: "user", content: [{ type: "text", text: "and?", cache_control: { type: "ephemeral" } }] }]);
  return session;
}

describe("the restored session", () => {
  test("returns messages pushed without content as they came, like the original", () => {
    for (const content of ["", " \n", [], [{ type: "text", text: "" }]])
      for (const role of ["user", "assistant"]) {
        const session = new Session(wide);
        session.pushFrom("anthropic", [{ role: "user", content: "go" }, { role, content }, { role: "user", content: "and?" }]);
        const again = Session.restore(session.snapshot());
        assert.equal(json(again.view("anthropic")), json(session.view("anthropic")), `${role} ${json(content)}`);
      }
  });

  test("shows an unknown part inside its message", () => {
    const parts = { "openai-responses": { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }, "openai-chat": { type: "video", video: "AAAA" }, anthropic: { type: "video", video: "AAAA" }, "ai-sdk": { type: "video", video: "AAAA" } };
    for (const [format, part] of Object.entries(parts))
      for (const role of ["user", "assistant"]) {
        const session = new Session(wide);
        session.pushFrom(format, [{ role: "user", content: "Look." }, { role: "assistant", content: "At what?" }, { role: "user", content: "This." }, { role, content: [part] }, { role: "user", content: "And?" }]);
        assert.equal(json(Session.restore(session.snapshot()).view(format)), json(session.view(format)), `${format} ${role}`);
      }
  });

  test("keeps the key order of tool messages", () => {
    const keys = { is_error: true, ephemeral: 3, priority: 2, pinned: true, item_type: "TOOL_RESULT", extras: { mine: 1 } };
    for (const [key, value] of Object.entries(keys))
      for (const message of [{ ...output("c", "no"), [key]: value }, { [key]: value, ...output("c", "no") }, { ...output("c", "no"), output_ref: { id: "out_9" }, [key]: value }]) {
        const session = new Session(wide);
        session.push([user("q"), calls("c"), message]);
        assert.equal(json(Session.restore(session.snapshot()).view("messages")), json(session.view("messages")), json(message));
      }
  });

  test("has the same views in every format, and the same bytes", async () => {
    const session = await rich();
    const bytes = session.snapshot();
    const again = Session.restore(bytes);
    assert.deepEqual(again.snapshot(), bytes);
    for (const format of FORMATS.slice(1)) assert.equal(json(again.view(format)), json(session.view(format)), format);
    assert.deepEqual(stateOf(again), stateOf(session));
    assert.deepEqual(again.report, session.report);
    assert.deepEqual(again.summaryState, session.summaryState);
    assert.equal(again.limit, 4_000);
    for (const { id } of session.toolOutputs.refs()) assert.equal(await again.toolOutputs.get(id), await session.toolOutputs.get(id));
  });

  test("goes on like the original", async () => {
    const session = await rich();
    const again = Session.restore(session.snapshot(), { summarize: () => "<summary>They talked of words.</summary>" });
    for (const s of [session, again]) {
      s.push(conversation(6, 60, "later"));
      await s.prepare();
      s.recordUsage({ input_tokens: 2_500, output_tokens: 10 });
    }
    assert.deepEqual(stateOf(again), stateOf(session));
    assert.deepEqual(again.snapshot(), session.snapshot());
  });

  test("recognises an SDK's list again, and returns its objects", () => {
    const list = conversation(3, 20);
    const session = new Session(wide);
    session.sync("openai-chat", list);
    const again = Session.restore(session.snapshot());
    const copy = structuredClone(list);
    assert.deepEqual(again.sync("openai-chat", [...copy, user("more")]), { added: 1, diverged_at: null });
    again.view("openai-chat").slice(0, list.length).forEach((message, i) => assert.equal(message, copy[i]));
    const other = Session.restore(session.snapshot());
    assert.deepEqual(other.sync("openai-chat", copy.with(2, output("call_0", "another"))), { added: 10, diverged_at: 2 });
  });

  for (const format of FORMATS)
    test(`${format}: recognises a view that was handed back, however it was written`, async () => {
      const session = await rich({ toolOutputCache: { maxMessageBytes: 300 } });
      session.push([calls("long"), output("long", words(100)), assistant("so")]);
      const list = [...listOf(session.view(format)), saidIn(format, user("more"))];
      assert.match(json(list), /ref=out/, "some of it is not as it was pushed");
      assert.deepEqual(session.sync(format, list), { added: 1, diverged_at: null });
      const again = Session.restore(session.snapshot());
      assert.deepEqual(again.sync(format, structuredClone([...list, saidIn(format, user("and more"))])), { added: 1, diverged_at: null });
      assert.deepEqual(Session.restore(again.snapshot()).snapshot(), again.snapshot());
      const other = Session.restore(session.snapshot());
      assert.equal(other.sync(format, structuredClone(list).with(-2, saidIn(format, user("otherwise")))).diverged_at, list.length - 2);
    });

  test("returns the recorded request, byte for byte", { skip: missing }, async () => {
    for (const { format, body, name } of (await recordedRequests()).slice(0, 60)) {
      const session = new Session({ contextWindow: 1_000_000 });
      session.pushFrom(format, body);
      const again = Session.restore(session.snapshot());
      for (const to of FORMATS.slice(1)) assert.equal(json(again.view(to)), json(session.view(to)), `${name} as ${to}`);
    }
  });
});

describe("options", () => {
  test("plain options come back, and given ones override them", () => {
    const session = new Session({ contextWindow: 5_000, ladder: [{ pass: "dedupe_reads" }], compaction: { lowRatio: 0.3, thresholdRatio: 0.6 }, toolOutputCache: { maxMessageBytes: 100 } });
    const same = Session.restore(session.snapshot());
    assert.deepEqual([same.window, same.threshold, same.ladder], [5_000, 3_000, session.ladder]);
    const other = Session.restore(session.snapshot(), { contextWindow: 10_000, compaction: { thresholdRatio: 0.5 } });
    assert.deepEqual([other.window, other.threshold, other.ladder], [10_000, 5_000, session.ladder]);
    assert.throws(() => Session.restore(session.snapshot(), { contextwindow: 1 }), failsWith("INVALID_CONFIG", /contextWindow/));
  });

  test("a model from the caller's table is known without the table", () => {
    const models = { "my-model": { max_input_tokens: 7_000, max_output_tokens: 500 }, other: { max_input_tokens: 9 } };
    const session = new Session({ model: "my-model", models });
    const again = Session.restore(session.snapshot());
    assert.equal(again.limit, session.limit);
    assert.throws(() => Session.restore(session.snapshot(), { model: "other" }), failsWith("UNKNOWN_MODEL"));
  });

  test("a custom tokenizer must be passed again, and a different one counts everything again", async () => {
    const session = new Session({ ...wide, tokenizer: (text) => text.length });
    session.push(conversation(2, 10));
    assert.throws(() => Session.restore(session.snapshot()), failsWith("INVALID_CONFIG", /tokenizer/));
    assert.equal(Session.restore(session.snapshot(), { tokenizer: (text) => text.length }).tokens, session.tokens);
    const bytes4 = new Session({ ...wide, tokenizer: "bytes/4" });
    bytes4.push(conversation(2, 10));
    assert.equal(Session.restore(session.snapshot(), { tokenizer: "bytes/4" }).tokens, bytes4.tokens);
    assert.equal(Session.restore(bytes4.snapshot()).tokens, bytes4.tokens);
    assert.equal(Session.restore(bytes4.snapshot(), { tokenizer: (text) => text.length }).tokens, session.tokens);
    const exact = new Session({ model: "gpt-5", tokenizer: await loadEncoding("o200k_base") });
    exact.push(conversation(2, 10));
    assert.equal(Session.restore(exact.snapshot()).tokens, exact.tokens);
  });

  test("a redaction must be passed again, or explicitly dropped", async () => {
    const session = await rich({ compaction: { redact: (text) => text.replaceAll("question", "…") } });
    const bytes = session.snapshot();
    for (const options of [undefined, {}, { compaction: {} }, { compaction: { redact: undefined, lowRatio: 0.3 } }])
      assert.throws(() => Session.restore(bytes, options), failsWith("INVALID_CONFIG", /`compaction\.redact`: .*pass it again, or `null`/));
    assert.throws(() => Session.restore(bytes, { compaction: { redact: true } }), failsWith("INVALID_CONFIG", /redact/));
    const without = Session.restore(bytes, { compaction: { redact: null } });
    assert.equal(Session.restore(without.snapshot()).tokens, session.tokens);
    const seen = [];
    const again = Session.restore(bytes, { compaction: { redact: (text) => (seen.push(text), text) } });
    await again.compact();
    assert.notEqual(seen.length, 0);
    again.setOptions({ compaction: { redact: null } });
    seen.length = 0;
    again.push(conversation(2, 60, "later"));
    await again.compact();
    assert.equal(seen.length, 0);
  });

  test("a `summarize` that is not passed again is named as missing in each report", async () => {
    const bytes = (await rich()).snapshot();
    const noticesOf = async (session) => {
      session.push(conversation(4, 60, "later"));
      return (await session.prepare()).report.notices;
    };
    assert.match((await noticesOf(Session.restore(bytes)))[0], /`summarize` callback that was not passed again/);
    assert.match((await noticesOf(Session.restore(Session.restore(bytes).snapshot())))[0], /`summarize`/);
    const summarize = () => "<summary>They talked of words.</summary>";
    assert.equal(await noticesOf(Session.restore(bytes, { summarize })), undefined);
    const late = Session.restore(bytes);
    late.setOptions({ summarize });
    assert.equal(await noticesOf(late), undefined);
    assert.equal(await noticesOf(Session.restore(new Session(wide).snapshot())), undefined);
  });

  test("a limit learnt from a refusal stays, unless limits are given", async () => {
    const session = new Session(wide);
    session.push(conversation(4, 200));
    await session.recover({ message: "This model's maximum context length is 3000 tokens. However, your messages resulted in 5000 tokens." });
    assert.ok(session.limit <= 3_000);
    assert.equal(Session.restore(session.snapshot()).limit, session.limit);
    assert.equal(Session.restore(session.snapshot(), { contextWindow: 50_000 }).limit, 50_000);
  });
});

describe("bytes that are not a session", () => {
  const bytes = (() => {
    const session = new Session(wide);
    session.push(conversation(2, 10));
    return session.snapshot();
  })();

  test("are refused, and nothing breaks", () => {
    for (const wrong of [undefined, null, "text", [1, 2], {}]) assert.throws(() => Session.restore(wrong), failsWith("INVALID_ARGUMENT", /Uint8Array/));
    for (const wrong of [new Uint8Array(0), new Uint8Array(500), bytes.slice(0, -1), Uint8Array.from([...bytes, 0])])
      assert.throws(() => Session.restore(wrong), failsWith("SNAPSHOT_INVALID"));
    for (let at = 0; at < bytes.length; at += 7) {
      const damaged = bytes.slice();
      damaged[at] ^= 0x20;
      assert.throws(() => Session.restore(damaged), (error) => ["SNAPSHOT_INVALID", "SNAPSHOT_TOO_NEW"].includes(error.code));
    }
    assert.equal(Session.restore(Buffer.from(bytes)).messages.length, 8);
  });

  test("of a newer version are named as such", () => {
    const text = Buffer.from(bytes).toString("latin1").replace(/^contextfold-session \d+/, "contextfold-session 99999");
    assert.throws(() => Session.restore(Buffer.from(text, "latin1")), failsWith("SNAPSHOT_TOO_NEW", /version 99999.*update contextfold/));
  });
});

test("structuredClone of a session fails with a hint what to do instead", () => {
  const session = new Session();
  for (const one of [session, session.fork(session.push(user("go"))[0]), Session.restore(session.snapshot())])
    assert.throws(() => structuredClone(one), { name: "DataCloneError", message: /use session\.snapshot\(\).*: a Session itself\) could not be cloned/ });
  session.free();
  assert.throws(() => session.tokens, { code: "FREED" });
});

test("calls with ids and names that their API does not take come back from a restored session as they went in", () => {
  for (const [id, name] of [["functions.read:0", "read"], ["a/b", "read"], ["call_1", "my.tool"]]) {
    const lists = {
      anthropic: [
        { role: "user", content: "go" },
        { role: "assistant", content: [{ type: "tool_use", id, name, input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "1" }] },
      ],
      "bedrock-converse": [
        { role: "user", content: [{ text: "go" }] },
        { role: "assistant", content: [{ toolUse: { toolUseId: id, name, input: {} } }] },
        { role: "user", content: [{ toolResult: { toolUseId: id, content: [{ text: "1" }] } }] },
      ],
    };
    for (const [format, list] of Object.entries(lists)) {
      const session = new Session();
      session.pushFrom(format, list);
      assert.deepEqual(session.view(format).messages, list);
      assert.deepEqual(Session.restore(session.snapshot()).view(format).messages, list, `${format}, ${id}, ${name}`);
    }
  }
});

// How much memory a session holds, and that a freed one returns all of it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import v8 from "node:v8";
import vm from "node:vm";
import { Session } from "contextfold";
import { memoryStore } from "contextfold/stores/memory";
import { runTool } from "contextfold/tools";
import { calls, conversation, failsWith, output, user } from "../support/session.mjs";

const text = (i) => `line of ${i}\n`.repeat(2_000);
const bytes = (i) => Buffer.byteLength(text(i));

/** `count` steps whose outputs are not whole in the view. */
function push(session, count, first = 0) {
  for (let i = first; i < first + count; i++) session.push([calls(`c${i}`), output(`c${i}`, text(i))]);
}

const bounded = (store, memoryBytes = 50_000) => new Session({ contextWindow: 100_000, store, toolOutputCache: { memoryBytes, maxMessageBytes: 500 } });

describe("memory", () => {
  test("reports what is held", () => {
    const session = new Session();
    session.push([user("a"), calls("c"), output("c", "日本")]);
    const { wasm_bytes, outputs_bytes, messages } = session.memory();
    assert.deepEqual([outputs_bytes, messages], [6, 3]);
    assert.ok(wasm_bytes > 1_000_000 && wasm_bytes % 65_536 === 0);
  });

  test("a thousand freed sessions leave no more behind than one", async () => {
    const live = () => {
      const session = new Session({ contextWindow: 10_000 });
      session.push(conversation(10, 100));
      session.view("anthropic");
      const again = Session.restore(session.snapshot());
      again.free();
      session.free();
    };
    const many = async (count) => {
      for (let i = 0; i < count; i++) {
        live();
        await null; // waiters learn here that the session is gone
      }
    };
    const gauge = new Session();
    await many(100);
    const held = gauge.memory().wasm_bytes;
    await many(1_000);
    assert.equal(gauge.memory().wasm_bytes, held);
  });

  test("results of `prepare` that are kept hold next to nothing of a freed session", async () => {
    const gauge = new Session();
    const kept = [];
    const before = gauge.memory().wasm_bytes;
    for (let i = 0; i < 1_000; i++) {
      const session = new Session({ contextWindow: 10_000 });
      session.push(user("a"));
      kept.push(await session.prepare());
      session.free();
    }
    const each = (gauge.memory().wasm_bytes - before) / kept.length;
    assert.ok(each < 2_500, `${each} bytes of each`);
  });
});

v8.setFlagsFromString("--expose-gc");
const collectGarbage = vm.runInNewContext("gc");

describe("a session freed by hand", () => {
  const GOOD = "<summary>the gist</summary>";

  test("its summary requests and plans end with it", async () => {
    const kept = [];
    const live = async (count) => {
      for (let i = 0; i < count; i++) {
        const session = new Session({ contextWindow: 100_000, summarize: (request) => (kept.push(request), GOOD) });
        session.push(conversation(10, 100));
        kept.push(session.plan());
        await session.compact();
        session.free();
        await null;
      }
    };
    await live(50);
    const held = new Session().memory().wasm_bytes;
    await live(500);
    const each = (new Session().memory().wasm_bytes - held) / 500;
    assert.ok(each < 8_192, `${each} bytes of each`);
    const [plan, request] = kept;
    assert.throws(() => request.messages, failsWith("FREED"));
    assert.throws(() => request.as("openai-chat"), failsWith("FREED"));
    await assert.rejects(plan.apply(), failsWith("FREED"));
  });

  test("holds nothing of its history, even while parts of it are still referenced", async () => {
    const kept = [];
    const live = async (count) => {
      for (let i = 0; i < count; i++) {
        const session = new Session({ contextWindow: 100_000 });
        session.push(conversation(10, 100));
        kept.push(await session.prepare(), session.toolOutputs, session.graph);
        await session.compact(); // changes the state after prepare
        kept.push(await session.prepare());
        session.free();
        await null;
      }
    };
    await live(50);
    const held = new Session().memory().wasm_bytes;
    await live(500);
    const each = (new Session().memory().wasm_bytes - held) / 500;
    assert.ok(each < 8_192, `${each} bytes of each`);
  });

  test("an unread prepared view fails with FREED, and one that was read stays readable", async () => {
    const session = new Session({ contextWindow: 100_000, summarize: () => GOOD });
    session.push(conversation(3));
    const [unread, read] = [await session.prepare(), await session.prepare()];
    const messages = [...read.messages];
    const { toolOutputs, graph } = session;
    session.free();
    for (const twice of [1, 2]) assert.throws(() => unread.messages, failsWith("FREED"), `${twice}`);
    assert.deepEqual(unread.report.decisions, []);
    assert.deepEqual(read.messages, messages);
    assert.throws(() => toolOutputs.refs(), failsWith("FREED"));
    await assert.rejects(toolOutputs.read({ ref_id: "out_1" }), failsWith("FREED"));
    assert.throws(() => graph.nodes(), failsWith("FREED"));
  });

  test("a prepared view can be read after its session was garbage collected", async () => {
    const prepared = await (async () => {
      const session = new Session();
      session.push(conversation(3));
      return session.prepare();
    })();
    for (let i = 0; i < 5; i++) {
      collectGarbage();
      await new Promise(setImmediate);
    }
    assert.equal(prepared.messages.length, 12);
  });
});

describe("tool outputs beyond memoryBytes", () => {
  test("outputs leave memory once the store has them, oldest first, and no ref is lost", async () => {
    const store = memoryStore();
    const session = bounded(store);
    push(session, 10);
    const view = session.view("openai-chat");
    await session.flush();
    assert.ok(session.memory().outputs_bytes <= 50_000);
    assert.deepEqual(session.view("openai-chat"), view, "what the model sees does not change");
    const refs = session.toolOutputs.refs();
    assert.deepEqual(refs.map((ref) => ref.byte_size), Array.from({ length: 10 }, (_, i) => bytes(i)));
    assert.equal((await store.getKeys("contextfold:output:")).length, 8);
    assert.match(await session.toolOutputs.read({ ref_id: refs[0].id, offset: 1_999 }), /2000\tline of 0/);
    assert.match(await session.toolOutputs.grep({ ref_id: refs[1].id, pattern: "of 1$", max_matches: 1 }), /line of 1/);
    assert.equal(await session.toolOutputs.get(refs[2].id), text(2));
  });

  test("outputs stay while the store has not taken them, and move once it works again", async () => {
    const store = memoryStore();
    const { setItemRaw } = store;
    store.setItemRaw = async () => {
      throw new Error("disk full");
    };
    const session = bounded(store);
    push(session, 5);
    await assert.rejects(session.flush(), (error) => failsWith("STORE_FAILED")(error) && error.cause.message === "disk full");
    assert.equal(session.memory().outputs_bytes, [0, 1, 2, 3, 4].reduce((sum, i) => sum + bytes(i), 0));
    assert.equal(await session.toolOutputs.get(session.toolOutputs.refs()[0].id), text(0));
    store.setItemRaw = setItemRaw;
    push(session, 1, 5);
    await session.flush();
    assert.ok(session.memory().outputs_bytes <= 50_000);
  });

  test("outputs that are whole in the view, or pinned, stay", async () => {
    const session = new Session({ contextWindow: 100_000, store: memoryStore(), toolOutputCache: { memoryBytes: 10 } });
    const ids = session.push([calls("a"), output("a", "x\n".repeat(1_500)), calls("b"), output("b", "word ".repeat(3_000), { pinned: true })]);
    await session.flush();
    assert.equal(session.memory().outputs_bytes, 18_000);
    assert.equal(ids.length, 4);
  });

  test("an output outside memory is loaded before it is pinned", async () => {
    const session = bounded(memoryStore());
    push(session, 6);
    await session.flush();
    const [item] = session.messages.filter((m) => m.role === "tool");
    const id = session.items().find((i) => i.item_type === "TOOL_RESULT").id;
    assert.throws(() => session.pin(id), failsWith("INVALID_ARGUMENT", /toolOutputs\.get\("out_1"\)/));
    assert.throws(() => session.toolOutputs.append("out_1", "more"), failsWith("STORE_FAILED", /bring it back/));
    await session.toolOutputs.get(item.output_ref.id);
    session.pin(id);
    assert.equal(session.view("openai-chat")[1].content, text(0));
  });

  test("search says which outputs it did not search", async () => {
    const session = bounded(memoryStore());
    push(session, 6);
    session.push(user("find the line of 5"));
    await session.flush();
    const hits = session.search("line of");
    assert.ok(hits.some((hit) => hit.role === "user"));
    assert.match(hits.at(-1).excerpt, /not searched: 4 tool outputs .* out_1, out_2/);
    assert.equal(hits.at(-1).unseen, true);
    assert.deepEqual(hits.at(-1).refs, ["out_1", "out_2", "out_3", "out_4"]);
  });

  test("the model's search also finds outputs that are in the store", async () => {
    const store = memoryStore();
    const session = bounded(store);
    push(session, 6);
    await session.flush();
    const before = session.memory().outputs_bytes;
    const found = JSON.parse(await runTool(session, "search_history", { query: "LINE OF 0" }));
    assert.deepEqual([found[0].ref, found[0].role], ["out_1", "tool"], "the text itself comes before its words");
    assert.deepEqual(found.slice(1).map(({ ref }) => ref), ["out_6", "out_5"]);
    assert.ok(found[0].excerpt.includes("line of 0"));
    assert.equal(session.memory().outputs_bytes, before, "what was searched does not stay");
    assert.equal(await runTool(session, "search_history", { query: "never said. at all (" }), "[nothing found]");
    assert.match(await runTool(session, "search_history", { query: "(", regex: true }), /^Error: /);
    store.getItemRaw = async () => Promise.reject(new Error("down"));
    const [told] = JSON.parse(await runTool(session, "search_history", { query: "never said" }));
    assert.match(told.excerpt, /not searched: 4 tool outputs .* out_4, out_3, out_2, out_1/);
  });

  test("sync recognises a list even if its outputs have left memory", async () => {
    const session = bounded(memoryStore());
    const list = Array.from({ length: 6 }, (_, i) => [calls(`c${i}`), output(`c${i}`, text(i))]).flat();
    session.sync("openai-chat", list);
    await session.flush();
    assert.ok(session.memory().outputs_bytes <= 50_000);
    assert.deepEqual(session.sync("openai-chat", [...structuredClone(list), user("on")]), { added: 1, diverged_at: null });
    const again = Session.restore(session.snapshot());
    assert.deepEqual(again.sync("openai-chat", [...structuredClone(list), user("on")]), { added: 0, diverged_at: null });
  });

  test("sync does not read again what it recognised: copies, and objects whose outputs have left memory", async () => {
    let reads = 0;
    const counted = (message) => new Proxy(message, { get: (of, key) => (key === "content" && reads++, of[key]) });
    const list = () => Array.from({ length: 6 }, (_, i) => [calls(`c${i}`), output(`c${i}`, text(i))]).flat().map(counted);
    const own = list();
    const copies = list();
    const synced = (session, given) => {
      reads = 0;
      assert.deepEqual(session.sync("openai-chat", given), { added: 0, diverged_at: null });
      return reads;
    };
    const session = bounded(memoryStore());
    session.sync("openai-chat", own);
    await session.flush();
    assert.ok(session.memory().outputs_bytes <= 50_000);
    assert.equal(synced(session, own), 0);
    assert.ok(synced(session, copies) > 0);
    assert.equal(synced(session, copies), 0);
    const restored = Session.restore(session.snapshot());
    assert.ok(synced(restored, own) > 0);
    assert.equal(synced(restored, own), 0);
  });

  test("a lost output, or a different one, gives an error that says what to do", async () => {
    const store = memoryStore();
    const session = bounded(store);
    push(session, 6);
    await session.flush();
    const [first, second] = session.toolOutputs.refs();
    const keys = await store.getKeys("contextfold:output:");
    const another = await store.getItemRaw(keys[1]);
    await store.setItemRaw(keys[0], another);
    await assert.rejects(session.toolOutputs.read({ ref_id: first.id }), failsWith("STORE_FAILED", /something else than was stored/));
    for (const key of keys) await store.removeItem(key);
    await assert.rejects(session.toolOutputs.get(second.id), failsWith("UNKNOWN_REF", /no longer in the store/));
    const alone = Session.restore(session.snapshot());
    await assert.rejects(alone.toolOutputs.get(second.id), failsWith("STORE_FAILED", /pass the session its `store`/));
  });

  test("outputs move along when the session is saved in another store", async () => {
    const session = bounded(memoryStore());
    push(session, 6);
    await session.flush();
    const other = memoryStore();
    await session.save(other, "s");
    const again = await Session.load(other, "s");
    for (const [i, ref] of session.toolOutputs.refs().entries()) assert.equal(await again.toolOutputs.get(ref.id), text(i));
  });

  test("a session that is loaded with another store of its own reads its outputs from the old one, and takes them along", async () => {
    const [old, own] = [memoryStore(), memoryStore()];
    const session = bounded(old);
    push(session, 6);
    await session.flush();
    await session.save(old, "s");
    const moved = await Session.load(old, "s", { store: own });
    for (const [i, ref] of session.toolOutputs.refs().entries()) assert.equal(await moved.toolOutputs.get(ref.id), text(i));
    const unread = await Session.load(old, "s", { store: own });
    await unread.save(own, "s");
    for (const key of await old.getKeys()) await old.removeItem(key);
    const again = await Session.load(own, "s");
    for (const [i, ref] of session.toolOutputs.refs().entries()) assert.equal(await again.toolOutputs.get(ref.id), text(i));
  });

  test("a fork of such a session, and the session after a save in a third store, find all outputs", async () => {
    const [old, own, third] = [memoryStore(), memoryStore(), memoryStore()];
    const session = bounded(old);
    push(session, 6);
    await session.flush();
    await session.save(old, "s");
    const moved = await Session.load(old, "s", { store: own });
    const fork = moved.fork(moved.items().at(-1).id);
    await fork.save(own, "fork");
    await moved.save(third, "s");
    for (const key of await old.getKeys()) await old.removeItem(key);
    for (const reader of [moved, fork, await Session.load(own, "fork")])
      for (const [i, ref] of session.toolOutputs.refs().entries()) assert.equal(await reader.toolOutputs.get(ref.id), text(i));
  });

  test("what another process has moved is read from the store that the session was refreshed from", async () => {
    const store = memoryStore();
    const session = bounded(store);
    await session.save(store, "s");
    const reader = await Session.load(store, "s", { store: memoryStore() });
    push(session, 6);
    await session.flush();
    await session.save(store, "s");
    await reader.refresh();
    for (const [i, ref] of session.toolOutputs.refs().entries()) assert.equal(await reader.toolOutputs.get(ref.id), text(i));
  });
});

// A fault at every call of every operation that calls out: the store, the tokenizer. Whatever happens, the history stays as
// it was, and a retry of the operation gives the same result as if nothing had failed.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ContextError, Session } from "contextfold";
import { memoryStore } from "contextfold/stores/memory";
import { assistant, calls, conversation, failsWith, output, settled, stateOf, user, words } from "../support/session.mjs";

const GOOD = "<summary>the gist</summary>";
const DOWN = new Error("connection refused");

/** The ways in which a call of the store can go wrong. */
const FAULTS = {
  throws: () => {
    throw DOWN;
  },
  rejects: async () => {
    throw DOWN;
  },
  "does it, and fails all the same": async (work) => {
    await work();
    throw DOWN;
  },
  "answers rubbish": async (work, method) => (await work(), /^get|^compare/.test(method) ? 7 : undefined),
  "is slow": async (work) => (await new Promise((resolve) => setTimeout(resolve, 3)), work()),
};

/** A store whose call number `at` since `arm(at)` goes wrong. */
function faulty(items = memoryStore()) {
  const store = { calls: 0, at: 0, fault: null, arm: (at, fault) => Object.assign(store, { calls: 0, at, fault }) };
  for (const method of ["getItem", "setItem", "removeItem", "getItemRaw", "setItemRaw", "compareAndSet"])
    store[method] = (...args) => {
      const work = () => items[method](...args);
      return ++store.calls === store.at ? store.fault(work, method) : work();
    };
  return store;
}

const big = (n) => [user(`question ${n}`), calls(`big_${n}`), output(`big_${n}`, `output ${n} ${words(400, n)}`), assistant(`answer ${n}`)];

const OPTIONS = { contextWindow: 6000, safetyMargin: 0, toolOutputCache: { memoryBytes: 2000, contextBudgetTokens: 200 }, compaction: { ledgerTokens: 100 }, now: () => 1000 };

/** A saved session, with outputs in the store and in memory. */
async function begin() {
  const store = faulty();
  const session = new Session({ ...OPTIONS, store, summarize: () => GOOD });
  session.push([...big(0), ...big(1)]);
  await session.flush();
  await session.save(store, "s");
  session.push(conversation(2, 60));
  await session.flush();
  return { store, session };
}

/** An operation, and what can be observed of its result. */
const OPERATIONS = {
  save: ({ session, store }) => session.save(store, "s"),
  "save elsewhere": async (w) => w.session.save((w.other ??= faulty(w.store)), "t"),
  load: async ({ store }) => stateOf(await Session.load(store, "s", { summarize: () => GOOD })),
  "push and flush": async ({ session }) => {
    if (!session.messages.some((m) => m.tool_call_id === "big_2")) session.push(big(2));
    else session.push([]);
    await session.flush();
  },
  compact: async ({ session }) => (await session.compact()).tokens_after,
  prepare: async ({ session }) => {
    if (!session.messages.some((m) => m.tool_call_id === "more_0")) session.push(conversation(6, 300, "more"));
    return (await session.prepare()).report.tokens_after;
  },
  read: ({ session }) => session.toolOutputs.read({ ref_id: session.toolOutputs.refs()[0].id }),
  grep: ({ session }) => session.toolOutputs.grep({ ref_id: session.toolOutputs.refs()[0].id, pattern: "word0x3\\d" }),
  get: ({ session }) => session.toolOutputs.get(session.toolOutputs.refs()[0].id),
  collectGarbage: async ({ session }) => session.toolOutputs.collectGarbage(),
  restore: async ({ session, store }) => {
    const again = Session.restore(session.snapshot(), { store });
    return [stateOf(again), await again.toolOutputs.get(again.toolOutputs.refs()[0].id)];
  },
};

/** What no fault may change: all messages, and the outputs they refer to. */
async function kept(session) {
  const outputs = [];
  for (const { id } of session.toolOutputs.refs()) outputs.push([id, await session.toolOutputs.get(id)]);
  return { messages: structuredClone(session.messages), outputs };
}

describe("a store that fails at any call of any operation", () => {
  for (const [name, operation] of Object.entries(OPERATIONS))
    test(name, async (t) => {
      const calm = await begin();
      calm.store.arm(0);
      const expected = await operation(calm);
      const count = calm.store.calls;
      await calm.session.flush();
      const [state, said] = [ stateOf(calm.session), await kept(calm.session)];
      let failed = 0;
      for (const [what, fault] of Object.entries(FAULTS))
        for (let at = 1; at <= count; at++) {
          const where = `call ${at} of ${count} ${what}`;
          const world = await begin();
          const { session, store } = world;
          const [before, snapshot] = [stateOf(session), Buffer.from(session.snapshot())];
          const pushes = /push|prepare/.test(name);
          store.arm(at, fault);
          const came = await operation(world).then((value) => ({ value }), (error) => ({ error }));
          store.arm(0);
          if (came.error) {
            failed++;
            assert.ok(failsWith("STORE_FAILED", /Nothing in memory is lost/)(came.error), where);
            if (!pushes) {
              assert.ok(snapshot.equals(Buffer.from(session.snapshot())), `${where}: the session changed`);
              assert.deepEqual(stateOf(session), before, where);
            }
            came.value = await operation(world);
          }
          await session.flush().catch(() => session.flush()); // outputs still in memory stay there, and leave it now
          assert.deepEqual(came.value, expected, where);
          assert.deepEqual(stateOf(session), state, where);
          assert.deepEqual(await kept(session), said, where);
          // The session goes on, and what it saves is its true state.
          session.push(user("go on"));
          await session.flush();
          await session.save(store, "end");
          const loaded = await Session.load(store, "end");
          assert.deepEqual(loaded.messages, session.messages, where);
          loaded.free();
          session.free();
        }
      t.diagnostic(`${count} calls, ${failed} failures`);
    });

  test("a store that never answers does not block the session", async () => {
    for (const [name, operation] of Object.entries(OPERATIONS)) {
      const calm = await begin();
      calm.store.arm(0);
      await operation(calm);
      for (let at = 1; at <= calm.store.calls; at++) {
        const world = await begin();
        const { session, store } = world;
        const snapshot = Buffer.from(session.snapshot());
        const said = session.messages.length;
        store.arm(at, () => new Promise(() => {}));
        let over = false;
        const waits = operation(world).then(() => (over = true), () => (over = true));
        for (let turn = 0; turn < 5; turn++) await settled();
        if (!over && !/push|prepare|compact/.test(name)) assert.ok(snapshot.equals(Buffer.from(session.snapshot())), `${name}, call ${at}`);
        store.arm(0);
        if (session.messages.length === said) session.push(user("meanwhile"));
        assert.ok(session.view("anthropic").messages.length > 0);
        assert.ok(session.search("output 1").length > 0);
        session.free();
        if (/compact|prepare/.test(name)) await waits;
      }
    }
  });
});

describe("a process waiting for a store that never answers", () => {
  const waiting = async () => {
    const { session, store } = await begin();
    store.compareAndSet = () => new Promise(() => {});
    return session;
  };
  test("can be told to stop waiting", async () => {
    const session = await waiting();
    const abort = new AbortController();
    const compacted = session.compact({ signal: abort.signal });
    for (let turn = 0; turn < 5; turn++) await settled();
    abort.abort();
    await assert.rejects(compacted, failsWith("ABORTED"));
    assert.equal(session.folds().length, 0);
  });

  test("requests its own summary after a while", async (t) => {
    const session = await waiting();
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const compacted = session.compact();
    for (let turn = 0; turn < 5; turn++) await settled();
    assert.equal(session.folds().length, 0);
    t.mock.timers.tick(10_000);
    assert.equal((await compacted).decisions.length > 0, true);
    assert.equal(session.folds().length, 1);
  });
});

describe("a tokenizer that fails at any call", () => {
  const count = (text) => Math.ceil(text.length / 4);
  const WAYS = { throws: () => { throw DOWN; }, "answers rubbish": () => "many", "answers NaN": () => Number.NaN, "answers a promise": async () => 3 };
  const STEPS = {
    push: (s) => s.push(conversation(2, 40, "more")),
    pushFrom: (s) => s.pushFrom("anthropic", [{ role: "user", content: "from elsewhere" }]),
    sync: (s) => s.sync("messages", [...conversation(2, 40), user("and more")]),
    setHeader: (s) => s.setHeader("You are terse."),
    setTools: (s) => s.setTools("openai-chat", [{ type: "function", function: { name: "read", parameters: {} } }]),
    setContext: (s) => s.setContext({ memory: ["remember this"] }),
  };
  for (const [name, step] of Object.entries(STEPS))
    test(name, () => {
      let [asked, at, way] = [0, 0, null];
      const open = () => {
        [asked, at] = [0, 0];
        const session = new Session({ contextWindow: 50_000, tokenizer: (text) => (++asked === at ? way() : count(text)) });
        session.push(conversation(2, 40));
        return session;
      };
      const calm = open();
      asked = 0;
      step(calm);
      const [calls, state] = [asked, stateOf(calm)];
      assert.ok(calls > 0);
      for (way of Object.values(WAYS))
        for (let k = 1; k <= calls; k++) {
          const session = open();
          const before = Buffer.from(session.snapshot());
          [asked, at] = [0, k];
          assert.throws(() => step(session), (error) => ContextError.isInstance(error) && error.code === "INVALID_ARGUMENT", `${way}, call ${k} of ${calls}`);
          at = 0;
          assert.ok(before.equals(Buffer.from(session.snapshot())), `${way}, call ${k} of ${calls}`);
          step(session);
          assert.deepEqual(stateOf(session), state);
        }
    });
});

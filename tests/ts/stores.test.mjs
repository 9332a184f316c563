// Stores: one contract for all of them, and what happens if a store misbehaves.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { Session } from "contextfold";
import { memoryJournals, memoryStore } from "contextfold/stores/memory";
import { createStorage } from "unstorage";
import fsDriver from "unstorage/drivers/fs";
import fsLiteDriver from "unstorage/drivers/fs-lite";
import memoryDriver from "unstorage/drivers/memory";
import redisDriver from "unstorage/drivers/redis";
import { readHead } from "../../pkg/stores/segments/head.js";
import { missingRedis, startRedis } from "../support/redis.mjs";
import { conversation, failsWith, user } from "../support/session.mjs";
import { leftOver, storeContract } from "../support/store-contract.mjs";
import { temporaryFolder } from "../support/temp.mjs";

const holds = (open) => storeContract({ open, Session, assert });

describe("every kind of store can hold a session", () => {
  test("loading a key that was never saved has its own error code", async () => {
    await assert.rejects(Session.load(memoryStore(), "nothing"), failsWith("UNKNOWN_REF", /no session is saved under `nothing`/));
  });

  test("memory", async () => {
    const store = memoryStore();
    await holds(async () => store);
  });

  test("a store of text only", async () => {
    const items = new Map();
    await holds(async () => ({
      getItem: async (key) => items.get(key) ?? null,
      setItem: async (key, value) => {
        assert.equal(typeof value, "string");
        items.set(key, value);
      },
      removeItem: async (key) => items.delete(key),
    }));
  });

  test("unstorage in memory", async () => {
    const store = createStorage({ driver: memoryDriver() });
    await holds(async () => store);
  });

  for (const [name, driver] of [["fs", fsDriver], ["fs-lite", fsLiteDriver]])
    test(`unstorage's ${name} driver`, async (t) => {
      const base = temporaryFolder(t);
      await holds(async () => createStorage({ driver: driver({ base }) }));
    });

  describe("unstorage's redis driver, on a Redis", { skip: missingRedis ?? false }, () => {
    let redis;
    const stores = [];
    before(async () => (redis = await startRedis()));
    after(async () => {
      for (const store of stores) await store.dispose();
      await redis?.stop();
    });
    const open = async () => {
      stores.push(createStorage({ driver: redisDriver({ host: "127.0.0.1", port: redis.port, base: "chats" }) }));
      return stores.at(-1);
    };
    test("holds the contract", () => holds(open));
    test("with its own compare-and-set", async () => {
      const swap = `
        if (redis.call("GET", KEYS[1]) or "") ~= ARGV[1] then return 0 end
        if ARGV[3] == "" then redis.call("SET", KEYS[1], ARGV[2]) else redis.call("SET", KEYS[1], ARGV[2], "PX", ARGV[3]) end
        return 1`;
      await holds(async () => {
        const store = await open();
        const client = store.getMount("").driver.getInstance();
        const compareAndSet = async (key, expected, next, { ttlMs = "" } = {}) =>
          (await client.eval(swap, 1, `chats:${key}`, expected ?? "", next, String(ttlMs && Math.round(ttlMs)))) === 1;
        return Object.assign(store, { compareAndSet });
      });
    });
  });
});

/** A store whose methods can be replaced. */
const broken = (methods) => ({ ...memoryStore(), ...methods });
const wide = { contextWindow: 100_000 };

describe("a store that misbehaves", () => {
  const down = async () => {
    throw new Error("connection refused");
  };

  test("down, full or throwing: STORE_FAILED with its error, and nothing in memory is lost", async () => {
    for (const method of ["setItemRaw", "compareAndSet"]) {
      for (const failure of [down, () => { throw new Error("connection refused"); }]) {
        const store = broken({ [method]: failure });
        const session = new Session(wide);
        session.push(user("hello"));
        await assert.rejects(session.save(store, "s"), (error) => failsWith("STORE_FAILED", /Nothing in memory is lost/)(error) && error.cause.message === "connection refused");
        assert.equal(session.messages[0].content, "hello");
        const { setItemRaw, compareAndSet } = memoryStore();
        Object.assign(store, { setItemRaw, compareAndSet });
      }
    }
    await assert.rejects(Session.load(broken({ getItem: down }), "s"), failsWith("STORE_FAILED"));
  });

  test("a store that empties a file before writing is read again; if it stays garbage, that is the store's failure", async () => {
    const store = memoryStore();
    const session = new Session(wide);
    session.push(user("hello"));
    await session.save(store, "s");
    const { getItem } = store;
    let torn = 0;
    const tears = (times) => (store.getItem = async (key) => (torn++ < times ? "" : getItem(key)));
    tears(2);
    assert.equal((await Session.load(store, "s")).messages[0].content, "hello");
    torn = 0;
    tears(100);
    delete store.getKeys;
    await assert.rejects(Session.load(store, "s"), failsWith("STORE_FAILED", /has no version/));
  });

  test("a process that dies while writing the head leaves the newest whole version, and a report says so until the next save", async () => {
    const store = memoryStore();
    await new Session(wide).save(store, "s");
    const whole = await store.getItem("s:head");
    for (const left of ["", ...[1, 2, 3, 4, 12, 20, 30].map((count) => whole.slice(0, count)), whole.slice(0, -1), "v2", "v2-0123", "\0".repeat(19)])
      for (const [more, of] of [["two", ":s:"], ["2".repeat(70_000), ":v:"]])
      for (const damaged of [false, true]) {
        const store = memoryStore();
        const session = new Session(wide);
        session.push(user("one"));
        await session.save(store, "a/s");
        const before = new Set(await store.getKeys(`a/s${of}`));
        session.push(user(more));
        const dies = { ...store, compareAndSet: () => new Promise(() => {}), setItem: () => new Promise(() => {}) };
        session.save({ ...dies, getItem: store.getItem }, "a/s").catch(() => {});
        let newer;
        while (!newer) {
          await new Promise((resolve) => setTimeout(resolve, 5));
          [newer] = (await store.getKeys(`a/s${of}`)).filter((name) => !before.has(name));
        }
        if (damaged) await store.setItemRaw(newer, (await store.getItemRaw(newer)).slice(0, -1));
        await store.setItem("a/s:head", left);
        const colons = { ...store, getKeys: async (prefix) => (await store.getKeys(prefix)).map((key) => key.replaceAll("/", ":")) };
        const again = await Session.load(colons, "a/s");
        assert.deepEqual(again.messages.map((m) => m.content), damaged ? ["one"] : ["one", more], JSON.stringify(left));
        const { report } = await again.prepare();
        assert.match(report.notices.join(), /head of this session was cut off.*newest complete state/);
        again.push(user("three"));
        await again.save(colons, "a/s");
        assert.doesNotMatch(((await again.prepare()).report.notices ?? []).join(), /cut off/);
        assert.deepEqual(await leftOver(store, "a/s"), [], "what was left over is gone");
        assert.equal((await Session.load(store, "a/s")).messages.at(-1).content, "three");
      }
  });

  for (const [what, of, more] of [["records", ":s:", "two"], ["a snapshot", ":v:", "2".repeat(70_000)]])
    test(`a save of ${what} that fails removes what it wrote, now or with the next one`, async () => {
      for (const removes of [true, false]) {
        const { setItemRaw: _, getItemRaw: __, compareAndSet: ___, ...store } = memoryStore();
        const session = new Session(wide);
        session.push(user("one"));
        await session.save(store, "s");
        const before = (await store.getKeys("s")).sort();
        const { setItem, removeItem } = store;
        let wrote = 0;
        store.setItem = async (key, value) => {
          if (!key.includes(of)) return setItem(key, value);
          wrote++;
          await setItem(key, value.slice(0, 100));
          throw new Error("no space left on device");
        };
        if (!removes) store.removeItem = async () => { throw new Error("down"); };
        session.push(user(more));
        await assert.rejects(session.save(store, "s"), failsWith("STORE_FAILED"));
        assert.ok(wrote > 0);
        if (removes) assert.deepEqual((await store.getKeys("s")).sort(), before);
        assert.equal((await Session.load(store, "s")).messages.length, 1);
        Object.assign(store, { setItem, removeItem });
        session.push(user("three"));
        await session.save(store, "s");
        assert.deepEqual(await leftOver(store, "s"), []);
        assert.equal((await Session.load(store, "s")).messages.length, 3);
      }
    });

  test("a store is recognised by its contents, whatever object is passed; another session's store is not", async () => {
    const place = memoryStore();
    const again = () => ({ ...place });
    const session = new Session(wide);
    session.push(user("hello"));
    await session.save(again(), "s");
    session.push(user("more"));
    await session.save(again(), "s");
    const loaded = await Session.load(again(), "s");
    loaded.push(user("and more"));
    await loaded.save(again(), "s");
    session.push(user("beside that"));
    await assert.rejects(session.save(again(), "s"), failsWith("STORE_CONFLICT"));
    await assert.rejects(loaded.save(again(), "other").then(() => session.save(again(), "other")), failsWith("STORE_CONFLICT", /already saved under `other`/));
    assert.equal((await Session.load(place, "s")).messages.length, 3);
  });

  test("a session removed from the store fails to save, and the error says how to save it again", async () => {
    const store = memoryStore();
    const session = new Session(wide);
    session.push(user("hello"));
    await session.save(store, "s");
    await store.removeItem("s:head");
    session.push(user("more"));
    await assert.rejects(session.save(store, "s"), failsWith("STORE_CONFLICT", /was removed.*Session\.restore\(session\.snapshot\(\)\)/s));
    await Session.restore(session.snapshot()).save(store, "s");
    assert.equal((await Session.load(store, "s")).messages.length, 2);
  });

  test("damaged data gives an error that says what to remove", async () => {
    const store = memoryStore();
    const session = new Session(wide);
    session.push(user("hello"));
    await session.save(store, "s");
    const [version] = await store.getKeys("s:v:");
    const head = await store.getItem("s:head");
    for (const damage of [() => store.setItem("s:head", "rubbish"), () => store.removeItem(version)]) {
      await store.setItem("s:head", head);
      await damage();
      await assert.rejects(Session.load(store, "s"), failsWith("STORE_FAILED", /under `s`.*another key.*remove `s:head`/s));
    }
  });

  test("without compare-and-set, a save counts as made if another process continued from it, even if the head is empty just then", async () => {
    const { compareAndSet: _, ...store } = memoryStore();
    const a = new Session(wide);
    a.push(user("one"));
    await a.save(store, "s");
    const { setItem } = store;
    let saved;
    store.setItem = async (key, value) => {
      await setItem(key, value);
      if (key !== "s:head") return;
      store.setItem = setItem;
      let tear;
      const torn = new Promise((resolve) => (tear = resolve));
      const slow = { ...store, setItem: async (key, value) => {
        if (key === "s:head") {
          await setItem(key, "");
          tear();
          await new Promise((resolve) => setTimeout(resolve, 40));
        }
        await setItem(key, value);
      } };
      const b = await Session.load(slow, "s");
      b.push(user("three"));
      saved = b.save(slow, "s");
      await torn;
    };
    a.push(user("two"));
    await a.save(store, "s");
    await saved;
    assert.deepEqual((await Session.load(store, "s")).messages.map((m) => m.content), ["one", "two", "three"]);
    a.push(user("four"));
    await assert.rejects(a.save(store, "s"), failsWith("STORE_CONFLICT"));
  });

  test("while a head stays empty, no save is confirmed or denied", async () => {
    const { compareAndSet: _, ...store } = memoryStore();
    const a = new Session(wide);
    a.push(user("one"));
    await a.save(store, "s");
    a.push(user("two"));
    const { setItem } = store;
    let written;
    store.setItem = async (key, value) => (key.endsWith(":head") && (written = value), setItem(key, key.endsWith(":head") ? "" : value));
    await assert.rejects(a.save(store, "s"), failsWith("STORE_FAILED", /has no version/));
    // The other process finally writes what was saved here.
    store.setItem = setItem;
    await setItem("s:head", written);
    a.push(user("three"));
    await a.save(store, "s");
    assert.equal((await Session.load(store, "s")).messages.length, 3);
    // Or it saves from an older version: then this save is a conflict, and was never confirmed.
    const b = await Session.load(store, "s");
    const stood = await store.getItem("s:head");
    a.push(user("four of a"));
    store.setItem = async (key, value) => setItem(key, key.endsWith(":head") ? "" : value);
    await assert.rejects(a.save(store, "s"), failsWith("STORE_FAILED", /has no version/));
    store.setItem = setItem;
    await setItem("s:head", stood);
    b.push(user("four of b"));
    await b.save(store, "s");
    await assert.rejects(a.save(store, "s"), failsWith("STORE_CONFLICT"));
    assert.equal((await Session.load(store, "s")).messages.at(-1).content, "four of b");
  });

  test("without compare-and-set, a save counts as made if another process continued from it at once", async () => {
    const { compareAndSet: _, ...store } = memoryStore();
    const a = new Session(wide);
    a.push(user("one"));
    await a.save(store, "s");
    const { setItem } = store;
    store.setItem = async (key, value) => {
      await setItem(key, value);
      if (key !== "s:head") return;
      store.setItem = setItem;
      const place = { ...store }; // another process's
      const b = await Session.load(place, "s");
      b.push(user("three"));
      await b.save(place, "s");
    };
    a.push(user("two"));
    await a.save(store, "s");
    a.push(user("four"));
    await assert.rejects(a.save(store, "s"), failsWith("STORE_CONFLICT"));
    assert.deepEqual((await Session.load(store, "s")).messages.map((m) => m.content), ["one", "two", "three"]);
  });

  test("it is saved once the store works again", async () => {
    const store = memoryStore();
    const { setItemRaw } = store;
    store.setItemRaw = down;
    const session = new Session(wide);
    session.push(user("hello"));
    await assert.rejects(session.save(store, "s"), failsWith("STORE_FAILED"));
    store.setItemRaw = setItemRaw;
    await session.save(store, "s");
    assert.equal((await Session.load(store, "s")).messages[0].content, "hello");
  });

  test("a store without room for a new snapshot still takes the records after the old one", async () => {
    const journals = memoryJournals();
    let isFull = false;
    let refused = 0;
    const store = new Proxy(journals, {
      get(of, name) {
        if (name !== "replace" || !isFull) return typeof of[name] === "function" ? of[name].bind(of) : of[name];
        return async () => {
          refused += 1;
          throw Object.assign(new Error("could not extend file"), { code: "53100" });
        };
      },
    });
    const session = new Session({ contextWindow: 128_000 });
    session.push(user("go"));
    await session.save(store, "chat");
    isFull = true;
    for (let n = 0; n < 100; n++) {
      session.push(user(`message ${n} ${"x".repeat(1_000)}`));
      await session.save(store, "chat");
    }
    assert.ok(refused > 0, "a new snapshot was due");
    assert.deepEqual((await Session.load(store, "chat")).view("messages"), session.view("messages"));
    isFull = false;
    session.push(user("there is room again"));
    await session.save(store, "chat");
    const { snapshotPosition, position } = await journals.read("chat");
    assert.equal(snapshotPosition, position);
    // What was erased may not stay in the store: without a new snapshot, nothing is saved.
    isFull = true;
    session.erase(session.push(user("a secret"))[0]);
    await assert.rejects(session.save(store, "chat"), failsWith("STORE_FAILED", /its `replace` failed/));
  });

  test("if a save's outcome is unknown, the next save checks it and continues from there", async () => {
    const long = "x".repeat(70_000);
    for (const [where, before, more] of [["the first save", [], "one"], ["records", ["one"], "two"], ["a snapshot", ["one"], long]])
      for (const made of [true, false])
        for (const afterwards of [[], ["three"], [long]]) {
          const store = memoryStore();
          const session = new Session(wide);
          for (const text of before) {
            session.push(user(text));
            await session.save(store, "s");
          }
          const { compareAndSet, getItem } = store;
          store.compareAndSet = async (...args) => (made && (await compareAndSet(...args)), down());
          store.getItem = down;
          session.push(user(more));
          await assert.rejects(session.save(store, "s"), failsWith("STORE_FAILED"));
          Object.assign(store, { compareAndSet, getItem });
          for (const text of afterwards) session.push(user(text));
          const why = `${where}, ${made}, ${afterwards.length && afterwards[0].length}`;
          await assert.doesNotReject(session.save(store, "s"), why);
          assert.deepEqual((await Session.load(store, "s")).messages.map((m) => m.content), [...before, more, ...afterwards], why);
          if (afterwards.length > 0) assert.deepEqual(await leftOver(store, "s"), [], why);
          assert.equal(readHead(await store.getItem("s:head")).position, session.position, why);
        }
  });

  test("a save that never gets an answer blocks the next ones for a minute", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const store = memoryStore();
    const { setItemRaw } = store;
    let letGo;
    store.setItemRaw = () => new Promise((resolve) => (letGo = resolve));
    const session = new Session(wide);
    session.push(user("one"));
    const turns = () => new Promise((resolve) => setImmediate(resolve));
    const first = session.save(store, "s");
    while (!letGo) await turns();
    session.push(user("two"));
    const second = session.save(store, "s");
    await turns();
    store.setItemRaw = setItemRaw;
    t.mock.timers.tick(60_000);
    await second;
    assert.equal((await Session.load(store, "s")).messages.length, 2);
    letGo(); // the answer arrives after all: what was saved since stays
    await assert.rejects(first, failsWith("STORE_CONFLICT"));
    session.push(user("three"));
    await session.save(store, "s");
    assert.equal((await Session.load(store, "s")).messages.length, 3);
  });

  test("garbage: STORE_FAILED", async () => {
    const session = new Session(wide);
    session.push(user("hello"));
    const saved = memoryStore();
    await session.save(saved, "s");
    for (const rubbish of [7, {}, "not base64!", new Uint8Array([1, 2, 3]), new Uint8Array(0)])
      await assert.rejects(Session.load({ ...saved, getItemRaw: async () => rubbish }, "s"), failsWith("STORE_FAILED"), String(rubbish));
    await assert.rejects(Session.load({ ...saved, getItemRaw: async () => null }, "s"), failsWith("STORE_FAILED", /missing/));
    for (const rubbish of [7, {}, "v1-xyz", "head"])
      await assert.rejects(Session.load({ ...saved, getItem: async () => rubbish }, "s"), failsWith("STORE_FAILED"), String(rubbish));
    await assert.rejects(new Session(wide).save({ ...saved, compareAndSet: async () => "yes" }, "t"), failsWith("STORE_FAILED"));
  });

  test("a session saved in two places continues from its own version in each", async () => {
    const [primary, backup] = [memoryStore(), memoryStore()];
    const session = new Session(wide);
    for (let round = 1; round <= 3; round++) {
      session.push(user(`round ${round}`));
      await session.save(primary, "s");
      await session.save(backup, "s");
      await session.save(primary, "copy");
      for (const [store, key] of [[primary, "s"], [backup, "s"], [primary, "copy"]])
        assert.equal((await Session.load(store, key)).messages.length, round);
    }
    const other = await Session.load(primary, "s");
    other.push(user("somebody else"));
    await other.save(primary, "s");
    session.push(user("more"));
    await session.save(backup, "s");
    await assert.rejects(session.save(primary, "s"), failsWith("STORE_CONFLICT"));
  });

  test("slow: the session goes on, saves are queued, and flush waits for them", async () => {
    const store = memoryStore();
    const { setItemRaw } = store;
    let letGo;
    const gate = new Promise((resolve) => (letGo = resolve));
    store.setItemRaw = async (...args) => (await gate, setItemRaw(...args));
    const session = new Session(wide);
    session.push(user("one"));
    const first = session.save(store, "s");
    session.push(user("two"));
    const second = session.save(store, "s");
    let flushed = false;
    const flush = session.flush().then(() => (flushed = true));
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(flushed, false);
    letGo();
    await Promise.all([first, second, flush]);
    assert.equal((await Session.load(store, "s")).messages.length, 2);
  });

  test("a freed session stops waiting", async () => {
    const session = new Session(wide);
    session.save(broken({ setItemRaw: () => new Promise(() => {}) }), "s").catch(() => {});
    const flush = session.flush();
    session.free();
    await assert.rejects(flush, failsWith("FREED"));
  });

  test("invalid stores and invalid keys", async () => {
    const session = new Session(wide);
    for (const store of [undefined, null, 7, {}, { getItem() {}, setItem() {} }])
      await assert.rejects(session.save(store, "s"), failsWith("INVALID_ARGUMENT", /store/));
    for (const key of ["", 7, "a?b", "a\nb", "x".repeat(201)]) await assert.rejects(session.save(memoryStore(), key), failsWith("INVALID_ARGUMENT", /key/));
    assert.throws(() => new Session({ store: {} }), failsWith("INVALID_CONFIG", /store/));
    assert.throws(() => new Session({ toolOutputCache: { memoryBytes: 10 } }), failsWith("INVALID_CONFIG", /store/));
  });

  test("a snapshot of a newer version is named as such", async () => {
    const store = memoryStore();
    const session = new Session(wide);
    await session.save(store, "s");
    const [data] = await store.getKeys("s:v:");
    await store.setItemRaw(data, Buffer.from("contextfold-session 999 0000000000000000\n"));
    await assert.rejects(Session.load(store, "s"), failsWith("SNAPSHOT_TOO_NEW", /update contextfold/));
  });
});

describe("two processes on one session request one summary", () => {
  async function two(store, summarize, more = {}) {
    const first = new Session({ contextWindow: 20_000 });
    first.push(conversation(6, 60));
    await first.save(store, "s");
    const options = { summarize, ...more };
    return Promise.all([Session.load(store, "s", options), Session.load(store, "s", options)]);
  }

  test("the other process waits, and is told to load what the first saved", async () => {
    const store = memoryStore();
    let asked = 0;
    let answer;
    const summary = new Promise((resolve) => (answer = resolve));
    const [a, b] = await two(store, () => (asked++, summary));
    const [runA, runB] = [a.compact(), b.compact().then(() => null, (error) => error)];
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(asked, 1);
    answer("<summary>They talked.</summary>");
    await runA;
    await a.save(store, "s");
    const told = await runB;
    assert.ok(failsWith("STORE_CONFLICT", /Load the session again/)(told));
    assert.equal(asked, 1);
    const again = await Session.load(store, "s");
    assert.equal(again.folds()[0].summary, "They talked.");
    assert.deepEqual(await store.getKeys("s:lease"), []);
  });

  for (const [when, begin, options] of [
    ["", (session) => session.compact(), {}],
    [" in the background", (session) => session.push(user("and now?")), { compaction: { background: { atRatio: 0.1 }, thresholdRatio: 0.2, lowRatio: 0.05 } }],
  ])
    test(`a save while the summary is being written${when} does not make another process ask, too`, async () => {
      const store = memoryStore();
      let asked = 0;
      let answer;
      const summary = new Promise((resolve) => (answer = resolve));
      const summarize = () => (asked++, summary);
      const [a] = await two(store, summarize, options);
      const began = begin(a);
      await new Promise((resolve) => setTimeout(resolve, 20));
      a.push(user("Meanwhile."));
      await a.save(store, "s");
      const b = await Session.load(store, "s", { summarize });
      const told = b.compact().then(() => null, (error) => error);
      await new Promise((resolve) => setTimeout(resolve, 50));
      assert.equal(asked, 1);
      answer("<summary>They talked.</summary>");
      await began;
      await a.flush();
      await a.prepare();
      await a.save(store, "s");
      assert.ok(failsWith("STORE_CONFLICT", /Load the session again/)(await told));
      assert.equal(asked, 1);
      assert.deepEqual(await store.getKeys("s:lease"), []);
    });

  test("if the first one's summary fails, the other requests its own", async () => {
    const store = memoryStore();
    let asked = 0;
    const [a, b] = await two(store, async () => {
      if (++asked === 1) throw new Error("overloaded");
      return "<summary>They talked.</summary>";
    }, { compaction: { maxAttempts: 1, onFailure: "error" } });
    const failed = a.compact();
    const went = b.compact();
    await assert.rejects(failed, failsWith("SUMMARY_FAILED"));
    assert.equal((await went).decisions.at(-1).pass, "summarize");
    assert.equal(asked, 2);
  });

  test("a process whose view fits does not wait, and goes on without a summary", async () => {
    const store = memoryStore();
    let asked = 0;
    const never = () => (asked++, new Promise(() => {}));
    const [a, b] = await two(store, never, { compaction: { thresholdRatio: 0.1, lowRatio: 0.05 } });
    a.prepare().catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(asked, 1);
    const { report } = await b.prepare({ signal: AbortSignal.timeout(5_000) });
    assert.equal(asked, 1);
    assert.match(report.decisions.map(({ why }) => why).join("; "), /another process is summarising this session/);
    assert.equal(b.folds().length, 0);
    a.free();
  });

  test("an unusable answer releases the lease", async () => {
    for (const answer of ["", "TODO", "<summary>cut off"]) {
      const store = memoryStore();
      const [a] = await two(store, async () => answer, { compaction: { thresholdRatio: 0.1, lowRatio: 0.05, onFailure: "error" } });
      await a.prepare();
      assert.equal(a.folds().length, 0, answer);
      assert.deepEqual(await store.getKeys("s:lease"), [], answer);
    }
  });

  test("the same in the background: only one process asks", async () => {
    const store = memoryStore();
    let asked = 0;
    let answer;
    const summary = new Promise((resolve) => (answer = resolve));
    const [a, b] = await two(store, () => (asked++, summary), { compaction: { background: { atRatio: 0.1 }, thresholdRatio: 0.2, lowRatio: 0.05 } });
    a.push(user("and now?"));
    await new Promise((resolve) => setTimeout(resolve, 20));
    b.push(user("and now?"));
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(asked, 1);
    answer("<summary>They talked.</summary>");
    await Promise.all([a.flush(), b.flush()]);
    await a.prepare();
    assert.equal(a.folds().length, 1);
    assert.deepEqual(await store.getKeys("s:lease"), ["s:lease"], "until it is saved");
    await a.save(store, "s");
    assert.deepEqual(await store.getKeys("s:lease"), []);
  });

  test("a process that saves under another key releases the lease where it was taken", async () => {
    const store = memoryStore();
    const [a, b] = await two(store, () => "<summary>They talked.</summary>");
    await a.compact();
    assert.equal((await store.getKeys("s:lease")).length, 1, "until it is saved");
    await a.save(store, "elsewhere");
    assert.deepEqual(await store.getKeys("s:lease"), []);
    assert.equal((await b.compact()).decisions.at(-1).pass, "summarize", "nobody saved under the old key: the other one asks itself");
  });

  test("a dead process holds its lease until it expires", async () => {
    const store = memoryStore();
    let time = 1_000_000;
    const [a, b] = await two(store, (request, { signal } = {}) => (signal ? new Promise(() => {}) : "<summary>They talked.</summary>"), { now: () => time });
    a.compact({ signal: new AbortController().signal }).catch(() => {}); // never answered
    await new Promise((resolve) => setTimeout(resolve, 20));
    const run = b.compact();
    await new Promise((resolve) => setTimeout(resolve, 50));
    time += 121_000;
    assert.equal((await run).decisions.at(-1).pass, "summarize");
    a.free();
  });

  test("a stopped clock makes nobody wait longer than one lease", async (t) => {
    const store = memoryStore();
    const [a, b] = await two(store, () => "<summary>They talked.</summary>", { now: () => 1_000_000 });
    await a.compact();
    t.mock.timers.enable({ apis: ["setTimeout"] });
    let report = null;
    b.compact().then((settled) => (report = settled));
    for (let looks = 0; looks < 1_000 && report === null; looks++) {
      await new Promise((resolve) => setImmediate(resolve));
      t.mock.timers.tick(200);
    }
    assert.equal(report?.decisions.at(-1).pass, "summarize");
    a.free();
  });

  test("a process waits at most one lease for each holder before it", async (t) => {
    const store = memoryStore();
    let asked = 0;
    const [a, b] = await two(store, () => (asked++, "<summary>They talked.</summary>"), { now: () => 1_000_000 });
    await a.compact();
    t.mock.timers.enable({ apis: ["setTimeout"] });
    let report = null;
    b.compact().then((settled) => (report = settled));
    const look = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      t.mock.timers.tick(200);
    };
    for (let looks = 0; looks < 500; looks++) await look();
    assert.equal(report, null, "100 s for the first");
    await store.setItem("s:lease", "lease-1120000-another");
    for (let looks = 0; looks < 500; looks++) await look();
    assert.equal(report, null, "100 s for the second");
    assert.deepEqual([asked, await store.getItem("s:lease")], [1, "lease-1120000-another"]);
    for (let looks = 0; looks < 300 && report === null; looks++) await look();
    assert.equal(report?.decisions.at(-1).pass, "summarize");
    a.free();
  });

  test("nobody waits for a session freed before it was saved", async () => {
    const store = memoryStore();
    const [a, b] = await two(store, () => "<summary>They talked.</summary>", { now: () => 1_000_000 });
    await a.compact();
    assert.deepEqual(await store.getKeys("s:lease"), ["s:lease"]);
    a.free();
    const report = await b.compact({ signal: AbortSignal.timeout(10_000) });
    assert.equal(report.decisions.at(-1).pass, "summarize");
  });

  test("a failing store does not prevent a summary", async () => {
    const store = memoryStore();
    const [a] = await two(store, () => "<summary>They talked.</summary>");
    store.getItem = async () => {
      throw new Error("down");
    };
    assert.equal((await a.compact()).decisions.at(-1).pass, "summarize");
  });
});

test("the declared types of a store match what stores do", () => {
  const declared = readFileSync(new URL("../../src/wasm/types.d.ts", import.meta.url), "utf8");
  for (const method of Object.keys(memoryStore())) assert.match(declared, new RegExp(`  ${method}\\??\\(`));
});

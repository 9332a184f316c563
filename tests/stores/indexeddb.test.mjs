// IndexedDB as a journal store: the contract, and data left by pages. On `fake-indexeddb`; tests/page runs the contract in Chromium.

import "fake-indexeddb/auto";
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Session } from "contextfold";
import { indexedDBStore } from "contextfold/stores/indexeddb";
import { createStore, get, keys, set } from "idb-keyval";
import { failsWith, user } from "../support/session.mjs";
import { saveAsBefore, storeContract } from "../support/store-contract.mjs";
import { contract, positionsOf, record, recordsBehind, snapshotAt } from "./contract.mjs";

contract("IndexedDB", async () => indexedDBStore("contract"));

let databases = 0;
const newName = () => `database-${++databases}`;

/** The package's store before there were journals. */
function oldStore(name) {
  const store = createStore(name, "items");
  return {
    getItem: async (key) => (await get(key, store)) ?? null,
    setItem: (key, value) => set(key, value, store),
    removeItem: async () => {},
    getItemRaw: async (key) => (await get(key, store)) ?? null,
    setItemRaw: (key, bytes) => set(key, bytes, store),
    getKeys: () => keys(store),
    close: () => store("readonly", ({ transaction }) => transaction.db.close()),
  };
}

/** A database with an old session and a tool output; no page has it open any more. */
async function oldDatabase() {
  const name = newName();
  const store = oldStore(name);
  const session = new Session({ contextWindow: 100_000 });
  session.push(user("hello"));
  await saveAsBefore(session, store, "chat", 1);
  await store.setItemRaw("contextfold:output:abc", Uint8Array.of(1, 2));
  await store.setItem("note:head", "a text");
  await store.close();
  return { name, session };
}

describe("data from before there were journals", () => {
  test("a session is read, continued by one of two, and no longer kept among the items", async () => {
    const { name, session } = await oldDatabase();
    const [a, b] = [indexedDBStore(name), indexedDBStore(name)];
    const { position, snapshotPosition, snapshot, records } = await a.read("chat");
    assert.deepEqual([snapshotPosition, records.length, (await b.read("chat")).position], [position, 0, position]);
    assert.deepEqual([...snapshot], [...session.snapshot()]);
    assert.deepEqual(await a.list(), ["chat"]);
    await assert.rejects(b.replace("chat", null, snapshotAt(1), 1), failsWith("STORE_CONFLICT", /is already saved under `chat`/));
    await assert.rejects(b.append("chat", position + 1, [record(position + 2)]), failsWith("STORE_CONFLICT"));
    await a.append("chat", position, recordsBehind(position, 2));
    await assert.rejects(b.append("chat", position, [record(position + 1)]), failsWith("STORE_CONFLICT"));
    const there = await b.read("chat");
    assert.deepEqual([...there.snapshot], [...snapshot]);
    assert.deepEqual(positionsOf(there.records), [position + 1, position + 2]);
    assert.deepEqual((await a.getKeys()).sort(), ["contextfold:output:abc", "note:head"]);
    assert.deepEqual([...(await a.getItemRaw("contextfold:output:abc"))], [1, 2]);
    await a.close();
    await b.close();
  });

  test("the session can be replaced and removed", async () => {
    for (const how of ["replace", "remove"]) {
      const { name } = await oldDatabase();
      const store = indexedDBStore(name);
      const { position } = await store.read("chat");
      await (how === "replace" ? store.replace("chat", position, snapshotAt(position + 1), position + 1) : store.remove("chat"));
      assert.equal((await store.read("chat"))?.position, how === "replace" ? position + 1 : undefined);
      assert.deepEqual(await store.list(), how === "replace" ? ["chat"] : []);
      assert.deepEqual((await store.getKeys()).sort(), ["contextfold:output:abc", "note:head"]);
      await store.close();
    }
  });

  test("an output without a time gets one when it is first seen", async () => {
    const { name } = await oldDatabase();
    const store = indexedDBStore(name);
    assert.equal(await store.removeOlder("contextfold:output:abc", 0), false);
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(await store.removeOlder("contextfold:output:abc", 1), true);
    await store.close();
  });

  test("a page that keeps the old database open is named in an error after a while, and not awaited longer", async () => {
    const name = newName();
    const page = oldStore(name);
    await page.setItem("a", "b");
    const store = indexedDBStore(name);
    await assert.rejects(store.getItem("a"), failsWith("STORE_FAILED", /another page has it open with an older version.*[Cc]lose or reload/));
    await page.close();
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(await store.getItem("a"), "b");
    await store.close();
  });
});

describe("items, the way sessions without journals are saved", () => {
  test("can hold a session", async () => {
    const name = newName();
    const { getItem, setItem, removeItem, getItemRaw, setItemRaw, getKeys, compareAndSet } = indexedDBStore(name);
    const items = { getItem, setItem, removeItem, getItemRaw, setItemRaw, getKeys, compareAndSet };
    await storeContract({ open: async () => ({ ...items }), Session, assert });
  });
});

describe("transactions", () => {
  test("one that fails half-way leaves nothing behind", async (t) => {
    const name = newName();
    const store = indexedDBStore(name);
    await store.replace("chat", null, snapshotAt(10), 10);
    const { put } = IDBObjectStore.prototype;
    const full = new DOMException("no room", "QuotaExceededError");
    for (const broken of ["journals", "snapshots"]) {
      t.mock.method(IDBObjectStore.prototype, "put", function (...args) {
        if (this.name === broken) throw full;
        return put.apply(this, args);
      });
      const failing = broken === "journals" ? store.append("chat", 10, recordsBehind(10, 3)) : store.replace("chat", 10, snapshotAt(12), 12);
      await assert.rejects(failing, (error) => error === full);
      t.mock.restoreAll();
      const there = await store.read("chat");
      assert.deepEqual([there.position, positionsOf(there.records), new TextDecoder().decode(there.snapshot)], [10, [], "snapshot 10"]);
    }
    await store.append("chat", 10, [record(11)]);
    await store.close();
  });

  test("a failing request fails the save with its error", async (t) => {
    const store = indexedDBStore(newName());
    await store.replace("chat", null, snapshotAt(10), 10);
    const { put } = IDBObjectStore.prototype;
    t.mock.method(IDBObjectStore.prototype, "put", function (...args) {
      return this.name === "records" ? this.add(...args) : put.apply(this, args);
    });
    await store.append("chat", 10, [record(11)]);
    t.mock.method(IDBObjectStore.prototype, "put", function (value, key) {
      return this.name === "records" ? this.add(value, ["chat", 11]) : put.call(this, value, key);
    });
    await assert.rejects(store.append("chat", 11, [record(12)]), (error) => error.name === "ConstraintError");
    t.mock.restoreAll();
    assert.equal((await store.read("chat")).position, 11);
    await store.close();
  });

  test("a closed store opens again, and does not block a page with a newer database", async () => {
    const name = newName();
    const store = indexedDBStore(name);
    await store.setItem("a", "b");
    await store.close();
    await store.close();
    assert.equal(await store.getItem("a"), "b");
    const newer = await new Promise((resolve, reject) => {
      const request = indexedDB.open(name, 99);
      request.onsuccess = () => resolve(request.result);
      request.onblocked = () => reject(new Error("blocked"));
    });
    await assert.rejects(store.getItem("a"), (error) => error.name === "VersionError");
    newer.close();
  });

  test("a connection that the browser closed is opened again", async (t) => {
    const store = indexedDBStore(newName());
    await store.setItem("a", "b");
    const { transaction } = IDBDatabase.prototype;
    let closed = 1;
    t.mock.method(IDBDatabase.prototype, "transaction", function (...args) {
      if (closed-- > 0) throw new DOMException("The database connection is closing.", "InvalidStateError");
      return transaction.apply(this, args);
    });
    assert.equal(await store.getItem("a"), "b");
    await store.close();
  });
});

test("a key that begins with another key has its own records", async () => {
  const store = indexedDBStore(newName());
  for (const key of ["a", "a\u0001", "aa", "b"]) {
    await store.replace(key, null, snapshotAt(1), 1);
    await store.append(key, 1, recordsBehind(1, 3));
  }
  await store.replace("a", 4, snapshotAt(4), 4);
  for (const key of ["a\u0001", "aa", "b"]) assert.deepEqual(positionsOf((await store.read(key)).records), [2, 3, 4]);
  assert.equal((await store.read("a")).records.length, 0);
  await store.close();
});

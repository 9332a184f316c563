// Encryption at rest: the contract of journal stores, and what an attacker who owns the store may try.

import "fake-indexeddb/auto";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { Session } from "contextfold";
import { wrapStore } from "contextfold/stores/encrypted";
import { indexedDBStore } from "contextfold/stores/indexeddb";
import { memoryStore } from "contextfold/stores/memory";
import { segmented } from "contextfold/stores/segments";
import { createStorage } from "unstorage";
import memoryDriver from "unstorage/drivers/memory";
import { frame, positionAt, wholeAt } from "../../pkg/stores/frames.js";
import { failsWith } from "../support/session.mjs";
import { storeContract } from "../support/store-contract.mjs";
import { contract, positionsOf, record, recordsBehind, snapshotAt } from "./contract.mjs";

const START = 9_000_000;
const random = () => crypto.getRandomValues(new Uint8Array(32));
const output = (content) => `contextfold:output:${createHash("sha256").update(content).digest("hex")}`;

/** Keys by id, the current one last. */
function ring(...ids) {
  const keys = new Map(ids.map((id) => [id, random()]));
  const asked = [];
  const key = (id = [...keys.keys()].at(-1)) => {
    asked.push(id);
    return keys.has(id) ? { id, key: keys.get(id), older: [...keys.keys()] } : null;
  };
  return { keys, key, asked };
}

{
  const [inner, around, texts] = [memoryStore(), memoryStore(), memoryStore()];
  const { key } = ring("2026-11");
  contract("encrypted segments", async () => wrapStore(segmented(inner), { encrypt: key }), { bigBytes: 5_000_000 });
  contract("segments of what is encrypted", async () => segmented(wrapStore(around, { encrypt: key })), { bigBytes: 5_000_000, racers: 20, many: 1000 });
  const { getItemRaw: _, setItemRaw: __, ...text } = texts;
  contract("segments of encrypted texts", async () => segmented(wrapStore(text, { encrypt: key })), { bigBytes: 1_000_000, racers: 20, many: 1000 });
  contract("encrypted IndexedDB", async () => wrapStore(indexedDBStore("encrypted"), { encrypt: key }), { bigBytes: 1_000_000, racers: 20, many: 1000 });
}

describe("ordinary stores", () => {
  const { key } = ring("k");
  const { getItemRaw: _, setItemRaw: __, compareAndSet: ___, getKeys: ____, ...texts } = memoryStore();
  for (const [name, store] of [["in memory", memoryStore()], ["of texts", texts], ["of unstorage", createStorage({ driver: memoryDriver() })]])
    test(`one ${name} can hold a session, and keeps its methods`, async () => {
      const around = wrapStore(store, { encrypt: key });
      for (const method of ["getItemRaw", "setItemRaw", "compareAndSet", "getKeys", "read", "append"]) assert.equal(typeof around[method], typeof store[method], method);
      await storeContract({ open: async () => wrapStore(store, { encrypt: key }), Session, assert });
    });

  test("invalid stores are refused", () => {
    for (const store of [null, {}, { getItem() {}, setItem() {} }]) assert.throws(() => wrapStore(store, { encrypt: key }), failsWith("INVALID_ARGUMENT", /`store`/));
    for (const options of [undefined, {}, { encrypt: random() }]) assert.throws(() => wrapStore(memoryStore(), options), failsWith("INVALID_ARGUMENT", /`encrypt`: expected a function/));
  });
});

/** Everything in a store, as one text. */
async function everythingIn(raw) {
  const names = await raw.getKeys();
  const values = await Promise.all(names.map(async (name) => Buffer.from((await raw.getItemRaw(name)) ?? "").toString("latin1")));
  return [...names, ...values, ...values.map((value) => Buffer.from(value, "base64").toString("latin1"))].join("\n");
}

/** A journal of four records, items and an output, and the store that contains them. */
async function world({ key = ring("k").key, name = "chat" } = {}) {
  const raw = memoryStore();
  const inner = segmented(raw);
  const store = wrapStore(inner, { encrypt: key });
  await store.replace(name, null, snapshotAt(START), START);
  await store.append(name, START, recordsBehind(START, 3));
  await store.append(name, START + 3, recordsBehind(START + 3, 1));
  return { raw, inner, store, key, name };
}

describe("only lengths and positions are readable", () => {
  test("in snapshots, records, texts and outputs; and encrypting the same content twice gives different bytes", async () => {
    const { raw, store } = await world();
    await store.setItem("chat:lease", "lease-secret");
    const content = "the output of a tool";
    await store.setItemRaw(output(content), new TextEncoder().encode(content));
    const all = await everythingIn(raw);
    for (const secret of ["snapshot", "record ", "lease-secret", content, output(content).slice(-64)]) assert.ok(!all.includes(secret), secret);
    const lease = await raw.getItem("chat:lease");
    await store.setItem("chat:lease", "lease-secret");
    assert.notEqual(await raw.getItem("chat:lease"), lease);
    const [listed] = await store.getKeys("contextfold:output:");
    assert.equal(listed, output(content));
    assert.deepEqual(await store.getKeys(output(content).slice(0, 30)), [listed]);
    assert.deepEqual(await store.getKeys("contextfold:output:zz"), []);
    const other = wrapStore(memoryStore(), { encrypt: ring("k").key });
    await other.setItemRaw(output(content), Uint8Array.of(1));
    assert.notDeepEqual((await raw.getKeys("contextfold:output:"))[0], (await other.getKeys())[0], "another key, another name");
  });

  test("around an ordinary store, no name tells an output's hash, and times are found under older keys, too", async () => {
    const { keys, key } = ring("2025");
    const raw = memoryStore();
    const open = () => segmented(wrapStore(raw, { encrypt: key }));
    await open().setItemRaw(output("old"), Uint8Array.of(1));
    keys.set("2026", random());
    await open().setItemRaw(output("old"), Uint8Array.of(1));
    await open().setItemRaw(output("new"), Uint8Array.of(2));
    const all = await everythingIn(raw);
    for (const content of ["old", "new"]) assert.ok(!all.includes(output(content).slice(-64)), content);
    await new Promise((resolve) => setTimeout(resolve, 5));
    for (const content of ["old", "new"]) {
      assert.equal(await open().removeOlder(output(content), 60_000), false);
      assert.equal(await open().removeOlder(output(content), 1), true);
    }
    assert.deepEqual(await raw.getKeys(), []);
  });

  test("a time that an earlier version stored under the output's own name is found and removed", async () => {
    const { key } = ring("k");
    const raw = memoryStore();
    const name = `contextfold:time:${output("old")}:stored`;
    const store = segmented(wrapStore(raw, { encrypt: key }));
    await store.setItemRaw(output("old"), Uint8Array.of(1));
    const [hidden] = await raw.getKeys("contextfold:time:");
    await raw.setItem(name, await raw.getItem(hidden));
    await raw.removeItem(hidden);
    await store.setItemRaw(output("old"), Uint8Array.of(1));
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(await store.removeOlder(output("old"), 1), true);
    assert.deepEqual(await raw.getKeys(), []);
  });

  test("the outer frames are valid frames, and the inner ones come back byte for byte", async () => {
    const { inner, store, name } = await world();
    const [there, plain] = [await inner.read(name), await store.read(name)];
    assert.deepEqual(positionsOf(there.records), [1, 2, 3, 4].map((n) => START + n));
    assert.deepEqual([...plain.records], recordsBehind(START, 4).flatMap((bytes) => [...bytes]));
    assert.equal(there.records.length - plain.records.length, 4 * (21 + 2 + 1 + 12 + 16), "what a record costs more: a frame, the id, nonce and tag");
  });

  test("a torn end is passed on as it is", async () => {
    const { inner, store, key, name } = await world();
    const torn = wrapStore({ ...inner, read: async (...args) => {
      const journal = await inner.read(...args);
      return { ...journal, records: Uint8Array.from([...journal.records, 9, 0, 0, 0, 1]) };
    } }, { encrypt: key });
    const { records, position } = await torn.read(name);
    assert.equal(position, START + 4);
    assert.deepEqual([...records], [...(await store.read(name)).records, 9, 0, 0, 0, 1]);
  });

  test("a Node Buffer may be overwritten right after the call, around IndexedDB too", async () => {
    for (const inner of [segmented(memoryStore()), indexedDBStore("buffers")])
      for (const store of [inner, wrapStore(inner, { encrypt: ring("k").key })]) {
        const name = store === inner ? "plain" : "encrypted";
        const spoil = (buffer, call) => [call(buffer), buffer.fill(0)][0];
        await spoil(Buffer.from(snapshotAt(1)), (buffer) => store.replace(name, null, buffer, 1));
        await spoil(Buffer.from(record(2)), (buffer) => store.append(name, 1, [buffer]));
        await spoil(Buffer.from([1, 2]), (buffer) => store.setItemRaw(name, buffer));
        const there = await store.read(name);
        assert.deepEqual([new TextDecoder().decode(there.snapshot), positionsOf(there.records), [...(await store.getItemRaw(name))]], ["snapshot 1", [2], [1, 2]]);
      }
  });

  test("repairs made by the store are reported", async () => {
    const { raw, store, name } = await world();
    await raw.setItem(`${name}:head`, "");
    assert.match((await store.read(name)).notice, /head of this session was cut off/);
  });
});

describe("changes made by the store's owner are noticed", () => {
  /** The bodies of frames, with their positions. */
  function framesOf(records) {
    const frames = [];
    for (let at = 0; at < records.length; at += wholeAt(records, at)) frames.push({ position: positionAt(records, at), body: records.slice(at + 13, at + wholeAt(records, at) - 8) });
    return frames;
  }
  const together = (frames) => Uint8Array.from(frames.flatMap(({ position, body }) => [...frame(position, body)]));

  /** A store whose journals are supplied by its owner. */
  const lying = (inner, key, lie) => wrapStore({ ...inner, read: async (...args) => lie(await inner.read(...args)) }, { encrypt: key });

  test("every bit of a snapshot, of a record's body, of a text and of an output is protected", async () => {
    const { raw, store, name } = await world();
    await store.setItem("note", "text");
    await store.setItemRaw(output("x"), Uint8Array.of(1, 2, 3));
    const reads = {
      ":v:": () => store.read(name),
      note: () => store.getItem("note"),
      "contextfold:output:": () => store.getItemRaw(output("x")),
    };
    for (const item of (await raw.getKeys()).filter((item) => Object.keys(reads).some((part) => item.includes(part) && !item.includes("time:")))) {
      const read = reads[Object.keys(reads).find((part) => item.includes(part))];
      const stored = await raw.getItemRaw(item);
      const bytes = typeof stored === "string" ? Buffer.from(stored, "base64") : stored;
      for (let bit = 0; bit < bytes.length * 8; bit += bit < 200 ? 1 : 7) {
        const altered = Uint8Array.from(bytes);
        altered[bit >> 3] ^= 1 << (bit & 7);
        if (typeof stored === "string") await raw.setItem(item, Buffer.from(altered).toString("base64"));
        else await raw.setItemRaw(item, altered);
        await assert.rejects(read(), failsWith("STORE_FAILED", /cannot be used|there is no key/), `${item}, bit ${bit}`);
      }
      for (const length of [0, 1, 2, 20, bytes.length - 1]) {
        if (typeof stored === "string") await raw.setItem(item, Buffer.from(bytes.subarray(0, length)).toString("base64"));
        else await raw.setItemRaw(item, bytes.slice(0, length));
        await assert.rejects(read(), failsWith("STORE_FAILED", /cannot be used|there is no key/), `${item}, cut off to ${length}`);
      }
      await (typeof stored === "string" ? raw.setItem(item, stored) : raw.setItemRaw(item, stored));
    }
    assert.equal((await store.read(name)).position, START + 4);
  });

  test("flipping a bit of the records never changes what is read: it is refused, or reported as a cut-off end", async () => {
    const { raw, inner, key, name } = await world();
    const whole = [...(await wrapStore(inner, { encrypt: key }).read(name)).records];
    for (const item of await raw.getKeys(`${name}:s:`)) {
      const bytes = await raw.getItemRaw(item);
      for (let bit = 0; bit < bytes.length * 8; bit += 3) {
        const altered = bytes.slice();
        altered[bit >> 3] ^= 1 << (bit & 7);
        await raw.setItemRaw(item, altered);
        const journal = await wrapStore(segmented(raw), { encrypt: key }).read(name).catch((error) => failsWith("STORE_FAILED")(error) && null);
        if (journal === null) continue;
        assert.match(journal.notice, /last records.*cut off/);
        assert.deepEqual([...journal.records], whole.slice(0, journal.records.length));
      }
      // With a matching checksum, which an owner can also make.
      for (const { position, body } of framesOf(bytes)) {
        const altered = body.slice();
        altered[altered.length - 1] ^= 1;
        await raw.setItemRaw(item, together(framesOf(bytes).map((each) => (each.position === position ? { position, body: altered } : each))));
        await assert.rejects(wrapStore(segmented(raw), { encrypt: key }).read(name), failsWith("STORE_FAILED", new RegExp(`the record of \`chat\` at position ${position} cannot be used: it was altered`)));
      }
      await raw.setItemRaw(item, bytes);
    }
  });

  test("a record at another position, duplicated, missing, out of order, or from another session", async () => {
    const key = ring("k").key;
    const { inner, name } = await world({ key });
    const other = await world({ key, name: "other" });
    const foreign = framesOf((await other.inner.read("other")).records);
    const tries = {
      "swapped, with each other's positions": (f) => [f[0], { position: f[1].position, body: f[2].body }, { position: f[2].position, body: f[1].body }, f[3]],
      "swapped as they are": (f) => [f[0], f[2], f[1], f[3]],
      "one twice": (f) => [f[0], f[1], f[1], f[2], f[3]],
      "one twice, at the next position": (f) => [f[0], f[1], { position: f[2].position, body: f[1].body }, f[3]],
      "one missing": (f) => [f[0], f[2], f[3]],
      "the first missing": (f) => f.slice(1),
      "one missing, the others moved up": (f) => [f[0], { position: f[1].position, body: f[2].body }, { position: f[2].position, body: f[3].body }],
      "the last missing": (f) => f.slice(0, 3),
      "all missing": () => [],
      "another session's": (f) => [f[0], foreign[1], f[2], f[3]],
      "an empty one": (f) => [f[0], { position: f[1].position, body: new Uint8Array(0) }, f[2], f[3]],
    };
    for (const [how, change] of Object.entries(tries))
      await assert.rejects(
        lying(inner, key, (journal) => ({ ...journal, records: together(change(framesOf(journal.records))) })).read(name),
        failsWith("STORE_FAILED", /the record of `chat` at position \d+ cannot be used/),
        how,
      );
    await assert.rejects(lying(inner, key, (journal) => ({ ...journal, records: journal.records.slice(0, -30), position: START + 4 })).read(name), failsWith("STORE_FAILED", /missing or incomplete/));
    await assert.rejects(lying(inner, key, (journal) => ({ ...journal, position: START + 3 })).read(name), failsWith("STORE_FAILED", /at position 9000004.*is after position 9000003/));
  });

  test("a snapshot of another session, another position or another kind", async () => {
    const key = ring("k").key;
    const { inner, name } = await world({ key });
    const other = await world({ key, name: "other" });
    const foreign = await other.inner.read("other");
    const moved = { position: START + 5, snapshotPosition: START + 5, records: new Uint8Array(0) };
    for (const lie of [
      (journal) => ({ ...journal, snapshot: foreign.snapshot }),
      (journal) => ({ ...journal, ...moved }),
      (journal) => ({ ...journal, snapshot: framesOf(journal.records)[0].body }),
      (journal) => ({ ...journal, snapshot: new Uint8Array(0) }),
      (journal) => ({ ...journal, snapshot: snapshotAt(START) }),
    ])
      await assert.rejects(lying(inner, key, lie).read(name), failsWith("STORE_FAILED", /the snapshot of `chat` at position \d+ cannot be used/));
  });

  test("one output in place of another, a text in place of another, and one kind in place of another", async () => {
    const { raw, store } = await world();
    await store.setItemRaw(output("a"), Uint8Array.of(1));
    const [a] = await raw.getKeys("contextfold:output:");
    await store.setItemRaw(output("b"), Uint8Array.of(2));
    const b = (await raw.getKeys("contextfold:output:")).find((item) => item !== a);
    const bytes = await raw.getItemRaw(a);
    await raw.setItemRaw(b, bytes);
    await assert.rejects(store.getItemRaw(output("b")), failsWith("STORE_FAILED", new RegExp(`the tool output \`${output("b")}\` cannot be used: it was altered, was moved from another place`)));
    assert.deepEqual([...(await store.getItemRaw(output("a")))], [1]);
    await store.setItem("one", "text");
    await raw.setItem("two", await raw.getItem("one"));
    await assert.rejects(store.getItem("two"), failsWith("STORE_FAILED", /the item `two` cannot be used/));
    await raw.setItemRaw("one", Buffer.from(await raw.getItem("one"), "base64"));
    await assert.rejects(store.getItemRaw("one"), failsWith("STORE_FAILED", /the item `one` cannot be used/));
    await raw.setItem("three", "lease-1-plain");
    await assert.rejects(store.getItem("three"), failsWith("STORE_FAILED", /the item `three` cannot be used: it was not stored encrypted/));
    await assert.rejects(store.compareAndSet("three", "lease-1-plain", "x"), failsWith("STORE_FAILED"));
    await raw.setItem("contextfold:output:plain", "x");
    assert.ok(!(await store.getKeys()).includes("contextfold:output:plain"), "a name that the key did not make is none");
  });

  test("content saved without encryption gives an error that says so", async () => {
    const raw = memoryStore();
    await segmented(raw).replace("chat", null, snapshotAt(START), START);
    await segmented(raw).append("chat", START, [record(START + 1)]);
    const store = wrapStore(segmented(raw), { encrypt: ring("k").key });
    await assert.rejects(store.read("chat"), failsWith("STORE_FAILED", /never encrypted.*without encryption/));
    await assert.rejects(store.read("chat", START), failsWith("STORE_FAILED", /never encrypted/));
  });
});

describe("attacks that cannot be noticed, as the declarations say", () => {
  test("a whole older session, a session without its last records, and an older text", async () => {
    const { raw, inner, store, name, key } = await world();
    await store.setItem("note", "old");
    const items = new Map(await Promise.all((await raw.getKeys()).map(async (item) => [item, await raw.getItemRaw(item)])));
    await store.append(name, START + 4, [record(START + 5)]);
    await store.setItem("note", "new");
    const late = await inner.read(name);
    const without = wrapStore({ ...inner, read: async () => ({ ...late, position: START + 4, records: late.records.slice(0, late.records.length - (record(START + 5).length + 52)) }) }, { encrypt: key });
    assert.equal((await without.read(name)).position, START + 4);
    for (const item of await raw.getKeys()) await raw.removeItem(item);
    for (const [item, value] of items) await (typeof value === "string" ? raw.setItem(item, value) : raw.setItemRaw(item, value));
    assert.deepEqual([(await store.read(name)).position, await store.getItem("note")], [START + 4, "old"]);
    await assert.rejects(store.append(name, START + 5, [record(START + 6)]), failsWith("STORE_CONFLICT"), "who holds the newer one is told");
  });
});

describe("keys", () => {
  test("a new key is used for new content, and older keys for older content", async () => {
    const { keys, key, asked } = ring("2025");
    const { raw, store, name } = await world({ key });
    await store.setItemRaw(output("old"), Uint8Array.of(1));
    await store.setItem("note", "old");
    keys.set("2026", random());
    await store.append(name, START + 4, [record(START + 5)]);
    await store.setItemRaw(output("new"), Uint8Array.of(2));
    const fresh = () => wrapStore(segmented(raw), { encrypt: key });
    assert.deepEqual(positionsOf((await fresh().read(name)).records), [1, 2, 3, 4, 5].map((n) => START + n));
    assert.equal(await fresh().getItem("note"), "old");
    assert.deepEqual([...(await fresh().getItemRaw(output("old"))), ...(await fresh().getItemRaw(output("new")))], [1, 2]);
    assert.deepEqual((await fresh().getKeys("contextfold:output:")).sort(), [output("old"), output("new")].sort());
    await fresh().setItemRaw(output("old"), Uint8Array.of(1));
    assert.deepEqual((await fresh().getKeys("contextfold:output:")).sort(), [output("old"), output("new")].sort(), "once");
    await fresh().removeItem(output("old"));
    assert.equal(await fresh().getItemRaw(output("old")), null);
    assert.equal(await fresh().compareAndSet("note", "old", "newer"), true);

    await fresh().replace(name, START + 5, snapshotAt(START + 5), START + 5);
    keys.delete("2025");
    asked.length = 0;
    assert.equal((await fresh().read(name)).position, START + 5);
    assert.equal(await fresh().getItem("note"), "newer");
    assert.ok(!asked.includes("2025"), "a session that was put together anew needs the old key no more");
  });

  test("a missing key is named; a wrong one is not mistaken for it", async () => {
    const { keys, key } = ring("2025");
    const { raw, name } = await world({ key });
    const right = keys.get("2025");
    keys.set("2026", random());
    keys.delete("2025");
    await assert.rejects(wrapStore(segmented(raw), { encrypt: key }).read(name), failsWith("STORE_FAILED", /there is no key `2025`/));
    keys.set("2025", random());
    await assert.rejects(wrapStore(segmented(raw), { encrypt: key }).read(name), failsWith("STORE_FAILED", /snapshot of `chat`.*a different key than the one returned for `2025`/));
    keys.set("2025", right);
    assert.equal((await wrapStore(segmented(raw), { encrypt: key }).read(name)).position, START + 4);
  });

  test("removeOlder also looks under older keys", async () => {
    const { keys, key } = ring("2025");
    const { store } = await world({ key });
    await store.setItemRaw(output("old"), Uint8Array.of(1));
    keys.set("2026", random());
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(await store.removeOlder(output("old"), 60_000), false);
    assert.equal(await store.removeOlder(output("old"), 1), true);
    assert.equal(await store.getItemRaw(output("old")), null);
  });

  test("what is stored anew with a new key does not stay with the old one", async () => {
    for (const swaps of [true, false]) {
      const { keys, key } = ring("2025");
      const raw = memoryStore();
      const { compareAndSet, ...plain } = raw;
      const open = () => segmented(wrapStore(swaps ? raw : plain, { encrypt: key }));
      await open().setItemRaw(output("kept"), Uint8Array.of(1));
      const old = await raw.getKeys();
      assert.equal(old.length, 2, "the output and its time");
      keys.set("2026", random());
      assert.deepEqual([...(await open().getItemRaw(output("kept")))], [1]);
      await open().setItemRaw(output("kept"), Uint8Array.of(1));
      const stored = await raw.getKeys();
      assert.equal(stored.length, 2);
      for (const name of old) assert.ok(!stored.includes(name), name);
      keys.delete("2025");
      await new Promise((resolve) => setTimeout(resolve, 5));
      assert.equal(await open().removeOlder(output("kept"), 60_000), false);
      assert.equal(await open().removeOlder(output("kept"), 1), true, "its age counts from when it was stored anew");
      assert.deepEqual(await raw.getKeys(), []);
    }
  });

  test("an item stays if the key changes while it is stored", async () => {
    const { keys, key } = ring("2025");
    const raw = memoryStore();
    const slow = { ...raw, setItemRaw: async (...given) => (keys.set("2026", random()), raw.setItemRaw(...given)) };
    await wrapStore(slow, { encrypt: key }).setItemRaw(output("kept"), Uint8Array.of(1));
    assert.deepEqual([...(await wrapStore(raw, { encrypt: key }).getItemRaw(output("kept")))], [1]);
  });

  test("an item that another process moves while it is read is found", async () => {
    const { keys, key } = ring("2025");
    const raw = memoryStore();
    await wrapStore(raw, { encrypt: key }).setItemRaw(output("moved"), Uint8Array.of(1));
    keys.set("2026", random());
    let isFirst = true;
    const slow = { ...raw, getItemRaw: async (name) => {
      const value = await raw.getItemRaw(name);
      if (isFirst) await wrapStore(raw, { encrypt: key }).setItemRaw(output("moved"), Uint8Array.of(1));
      isFirst = false;
      return value;
    } };
    assert.deepEqual([...(await wrapStore(slow, { encrypt: key }).getItemRaw(output("moved")))], [1]);
  });

  test("a CryptoKey for HKDF is accepted; it is the same key as its bytes", async () => {
    const bytes = random();
    const cryptoKey = await crypto.subtle.importKey("raw", bytes, "HKDF", false, ["deriveKey"]);
    const raw = memoryStore();
    await wrapStore(raw, { encrypt: async () => ({ id: "k", key: cryptoKey }) }).setItem("a", "text");
    assert.equal(await wrapStore(raw, { encrypt: () => ({ id: "k", key: bytes }) }).getItem("a"), "text");
    assert.equal(await wrapStore(raw, { encrypt: () => ({ id: "k", key: Buffer.from(bytes) }) }).getItem("a"), "text");
  });

  test("an invalid key is refused before anything is written", async () => {
    const aes = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
    for (const given of [null, undefined, {}, { id: "k" }, { id: "", key: random() }, { id: "x".repeat(101), key: random() }, { id: "k", key: new Uint8Array(16) }, { id: "k", key: "password" }, { id: "k", key: aes }]) {
      const raw = memoryStore();
      const store = wrapStore(segmented(raw), { encrypt: () => given });
      for (const promise of [store.replace("a", null, snapshotAt(1), 1), store.setItem("a", "b"), store.setItemRaw(output("a"), Uint8Array.of(1)), store.compareAndSet("a", null, "b")])
        await assert.rejects(promise, failsWith("INVALID_ARGUMENT", /`encrypt`: expected/));
      assert.deepEqual(await raw.getKeys(), []);
    }
    const { raw } = await world({ key: ring("k").key });
    await assert.rejects(wrapStore(segmented(raw), { encrypt: () => ({ id: "other", key: random() }) }).read("chat"), failsWith("STORE_FAILED", /there is no key `k`/));
  });

  test("a failing key callback is reported with its error, and is called again", async () => {
    const down = new Error("the key service is down");
    let isDown = true;
    const bytes = random();
    const store = wrapStore(segmented(memoryStore()), { encrypt: async () => {
      if (isDown) throw down;
      return { id: "k", key: bytes };
    } });
    await assert.rejects(store.replace("a", null, snapshotAt(1), 1), (error) => failsWith("STORE_FAILED", /callback `encrypt` failed/)(error) && error.cause === down);
    isDown = false;
    await store.replace("a", null, snapshotAt(1), 1);
  });
});

describe("compareAndSet", () => {
  test("a text that another process stored again unchanged still matches the expected one", async () => {
    const raw = memoryStore();
    const { key } = ring("k");
    const other = wrapStore(raw, { encrypt: key });
    await other.setItem("lease", "a");
    let renews = 3;
    const store = wrapStore({ ...raw, compareAndSet: async (...args) => {
      if (renews-- > 0) await other.setItem("lease", "a");
      return raw.compareAndSet(...args);
    } }, { encrypt: key });
    assert.equal(await store.compareAndSet("lease", "a", "b"), true);
    assert.equal(await other.getItem("lease"), "b");
    const never = wrapStore({ ...raw, compareAndSet: async () => false }, { encrypt: key });
    assert.equal(await never.compareAndSet("lease", "b", "c"), false);
  });
});

describe("the examples of the declarations", () => {
  for (const [file, says] of [["segments", "4711"], ["encrypted", "nobody reads this"]])
    test(file, () => {
      const declared = readFileSync(new URL(`../../pkg/stores/${file}.d.ts`, import.meta.url), "utf8");
      const [, example] = /```js\n([^]*?) \* ```/.exec(declared);
      const program = example.replaceAll(/^ \* ?/gm, "");
      const said = execFileSync(process.execPath, ["--input-type=module", "--eval", program], { cwd: new URL("../..", import.meta.url), encoding: "utf8" });
      assert.equal(said.trim(), says);
    });
});

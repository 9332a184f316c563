// Journals on top of ordinary stores: the contract of all journal stores, and the specifics of heads and segments.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Session } from "contextfold";
import { memoryStore } from "contextfold/stores/memory";
import { segmented } from "contextfold/stores/segments";
import { createStorage } from "unstorage";
import fsDriver from "unstorage/drivers/fs";
import memoryDriver from "unstorage/drivers/memory";
import { failsWith, user } from "../support/session.mjs";
import { saveAsBefore } from "../support/store-contract.mjs";
import { temporaryFolder } from "../support/temp.mjs";
import { sharedFolder } from "../support/writer.mjs";
import { contract, positionsOf, record, recordsBehind, snapshotAt } from "./contract.mjs";

const run = promisify(execFile);
const WRITER = fileURLToPath(new URL("segments-writer.mjs", import.meta.url));
const START = 5_000_000;
const range = (from, count) => Array.from({ length: count }, (_, i) => from + i);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const text = (bytes) => new TextDecoder().decode(bytes);

/** A store in memory for text only, without compare-and-set. */
function textsOnly() {
  const { getItem, setItem, removeItem, getKeys } = memoryStore();
  return { getItem, setItem, removeItem, getKeys };
}

/** A journal with `count` saves after its snapshot, each of one record. */
async function saved(store, count, key = "k", size = 0) {
  const journals = segmented(store);
  await journals.replace(key, null, snapshotAt(START), START);
  for (const position of range(START, count)) await journals.append(key, position, [record(position + 1, size)]);
  return journals;
}

/** Reads and checks the whole journal; returns its position. */
async function standsAt(store, key = "k") {
  const there = await segmented(store).read(key);
  assert.equal(text(there.snapshot), `snapshot ${there.snapshotPosition}`);
  assert.deepEqual(positionsOf(there.records), range(there.snapshotPosition + 1, there.position - there.snapshotPosition));
  return there.position;
}

{
  const [all, texts] = [memoryStore(), textsOnly()];
  contract("segments in memory", async () => segmented(all));
  contract("segments in a store of texts, without compareAndSet", async () => segmented(texts), { bigBytes: 2_000_000 });
  const nothingKept = memoryStore();
  contract("segments, none of them remembered", async () => segmented(nothingKept, { cacheBytes: 0 }), { bigBytes: 2_000_000 });
}

describe("other stores", () => {
  for (const [name, open] of [
    ["in memory", () => createStorage({ driver: memoryDriver() })],
    ["of files", (t) => createStorage({ driver: fsDriver({ base: temporaryFolder(t) }) })],
  ])
    test(`unstorage ${name}`, async (t) => {
      const store = open(t);
      const journals = await saved(store, 20, "users/1/chat");
      await journals.setItem("users/1/chat:lease", "lease-1-a");
      await journals.setItemRaw(`contextfold:output:${"ab".repeat(32)}`, Uint8Array.of(0, 255));
      assert.equal(await standsAt(store, "users/1/chat"), START + 20);
      assert.deepEqual(await journals.list("users/1/ch"), ["users:1:chat"], "unstorage writes keys its own way");
      assert.deepEqual(await journals.getKeys("contextfold:output:"), [`contextfold:output:${"ab".repeat(32)}`]);
      assert.deepEqual([...(await segmented(store).getItemRaw(`contextfold:output:${"ab".repeat(32)}`))], [0, 255]);
      await journals.replace("users/1/chat", START + 20, snapshotAt(START + 21), START + 21);
      assert.equal(await standsAt(store, "users/1/chat"), START + 21);
      await journals.remove("users/1/chat");
      assert.equal(await journals.read("users/1/chat"), null);
      assert.deepEqual((await store.getKeys()).filter((key) => key.startsWith("users")), []);
    });

  test("invalid stores, and one that lists no keys", async () => {
    for (const wrong of [null, {}, { getItem() {}, setItem() {} }]) assert.throws(() => segmented(wrong), failsWith("INVALID_ARGUMENT", /`store`.*getItem, setItem and removeItem/));
    const { getKeys: _, ...store } = textsOnly();
    const journals = await saved(store, 30);
    assert.equal(await standsAt(store), START + 30);
    await assert.rejects(journals.list(), failsWith("STORE_FAILED", /no `getKeys`/));
    await journals.remove("k");
    assert.equal(await journals.read("k"), null);
  });

  test("an invalid value returned by a store is the store's failure; an error it throws is passed on", async () => {
    await assert.rejects(segmented({ ...memoryStore(), getItem: async () => 7 }).read("k"), failsWith("STORE_FAILED", /`k:head` that was never stored/));
    await assert.rejects(segmented({ ...memoryStore(), getItemRaw: async () => 7 }).getItemRaw("k"), failsWith("STORE_FAILED", /never stored/));
    const down = new Error("connection refused");
    await assert.rejects(segmented({ ...memoryStore(), getItem: async () => { throw down; } }).read("k"), (error) => error === down);
  });
});

describe("sessions saved before there were journals", () => {
  async function old(store, ...contents) {
    const session = new Session({ contextWindow: 100_000 });
    for (const [at, content] of contents.entries()) {
      session.push(user(content));
      await saveAsBefore(session, store, "k", at + 1);
    }
    return session;
  }

  test("are loaded, saved, and loaded again", async () => {
    for (const open of [memoryStore, textsOnly]) {
      const store = open();
      await old(store, "one", "two");
      const session = await Session.load(store, "k");
      const other = await Session.load(store, "k");
      session.push(user("three"));
      await session.save(store, "k");
      assert.deepEqual((await Session.load(store, "k")).messages.map((m) => m.content), ["one", "two", "three"]);
      other.push(user("beside that"));
      await assert.rejects(other.save(store, "k"), failsWith("STORE_CONFLICT"));
      await assert.rejects(new Session({ contextWindow: 100_000 }).save(store, "k"), failsWith("STORE_CONFLICT"));
    }
  });

  for (const [name, open] of [["with bytes", memoryStore], ["of texts", textsOnly]])
    test(`are read and continued in a store ${name}`, async () => {
      const store = open();
      const session = await old(store, "one", "two");
      const head = await store.getItem("k:head");
      assert.match(head, /^v2-[0-9a-f]{16}$/);
      const [a, b] = [segmented(store), segmented(store)];
      const { position, snapshot, snapshotPosition, records } = await a.read("k");
      assert.deepEqual([snapshotPosition, records.length], [position, 0]);
      assert.equal((await b.read("k")).position, position, "all who load it agree");
      assert.deepEqual([...snapshot], [...session.snapshot()]);
      assert.equal(Session.restore(snapshot).messages.at(-1).content, "two");
      assert.equal(await store.getItem("k:head"), head, "a reader changes nothing");
      assert.deepEqual(await a.list(), ["k"]);

      await a.append("k", position, [record(position + 1)]);
      await assert.rejects(b.append("k", position, [record(position + 1)]), failsWith("STORE_CONFLICT"));
      const there = await b.read("k");
      assert.deepEqual([...there.snapshot], [...snapshot]);
      assert.deepEqual(positionsOf(there.records), [position + 1]);
      await b.replace("k", position + 1, snapshotAt(position + 1), position + 1);
      assert.deepEqual((await store.getKeys("k:v:")).filter((key) => key.startsWith("k:v:v")), [], "the old version is gone");
    });

  test("a current head makes an older package report a foreign format, not a truncated head", async () => {
    const store = memoryStore();
    await old(store, "one");
    const journals = segmented(store);
    const { position } = await journals.read("k");
    await journals.append("k", position, [record(position + 1)]);
    // What that package checks of a head: whether it is a version, the beginning of one, or a file of zeros.
    const head = await store.getItem("k:head");
    assert.doesNotMatch(head, /^(v\d+-[0-9a-fA-F]{16}|v\d*(-[0-9a-fA-F]{0,15})?|\0*)$/);
    assert.equal((await store.getKeys("k:v:v1-")).length, 1);
  });

  for (const left of ["", "v", "v2", "v2-", "v2-0123", "\0".repeat(19)])
    test(`a head cut off to ${JSON.stringify(left)} leaves the newest whole version`, async () => {
      // The checksums of the versions, which depend on the text, say nothing of which is newer.
      for (const [isDamaged, text] of [false, true].flatMap((is) => ["one", "un", "uno", "eins"].map((text) => [is, text]))) {
        const store = memoryStore();
        await old(store, text);
        const [first] = await store.getKeys("k:v:");
        const firstBytes = await store.getItemRaw(first);
        await old(store, text, "two");
        const [second] = (await store.getKeys("k:v:")).filter((key) => key.startsWith("k:v:v2"));
        await store.setItemRaw(first, firstBytes);
        if (isDamaged) await store.setItemRaw(second, (await store.getItemRaw(second)).slice(0, -1));
        await store.setItem("k:head", left);
        // unstorage writes its keys in its own way
        const colons = { ...store, getKeys: async (prefix) => (await store.getKeys(prefix)).map((key) => key.replaceAll("/", ":")) };
        const { snapshot, position, notice } = await segmented(colons).read("k");
        assert.equal(Session.restore(snapshot).messages.length, isDamaged ? 1 : 2);
        assert.match(notice, /head of this session was cut off.*newest complete state/);
        await segmented(colons).append("k", position, [record(position + 1)]);
        const again = await segmented(store).read("k");
        assert.equal(again.notice, undefined);
        assert.deepEqual(positionsOf(again.records), [position + 1]);
      }
    });
});

describe("heads", () => {
  test("cut off anywhere: the newest whole state is there, and the next save repairs the head", async () => {
    const store = memoryStore();
    await saved(store, 30);
    const head = await store.getItem("k:head");
    const lengths = range(0, head.length).filter((length) => length < 8 || length % 5 === 0 || length > head.length - 12);
    for (const left of [...lengths.map((length) => head.slice(0, length)), `${head.slice(0, 30)}\0\0\0`, "\0".repeat(head.length)]) {
      await store.setItem("k:head", left);
      const view = segmented(store);
      const there = await view.read("k");
      assert.equal(there.position, START + 30, JSON.stringify(left));
      assert.match(there.notice, /head of this session was cut off/);
    }
    const view = segmented(store);
    await view.append("k", START + 30, [record(START + 31)]);
    assert.equal((await view.read("k")).notice, undefined);
    assert.equal(await standsAt(store), START + 31);
  }, { timeout: 60_000 });

  test("wrong but not cut off: that is damage, and nothing is guessed", async () => {
    const store = memoryStore();
    const journals = await saved(store, 3);
    const head = await store.getItem("k:head");
    for (const wrong of ["rubbish", `${head}x`, head.replace(/\d/, "9"), head.replace("~", "~0"), head.slice(0, -1) + (head.endsWith("0") ? "1" : "0"), "v1-short.", "null"]) {
      await store.setItem("k:head", wrong);
      for (const promise of [segmented(store).read("k"), segmented(store).append("k", START + 3, [record(START + 4)])])
        await assert.rejects(promise, failsWith("STORE_FAILED", /under `k`.*`k:head` has no version.*another key.*remove `k:head`/s), wrong);
    }
    await journals.remove("k");
    assert.deepEqual(await store.getKeys(), []);
  });

  test("cut off in a store that lists no keys: that is damage", async () => {
    const { getKeys: _, ...store } = memoryStore();
    await saved(store, 3);
    await store.setItem("k:head", "j1 ");
    await assert.rejects(segmented(store).read("k"), failsWith("STORE_FAILED", /has no version/));
  });

  test("empty while another process writes it: it is read again", async () => {
    const store = memoryStore();
    await saved(store, 3);
    let torn = 0;
    const tearing = { ...store, getItem: async (key) => (torn++ < 2 ? "" : store.getItem(key)) };
    assert.deepEqual(await segmented(tearing).read("k").then(({ position, notice }) => [position, notice]), [START + 3, undefined]);
  });

  test("segments left by two competing writers are not mixed", async () => {
    // Both saved at the same position; the loser died before it removed its segment. The winner went on.
    for (const saves of [1, 4, 12]) {
      const store = memoryStore();
      await saved(store, 3);
      const dies = segmented({ ...store, compareAndSet: () => new Promise(() => {}) });
      dies.append("k", START + 3, [record(START + 4, 500)]);
      await pause(2);
      const winner = segmented(store);
      for (const position of range(START + 3, saves)) await winner.append("k", position, [record(position + 1, 900)]);
      await store.setItem("k:head", "");
      const { records } = await segmented(store).read("k");
      const sizes = positionsOf(records).length === 3 + saves ? records.length : 0;
      if (saves > 1) assert.equal(sizes, 3 * record(START + 1).length + saves * record(START + 4, 900).length, "the winner's, all of it");
      await standsAt(store);
    }
  });

  test("nor if one writer's segment is missing and the other's would fit there", async () => {
    const store = memoryStore();
    await saved(store, 3);
    const dies = segmented({ ...store, compareAndSet: () => new Promise(() => {}) });
    dies.append("k", START + 3, [record(START + 4, 500)]);
    await pause(2);
    const before = await store.getKeys("k:s:");
    const winner = segmented(store);
    await winner.append("k", START + 3, [record(START + 4, 900)]);
    const [gone] = (await store.getKeys("k:s:")).filter((name) => !before.includes(name));
    await winner.append("k", START + 4, [record(START + 5, 900)]);
    await store.removeItem(gone);
    await store.setItem("k:head", "");
    assert.equal((await segmented(store).read("k")).position, START + 4, "the loser's, and no record of the winner's behind it");
  });

  test("records read without the head are not continued if the head then names another state at the same position", async () => {
    const store = memoryStore();
    await saved(store, 3);
    const other = segmented(store);
    const head = await store.getItem("k:head");
    await other.append("k", START + 3, [record(START + 4, 500)]);
    const winner = await store.getItem("k:head");
    const segments = await store.getKeys("k:s:");
    const dies = segmented({ ...store, compareAndSet: () => new Promise(() => {}) });
    await store.setItem("k:head", head);
    dies.append("k", START + 3, [record(START + 4, 900)]);
    await pause(2);
    const [losing] = (await store.getKeys("k:s:")).filter((name) => !segments.includes(name));
    const winning = segments.find((name) => winner.includes(name.slice(-8)) && !head.includes(name.slice(-8)));
    // The reader sees only the loser's segment, and the head is empty for as long as it looks.
    const reads = { isBlind: true };
    const reader = segmented({
      ...store,
      getItem: async (key) => (reads.isBlind && key === "k:head" ? "" : store.getItem(key)),
      getKeys: async (prefix) => (await store.getKeys(prefix)).filter((name) => name !== winning),
    });
    const there = await reader.read("k");
    assert.deepEqual([there.position, there.records.length], [START + 4, 3 * record(START + 1).length + record(START + 4, 900).length]);
    reads.isBlind = false;
    await store.setItem("k:head", winner);
    await assert.rejects(reader.append("k", START + 4, [record(START + 5)]), failsWith("STORE_CONFLICT"));
    await assert.rejects(reader.replace("k", START + 4, snapshotAt(START + 5), START + 5), failsWith("STORE_CONFLICT"));
    assert.equal((await reader.read("k")).notice, undefined);
    await reader.append("k", START + 4, [record(START + 5)]);
    assert.equal(await standsAt(store), START + 5);
    assert.ok(losing);
  });

  test("a key that consists of another key and `:v` is a separate session", async () => {
    const store = memoryStore();
    await saved(store, 3, "k");
    await saved(store, 9, "k:v");
    await saved(store, 9, "k:s");
    await store.setItem("k:head", "");
    assert.equal((await segmented(store).read("k")).position, START + 3);
    await segmented(store).remove("k");
    assert.equal(await standsAt(store, "k:v"), START + 9);
    assert.equal(await standsAt(store, "k:s"), START + 9);
  });
});

test("a Node Buffer may be overwritten right after the call, like other bytes", async () => {
  for (const open of [() => segmented(memoryStore()), () => segmented(textsOnly())]) {
    const journals = open();
    const spoil = (buffer, call) => [call(buffer), buffer.fill(0)][0];
    await spoil(Buffer.from(snapshotAt(1)), (buffer) => journals.replace("k", null, buffer, 1));
    await spoil(Buffer.from(record(2)), (buffer) => journals.append("k", 1, [buffer]));
    await spoil(Buffer.from([1, 2]), (buffer) => journals.setItemRaw("item", buffer));
    const there = await journals.read("k");
    assert.deepEqual([text(there.snapshot), positionsOf(there.records), [...(await journals.getItemRaw("item"))]], ["snapshot 1", [2], [1, 2]]);
  }
});

describe("segments lost in a power failure", () => {
  const lost = {
    empty: () => new Uint8Array(0),
    zeros: (bytes) => new Uint8Array(bytes.length),
    "cut off": (bytes) => bytes.slice(0, -1),
    "cut off in the middle": (bytes) => bytes.slice(0, bytes.length >> 1),
  };
  for (const [how, damage] of Object.entries(lost))
    for (const count of [1, 2])
      test(`the last ${count}, ${how}: everything before them is there, and the next save continues after that`, async () => {
        const store = memoryStore();
        await saved(store, 4);
        const names = (await store.getKeys("k:s:")).sort((a, b) => parseInt(a.slice(4), 36) - parseInt(b.slice(4), 36));
        for (const name of names.slice(-count)) await store.setItemRaw(name, damage(await store.getItemRaw(name)));
        const view = segmented(store);
        const there = await view.read("k");
        assert.deepEqual([there.position, positionsOf(there.records).length], [START + 4 - count, 4 - count]);
        assert.match(there.notice, /last records of this session were cut off/);
        await assert.rejects(segmented(store).append("k", START + 4 - count - 1, [record(1)]), failsWith("STORE_CONFLICT"));
        await view.append("k", START + 4 - count, recordsBehind(START + 4 - count, 2));
        const again = await segmented(store).read("k");
        assert.equal(again.notice, undefined);
        assert.equal(await standsAt(store), START + 4 - count + 2);
      });

  test("in the middle of a segment of several records", async () => {
    const store = memoryStore();
    const journals = await saved(store, 2);
    await journals.append("k", START + 2, recordsBehind(START + 2, 5));
    const name = (await store.getKeys("k:s:")).sort().at(-1);
    const bytes = await store.getItemRaw(name);
    await store.setItemRaw(name, bytes.slice(0, -3));
    const view = segmented(store);
    const { position } = await view.read("k");
    assert.equal(position, START + 6);
    await view.append("k", position, [record(position + 1)]);
    assert.equal(await standsAt(store), START + 7);
    await view.replace("k", START + 7, snapshotAt(START + 7), START + 7);
    assert.equal((await store.getKeys("k:")).length, 2, "nothing is left over");
  });

  test("damage before whole records is not cut off, and not merged into other records", async () => {
    const store = memoryStore();
    await saved(store, 8);
    const names = (await store.getKeys("k:s:")).sort();
    const damaged = new Uint8Array(40);
    await store.setItemRaw(names[3], damaged);
    const view = segmented(store);
    const there = await view.read("k");
    assert.deepEqual([there.position, there.notice], [START + 8, undefined]);
    assert.throws(() => positionsOf(there.records), "the reader finds it");
    await view.append("k", START + 8, [record(START + 9)]);
    assert.deepEqual([...(await store.getItemRaw(names[3]))], [...damaged]);
  });

  test("if the end is lost and an earlier record is damaged too, the whole records of the end stay", async () => {
    const store = memoryStore();
    const journals = await saved(store, 8);
    await journals.append("k", START + 8, recordsBehind(START + 8, 4)); // merges
    for (const position of range(START + 12, 8)) await journals.append("k", position, position === START + 19 ? recordsBehind(position, 3) : [record(position + 1)]);
    const names = (await store.getKeys("k:s:")).sort((a, b) => parseInt(a.slice(4), 36) - parseInt(b.slice(4), 36));
    const damaged = await store.getItemRaw(names.at(-3));
    damaged[5] ^= 1;
    await store.setItemRaw(names.at(-3), damaged);
    const last = await store.getItemRaw(names.at(-1));
    await store.setItemRaw(names.at(-1), last.slice(0, -1));
    const view = segmented(store);
    const { position } = await view.read("k");
    await view.append("k", position, [record(position + 1)]);
    const { records } = await segmented(store).read("k");
    const tail = [...recordsBehind(START + 19, 2), record(START + 22)].flatMap((bytes) => [...bytes]);
    assert.deepEqual([position, [...records.slice(-tail.length)]], [START + 21, tail]);
  });

  test("a missing snapshot or segment is damage", async () => {
    for (const what of ["v", "s"]) {
      const store = memoryStore();
      await saved(store, 3);
      const [name] = await store.getKeys(`k:${what}:`);
      await store.removeItem(name);
      await assert.rejects(segmented(store).read("k"), failsWith("STORE_FAILED", /refers to data that is missing/));
    }
  });
});

describe("answers that got lost", () => {
  const broken = new Error("connection reset");

  test("a swap that failed but was made counts as a save, even if another process continued from it", async () => {
    for (const goesOn of [0, 1, 20]) {
      const store = memoryStore();
      await saved(store, 3);
      let fails = true;
      const flaky = segmented({
        ...store,
        async compareAndSet(key, ...rest) {
          const done = await store.compareAndSet(key, ...rest);
          if (key !== "k:head" || !fails) return done;
          fails = false;
          const other = segmented(store);
          for (const position of range(START + 4, goesOn)) await other.append("k", position, [record(position + 1)]);
          throw broken;
        },
      });
      await flaky.append("k", START + 3, [record(START + 4)]);
      await flaky.append("k", START + 4 + goesOn, [record(START + 5 + goesOn)]);
      assert.equal(await standsAt(store), START + 5 + goesOn);
    }
  });

  test("a swap that a client made twice counts as one save", async () => {
    const store = memoryStore();
    await saved(store, 3);
    const twice = segmented({ ...store, compareAndSet: async (...args) => (await store.compareAndSet(...args)) && store.compareAndSet(...args) });
    await twice.append("k", START + 3, [record(START + 4)]);
    assert.equal(await standsAt(store), START + 4);
  });

  test("a swap that was not made fails with the store's error, and may still be made; its segment is removed with the next save", async () => {
    const store = memoryStore();
    await saved(store, 3);
    let late;
    let fails = true;
    const flaky = segmented({
      ...store,
      async compareAndSet(...args) {
        if (!fails) return store.compareAndSet(...args);
        late = () => store.compareAndSet(...args);
        throw broken;
      },
    });
    await assert.rejects(flaky.append("k", START + 3, [record(START + 4)]), (error) => error === broken);
    assert.equal(await standsAt(store), START + 3);
    for (const arrives of [true, false]) {
      if (arrives) {
        assert.equal(await late(), true);
        assert.equal(await standsAt(store), START + 4, "it came late, and whole");
        continue;
      }
      await assert.rejects(flaky.append("k", START + 4, [record(START + 5)]), (error) => error === broken);
      fails = false;
      await flaky.append("k", START + 4, [record(START + 5)]);
      assert.equal(await late(), false);
      assert.equal(await standsAt(store), START + 5);
      assert.equal((await store.getKeys("k:")).length, 2 + 5, "nothing is left over");
    }
  });

  test("a segment or snapshot that was not completely written is removed now, or with the next save", async () => {
    for (const removes of [true, false])
      for (const save of ["append", "replace"]) {
        const store = memoryStore();
        await saved(store, 3);
        let fails = true;
        const full = segmented({
          ...store,
          async setItemRaw(key, bytes) {
            if (!fails) return store.setItemRaw(key, bytes);
            await store.setItemRaw(key, bytes.slice(0, 5));
            throw broken;
          },
          async removeItem(key) {
            if (fails && !removes) throw broken;
            return store.removeItem(key);
          },
        });
        await assert.rejects(save === "append" ? full.append("k", START + 3, [record(START + 4)]) : full.replace("k", START + 3, snapshotAt(START + 4), START + 4), (error) => error === broken);
        assert.equal(await standsAt(store), START + 3);
        if (removes) assert.equal((await store.getKeys("k:")).length, 2 + 3);
        fails = false;
        await full.append("k", START + 3, [record(START + 4)]);
        assert.equal((await store.getKeys("k:")).length, 2 + 4);
        assert.equal(await standsAt(store), START + 4);
      }
  });

  test("without compareAndSet, a save counts as made if another process continued from it at once", async () => {
    const store = textsOnly();
    await saved(store, 3);
    for (const [n, saves] of [1, 12].entries()) {
      const at = await standsAt(store);
      let goesOn = true;
      const first = segmented({
        ...store,
        async setItem(key, value) {
          await store.setItem(key, value);
          if (key !== "k:head" || !goesOn) return;
          goesOn = false;
          const other = segmented(store);
          for (const position of range(at + 1, saves)) await other.append("k", position, [record(position + 1)]);
          if (n) await other.replace("k", at + 1 + saves, snapshotAt(at + 1 + saves), at + 1 + saves);
        },
      });
      await first.append("k", at, [record(at + 1)]);
      assert.equal(await standsAt(store), at + 1 + saves);
      await assert.rejects(first.append("k", at + 1, [record(at + 2)]), failsWith("STORE_CONFLICT"));
    }
  });

  test("without compareAndSet, a head that is written late over a later one does not make the session unreadable", async () => {
    for (const isLive of [false, true]) {
      const store = textsOnly();
      const writer = await saved(store, 3);
      const old = await store.getItem("k:head");
      for (const position of range(START + 3, 9)) await writer.append("k", position, [record(position + 1)]); // merges the segments that `old` names
      await store.setItem("k:head", old);
      const journals = isLive ? writer : segmented(store);
      const there = await journals.read("k", isLive ? START + 12 : undefined);
      assert.equal(there.position, START + 12);
      assert.match(there.notice, /outdated head/);
      await journals.append("k", START + 12, [record(START + 13)]);
      assert.equal(await standsAt(store), START + 13);
      assert.equal((await segmented(store).read("k")).notice, undefined);
    }
  });

  test("without compareAndSet, nothing is appended to a head whose items are gone", async () => {
    const store = { ...textsOnly(), getKeys: undefined };
    const writer = await saved(store, 1);
    const old = await store.getItem("k:head");
    await writer.replace("k", START + 1, snapshotAt(START + 2), START + 2);
    await store.setItem("k:head", old);
    await assert.rejects(writer.append("k", START + 2, [record(START + 3)]), failsWith("STORE_CONFLICT"));
    await assert.rejects(writer.read("k", START + 2), failsWith("STORE_FAILED", /refers to data that is missing/));
  });

  test("without compareAndSet, a process whose save was overwritten gets a conflict", async () => {
    const store = textsOnly();
    await saved(store, 3);
    const first = segmented({
      ...store,
      async setItem(key, value) {
        await store.setItem(key, value);
        if (key !== "k:head") return;
        const head = value;
        await store.setItem("k:head", before);
        await segmented(store).append("k", START + 3, [record(START + 4, 700)]);
        assert.notEqual(await store.getItem("k:head"), head);
      },
    });
    const before = await store.getItem("k:head");
    await assert.rejects(first.append("k", START + 3, [record(START + 4)]), failsWith("STORE_CONFLICT"));
    assert.equal(await standsAt(store), START + 4);
    assert.equal((await store.getKeys("k:")).length, 2 + 4, "the loser's segment is gone");
  });
});

describe("a process that dies", () => {
  /** The operations, in turn. Some of them merge, some replace. */
  const script = [
    ...range(0, 10).map((i) => (journals) => journals.append("k", START + i, [record(START + i + 1)])),
    (journals) => journals.append("k", START + 10, recordsBehind(START + 10, 3)),
    (journals) => journals.replace("k", START + 13, snapshotAt(START + 14), START + 14),
    (journals) => journals.append("k", START + 14, [record(START + 15)]),
  ];
  const positions = [...range(START, 11), START + 13, START + 14, START + 15];

  /** A store whose process dies in its call number `last`, which is done, not done, or half done. */
  function mortal(store, last, how) {
    let calls = 0;
    const forever = () => new Promise(() => {});
    const dead = Promise.withResolvers ? Promise.withResolvers() : (() => { const out = {}; out.promise = new Promise((resolve) => (out.resolve = resolve)); return out; })();
    const methods = Object.entries(store).map(([method, work]) => [
      method,
      async (...args) => {
        calls += 1;
        if (calls > last) return forever();
        if (calls < last) return work(...args);
        if (how === "done") await work(...args);
        if (how === "half" && method.startsWith("set")) await work(args[0], args[1].slice(0, args[1].length >> 1));
        if (how === "emptied" && method.startsWith("set")) await work(args[0], args[1].slice(0, 0));
        dead.resolve("dead");
        return forever();
      },
    ]);
    return { store: Object.fromEntries(methods), dead: dead.promise };
  }

  for (const [name, open, hows] of [
    ["a store that swaps at once", memoryStore, ["done", "not", "half"]],
    ["a store that empties what it writes", textsOnly, ["done", "not", "half", "emptied"]],
  ])
    test(`in any call of a save, in ${name}, leaves the state before or after it, and the session goes on`, async () => {
      let deaths = 0;
      for (const how of hows)
        for (let last = 1; ; last++) {
          const store = open();
          const process = mortal(store, last, how);
          let done = -1;
          const run = (async () => {
            const journals = segmented(process.store);
            await journals.replace("k", null, snapshotAt(START), START);
            done = 0;
            for (const save of script) {
              await save(journals);
              done += 1;
            }
            return "alive";
          })();
          if ((await Promise.race([run, process.dead])) === "alive") break;
          deaths += 1;
          const why = `${how} in call ${last}, behind ${done} saves`;
          const view = segmented(store);
          const there = await view.read("k").catch((error) => (done === -1 ? null : assert.fail(`${why}: ${error.message}`)));
          if (there === null) {
            assert.equal(done, -1, why);
            continue;
          }
          assert.ok([positions[done], positions[done + 1]].includes(there.position), `${why}: at ${there.position - START}`);
          assert.equal(text(there.snapshot), `snapshot ${there.snapshotPosition}`, why);
          assert.deepEqual(positionsOf(there.records), range(there.snapshotPosition + 1, there.position - there.snapshotPosition), why);
          await view.append("k", there.position, [record(there.position + 1)]);
          assert.equal(await standsAt(store), there.position + 1, why);
          assert.equal((await segmented(store).read("k")).notice, undefined, why);
        }
      assert.ok(deaths > 100, `${deaths}`);
    });
});

test("three operating system processes that save at once lose nothing and duplicate nothing", async (t) => {
  const folder = temporaryFolder(t);
  const store = sharedFolder(folder);
  await segmented(store).replace("shared", null, snapshotAt(START), START);
  const names = ["ada", "bob", "cyd"];
  const count = 40;
  const wrote = await Promise.all(names.map(async (name) => JSON.parse((await run(process.execPath, [WRITER, folder, name, String(count)])).stdout)));
  t.diagnostic(JSON.stringify(wrote));
  assert.ok(wrote.reduce((sum, { conflicts }) => sum + conflicts, 0) > 0, "they met");
  const { position, snapshotPosition, records } = await segmented(store).read("shared");
  assert.equal(position, START + names.length * count);
  assert.deepEqual(positionsOf(records), range(snapshotPosition + 1, position - snapshotPosition));
  const left = (await store.getKeys("shared")).filter((key) => key.includes(":v:"));
  assert.equal(left.length, 1, `${left}`);
});

describe("readers", () => {
  test("a reader that misses segments merged or replaced meanwhile reads the head again", async () => {
    for (const replaces of [false, true]) {
      const store = memoryStore();
      const writer = await saved(store, 8);
      let saving;
      const save = () => (replaces ? writer.replace("k", START + 8, snapshotAt(START + 9), START + 9) : writer.append("k", START + 8, [record(START + 9)]));
      const slow = segmented({ ...store, getItemRaw: async (key) => (await (saving ??= save()), store.getItemRaw(key)) });
      assert.equal((await slow.read("k")).position, START + 9);
    }
  });

  test("a store that still shows removed items for a while is asked again", async () => {
    const store = memoryStore();
    await saved(store, 3);
    let late = 2;
    const lagging = segmented({ ...store, getItemRaw: async (key) => (key.includes(":s:") && late-- > 0 ? null : store.getItemRaw(key)) });
    assert.equal((await lagging.read("k")).position, START + 3);
  });
});

describe("writers", () => {
  test("a writer that knows an old head reads the new one, even if another writer merged its segments", async () => {
    const store = memoryStore();
    const writer = segmented(store, { cacheBytes: 0 });
    await writer.replace("k", null, snapshotAt(START), START);
    for (const position of range(START, 8)) await writer.append("k", position, [record(position + 1)]);
    await segmented(store).replace("k", START + 8, snapshotAt(START + 8), START + 8);
    await writer.append("k", START + 8, [record(START + 9)]);
    assert.equal(await standsAt(store), START + 9);
  });

  test("a writer that would merge missing segments fails, and nothing is written", async () => {
    const store = memoryStore();
    const writer = await saved(store, 8);
    const [name] = await store.getKeys("k:s:");
    await store.removeItem(name);
    const before = (await store.getKeys()).sort();
    await assert.rejects(segmented(store).append("k", START + 8, [record(START + 9)]), failsWith("STORE_FAILED", /refers to data that is missing/));
    assert.deepEqual((await store.getKeys()).sort(), before);
    await writer.append("k", START + 8, [record(START + 9)]);
    assert.equal(await standsAt(store), START + 9, "who wrote it has it still");
  });

  test("leftovers of an interrupted removal are removed with the next one, but not what another process just started", async () => {
    const store = memoryStore();
    await saved(store, 3);
    await store.removeItem("k:head");
    let begun;
    const slow = segmented({ ...store, compareAndSet: async (...args) => (begun?.(), await pause(30), store.compareAndSet(...args)) });
    const isBeginning = new Promise((resolve) => (begun = resolve));
    const beginning = slow.replace("k", null, snapshotAt(9), 9);
    await isBeginning;
    await segmented(store).remove("k");
    await beginning;
    assert.equal(await standsAt(store), 9);
    assert.deepEqual((await store.getKeys("k:")).length, 2, "the old one's items are gone");
  });
});

describe("items", () => {
  test("an item with a name like a journal's is not part of the journal", async () => {
    const store = memoryStore();
    const journals = await saved(store, 3);
    for (const name of ["k:head", "k:item", "k:head:item", "k:stored", ...(await store.getKeys("k:v:")), ...(await store.getKeys("k:s:"))]) {
      await journals.setItem(name, name);
      assert.equal(await journals.getItem(name), name);
      assert.deepEqual(await journals.getKeys(name).then((keys) => keys.includes(name)), true, name);
    }
    assert.deepEqual(await journals.list(), ["k"]);
    assert.equal(await standsAt(store), START + 3);
  });

  test("an item stored before there were times counts its age from the first time it is seen", async () => {
    const store = memoryStore();
    const name = `contextfold:output:${"0".repeat(64)}`;
    await store.setItemRaw(name, Uint8Array.of(1));
    const journals = segmented(store);
    assert.equal(await journals.removeOlder(name, 0), false);
    await pause(5);
    assert.equal(await journals.removeOlder(name, 1_000), false);
    assert.equal(await journals.removeOlder(name, 1), true);
    assert.deepEqual(await store.getKeys(), []);
  });

  test("an item stored again while it is being removed is there afterwards", async () => {
    for (let turns = 0; turns < 12; turns++) {
      const inner = memoryStore();
      const name = "contextfold:output:x";
      await segmented(inner).setItemRaw(name, Uint8Array.of(1));
      await pause(3);
      const slow = Object.fromEntries(Object.entries(inner).map(([method, work]) => [method, async (...args) => (await pause(method === "removeItem" ? 10 : 1), work(...args))]));
      const removing = segmented(slow).removeOlder(name, 1);
      await pause(turns / 2);
      await segmented(slow).setItemRaw(name, Uint8Array.of(2));
      await removing;
      assert.deepEqual([...(await segmented(inner).getItemRaw(name))], [2]);
    }
  });
});

describe("what a save costs", () => {
  /** A store that counts its calls. */
  function counting(store, counts = {}) {
    const add = (name, n) => (counts[name] = (counts[name] ?? 0) + n);
    const methods = Object.entries(store).map(([method, work]) => [
      method,
      async (...args) => {
        add("calls", 1);
        add(method, 1);
        if (method === "setItemRaw") add("written", args[1].length);
        if (method === "setItem" || method === "compareAndSet") add("heads", args.at(method === "setItem" ? 1 : 2).length);
        return work(...args);
      },
    ]);
    return [Object.fromEntries(methods), counts];
  }

  test("a thousand saves of 1.2 kB: four times the new bytes, three calls, no read; a load takes a few gets", async () => {
    const [store, counts] = counting(memoryStore());
    await saved(store, 1_000, "k", 1_179);
    const each = (name) => (counts[name] ?? 0) / 1_000;
    assert.ok(each("written") < 4_200, `${each("written")} bytes a save`);
    assert.ok(each("heads") < 200, `${each("heads")} bytes of heads a save`);
    assert.ok(each("calls") < 3.1, `${each("calls")} calls a save`);
    assert.deepEqual([counts.getItemRaw ?? 0, counts.getItem ?? 0], [0, 1], "what is merged is remembered");
    for (const name of Object.keys(counts)) delete counts[name];
    assert.equal(await standsAt(store), START + 1_000);
    assert.ok(counts.calls <= 34, `${counts.calls} calls for a load`);
    const items = await store.getKeys("k:");
    assert.ok(items.length <= 34, `${items.length} items`);
  });

  test("there are never more than eight segments of each level", async () => {
    const store = memoryStore();
    const journals = await saved(store, 0, "k");
    let most = 0;
    let position = START;
    let seed = 7;
    for (let saves = 0; saves < 3_000; saves++) {
      seed = (seed * 48_271) % 2_147_483_647;
      const count = seed % 10 === 0 ? 1 + (seed % 60) : 1;
      await journals.append("k", position, recordsBehind(position, count));
      position += count;
      const head = await store.getItem("k:head");
      const levels = head.split(" ").slice(3, -1).map((word) => Math.floor(Math.log2(parseInt(word, 36)) / 3));
      most = Math.max(most, levels.length);
      for (const level of new Set(levels)) assert.ok(levels.filter((each) => each === level).length <= 8, head);
      assert.deepEqual(levels, [...levels].sort((a, b) => b - a), "the large ones first");
    }
    assert.ok(most <= 40, `${most}`);
    assert.equal(await standsAt(store), position);
  });
});

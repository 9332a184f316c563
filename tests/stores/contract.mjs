// What every journal store must do: one list of tests for all of them.
//
//   import { contract } from "./contract.mjs";
//   contract("files", async () => fileStore(folder));
//
// Each call of `open` returns another view on the same data, as another process would have it. The tests use their own keys, so that the
// data may be anything at the start; the caller removes what they leave. They close each view that has a `close`.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { frame, positionAt, wholeAt } from "../../pkg/stores/frames.js";

const run = Math.random().toString(36).slice(2, 8);
let taken = 0;

/** A key that no other test uses. */
export const newKey = (name = "chat") => `${name}-${run}-${++taken}`;

/** A record whose body says its position. */
export const record = (position, size = 0) => frame(position, new TextEncoder().encode(`record ${position} `.padEnd(size, "x")));

/** A snapshot that says its position. */
export const snapshotAt = (position) => new TextEncoder().encode(`snapshot ${position}`);

/** `count` records after a position. */
export const recordsBehind = (position, count, size) => Array.from({ length: count }, (_, i) => record(position + 1 + i, size));

/** The positions of consecutive frames; fails if one is not whole. */
export function positionsOf(records) {
  const positions = [];
  for (let at = 0; at < records.length; ) {
    const length = wholeAt(records, at);
    assert.ok(length > 0, `no whole frame at byte ${at} of ${records.length}`);
    positions.push(positionAt(records, at));
    at += length;
  }
  return positions;
}

const range = (from, count) => Array.from({ length: count }, (_, i) => from + i);
const bytes = (...arrays) => Uint8Array.from(arrays.flatMap((array) => [...array]));

/** A journal as one object that `deepEqual` can compare. */
function shown(journal) {
  if (journal === null) return null;
  assert.ok(journal.records instanceof Uint8Array, "records are bytes, also where there are none");
  assert.ok(journal.snapshot === null || journal.snapshot instanceof Uint8Array, "a snapshot is bytes or null");
  const { position, snapshotPosition } = journal;
  return { position, snapshotPosition, snapshot: snapshot(journal), records: positionsOf(journal.records) };
}

const snapshot = (journal) => (journal.snapshot === null ? null : new TextDecoder().decode(journal.snapshot));

/** What `shown` returns for a journal with a snapshot at `snapshotAt`. */
const journal = (snapshotPosition, records, snapshot = `snapshot ${snapshotPosition}`) => ({
  position: records.at(-1) ?? snapshotPosition,
  snapshotPosition,
  snapshot,
  records,
});

const conflicts = (promise) => assert.rejects(promise, (error) => error.code === "STORE_CONFLICT" || assert.fail(`not STORE_CONFLICT, but ${error.stack}`));

/** How many of them succeeded; the others must have got a conflict. */
async function winners(promises) {
  const settled = await Promise.allSettled(promises);
  for (const { reason } of settled) if (reason) assert.equal(reason.code, "STORE_CONFLICT", reason.stack);
  return settled.filter(({ status }) => status === "fulfilled").length;
}

/** Journals may start at any position. */
const START = 7_130_211_004_823;

const ODD_KEYS = [
  ..."a|A|\u00e9|\u00c9|e\u0301|ß|ss|SS|.|..|...|../up|/|//|/a|a/|a/b|a:b|a\\b|a%b|a%2Fb|a%252Fb|a_b|%|%%|*|a*|[a]|_|~|~a| |a |a.|-|CON|nul.txt|com1|aux|lock|index|__proto__|constructor".split("|"),
  ..."😀|👩‍👩‍👧|日本語|'; DROP TABLE journals; --|\"quoted\"|<b>|a&b|$1|{a}|{{a}}|#a|@|a=b|a,b|a+b|a|null|undefined|0|chat:lease|chat:head|?|a?|a?b".split("|"),
  ...["x".repeat(200), "X".repeat(200), "/".repeat(200), "é".repeat(100), "😀".repeat(50), `${"y".repeat(199)}a`, `${"y".repeat(199)}b`, `?${"z".repeat(199)}?`],
];

/**
 * Runs the contract's tests.
 *
 * @param open Returns a fresh view on the same data each time it is called.
 * @param options `bigBytes`: the size of the big snapshot; `racers`: how many race each other; `many`: records of the long journal;
 * `skip`: a reason not to run any.
 */
export function contract(name, open, { bigBytes = 20_000_000, racers = 50, many = 2000, skip = false } = {}) {
  describe(`${name}: the contract of journal stores`, { skip }, () => {
    let store, other;
    before(async () => {
      store = await open();
      other = await open();
    });
    after(async () => {
      await store?.close?.();
      await other?.close?.();
    });

    /** Writes a journal with `count` records and returns its key. */
    async function started(count = 0, position = START) {
      const key = newKey();
      await store.replace(key, null, snapshotAt(position), position);
      if (count > 0) await store.append(key, position, recordsBehind(position, count));
      return key;
    }

    describe("journals", () => {
      test("an absent journal is not found, and cannot be appended to or replaced", async () => {
        const key = newKey();
        assert.equal(await store.read(key), null);
        assert.equal(await store.read(key, START), null);
        await conflicts(store.append(key, START, recordsBehind(START, 1)));
        await conflicts(store.append(key, 0, [record(1)]));
        await conflicts(store.replace(key, START, snapshotAt(START), START));
        await conflicts(store.replace(key, 0, snapshotAt(0), 0));
        await store.remove(key);
        assert.equal(await store.read(key), null);
        assert.deepEqual(await store.list(key), []);
      });

      test("a snapshot is visible to everybody", async () => {
        const key = await started();
        for (const view of [store, other, await open()]) assert.deepEqual(shown(await view.read(key)), journal(START, []));
      });

      test("records are consecutive, whoever appends them", async () => {
        const key = await started();
        await store.append(key, START, [record(START + 1)]);
        await other.append(key, START + 1, recordsBehind(START + 1, 3));
        await other.append(key, START + 4, [record(START + 5)]);
        await store.append(key, START + 5, [record(START + 6)]);
        for (const view of [store, other, await open()]) assert.deepEqual(shown(await view.read(key)), journal(START, range(START + 1, 6)));
      });

      test("records come back byte for byte", async () => {
        const key = newKey();
        const content = crypto.getRandomValues(new Uint8Array(5000));
        const records = [frame(4, content), frame(5, new Uint8Array(0)), frame(6, new Uint8Array(300)), frame(7, new Uint8Array(300).fill(255))];
        await store.replace(key, null, content, 3);
        await store.append(key, 3, records);
        const there = await other.read(key);
        assert.deepEqual(bytes(there.snapshot), bytes(content));
        assert.deepEqual(bytes(there.records), bytes(...records));
      });

      test("an empty snapshot is a snapshot", async () => {
        const key = newKey();
        await store.replace(key, null, new Uint8Array(0), START);
        assert.deepEqual(shown(await other.read(key)), journal(START, [], ""));
        await other.append(key, START, [record(START + 1)]);
        assert.deepEqual(shown(await store.read(key)), journal(START, [START + 1], ""));
      });

      test("a reader with a position gets the records after it", async () => {
        const key = await started(5);
        for (const view of [store, other, await open()]) {
          assert.deepEqual(shown(await view.read(key, START - 1)), journal(START, range(START + 1, 5)));
          assert.deepEqual(shown(await view.read(key, 0)), journal(START, range(START + 1, 5)));
          assert.deepEqual(shown(await view.read(key, START)), journal(START, range(START + 1, 5), null));
          assert.deepEqual(shown(await view.read(key, START + 2)), journal(START, range(START + 3, 3), null));
          assert.deepEqual(shown(await view.read(key, START + 4)), journal(START, [START + 5], null));
          assert.deepEqual(shown(await view.read(key, START + 5)), { ...journal(START, [], null), position: START + 5 });
          assert.deepEqual(shown(await view.read(key, START + 9)), { ...journal(START, [], null), position: START + 5 });
        }
        await store.append(key, START + 5, recordsBehind(START + 5, 2));
        assert.deepEqual(shown(await other.read(key, START + 5)), journal(START, range(START + 6, 2), null));
      });

      test("positions may start and end anywhere below 2^53", async () => {
        for (const start of [0, 1, 2 ** 31 - 2, 2 ** 32 - 2, 2 ** 53 - 10]) {
          const key = await started(4, start);
          await other.append(key, start + 4, recordsBehind(start + 4, 2));
          assert.deepEqual(shown(await other.read(key)), journal(start, range(start + 1, 6)));
          assert.deepEqual(shown(await store.read(key, start + 5)), journal(start, [start + 6], null));
          await store.remove(key);
        }
      });

      test("a writer that expects another position gets a conflict, and nothing is written", async () => {
        const key = await started(3);
        const before = shown(await other.read(key));
        for (const expected of [START + 2, START + 4, START, START - 1, 0, 2 ** 40])
          for (const view of [store, other]) {
            await conflicts(view.append(key, expected, recordsBehind(expected, 2)));
            await conflicts(view.replace(key, expected, snapshotAt(expected + 1), expected + 1));
          }
        for (const view of [store, other]) await conflicts(view.replace(key, null, snapshotAt(1), 1));
        assert.deepEqual(shown(await other.read(key)), before);
        await store.append(key, START + 3, [record(START + 4)]);
      });

      test("a view that fell behind gets a conflict, and continues once it is up to date", async () => {
        const key = await started(1);
        await other.append(key, START + 1, recordsBehind(START + 1, 2));
        await conflicts(store.append(key, START + 1, [record(START + 2)]));
        await store.append(key, START + 3, [record(START + 4)]);
        await conflicts(other.append(key, START + 3, [record(START + 4)]));
        assert.deepEqual(shown(await other.read(key)), journal(START, range(START + 1, 4)));
      });

      test("a snapshot at the same position replaces snapshot and records", async () => {
        const key = await started(3);
        await other.replace(key, START + 3, snapshotAt(START + 3), START + 3);
        for (const view of [store, other, await open()]) {
          assert.deepEqual(shown(await view.read(key)), journal(START + 3, []));
          assert.deepEqual(shown(await view.read(key, START + 1)), journal(START + 3, []));
          assert.deepEqual(shown(await view.read(key, START + 3)), journal(START + 3, [], null));
        }
        await store.append(key, START + 3, [record(START + 4)]);
        assert.deepEqual(shown(await other.read(key, START)), journal(START + 3, [START + 4]));
        assert.deepEqual(shown(await other.read(key, START + 3)), journal(START + 3, [START + 4], null));
      });

      test("a snapshot of an earlier position, as from a backup, does too", async () => {
        const key = await started(3);
        await other.replace(key, START + 3, snapshotAt(START + 1), START + 1);
        for (const view of [store, other, await open()]) assert.deepEqual(shown(await view.read(key)), journal(START + 1, []));
        await conflicts(store.append(key, START + 3, [record(START + 4)]));
        await store.append(key, START + 1, [record(START + 2)]);
        for (const view of [store, other, await open()]) assert.deepEqual(shown(await view.read(key)), journal(START + 1, [START + 2]));
      });

      test("a snapshot of a later position does too", async () => {
        const key = await started(3);
        await other.replace(key, START + 3, snapshotAt(START + 20), START + 20);
        assert.deepEqual(shown(await store.read(key, START + 3)), journal(START + 20, []));
        await conflicts(store.append(key, START + 3, [record(START + 4)]));
        await store.append(key, START + 20, [record(START + 21)]);
        await other.replace(key, START + 21, snapshotAt(START + 22), START + 22);
        await store.replace(key, START + 22, snapshotAt(START + 22), START + 22);
        await store.replace(key, START + 22, new TextEncoder().encode("again"), START + 22);
        assert.deepEqual(shown(await other.read(key)), journal(START + 22, [], "again"));
      });

      test("a removed journal is gone, with its lease and nothing else", async () => {
        const key = await started(3);
        const beside = [`${key}0`, `${key}:lease`, `${key}/x`, key.toUpperCase()];
        for (const name of beside) await store.replace(name, null, snapshotAt(1), 1);
        await store.setItem(key, "an item");
        await store.setItem(`${key}:lease`, "a lease");
        await other.remove(key);
        for (const view of [store, other]) {
          assert.equal(await view.read(key), null);
          assert.equal(await view.getItem(`${key}:lease`), null);
          assert.equal(await view.getItem(key), "an item");
          await conflicts(view.append(key, START + 3, [record(START + 4)]));
          await conflicts(view.replace(key, START + 3, snapshotAt(START + 3), START + 3));
        }
        for (const name of beside) assert.deepEqual(shown(await store.read(name)), journal(1, []));
        await other.remove(key);
      });

      test("a process that still holds a removed journal does not write into the new one under its key", async () => {
        const key = await started(3);
        await other.remove(key);
        await other.replace(key, null, snapshotAt(500), 500);
        await other.append(key, 500, recordsBehind(500, 3));
        await conflicts(store.append(key, START + 3, [record(START + 4)]));
        await conflicts(store.replace(key, START + 3, snapshotAt(START + 4), START + 4));
        assert.deepEqual(shown(await store.read(key)), journal(500, range(501, 3)));
        await store.append(key, 503, [record(504)]);
      });

      test("a removed journal that is created again at the same position has the new content", async () => {
        const key = await started(3);
        assert.equal((await other.read(key)).position, START + 3);
        await store.remove(key);
        await store.replace(key, null, new TextEncoder().encode("new"), START);
        await store.append(key, START, [frame(START + 1, new Uint8Array(70)), ...recordsBehind(START + 1, 2)]);
        assert.deepEqual(shown(await other.read(key)), journal(START, range(START + 1, 3), "new"));
        await other.append(key, START + 3, [record(START + 4)]);
        assert.deepEqual(shown(await store.read(key, START + 2)), journal(START, range(START + 3, 2), null));
      });
    });

    describe("many at once", () => {
      test(`of ${racers} that append at one position, one succeeds`, async () => {
        const key = await started();
        for (let position = START; position < START + 3; position++) {
          const racing = range(0, racers).map((racer) => (racer % 2 ? store : other).append(key, position, [frame(position + 1, new Uint8Array(racer))]));
          assert.equal(await winners(racing), 1);
          assert.equal((await store.read(key)).position, position + 1);
        }
        assert.deepEqual(shown(await other.read(key)), journal(START, range(START + 1, 3)));
      });

      test("after a conflict and a retry nothing is lost", async () => {
        const key = await started();
        const writers = range(0, 8).map(async (writer) => {
          const view = writer % 2 ? store : other;
          for (let written = 0; written < 5; ) {
            const { position } = await view.read(key);
            try {
              await view.append(key, position, [frame(position + 1, Uint8Array.of(writer, written))]);
              written += 1;
            } catch (error) {
              assert.equal(error.code, "STORE_CONFLICT", error.stack);
            }
          }
        });
        await Promise.all(writers);
        const there = await store.read(key);
        assert.deepEqual(shown(there).records, range(START + 1, 40));
        const bodies = range(0, 40).map((i) => `${there.records[i * 23 + 13]}:${there.records[i * 23 + 14]}`);
        assert.equal(new Set(bodies).size, 40);
      });

      test(`of ${racers} that start a journal, one succeeds`, async () => {
        const key = newKey();
        const racing = range(0, racers).map((racer) => (racer % 2 ? store : other).replace(key, null, snapshotAt(racer * 100), racer * 100));
        assert.equal(await winners(racing), 1);
        const there = shown(await store.read(key));
        assert.deepEqual(there, journal(there.position, []));
      });

      test("of those that append and replace at one position, one succeeds", async () => {
        const key = await started(1);
        let position = START + 1;
        for (let round = 0; round < 5; round++) {
          const racing = range(0, 10).map((racer) => {
            const view = racer % 2 ? store : other;
            return racer < 5 ? view.append(key, position, [record(position + 1)]) : view.replace(key, position, snapshotAt(position + 1), position + 1);
          });
          assert.equal(await winners(racing), 1);
          position += 1;
          const there = shown(await other.read(key));
          assert.deepEqual(there, journal(there.snapshotPosition, range(there.snapshotPosition + 1, position - there.snapshotPosition)));
        }
      });

      test("appends that do not wait for each other leave no gap", async () => {
        const key = await started();
        // A store need not keep its calls in order: one that arrives too early gets a conflict.
        const done = await winners(range(0, 10).map((i) => store.append(key, START + i, [record(START + 1 + i)])));
        assert.deepEqual(shown(await other.read(key)), journal(START, range(START + 1, done)));
      });

      test("many journals at once do not interfere", async () => {
        const names = range(0, 20).map(() => newKey("many"));
        await Promise.all(
          names.map(async (key, i) => {
            await store.replace(key, null, snapshotAt(i), i);
            await other.append(key, i, recordsBehind(i, 3));
            await store.append(key, i + 3, [record(i + 4)]);
          }),
        );
        for (const [i, key] of names.entries()) assert.deepEqual(shown(await other.read(key)), journal(i, range(i + 1, 4)));
      });

      test("a reader sees a whole journal at any time", async () => {
        const key = await started();
        let isWriting = true;
        const reader = async (view) => {
          let last = START;
          while (isWriting) {
            const there = shown(await view.read(key));
            assert.deepEqual(there, journal(there.snapshotPosition, range(there.snapshotPosition + 1, there.position - there.snapshotPosition)));
            assert.ok(there.position >= last, "no reader goes back");
            last = there.position;
            const behind = shown(await view.read(key, last));
            if (behind.snapshot === null) assert.deepEqual(behind.records, range(last + 1, behind.position - last));
            await sleep(1);
          }
        };
        const reading = [reader(store), reader(other)];
        try {
          for (let position = START; position < START + 60; position += 3) {
            await store.append(key, position, recordsBehind(position, 3, 3000));
            if (position % 4 === 0) await other.replace(key, position + 3, snapshotAt(position + 3), position + 3);
          }
        } finally {
          isWriting = false;
        }
        await Promise.all(reading);
      });
    });

    describe("keys", () => {
      test("odd keys work like others, and do not collide", async () => {
        const keys = [...new Set(ODD_KEYS)];
        for (const key of keys) await store.remove(key);
        for (const [i, key] of keys.entries()) {
          await store.replace(key, null, new TextEncoder().encode(`${run} ${i}`), i * 10);
          await other.append(key, i * 10, [record(i * 10 + 1)]);
          await store.setItem(key, `${run} item ${i}`);
        }
        for (const [i, key] of keys.entries()) {
          assert.deepEqual(shown(await other.read(key)), journal(i * 10, [i * 10 + 1], `${run} ${i}`), key);
          assert.equal(await other.getItem(key), `${run} item ${i}`, key);
        }
        const listed = new Set(await other.list());
        const items = new Set(await other.getKeys());
        for (const key of keys) {
          assert.ok(listed.has(key), `${key} is listed`);
          assert.ok(items.has(key), `${key} is among the items`);
        }
        for (const [i, key] of keys.entries()) {
          await other.remove(key);
          assert.equal(await store.read(key), null, key);
          await other.removeItem(key);
          assert.equal(await store.getItem(key), null, key);
          const next = keys[i + 1];
          if (next !== undefined) assert.equal(await store.getItem(next), `${run} item ${i + 1}`, next);
        }
        const left = new Set([...(await other.list()), ...(await other.getKeys())]);
        for (const key of keys) assert.ok(!left.has(key), `${key} is gone`);
      });

      test("a list contains the keys with that exact prefix, case included", async () => {
        const base = newKey("list");
        const names = ["", "/a", "/A", "/a_b", "/axb", "/a%b", "/a*b", "/a[b]", "/a\\b", "/é", "/😀"].map((end) => base + end);
        for (const key of names) {
          await store.replace(key, null, snapshotAt(1), 1);
          await store.setItem(key, "x");
        }
        for (const list of ["list", "getKeys"])
          for (const prefix of [...names, `${base}/`, `${base}/a`])
            assert.deepEqual((await other[list](prefix)).sort(), names.filter((key) => key.startsWith(prefix)).sort(), `${list} ${prefix}`);
        const all = await other.list();
        assert.equal(all.length, new Set(all).size);
        for (const key of names) assert.ok(all.includes(key));
      });

      test("journals and items do not collide", async () => {
        const [a, b] = [newKey(), newKey()];
        await store.replace(a, null, snapshotAt(1), 1);
        await store.setItem(b, "text");
        assert.equal(await other.getItem(a), null);
        assert.equal(await other.getItemRaw(a), null);
        assert.equal(await other.read(b), null);
        assert.deepEqual([await other.list(a), await other.list(b)], [[a], []]);
        assert.deepEqual([await other.getKeys(a), await other.getKeys(b)], [[], [b]]);
        await other.removeItem(a);
        await other.remove(b);
        assert.deepEqual(shown(await store.read(a)), journal(1, []));
        assert.equal(await store.getItem(b), "text");
      });
    });

    describe("size", () => {
      test(`a snapshot of ${bigBytes} bytes, and records of a hundredth of that`, async () => {
        const key = newKey("big");
        const big = crypto.getRandomValues(new Uint8Array(65_536));
        const content = new Uint8Array(bigBytes);
        for (let at = 0; at < content.length; at += big.length) content.set(big.subarray(0, Math.min(big.length, content.length - at)), at);
        await store.replace(key, null, content, START);
        const body = content.slice(0, bigBytes / 100);
        for (let i = 0; i < 3; i++) await store.append(key, START + i, [frame(START + 1 + i, body)]);
        const there = await other.read(key);
        assert.equal(Buffer.compare(there.snapshot, content), 0);
        assert.deepEqual(positionsOf(there.records), range(START + 1, 3));
        const tail = await other.read(key, START + 2);
        assert.equal(tail.snapshot, null);
        assert.deepEqual(positionsOf(tail.records), [START + 3]);
        await other.replace(key, START + 3, content.subarray(1), START + 3);
        assert.equal(Buffer.compare((await store.read(key)).snapshot, content.subarray(1)), 0);
        await store.remove(key);
      });

      test(`${many} records`, async () => {
        const key = await started();
        for (let position = START; position < START + many; position += 50) await store.append(key, position, recordsBehind(position, 50, 1200));
        const there = await other.read(key);
        assert.equal(there.position, START + many);
        assert.deepEqual(positionsOf(there.records), range(START + 1, many));
        for (const back of [1, 7, many / 2]) assert.deepEqual(shown(await other.read(key, START + many - back)), journal(START, range(START + many - back + 1, back), null));
        await other.append(key, START + many, [record(START + many + 1)]);
        await store.replace(key, START + many + 1, snapshotAt(5), START + many + 1);
        assert.deepEqual(shown(await other.read(key)), journal(START + many + 1, [], "snapshot 5"));
        await store.remove(key);
      });
    });

    describe("items", () => {
      test("texts", async () => {
        const key = newKey("item");
        assert.equal(await store.getItem(key), null);
        for (const text of ["text", "", "😀 \r\n é", "x".repeat(100_000), "null", "123"]) {
          await store.setItem(key, text);
          assert.equal(await other.getItem(key), text);
        }
        assert.deepEqual(await other.getKeys(key), [key]);
        await other.removeItem(key);
        await other.removeItem(key);
        assert.equal(await store.getItem(key), null);
        assert.deepEqual(await store.getKeys(key), []);
      });

      test("bytes", async () => {
        const key = `contextfold:output:${newKey()}`;
        assert.equal(await store.getItemRaw(key), null);
        for (const content of [Uint8Array.of(0, 1, 0, 255), new Uint8Array(0), crypto.getRandomValues(new Uint8Array(60_000)), new TextEncoder().encode("text")]) {
          await store.setItemRaw(key, content);
          const there = await other.getItemRaw(key);
          assert.ok(there instanceof Uint8Array);
          assert.deepEqual(bytes(there), bytes(content));
        }
        assert.deepEqual(await other.getKeys("contextfold:output:").then((found) => found.filter((name) => name === key)), [key]);
        await other.removeItem(key);
        assert.equal(await store.getItemRaw(key), null);
      });

      test("compareAndSet stores only if it finds the expected text", async () => {
        const key = newKey("lease");
        assert.equal(await store.compareAndSet(key, "a", "b"), false);
        assert.equal(await store.getItem(key), null);
        assert.equal(await store.compareAndSet(key, null, "a", { ttlMs: 60_000 }), true);
        assert.equal(await other.getItem(key), "a");
        assert.equal(await other.compareAndSet(key, null, "b"), false);
        assert.equal(await other.compareAndSet(key, "A", "b"), false);
        assert.equal(await other.compareAndSet(key, "a", "b", {}), true);
        assert.equal(await store.compareAndSet(key, "b", ""), true);
        assert.equal(await store.compareAndSet(key, null, "c"), false);
        assert.equal(await store.compareAndSet(key, "", "c"), true);
        assert.equal(await other.getItem(key), "c");
        await other.removeItem(key);
        assert.equal(await store.compareAndSet(key, "c", "d"), false);
        assert.equal(await store.compareAndSet(key, null, "d"), true);
        await store.setItem(key, "e");
        assert.equal(await other.compareAndSet(key, "e", "f"), true);
      });

      test(`of ${racers} that set one text, one succeeds`, async () => {
        const key = newKey("lease");
        for (const expected of [null, "a", "b"]) {
          if (expected !== null) await store.setItem(key, expected);
          const racing = range(0, racers).map((racer) => (racer % 2 ? store : other).compareAndSet(key, expected, `racer ${racer}`, { ttlMs: 60_000 }));
          const did = await Promise.all(racing);
          assert.equal(did.filter(Boolean).length, 1);
          assert.equal(await other.getItem(key), `racer ${did.indexOf(true)}`);
        }
      });

      test("removeOlder removes older items and nothing else", async () => {
        const [bytesKey, textKey] = [newKey("old"), newKey("old")];
        assert.equal(await store.removeOlder(bytesKey, 0), false);
        await store.setItemRaw(bytesKey, Uint8Array.of(1));
        await store.setItem(textKey, "text");
        assert.equal(await other.removeOlder(bytesKey, 60_000), false);
        assert.equal(await other.removeOlder(textKey, 60_000), false);
        await sleep(1500);
        await store.setItemRaw(bytesKey, Uint8Array.of(1)); // stored again: new again
        assert.equal(await other.removeOlder(bytesKey, 1200), false);
        assert.deepEqual(bytes(await other.getItemRaw(bytesKey)), bytes([1]));
        assert.equal(await other.removeOlder(textKey, 1200), true);
        assert.equal(await store.getItem(textKey), null);
        assert.equal(await other.removeOlder(textKey, 1200), false);
        await sleep(1500);
        const did = await Promise.all(range(0, 6).map((i) => (i % 2 ? store : other).removeOlder(bytesKey, 1000)));
        assert.equal(did.filter(Boolean).length, 1);
        assert.equal(await store.getItemRaw(bytesKey), null);
      });
    });

    describe("buffers", () => {
      test("the caller may overwrite its buffers right after the call", async () => {
        const key = newKey();
        const given = (content) => {
          const around = new Uint8Array(content.length + 40).fill(7); // part of a larger buffer, like the memory of a module
          around.set(content, 20);
          return around.subarray(20, 20 + content.length);
        };
        const [first, records, second, item] = [given(snapshotAt(1)), recordsBehind(1, 2, 50).map(given), given(snapshotAt(3)), given(Uint8Array.of(1, 2, 3))];
        const spoil = (promise, ...spoiled) => {
          for (const array of spoiled) new Uint8Array(array.buffer).fill(99);
          return promise;
        };
        await spoil(store.replace(key, null, first, 1), first);
        const list = [...records];
        const appending = store.append(key, 1, list);
        list.length = 0;
        await spoil(appending, ...records);
        assert.deepEqual(shown(await other.read(key)), journal(1, [2, 3]));
        await spoil(store.replace(key, 3, second, 3), second);
        assert.deepEqual(shown(await other.read(key)), journal(3, []));
        await spoil(store.setItemRaw(key, item), item);
        assert.deepEqual(bytes(await other.getItemRaw(key)), bytes([1, 2, 3]));
      });

      test("and buffers that it got back", async () => {
        const key = await started(2);
        await store.setItemRaw(key, Uint8Array.of(1, 2, 3));
        const there = await store.read(key);
        const item = await store.getItemRaw(key);
        there.snapshot.fill(0);
        there.records.fill(0);
        item.fill(0);
        assert.deepEqual(shown(await store.read(key)), journal(START, range(START + 1, 2)));
        assert.deepEqual(bytes(await store.getItemRaw(key)), bytes([1, 2, 3]));
      });

      test("Node's buffers are accepted as bytes", async () => {
        const key = newKey();
        await store.replace(key, null, Buffer.from("snapshot 1"), 1);
        await store.append(key, 1, recordsBehind(1, 2).map((bytes) => Buffer.from(bytes)));
        await store.setItemRaw(key, Buffer.from([1, 2]));
        assert.deepEqual(shown(await other.read(key)), journal(1, [2, 3]));
        assert.deepEqual(bytes(await other.getItemRaw(key)), bytes([1, 2]));
      });
    });
  });
}

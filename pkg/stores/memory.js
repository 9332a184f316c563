// Stores in memory: for tests, and for sessions that share a process.

import { conflict } from "./conflict.js";
import { positionAt } from "./frames.js";

/** A store that is lost when the process ends. */
export function memoryStore() {
  const items = new Map();
  const copy = (value) => (value instanceof Uint8Array ? value.slice() : (value ?? null));
  return {
    getItem: async (key) => copy(items.get(key)),
    setItem: async (key, value) => void items.set(key, String(value)),
    removeItem: async (key) => void items.delete(key),
    getItemRaw: async (key) => copy(items.get(key)),
    setItemRaw: async (key, bytes) => void items.set(key, bytes.slice()),
    getKeys: async (prefix = "") => [...items.keys()].filter((key) => key.startsWith(prefix)),
    async compareAndSet(key, expected, next) {
      if ((items.get(key) ?? null) !== expected) return false;
      items.set(key, next);
      return true;
    },
  };
}

/** A journal store that is lost when the process ends. */
export function memoryJournals() {
  const journals = new Map();
  const items = new Map();
  const startingWith = (map, prefix) => [...map.keys()].filter((key) => key.startsWith(prefix));
  const put = (key, value) => void items.set(key, { value, since: Date.now() });

  /** The journal, if it is at the expected position. Throws a conflict otherwise. */
  function expected(key, position) {
    const journal = journals.get(key);
    if ((journal?.position ?? null) !== position) throw conflict(key, position, journal?.position ?? null);
    return journal;
  }

  return {
    async read(key, from = -1) {
      const journal = journals.get(key);
      if (!journal) return null;
      const { position, snapshot, snapshotPosition, records } = journal;
      const isKnown = from >= snapshotPosition;
      const behind = isKnown ? records.filter((record) => positionAt(record, 0) > from) : records;
      return { position, snapshot: isKnown ? null : snapshot.slice(), snapshotPosition, records: joined(behind) };
    },
    async append(key, position, records) {
      const journal = expected(key, position);
      if (!journal) throw conflict(key, position, null);
      journal.records.push(...records.map(bytesOf));
      journal.position += records.length;
    },
    async replace(key, expectedPosition, snapshot, position) {
      expected(key, expectedPosition);
      journals.set(key, { position, snapshot: bytesOf(snapshot), snapshotPosition: position, records: [] });
    },
    async remove(key) {
      journals.delete(key);
      items.delete(`${key}:lease`);
    },
    list: async (prefix = "") => startingWith(journals, prefix),

    getItem: async (key) => items.get(key)?.value ?? null,
    setItem: async (key, value) => put(key, String(value)),
    removeItem: async (key) => void items.delete(key),
    async getItemRaw(key) {
      const bytes = items.get(key)?.value;
      return bytes ? bytes.slice() : null;
    },
    setItemRaw: async (key, bytes) => put(key, bytesOf(bytes)),
    getKeys: async (prefix = "") => startingWith(items, prefix),
    async compareAndSet(key, before, next) {
      if ((items.get(key)?.value ?? null) !== before) return false;
      put(key, next);
      return true;
    },
    async removeOlder(key, ms) {
      const item = items.get(key);
      return item !== undefined && item.since < Date.now() - ms && items.delete(key);
    },
  };
}

/** Copies bytes. A Buffer's own `slice` would return a view of the same bytes. */
const bytesOf = (bytes) => Uint8Array.prototype.slice.call(bytes);

function joined(records) {
  const all = new Uint8Array(records.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const record of records) {
    all.set(record, at);
    at += record.length;
  }
  return all;
}

// Encryption at rest, around any store: a journal store or an ordinary one.

import { ContextError } from "../error.js";
import { fromBase64, toBase64 } from "./base64.js";
import { sealed, unreadable, unsealed } from "./encrypted/envelope.js";
import { keysOf } from "./encrypted/keys.js";
import { hidden, isOutput, isTimeOfOutput, listedFrom, shown } from "./encrypted/names.js";
import { sealedRecords, unsealedRecords } from "./encrypted/records.js";
import { optionsOf } from "./options.js";

/** How often `compareAndSet` is retried if another process has stored the same text again in the meantime. */
const MAX_SWAPS = 10;

const snapshotAt = (name, position) => ({ kind: "snapshot", name, position, what: `the snapshot of \`${name}\` at position ${position}` });
const itemAt = (kind, name) => ({ kind, name, what: isOutput(name) ? `the tool output \`${name}\`` : `the item \`${name}\`` });

/** Wraps a store: values are encrypted on the way in, and decrypted and verified on the way out. */
export function wrapStore(store, options) {
  const { encrypt } = optionsOf(options, { encrypt: "any" });
  for (const method of ["getItem", "setItem", "removeItem"])
    if (typeof store?.[method] !== "function")
      throw new ContextError("INVALID_ARGUMENT", `\`store\`: expected a store with getItem, setItem and removeItem; it has no \`${method}\``);
  const keys = keysOf(encrypt);
  const has = (...methods) => methods.every((method) => typeof store[method] === "function");

  const isHidden = (name) => isOutput(name) || isTimeOfOutput(name);

  /** The names under which an item may be stored, the current one first. */
  async function namesOf(name, ring) {
    if (!isHidden(name)) return [name];
    const { id, older } = ring ?? (await keys.current());
    const names = await Promise.all([id, ...older].map((each) => hidden(keys, each, name)));
    return isTimeOfOutput(name) ? [...names, name] : names; // earlier versions did not encrypt the names of times
  }

  /** The item's value, `null` if there is none; the name under which it is stored; the one under which it is stored anew, and all others. */
  async function found(method, name) {
    const [current, ...others] = await namesOf(name);
    // The current name again at the end, because another process may have moved the item there in the meantime.
    for (const stored of [current, ...others, ...(others.length > 0 ? [current] : [])]) {
      const value = (await store[method](stored)) ?? null;
      if (value !== null) return { stored, current, others, value };
    }
    return { stored: current, current, others, value: null };
  }

  /** Removes copies under older keys of an item that was just stored under the current one: nobody would find them without these keys. */
  const removeAll = (names) => Promise.allSettled(names.map((stored) => store.removeItem(stored)));

  async function put(method, name, seal) {
    const ring = await keys.current(); // once, because the keys may change meanwhile
    const [current, ...others] = await namesOf(name, ring);
    await store[method](current, await seal(ring.id));
    await removeAll(others);
  }

  const sealedText = async (id, name, text) => toBase64(await sealed(keys, id, itemAt("text", name), new TextEncoder().encode(text)));

  async function textIn(name, value) {
    const body = typeof value === "string" ? fromBase64(value) : null;
    if (body === null) throw unreadable(itemAt("text", name), "it was not stored encrypted");
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await unsealed(keys, itemAt("text", name), body));
  }

  async function bytesIn(name, value) {
    const body = bytesOf(value);
    if (body === null) throw unreadable(itemAt("bytes", name), "it was not stored encrypted");
    return unsealed(keys, itemAt("bytes", name), body);
  }

  const items = {
    async getItem(name) {
      const { value } = await found("getItem", name);
      return value === null ? null : textIn(name, value);
    },
    setItem: (name, text) => put("setItem", name, (id) => sealedText(id, name, text)),
    async removeItem(name) {
      for (const stored of await namesOf(name)) await store.removeItem(stored);
    },
  };
  if (has("getItemRaw", "setItemRaw")) {
    items.getItemRaw = async (name) => {
      const { value } = await found("getItemRaw", name);
      return value === null ? null : bytesIn(name, value);
    };
    items.setItemRaw = (name, value) => {
      const bytes = new Uint8Array(value); // copied at once, because the caller may overwrite its array
      return put("setItemRaw", name, (id) => sealed(keys, id, itemAt("bytes", name), bytes));
    };
  }
  if (has("getKeys"))
    items.getKeys = async (prefix = "") => {
      const stored = await store.getKeys(listedFrom(prefix));
      const outputs = stored.filter(isOutput);
      const { id, older } = outputs.length > 0 ? await keys.current() : {};
      const names = await Promise.all(stored.map((name) => (isOutput(name) ? shown(keys, [id, ...older], name) : name)));
      return [...new Set(names)].filter((name) => name !== null && (!isOutput(name) || name.startsWith(prefix)));
    };
  if (has("compareAndSet"))
    items.compareAndSet = async (name, expected, next, options) => {
      const { id } = await keys.current();
      const value = await sealedText(id, name, next);
      for (let swaps = 1; ; swaps++) {
        const { stored, current, others, value: there } = await found("getItem", name);
        if ((there === null ? null : await textIn(name, there)) !== expected) return false;
        if (await store.compareAndSet(current, stored === current ? there : null, value, options)) {
          if (stored !== current) await removeAll(others);
          return true;
        }
        if (swaps === MAX_SWAPS) return false;
      }
    };
  if (has("close")) items.close = () => store.close();
  if (!has("read", "append", "replace")) return items;

  return {
    ...items,
    async read(name, from) {
      const journal = await store.read(name, from);
      if (journal === null) return null;
      const { position, snapshot, snapshotPosition } = journal;
      const start = from !== undefined && from >= snapshotPosition ? from : snapshotPosition;
      return {
        ...journal,
        snapshot: snapshot && (await unsealed(keys, snapshotAt(name, snapshotPosition), snapshot)),
        records: await unsealedRecords(keys, name, start, position, journal.records),
      };
    },
    async append(name, expectedPosition, records) {
      const given = records.map((record) => new Uint8Array(record));
      const { id } = await keys.current();
      await store.append(name, expectedPosition, await sealedRecords(keys, id, name, expectedPosition, given));
    },
    async replace(name, expectedPosition, snapshot, position) {
      const given = new Uint8Array(snapshot);
      const { id } = await keys.current();
      await store.replace(name, expectedPosition, await sealed(keys, id, snapshotAt(name, position), given), position);
    },
    remove: (name) => store.remove(name),
    list: (prefix) => store.list(prefix),
    async removeOlder(name, ms) {
      const removed = [];
      for (const stored of await namesOf(name)) removed.push(await store.removeOlder(stored, ms));
      return removed.includes(true);
    },
  };
}

function bytesOf(value) {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  return typeof value === "string" ? fromBase64(value) : null;
}

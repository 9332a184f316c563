// An ordinary store of the caller's: texts, bytes where it has them, and a swap, in one step where it can.

import { ContextError } from "../../error.js";
import { fromBase64, toBase64 } from "../base64.js";
import { inTurn } from "./turns.js";

/** What the segments need of a store, on top of what it has. What the store throws goes through as it is. */
export function ordinary(store) {
  for (const method of ["getItem", "setItem", "removeItem"])
    if (typeof store?.[method] !== "function")
      throw new ContextError("INVALID_ARGUMENT", `\`store\`: expected a store, with getItem, setItem and removeItem; it has no \`${method}\``);
  const has = (method) => typeof store[method] === "function";
  const isRaw = has("getItemRaw") && has("setItemRaw");

  async function text(key) {
    const value = (await store.getItem(key)) ?? null;
    if (value !== null && typeof value !== "string") throw rubbish("getItem", key);
    return value;
  }

  const putText = async (key, value) => void (await store.setItem(key, value));

  async function bytes(key) {
    const method = isRaw ? "getItemRaw" : "getItem";
    const value = (await store[method](key)) ?? null;
    if (value === null) return null;
    // A copy: a store in memory may hand out what it holds.
    if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice();
    if (value instanceof ArrayBuffer) return new Uint8Array(value.slice(0));
    const read = typeof value === "string" ? fromBase64(value) : null;
    if (read === null) throw rubbish(method, key);
    return read;
  }

  const putBytes = async (key, value) => void (await (isRaw ? store.setItemRaw(key, value) : store.setItem(key, toBase64(value))));

  /** Asked first where the store cannot do both in one: then two processes that do it at the same instant may both be told that they did. */
  async function swap(key, expected, next, options = {}) {
    if (has("compareAndSet")) {
      const done = await store.compareAndSet(key, expected, next, options);
      if (typeof done !== "boolean") throw rubbish("compareAndSet", key);
      return done;
    }
    return inTurn(store, key, async () => {
      if ((await text(key)) !== expected) return false;
      await putText(key, next);
      return (await text(key)) === next;
    });
  }

  return {
    text,
    putText,
    bytes,
    putBytes,
    swap,
    remove: async (key) => void (await store.removeItem(key)),
    /** The keys that begin so, as the store writes them; `null` where it lists none. */
    keys: async (prefix) => (has("getKeys") ? [...(await store.getKeys(prefix))] : null),
    /** It compares and sets in one step: what it says of that is so. */
    swapsAtOnce: has("compareAndSet"),
  };
}

function rubbish(method, key) {
  return new ContextError("STORE_FAILED", `the store cannot be used: its \`${method}\` gave what was never stored, for \`${key}\`. Nothing in memory is lost; try again when the store is in order`);
}

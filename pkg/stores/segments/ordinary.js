// The caller's ordinary store with a uniform interface: texts, bytes (as base64 if needed), and a swap (atomic if the store can).

import { ContextError } from "../../error.js";
import { fromBase64, toBase64 } from "../base64.js";
import { inTurn } from "./turns.js";

/** Wraps a store with the methods that the segments need. Errors of the store are passed on unchanged. */
export function ordinary(store) {
  for (const method of ["getItem", "setItem", "removeItem"])
    if (typeof store?.[method] !== "function")
      throw new ContextError("INVALID_ARGUMENT", `\`store\`: expected a store with getItem, setItem and removeItem; it has no \`${method}\``);
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
    // A copy, because a store in memory may return the array that it holds.
    if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice();
    if (value instanceof ArrayBuffer) return new Uint8Array(value.slice(0));
    const read = typeof value === "string" ? fromBase64(value) : null;
    if (read === null) throw rubbish(method, key);
    return read;
  }

  const putBytes = async (key, value) => void (await (isRaw ? store.setItemRaw(key, value) : store.setItem(key, toBase64(value))));

  /** Compare and set. If the store cannot do that atomically, two processes that swap at the same instant may both succeed. */
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
    /** The keys with this prefix, as the store writes them; `null` if it cannot list keys. */
    keys: async (prefix) => (has("getKeys") ? [...(await store.getKeys(prefix))] : null),
    /** Whether the swap is atomic, so that its result can be trusted. */
    swapsAtOnce: has("compareAndSet"),
  };
}

function rubbish(method, key) {
  return new ContextError("STORE_FAILED", `the store failed: its \`${method}\` returned data for \`${key}\` that was never stored. Nothing in memory is lost; try again when the store works`);
}

// The caller's store. What it returns is checked, and what it throws becomes STORE_FAILED.

import { ContextError } from "../error.js";
import { fromBase64 } from "../stores/base64.js";

const NOT_ATOMIC =
  "the session's store has no `compareAndSet`: if two processes save the session at the same moment, the later save wins and the other is lost (docs/stores.md)";

/** Journals on top of an ordinary store's items, by store. */
const journalsOfItems = new WeakMap();

/** An `unstorage` instance, or any object with its methods. */
export class Store {
  constructor(object) {
    this.object = object;
  }

  /** Whether both are the very same object. */
  is(other) {
    return this.object === other.object;
  }

  /** Reads a text; `null` if there is none. */
  async text(key) {
    const value = (await this.call("getItem", key)) ?? null;
    if (value !== null && typeof value !== "string") throw wrongAnswer("getItem", key, value);
    return value;
  }

  /** Reads bytes; `undefined` if there are none. */
  async bytes(key) {
    const method = this.has("getItemRaw") && this.has("setItemRaw") ? "getItemRaw" : "getItem";
    const value = await this.call(method, key);
    if (value === null || value === undefined) return undefined;
    const bytes = typeof value === "string" ? fromBase64(value) : value instanceof ArrayBuffer ? new Uint8Array(value) : bytesOf(value);
    if (!bytes) throw wrongAnswer(method, key, value);
    return bytes;
  }

  /**
   * Stores bytes: as they are, or as base64 if the store takes only text. Storing the same bytes again renews their age, so that a sweep of
   * the store spares them.
   */
  async putBytes(key, bytes) {
    await (await this.journals()).call("setItemRaw", key, bytes);
  }

  /** Removes an item. */
  async remove(key) {
    await this.call("removeItem", key);
  }

  /**
   * Stores `next` if the current value is `expected`. If the store cannot do that in one step, it is read first: then two processes that do
   * this at the same instant may both get `true`.
   */
  async swap(key, expected, next, ttlMs) {
    if (!this.has("compareAndSet")) {
      if ((await this.text(key)) !== expected) return false;
      await this.call("setItem", key, next);
      return (await this.text(key)) === next;
    }
    const done = await this.call("compareAndSet", key, expected, next, { ttlMs });
    if (typeof done !== "boolean") throw wrongAnswer("compareAndSet", key, done);
    return done;
  }

  /** Reads what is saved under a key, only what comes after `from` if that is given; `undefined` if nothing is saved. */
  async read(key, from) {
    const more = from === undefined ? [] : [from];
    const value = await (await this.journals()).call("read", key, ...more);
    if (value === null || value === undefined) return undefined;
    const wrong = () => wrongAnswer("read", key, value);
    let read;
    try {
      const { position, snapshot, snapshotPosition, records, notice } = value;
      read = { position, snapshotPosition, snapshot: bytesOf(snapshot), records: bytesOf(records), notice: typeof notice === "string" ? notice : undefined };
    } catch {
      throw wrong(); // a getter threw
    }
    const isKnown = from !== undefined && from >= read.snapshotPosition;
    if (!isPosition(read.position) || !isPosition(read.snapshotPosition) || !read.records || !(read.snapshot || isKnown)) throw wrong();
    return read;
  }

  /** Appends records after the last one, if the journal's position is `expected`. */
  async append(key, expected, records) {
    await (await this.journals()).call("append", key, expected, records);
  }

  /** Replaces what is there by a snapshot. */
  async replace(key, expected, snapshot, position) {
    await (await this.journals()).call("replace", key, expected ?? null, snapshot, position);
  }

  /** A notice if the store cannot save atomically. */
  get notice() {
    return this.has("compareAndSet") || this.has("append") ? undefined : NOT_ATOMIC;
  }

  /** Its own journals, or journals on top of its items. The code for the latter is loaded with the first save. */
  async journals() {
    const { object } = this;
    if (this.has("append") && this.has("replace")) return this;
    if (!journalsOfItems.has(object)) {
      const { segmented } = await import("../stores/segments.js");
      if (!journalsOfItems.has(object)) journalsOfItems.set(object, new Store(segmented(object))); // another call may have waited for the import, too
    }
    return journalsOfItems.get(object);
  }

  has(method) {
    try {
      return typeof this.object[method] === "function";
    } catch {
      return false; // a getter threw
    }
  }

  async call(method, key, ...more) {
    try {
      return await this.object[method](key, ...more);
    } catch (cause) {
      if (isOurs(cause)) throw cause;
      throw storeFailed(`its \`${method}\` failed for \`${key}\``, { cause });
    }
  }
}

/** Whether a store has already reported the right code, as our own do. */
function isOurs(error) {
  try {
    return ["STORE_CONFLICT", "STORE_FAILED"].includes(error?.code);
  } catch {
    return false; // a getter threw
  }
}

/** A STORE_FAILED error. */
export const storeFailed = (what, details) =>
  new ContextError("STORE_FAILED", `the store failed: ${what}. Nothing in memory is lost; try again when the store works`, details);

const wrongAnswer = (method, key, cause) => storeFailed(`its \`${method}\` returned data for \`${key}\` that was never stored`, { cause });

/** A `Uint8Array`, even one from another realm. */
function bytesOf(value) {
  if (value instanceof Uint8Array) return value;
  return value?.[Symbol.toStringTag] === "Uint8Array" ? new Uint8Array(value) : undefined;
}

const isPosition = (value) => Number.isSafeInteger(value) && value >= 0;

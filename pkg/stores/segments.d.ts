import type { Store } from "../wasm/contextfold.js";
import type { Journal, JournalStore } from "./journal.js";

/** A journal as `segmented` reads it. */
export interface SegmentedJournal extends Journal {
  /**
   * Describes damage, for the session's `report.notices`: the head was truncated (a process died while it saved) or outdated (the store
   * carried out a write late), or the last records were truncated (a machine lost power). The next save repairs the journal from what
   * was read.
   */
  notice?: string;
}

/** A journal store on top of an ordinary store. */
export interface SegmentedStore extends JournalStore {
  /** Returns what is saved under a key; `null` if nothing is. */
  read(key: string, from?: number): Promise<SegmentedJournal | null>;
}

/**
 * Journals on top of an ordinary store: an [unstorage](https://unstorage.unjs.io) instance, or an object with `getItem`, `setItem` and
 * `removeItem`. A save then writes only what is new in the session, not all of it.
 *
 * ```js
 * import { segmented } from "contextfold/stores/segments";
 * import { createStorage } from "unstorage";
 * import memoryDriver from "unstorage/drivers/memory";
 *
 * const store = segmented(createStorage({ driver: memoryDriver() }));
 * await store.replace("chat-17", null, new TextEncoder().encode("a snapshot"), 4711);
 * console.log((await store.read("chat-17")).position); // 4711
 * ```
 *
 * | key | what |
 * | --- | --- |
 * | `KEY:head` | a text that lists what is current: the snapshot, its position, and the segments |
 * | `KEY:v:VERSION` | the snapshot |
 * | `KEY:s:NAME` | a segment: some records, concatenated |
 * | `KEY:lease`, `contextfold:output:HASH` | items, under their own names |
 * | `contextfold:time:NAME:stored` | when an item was stored, for `removeOlder`, by the clock of the process that stored it |
 *
 * A save writes a new segment and then replaces the head, so every reader gets a consistent state. Eight segments of one size are
 * merged into one by the next save: a session of 32,000 saves has at most some 40 segments, and each of its records was written
 * five times. Segments to be merged are cached in memory (`cacheBytes`), or read again.
 *
 * The guarantees are those of the underlying store:
 *
 * - If two processes save at the same position, one gets `STORE_CONFLICT`, provided that the store has `compareAndSet`.
 *   Without it, two processes that save at the very same instant may both succeed, and the later save wins;
 *   within one process this cannot happen.
 * - When a save resolves, it is as durable as the store's own `setItem`.
 * - If a process dies in the middle of a save, the state before it remains, and perhaps an item that is never read. If the head
 *   itself is truncated (a store of files empties a file before it writes it), the newest complete state is read, provided that the
 *   store has `getKeys`; `notice` says so. If a machine loses power and the last segments are lost, the state before them is read.
 * - If the store's answer to a save is lost, the save succeeded if the head says so. If that cannot be found out, it fails with
 *   the store's own error: call `read` to see.
 * - Keys are the store's: if it treats `a/b` and `a:b` as the same, as unstorage does, so does this.
 *
 * Sessions saved by versions without journals are read, and the first save goes on from there. In a store without `getItemRaw` and
 * `setItemRaw`, bytes are stored as base64.
 *
 * @param options `cacheBytes`: at most this many bytes of segments are cached, for all keys together; default 8 MiB.
 */
export declare function segmented(store: Store, options?: { cacheBytes?: number | undefined }): SegmentedStore;

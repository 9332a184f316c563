import type { Store } from "../wasm/contextfold.js";
import type { Journal, JournalStore } from "./journal.js";

/** What `segmented` reads. */
export interface SegmentedJournal extends Journal {
  /**
   * What was damaged, for the session's `report.notices`: the head was cut off, as when a process dies while it saves, or the
   * last records were, as when a machine loses power. The next save writes what was read.
   */
  notice?: string;
}

/** Journals in an ordinary store. */
export interface SegmentedStore extends JournalStore {
  /** What is saved under a key; `null` if nothing is. */
  read(key: string, from?: number): Promise<SegmentedJournal | null>;
}

/**
 * Journals on top of an ordinary store: an [unstorage](https://unstorage.unjs.io) instance, or an object with `getItem`, `setItem` and
 * `removeItem`. A save then costs what is new in the session, not all of it.
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
 * | `KEY:head` | a text that names all that is current: the snapshot, its position, and the segments |
 * | `KEY:v:VERSION` | the snapshot |
 * | `KEY:s:NAME` | a segment: some records, one behind the other |
 * | `KEY:lease`, `contextfold:output:HASH` | items, under their own names |
 * | `contextfold:time:NAME:stored` | when an item was stored, for `removeOlder`, by the clock of the process that stored it |
 *
 * A save puts a segment beside the others and then swaps the head, so every reader gets a whole state. Eight segments of one size
 * become one with the next save: a session of 32,000 saves has at most some 40, and each of its records was written five times.
 * Segments to be joined are kept in memory (`cacheBytes`), or read again.
 *
 * It promises as much as the store below:
 *
 * - If two save at one position, one gets `STORE_CONFLICT`, provided that the store has `compareAndSet`.
 *   Without it, two processes that save at the very same instant may both succeed, and the later one stays;
 *   within one process they do not.
 * - When a save resolves, it is as durable as the store's own `setItem` is.
 * - A process that dies in the middle of a save leaves the state before it, and perhaps an item that is never read. If the head
 *   itself is cut off (a store of files empties one before it writes it), the newest whole state is read, provided that the store
 *   has `getKeys`; `notice` says so. If a machine loses power and the last segments with it, the state before them is read.
 * - A save whose answer got lost was made if the head says so. If that cannot be told, it fails with the store's own error:
 *   `read` to see.
 * - Keys are the store's: if it treats `a/b` and `a:b` as the same, as unstorage does, so does this.
 *
 * Sessions from before there were journals are read, and the first save goes on from there. A store without `getItemRaw` and
 * `setItemRaw` gets base64.
 *
 * @param options `cacheBytes`: how many bytes of segments are remembered at most, of all keys together; default 8 MiB.
 */
export declare function segmented(store: Store, options?: { cacheBytes?: number }): SegmentedStore;

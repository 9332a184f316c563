import type { Store } from "../wasm/contextfold.js";
import type { JournalStore } from "./journal.js";

/** Options of `sweep` and `remove`. */
export interface SweepOptions {
  /**
   * Only outputs that were stored longer ago than so many milliseconds are removed; default 3,600,000, which is an hour. A session stores an
   * output first, and refers to it once it is saved: so this has to be longer than any of your sessions goes on without being saved. 0
   * is right where nobody else uses the store.
   */
  olderThanMs?: number | undefined;
}

/** What became of the tool outputs. */
export interface Swept {
  /** How many are still there. */
  kept: number;
  /** How many were removed. */
  removed: number;
}

/**
 * Removes the tool outputs in a store that no session of that store refers to any more, as those of sessions that were removed. Run it
 * now and then, for instance once a day. Others may save meanwhile.
 *
 * ```js
 * import { Session } from "contextfold";
 * import { memoryJournals } from "contextfold/stores/memory";
 * import { sweep } from "contextfold/stores/sweep";
 *
 * const store = memoryJournals();
 * const session = new Session({ contextWindow: 128_000, store, toolOutputCache: { memoryBytes: 1_000_000 } });
 * await session.save(store, "chat-17");
 * console.log(await sweep(store)); // { kept: 0, removed: 0 }
 * ```
 *
 * It reads every session of the store, one after the other. In browsers, call `init` before.
 *
 * Only sessions that are saved in this store count. Do not sweep a store that is some session's option `store` while that session is saved
 * in another one. An ordinary store does not know when an output was stored: save and sweep through the same `segmented(store)`.
 *
 * @param store A journal store, or an ordinary store that has `getKeys`.
 * @throws {ContextError} Where one session cannot be read, nothing is removed, and the error names its key: `SNAPSHOT_TOO_NEW` where a newer
 * version of this package saved it; `STORE_FAILED` where it is damaged or encrypted with a key that is gone. Else what the store throws.
 */
export declare function sweep(store: JournalStore | Store, options?: SweepOptions): Promise<Swept>;

/**
 * Removes a session, and those of its tool outputs that no other session of the store refers to. The figures are of its outputs.
 *
 * ```js
 * import { Session } from "contextfold";
 * import { memoryJournals } from "contextfold/stores/memory";
 * import { remove } from "contextfold/stores/sweep";
 *
 * const store = memoryJournals();
 * await new Session({ contextWindow: 128_000 }).save(store, "chat-17");
 * console.log(await remove(store, "chat-17"), await store.list()); // { kept: 0, removed: 0 } []
 * ```
 *
 * If the session has outputs in the store, every other session is read, too. Where there are many, `store.remove(key)` now and a `sweep`
 * at night cost less. Outputs that are not old enough stay for the next sweep. Where nothing is saved under the key, nothing happens.
 *
 * @throws {ContextError} As `sweep`. Where the session itself cannot be read, it stays: `store.remove(key)` removes it. Where another one
 * cannot be read, this one is removed, and its outputs stay.
 */
export declare function remove(store: JournalStore | Store, key: string, options?: SweepOptions): Promise<Swept>;

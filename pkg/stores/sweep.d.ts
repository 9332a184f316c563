import type { Store } from "../wasm/contextfold.js";
import type { JournalStore } from "./journal.js";

/** Options of `sweep` and `remove`. */
export interface SweepOptions {
  /**
   * Outputs younger than this many milliseconds are kept; default 3,600,000 (an hour). An output is stored before the session that
   * refers to it is saved, so this must be longer than the time between two saves of any session. Use 0 only if nobody else uses the
   * store.
   */
  olderThanMs?: number | undefined;
}

/** How many tool outputs were kept and removed. */
export interface Swept {
  /** How many are still there. */
  kept: number;
  /** How many were removed. */
  removed: number;
}

/**
 * Removes all tool outputs in a store that no session in it refers to any more, for instance because the session was removed. Run
 * it, say, once a day. Other processes may save at the same time.
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
 * It reads every session in the store, one after the other. In browsers, call `init` first.
 *
 * It only sees sessions that are saved in this store. Do not sweep a store that holds tool outputs of a session (its option `store`)
 * which is saved in another store.
 *
 * @param store A journal store, or an ordinary store that has `getKeys`.
 * @throws {ContextError} If a session cannot be read, nothing is removed, and the error names its key: `SNAPSHOT_TOO_NEW` if a newer
 * version of this package saved it, `STORE_FAILED` if it is damaged, or encrypted with a key that is gone. `INVALID_ARGUMENT` for
 * unknown options. Errors of the store itself are passed on.
 */
export declare function sweep(store: JournalStore | Store, options?: SweepOptions): Promise<Swept>;

/**
 * Removes a session, and those of its tool outputs that no other session in the store refers to. The result counts the outputs of
 * this session.
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
 * If the session has outputs in the store, this reads every other session, too. If there are many, it is cheaper to call
 * `store.remove(key)` now and `sweep` at night. Outputs that are not old enough are kept until the next sweep. Does nothing if nothing
 * is saved under the key.
 *
 * @throws {ContextError} Like `sweep`. If the session itself cannot be read, it is not removed; `store.remove(key)` removes it anyway.
 * If another session cannot be read, this one is removed, and its outputs are kept.
 */
export declare function remove(store: JournalStore | Store, key: string, options?: SweepOptions): Promise<Swept>;

import type { Store } from "../wasm/contextfold.js";
import type { JournalStore } from "./journal.js";

/** Options of `sweep` and `remove`. */
export interface SweepOptions {
  /**
   * Outputs that were stored within this many milliseconds stay; default 3,600,000, which is an hour. An output is stored before the
   * session that refers to it is saved. So this has to be longer than any of your sessions goes without a save. Give 0 only if nobody else
   * uses the store.
   */
  olderThanMs?: number | undefined;
}

/** How many tool outputs stayed and went. */
export interface Swept {
  /** How many are still there. */
  kept: number;
  /** How many were removed. */
  removed: number;
}

/**
 * Removes all tool outputs in a store that no session in it refers to any more, for instance because the session was removed. Run it once a
 * day, say. Other processes may go on saving.
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
 * It reads every session in the store, one after the other. In browsers, call `init` before.
 *
 * It knows only of sessions that are saved in this store. Do not sweep a store that a session has as its option `store` if that session is
 * saved in another store.
 *
 * @param store A journal store, or an ordinary store that has `getKeys`.
 * @throws {ContextError} If a session cannot be read, nothing is removed, and the error names its key: `SNAPSHOT_TOO_NEW` if a newer version of
 * this package saved it, `STORE_FAILED` if it is damaged, or encrypted with a key that is gone. `INVALID_ARGUMENT` for unknown options. Errors
 * of the store itself are passed on.
 */
export declare function sweep(store: JournalStore | Store, options?: SweepOptions): Promise<Swept>;

/**
 * Removes a session, and those of its tool outputs that no other session in the store refers to. It counts the outputs of this session.
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
 * If the session has outputs in the store, this reads every other session, too. If there are many, it costs less to call `store.remove(key)`
 * now and `sweep` at night. Outputs that are not old enough stay until the next sweep. If nothing is saved under the key, nothing happens.
 *
 * @throws {ContextError} As `sweep` does. If the session itself cannot be read, it stays; `store.remove(key)` removes it all the same. If another
 * session cannot be read, this one is removed, and its outputs stay.
 */
export declare function remove(store: JournalStore | Store, key: string, options?: SweepOptions): Promise<Swept>;

import type { Store } from "../wasm/contextfold.js";
import type { JournalStore } from "./journal.js";

export type { Journal, JournalStore } from "./journal.js";

/** A store that is gone with the process: for tests, and for sessions that share one. */
export declare function memoryStore(): Required<Store>;

/**
 * A journal store that is gone with the process: for tests, and for sessions that share one.
 *
 * ```js
 * import { memoryJournals } from "contextfold/stores/memory";
 *
 * const store = memoryJournals();
 * await store.replace("chat-17", null, new TextEncoder().encode("a snapshot"), 1000);
 * console.log((await store.read("chat-17")).position, await store.list("chat-")); // 1000 [ 'chat-17' ]
 * ```
 */
export declare function memoryJournals(): JournalStore;

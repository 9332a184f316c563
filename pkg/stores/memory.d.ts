import type { Store } from "../wasm/contextfold.js";
import type { JournalStore } from "./journal.js";

export type { Journal, JournalStore } from "./journal.js";

/** A store in memory, lost when the process ends: for tests, and for sessions that share a store. */
export declare function memoryStore(): Required<Store>;

/**
 * A journal store in memory, lost when the process ends: for tests, and for sessions that share a store.
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

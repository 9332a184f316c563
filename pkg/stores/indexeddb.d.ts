import type { JournalStore } from "./journal.js";

/**
 * A store in the browser's own database (IndexedDB), which belongs to the page's origin.
 *
 * ```js
 * import { indexedDBStore } from "contextfold/stores/indexeddb";
 *
 * const store = indexedDBStore();
 * await session.save(store, "chat-17");
 * ```
 *
 * Each call is one transaction, done completely or not at all. If two pages or workers save at the same position, one gets
 * `STORE_CONFLICT`. A save resolves when the browser has written it to disk (`durability: "strict"`). A browser that runs out of
 * disk space may remove all of an origin's data, unless `navigator.storage.persist()` was granted.
 *
 * Sessions saved by versions without journals are read, and the first save converts them. While a page has the database open with
 * an older version of this package, the database cannot be upgraded: `STORE_FAILED` says so until that page is closed or reloaded.
 * @param name The database's name; default `"contextfold"`.
 */
export declare function indexedDBStore(name?: string): Required<JournalStore>;

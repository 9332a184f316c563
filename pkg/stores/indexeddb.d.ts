import type { Store } from "../wasm/contextfold.js";

/**
 * A store in the browser's own database, which stays with the page's origin. It needs the package `idb-keyval`.
 *
 * ```js
 * import { indexedDBStore } from "contextfold/stores/indexeddb";
 *
 * const store = indexedDBStore();
 * await session.save(store, "chat-17");
 * ```
 * @param name The database's name; default `"contextfold"`.
 */
export declare function indexedDBStore(name?: string): Required<Store>;

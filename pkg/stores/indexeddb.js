// A browser's own database, through idb-keyval: `npm install idb-keyval`.

import { createStore, del, get, keys, set } from "idb-keyval";

/** A store that stays with the page's origin. */
export function indexedDBStore(name = "contextfold") {
  const store = createStore(name, "items");
  return {
    getItem: async (key) => (await get(key, store)) ?? null,
    setItem: (key, value) => set(key, value, store),
    removeItem: (key) => del(key, store),
    getItemRaw: async (key) => (await get(key, store)) ?? null,
    setItemRaw: (key, bytes) => set(key, bytes, store),
    getKeys: async (prefix = "") => (await keys(store)).filter((key) => typeof key === "string" && key.startsWith(prefix)),
    // Both in one transaction: another page that does the same waits for it.
    compareAndSet: (key, expected, next) =>
      store(
        "readwrite",
        (items) =>
          new Promise((resolve, reject) => {
            let swapped = false;
            const there = items.get(key);
            there.onsuccess = () => {
              swapped = (there.result ?? null) === expected;
              if (swapped) items.put(next, key);
            };
            const { transaction } = items;
            transaction.oncomplete = () => resolve(swapped);
            transaction.onabort = transaction.onerror = () => reject(transaction.error);
          }),
      ),
  };
}

// The database. It is opened on first use, and again if it was closed in the meantime.
//
//   items       texts and bytes, by key; the only object store in versions without journals
//   times       when each item was stored, in milliseconds
//   journals    position and snapshotPosition, by key
//   snapshots   bytes, by key
//   records     whole frames, by [key, position]

import { ContextError } from "../../error.js";

const VERSION = 2;
const STORES = ["items", "times", "journals", "snapshots", "records"];

/** How long to wait for a page that still has an older version of the database open, in milliseconds. */
const PATIENCE_MS = 2_000;

export function database(name) {
  let opened;

  function open() {
    if (opened) return opened;
    if (!globalThis.indexedDB) throw new ContextError("STORE_FAILED", "there is no `indexedDB` here: this store is for browsers; in Node, use `fileStore` of contextfold/stores/files");
    const opening = (opened = connected(name, () => opened === opening && (opened = undefined)));
    opening.catch(() => opened === opening && (opened = undefined));
    return opening;
  }

  /** Begins a transaction. Reconnects if the connection was closed without an event, as Safari does. */
  async function begin(stores, mode) {
    const options = mode === "readwrite" ? { durability: "strict" } : {};
    try {
      return (await open()).transaction(stores, mode, options);
    } catch (error) {
      if (error?.name !== "InvalidStateError") throw error;
      opened = undefined;
      return (await open()).transaction(stores, mode, options);
    }
  }

  /**
   * Runs `work` in one transaction; it must not await anything but requests of this transaction. Resolves when everything is written.
   * If `work` throws, nothing is written.
   */
  async function transact(stores, mode, work) {
    const transaction = await begin(stores, mode);
    const ended = new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error ?? new DOMException("the transaction was aborted", "AbortError"));
    });
    ended.catch(() => {}); // prevents an unhandled rejection; it is awaited below
    let result;
    try {
      result = await work((store) => transaction.objectStore(store));
    } catch (error) {
      try {
        transaction.abort();
      } catch {
        // it has ended already
      }
      await ended.catch(() => {});
      throw error;
    }
    await ended;
    return result;
  }

  async function close() {
    const closing = opened;
    opened = undefined;
    (await closing?.catch(() => undefined))?.close();
  }

  return { transact, asked, close };
}

/** The result of a request, as a promise. */
function asked(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function connected(name, onClosed) {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, VERSION);
    let isGivenUp = false;
    request.onupgradeneeded = () => {
      for (const store of STORES) if (!request.result.objectStoreNames.contains(store)) request.result.createObjectStore(store);
    };
    request.onblocked = () =>
      setTimeout(() => {
        isGivenUp = true;
        reject(
          new ContextError("STORE_FAILED", `the database \`${name}\` cannot be upgraded: another page has it open with an older version of contextfold. Close or reload that page, and try again`),
        );
      }, PATIENCE_MS);
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const db = request.result;
      if (isGivenUp) return db.close();
      db.onclose = onClosed;
      db.onversionchange = () => {
        db.close(); // a page with a newer version waits for that
        onClosed();
      };
      resolve(db);
    };
  });
}

import type { Store } from "../wasm/contextfold.js";
import type { JournalStore } from "./journal.js";

/** A key, and what it is called. */
export interface EncryptionKey {
  /** The id by which the key is found again: a text of 1 to 100 bytes, stored in plain. One id means one key for ever. */
  id: string;
  /** 32 random bytes (not a password), or a `CryptoKey` for HKDF with the usage `deriveKey`, which need not be extractable. */
  key: Uint8Array | CryptoKey;
  /** For the current key: ids of older keys that may still have tool outputs. */
  older?: string[];
}

/** Options of `wrapStore`. */
export interface EncryptionOptions {
  /**
   * Returns the key of an id, or the current key without one. It is called for the current key each time something is stored, and
   * once for each other id. The id comes from the store and is not verified yet: only look it up. `null`: the key is gone.
   */
  encrypt(id?: string): EncryptionKey | null | Promise<EncryptionKey | null>;
}

/**
 * Encryption at rest, around any store: somebody who gets the store can neither read what is in it nor change it unnoticed.
 *
 * ```js
 * import { wrapStore } from "contextfold/stores/encrypted";
 * import { memoryStore } from "contextfold/stores/memory";
 * import { segmented } from "contextfold/stores/segments";
 *
 * const keys = new Map([["2026-11", crypto.getRandomValues(new Uint8Array(32))]]); // from your secrets, the current one last
 * const ids = [...keys.keys()];
 * const key = (id = ids.at(-1)) => (keys.has(id) ? { id, key: keys.get(id), older: ids } : null);
 *
 * const store = wrapStore(segmented(memoryStore()), { encrypt: key });
 * await store.setItem("note", "nobody reads this");
 * console.log(await store.getItem("note")); // nobody reads this
 * ```
 *
 * Snapshots, records, texts and tool outputs are encrypted with AES-256-GCM in WebCrypto. Put it around the journals
 * (`wrapStore(segmented(storage))`), so that each record is bound to its place; `segmented(wrapStore(storage))` works, and binds each
 * segment to its name. Around an ordinary store without journals it encrypts the values of the items.
 *
 * **What is in plain:** lengths, positions, times, ids of keys, and the names of sessions and items: choose names that say
 * nothing. The names of tool outputs are hashes of their content, with which somebody could test a guess, so they are encrypted,
 * too. But the same output has the same name under the same key, so it can be seen that two sessions have read the same. An
 * ordinary store without journals around it has the checksum of the session in the names of its versions.
 *
 * **What is noticed:** a value that was altered, cut off, or put in another place: under another name, at another position, a record for
 * a snapshot, one output for another; a record that is missing in the middle, stands twice or in another order; one that was never
 * encrypted. Each of these gives `STORE_FAILED`, which says what is wrong and where.
 *
 * **What is not:** that the store answers with an earlier state. It may give a whole session, a text or a head as it was before,
 * leave out the last records, or say that nothing is there. At a position where two processes met, it may give the refused record
 * instead of the one that stayed. A process that holds the session gets `STORE_CONFLICT` when it saves; one that loads it cannot
 * know. To notice that, remember elsewhere how far a session has come.
 *
 * **Keys.** With HKDF each name has keys of its own, derived from yours. A nonce is 96 random bits, which is good for 2^32 values with one key,
 * which means of one session or under one item's name, until the key changes. To change it, give another id as the current one: new values are
 * encrypted with it, and old ones are read with the key whose id they name. The next `replace` of a session writes all of it with the current
 * key. Keep an old key as long as the store has something encrypted with it, and name it in `older`, for its tool outputs. Without its key, a
 * value is lost.
 *
 * Sessions saved without encryption are refused. To convert one, load it from the plain store, and save it through this one under
 * another key.
 */
export declare function wrapStore(store: JournalStore, options: EncryptionOptions): JournalStore;
/** The same around an ordinary store that has all methods. */
export declare function wrapStore(store: Required<Store>, options: EncryptionOptions): Required<Store>;
/** The same around an ordinary store: it has the methods that the store has. */
export declare function wrapStore(store: Store, options: EncryptionOptions): Store;

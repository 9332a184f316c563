import type { Store } from "../wasm/contextfold.js";
import type { JournalStore } from "./journal.js";

/** A key, and what it is called. */
export interface EncryptionKey {
  /** By which what was encrypted with it finds it again: a text of 1 to 100 bytes. It is stored in plain. One id is one key for ever. */
  id: string;
  /** 32 random bytes (not a password), or a `CryptoKey` for HKDF with the usage `deriveKey`, which need not be extractable. */
  key: Uint8Array | CryptoKey;
  /** Of the current key: ids of older ones under which there may still be tool outputs. */
  older?: string[];
}

/** Options of `wrapStore`. */
export interface EncryptionOptions {
  /**
   * The key of an id, or the current key where none is given. It is asked for the current key with each thing that is stored, and once
   * for each other id. The id comes out of the store, before it is known to be genuine: look it up, and do not compute with it. `null`:
   * there is no such key any more.
   */
  encrypt(id?: string): EncryptionKey | null | Promise<EncryptionKey | null>;
}

/**
 * Encryption at rest, around any store: whoever has the store can neither read what is in it nor change it unnoticed.
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
 * **What is in plain:** lengths, positions, times, ids of keys, and the names of sessions and items: call a session by what says nothing. The
 * names of tool outputs are hashes of what they hold, by which somebody could test a guess; so they are encrypted, too, though the same
 * output has the same name under the same key: that two sessions have read the same can be seen. An ordinary store that has no
 * journals around it has the checksum of the session in the names of its versions.
 *
 * **What is noticed:** a value that was altered, cut off, or put in another place: under another name, at another position, a record for
 * a snapshot, one output for another; a record that is missing in the middle, stands twice or in another order; one that was never
 * encrypted. All of it is `STORE_FAILED`, which says what it is and where.
 *
 * **What is not:** that the store answers as it did once. It may give a whole session, a text or a head as it was at an earlier time, keep
 * the last records to itself and say that the session ends before them, or say that nothing is there. It may give, at a position where
 * two processes met, the record that was refused in the place of the one that stayed. A process that holds the session is told
 * `STORE_CONFLICT` when it saves; one that loads it cannot know. To notice that, remember elsewhere how far a session has come.
 *
 * **Keys.** With HKDF each name has keys of its own, derived from yours. A nonce is 96 random bits, which is good for 2^32 values with
 * one key: that is of one session, or under one item's name, until the key changes. To change it, give another id as the current one:
 * what is new is encrypted with it, and what is old is read with the key whose id it names. The next `replace` of a session takes it over
 * as a whole. Keep an old key for as long as something is there that was stored with it, and name it in `older`, for its tool outputs. What was
 * encrypted with a key that is gone is gone.
 *
 * What was saved without encryption is refused. To take it over, load it from the store as it is, and save it through this one under
 * another key.
 */
export declare function wrapStore(store: JournalStore, options: EncryptionOptions): JournalStore;
/** The same around an ordinary store that has all methods. */
export declare function wrapStore(store: Required<Store>, options: EncryptionOptions): Required<Store>;
/** The same around an ordinary store: it has the methods that the store has. */
export declare function wrapStore(store: Store, options: EncryptionOptions): Store;

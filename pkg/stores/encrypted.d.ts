import type { Store } from "../wasm/contextfold.js";
import type { JournalStore } from "./journal.js";

/** A `CryptoKey`. Declared here, because a project for Node without `lib: dom` has no type of this name. */
export interface HkdfKey {
  readonly type: string;
  readonly extractable: boolean;
  readonly algorithm: { name: string };
  readonly usages: readonly string[];
}

/** A key and its id. */
export interface EncryptionKey {
  /** The id by which the key is found again: a text of 1 to 100 bytes, stored unencrypted. Never reuse an id for another key. */
  id: string;
  /** 32 random bytes (not a password), or a `CryptoKey` for HKDF with the usage `deriveKey`, which need not be extractable. */
  key: Uint8Array | HkdfKey;
  /** For the current key: ids of older keys with which tool outputs may still be encrypted. */
  older?: readonly string[] | undefined;
}

/** Options of `wrapStore`. */
export interface EncryptionOptions {
  /**
   * Returns the key with this id, or the current key if called without an id. It is called for the current key whenever something
   * is stored, and once for each other id. The id comes from the store and is not verified yet, so only use it to look up a key.
   * Return `null` if the key is gone.
   */
  encrypt(id?: string): EncryptionKey | null | Promise<EncryptionKey | null>;
}

/**
 * Encrypts the contents of any store: somebody who gets hold of the store can neither read its contents nor change them unnoticed.
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
 * (`wrapStore(segmented(storage))`), so that each record is bound to its position. `segmented(wrapStore(storage))` works, too, but
 * binds each segment only to its name. Around an ordinary store without journals, it encrypts the values of the items.
 *
 * **What is not encrypted:** lengths, positions, times, ids of keys, and the names of sessions and items; so choose names that
 * reveal nothing. The names of tool outputs are hashes of their content, against which somebody could test a guess, so these names
 * are encrypted, too. But the same output has the same name under the same key, which reveals that two sessions have read the same
 * content. If you wrap an ordinary store (not `segmented`), the names of its snapshots contain the session's checksum.
 *
 * **Which tampering is detected:** a value that was altered, truncated, or moved (to another name or position, a record in place of
 * a snapshot, one output in place of another); a record that is missing in the middle, duplicated or out of order; a value that was
 * never encrypted. Each of these gives `STORE_FAILED`, which says what is wrong and where.
 *
 * **Which is not:** a store that answers with an earlier state. It may return an old version of a session, a text or a head, leave
 * out the last records, or claim that nothing is there. If two processes saved at the same position, it may return the record that
 * was refused instead of the one that was accepted. A process that has the session open gets `STORE_CONFLICT` when it saves; a
 * process that loads it cannot notice. To detect that, remember the position of each session elsewhere.
 *
 * **Keys.** Each name gets its own keys, derived from yours by HKDF. Nonces are 96 random bits, which is enough for 2^32 values per
 * key, that is, per session or item name, until you change the key. To change it, return another id as the current one: new values
 * are encrypted with it, and old values are read with the key whose id they name. The next `replace` of a session encrypts all of it
 * with the current key. Keep an old key as long as the store has anything encrypted with it, and list its id in `older` because of
 * the tool outputs. Without its key, a value is lost.
 *
 * Sessions saved without encryption are refused. To convert one, load it from the plain store, and save it through this one under
 * another key.
 */
export declare function wrapStore(store: JournalStore, options: EncryptionOptions): JournalStore;
/** Wraps an ordinary store that has all methods. */
export declare function wrapStore(store: Required<Store>, options: EncryptionOptions): Required<Store>;
/** Wraps an ordinary store. The result has the same methods as that store. */
export declare function wrapStore(store: Store, options: EncryptionOptions): Store;

/** What a store holds under a key: the parts that were asked for. */
export interface Journal {
  /** How far the saved session has come: the position behind the last record. */
  position: number;
  /** The snapshot; `null` if the caller has it already, because `from` is not before `snapshotPosition`. */
  snapshot: Uint8Array | null;
  /** The position of the snapshot. */
  snapshotPosition: number;
  /**
   * The records after `from`, or else after the snapshot: whole frames, one after the other, oldest first. If a process died
   * while it wrote to a file, a partial frame follows the last whole one; `position` does not count it.
   */
  records: Uint8Array;
}

/**
 * A store in which a save costs what is new in the session. Under each key it keeps a journal: a snapshot, and the records of
 * what came since. It also keeps items: texts and bytes under keys of their own.
 *
 * Keys are texts of 1 to 200 bytes without `?` and control characters. Positions are whole numbers below 2^53; a journal begins at any of
 * them.
 */
export interface JournalStore {
  /**
   * What is saved under a key; `null` if nothing is.
   *
   * @param from The position that the caller has: only what came after it is read.
   */
  read(key: string, from?: number): Promise<Journal | null>;
  /**
   * Puts records behind the last one, all or none. The journal stands at `expectedPosition + records.length` then.
   *
   * @param records Whole frames.
   * @throws {ContextError} `STORE_CONFLICT` if the journal stands elsewhere, or does not exist.
   */
  append(key: string, expectedPosition: number, records: Uint8Array[]): Promise<void>;
  /**
   * Replaces everything by a snapshot, in one step. The journal stands at `position` then, without records.
   *
   * @param expectedPosition Where the journal stands; `null`: nothing is there.
   * @throws {ContextError} `STORE_CONFLICT` if it stands elsewhere, does not exist, or exists though nothing should.
   */
  replace(key: string, expectedPosition: number | null, snapshot: Uint8Array, position: number): Promise<void>;
  /** Removes the journal and its lease, the item `KEY:lease`. If nothing is there, nothing happens. */
  remove(key: string): Promise<void>;
  /** The keys of journals with this prefix, in any order. */
  list(prefix?: string): Promise<string[]>;
  /** The text under a key; `null` if there is none. */
  getItem(key: string): Promise<string | null>;
  /** Stores a text. */
  setItem(key: string, value: string): Promise<void>;
  /** Removes an item. */
  removeItem(key: string): Promise<void>;
  /** The bytes under a key; `null` if there are none. */
  getItemRaw(key: string): Promise<Uint8Array | null>;
  /** Stores bytes. Storing the same again makes the item new, for `removeOlder`. */
  setItemRaw(key: string, value: Uint8Array): Promise<void>;
  /** The keys of items with this prefix, in any order. Journals are not among them. */
  getKeys(prefix?: string): Promise<string[]>;
  /**
   * Stores the text `next` if `expected` is there (`null`: nothing), in one step. Returns whether it did.
   *
   * @param options `ttlMs`: the item may be gone after this many milliseconds.
   */
  compareAndSet(key: string, expected: string | null, next: string, options?: { ttlMs?: number }): Promise<boolean>;
  /** Removes an item that was stored more than `ms` milliseconds ago, by the store's own clock, in one step. Returns whether it did. */
  removeOlder(key: string, ms: number): Promise<boolean>;
  /** Closes what the store opened itself. What the caller passed in stays open. */
  close?(): Promise<void>;
}

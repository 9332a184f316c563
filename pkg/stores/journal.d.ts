/** What a store holds under a key: the parts that the caller asked for. */
export interface Journal {
  /** How far the saved session has come: the position after the last record. */
  position: number;
  /** The snapshot; `null` if the caller has it already, because `from` is not before `snapshotPosition`. */
  snapshot: Uint8Array | null;
  /** The position of the snapshot. */
  snapshotPosition: number;
  /**
   * The records after `from`, or after the snapshot if that is included: whole frames, concatenated, oldest first. If a process
   * died while it wrote to a file, a partial frame may follow the last whole one; `position` does not count it.
   */
  records: Uint8Array;
}

/**
 * A store in which a save writes only what is new in the session. Under each key it keeps a journal: a snapshot, and the records
 * of what came since. It also keeps items: texts and bytes under keys of their own.
 *
 * Keys are texts of 1 to 200 bytes without `?` and control characters. Positions are whole numbers below 2^53; a journal may begin
 * at any position.
 *
 * Its methods must not await `save` or `flush` of the session that is using it: these wait for the methods.
 */
export interface JournalStore {
  /**
   * Returns what is saved under a key; `null` if nothing is.
   *
   * @param from The position that the caller has already: only what came after it is read.
   */
  read(key: string, from?: number): Promise<Journal | null>;
  /**
   * Appends records, all or none. The journal's position is then `expectedPosition + records.length`.
   *
   * @param records Whole frames.
   * @throws {ContextError} `STORE_CONFLICT` if the journal is at another position, or does not exist.
   */
  append(key: string, expectedPosition: number, records: Uint8Array[]): Promise<void>;
  /**
   * Replaces everything by a snapshot, atomically. The journal is then at `position`, without records.
   *
   * @param expectedPosition The journal's current position; `null`: the journal must not exist.
   * @throws {ContextError} `STORE_CONFLICT` if it is at another position, does not exist, or exists although it must not.
   */
  replace(key: string, expectedPosition: number | null, snapshot: Uint8Array, position: number): Promise<void>;
  /** Removes the journal and its lease, the item `KEY:lease`. Does nothing if there is none. */
  remove(key: string): Promise<void>;
  /** Returns the keys of journals with this prefix, in any order. */
  list(prefix?: string): Promise<string[]>;
  /** Returns the text under a key; `null` if there is none. */
  getItem(key: string): Promise<string | null>;
  /** Stores a text. */
  setItem(key: string, value: string): Promise<void>;
  /** Removes an item. */
  removeItem(key: string): Promise<void>;
  /** Returns the bytes under a key; `null` if there are none. */
  getItemRaw(key: string): Promise<Uint8Array | null>;
  /** Stores bytes. Storing the same bytes again resets the item's age for `removeOlder`. */
  setItemRaw(key: string, value: Uint8Array): Promise<void>;
  /** Returns the keys of items with this prefix, in any order. Journals are not among them. */
  getKeys(prefix?: string): Promise<string[]>;
  /**
   * Stores the text `next` if the current text is `expected` (`null`: no item), atomically. Returns whether it did.
   *
   * @param options `ttlMs`: the item may expire after this many milliseconds.
   */
  compareAndSet(key: string, expected: string | null, next: string, options?: { ttlMs?: number }): Promise<boolean>;
  /** Atomically removes an item if it was stored more than `ms` milliseconds ago by the store's own clock. Returns whether it did. */
  removeOlder(key: string, ms: number): Promise<boolean>;
  /** Closes what the store has opened itself. Clients and databases that were passed in stay open. */
  close?(): Promise<void>;
}

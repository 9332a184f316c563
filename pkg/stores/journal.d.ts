/** What a store holds under a key, as far as it was asked for. */
export interface Journal {
  /** How far the saved session has come: the position behind the last record. */
  position: number;
  /** The snapshot; `null` where the caller has it already: its `from` is not before `snapshotPosition`. */
  snapshot: Uint8Array | null;
  /** The position of the snapshot. */
  snapshotPosition: number;
  /**
   * The records behind `from`, or else behind the snapshot: whole frames, one behind the other, oldest first. Behind the last whole one, a
   * store of files has what a process that died left of the next; `position` does not count it.
   */
  records: Uint8Array;
}

/**
 * A store in which saving a session costs what is new in it, not all of it: under each key it keeps a snapshot, and the records of what
 * came since. Beside these journals it keeps items: texts and bytes under keys of their own.
 *
 * Keys are texts of 1 to 200 bytes without `?` and control characters. Positions are whole numbers below 2^53; a journal begins at any of
 * them.
 */
export interface JournalStore {
  /**
   * What is saved under a key; `null` where nothing is.
   *
   * @param from The position that the caller has: only what is behind it is read.
   */
  read(key: string, from?: number): Promise<Journal | null>;
  /**
   * Puts records behind the last one, all or none. The journal stands at `expectedPosition + records.length` then.
   *
   * @param records Whole frames.
   * @throws {ContextError} `STORE_CONFLICT` where the journal stands elsewhere, or is not there.
   */
  append(key: string, expectedPosition: number, records: Uint8Array[]): Promise<void>;
  /**
   * Puts a snapshot in the place of what is there, in one step. The journal stands at `position` then, without records.
   *
   * @param expectedPosition Where the journal stands; `null`: nothing is there.
   * @throws {ContextError} `STORE_CONFLICT` where it stands elsewhere, is not there, or is there though nothing should be.
   */
  replace(key: string, expectedPosition: number | null, snapshot: Uint8Array, position: number): Promise<void>;
  /** Removes the journal and its lease, the item `KEY:lease`. Where nothing is, nothing happens. */
  remove(key: string): Promise<void>;
  /** The keys of journals that begin so, in any order. */
  list(prefix?: string): Promise<string[]>;
  /** The text under a key; `null` where there is none. */
  getItem(key: string): Promise<string | null>;
  /** Stores a text. */
  setItem(key: string, value: string): Promise<void>;
  /** Takes an item out. */
  removeItem(key: string): Promise<void>;
  /** The bytes under a key; `null` where there are none. */
  getItemRaw(key: string): Promise<Uint8Array | null>;
  /** Stores bytes. To put the same again makes the item new again, for `removeOlder`. */
  setItemRaw(key: string, value: Uint8Array): Promise<void>;
  /** The keys of items that begin so, in any order. Journals are not among them. */
  getKeys(prefix?: string): Promise<string[]>;
  /**
   * Stores the text `next` if `expected` is what is there (`null`: nothing), in one step; whether it did.
   *
   * @param options `ttlMs`: it may be gone after so many milliseconds.
   */
  compareAndSet(key: string, expected: string | null, next: string, options?: { ttlMs?: number }): Promise<boolean>;
  /** Removes an item that was stored longer ago than so many milliseconds, by the store's own clock, in one step; whether it did. */
  removeOlder(key: string, ms: number): Promise<boolean>;
  /** Ends what the store opened itself. What the caller handed in stays open. */
  close?(): Promise<void>;
}

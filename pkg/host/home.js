// A place in a store where a session is saved, and the position of its journal there.

import { ContextError } from "../error.js";
import { journalEnd } from "../wasm/contextfold_bg.js";

/** Where a session was last loaded from or saved. It is never changed: `with` makes another one. */
export class Home {
  /** The position of its journal there; `undefined` if nothing was there. */
  position;
  /** The checksum of the last record there, or else of the snapshot. It tells apart two journals at the same position. */
  last;
  /** Bytes of the snapshot, and of the records after it. */
  snapshot = 0;
  tail = 0;
  /** Whether the stored data is incomplete: then the next save writes a new snapshot. */
  isIncomplete = false;
  /** What unanswered saves may have written: the position afterwards, and the checksum of the snapshot or of the last record. */
  attempts = [];

  constructor(store, key) {
    this.store = store;
    this.key = key;
  }

  with(changes) {
    return Object.assign(new Home(this.store, this.key), this, changes);
  }

  /** The same place, advanced to what was read. */
  advancedTo(there) {
    const { snapshot, records, position } = there;
    const sizes = snapshot ? { snapshot: snapshot.length, tail: records.length } : { tail: this.tail + records.length };
    return this.with({ ...sizes, position, last: lastOf(there) });
  }

  /** The key of the lease for a summary. */
  get lease() {
    return `${this.key}:lease`;
  }

  isAt(store, key) {
    return this.key === key && this.store.is(store);
  }

  /** Whether it is the same place at the same position. */
  is(other) {
    return this.isAt(other.store, other.key) && this.position === other.position;
  }

  /** Whether somebody else has saved since. */
  async hasMovedOn() {
    const there = await this.store.read(this.key, this.position);
    return there?.position !== this.position;
  }
}

/** The checksum of the last record, or else of the snapshot. */
export function lastOf({ snapshot, records }) {
  try {
    return journalEnd(snapshot, records);
  } catch {
    return undefined; // the records are damaged
  }
}

/** The error for a key under which nothing is saved any more. */
export function removed({ key, position }) {
  return new ContextError(
    "STORE_CONFLICT",
    position === undefined
      ? `another writer saved under \`${key}\` and then removed it; nothing was written. Save again`
      : `the session saved under \`${key}\` was removed after this session was loaded or saved; nothing was written. To bring it back, save \`Session.restore(session.snapshot())\`, or save under another key`,
  );
}

/** The error if somebody else has saved. */
export function conflict({ key, position }) {
  return new ContextError(
    "STORE_CONFLICT",
    position === undefined
      ? `a session is already saved under \`${key}\`; nothing was overwritten. Load that session, or save under another key`
      : `another writer saved under \`${key}\` after this session was loaded or saved; nothing was overwritten. Load the session again and push the new messages`,
  );
}

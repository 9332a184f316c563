// Saving and loading sessions, and noticing if somebody else has saved in the meantime.
//
// A store holds a journal under a key: a snapshot, and the records of what came after it. A save appends new records, if the journal is
// still at the position that this session knows.
//
// A store only has to append and to replace, each whole or not at all and only at the expected position; leases, retries and the meaning
// of a conflict are handled here. A save that failed may have been made if its answer was lost: what the store has behind its position is
// read, and if it is our own records, the save was made.
//
// A new snapshot replaces the records when they have more than 64 KiB and more than twice the bytes of the snapshot; after `erase`, so that
// nothing of what was erased stays; and if what the store holds is not whole.

import { ContextError } from "../error.js";
import { allRequestsDone } from "./background.js";
import { Home, conflict, lastOf, removed } from "./home.js";
import { release } from "./lease.js";
import { copyOutputs, readFrom } from "./outputs.js";
import { Store } from "./store.js";
import { refuseAborted, refuseFreed, wait, within } from "./wait.js";

/** A new snapshot is written when the records after the last one are more than this many times its size … */
const MAX_TAIL_FACTOR = 2;
/** … and more than this many bytes. */
const MIN_TAIL_BYTES = 1 << 16;
/** How long a save waits for the one before it, in milliseconds, since a store may never answer. */
const MAX_WAIT_MS = 60_000;

/** Saves the session after the saves that are in progress. */
export function save(engine, object, key) {
  const { state } = engine;
  const before = state.saving;
  const saving = saveAfter(before, engine, new Store(object), key);
  state.saving = saving;
  state.begin(saving.catch(() => {})); // its error goes to the caller
  return saving.then(); // a promise of its own, so that an error that nobody handles is reported
}

async function saveAfter(before, engine, store, key) {
  await ended(before);
  try {
    await saveNow(engine, store, key);
  } finally {
    engine.free();
  }
}

/** Waits for a save, whose error goes to its own caller. */
const ended = (saving) => saving && within(saving.catch(() => {}), MAX_WAIT_MS);

/** Waits for the session's own saves. */
export const ownSavesDone = (state) => ended(state.saving);

async function saveNow(engine, store, key) {
  const { state } = engine;
  refuseFreed(state);
  const unconfirmed = state.unconfirmed?.isAt(store, key) ? state.unconfirmed : undefined;
  let home = unconfirmed ?? state.knownHome(store, key) ?? (await knownInOtherObject(state, store, key));
  await copyOutputs(engine, home.store);
  for (const isLast of [false, true]) {
    const now = engine.position(); // read again each time, since the session as it is then is written
    if (home.position === now && !home.isIncomplete) break; // nothing has changed since
    try {
      home = await written(engine, home, now);
      break;
    } catch (error) {
      if (state.unconfirmed?.isAt(home.store, home.key)) home = state.unconfirmed; // with what was tried just now
      try {
        home = await afterFailedSave(engine, home, now, error, isLast);
      } catch (error) {
        if (isConflict(error)) await release(state); // whoever loads what the store has need not wait for this session
        throw error;
      }
    }
  }
  engine.setStoreNotice(home.store.notice);
  engine.store ??= home.store.object;
  state.moveTo(home);
  if (!state.waitsForSummary) await release(state); // while a summary is being written, the next save gives the lease back
}

/** Appends what is new, or writes a new snapshot if the records have grown too large. */
async function written(engine, home, now) {
  const records = home.position === undefined || home.isIncomplete ? undefined : engine.recordsSince(home.position);
  const tail = records?.reduce((sum, record) => sum + record.length, home.tail);
  if (records && tail <= Math.max(MIN_TAIL_BYTES, MAX_TAIL_FACTOR * home.snapshot)) return appended(engine, home, now, records, tail);
  const snapshot = engine.snapshot();
  const last = lastOf({ snapshot, records: new Uint8Array() });
  const attempt = attempted(engine, home, now, last);
  try {
    await home.store.replace(home.key, home.position, snapshot, now);
  } catch (error) {
    if (!records || !isFull(error)) throw error;
    // There may still be room for the records.
    return appended(engine, attempt, now, records, tail).catch((second) => Promise.reject(isConflict(second) ? second : error));
  }
  return home.with({ position: now, snapshot: snapshot.length, tail: 0, last, isIncomplete: false, attempts: [] });
}

async function appended(engine, home, now, records, tail) {
  const last = engine.newestRecord;
  attempted(engine, home, now, last);
  await home.store.append(home.key, home.position, records);
  return home.with({ position: now, tail, last, attempts: [] });
}

/** Notes that a save is being tried, since its answer may never come. */
function attempted({ state }, home, position, last) {
  state.unconfirmed = home.with({ attempts: [...home.attempts, { position, last }] });
  return state.unconfirmed;
}

const isConflict = (error) => error?.code === "STORE_CONFLICT";

/** How stores say that they are full: the codes of file systems, SQLite and PostgreSQL, and the name of the browsers' error. */
const FULL = ["ENOSPC", "EDQUOT", "SQLITE_FULL", "53100", "QuotaExceededError"];

/** Whether a store said that it is full. Redis says so in words only. */
function isFull(error) {
  for (let n = 0; error && n < 5; n++, error = error.cause) {
    if (FULL.includes(error.code) || FULL.includes(error.name) || /^OOM /.test(error.message)) return true;
  }
  return false;
}

/**
 * After a failed save, looks at what the store holds. The answer to a save may have got lost; then the next try continues from there. If
 * somebody else has saved, it is a conflict. Returns where the session is saved.
 */
async function afterFailedSave(engine, home, now, error, isLast) {
  const conflicts = isConflict(error);
  let there;
  try {
    there = await home.store.read(home.key, home.position);
  } catch (unreadable) {
    throw conflicts ? unreadable : error; // what it holds is unknown: the next save looks again
  }
  if (!there) throw home.position === undefined && !conflicts ? error : removed(home);
  if (there.position === home.position || there.notice !== undefined) throw error; // nothing was written; or what is there is a guess, and does not prove that a save succeeded
  if (!isOurs(engine, home, there) || there.position > now) throw conflict(home);
  const moved = home.advancedTo(there).with({ attempts: [] });
  engine.state.moveTo(moved);
  if (isLast && there.position !== now) throw error;
  return moved;
}

/** Whether what the store holds was written by this session. */
function isOurs(engine, home, there) {
  const last = lastOf(there);
  const isTried = last !== undefined && home.attempts.some((attempt) => attempt.position === there.position && attempt.last === last);
  if (there.snapshot || home.position === undefined) return there.records.length === 0 && isTried;
  // The store went back, as to a backup: it is ours if this session was at that position, else another session took the key.
  if (there.position < home.position) return engine.recordsSince(there.position) !== undefined;
  const ours = engine.recordsSince(home.position);
  return (ours !== undefined && startsWith(ours, there.records)) || isTried;
}

/** Whether these pieces begin with these bytes. */
function startsWith(pieces, bytes) {
  let at = 0;
  for (const piece of pieces) for (const byte of piece) if (at < bytes.length && byte !== bytes[at++]) return false;
  return at === bytes.length;
}

/**
 * A store that looks new may be a known one in another object. If it holds what this session saved under the key, the session continues
 * from there.
 */
async function knownInOtherObject(state, store, key) {
  const home = new Home(store, key);
  const known = state.homesUnder(key);
  const positions = known.map(({ position }) => position).filter((position) => position !== undefined);
  if (positions.length === 0) return home;
  let there = await store.read(key, Math.max(...positions));
  if (there && positions.includes(there.position)) there = await store.read(key, Math.max(there.position - 1, 0)); // with its last record
  if (!there) return home;
  const last = lastOf(there);
  const same = known.find((known) => known.position === there.position && known.last === last);
  return same ? same.with({ store }) : home;
}

/** Loads a session. `loader` has read the options. */
export async function load(loader, object, key) {
  const home = new Home(new Store(object), key);
  const there = await home.store.read(key);
  if (!there) throw new ContextError("UNKNOWN_REF", `no session is saved under \`${key}\`: create one and \`save\` it there`);
  const engine = opened(loader, home, there);
  try {
    return engine.session();
  } finally {
    engine.free();
    loader.free();
  }
}

/** The session that a store holds, ready to be saved there again. */
export function opened(loader, home, there) {
  const { position, notice } = there;
  let engine;
  try {
    engine = loader.open(there);
  } catch (error) {
    throw error?.code === "SNAPSHOT_INVALID" ? damaged(home, error) : error;
  }
  // If the last records are incomplete, the store's position is ahead of the session's. The next save repairs that.
  const isIncomplete = notice !== undefined || engine.recordedPosition !== position;
  if (engine.recordedPosition < position) engine.beginJournal(position + 1);
  const said = notice ?? home.store.notice;
  if (said !== undefined) engine.setStoreNotice(said);
  readFrom(engine, home.store);
  engine.state.home = home.advancedTo(there).with({ isIncomplete });
  return engine;
}

/** If the store returns something that is not a session, the store has failed. */
function damaged({ key }, cause) {
  const why = `the session in the store under \`${key}\` is damaged, incomplete, or encrypted (then the store has to be wrapped as it was when it was saved). Nothing in memory is lost: save it under another key. To use this key again, remove its data from the store`;
  return new ContextError("STORE_FAILED", why, { cause });
}

/** Waits for everything in progress, and reports the first error since the last call. */
export async function flush(engine, signal) {
  await undefined;
  const { state } = engine;
  refuseAborted(signal);
  refuseFreed(state);
  await wait(everythingDone(engine), signal, state);
  const { workFailed } = state;
  state.workFailed = undefined;
  if (workFailed) throw workFailed.error;
}

async function everythingDone(engine) {
  const { state } = engine;
  try {
    await allRequestsDone(state);
    engine.moveDueOutputs(); // retry what a store refused before
    while (state.work.size > 0) await state.work.values().next().value;
  } finally {
    engine.free();
  }
}

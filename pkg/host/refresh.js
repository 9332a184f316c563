// A session that catches up with what another process saved.
//
// It reads the missing records into a copy that shares its messages; the session then becomes that copy, or stays as it was. If options or
// the way of counting changed, the session is read from the beginning.

import { ContextError } from "../error.js";
import { conflict, removed } from "./home.js";
import { readFrom } from "./outputs.js";
import { opened, ownSavesDone } from "./saving.js";
import { refuseFreed } from "./wait.js";

/** Resolves to whether there was anything new. */
export async function refresh(engine) {
  try {
    return await refreshed(engine);
  } finally {
    engine.free();
  }
}

async function refreshed(engine) {
  await undefined;
  for (;;) {
    refuseFreed(engine.state);
    await ownSavesDone(engine.state);
    const home = homeOf(engine);
    const there = await home.store.read(home.key, home.position);
    if (!homeOf(engine).is(home)) continue; // this session was saved in the meantime
    if (!there) throw removed(home);
    return there.position === home.position ? false : caughtUp(engine, home, there);
  }
}

/** Where the session was saved last, or loaded from. */
function homeOf(engine) {
  const { state } = engine;
  refuseFreed(state);
  const { home } = state;
  if (!home) throw new ContextError("INVALID_ARGUMENT", "the session was not loaded from a store or saved to one");
  return home;
}

async function caughtUp(engine, home, there) {
  const { state } = engine;
  const known = home.position ?? 0;
  if (there.position < known) {
    // The store went back, as to a backup. The next save writes what it lacks; if those records are gone, it is a conflict.
    if (engine.recordsSince(there.position) === undefined) throw conflict(home);
    state.moveTo(home.advancedTo(there));
    return false;
  }
  if (engine.isOfAnother(there.position)) throw conflict(home); // the session was removed, and another one took the key
  refuseChanged(engine, home);
  if (!there.snapshot && there.notice === undefined && tookIn(engine, home, there)) {
    state.moveTo(home.advancedTo(there));
    readFrom(engine, home.store);
    engine.deliverEvents();
    return true;
  }
  // Options have changed, or what is new is in a snapshot.
  const whole = there.snapshot ? there : await home.store.read(home.key);
  if (!whole) throw removed(home);
  refuseChanged(engine, home); // the store may have taken a while
  const loader = engine.loader(); // with the session's own functions
  const again = opened(loader, home, whole);
  try {
    loader.takeOver();
    state.moveTo(again.state.home);
    readFrom(engine, home.store);
  } finally {
    again.free();
    loader.free();
  }
  engine.deliverEvents();
  return true;
}

/** Refuses if this session has unsaved changes or a running compaction. */
function refuseChanged(engine, home) {
  const { state } = engine;
  refuseFreed(state);
  if (engine.position() !== home.position) throw conflict(home);
  if (state.running) throw new ContextError("INVALID_ARGUMENT", "a compaction is running: wait for it");
}

/** Applies records to the session; returns false if the session has to be read from the beginning. */
function tookIn(engine, { key }, { records, position }) {
  try {
    return engine.takeIn(records, position);
  } catch (cause) {
    if (cause?.code !== "SNAPSHOT_INVALID") throw cause;
    throw new ContextError("STORE_FAILED", `the data in the store under \`${key}\` does not continue what was loaded from it`, { cause });
  }
}

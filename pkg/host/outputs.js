// Tool outputs that are in the store and not in memory: moving them there, and reading and searching them.

import { ContextError } from "../error.js";
import { Store, storeFailed } from "./store.js";
import { pause, refuseFreed } from "./wait.js";

/** The milliseconds after which a search lets the event loop go on. */
const SLICE_MS = 10;
/** What a slice returns that came to the end. */
const DONE = Infinity;

const storeOf = ({ store }) => store && new Store(store);

/** The stores that may hold an output: the session's own first. */
const storesOf = (engine) => [storeOf(engine), engine.state.elsewhere].filter(Boolean);

/** An output's bytes from the first of these stores that has it; `undefined` if none has it. */
async function firstFound(stores, key) {
  for (const store of stores) {
    const bytes = await store.bytes(key);
    if (bytes) return bytes;
  }
  return undefined;
}

/** Moves these outputs to the store. Those that it refuses stay in memory, and `flush` reports the error. */
export function moveOutputs(engine, ids) {
  engine.state.begin(moved(engine, ids));
}

async function moved(engine, ids) {
  await undefined;
  const { state } = engine;
  const store = storeOf(engine);
  let count = 0;
  try {
    for (const id of ids) {
      refuseFreed(state);
      const output = engine.stored(id);
      if (!output) continue; // it was collected in the meantime
      await store.putBytes(output.key, output.bytes);
      refuseFreed(state);
      if (engine.moveToStore(id, output)) count += 1; // else the view shows it again
    }
  } finally {
    engine.haveMoved();
  }
  if (count > 0) engine.moveDueOutputs(); // more may have come in the meantime
  engine.free();
}

/** Calls `read` when an output that is in the store was fetched. The module keeps the last one that was fetched. */
async function whenFetched(engine, id, read) {
  await undefined; // the store is not called within the caller's call
  refuseFreed(engine.state);
  const key = engine.missing(id);
  if (key === undefined) return read(); // it is in memory
  const stores = storesOf(engine);
  if (stores.length === 0) throw storeFailed(`the tool output \`${id}\` is in the store; pass the session its \`store\` again`);
  const bytes = await firstFound(stores, key);
  if (!bytes) {
    const why = `the tool output \`${id}\` is no longer in the store under \`${key}\`; run its tool again, or store the output again under another ref`;
    throw new ContextError("UNKNOWN_REF", why);
  }
  try {
    engine.keepFetched(id, bytes);
  } catch (cause) {
    if (cause?.code !== "SNAPSHOT_INVALID") throw cause;
    throw storeFailed(`it returned something else than was stored for the tool output \`${id}\``, { cause });
  }
  return read();
}

/** Reads lines of a stored output. `read` is the module's request. */
export const readOutput = (read) => whenFetched(read.engine, read.id, () => read.answer());

/** A whole output, which stays in memory from now on. */
export const bringBack = (engine, id, cache) =>
  whenFetched(engine, id, () => {
    engine.bringBack(id);
    return cache.__whole(id);
  });

/** Searches in slices, with the event loop free in between. `search` is the module's search. */
export async function inSlices(search) {
  await undefined;
  const { engine, id } = search;
  const slice = (ms) => () => taken(search, ms);
  for (let left = search.milliseconds; ; ) {
    const ms = Math.min(SLICE_MS, left);
    // An output is looked for each time, because it may have left memory in the meantime.
    const spent = await (id === undefined ? slice(ms)() : whenFetched(engine, id, slice(ms)));
    left -= spent;
    if (spent === DONE || left <= 0) return search.finish();
    await pause(0);
    refuseFreed(engine.state);
  }
}

/** Searches for this many milliseconds. Returns how many it took, or `DONE`. */
function taken(search, ms) {
  const began = Date.now();
  for (;;) {
    if (search.resume()) return DONE;
    const spent = Math.max(Date.now() - began, 0.1); // so that it ends even if the clock stands still or was set back
    if (spent >= ms) return spent;
  }
}

/** Copies outputs that may be in other stores into the store that the session is saved in, except those copied by the save before. */
export async function copyOutputs(engine, to) {
  const { state } = engine;
  const stores = storesOf(engine).filter((store) => !store.is(to));
  if (stores.length === 0) return;
  const keys = state.copied?.store.is(to) ? state.copied.keys : new Set();
  for (const key of engine.storeKeys()) {
    if (keys.has(key)) continue;
    const bytes = await firstFound(stores, key);
    if (!bytes) continue;
    await to.putBytes(key, bytes);
    keys.add(key);
  }
  const isOwn = storeOf(engine)?.is(to);
  if (state.elsewhere) state.elsewhere = isOwn ? undefined : to; // it has all of them now
  if (!isOwn) state.copied = { store: to, keys };
}

/** The session was read from this store. */
export function readFrom(engine, store) {
  engine.store ??= store.object;
  engine.state.elsewhere = store.is(storeOf(engine)) ? undefined : store;
}

// One process of a fleet: it pushes messages into sessions and saves them until its part is done or it is killed. What a store has
// acknowledged is written to the process's own log on disk before it goes on.

import { appendFileSync, fsyncSync, openSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { Session } from "contextfold";
import { random } from "../../../benches/tokens/generate.mjs";
import { OPTIONS, digestOf, keysOf, message } from "./messages.mjs";
import { storeOf } from "./store.mjs";

/** The share of saves to sessions that everybody writes to. */
const SHARED = 0.2;
/** How often a session in memory is loaded anew, or else refreshed, before it is written to. */
const LOADS = 0.2;
const REFRESHES = 0.4;
/** How often a message is followed by a `prepare`, which folds what does not fit. */
const PREPARES = 0.05;

const { kind, place, log, out, name, slot, part, seed, ...fleet } = JSON.parse(process.argv[2]);
const next = random(seed);
const { own, shared } = keysOf(fleet, slot);
const { store, end } = await storeOf(kind, place);
const held = new Map();
const file = openSync(log, "a");

// The fleet's own end, in case nobody tells this process.
process.once("disconnect", () => process.exit(3));
process.send("up");

for (let n = 1; n <= part; n++) {
  const key = pick(next() < SHARED ? shared : own);
  const started = performance.now();
  const conflicts = await save(key, message(name, n, next));
  const ms = performance.now() - started;
  appendFileSync(file, `${n} ${key} ${conflicts} ${ms.toFixed(2)}\n`);
  fsyncSync(file);
}

const asked = once(process, "message");
process.send("done");
await asked;
const digests = {};
for (const [key, session] of held) {
  await session.refresh();
  digests[key] = digestOf(session);
}
writeFileSync(out, JSON.stringify(digests));
await end();
process.removeAllListeners("disconnect");
process.disconnect();

/** Retries until it is saved; returns how often another process had saved before. */
async function save(key, said) {
  for (let conflicts = 0; ; conflicts++) {
    const session = await current(key);
    session.push(said);
    if (next() < PREPARES) await session.prepare();
    try {
      await session.save(store, key);
      return conflicts;
    } catch (error) {
      if (error.code !== "STORE_CONFLICT") throw error;
      letGo(key);
    }
  }
}

/** The session as it is in memory, refreshed, or loaded, at random. */
async function current(key) {
  if (held.has(key) && next() < LOADS) letGo(key);
  if (held.has(key)) {
    const session = held.get(key);
    if (next() < REFRESHES) await session.refresh();
    return session;
  }
  const session = await Session.load(store, key).catch((error) => {
    if (error.code !== "UNKNOWN_REF") throw error;
    return new Session(OPTIONS);
  });
  held.set(key, session);
  return session;
}

function letGo(key) {
  held.get(key).free();
  held.delete(key);
}

function pick(list) {
  return list[Math.floor(next() * list.length)];
}

// Two processes on one session: only one of them asks for a summary. The other one waits, and then has to load the session again.
//
// The lease is a text in the store that says who has it and until when. It is given back if no summary was made, after the session was
// saved with the summary, and when the session is freed. If a process dies, its lease expires. A session whose view fits does not wait.

import { ContextError } from "../error.js";
import { conflict } from "./home.js";
import { pause, wait, within } from "./wait.js";

/** How long a summary may take before another process may ask for it as well, in milliseconds. */
const TTL_MS = 120_000;
/** How often a waiting process checks the lease, in milliseconds. */
const POLL_MS = 200;
/** How long a store may take to answer about the lease, in milliseconds. */
const STORE_TIMEOUT_MS = 10_000;

const HELD_BY_ANOTHER =
  "another process is summarising this session, and this view fits without a summary. Load the session again after that process has saved";

/**
 * Takes the lease, if the session is saved somewhere. With `waits`, it waits for another process that has it; once that one has saved, this
 * session is outdated (STORE_CONFLICT). If the store fails or does not answer, the summary is asked for anyway. The wait for one holder
 * never exceeds the life of a lease, even if a clock stands still or is behind.
 */
export async function takeLease(engine, signal, waits) {
  const { state } = engine;
  const { home } = state;
  if (!home) return;
  let [waited, hasWaited, holder] = [0, false];
  for (;;) {
    const attempt = { hasWaited, heldBy: undefined, left: undefined, isOutdated: false, isAnswered: false, nobodyWaits: false };
    try {
      await wait(within(makeAttempt(engine, home, attempt), STORE_TIMEOUT_MS), signal, state);
    } finally {
      attempt.nobodyWaits = !attempt.isAnswered;
    }
    if (!attempt.isAnswered) return;
    if (attempt.isOutdated) throw conflict(home);
    if (attempt.left === undefined) return;
    if (!waits) throw new ContextError("STORE_CONFLICT", HELD_BY_ANOTHER);
    if (attempt.heldBy !== undefined && attempt.heldBy !== holder) [waited, holder] = [0, attempt.heldBy]; // another process has it now
    if (waited > TTL_MS) return; // no lease lasts that long
    const ms = Math.min(Math.max(attempt.left, 1), POLL_MS);
    waited += ms;
    hasWaited = true;
    await wait(pause(ms), signal, state);
  }
}

/** An attempt to take the lease. It may still succeed when nobody waits for it any more; then the lease is given back. */
async function makeAttempt(engine, home, attempt) {
  const { state } = engine;
  try {
    await tryToTake(engine, home, attempt);
    if (attempt.hasWaited && (await home.hasMovedOn().catch(() => false))) {
      if (attempt.left === undefined) await giveBack(state);
      attempt.isOutdated = true;
    }
  } catch {} // the store fails: the summary is asked for anyway
  attempt.isAnswered = true;
  if (attempt.nobodyWaits) await giveBack(state);
}

/** Notes in the attempt for how many milliseconds another process still has the lease, if it is not ours now. */
async function tryToTake(engine, home, attempt) {
  const { state } = engine;
  if (state.leased && !state.leased.isAt(home.store, home.key)) await giveBack(state);
  const now = engine.clock();
  const there = await home.store.text(home.lease);
  const lease = parsed(there);
  if (lease && lease.token !== state.token && lease.until > now) {
    attempt.heldBy = lease.token;
    attempt.left = lease.until - now;
    return;
  }
  const taken = await home.store.swap(home.lease, there, `lease-${now + TTL_MS}-${state.token}`, TTL_MS);
  if (taken) state.leased = home;
  else attempt.left = POLL_MS;
}

function parsed(lease) {
  const [, until, token] = /^lease-(.*)-([^-]*)$/s.exec(lease ?? "") ?? [];
  return until && Number.isFinite(+until) ? { until: +until, token } : undefined;
}

/** Gives the lease back, if this session has one. */
export async function release(state) {
  if (state.leased) await within(giveBack(state), STORE_TIMEOUT_MS);
}

async function giveBack(state) {
  const { leased } = state;
  if (!leased) return;
  state.leased = undefined;
  try {
    const held = await leased.store.text(leased.lease);
    if (parsed(held)?.token === state.token) await leased.store.remove(leased.lease);
  } catch {} // the lease expires
}

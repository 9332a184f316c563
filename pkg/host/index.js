// What a session does outside the module: it waits for the caller's callbacks, for stores and for time. The module is synchronous, and
// calls these functions.

export { beginBackground } from "./background.js";
export { loopHooks } from "./loop.js";
export { bringBack, inSlices, moveOutputs, readOutput } from "./outputs.js";
export { refresh } from "./refresh.js";
export { finish, runOrJoin } from "./run.js";
export { flush, load, save } from "./saving.js";

import { release } from "./lease.js";
import { State } from "./state.js";

export const newState = () => new State();

/** The session was freed: what waits for it ends. */
export function freed(state, error) {
  state.end(error);
  if (state.leased) Promise.resolve().then(() => release(state)); // the store is not called while the session is being freed
}

/** A session was forked: the branch finds outputs where the session does. */
export function branched(state, branch) {
  branch.elsewhere = state.elsewhere;
}

/** Releases something when a promise has settled. */
export const holding = (promise, held) => promise.finally(() => held.release());

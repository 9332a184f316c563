// The error of a journal store for a process that another one was faster than.

import { ContextError } from "../error.js";

/** `STORE_CONFLICT`. `null` as a position: nothing is there. */
export function conflict(key, expected, there) {
  return new ContextError("STORE_CONFLICT", `${why(key, expected, there)}; nothing was written. Load it again, and push what is new`);
}

function why(key, expected, there) {
  if (there === null) return `what was saved under \`${key}\` is not there any more`;
  if (expected === null) return `a session is saved under \`${key}\` already`;
  return `somebody else saved under \`${key}\` since this session was loaded or saved`;
}

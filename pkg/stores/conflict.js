// The error of a journal store if another process was faster.

import { ContextError } from "../error.js";

/** Makes a `STORE_CONFLICT`. A position `null` means that there is no journal. */
export function conflict(key, expected, there) {
  return new ContextError("STORE_CONFLICT", `${why(key, expected, there)}; nothing was written. Load it again, and push what is new`);
}

function why(key, expected, there) {
  if (there === null) return `what was saved under \`${key}\` is not there any more`;
  if (expected === null) return `a session is saved under \`${key}\` already`;
  return `somebody else saved under \`${key}\` since this session was loaded or saved`;
}

// The error of a journal store if another process was faster.

import { ContextError } from "../error.js";

/** Makes a `STORE_CONFLICT`. A position `null` means that there is no journal. */
export function conflict(key, expected, there) {
  return new ContextError("STORE_CONFLICT", `${why(key, expected, there)}; nothing was written. Load the session again and push the new messages`);
}

function why(key, expected, there) {
  if (there === null) return `the session saved under \`${key}\` was removed`;
  if (expected === null) return `a session is already saved under \`${key}\``;
  return `another writer saved under \`${key}\` after this session was loaded or saved`;
}

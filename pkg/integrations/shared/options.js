// The options that every integration takes besides a session's own options.

import { ContextError, Session } from "contextfold";
import { optionsOf } from "../../given.js";
import { nearest } from "../../nearest.js";

const OWN = ["session", "key", "strict", "onError", "onReport"];

/**
 * Splits the options into the integration's own and those of a session.
 *
 * `more`: names of further options of the integration, which are named in errors even if the integration has taken them out.
 *
 * A test session is made, so that a wrong option throws at once, not in the middle of an agent's run. In a browser the module may
 * not be loaded yet; then the first call throws.
 */
export function readOptions(given, { more = [] } = {}) {
  const options = optionsOf(given);
  const own = {};
  const ofSession = {};
  for (const [key, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (OWN.includes(key) || more.includes(key)) own[key] = value;
    else ofSession[key] = value;
  }
  if (own.strict !== undefined && typeof own.strict !== "boolean") throw new ContextError("INVALID_CONFIG", "strict: expected true or false");
  if (own.signal !== undefined && !isSignal(own.signal)) throw new ContextError("INVALID_CONFIG", "signal: expected an AbortSignal");
  if (own.tools !== undefined && (typeof own.tools !== "object" || own.tools === null)) throw new ContextError("INVALID_CONFIG", "tools: expected the tools that the model gets");
  if (own.messagesKey !== undefined && typeof own.messagesKey !== "string") throw new ContextError("INVALID_CONFIG", "messagesKey: expected a text");
  for (const key of ["onError", "onReport"])
    if (own[key] !== undefined && typeof own[key] !== "function") throw new ContextError("INVALID_CONFIG", `${key}: expected a function`);
  if (own.cacheMarks !== undefined && !(Number.isInteger(own.cacheMarks) && own.cacheMarks >= 0 && own.cacheMarks <= 4)) throw new ContextError("INVALID_CONFIG", "cacheMarks: expected a whole number from 0 to 4");
  const isKey = typeof own.key === "function" || (typeof own.key === "string" && own.key !== "");
  if (own.key !== undefined && !isKey) throw new ContextError("INVALID_CONFIG", "key: expected a non-empty text, or a function that returns one");
  if (own.key !== undefined && own.session !== undefined) throw new ContextError("INVALID_CONFIG", "key: a \`session\` already identifies the conversation; set only one of the two");
  if (own.session !== undefined) {
    const [key] = Object.keys(ofSession);
    if (key) throw new ContextError("INVALID_CONFIG", `${key}: set it on the session that you pass as \`session\``);
    if (typeof own.session !== "function" && typeof own.session?.prepare !== "function")
      throw new ContextError("INVALID_CONFIG", "session: expected a Session, or a function that returns one");
  } else tryOut(ofSession, [...OWN, ...more]);
  // Tool outputs can be moved to a store without a key, but a conversation is saved under its key.
  if (ofSession.store !== undefined && own.key === undefined && ofSession.toolOutputCache?.memoryBytes == null)
    throw new ContextError("INVALID_CONFIG", "store: nothing is saved without a `key`; set one, a text (`\"chat-17\"`) or a function of the call that returns one");
  return { ...own, ofSession };
}

/** By its methods, because an AbortSignal may come from another realm or a polyfill. */
const isSignal = (value) => typeof value?.aborted === "boolean" && typeof value.addEventListener === "function";

function tryOut(ofSession, hooks) {
  try {
    new Session(ofSession).free();
  } catch (error) {
    if (error?.code !== "NOT_INITIALIZED") throw withHooksNames(error, ofSession, hooks);
  }
}

/** A session's error about an unknown option names only the session's options. This adds those of the hook. */
function withHooksNames(error, ofSession, hooks) {
  const unknown = Object.keys(ofSession).find((key) => error?.message?.includes(`\`${key}\`: unknown key`));
  if (unknown === undefined) return error;
  const near = nearest(unknown, hooks);
  if (near) return new ContextError("INVALID_CONFIG", `\`${unknown}\`: unknown key; did you mean \`${near}\`?`);
  if (error.message.includes("did you mean")) return error;
  return new ContextError("INVALID_CONFIG", `${error.message}; and of this hook ${hooks.map((name) => `\`${name}\``).join(", ")}`);
}

// Refuses what callers pass where they pass it. Taken apart later, it would throw an error of JavaScript's that names none of it.

import { ContextError } from "./error.js";

function refuse(name, expected) {
  throw new ContextError("INVALID_ARGUMENT", `${name}: expected ${expected}`);
}

/** The options, as an object. */
export function optionsOf(options = {}) {
  if (typeof options !== "object" || options === null) throw new ContextError("INVALID_CONFIG", "expected an object of options");
  return options;
}

/** An argument that is an object. */
export function objectOf(given, name) {
  return typeof given === "object" && given !== null ? given : refuse(name, "an object");
}

/** An argument that is a list. */
export function listOf(given, name) {
  return Array.isArray(given) ? given : refuse(name, "a list");
}

/** An argument with this method, such as a session. */
export function withMethod(given, method, expected) {
  return typeof given?.[method] === "function" ? given : refuse(expected[0], expected[1]);
}

/** A session, as far as the caller needs one. */
export const sessionWith = (method, given) => withMethod(given, method, ["session", "a Session"]);

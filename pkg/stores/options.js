// Reads the options of a store, as strictly as a session reads its own.

import { ContextError } from "../error.js";
import { unknownKeyIn } from "../nearest.js";

const KINDS = {
  flag: ["true or false", (value) => typeof value === "boolean"],
  text: ["a text", (value) => typeof value === "string"],
  name: ["a text that is not empty", (value) => typeof value === "string" && value !== ""],
  milliseconds: ["a number of milliseconds, 0 or more", (value) => Number.isFinite(value) && value >= 0],
  bytes: ["a number of bytes, 0 or more", (value) => typeof value === "number" && value >= 0],
  // Checked where it is used, because it is a client or a function.
  any: ["", () => true],
};

/**
 * The options, which may be left out.
 *
 * @param kinds which options there are, and the kind of each
 */
export function optionsOf(given = {}, kinds) {
  if (typeof given !== "object" || given === null) throw refusal(`options: expected an object with ${Object.keys(kinds).map((key) => `\`${key}\``).join(", ")}`);
  const wrong = unknownKeyIn(given, Object.keys(kinds));
  if (wrong !== undefined) throw refusal(wrong);
  for (const [key, value] of Object.entries(given)) {
    const [expected, isRight] = KINDS[kinds[key]];
    if (value !== undefined && !isRight(value)) throw refusal(`\`${key}\`: expected ${expected}`);
  }
  return given;
}

/** The error for a wrong argument. */
export const refusal = (message, cause) => new ContextError("INVALID_ARGUMENT", message, cause === undefined ? {} : { cause });

// The options of a loop that runs tools, besides those of every integration.

import { ContextError } from "contextfold";
import { readOptions } from "./options.js";

const OWN = ["execute", "maxSteps", "signal", "onResponse", "onEvent"];

/** Reads them, so that a wrong one throws before anything is loaded or sent. */
export function readLoopOptions(options) {
  const read = readOptions(options, { more: OWN });
  const { execute, maxSteps = 100, session } = read;
  for (const key of ["onResponse", "onEvent"])
    if (read[key] !== undefined && typeof read[key] !== "function") throw new ContextError("INVALID_CONFIG", `${key}: expected a function`);
  if (execute !== undefined && typeof execute !== "function" && (typeof execute !== "object" || execute === null))
    throw new ContextError("INVALID_CONFIG", "execute: expected an object with the tools by their names, or one function for all of them");
  // It limits what a run may cost, so a wrong value must not mean "no limit".
  if (maxSteps !== Infinity && !(Number.isInteger(maxSteps) && maxSteps >= 1))
    throw new ContextError("INVALID_ARGUMENT", "maxSteps: expected a whole number of model calls, at least 1 (or Infinity for no limit)");
  if (typeof session === "function") throw new ContextError("INVALID_CONFIG", "session: a run is one conversation, so pass the Session itself, not a function");
  return { ...read, execute: execute ?? {}, maxSteps };
}

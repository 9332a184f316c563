// The only error class. Callers can rely on its code; its message says what to do.

import { withDeeperStack, trimStack } from "./stack.js";

// By this mark, two copies of the package (ESM and CommonJS, or two versions) recognise each other's errors.
const BRAND = Symbol.for("contextfold.ContextError");

/** The most characters of a message. What callers pass may be larger, such as bytes in the place of a name. */
const LONGEST = 1_000;

/** What to do stands at the end, so the middle is left out. No character is split. */
function withoutMiddle(message) {
  if (!(message?.length > LONGEST)) return message;
  const head = message.slice(0, LONGEST / 2).replace(/[\uD800-\uDBFF]$/, "");
  return `${head} … ${message.slice(-LONGEST / 2).replace(/^[\uDC00-\uDFFF]/, "")}`;
}

export class ContextError extends Error {
  constructor(code, message, details = {}) {
    const limit = withDeeperStack();
    super(withoutMiddle(message), "cause" in details ? { cause: details.cause } : undefined);
    trimStack(this, limit);
    this.code = code;
    if (details.report !== undefined) this.report = details.report;
  }

  /** Makes `instanceof ContextError` accept the errors of another copy, too. Subclasses use the ordinary check. */
  static [Symbol.hasInstance](error) {
    return this === ContextError ? ContextError.isInstance(error) : Function.prototype[Symbol.hasInstance].call(this, error);
  }

  static isInstance(error) {
    return typeof error === "object" && error !== null && error[BRAND] === true;
  }
}

// On the prototype, so that they are not displayed as own fields of every error.
Object.defineProperties(ContextError.prototype, {
  name: { value: "ContextError", writable: true, configurable: true },
  [BRAND]: { value: true },
});

/** Gives a class its name, which a bundler may have changed. */
export function nameClass(of, name) {
  Object.defineProperty(of, "name", { value: name, configurable: true });
}
nameClass(ContextError, "ContextError");

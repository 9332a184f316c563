// The one error class. Its code is the contract; its message says what to do.

import { withDeeperStack, trimStack } from "./stack.js";

// Two copies of the package (ESM and CommonJS, or two versions) know each other's errors by this mark.
const BRAND = Symbol.for("contextfold.ContextError");

export class ContextError extends Error {
  constructor(code, message, details = {}) {
    const limit = withDeeperStack();
    super(message, "cause" in details ? { cause: details.cause } : undefined);
    trimStack(this, limit);
    this.code = code;
    if ("report" in details) this.report = details.report;
  }

  /** `instanceof` knows the errors of another copy, too; a class that extends this one is itself. */
  static [Symbol.hasInstance](error) {
    return this === ContextError ? ContextError.isInstance(error) : Function.prototype[Symbol.hasInstance].call(this, error);
  }

  static isInstance(error) {
    return typeof error === "object" && error !== null && error[BRAND] === true;
  }
}

// On the prototype, so that neither shows as an own field of every error.
Object.defineProperties(ContextError.prototype, {
  name: { value: "ContextError", writable: true, configurable: true },
  [BRAND]: { value: true },
});

// The limits of a conversation's session: its model's, and the tokens that each request reserves for its answer. A conversation
// has one model; with another model it counts as another conversation.

import { Session } from "contextfold";

/** At most this many model names are remembered. */
const MAX_MODELS = 1000;
/** At most this share of the window is reserved for the answer, because some clients request as much as possible, whatever the window. */
const MAX_RESERVED_SHARE = 0.75;

export class Limits {
  #window;
  #models;
  #windows = new Map();

  /** `window`: in tokens, for every model; `models`: a table of models' limits, looked up before the built-in one. */
  constructor({ window, models }) {
    this.#window = window;
    this.#models = models;
  }

  /** Options of the session. Unless a window was given, a model that is in no table has no limit until a refusal names one. */
  of({ model }, reserved) {
    const own = this.#windowOf(model);
    const window = this.#window ?? own;
    const isAsked = Number.isInteger(reserved) && reserved > 0 && window !== undefined;
    return {
      ...(own !== undefined && { model }),
      ...(this.#window !== undefined && { contextWindow: this.#window }),
      ...(window !== undefined && { reservedOutputTokens: isAsked ? Math.min(reserved, Math.floor(window * MAX_RESERVED_SHARE)) : 0 }),
    };
  }

  /** The window of a model; `undefined` if it is not known. */
  #windowOf(model) {
    if (typeof model !== "string") return undefined;
    if (!this.#windows.has(model)) {
      if (this.#windows.size >= MAX_MODELS) this.#windows.clear();
      this.#windows.set(model, windowOf({ model, ...(this.#models && { models: this.#models }) }));
    }
    return this.#windows.get(model);
  }
}

function windowOf(options) {
  let session;
  try {
    session = new Session(options);
    return session.window;
  } catch {
    return undefined;
  } finally {
    session?.free();
  }
}

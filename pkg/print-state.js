// What `console.log` and `JSON.stringify` show of a session, instead of its address in memory.

/** A few figures of a session, made when it is printed. */
function state() {
  try {
    const turns = this.items().filter(({ item_type }) => item_type === "USER_MESSAGE").length;
    return { messages: this.memory().messages, turns, tokens: this.tokens, limit: this.limit, folds: this.folds().length };
  } catch ({ code }) {
    return { code }; // freed, or one of its methods is running
  }
}

/** Gives a class `toJSON`, and the methods that `console.log` calls in Node, Bun and Deno. */
export function showState({ prototype }) {
  const shown = function (depth, options, inspect) {
    const text = inspect ?? JSON.stringify;
    return `Session ${text(state.call(this), options)}`;
  };
  const define = (key, value) => Object.defineProperty(prototype, key, { value, writable: true, configurable: true });
  define("toJSON", state);
  define(Symbol.for("nodejs.util.inspect.custom"), shown);
  define(Symbol.for("Deno.customInspect"), function (inspect, options) {
    return shown.call(this, 0, options, inspect);
  });
}

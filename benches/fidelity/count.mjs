// Exact tokens of messages, as a session counts them with an exact tokenizer: their texts, and what providers add per message and call.

const MESSAGE = 4;
const CALL = 8;

/** `exact` counts the tokens of a text. Counts are cached. */
export function counter(exact) {
  const known = new Map();
  const text = (s) => {
    let n = known.get(s);
    if (n === undefined) known.set(s, (n = exact(s)));
    return n;
  };
  const message = (m) =>
    MESSAGE + text(m.content ?? "") + (m.role === "tool" ? CALL : 0) +
    (m.tool_calls ?? []).reduce((sum, call) => sum + CALL + text(call.function.name) + text(call.function.arguments), 0);
  return { text, message, list: (messages) => messages.reduce((sum, m) => sum + message(m), 0) };
}

// Messages that are nothing but texts cross into the module as those texts: JSON would be written, copied and read again.

const encoder = new TextEncoder();

/** The keys that may stand in such a message, in the order in which they are written. */
const KEYS = ["role", "tool_call_id", "content", "tool_calls"];
const ROLES = new Set(["system", "developer", "user", "assistant", "tool"]);

/**
 * Role, call id, calls as JSON, and content, a NUL between them; `undefined` for a message that holds anything else.
 * @param {unknown} message
 */
export function pack(message) {
  if (typeof message !== "object" || message === null || Object.getPrototypeOf(message) !== Object.prototype) return;
  let at = 0;
  for (const key in message) while (KEYS[at] !== key) if (++at === KEYS.length) return;
  const { role, tool_call_id: callId, content, tool_calls: calls } = message;
  if (!ROLES.has(role) || typeof content !== "string") return;
  if (role === "tool" ? typeof callId !== "string" || callId.includes("\0") : callId !== undefined) return;
  if (calls !== undefined && !(role === "assistant" && Array.isArray(calls) && calls.length > 0)) return;
  return `${role}\0${callId ?? ""}\0${calls ? JSON.stringify(calls) : ""}\0${content}`;
}

/**
 * Writes a text as UTF-8 (a lone surrogate as U+FFFD). How many bytes that are; 0 where it may not fit.
 * @param {string} text
 * @param {Uint8Array} into
 */
export function write(text, into) {
  return text.length * 3 > into.length ? 0 : encoder.encodeInto(text, into).written;
}

// A fast path for text-only messages: their texts are written directly into the module's memory, without JSON.

const encoder = new TextEncoder();

/** The keys that such a message may have, in the order in which they are written; then those of its calls. */
const KEYS = ["role", "tool_call_id", "content", "tool_calls"];
const CALL_KEYS = ["id", "type", "function"];
const FUNCTION_KEYS = ["name", "arguments"];
/** The letter of each role. An assistant message with calls has the letter `c`. */
const ROLES = new Map([["system", "s"], ["developer", "d"], ["user", "u"], ["assistant", "a"], ["tool", "t"]]);
/** In bytes. Longer messages are passed as JSON. */
const LONGEST = 1 << 30;

/**
 * Writes a message's texts as UTF-8, with U+FFFD for a lone surrogate: first the letter of its role; then a tool message's call id,
 * or the number of calls and the id, name and arguments of each, with a NUL after each of these; then the content. Returns the
 * number of bytes; 0 if the message holds anything else; `-n` if `n` bytes are needed.
 * @param {unknown} message
 * @param {Uint8Array} into
 */
export function pack(message, into) {
  try {
    return packed(message, into);
  } catch {
    return 0; // if reading the message throws, writing its JSON throws again
  }
}

function packed(message, into) {
  if (!isPlain(message)) return 0;
  let at = 0;
  for (const key in message) while (KEYS[at] !== key) if (++at === KEYS.length) return 0;
  const { role, tool_call_id: callId, content, tool_calls: calls } = message;
  let head = ROLES.get(role);
  if (head === undefined || typeof content !== "string") return 0;
  if (head === "t" ? typeof callId !== "string" || callId.includes("\0") : callId !== undefined) return 0;
  if (calls !== undefined) head = head === "a" ? headOf(calls) : undefined;
  if (head === undefined) return 0;
  if (callId !== undefined) head += `${callId}\0`;
  // A getter of the message may have called the module, which detaches `into` if memory grows: then nothing can be written.
  if (into.length === 0) return 0;
  if ((head.length + content.length) * 3 > into.length) {
    const bytes = bytesOf(head) + bytesOf(content); // the exact number, because a room of that size is kept for a while
    if (bytes > into.length) return bytes > LONGEST ? 0 : -bytes;
  }
  if (head.length === 1) into[0] = head.charCodeAt(0);
  const { written } = head.length === 1 ? { written: 1 } : encoder.encodeInto(head, into);
  return written + encoder.encodeInto(content, into.subarray(written)).written;
}

/** The number of UTF-8 bytes of a text, with U+FFFD for a lone surrogate. */
function bytesOf(text) {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    bytes += unit < 0x800 ? 1 : 2;
    const isPair = unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
    if (isPair) at++; // two units, four bytes
  }
  return bytes;
}

/**
 * Writes a text that is only ASCII, one byte per character. Returns whether it was.
 * @param {string} text
 * @param {Uint8Array} into
 */
export function writeAscii(text, into) {
  const { read, written } = encoder.encodeInto(text, into);
  return read === text.length && written === read;
}

/** What is written before the content of a message with these calls; `undefined` if a call holds anything else than its texts. */
function headOf(calls) {
  if (!Array.isArray(calls) || calls.length === 0 || calls.toJSON !== undefined) return;
  let head = `c${calls.length}\0`;
  for (const call of calls) {
    if (!isPlain(call) || !hasJust(call, CALL_KEYS) || call.type !== "function") return;
    const { id, function: called } = call;
    if (!isPlain(called) || !hasJust(called, FUNCTION_KEYS)) return;
    const { name, arguments: input } = called;
    for (const text of [id, name, input]) if (typeof text !== "string" || text.includes("\0")) return;
    head += `${id}\0${name}\0${input}\0`;
  }
  return head;
}

function isPlain(value) {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Whether the value has exactly these keys, in this order. Otherwise JSON is needed to reproduce it as it came. */
function hasJust(value, keys) {
  let at = 0;
  for (const key in value) if (keys[at++] !== key) return false;
  return at === keys.length;
}

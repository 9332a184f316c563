// A fast path for text-only messages: their texts go into the module directly. JSON would be written, copied and parsed.

const encoder = new TextEncoder();

/** The keys that may stand in such a message, in the order in which they are written; and those of its calls. */
const KEYS = ["role", "tool_call_id", "content", "tool_calls"];
const CALL_KEYS = ["id", "type", "function"];
const FUNCTION_KEYS = ["name", "arguments"];
/** The letter of a role. An assistant message with calls is a `c`. */
const ROLES = new Map([["system", "s"], ["developer", "d"], ["user", "u"], ["assistant", "a"], ["tool", "t"]]);
/** Bytes; what is longer crosses as JSON. */
const LONGEST = 1 << 30;

/**
 * Writes a message's texts as UTF-8, with U+FFFD for a lone surrogate: the letter of its role, then a tool's call id, or the
 * number of calls and id, name and arguments of each, with a NUL after each of these; then the content. Returns the number of
 * bytes; 0 for a message that holds anything else; `-n` if `n` bytes are needed.
 * @param {unknown} message
 * @param {Uint8Array} into
 */
export function pack(message, into) {
  try {
    return packed(message, into);
  } catch {
    return 0; // what it throws when it is looked at, it throws again when its JSON is written
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
  // An object may have looked into the module, whose memory has moved since: nothing is written where none is left.
  if (into.length === 0) return 0;
  if ((head.length + content.length) * 3 > into.length) {
    const bytes = bytesOf(head) + bytesOf(content); // just as many: what is asked for stands beside the message for a while
    if (bytes > into.length) return bytes > LONGEST ? 0 : -bytes;
  }
  if (head.length === 1) into[0] = head.charCodeAt(0);
  const { written } = head.length === 1 ? { written: 1 } : encoder.encodeInto(head, into);
  return written + encoder.encodeInto(content, into.subarray(written)).written;
}

/** How many bytes of UTF-8 a text is, a lone surrogate being U+FFFD. */
function bytesOf(text) {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    bytes += unit < 0x800 ? 1 : 2;
    const isPair = unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
    if (isPair) at++; // four bytes of two units
  }
  return bytes;
}

/**
 * Writes a text that is only ASCII, one byte a character. Returns whether it was.
 * @param {string} text
 * @param {Uint8Array} into
 */
export function writeAscii(text, into) {
  const { read, written } = encoder.encodeInto(text, into);
  return read === text.length && written === read;
}

/** The part before the content of a message with these calls; `undefined` if a call holds more than its texts. */
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

/** These keys, in this order: any other is written again as it came. */
function hasJust(value, keys) {
  let at = 0;
  for (const key in value) if (keys[at++] !== key) return false;
  return at === keys.length;
}

// Makes objects that would take longer to make from within the module.

/** The newest promise that was made by `resolved`, until somebody asks. */
let atOnce;

/** Makes a promise that is resolved already. */
export const resolved = (value) => (atOnce = Promise.resolve(value));

/** Whether this promise is the newest one of `resolved`. Ask right after the call, because the promise is kept alive until then. */
export function isResolved(promise) {
  const is = promise === atOnce;
  atOnce = undefined;
  return is;
}

/**
 * An object `{ messages, report }`. Each is made by `read` on first access, and is a plain field from then on.
 * @param {(messages: boolean) => unknown} read
 */
export function prepared(read) {
  const settle = (key, value) => {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
    return value;
  };
  const object = {
    get messages() {
      return settle("messages", read(true));
    },
    set messages(value) {
      settle("messages", value);
    },
    get report() {
      return settle("report", read(false));
    },
    set report(value) {
      settle("report", value);
    },
  };
  return object;
}

/** Whether both lists hold the same objects. */
export function areSame(one, other) {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false;
  return true;
}

/** Adds all of `others` to a list. */
export function append(list, others) {
  let end = list.length;
  for (let at = 0; at < others.length; at++) list[end++] = others[at];
}

/**
 * The elements at the given positions of a list. Positions past its end refer to `others`.
 * @param {Uint32Array} runs the start and end of each run of consecutive positions
 */
export function picked(list, others, runs) {
  const out = [];
  const end = list.length;
  for (let run = 0; run < runs.length; run += 2)
    for (let at = runs[run]; at < runs[run + 1]; at++) out[out.length] = at < end ? list[at] : others[at - end];
  return out;
}

/**
 * A copy of a tool message with a reference to its full output.
 * @param {object} message
 * @param {string} id
 * @param {number} [byte_size]
 * @param {number} [line_count]
 */
export function withRef(message, id, byte_size, line_count) {
  const output_ref = { id };
  if (byte_size !== undefined) output_ref.byte_size = byte_size;
  if (line_count !== undefined) output_ref.line_count = line_count;
  return { ...message, output_ref };
}

/**
 * The JSON of a value, with bytes written as `{ $bytes: base64 }`. By default, JSON would write each byte as a key and a number.
 * @param {unknown} value
 */
export function json(value) {
  return JSON.stringify(value, function (key, given) {
    const own = this[key];
    return ArrayBuffer.isView(own) ? { $bytes: base64(own) } : given;
  });
}

const base64 = ({ buffer, byteOffset, byteLength }) => {
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  if (typeof bytes.toBase64 === "function") return bytes.toBase64();
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode.apply(null, bytes.subarray(at, at + 8192));
  return btoa(text);
};

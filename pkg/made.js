// Objects that are made sooner here than from within the module.

/** The promise of what was there when the call that it is the result of returned. */
let atOnce;

/** A promise of what is there. */
export const resolved = (value) => (atOnce = Promise.resolve(value));

/** Whether it is such a promise. To be asked at once: what is remembered here would live on. */
export function isResolved(promise) {
  const is = promise === atOnce;
  atOnce = undefined;
  return is;
}

/**
 * `{ messages, report }`: each written into JavaScript by `read` when it is first looked at, and a plain field from then on.
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

/**
 * A copy of a tool message that says where its full output lies.
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

// What `prepare` resolves to.

/** How many there were: what a call made before it returned has nothing to wait for. */
export let made = 0;

/**
 * `{ messages, report }`: each written into JavaScript by `read` when it is first looked at, and a plain field from then on.
 * @param {(messages: boolean) => unknown} read
 */
export function prepared(read) {
  made++;
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

// A cache with a limit, which drops the least recently used values first.

/** @param weigh Returns how much of the limit a value takes. */
export function lruCache(limit, weigh = () => 1) {
  const values = new Map();
  let held = 0;
  function forget(key) {
    if (!values.has(key)) return;
    held -= weigh(values.get(key));
    values.delete(key);
  }
  return {
    get(key) {
      const value = values.get(key);
      if (value === undefined) return undefined;
      values.delete(key);
      values.set(key, value);
      return value;
    },
    set(key, value) {
      forget(key);
      if (weigh(value) > limit) return;
      values.set(key, value);
      held += weigh(value);
      for (const oldest of values.keys()) {
        if (held <= limit) break;
        forget(oldest);
      }
    },
    forget,
  };
}

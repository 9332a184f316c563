// A store in memory: for tests, and for sessions that share a process.

/** A store that is gone with the process. */
export function memoryStore() {
  const items = new Map();
  const copy = (value) => (value instanceof Uint8Array ? value.slice() : (value ?? null));
  return {
    getItem: async (key) => copy(items.get(key)),
    setItem: async (key, value) => void items.set(key, String(value)),
    removeItem: async (key) => void items.delete(key),
    getItemRaw: async (key) => copy(items.get(key)),
    setItemRaw: async (key, bytes) => void items.set(key, bytes.slice()),
    getKeys: async (prefix = "") => [...items.keys()].filter((key) => key.startsWith(prefix)),
    async compareAndSet(key, expected, next) {
      if ((items.get(key) ?? null) !== expected) return false;
      items.set(key, next);
      return true;
    },
  };
}

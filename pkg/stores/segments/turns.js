// Within one process, a swap that takes several calls is made one after the other, whatever objects are around the store.

/** How long one waits for the one before it, in milliseconds: a store may never have answered that. */
const PATIENCE_MS = 60_000;

const stores = new WeakMap();

/** Does the work behind what was begun before under this key. */
export async function inTurn(store, key, work) {
  if (!stores.has(store)) stores.set(store, new Map());
  const last = stores.get(store);
  const before = last.get(key);
  const done = (async () => {
    if (before) await within(before);
    return work();
  })();
  const settled = done.then(noMatter, noMatter);
  last.set(key, settled);
  settled.then(() => last.get(key) === settled && last.delete(key));
  return done;
}

const noMatter = () => {};

async function within(promise) {
  let timer;
  await Promise.race([promise, new Promise((resolve) => (timer = setTimeout(resolve, PATIENCE_MS)))]);
  clearTimeout(timer);
}

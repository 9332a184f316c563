// Within one process, swaps that take several calls run one after the other, even through different wrappers of the same store.

/** How long a swap waits for the previous one, in milliseconds, because the store may never answer that one. */
const PATIENCE_MS = 60_000;

const stores = new WeakMap();

/** Runs `work` after what was begun before under this key. */
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

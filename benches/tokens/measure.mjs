// Measuring, in Node and in a page alike. Each round uses another slice of the text and runs every peer once, in rotating order, so
// that other load on the machine affects all alike. Medians.

export const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

/**
 * Milliseconds by the clock, or by processor time (`CPU=1`, in Node). On a busy machine the clock favours whoever finishes before
 * another process gets its turn.
 */
export const now = globalThis.process?.env?.CPU
  ? () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1000;
    }
  : () => performance.now();

/** The number of slices of a text: 16 rounds of counting and 11 of encoding. */
const SLICES = 27;

/**
 * Megabytes (UTF-8) per second of each peer's `run` over slices of `text`, as one object by peer name.
 * @param {{ name: string, run: (text: string) => unknown }[]} peers
 */
export function throughput(peers, text, { rounds = 14, warmUp = 2, skip = 0 } = {}) {
  const rates = Object.fromEntries(peers.map(({ name }) => [name, []]));
  const encoder = new TextEncoder();
  const slice = Math.floor(text.length / SLICES);
  for (let round = 0; round < rounds + warmUp; round++) {
    for (let turn = 0; turn < peers.length; turn++) {
      const { name, run } = peers[(round + turn) % peers.length];
      const at = (skip + round) * slice;
      const part = text.slice(at, at + slice);
      const bytes = encoder.encode(part).length; // also flattens the slice before the clock starts
      const start = now();
      run(part);
      const time = now() - start;
      if (round >= warmUp) rates[name].push(bytes / 1000 / Math.max(time, 1e-3));
    }
  }
  return Object.fromEntries(Object.entries(rates).map(([name, list]) => [name, median(list)]));
}

/** Like `throughput`, for many small texts that are counted one by one. */
export function messages(peers, texts, { rounds = 7 } = {}) {
  const bytes = texts.reduce((n, text) => n + new TextEncoder().encode(text).length, 0);
  const rates = Object.fromEntries(peers.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (let turn = 0; turn < peers.length; turn++) {
      const { name, run } = peers[(round + turn) % peers.length];
      const start = now();
      for (const text of texts) run(text);
      if (round > 0) rates[name].push(bytes / 1000 / (now() - start));
    }
  }
  return Object.fromEntries(Object.entries(rates).map(([name, list]) => [name, median(list)]));
}

/** All tables that need a peer's `count` and `encode`: rows of rates by corpus. `texts`: the corpora by name. */
export function rates(peers, texts) {
  const count = peers.map(({ name, count }) => ({ name, run: count }));
  const encode = peers.map(({ name, encode }) => ({ name, run: encode }));
  const rows = { count: {}, encode: {} };
  for (const [kind, text] of Object.entries(texts)) {
    rows.count[kind] = throughput(count, text);
    rows.encode[kind] = throughput(encode, text, { rounds: 9, skip: 16 }); // slices that no peer has in its cache
  }
  const small = Array.from({ length: 10_000 }, (_, i) => texts.english.slice((i * 97) % (texts.english.length - 200)).slice(0, 200));
  rows.count["10,000 messages"] = messages(count, small);
  return rows;
}

// Measuring, the same in Node and in a page: a fresh slice of the text each round, every peer once a round, the order
// rotated, so that what the machine does meanwhile meets all alike. Medians.

export const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

/**
 * Milliseconds: of the clock, or (`CPU=1`, in Node) of the processor. On a machine that others load, the clock is kind to
 * whoever is done before the next process gets its turn.
 */
export const now = globalThis.process?.env?.CPU
  ? () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1000;
    }
  : () => performance.now();

/** A text is cut into so many slices: as many as there are rounds of counting and encoding, 16 and 11. */
const SLICES = 27;

/**
 * Megabytes (UTF-8) a second of each peer's `run` over slices of `text`, one object by peer name.
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
      const bytes = encoder.encode(part).length; // also flattens the slice, before the clock starts
      const start = now();
      run(part);
      const time = now() - start;
      if (round >= warmUp) rates[name].push(bytes / 1000 / Math.max(time, 1e-3));
    }
  }
  return Object.fromEntries(Object.entries(rates).map(([name, list]) => [name, median(list)]));
}

/** The same for many small texts counted one by one. */
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
    rows.encode[kind] = throughput(encode, text, { rounds: 9, skip: 16 }); // text that no peer has in its cache
  }
  const small = Array.from({ length: 10_000 }, (_, i) => texts.english.slice((i * 97) % (texts.english.length - 200)).slice(0, 200));
  rows.count["10,000 messages"] = messages(count, small);
  return rows;
}

// Figures as people read them.

const grouped = new Intl.NumberFormat("en");

export const count = (n: number) => grouped.format(Math.round(n));

export const plural = (n: number, one: string, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;

export const percent = (share: number) => `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;

export const milliseconds = (ms: number) => `${ms < 10 ? ms.toFixed(1) : count(ms)} ms`;

/** Tokens in few characters: 950, 12.5k, 1M. */
export function short(tokens: number): string {
  if (tokens < 1000) return String(tokens);
  const [value, unit] = tokens < 1_000_000 ? [tokens / 1000, "k"] : [tokens / 1_000_000, "M"];
  return `${value.toFixed(value < 100 && value % 1 !== 0 ? 1 : 0)}${unit}`;
}

export function bytes(n: number): string {
  if (n < 1024) return `${n} bytes`;
  return n < 1024 * 1024 ? `${(n / 1024).toFixed(n < 10_240 ? 1 : 0)} KiB` : `${(n / 1024 / 1024).toFixed(1)} MiB`;
}

export const dollars = (value: number) => `$${value > 0 && value < 0.095 ? value.toFixed(4) : value < 100 ? value.toFixed(2) : count(value)}`;

/** Where a view stands, in words. */
export const placeOf = ({ call }: { call: number }, calls: number) => (call < calls ? `at call ${count(call + 1)} of ${count(calls)}` : "after the last answer");

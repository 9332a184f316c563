// Formats figures for display.

const grouped = new Intl.NumberFormat("en");

export const count = (n: number) => grouped.format(Math.round(n));

export const plural = (n: number, one: string, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;

export const percent = (share: number) => `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;

export const milliseconds = (ms: number) => `${ms < 10 ? ms.toFixed(1) : count(ms)} ms`;

const UNITS = [[1e9, "B"], [1e6, "M"], [1e3, "k"]] as const;

/** Tokens in a few characters: 950, 12.5 k, 1 M, 1.1 B. */
export function short(tokens: number): string {
  // A value that would be rounded to 1000 of a unit is written as 1 of the next unit.
  const unit = UNITS.find(([size]) => tokens >= size * 0.9995);
  if (!unit) return String(Math.round(tokens));
  const value = tokens / unit[0];
  return `${value.toFixed(value < 99.95 ? 1 : 0).replace(/\.0$/, "")}\u00a0${unit[1]}`;
}

export function bytes(n: number): string {
  if (n < 1024) return `${n} bytes`;
  return n < 1024 * 1024 ? `${(n / 1024).toFixed(n < 10_240 ? 1 : 0)} KiB` : `${(n / 1024 / 1024).toFixed(1)} MiB`;
}

export const dollars = (value: number) => `$${value > 0 && value < 0.095 ? value.toFixed(4) : value < 100 ? value.toFixed(2) : count(value)}`;

/** Describes the call of a view. */
export const placeOf = ({ call }: { call: number }, calls: number) => (call < calls ? `at call ${count(call + 1)} of ${count(calls)}` : "after the last answer");

// Confidence intervals over points, by bootstrapping: points are drawn with replacement, from a seed.

import { random } from "../tokens/generate.mjs";

/** [estimate, low, high] of `figure(points)`, at 95 %. */
export function interval(points, figure, seed = 1, rounds = 2_000) {
  const next = random(seed);
  const drawn = Array.from({ length: rounds }, () => figure(points.map(() => points[Math.floor(next() * points.length)])));
  drawn.sort((a, b) => a - b);
  const at = (share) => drawn[Math.min(rounds - 1, Math.floor(share * rounds))];
  return [figure(points), at(0.025), at(0.975)];
}

export const mean = (list) => list.reduce((a, b) => a + b, 0) / list.length;

/** For pairs { none, full, loss }: the share of the gap that the views close, over all points together. */
export const closed = (pairs) => pairs.reduce((sum, p) => sum + p.none - p.loss, 0) / pairs.reduce((sum, p) => sum + p.none - p.full, 0);

/** "+" if the loss is lower than the other's on the same points, by the interval of the differences; "−" if it is higher. */
export function sign(mine, other, seed = 1) {
  const [, low, high] = interval(mine.map((loss, i) => loss - other[i]), mean, seed);
  return high < 0 ? "+" : low > 0 ? "−" : "";
}

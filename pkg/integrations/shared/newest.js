// What a hook remembers by session, of the newest only: a host may run for months.

/** As many conversations as a hook keeps apart. */
const MOST = 32;

/** Puts a value into a map, and lets go of the one that was put in longest ago where there are too many. */
export function remember(map, key, value, most = MOST) {
  map.delete(key);
  map.set(key, value);
  if (map.size > most) map.delete(map.keys().next().value);
}

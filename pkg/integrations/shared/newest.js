// Lets a hook remember things for only the newest sessions, because a host may run for months.

/** As many as the conversations that a hook keeps. */
const MAX_REMEMBERED = 32;

/** Puts a value into a map, and removes the oldest one if there are too many. */
export function remember(map, key, value, limit = MAX_REMEMBERED) {
  map.delete(key);
  map.set(key, value);
  if (map.size > limit) map.delete(map.keys().next().value);
}

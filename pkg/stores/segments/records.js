// The records of segments, one behind the other.

import { lastWhole, positionAt } from "../frames.js";

const SMALLEST = 21;

export function joined(arrays) {
  const bytes = new Uint8Array(arrays.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const array of arrays) {
    bytes.set(array, at);
    at += array.length;
  }
  return bytes;
}

/** Whether these frames lead from one position to the other. Only what they say of themselves is looked at: their bodies are the reader's to check. */
export function lead(records, from, to) {
  const view = new DataView(records.buffer, records.byteOffset, records.byteLength);
  let at = 0;
  let position = from;
  while (at + SMALLEST <= records.length) {
    if (positionAt(records, at) !== position + 1) return false;
    at += SMALLEST + view.getUint32(at, true);
    position += 1;
  }
  return at === records.length && position === to;
}

/**
 * How far records after a position go that should lead to another one. After a power failure, the last segments may be empty, cut
 * off or full of zeros, though the head names them: then only what is whole before them counts. Damage with whole frames after it
 * is different, and stays for the reader to find.
 */
export function wholePart(records, from, to) {
  if (lead(records, from, to)) return { records, position: to };
  const { end, position } = lastWhole(records, 0, from);
  return position === to ? { records, position: to } : { records: records.slice(0, end), position };
}

// The concatenated records of segments.

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

/** Whether these frames lead from one position to another. Only looks at their headers; the reader checks their bodies. */
export function isContiguous(records, from, to) {
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
 * The undamaged part of records that should lead from one position to another. After a power failure, the last segments may be empty,
 * truncated or full of zeros, although the head names them: then only the whole frames before them count. Damage with whole frames
 * after it has another cause, and is kept for the reader to detect.
 */
export function wholePart(records, from, to) {
  if (isContiguous(records, from, to)) return { records, position: to };
  const { end, position } = lastWhole(records, 0, from);
  return position === to ? { records, position: to } : { records: records.slice(0, end), position };
}

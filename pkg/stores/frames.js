// Frames of a journal: length of the body (4 bytes), the version 1 (1 byte), position (8 bytes), body, FNV-1a 64 of all that (8 bytes).
// Numbers are little-endian.

const HEADER = 13;
const CHECKSUM = 8;
const SMALLEST = HEADER + CHECKSUM;
const VERSION = 1;
const TWO_32 = 2 ** 32;

/** Makes a frame around a body. */
export function frame(position, body) {
  const bytes = new Uint8Array(SMALLEST + body.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, body.length, true);
  bytes[4] = VERSION;
  view.setUint32(5, position % TWO_32, true);
  view.setUint32(9, Math.floor(position / TWO_32), true);
  bytes.set(body, HEADER);
  const [low, high] = checksum(bytes, 0, HEADER + body.length);
  view.setUint32(HEADER + body.length, low, true);
  view.setUint32(HEADER + body.length + 4, high, true);
  return bytes;
}

/** The position that a session has after the frame that begins at `offset`. */
export function positionAt(bytes, offset) {
  return uint32(bytes, offset + 5) + uint32(bytes, offset + 9) * TWO_32;
}

/** The length of the whole, undamaged frame that begins at `offset`; 0 if there is none. */
export function wholeAt(bytes, offset) {
  if (offset + SMALLEST > bytes.length || bytes[offset + 4] !== VERSION) return 0;
  const end = offset + HEADER + uint32(bytes, offset);
  if (end + CHECKSUM > bytes.length) return 0;
  const [low, high] = checksum(bytes, offset, end);
  return uint32(bytes, end) === low && uint32(bytes, end + 4) === high ? end + CHECKSUM - offset : 0;
}

/**
 * Finds where the last whole frame at or after `offset` ends, and the position after it. `position` is the position at `offset`.
 * What follows that end is a partial frame. A damaged frame with whole ones after it is skipped, because it is not a partial frame.
 */
export function lastWhole(bytes, offset, position) {
  let end = offset;
  for (let at = offset; at !== -1 && at < bytes.length; ) {
    const length = wholeAt(bytes, at);
    if (length === 0) {
      at = nextWhole(bytes, at, position);
      continue;
    }
    position = positionAt(bytes, at);
    at += length;
    end = at;
  }
  return { end, position };
}

/** The offset of the first frame after `position`; the end of `bytes` if there is none. */
export function startBehind(bytes, position) {
  let at = 0;
  while (at + SMALLEST <= bytes.length && bytes[at + 4] === VERSION && positionAt(bytes, at) <= position) at += SMALLEST + uint32(bytes, at);
  return Math.min(at, bytes.length);
}

/** The offset of the next whole frame after damage at `offset`, or -1. Its position must be possible given the size of the damage. */
function nextWhole(bytes, offset, position) {
  for (let at = offset + 1; at + SMALLEST <= bytes.length; at++) {
    if (bytes[at + 4] !== VERSION) continue;
    const there = positionAt(bytes, at);
    if (there < position + 2 || there > position + 1 + Math.ceil((at - offset) / SMALLEST)) continue;
    if (wholeAt(bytes, at) > 0) return at;
  }
  return -1;
}

function uint32(bytes, offset) {
  return (bytes[offset] | (bytes[offset + 1] << 8) | (bytes[offset + 2] << 16) | (bytes[offset + 3] << 24)) >>> 0;
}

/**
 * FNV-1a 64, the low half first. The prime is 2^40 + 0x1b3: both halves are multiplied by 0x1b3, and the low half, shifted by 8, is
 * added to the high one. Everything stays within 32 bits, because BigInts would be a hundred times as slow.
 */
export function checksum(bytes, start, end) {
  let low = 0x84222325;
  let high = 0xcbf29ce4 | 0;
  for (let at = start; at < end; at++) {
    low ^= bytes[at];
    const first = (low & 0xffff) * 0x1b3;
    const second = (low >>> 16) * 0x1b3 + (first >>> 16);
    high = (Math.imul(high, 0x1b3) + (second >>> 16) + (low << 8)) | 0;
    low = (second << 16) | (first & 0xffff);
  }
  return [low >>> 0, high >>> 0];
}

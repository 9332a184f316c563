// Encrypted records. Each is still a frame with length and position, because stores look for the end of what was written; its body
// is the original frame, encrypted.

import { frame, lastWhole, positionAt, wholeAt } from "../frames.js";
import { joined } from "../segments/records.js";
import { sealed, unreadable, unsealed } from "./envelope.js";

const HEADER = 13;
const CHECKSUM = 8;

/** How many records are decrypted in parallel. */
const AT_ONCE = 256;

const recordAt = (name, position) => ({ kind: "record", name, position, what: `the record of \`${name}\` at position ${position}` });

export function sealedRecords(keys, id, name, expectedPosition, records) {
  return Promise.all(
    records.map(async (record, i) => {
      const position = expectedPosition + 1 + i;
      return frame(position, await sealed(keys, id, recordAt(name, position), record));
    }),
  );
}

/** Decrypts the records after a position. A partial frame at the end is kept as it is, for the reader to detect. */
export async function unsealedRecords(keys, name, from, to, records) {
  const bodies = [];
  let [at, position] = [0, from];
  while (at < records.length) {
    const length = wholeAt(records, at);
    if (length === 0) break;
    position += 1;
    const there = positionAt(records, at);
    if (there !== position) throw unreadable(recordAt(name, position), `the one at position ${there} is in its place`);
    bodies.push([recordAt(name, position), records.subarray(at + HEADER, at + length - CHECKSUM)]);
    at += length;
  }
  if (lastWhole(records, at, position).end > at) throw unreadable(recordAt(name, position + 1), "it is damaged");
  if (position > to && bodies.length > 0) throw unreadable(recordAt(name, position), `it is after position ${to}, which the store reports as the session's last`);
  if (position < to) throw unreadable(recordAt(name, position + 1), `it is missing or incomplete, although the store reports ${to} as the session's last position`);
  const opened = [];
  for (let i = 0; i < bodies.length; i += AT_ONCE)
    opened.push(...(await Promise.all(bodies.slice(i, i + AT_ONCE).map(([where, body]) => unsealed(keys, where, body)))));
  return joined([...opened, records.subarray(at)]);
}

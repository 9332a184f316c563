// The names of a journal's items and of other items.
//
//   KEY:head                              the head
//   KEY:v:p POSITION-TOKEN-CHECKSUM       a snapshot; or v12-CHECKSUM, as saved by versions without journals
//   KEY:s:FROM-COUNT-BEFORE-TOKEN         a segment: COUNT records after position FROM, which continue the state BEFORE
//   NAME                                  any other item; NAME:item if NAME looks like one of these
//   contextfold:time:NAME:stored          when that item was stored
//
// Numbers are in base 36. A TOKEN identifies the state of the journal after this snapshot or segment; each save has another one.

import { checksum } from "../frames.js";

const OLD_VERSION = /^v\d{1,20}-[0-9a-fA-F]{16}$/;
const VERSION = /^p([0-9a-z]{1,11})-([0-9a-z]{8})-([0-9a-f]{16})$/;
const SEGMENT = /^([0-9a-z]{1,11})-([0-9a-z]{1,11})-([0-9a-z]{8})-([0-9a-z]{8})$/;
const RESERVED = /:(head|item|stored)$|:v:(v\d{1,20}-[0-9a-fA-F]{16}|p[0-9a-z]{1,11}-[0-9a-z]{8}-[0-9a-f]{16})$|:s:[0-9a-z]{1,11}-[0-9a-z]{1,11}-[0-9a-z]{8}-[0-9a-z]{8}$/;

export const headOf = (key) => `${key}:head`;
export const snapshotOf = (key, version) => `${key}:v:${version}`;
export const segmentOf = (key, { from, to, before, token }) => `${key}:s:${from.toString(36)}-${(to - from).toString(36)}-${before}-${token}`;
export const leaseOf = (key) => `${key}:lease`;

/** A new random token for the state that a save makes. */
export function newToken() {
  return Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => (byte % 36).toString(36)).join("");
}

/** The version of a new snapshot. Its checksum proves that the snapshot is complete, even if there is no head to name it. */
export function newVersion(position, bytes) {
  return `p${position.toString(36)}-${newToken()}-${hex(checksum(bytes, 0, bytes.length))}`;
}

/**
 * The position and token of a version; `null` if the text is not a version. Versions without journals had no position: it is derived
 * from the checksum, so that everybody who loads it gets the same. Which of them is newer, only their `number` says.
 */
export function readVersion(version) {
  const [, position, token] = VERSION.exec(version) ?? [];
  if (position) return within({ position: parseInt(position, 36), token });
  if (!OLD_VERSION.test(version)) return null;
  const [number, sum] = version.slice(1).toLowerCase().split("-");
  return { position: parseInt(sum.slice(0, 12), 16), token: sum.slice(8), number: Number(number) };
}

/** Whether these are exactly the bytes that were stored as this version. */
export function isWholeSnapshot(version, bytes) {
  const [, , , sum] = VERSION.exec(version) ?? [];
  if (sum) return hex(checksum(bytes, 0, bytes.length)) === sum;
  const end = bytes.subarray(0, 100).indexOf(10); // the first line has the checksum of the rest
  const said = new TextDecoder().decode(bytes.subarray(0, Math.max(end, 0))).split(" ").at(-1);
  return end > 0 && said === hex(checksum(bytes, end + 1, bytes.length));
}

/** Parses a segment's name; `null` if it is not one. */
export function readSegment(name) {
  const [, first, count, before, token] = SEGMENT.exec(name) ?? [];
  if (!first) return null;
  const from = parseInt(first, 36);
  return within({ position: from + parseInt(count, 36), from, to: from + parseInt(count, 36), before, token });
}

const within = (named) => (named.position < 2 ** 53 ? named : null);

/** The name under which an item is stored that does not belong to a journal. */
export const itemOf = (name) => (RESERVED.test(name) ? `${name}:item` : name);
/** The name of an item's time. It does not begin with the item's name, because in a folder of files no name may be a prefix of another. */
export const timeOf = (name) => `contextfold:time:${itemOf(name)}:stored`;
/** The item, as it is stored, whose time has this name; `null` if it is not the name of a time. */
export const itemTimedBy = (name) => /^contextfold:time:(.*):stored$/s.exec(name)?.[1] ?? null;

/** The item that is stored under a name; `null` if it belongs to a journal. */
export function readItem(name) {
  if (name.endsWith(":item")) return name.slice(0, -":item".length);
  return RESERVED.test(name) ? null : name;
}

/** The key of the journal whose head has this name; `null` if it is not a head's name. */
export const readHeadName = (name) => (name.endsWith(":head") ? name.slice(0, -":head".length) : null);

const hex = ([low, high]) => high.toString(16).padStart(8, "0") + low.toString(16).padStart(8, "0");

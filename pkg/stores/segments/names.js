// What a journal's items are called, and which names are left to other items.
//
//   KEY:head                              the head
//   KEY:v:p POSITION-TOKEN-CHECKSUM       a snapshot; or v12-CHECKSUM, as sessions were saved before there were journals
//   KEY:s:FROM-COUNT-BEFORE-TOKEN         a segment: COUNT records behind position FROM, where the state BEFORE stood
//   NAME                                  any other item; NAME:item where that would be one of these
//   contextfold:time:NAME:stored          when that was stored
//
// Numbers are written to base 36. A TOKEN names the state of the journal after this snapshot or segment; no two saves have the
// same.

import { checksum } from "../frames.js";

const OLD_VERSION = /^v\d{1,20}-[0-9a-fA-F]{16}$/;
const VERSION = /^p([0-9a-z]{1,11})-([0-9a-z]{8})-([0-9a-f]{16})$/;
const SEGMENT = /^([0-9a-z]{1,11})-([0-9a-z]{1,11})-([0-9a-z]{8})-([0-9a-z]{8})$/;
const RESERVED = /:(head|item|stored)$|:v:(v\d{1,20}-[0-9a-fA-F]{16}|p[0-9a-z]{1,11}-[0-9a-z]{8}-[0-9a-f]{16})$|:s:[0-9a-z]{1,11}-[0-9a-z]{1,11}-[0-9a-z]{8}-[0-9a-z]{8}$/;

export const headOf = (key) => `${key}:head`;
export const snapshotOf = (key, version) => `${key}:v:${version}`;
export const segmentOf = (key, { from, to, before, token }) => `${key}:s:${from.toString(36)}-${(to - from).toString(36)}-${before}-${token}`;
export const leaseOf = (key) => `${key}:lease`;

/** The name of the state that a save makes. */
export function newToken() {
  return Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => (byte % 36).toString(36)).join("");
}

/** The name of a new snapshot. Its checksum shows that it is whole, if there is no head to name it. */
export function newVersion(position, bytes) {
  return `p${position.toString(36)}-${newToken()}-${hex(checksum(bytes, 0, bytes.length))}`;
}

/**
 * Where the session stands that a version names, and its token; `null` for what is no version. One from before there were journals has no
 * position: it takes one from its checksum, so that all who load it agree.
 */
export function readVersion(version) {
  const [, position, token] = VERSION.exec(version) ?? [];
  if (position) return within({ position: parseInt(position, 36), token });
  if (!OLD_VERSION.test(version)) return null;
  const sum = version.slice(version.indexOf("-") + 1).toLowerCase();
  return { position: parseInt(sum.slice(0, 12), 16), token: sum.slice(8) };
}

/** Whether these are the bytes that were stored under this name, all of them. */
export function isWholeSnapshot(version, bytes) {
  const [, , , sum] = VERSION.exec(version) ?? [];
  if (sum) return hex(checksum(bytes, 0, bytes.length)) === sum;
  const end = bytes.subarray(0, 100).indexOf(10); // the first line has the checksum of the others
  const said = new TextDecoder().decode(bytes.subarray(0, Math.max(end, 0))).split(" ").at(-1);
  return end > 0 && said === hex(checksum(bytes, end + 1, bytes.length));
}

/** The segment that has this name; `null` for what is none. */
export function readSegment(name) {
  const [, first, count, before, token] = SEGMENT.exec(name) ?? [];
  if (!first) return null;
  const from = parseInt(first, 36);
  return within({ position: from + parseInt(count, 36), from, to: from + parseInt(count, 36), before, token });
}

const within = (named) => (named.position < 2 ** 53 ? named : null);

/** The name under which an item lies that is no journal's. */
export const itemOf = (name) => (RESERVED.test(name) ? `${name}:item` : name);
/** Beside the items, and not behind them: in a folder of files no name may be the beginning of another one. */
export const timeOf = (name) => `contextfold:time:${itemOf(name)}:stored`;

/** The item that lies under a name; `null` where it is a journal's. */
export function readItem(name) {
  if (name.endsWith(":item")) return name.slice(0, -":item".length);
  return RESERVED.test(name) ? null : name;
}

/** The journal whose head lies under a name; `null` where it is no head. */
export const readHeadName = (name) => (name.endsWith(":head") ? name.slice(0, -":head".length) : null);

const hex = ([low, high]) => high.toString(16).padStart(8, "0") + low.toString(16).padStart(8, "0");

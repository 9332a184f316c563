// One journal as one file: a header, the snapshot, and then the records. For a new snapshot, a new file replaces the old one as a
// whole, so that a snapshot is never combined with the records of another one. After that, records are only appended.

import { randomBytes } from "node:crypto";
import { open } from "node:fs/promises";
import { checksum, lastWhole, startBehind } from "./frames.js";

/** Bytes after the line of text: the file's id, the snapshot's position and length, and a checksum of the header (8 bytes each). */
const NUMBERS = 32;
const TWO_32 = 2 ** 32;
const MARKS = 30;

const lineOf = (key) => Buffer.from(`contextfold journal 1 ${key}\n`);

/** The header of a new file. Its random id distinguishes it from a later file with the same inode. */
export function headerOf(key, snapshotPosition, snapshotLength) {
  const line = lineOf(key);
  const header = Buffer.concat([line, randomBytes(8), Buffer.alloc(NUMBERS - 8)]);
  writeUint64(header, line.length + 8, snapshotPosition);
  writeUint64(header, line.length + 16, snapshotLength);
  const [low, high] = checksum(header, 0, line.length + 24);
  header.writeUInt32LE(low, line.length + 24);
  header.writeUInt32LE(high, line.length + 28);
  return header;
}

/**
 * Inspects a file. Returns `end`, the offset where its last whole record ends, with the `position` there; `size`, which is more than
 * `end` if somebody is writing, or died while writing; and `marks`, the first and the last offsets at which records end.
 *
 * @param known The result of an earlier call: then only what comes after it is read, and returned as `tail`.
 */
export async function inspect(file, key, known) {
  const header = await headerIn(file, key);
  const { size } = await file.stat();
  if (size < header.start) throw damaged(key);
  const isSame = known !== undefined && known.id === header.id && known.end <= size;
  const marks = isSame ? known.marks : [{ end: header.start, position: header.snapshotPosition }];
  const last = marks.at(-1);
  const tail = { at: last.end, bytes: await bytesOf(file, last.end, size) };
  const whole = lastWhole(tail.bytes, 0, last.position);
  return { ...header, ...marked(marks, tail.at + whole.end, whole.position), size, tail };
}

/** The new `end`, `position` and `marks` after the end has moved. */
export function marked(marks, end, position) {
  if (marks.at(-1).end === end) return { end, position, marks };
  return { end, position, marks: [marks[0], ...marks.slice(1).slice(-MARKS), { end, position }] };
}

/** The result of `read`: the part of the file, up to the byte `to`, that the caller does not have. */
export async function journalIn(file, { position, snapshotPosition, snapshotLength, start, marks, tail }, from, to) {
  const hasSnapshot = from >= snapshotPosition;
  const snapshot = hasSnapshot ? null : await bytesOf(file, start - snapshotLength, start);
  const { end } = marks.findLast((mark) => hasSnapshot && mark.position <= from) ?? marks[0];
  const bytes = end < tail.at ? await bytesOf(file, end, to) : tail.bytes.subarray(end - tail.at, to - tail.at);
  return { position, snapshot, snapshotPosition, records: bytes.slice(hasSnapshot ? startBehind(bytes, from) : 0) };
}

async function headerIn(file, key) {
  const line = lineOf(key);
  const header = Buffer.from((await bytesOf(file, 0, line.length + NUMBERS)).buffer);
  const numbers = line.length;
  const isWhole = header.length === numbers + NUMBERS && header.subarray(0, numbers).equals(line);
  const [low, high] = checksum(header, 0, Math.max(0, header.length - 8));
  if (!isWhole || header.readUInt32LE(numbers + 24) !== low || header.readUInt32LE(numbers + 28) !== high)
    throw damaged(key);
  const snapshotLength = readUint64(header, numbers + 16);
  return {
    id: header.toString("hex", numbers, numbers + 8),
    snapshotPosition: readUint64(header, numbers + 8),
    snapshotLength,
    start: header.length + snapshotLength,
  };
}

const damaged = (key) => new Error(`the file of the journal \`${key}\` is damaged at its beginning. Restore it from a backup, or remove the key`);

/** Reads a part of the file into a new array; fewer bytes if the file ends before `to`. */
export async function bytesOf(file, from, to) {
  const bytes = new Uint8Array(Math.max(0, to - from));
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, Math.min(bytes.length - length, 2 ** 30), from + length);
    if (bytesRead === 0) return bytes.slice(0, length);
    length += bytesRead;
  }
  return bytes;
}

/** Writes all bytes at an offset of the file. */
export async function writeAt(file, bytes, from) {
  for (let length = 0; length < bytes.length; )
    length += (await file.write(bytes, length, Math.min(bytes.length - length, 2 ** 30), from + length)).bytesWritten;
}

/** Opens an existing file, calls `work`, and closes the file; `null` if it does not exist. */
export async function withOpenFile(path, flags, work) {
  let file;
  try {
    file = await open(path, flags);
  } catch (error) {
    if (error.code === "ENOENT") return null;
    throw error;
  }
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}

const readUint64 = (bytes, at) => bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * TWO_32;

function writeUint64(bytes, at, number) {
  bytes.writeUInt32LE(number % TWO_32, at);
  bytes.writeUInt32LE(Math.floor(number / TWO_32), at + 4);
}

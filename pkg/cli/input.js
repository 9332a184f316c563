// Reads a transcript of any kind from a file or from standard input.

import { constants } from "node:buffer";
import { readFileSync } from "node:fs";
import { TranscriptError, listKey, ofValue, readTranscript as read } from "contextfold/transcript";
import { unreadable, whyUnreadable } from "./failure.js";

const STDIN = 0;

/** @returns {import("../transcript/index.d.ts").Transcript & { name: string, bytes: number }} */
export function readTranscript(file, { format, partial }) {
  const { name, text, bytes } = load(file);
  return named(name, bytes, () => read(text, { format, partial }));
}

/**
 * Like `readTranscript`, for a file that may hold several transcripts: JSON lines, each a whole request or a list. Each transcript is
 * named by its line.
 * @returns {(import("../transcript/index.d.ts").Transcript & { name: string, bytes: number, line?: number })[]}
 */
export function readTranscripts(file, flags) {
  const { name, text, bytes } = load(file);
  const lines = text.split("\n");
  const first = parsed(lines.find((line) => line.trim()) ?? "");
  const isWhole = Array.isArray(first) || (isObject(first) && listKey(first));
  if (!isWhole || parsed(text) !== undefined) return [named(name, bytes, () => read(text, flags))];
  return lines.flatMap((line, index) => {
    if (!line.trim()) return [];
    const at = `${name}: line ${index + 1}`;
    return [{ ...named(at, Buffer.byteLength(line), () => ofValue(parsed(line) ?? broken(line), flags.format)), line: index + 1 }];
  });
}

/** Throws the error for a line that is not JSON. */
const broken = (line) => read(line).items;

function named(name, bytes, transcript) {
  try {
    return { name, bytes, ...transcript() };
  } catch (error) {
    if (!(error instanceof TranscriptError)) throw error;
    const rest = error.readable > 0 ? `; --partial reads the ${error.readable === 1 ? "entry" : `${error.readable} entries`} that can be read` : "";
    throw unreadable(`${name} ${error.what}${rest}`);
  }
}

function load(file) {
  const bytes = readBytes(file);
  return { name: nameOf(file), text: decode(bytes, nameOf(file)), bytes: bytes.length };
}

const nameOf = (file) => (file === "-" ? "standard input" : file);

/** The bytes of a file, or of standard input. */
export function readBytes(file) {
  try {
    return readFileSync(file === "-" ? STDIN : file);
  } catch (error) {
    throw unreadable(`cannot read ${nameOf(file)}: ${whyUnreadable(error)}`);
  }
}

function decode(bytes, name) {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) throw unreadable(`${name} is compressed; unpack it first (gunzip)`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes); // also removes a byte order mark
  } catch (error) {
    if (error.code === "ERR_STRING_TOO_LONG") throw unreadable(`${name} is too large: a text may have at most ${Math.floor(constants.MAX_STRING_LENGTH / 1e6)} million characters`);
    throw unreadable(`${name} is not UTF-8 text; convert it first (iconv -t utf-8)`);
  }
}

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

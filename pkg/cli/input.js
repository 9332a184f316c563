// Reads a transcript: a file or standard input, however it was written.

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
 * The same for a file that may hold several: JSON lines that are whole requests, or lists. Each is a transcript, named by its line.
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

/** A line that is no JSON, said so. */
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
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes); // a byte order mark is taken off
  } catch {
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

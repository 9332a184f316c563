// Reads a transcript: a file or standard input, as an array, a request body, or JSON lines of items.

import { readFileSync } from "node:fs";
import { unreadable } from "./failure.js";
import { detect } from "./detect.js";
import { locateFault } from "./json.js";

const STDIN = 0;

/**
 * @typedef {object} Transcript
 * @property {string} name what it is called in messages
 * @property {"array" | "body" | "lines"} shape how it was written
 * @property {string | null} key the body's key that holds the items
 * @property {object | null} body the body, where it was one
 * @property {object[]} items its items or messages
 * @property {string} format a format of the engine
 * @property {boolean} forced whether the format was given and not found out
 * @property {number} bytes its size
 */

/** @returns {Transcript} */
export function readTranscript(file, forcedFormat) {
  const { name, text, bytes } = load(file);
  return transcriptOf(parse(text, name), { name, bytes }, forcedFormat);
}

/**
 * The same for a file that may hold several: JSON lines that are whole requests, or lists. Each is a transcript, named by its line.
 * @returns {(Transcript & { line?: number })[]}
 */
export function readTranscripts(file, forcedFormat) {
  const { name, text, bytes } = load(file);
  const lines = text.split("\n");
  const first = parsed(lines.find((line) => line.trim()) ?? "");
  const isWhole = Array.isArray(first) || (isObject(first) && listKey(first));
  if (!isWhole || parsed(text) !== undefined) return [transcriptOf(parse(text, name), { name, bytes }, forcedFormat)];
  return lines.flatMap((line, index) => {
    if (!line.trim()) return [];
    const at = `${name}: line ${index + 1}`;
    const source = { name: at, bytes: Buffer.byteLength(line) };
    return [{ ...transcriptOf(parse(line, at), source, forcedFormat), line: index + 1 }];
  });
}

function load(file) {
  const name = file === "-" ? "standard input" : file;
  const bytes = readBytes(file, name);
  return { name, text: decode(bytes, name), bytes: bytes.length };
}

function transcriptOf(document, { name, bytes }, forcedFormat) {
  const found = shapeOf(document, name);
  if (!found.items.length) throw unreadable(`${name} holds no messages`);
  const wrong = found.items.findIndex((item) => !isObject(item));
  if (wrong >= 0)
    throw unreadable(
      `${name}: entry ${wrong} is ${kindOf(found.items[wrong])}, not a message; give an array of messages or items, a request body, or JSON lines`,
    );
  return {
    name,
    ...found,
    format: forcedFormat ?? detect(found.items, found.body),
    forced: forcedFormat !== undefined,
    bytes,
  };
}

function readBytes(file, name) {
  try {
    return readFileSync(file === "-" ? STDIN : file);
  } catch (error) {
    const why = {
      ENOENT: "no such file",
      EISDIR: "it is a folder",
      EACCES: "permission denied",
      EAGAIN: "nothing was piped in",
    }[error.code];
    throw unreadable(`cannot read ${name}: ${why ?? error.code ?? error.message}`);
  }
}

function decode(bytes, name) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes); // a byte order mark is taken off
  } catch {
    throw unreadable(`${name} is not UTF-8 text; convert it first (iconv -t utf-8)`);
  }
}

/** The document, or an array of those of its lines. */
function parse(text, name) {
  if (!text.trim()) throw unreadable(`${name} is empty`);
  try {
    return { document: JSON.parse(text) };
  } catch {
    const lines = text.split("\n");
    if (lines.filter((line) => line.trim()).length > 1 && parsed(lines.find((line) => line.trim())) !== undefined)
      return { lines: parseLines(lines, name) };
    const { line, column, what } = locateFault(text);
    throw unreadable(`${name} is not JSON: line ${line}, column ${column}: ${what}`);
  }
}

function parseLines(lines, name) {
  const out = [];
  for (const [index, line] of lines.entries()) {
    if (!line.trim()) continue;
    const value = parsed(line);
    if (value === undefined) {
      const { column, what } = locateFault(line);
      throw unreadable(`${name} is not JSON lines: line ${index + 1}, column ${column}: ${what}`);
    }
    if (!isObject(value) || listKey(value))
      throw unreadable(
        `${name}: line ${index + 1} is ${isObject(value) ? "a whole request" : kindOf(value)}, not one message; give one transcript at a time`,
      );
    out.push(value);
  }
  return out;
}

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

// A Responses body may say its input as one text; a response has its items in `output`.
const LIST_KEYS = ["input", "messages", "items", "output"];
const listKey = (body) =>
  LIST_KEYS.find((key) => Array.isArray(body[key]) || (key === "input" && typeof body[key] === "string"));

function shapeOf({ document, lines }, name) {
  if (lines) return { shape: "lines", key: null, body: null, items: lines };
  if (Array.isArray(document)) return { shape: "array", key: null, body: null, items: document };
  if (!isObject(document))
    throw unreadable(
      `${name} holds ${kindOf(document)}; give an array of messages or items, a request body, or JSON lines`,
    );
  const key = listKey(document);
  if (!key && (document.role || document.type)) return { shape: "lines", key: null, body: null, items: [document] }; // one line of JSON lines
  if (!key)
    throw unreadable(
      `${name} has none of the keys ${LIST_KEYS.join(", ")}; give an array of messages or items, a request body, or JSON lines`,
    );
  const list = document[key];
  return {
    shape: "body",
    key,
    body: document,
    items: typeof list === "string" ? [{ role: "user", content: list }] : list,
  };
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const kindOf = (value) =>
  value === null
    ? "null"
    : Array.isArray(value)
      ? "an array"
      : typeof value === "object"
        ? "an object"
        : `a ${typeof value}`;

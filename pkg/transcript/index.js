// Reads a transcript of any kind: a list, a request body, JSON lines, or an agent's own session file.

import { detectFormat } from "../wasm/contextfold_bg.js";
import { agentOf, readAgent } from "./agents.js";
import { placeIn, TranscriptError } from "./error.js";
import { locateFault, salvage } from "./json.js";

export { TranscriptError };

// The `input` of a Responses body may also be a text; a response has its items in `output`.
export const LIST_KEYS = ["input", "messages", "contents", "items", "output"];

export const FORMATS = ["messages", "openai-responses", "openai-chat", "anthropic", "ai-sdk", "gemini", "bedrock-converse"];
// Other names for formats that recorded requests may use.
const CALLED = { responses: "openai-responses", chat: "openai-chat" };

/** See index.d.ts. */
export function readTranscript(text, options) {
  const { format, partial = false } = options ?? {};
  if (typeof text !== "string") throw foreign("is not given as a text: read it as one, for example with `readFileSync(path, \"utf8\")`");
  const whole = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  if (!whole.trim()) throw new TranscriptError("empty", "is empty");
  const value = parsed(whole);
  if (value !== undefined) return ofValue(value, format);
  if (looksLikeLines(whole)) return ofLines(whole, format, partial);
  return ofBroken(whole, format, partial);
}

/** The key under which a body has its list. */
export const listKey = (body) => LIST_KEYS.find((key) => Array.isArray(body[key]) || (key === "input" && typeof body[key] === "string"));

/** Reads a parsed document as a transcript. */
export function ofValue(value, forced) {
  if (Array.isArray(value)) return ofItems(value, { shape: "array" }, forced);
  if (!isObject(value)) throw foreign(`holds ${kindOf(value)}; ${EXPECTED}`);
  const key = listKey(value);
  if (!key && (value.role || value.type)) return ofEntries([value], forced); // one line of JSON lines
  const wrong = LIST_KEYS.find((name) => name in value);
  if (!key && wrong) throw foreign(`has ${kindOf(value[wrong])} in “${wrong}”, not a list; ${EXPECTED}`);
  if (!key) throw foreign(`has none of the keys ${LIST_KEYS.join(", ")}, but ${keysOf(value)}; ${EXPECTED}`);
  const list = typeof value[key] === "string" ? [{ role: "user", content: value[key] }] : value[key];
  return ofItems(list, { shape: "body", key, body: value, model: [value.model, value.modelId].find((named) => typeof named === "string") }, forced);
}

const EXPECTED = "use an array of messages or items, a request body, or JSON lines";

const SHAPELESS = { key: null, body: null, source: null, model: undefined, usage: null, notes: [], lanes: [] };

function ofItems(items, found, forced) {
  if (!items.length) throw foreign("holds no messages");
  const wrong = items.findIndex((item) => !isObject(item));
  if (wrong >= 0) throw foreign(`is not a transcript: entry ${wrong} is ${kindOf(items[wrong])}, not a message; ${EXPECTED}`);
  const named = CALLED[found.body?.format] ?? found.body?.format;
  const detected = forced ?? (FORMATS.includes(named) ? named : detectFormat(found.body ?? items));
  const strange = detected ? -1 : items.findIndex((item) => !item.role && !item.type);
  if (strange >= 0) throw foreign(`is not a transcript: entry ${strange} has neither a role nor a type, but ${keysOf(items[strange])}; ${EXPECTED}`);
  return { ...SHAPELESS, ...found, items, format: detected ?? "openai-chat", forced: forced !== undefined };
}

/** Reads JSON lines: an agent's session file, or messages and items. */
function ofEntries(lines, forced) {
  const agent = forced ? null : agentOf(lines);
  if (!agent) return ofItems(lines, { shape: "lines" }, forced);
  const { format, ...read } = readAgent(agent, lines);
  return { ...ofItems(read.body[read.key], { shape: "lines", source: agent, ...read }, format), forced: false };
}

function ofLines(text, forced, partial) {
  const entries = [];
  const broken = [];
  let last = 0;
  for (const [index, line] of text.split("\n").entries()) {
    if (!line.trim()) continue;
    last = index;
    const value = parsed(line);
    if (value === undefined) broken.push({ index, line });
    else if (!isObject(value) || listKey(value)) {
      const what = isObject(value) ? "a whole request" : kindOf(value);
      throw foreign(`is not a transcript: line ${index + 1} is ${what}, not one message; pass one transcript at a time`);
    } else entries.push(value);
  }
  if (!broken.length) return ofEntries(entries, forced);
  const notes = broken.map(({ index }) => `line ${index + 1} is broken and was left out`);
  const readAllTheSame = () => {
    const read = ofEntries(entries, forced);
    return { ...read, notes: [...read.notes, ...notes] };
  };
  // A running agent may be writing the last line of its file right now.
  const isBeingWritten = broken.length === 1 && broken[0].index === last && !forced && agentOf(entries);
  if (partial || isBeingWritten) return readAllTheSame();
  const [{ index, line }] = broken;
  const fault = placeIn(line, locateFault(line), index + 1);
  const more = broken.length > 1 ? `; ${broken.length} lines are broken` : "";
  throw new TranscriptError("broken", `is not JSON lines: line ${fault.line}, column ${fault.column}: ${fault.what}${more}`, {
    place: fault,
    readable: entries.length,
    partial: readAllTheSame,
  });
}

function ofBroken(text, forced, partial) {
  const rest = /^\s*[[{]/.test(text) ? salvage(text, LIST_KEYS) : null;
  const fault = placeIn(text, locateFault(text));
  const readable = !rest ? 0 : Array.isArray(rest) ? rest.length : rest[listKey(rest)].length;
  const note = `the file is broken in line ${fault.line}, column ${fault.column}: everything after it was left out`;
  const readAllTheSame = () => ({ ...ofValue(rest, forced), notes: [note] });
  if (partial && readable) return readAllTheSame();
  throw new TranscriptError("broken", `is not JSON: line ${fault.line}, column ${fault.column}: ${fault.what}`, {
    place: fault,
    readable,
    partial: readable ? readAllTheSame : null,
  });
}

/** Whether the first line that is not blank is a whole JSON object, and more lines follow. */
function looksLikeLines(text) {
  const end = text.search(/\S[^\n]*(\n|$)/);
  const first = text.slice(end, (text.indexOf("\n", end) + 1 || text.length + 1) - 1);
  return text.slice(end + first.length).trim() !== "" && isObject(parsed(first));
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const foreign = (what) => new TranscriptError("foreign", what);
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** The names of an object's keys, for an error message. */
function keysOf(entry) {
  const keys = Object.keys(entry);
  if (keys.length === 0) return "no keys at all";
  return keys.slice(0, 6).map((key) => `“${key.slice(0, 40)}”`).join(", ") + (keys.length > 6 ? " …" : "");
}

const kindOf = (value) =>
  value === null ? "null" : Array.isArray(value) ? "an array" : typeof value === "object" ? "an object" : `a ${typeof value}`;

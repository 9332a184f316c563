// A file's text as a transcript: a JSON list, a request body, or JSON lines.

import { foreign, formatOf, isObject, keysOf } from "./format";
import type { Opened, PageFormat } from "./protocol";
import { jsonTrouble } from "./explain";
import { TroubleError } from "./trouble";

export interface Transcript {
  format: PageFormat;
  shape: Opened["shape"];
  /** What `Session.pushFrom` takes. */
  input: unknown;
  entries: unknown[];
  /** Tool definitions, where a request body brought some. */
  tools: unknown[];
}

/** Under which keys a body holds its entries. */
const LISTS = ["input", "messages", "items", "output"] as const;

/** Reads a file. Throws what was wrong, and where. */
export function readTranscript(text: string): Transcript {
  const body = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  if (body.trim() === "") throw new TroubleError({ title: "The file is empty", detail: "There is nothing to read in it." });
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    if (looksLikeLines(body)) return ofLines(body);
    throw new TroubleError(jsonTrouble(body, /^\s*[[{]/.test(body) ? "The JSON is broken" : "This is no JSON"));
  }
  return ofValue(value);
}

function ofValue(value: unknown): Transcript {
  if (Array.isArray(value)) {
    if (value.length === 0) throw foreign("The list is empty.");
    return { format: formatOf(value), shape: "list", input: value, entries: value, tools: [] };
  }
  if (!isObject(value)) throw foreign("It should be a list of messages or items, a request body with such a list, or one JSON object a line.");
  const key = LISTS.find((name) => Array.isArray(value[name]));
  // One line of JSON lines is a transcript, too.
  if (!key && (typeof value.role === "string" || typeof value.type === "string")) return { ...ofValue([value]), shape: "lines" };
  if (!key) throw foreign(`It is an object without a list under ${LISTS.map((k) => `“${k}”`).join(", ")}; its keys are ${keysOf(value)}.`);
  const entries = value[key] as unknown[];
  if (entries.length === 0) throw foreign(`The list under “${key}” is empty.`);
  if (key === "messages" && "system" in value)
    throw new TroubleError({ title: "This looks like an Anthropic request", detail: "The page does not read that yet. It reads OpenAI Responses items, Chat Completions messages, and contextfold's own messages." });
  const format = key === "input" || key === "output" ? "openai-responses" : formatOf(entries);
  return { format, shape: "body", input: value, entries, tools: Array.isArray(value.tools) ? value.tools : [] };
}

/** Whether the first line that says something is a JSON value of its own, and more follow. */
function looksLikeLines(text: string): boolean {
  const [first, second] = text.split("\n", 10_000).filter((line) => line.trim() !== "");
  if (second === undefined || first === undefined) return false;
  try {
    return isObject(JSON.parse(first));
  } catch {
    return false;
  }
}

function ofLines(text: string): Transcript {
  const entries: unknown[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    try {
      entries.push(JSON.parse(line));
    } catch {
      const read = entries.length === 1 ? "The entry before it reads well." : `The ${entries.length} entries before it read well.`;
      const trouble = jsonTrouble(line, `Line ${index + 1} is no JSON`, index + 1);
      throw new TroubleError({ ...trouble, detail: `${trouble.detail} ${read}` });
    }
  }
  return { format: formatOf(entries), shape: "lines", input: entries, entries, tools: [] };
}

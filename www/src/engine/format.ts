// Which format a list of entries is in, by what only that format has.

import type { PageFormat } from "./protocol";
import { TroubleError } from "./trouble";

type Entry = Record<string, unknown>;

const OWN_KEYS = ["item_type", "priority", "ephemeral", "pinned", "extras", "output_ref"];
const RESPONSES_PARTS = new Set(["input_text", "output_text", "input_image", "input_file"]);
const ANTHROPIC_PARTS = new Set(["tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use"]);
const AI_SDK_PARTS = new Set(["tool-call", "tool-result", "reasoning-file"]);

/** The format of these entries. Throws, with the reason in words, where it is none that the page reads. */
export function formatOf(entries: unknown[]): PageFormat {
  const index = entries.findIndex((entry) => !isObject(entry));
  if (index >= 0) throw foreign(`Entry ${index + 1} is ${kindOf(entries[index])}; each should be an object: a message or an item.`);
  const list = entries as Entry[];
  refuseSessionFiles(list);
  if (list.some((e) => has(e, "role") && OWN_KEYS.some((key) => has(e, key)))) return "messages";
  if (list.some((e) => typeof e.type === "string" && (e.type !== "message" || has(e, "role")))) return "openai-responses";
  const parts = new Set(list.flatMap(partTypes));
  if (list.some((e) => has(e, "tool_calls") || has(e, "tool_call_id"))) return "openai-chat";
  for (const part of parts) {
    if (RESPONSES_PARTS.has(part)) return "openai-responses";
    if (ANTHROPIC_PARTS.has(part)) throw later("Anthropic Messages");
    if (AI_SDK_PARTS.has(part)) throw later("the AI SDK's format");
  }
  const roleless = list.findIndex((e) => !has(e, "role"));
  if (roleless < 0) return "openai-chat";
  throw foreign(
    `Entry ${roleless + 1} has neither a role nor a type; its keys are ${keysOf(list[roleless]!)}. A transcript is a list of messages or items.`,
  );
}

/** Agents' own session files, known by their envelope. */
function refuseSessionFiles(list: Entry[]): void {
  if (list.some((e) => has(e, "sessionId") && has(e, "uuid"))) throw later("a Claude Code session file");
  if (list.some((e) => isObject(e.payload) && (e.type === "session_meta" || e.type === "response_item"))) throw later("a Codex rollout file");
}

const partTypes = (entry: Entry): string[] =>
  Array.isArray(entry.content) ? entry.content.filter(isObject).map((part) => String(part.type)) : [];

const later = (what: string) =>
  new TroubleError({
    title: `This looks like ${what}`,
    detail: "The page does not read that yet. It reads OpenAI Responses items, Chat Completions messages, and contextfold's own messages.",
  });

/** The error for JSON that is no transcript. */
export const foreign = (detail: string) => new TroubleError({ title: "This is JSON, but no transcript", detail });

export const isObject = (value: unknown): value is Entry => typeof value === "object" && value !== null && !Array.isArray(value);

const has = (entry: Entry, key: string) => entry[key] !== undefined && entry[key] !== null;

/** The names of an object's keys, for a sentence. */
export function keysOf(entry: Entry): string {
  const keys = Object.keys(entry);
  if (keys.length === 0) return "none";
  return keys.slice(0, 6).map((key) => `“${key.slice(0, 40)}”`).join(", ") + (keys.length > 6 ? " …" : "");
}

const kindOf = (value: unknown) =>
  value === null ? "null" : Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : `a ${typeof value}`;

// The text of messages.

import type { Content, Message, Part, ToolCall } from "contextfold";

/** Maximum characters of a row's excerpt: more than fit in two lines on a wide screen. */
const EXCERPT = 280;

/** The whole text of a message: its parts, then its calls. */
export function textOf(message: Message): string {
  const pieces = [contentText(message.content ?? "")];
  if (message.role === "assistant") for (const call of message.tool_calls ?? []) pieces.push(callText(call));
  return pieces.filter((piece) => piece !== "").join("\n\n");
}

/** The beginning of a text, on one line. */
export function excerptOf(text: string): string {
  const start = text.slice(0, EXCERPT * 2).replace(/\s+/g, " ").trim();
  return start.length > EXCERPT ? `${start.slice(0, EXCERPT)}…` : start;
}

/** The name of the tool that a call calls. */
export function callName(call: ToolCall): string {
  if (call.type === "function") return call.function.name;
  if (call.type === "custom") return call.custom.name;
  const raw = call.raw as { type?: unknown } | null;
  return typeof raw?.type === "string" ? raw.type : "call";
}

/** A call as text: the tool's name and the arguments. */
export function callText(call: ToolCall): string {
  if (call.type === "function") return `${call.function.name}(${call.function.arguments})`;
  if (call.type === "custom") return `${call.custom.name}(${call.custom.input})`;
  return JSON.stringify(call.raw, null, 2);
}

function contentText(content: Content): string {
  return typeof content === "string" ? content : content.map(partText).filter((text) => text !== "").join("\n");
}

function partText(part: Part): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "refusal":
      return part.refusal;
    case "reasoning":
      return part.text ?? part.summary?.join("\n") ?? "[reasoning, encrypted]";
    case "opaque":
      return JSON.stringify(part.raw, null, 2);
    default:
      return `[${part.type}]`;
  }
}

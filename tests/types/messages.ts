// Compiled, not run: messages, parts and calls are unions that narrow.

import type { Content, Format, ItemType, Message, Meta, Part, ToolCall, ToolOutputRef } from "contextfold";
import type { Equal, Expect } from "./support.js";

const messages: Message[] = [
  { role: "system", content: "s" },
  { role: "developer", content: "d" },
  { role: "user", content: [{ type: "text", text: "t" }, { type: "image", url: "u", detail: "low", width: 5, height: 5 }] },
  { role: "assistant" },
  { role: "assistant", content: null, tool_calls: [{ id: "a", type: "function", function: { name: "n", arguments: "{}" } }] },
  { role: "assistant", tool_calls: [{ id: "b", type: "custom", custom: { name: "n", input: "i" } }] },
  { role: "tool", tool_call_id: "a", content: "o", output_ref: { id: "out_1" }, is_error: true },
  { role: "user", content: "x", id: "m", item_type: "INJECTION", priority: 5, ephemeral: 2, pinned: true, extras: { anthropic: {} } },
];

// `undefined` is the same as left out, under `exactOptionalPropertyTypes` too.
const calls: ToolCall[] | undefined = messages.length > 100 ? [] : undefined;
messages.push({ role: "assistant", content: "x", tool_calls: calls, id: undefined });

const parts: Part[] = [
  { type: "document", data: "d", media_type: "application/pdf" },
  { type: "audio", data: "d" },
  { type: "refusal", refusal: "no" },
  { type: "reasoning", text: "t", summary: ["s"], signature: "s", encrypted: "e", id: "rs_1", redacted: false },
  { type: "opaque", format: "anthropic", raw: { anything: 1 } },
];

function texts(message: Message): string[] {
  if (message.role === "tool") {
    const ref: ToolOutputRef | undefined = message.output_ref;
    return [message.tool_call_id, ref?.id ?? ""];
  }
  if (message.role === "assistant") {
    const calls: ToolCall[] = message.tool_calls ?? [];
    // @ts-expect-error only a tool message has one
    console.log(message.tool_call_id);
    return calls.map((call) => (call.type === "function" ? call.function.arguments : call.type === "custom" ? call.custom.input : String(call.raw)));
  }
  const content: Content = message.content;
  return typeof content === "string" ? [content] : content.map((part) => (part.type === "text" ? part.text : part.type));
}

// @ts-expect-error a user message needs content
const empty: Message = { role: "user" };
// @ts-expect-error a user message cannot be null
const nothing: Message = { role: "user", content: null };
// @ts-expect-error a tool message answers a call
const orphan: Message = { role: "tool", content: "x" };
// @ts-expect-error no such role
const robot: Message = { role: "robot", content: "x" };
// @ts-expect-error no such part
const video: Part = { type: "video", url: "u" };
// @ts-expect-error arguments are text
const call: ToolCall = { id: "a", type: "function", function: { name: "n", arguments: {} } };
// @ts-expect-error no such item type
const meta: Meta = { item_type: "NOTE" };

type Fixed = [
  Expect<Equal<Format, "messages" | "openai-responses" | "openai-chat" | "anthropic" | "ai-sdk" | "gemini" | "bedrock-converse">>,
  Expect<Equal<ToolOutputRef["byte_size"], number | undefined>>,
  Expect<Equal<keyof ToolOutputRef, "id" | "byte_size" | "line_count">>,
  Expect<Equal<NonNullable<Meta["item_type"]>, ItemType>>,
  Expect<Equal<NonNullable<Meta["ephemeral"]>, number | boolean>>,
];

export type { Fixed };
console.log(messages, parts, texts, empty, nothing, orphan, robot, video, call, meta);

// What the AI SDK's models are called with, and SDKs that call them: prompts, and tools by name.

import { withoutBytes } from "./bytes.js";
import { Mirror } from "./mirror.js";
import { jsonSchemaOf } from "./schemas.js";

/** What a model is called with has lists of parts only, where a message of the SDK may be a text. */
export const inParts = () => new Mirror(withoutBytes, (message) =>
  message.role !== "system" && typeof message.content === "string" ? { ...message, content: [{ type: "text", text: message.content }] } : message);

/** Definitions of a tool set, to be counted. */
export function definitionsOf(tools) {
  return Promise.all(
    Object.entries(tools).map(async ([name, { description, inputSchema, parameters }]) => ({ type: "function", name, description, inputSchema: await jsonSchemaOf(inputSchema ?? parameters) })),
  );
}

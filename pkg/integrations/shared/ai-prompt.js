// Prompts and tools as the AI SDK's models take them, also used by other SDKs that call these models.

import { withoutBytes } from "./bytes.js";
import { Mirror } from "./mirror.js";
import { jsonSchemaOf } from "./schemas.js";

/** A model's prompt has only lists of parts, whereas the content of the SDK's messages may be a text. */
export const inParts = () => new Mirror(withoutBytes, (message) =>
  message.role !== "system" && typeof message.content === "string" ? { ...message, content: [{ type: "text", text: message.content }] } : message);

/** The definitions of a tool set, to be counted. */
export function definitionsOf(tools) {
  return Promise.all(
    Object.entries(tools).map(async ([name, { description, inputSchema, parameters }]) => ({ type: "function", name, description, inputSchema: await jsonSchemaOf(inputSchema ?? parameters) })),
  );
}

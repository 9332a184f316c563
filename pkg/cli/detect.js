// Which format a transcript is in: the engine knows.

import "../node.js"; // loads the module
import { detectFormat } from "../wasm/contextfold_bg.js";

export const FORMATS = ["messages", "openai-responses", "openai-chat", "anthropic", "ai-sdk"];

// What a record of a request may call it.
const CALLED = { responses: "openai-responses", chat: "openai-chat" };

/** The format of these items, which stood in this body (or in none). A record may name it: `{ format, items }`. */
export function detect(items, body) {
  const named = CALLED[body?.format] ?? body?.format;
  return FORMATS.includes(named) ? named : (detectFormat(body ?? items) ?? "openai-chat");
}

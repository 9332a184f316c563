// Which format a transcript is in: the engine knows.

import "../node.js"; // loads the module
import { detectFormat } from "../wasm/contextfold_bg.js";

export const FORMATS = ["messages", "openai-responses", "openai-chat", "anthropic", "ai-sdk"];

/** The format of these items, which stood in this body (or in none). */
export const detect = (items, body) => detectFormat(body ?? items) ?? "openai-chat";

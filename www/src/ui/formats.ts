// The formats with their well-known names.

import type { Format } from "contextfold";

export const FORMAT_NAMES: Record<Format, string> = {
  "openai-responses": "OpenAI Responses",
  "openai-chat": "Chat Completions",
  anthropic: "Anthropic Messages",
  gemini: "Gemini",
  "bedrock-converse": "Bedrock Converse",
  "ai-sdk": "AI SDK",
  messages: "contextfold messages",
};

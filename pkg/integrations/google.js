// Google's SDK (`@google/genai` 2 and 3): a `fetch` for its `httpOptions`. Does not import the SDK.

import { optionsOf } from "../given.js";
import { BodyKeeper } from "./shared/bodies.js";
import { fetchFitting } from "./shared/http.js";

/** The model's methods whose requests hold a conversation; not `countTokens`, `embedContent`, … */
const GENERATES = /:(generateContent|streamGenerateContent)$/;

/** See google.d.ts. */
export function fittingFetch(options) {
  const { fetch: inner, ...rest } = optionsOf(options);
  const keeper = new BodyKeeper("google fetch", "gemini", rest, { more: ["fetch"] });
  return fetchFitting(inner, (path) => (GENERATES.test(path) ? keeper : undefined));
}

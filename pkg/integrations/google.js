// Google's SDK (`@google/genai` 2 and 3): a `fetch` for its `httpOptions`. Nothing of the SDK is imported.

import { BodyKeeper } from "./shared/bodies.js";
import { sendFitting } from "./shared/http.js";

/** Methods of a model whose request holds a conversation: not `countTokens`, `embedContent`, … */
const GENERATES = /:(generateContent|streamGenerateContent)$/;

/** See google.d.ts. */
export function fittingFetch(options = {}) {
  const { fetch: inner = (...request) => globalThis.fetch(...request), ...rest } = options;
  const keeper = new BodyKeeper("google fetch", "gemini", rest);
  return async (url, init) => {
    const { pathname } = new URL(typeof url === "string" ? url : (url.url ?? url.href), "http://host");
    if (!GENERATES.test(pathname) || init?.method?.toUpperCase() !== "POST" || typeof init.body !== "string") return inner(url, init);
    return sendFitting(keeper, init.body, { signal: init.signal ?? undefined, send: (body) => inner(url, { ...init, body }) });
  };
}

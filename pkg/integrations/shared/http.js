// Requests on their way out: bodies are JSON text here.

import { withUsage } from "./sse.js";

const REFUSED = new Set([400, 413, 422]);
const STREAM = /^text\/event-stream\b/i;
const JSON_TEXT = /^application\/([\w.-]+\+)?json\b/i;

/**
 * Sends a request whose body fits, and once more where it is refused as too long all the same.
 *
 * @param send takes the body's text and, where it is JSON, the body; gives the response
 */
export async function sendFitting(keeper, text, { signal, send }) {
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    return send(text); // no JSON: none of ours
  }
  if (typeof body !== "object" || body === null) return send(text);
  const fitting = await keeper.fit(body, { signal, bytes: text.length });
  let response = await send(fitting.body === body ? text : JSON.stringify(fitting.body), fitting.body);
  if (REFUSED.has(response.status)) {
    const smaller = await keeper.recovered(fitting.conversation, fitting.body, await textOf(response), { signal });
    if (smaller) response = await send(JSON.stringify(smaller), smaller);
  }
  if (!fitting.conversation || !response.ok) return response;
  if (isA(STREAM, response) && response.body) return withUsage(response, (usage) => keeper.record(fitting.conversation, usage, fitting.body));
  if (isA(JSON_TEXT, response)) {
    const answer = await response.clone().json().catch(() => ({}));
    // A stream of Gemini's that is not asked for as events is a list of answers.
    const { usage, usageMetadata } = Array.isArray(answer) ? (answer.findLast((one) => one?.usageMetadata) ?? {}) : answer;
    keeper.record(fitting.conversation, usage ?? usageMetadata, fitting.body);
  }
  return response;
}

/** A `fetch` whose requests fit. `keeperOf` gives the keeper of a path's requests where they hold a conversation. */
export function fetchFitting(inner = (...request) => globalThis.fetch(...request), keeperOf) {
  return async (url, init) => {
    const { pathname } = new URL(typeof url === "string" ? url : (url.url ?? url.href), "http://host");
    const keeper = keeperOf(pathname);
    if (!keeper || init?.method?.toUpperCase() !== "POST" || typeof init.body !== "string") return inner(url, init);
    return sendFitting(keeper, init.body, { signal: init.signal ?? undefined, send: (body) => inner(url, { ...init, body }) });
  };
}

const textOf = (response) => response.clone().text();
const isA = (type, response) => type.test(response.headers.get("content-type") ?? "");

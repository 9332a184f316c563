// Outgoing HTTP requests, whose bodies are JSON text.

import { withUsage } from "./sse.js";
import { rewritten } from "./source-text.js";
import { usageIn } from "./summed.js";

const REFUSED = new Set([400, 413, 422]);
const STREAM = /^text\/event-stream\b/i;
const JSON_TEXT = /^application\/([\w.-]+\+)?json\b/i;

/**
 * Sends a request whose body is made to fit. If it is still refused as too long, sends a smaller one once.
 *
 * @param send takes the body's text and, if it is JSON, the parsed body; returns the response
 */
export async function sendFitting(keeper, text, { signal, send }) {
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    return send(text); // not JSON, so nothing for us
  }
  if (typeof body !== "object" || body === null) return send(text);
  const fitting = await keeper.fit(body, { signal, bytes: text.length });
  let response = await send(fitting.body === body ? text : rewritten(text, body, fitting.body), fitting.body);
  if (REFUSED.has(response.status)) {
    const smaller = await keeper.recovered(fitting.conversation, fitting.body, await textOf(response), { signal });
    if (smaller) response = await send(rewritten(text, body, smaller), smaller);
  }
  if (!fitting.conversation || !response.ok) return response;
  if (isA(STREAM, response) && response.body) return withUsage(response, (usage) => keeper.record(fitting.conversation, usage, fitting.body));
  if (isA(JSON_TEXT, response)) {
    const answer = await response.clone().json().catch(() => ({}));
    // If Gemini's stream is not requested as server-sent events, it is a JSON list of answers.
    const last = Array.isArray(answer) ? answer.findLast((one) => one?.usageMetadata) : answer;
    keeper.record(fitting.conversation, usageIn(last ?? {}), fitting.body);
  }
  return response;
}

/** A `fetch` that makes requests fit. `keeperOf` returns the keeper for a path, or `undefined` if its requests hold no conversation. */
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

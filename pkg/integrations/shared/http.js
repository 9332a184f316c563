// Outgoing HTTP requests, whose bodies are JSON text.

import { ContextError } from "contextfold";
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
  let fitting = await keeper.fit(body, { signal, bytes: text.length });
  let response = await send(fitting.body === body ? text : rewritten(text, body, fitting.body), fitting.body);
  if (REFUSED.has(response.status)) {
    const smaller = await keeper.recovered(fitting, await textOf(response), { signal });
    if (smaller) {
      fitting = smaller;
      response = await send(rewritten(text, body, smaller.body), smaller.body);
    }
  }
  if (!fitting.conversation || !response.ok) return response;
  if (isA(STREAM, response) && response.body) return withUsage(response, (usage) => keeper.record(fitting, usage));
  if (isA(JSON_TEXT, response)) {
    const answer = await response.clone().json().catch(() => ({}));
    // If Gemini's stream is not requested as server-sent events, it is a JSON list of answers.
    const last = Array.isArray(answer) ? answer.findLast((one) => one?.usageMetadata) : answer;
    keeper.record(fitting, usageIn(last ?? {}));
  }
  return response;
}

/** A `fetch` that makes requests fit. `keeperOf` returns the keeper for a path, or `undefined` if its requests hold no conversation. */
export function fetchFitting(inner = (...request) => globalThis.fetch(...request), keeperOf) {
  return async (url, init) => {
    const { pathname } = new URL(typeof url === "string" ? url : (url.url ?? url.href), "http://host");
    const keeper = keeperOf(pathname);
    if (!keeper || (init?.method ?? url.method)?.toUpperCase() !== "POST") return inner(url, init);
    const signal = init?.signal ?? url.signal ?? undefined;
    if (typeof init?.body === "string") return sendFitting(keeper, init.body, { signal, send: (body) => inner(url, body === init.body ? init : withBody(init, url, body)) });
    const hasOwnBody = init?.body != null;
    if (!hasOwnBody && (typeof url === "string" || url instanceof URL)) return inner(url, init);
    if (hasOwnBody || !(url instanceof Request)) {
      keeper.failed(new ContextError("INVALID_ARGUMENT", "the body of a request cannot be read here, so the request is sent as it is; the body must be a JSON text, as from `JSON.stringify`, or that of a global `Request`"));
      return inner(url, init);
    }
    const text = await textOf(url);
    return sendFitting(keeper, text, { signal, send: (body) => (body === text ? inner(url.clone(), init) : inner(new Request(url, withBody(init, url, body)))) });
  };
}

/** The options for the same request with another body. */
function withBody(init, url, body) {
  const headers = new Headers(init?.headers ?? url.headers);
  if (!headers.has("content-length")) return { ...init, body };
  headers.delete("content-length"); // it would be that of the first body, and `fetch` refuses a wrong one
  return { ...init, headers, body };
}

const textOf = (response) => response.clone().text();
const isA = (type, response) => type.test(response.headers.get("content-type") ?? "");

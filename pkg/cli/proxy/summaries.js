// Requests summaries from the same upstream, with the conversation's model and the client's own credentials.

import { passedOn } from "./headers.js";
import { bytesOf } from "./bodies.js";

/** The client waits for the summary; after this time the built-in summariser writes it. */
const PATIENCE_MS = 120_000;
const MAX_BYTES = 10_000_000;
/** Headers of the client's request that do not belong to the request for a summary. */
const NOT_FOR_SUMMARIES = ["host", "content-length", "content-type", "accept", "accept-encoding", "expect", "idempotency-key"];

export class Summaries {
  #upstream;
  /** The client's request by abort signal: a session passes the signal of the current call to `summarize`. */
  #clientRequests = new WeakMap();

  constructor(upstream) {
    this.#upstream = upstream;
  }

  /** Sets the client's request (`{ api, path, headers, body }`) for summaries with this signal. It is held only as long as the signal. */
  expect(signal, about) {
    this.#clientRequests.set(signal, about);
  }

  /** The session's `summarize`. */
  async write(request, { signal } = {}) {
    const about = this.#clientRequests.get(signal);
    if (about === undefined) throw new Error("there is no running request whose key could be used");
    const { api, path, headers, body } = about;
    const asked = JSON.stringify({ ...(body.model !== undefined && { model: body.model }), ...api.asks(request, body) });
    const message = await this.#upstream.send({
      method: "POST",
      path: api.path?.(path) ?? path,
      headers: [...passedOn(headers, NOT_FOR_SUMMARIES), "Content-Type", "application/json", "Accept", "application/json", "Accept-Encoding", "identity", "Content-Length", String(Buffer.byteLength(asked))],
      body: asked,
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
    });
    const text = (await bytesOf(message, MAX_BYTES)).toString();
    // Only the session gets the upstream's error text: if the request was too long, it retries with less.
    if (message.statusCode !== 200) throw Object.assign(new Error(`the upstream answered ${message.statusCode}`), { body: text });
    return api.answered(read(text));
  }
}

/** Parses JSON with an error of our own, because the error of `JSON.parse` quotes the text. */
function read(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("the upstream's answer was not JSON");
  }
}

// Asks for summaries: the same upstream, the conversation's model, and the client's own credentials.

import { passedOn } from "./headers.js";
import { bytesOf } from "./bodies.js";

/** A client waits meanwhile; behind this the built-in summariser stands in. */
const PATIENCE_MS = 120_000;
const MOST_BYTES = 10_000_000;
/** Headers of the client's request that do not belong to the request for a summary. */
const ITS_OWN = ["host", "content-length", "content-type", "accept", "accept-encoding", "expect", "idempotency-key"];

export class Summaries {
  #upstream;
  /** The request that each signal belongs to: a session hands on the signal of the call that it is at work for. */
  #asking = new WeakMap();

  constructor(upstream) {
    this.#upstream = upstream;
  }

  /** Sets the client request that a summary under this signal belongs to: `{ api, path, headers, body }`. Nothing of it is kept. */
  expect(signal, about) {
    this.#asking.set(signal, about);
  }

  /** The session's `summarize`. */
  async write(request, { signal } = {}) {
    const about = this.#asking.get(signal);
    if (about === undefined) throw new Error("no request is under way to ask with");
    const { api, path, headers, body } = about;
    const asked = JSON.stringify({ ...(body.model !== undefined && { model: body.model }), ...api.asks(request, body) });
    const message = await this.#upstream.send({
      method: "POST",
      path: api.path?.(path) ?? path,
      headers: [...passedOn(headers, ITS_OWN), "Content-Type", "application/json", "Accept", "application/json", "Accept-Encoding", "identity", "Content-Length", String(Buffer.byteLength(asked))],
      body: asked,
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
    });
    const text = (await bytesOf(message, MOST_BYTES)).toString();
    // What the upstream said is for the session alone, which asks for less where it was too much.
    if (message.statusCode !== 200) throw Object.assign(new Error(`the upstream answered ${message.statusCode}`), { body: text });
    return api.answered(read(text));
  }
}

/** The error of `JSON.parse` quotes the text. */
function read(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("the upstream's answer was no JSON");
  }
}

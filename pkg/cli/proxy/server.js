// The proxy: receives a request, makes its conversation fit, sends it on, and streams the answer back.
//
// Calls of one conversation wait for each other, because a session has one view at a time. Conversations are limited in number and
// total characters, and the sessions of dropped ones are freed explicitly, because the garbage collector does not see the module's
// memory. Clients are separated by a salted digest of their key, and by model.

import { createServer } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { BodyKeeper } from "../../integrations/shared/bodies.js";
import { sendFitting } from "../../integrations/shared/http.js";
import { whyForbidden } from "./access.js";
import { BrokenOff, answerOf, changedBy } from "./answer.js";
import { APIS, apiOf, errorsOf } from "./apis.js";
import { TooLarge, bytesOf, hasBody, isPacked } from "./bodies.js";
import { passedOn } from "./headers.js";
import { Limits } from "./limits.js";
import { Owners } from "./owners.js";
import { page } from "./page.js";
import { Reports } from "./reports.js";
import { Summaries } from "./summaries.js";
import { Unreachable, Upstream } from "./upstream.js";

/** The most conversations per API, and the most characters of their requests in all: a WebAssembly module has at most 4 GB of memory. */
const POOL_LIMITS = { most: 200, bytes: 150_000_000 };
/** How long running requests may continue after the proxy was asked to stop. */
const DRAIN_MS = 30_000;
/** Longer than clients keep idle connections, so that none is closed just when it is used again. */
const KEEP_ALIVE_MS = 65_000;

export class Proxy {
  #upstream;
  #summaries;
  #reports;
  #keepers;
  #tell;
  #server = createServer((request, response) => void this.#handle(request, response));
  #running = new Set();
  #owners = new Owners();
  /** The models of bodies that do not name them: Gemini has the model in the path. */
  #models = new WeakMap();
  #host;
  #isDraining = false;

  /**
   * @param upstream the upstream's URL
   * @param window, models see `Limits`
   * @param preset the ladder
   * @param extractive whether summaries are written without a model
   * @param tell called with each error
   */
  constructor({ upstream, window, models, preset, extractive = false, tell = () => {} }) {
    this.#upstream = new Upstream(upstream);
    this.#summaries = new Summaries(this.#upstream);
    this.#reports = new Reports(this.#upstream.origin);
    this.#tell = tell;
    const limits = new Limits({ window, models });
    const options = {
      ...(preset !== undefined && { ladder: preset }),
      ...(models && { models }),
      ...(!extractive && { summarize: (request, options) => this.#summaries.write(request, options) }),
      compaction: { onFailure: "extractive" },
      onError: (error) => this.#failed(error),
      onReport: () => {}, // not needed, because `fit` returns the report
    };
    const keeperOf = (api) => new BodyKeeper("proxy", api.format, options, { serverLimits: { ...POOL_LIMITS, limitsOf: (body) => limits.of({ model: this.#models.get(body) ?? body.model }, api.reserved(body)) } });
    this.#keepers = new Map(APIS.map((api) => [api, keeperOf(api)]));
    this.#server.keepAliveTimeout = KEEP_ALIVE_MS;
  }

  /** Starts to listen; resolves to the port. */
  listen(port, host) {
    this.#host = host;
    return new Promise((done, failed) => {
      this.#server.once("error", failed);
      this.#server.listen(port, host, () => done(this.#server.address().port));
    });
  }

  /** Figures of the newest conversations. */
  reports(most) {
    return this.#reports.newest(most);
  }

  /** Accepts no more connections, and waits for running requests; aborts them after `ms`. */
  async drain(ms = DRAIN_MS) {
    this.#isDraining = true;
    const late = setTimeout(() => this.end(), ms);
    await new Promise((closed) => {
      this.#server.close(closed);
      this.#server.closeIdleConnections();
    });
    clearTimeout(late);
    this.#upstream.close();
  }

  /** Aborts all running requests. */
  end() {
    for (const controller of this.#running) controller.abort();
    this.#server.closeAllConnections();
  }

  async #handle(request, response) {
    const controller = new AbortController();
    this.#running.add(controller);
    response.sendDate = false; // the upstream's own is sent
    response.on("close", () => {
      this.#running.delete(controller);
      if (!response.writableFinished) controller.abort(); // the client has disconnected
      if (this.#isDraining) this.#server.closeIdleConnections();
    });
    const path = request.url.replace(/[?#].*/s, "");
    try {
      const forbidden = whyForbidden(request, this.#host);
      if (forbidden) throw new Forbidden(forbidden);
      if (path === "/contextfold" || path.startsWith("/contextfold/")) return this.#ownPages(request, response, path);
      this.#reports.count("requests");
      const api = apiOf(request, path);
      if (api && !isPacked(request)) await this.#conversation(request, response, { api, path: request.url, signal: controller.signal });
      else await this.#passThrough(request, response, { signal: controller.signal });
    } catch (error) {
      this.#refuse(error, request, response, path);
    }
  }

  // ---- a conversation

  async #conversation(request, response, { api, path, signal }) {
    const bytes = await bytesOf(request);
    const text = bytes.toString();
    const keeper = this.#watched(api, { path, request });
    let message, answer;
    const send = async (body) => {
      const sent = body === text ? bytes : Buffer.from(body); // an unchanged body is passed on byte for byte
      const without = ["host", "content-length", "accept-encoding", "expect", ...(message ? ["idempotency-key"] : [])]; // the smaller request of a retry is a different one, so drop the key
      const headers = [...passedOn(request.rawHeaders, without), "Accept-Encoding", "identity", "Content-Length", String(sent.length)];
      message = await this.#upstream.send({ method: "POST", path, headers, body: sent, signal });
      answer = await answerOf(message);
      return answer.response;
    };
    const { body } = await sendFitting(keeper, text, { signal, send });
    this.#head(response, message, changedBy(message));
    if (answer.bytes || !body) response.end(answer.bytes);
    else await pipeline(Readable.fromWeb(body), response);
  }

  /** The keeper of an API's conversations, wrapped for one request of a client so that its outcome is recorded. */
  #watched(api, { path, request }) {
    const headers = request.rawHeaders;
    const keeper = this.#keepers.get(api);
    return {
      fit: async (body, options) => {
        this.#summaries.expect(options.signal, { api, path, headers, body });
        const model = api.model ? api.model(path.replace(/[?#].*/s, "")) : body.model;
        if (api.model) this.#models.set(body, model);
        const fitting = await keeper.fit(body, { ...options, owner: this.#owners.of(request, model) });
        if (!fitting.conversation) this.#reports.count("passed_through");
        else this.#reports.call(fitting, api, model);
        if (fitting.body !== body) this.#reports.count("fitted");
        return fitting;
      },
      recovered: async (fitting, error, options) => {
        const smaller = await keeper.recovered(fitting, error, options);
        if (smaller) {
          this.#reports.count("made_smaller");
          this.#reports.smaller({ ...smaller, report: reportOf(smaller.conversation) }, api);
        }
        return smaller;
      },
      record: (fitting, usage) => keeper.record(fitting, usage),
    };
  }

  // ---- everything else

  async #passThrough(request, response, { signal }) {
    this.#reports.count("passed_through");
    const isChunked = request.headers["transfer-encoding"] !== undefined;
    const headers = [...passedOn(request.rawHeaders, ["host", "expect"]), ...(isChunked ? ["Transfer-Encoding", "chunked"] : [])];
    const message = await this.#upstream.send({ method: request.method, path: request.url, headers, body: hasBody(request) ? request : undefined, signal });
    this.#head(response, message);
    await pipeline(message, response);
  }

  #head(response, message, without = []) {
    const headers = [...passedOn(message.rawHeaders, without), ...(this.#isDraining ? ["Connection", "close"] : [])];
    response.writeHead(message.statusCode, message.statusMessage, headers);
    setImmediate(() => response.writableEnded || response.destroyed || response.flushHeaders()); // because the first event of a stream may take a while
  }

  #ownPages(request, response, path) {
    request.resume();
    const shown = this.#reports.newest(Number(new URL(request.url, "http://host").searchParams.get("limit")) || undefined);
    if (path === "/contextfold/reports") return reply(response, 200, JSON.stringify(shown, null, 2));
    if (path === "/contextfold" || path === "/contextfold/")
      return reply(response, 200, page(shown), { "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'" });
    return reply(response, 404, JSON.stringify({ error: { message: "available are /contextfold, a page, and /contextfold/reports, the same as JSON" } }));
  }

  // ---- errors

  #refuse(error, request, response, path) {
    if (response.destroyed) return;
    if (response.headersSent) return void response.destroy(); // if the upstream's stream broke off, so does ours
    const [status, type, message] = refusalOf(error);
    if (status >= 500) this.#failed(error);
    // The rest of an incomplete body is ignored, and the connection is closed after the answer.
    const headers = request.complete ? {} : { Connection: "close" };
    reply(response, status, JSON.stringify(errorsOf(request, path).error(`contextfold proxy: ${message}`, { type, status, code: `contextfold_${status}` })), headers);
    if (!request.complete) request.resume();
  }

  #failed(error) {
    this.#reports.count("failed");
    this.#tell(error);
  }
}

/** The session's report; `undefined` if the conversation was dropped in the meantime. */
const reportOf = ({ isDropped, session }) => (isDropped ? undefined : session.report);

/** The request comes from a foreign web page, or uses a host name that is not the proxy's. */
class Forbidden extends Error {}

function refusalOf(error) {
  if (error instanceof Forbidden) return [403, "permission_error", error.message];
  if (error instanceof TooLarge) return [413, "request_too_large", error.message];
  if (error instanceof Unreachable) return [502, "api_error", `${error.message}; check --upstream and the network connection`];
  if (error instanceof BrokenOff) return [502, "api_error", `${error.message}; try again`];
  return [500, "api_error", "this is a bug in the proxy; please report it"];
}

function reply(response, status, text, headers = {}) {
  response.writeHead(status, { "Content-Type": "application/json", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Content-Length": Buffer.byteLength(text), ...headers });
  response.end(text);
}

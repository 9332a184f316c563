// Sends requests to the upstream, and passes bytes on unchanged. `fetch` would add headers, decompress answers, and time out after five
// minutes, which is too early for a model that thinks.

import http from "node:http";
import https from "node:https";

/** If an idle connection was closed, its error arrives within this time. */
const AT_ONCE_MS = 300;

/** The upstream could not be reached. */
export class Unreachable extends Error {
  constructor({ host }, cause) {
    super(`${host} cannot be reached (${cause.code ?? cause.message})`, { cause });
  }
}

export class Upstream {
  #url;
  #agent;
  #request;

  constructor(url) {
    this.#url = url;
    const { Agent, request } = url.protocol === "https:" ? https : http;
    this.#agent = new Agent({ keepAlive: true });
    this.#request = request;
  }

  get origin() {
    return this.#url.origin;
  }

  /**
   * Sends a request and returns the answer as a stream.
   *
   * @param body bytes, a stream, or `undefined`
   */
  async send({ method, path, headers, body, signal }) {
    const sent = () => this.#sent({ method, path: this.#pathOf(path), headers: ["Host", this.#url.host, ...headers], body, signal });
    try {
      return await sent();
    } catch (error) {
      if (signal?.aborted) throw error;
      // The upstream may close an idle connection just when it is reused. Then nobody has seen the request, and it is sent again. A
      // request that fails later may have been processed, and is not repeated, so that it is not paid twice.
      if (!error.wasIdle || body?.pipe) throw new Unreachable(this.#url, error);
      return await sent().catch((again) => {
        throw signal?.aborted ? again : new Unreachable(this.#url, again);
      });
    }
  }

  #sent({ body, ...options }) {
    const begun = performance.now();
    return new Promise((answered, failed) => {
      const { hostname, port } = this.#url;
      const request = this.#request({ hostname: hostname.replace(/^\[|\]$/g, ""), port, agent: this.#agent, ...options });
      request.once("response", answered);
      request.on("error", (error) => failed(Object.assign(error, { wasIdle: request.reusedSocket && error.code === "ECONNRESET" && performance.now() - begun < AT_ONCE_MS })));
      if (body?.pipe) body.on("error", (error) => request.destroy(error)).pipe(request);
      else request.end(body);
    });
  }

  /** Prepends the upstream URL's path. If both have `/v1`, as with the base URLs of many hosts, it is used only once. */
  #pathOf(path) {
    const before = this.#url.pathname.replace(/\/$/, "");
    return before + (before.endsWith("/v1") && /^\/v1(?=[/?]|$)/.test(path) ? path.slice(3) : path);
  }

  /** Closes all connections. */
  close() {
    this.#agent.destroy();
  }
}

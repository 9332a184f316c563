// Where requests go on to. Bytes come and go as they are: `fetch` would add headers of its own, unpack what is packed, and give up
// after five minutes, which is too early for a model that thinks.

import http from "node:http";
import https from "node:https";

/** A closed connection shows within this time. */
const AT_ONCE_MS = 300;

/** It could not be asked; `code` is the network's. */
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
   * Sends a request, and gives the answer as it comes.
   *
   * @param body bytes, a stream, or nothing
   */
  async send({ method, path, headers, body, signal }) {
    const sent = () => this.#sent({ method, path: this.#pathOf(path), headers: ["Host", this.#url.host, ...headers], body, signal });
    try {
      return await sent();
    } catch (error) {
      if (signal?.aborted) throw error;
      // The other side may close a kept connection just when it is used again: then nobody has seen the request, and it is sent
      // again. A request that breaks later may have been processed, and is not sent and paid twice.
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

  /** The upstream's own path comes before; `/v1` is said once where both have it, as the base URLs of many hosts do. */
  #pathOf(path) {
    const before = this.#url.pathname.replace(/\/$/, "");
    return before + (before.endsWith("/v1") && /^\/v1(?=[/?]|$)/.test(path) ? path.slice(3) : path);
  }

  /** Closes the connections that nobody uses. */
  close() {
    this.#agent.destroy();
  }
}

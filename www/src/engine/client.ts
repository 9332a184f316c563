// The page's side of the worker: a question is a promise.

import type { Ask, Questions, Reply } from "./protocol";
import { TroubleError } from "./trouble";

interface Waiting {
  resolve: (gives: never) => void;
  reject: (error: TroubleError) => void;
}

export class EngineClient {
  readonly #worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "contextfold" });
  readonly #waiting = new Map<number, Waiting>();
  #asked = 0;

  constructor() {
    this.#worker.addEventListener("message", ({ data }: MessageEvent<Reply>) => this.#settle(data));
    this.#worker.addEventListener("error", (event) => this.#fail(event.message || "its script could not be loaded"));
  }

  /** Asks the engine. Rejects with a `TroubleError`. */
  ask<A extends Ask>(ask: A, takes: Questions[A]["takes"]): Promise<Questions[A]["gives"]> {
    const id = ++this.#asked;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, ask, takes });
    });
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ("trouble" in reply) waiting?.reject(new TroubleError(reply.trouble));
    else waiting?.resolve(reply.gives as never);
  }

  #fail(why: string): void {
    const error = new TroubleError({ title: "The engine stopped", detail: `${why}. Reload the page.` });
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

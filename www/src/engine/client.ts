// The page's side of the worker: each question returns a promise.

import type { Ask, Hurry, Progress, Questions, Reply, SummaryAnswer, SummaryQuestion } from "./protocol";
import { TroubleError } from "./trouble";

interface Waiting {
  resolve: (gives: never) => void;
  reject: (error: TroubleError) => void;
}

/** The error of a question that was cancelled. */
export class Cancelled extends TroubleError {
  constructor() {
    super({ title: "Cancelled", detail: "Nothing was changed.", superseded: true });
  }
}

export class EngineClient {
  #worker = this.#start();
  readonly #waiting = new Map<number, Waiting>();
  #asked = 0;
  /** Called with the progress of a long question. */
  onProgress: (progress: Progress) => void = () => {};
  /** Writes a summary with the visitor's own summariser. */
  summarize: (request: SummaryQuestion["request"]) => Promise<string> = () => Promise.reject(new Error("no summariser is set"));

  /** Asks the engine. Rejects with a `TroubleError`. */
  ask<A extends Ask>(ask: A, takes: Questions[A]["takes"]): Promise<Questions[A]["gives"]> {
    const id = ++this.#asked;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, ask, takes });
    });
  }

  /** The current work is not wanted any more: a replay ends at its next step. */
  hurry(): void {
    this.#worker.postMessage({ hurry: true } satisfies Hurry);
  }

  /** Aborts the current work at once: terminates the worker and starts a new one, which has no state yet. */
  cancel(): void {
    this.#worker.terminate();
    this.#rejectAll(new Cancelled());
    this.#worker = this.#start();
  }

  #start(): Worker {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "contextfold" });
    worker.addEventListener("message", ({ data }: MessageEvent<Reply>) => this.#settle(data));
    worker.addEventListener("error", (event) =>
      this.#rejectAll(new TroubleError({ title: "The engine stopped", detail: `${event.message || "its script could not be loaded"}. Reload the page.` })),
    );
    return worker;
  }

  #settle(reply: Reply): void {
    if ("progress" in reply) return this.onProgress(reply.progress);
    if ("question" in reply) return void this.#answer(reply);
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ("trouble" in reply) waiting?.reject(new TroubleError(reply.trouble));
    else waiting?.resolve(reply.gives as never);
  }

  async #answer({ question, request }: SummaryQuestion): Promise<void> {
    const worker = this.#worker;
    const answer: SummaryAnswer = await this.summarize(request).then(
      (text) => ({ answer: question, text }),
      (error: unknown) => ({ answer: question, error: error instanceof Error ? error.message : String(error) }),
    );
    worker.postMessage(answer);
  }

  #rejectAll(error: TroubleError): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

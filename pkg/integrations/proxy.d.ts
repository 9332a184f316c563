import type { Pass, PresetName } from "contextfold";

/** What `startProxy` takes. */
export interface ProxyOptions {
  /** Where requests go: `https://api.anthropic.com`, `https://api.openai.com`, a gateway. Without user, password and query. */
  upstream: string | URL;
  /** Tokens of the window, for every model. Default: from the table, by each request's `model`; an unknown model has no limit until a refusal names one. */
  contextWindow?: number | undefined;
  /** A table of models' limits, before the built-in one: that of LiteLLM, that of models.dev, or rows like `{ "my-model": { "max_input_tokens": 65536 } }`. */
  models?: object | undefined;
  /** Default `"contextfold"`. */
  ladder?: PresetName | Pass[] | undefined;
  /** Default false: the same upstream and model write summaries, with the client's own key. True: no model is asked. */
  extractive?: boolean | undefined;
  /** Default 0: any free port. */
  port?: number | undefined;
  /** Default `"127.0.0.1"`. The proxy has no password: at another address, everybody who reaches it can send requests with their own keys. */
  host?: string | undefined;
  /** Called for each failure, instead of logging the first of each kind on the console. */
  onError?: ((error: unknown) => void) | undefined;
}

/** A conversation in figures. */
export interface ProxiedConversation {
  /** Counted from 1. */
  conversation: number;
  api: "responses" | "chat" | "anthropic" | "gemini";
  model: string | null;
  /** Requests of it. */
  calls: number;
  /** How many of them were changed to fit. */
  edits: number;
  /** Refusals as too long that were answered with a smaller request. */
  made_smaller: number;
  /** Tokens of the newest request; missing until the first has been prepared. */
  tokens?: number;
  /** Tokens that a request may take; `null` if neither model nor window is known. */
  limit?: number | null;
  window?: number | null;
  [more: string]: unknown;
}

/** What a proxy has done since it was started. */
export interface ProxyReports {
  /** The upstream's origin. */
  upstream: string;
  requests: { requests: number; fitted: number; made_smaller: number; passed_through: number; failed: number };
  /** The newest first. */
  conversations: ProxiedConversation[];
}

/** A proxy that listens. */
export interface RunningProxy {
  /** Where it listens, as `http://127.0.0.1:49152`. */
  url: string;
  /** What to set for the agent. */
  env: { ANTHROPIC_BASE_URL: string; OPENAI_BASE_URL: string };
  /** The newest conversations, at most 100. It has no text of any message. */
  reports(most?: number): ProxyReports;
  /** Takes no new requests, and resolves when the running ones have ended, or after 30 seconds. */
  close(): Promise<void>;
  /** `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts `contextfold proxy` inside this process: a local server between an agent, which is a program of its own, and its API.
 * For Node. It keeps the process running until it is closed.
 *
 * ```js
 * import { startProxy } from "contextfold/proxy";
 *
 * const proxy = await startProxy({ upstream: "https://api.anthropic.com" });
 * const agent = spawn("claude", ["-p", "Why does the build fail?"], { env: { ...process.env, ...proxy.env }, stdio: "inherit" });
 * agent.once("exit", () => proxy.close());
 * ```
 *
 * @throws {ContextError} `INVALID_CONFIG`, `UNKNOWN_MODEL`; also if it cannot listen at that address.
 */
export declare function startProxy(options: ProxyOptions): Promise<RunningProxy>;

import type { Pass, PresetName } from "contextfold";

/** What `startProxy` takes. */
export interface ProxyOptions {
  /** Where requests are sent: `https://api.anthropic.com`, `https://api.openai.com`, a gateway. No user, password or query. */
  upstream: string | URL;
  /**
   * Context window in tokens, for every model. Default: looked up by each request's `model`. An unknown model has no limit until a
   * refusal names one.
   */
  contextWindow?: number | undefined;
  /**
   * A table of models' limits, which is looked up before the built-in one: LiteLLM's, models.dev's, or entries like
   * `{ "my-model": { "max_input_tokens": 65536 } }`.
   */
  models?: object | undefined;
  /** Default `"contextfold"`. */
  ladder?: PresetName | Pass[] | undefined;
  /** Default false: summaries are written by the same upstream and model, with the client's own API key. True: without a model. */
  extractive?: boolean | undefined;
  /** Default 0: any free port. */
  port?: number | undefined;
  /** Default `"127.0.0.1"`. The proxy has no password: at another address, anybody who reaches it can send requests with their own keys. */
  host?: string | undefined;
  /** Called for each failure, instead of logging the first of each kind on the console. */
  onError?: ((error: unknown) => void) | undefined;
}

/** Figures of a conversation. */
export interface ProxiedConversation {
  /** Counted from 1. */
  conversation: number;
  api: "responses" | "chat" | "anthropic" | "gemini";
  model: string | null;
  /** Number of its requests. */
  calls: number;
  /** How many of them were changed to fit. */
  edits: number;
  /** How many requests were refused as too long and retried with a smaller one. */
  made_smaller: number;
  /** Tokens of the newest request; missing until the first request has been prepared. */
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
  /** Newest first. */
  conversations: ProxiedConversation[];
}

/** A running proxy. */
export interface RunningProxy {
  /** Its address, such as `http://127.0.0.1:49152`. */
  url: string;
  /** Environment variables for the agent. */
  env: { ANTHROPIC_BASE_URL: string; OPENAI_BASE_URL: string };
  /** Figures of the newest conversations, by default and at most 100. They contain no message text. */
  reports(most?: number): ProxyReports;
  /** Accepts no new requests, and resolves when the running ones have ended, or after 30 seconds. */
  close(): Promise<void>;
  /** `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts `contextfold proxy` inside this process: a local server between an agent that runs as its own program and the model's API.
 * Node only. It keeps the process running until it is closed.
 *
 * ```js
 * import { startProxy } from "contextfold/proxy";
 *
 * const proxy = await startProxy({ upstream: "https://api.anthropic.com" });
 * const agent = spawn("claude", ["-p", "Why does the build fail?"], { env: { ...process.env, ...proxy.env }, stdio: "inherit" });
 * agent.once("exit", () => proxy.close());
 * ```
 *
 * @throws {ContextError} `INVALID_CONFIG`, `UNKNOWN_MODEL`; `INVALID_CONFIG` also if it cannot listen at that address.
 */
export declare function startProxy(options: ProxyOptions): Promise<RunningProxy>;

import type { Pass, PresetName } from "contextfold";

/** What `startProxy` takes. */
export interface ProxyOptions {
  /** Where requests go: `https://api.anthropic.com`, `https://api.openai.com`, a gateway. Without user, password and query. */
  upstream: string | URL;
  /** Tokens of the window, for every model. Default: what the table knows of each request's `model`; one that is not known has no limit until a refusal tells it. */
  contextWindow?: number | undefined;
  /** A table of models' limits, before the built-in one: that of LiteLLM, that of models.dev, or rows like `{ "my-model": { "max_input_tokens": 65536 } }`. */
  models?: object | undefined;
  /** Default `"contextfold"`. */
  ladder?: PresetName | Pass[] | undefined;
  /** Default false: summaries are asked of the same upstream and model, with the client's own key. True: no model is asked. */
  extractive?: boolean | undefined;
  /** Default 0: any that is free. */
  port?: number | undefined;
  /** Default `"127.0.0.1"`. It asks nobody for a password: at another address, whoever reaches it can send requests with keys of their own. */
  host?: string | undefined;
  /** Hears every failure, instead of the console, which is told the first of each kind. */
  onError?: ((error: unknown) => void) | undefined;
}

/** What became of a conversation, in figures. */
export interface ProxiedConversation {
  /** Counted from 1. */
  conversation: number;
  api: "responses" | "chat" | "anthropic";
  model: string | null;
  /** Requests of it. */
  calls: number;
  /** How many of them were changed so that they fit. */
  edits: number;
  /** Refusals as too long that were answered with a smaller request. */
  made_smaller: number;
  /** Of the newest request; missing before the first that could be prepared. */
  tokens?: number;
  /** What a request may take; `null` where neither model nor window is known. */
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
  /** The newest conversations, 100 at the most. No word of a message is in it. */
  reports(most?: number): ProxyReports;
  /** Takes nothing new, and settles when what is under way has ended: after 30 seconds it is ended. */
  close(): Promise<void>;
  /** `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts `contextfold proxy` inside this process: a local server between an agent that runs as a program of its own and its API. For
 * Node. It keeps the process running until it is closed.
 *
 * ```js
 * import { startProxy } from "contextfold/proxy";
 *
 * const proxy = await startProxy({ upstream: "https://api.anthropic.com" });
 * const agent = spawn("claude", ["-p", "Why does the build fail?"], { env: { ...process.env, ...proxy.env }, stdio: "inherit" });
 * agent.once("exit", () => proxy.close());
 * ```
 *
 * @throws {ContextError} `INVALID_CONFIG`, `UNKNOWN_MODEL`: also where it cannot listen at that place.
 */
export declare function startProxy(options: ProxyOptions): Promise<RunningProxy>;

import type { AgentMiddleware, ModelRequest } from "langchain";
import type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf } from "./shared/types.js";

export type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf };
export { tools } from "./shared/langchain-tools.js";

/**
 * A middleware for `createAgent` of `langchain` 1: the messages of every model call are made to fit. The agent's state and its
 * checkpoints stay whole. If a call is still refused as too long, it is retried once with fewer messages.
 *
 * ```js
 * import { createAgent } from "langchain";
 * import { middleware } from "contextfold/langchain";
 *
 * const agent = createAgent({ model, tools, middleware: [middleware({ model: "gpt-5" })] });
 * ```
 *
 * @throws {ContextError} `INVALID_CONFIG`, `UNKNOWN_MODEL`: at once, not in a run.
 */
export declare function middleware(options: IntegrationOptions<ModelRequest>): AgentMiddleware;

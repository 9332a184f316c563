import type { ProcessLLMRequestArgs, Processor } from "@mastra/core/processors" with { "resolution-mode": "import" };
import type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf } from "./shared/types.js";

export type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf };

/** What `processor` gives: the methods of a Mastra processor that it has. */
export type ContextProcessor = Processor<"contextfold"> & Required<Pick<Processor, "processInputStep" | "processLLMRequest" | "processLLMResponse" | "processAPIError">>;

/**
 * A processor for an `Agent` of `@mastra/core` 1: before each model call the prompt is made to fit. Memory, the message list and what a
 * run returns stay whole. As one of the `errorProcessors` as well, it answers a call that is refused as too long with a smaller one.
 *
 * ```js
 * import { Agent } from "@mastra/core/agent";
 * import { processor } from "contextfold/mastra";
 *
 * const fitting = processor({ contextWindow: 128_000 });
 * const agent = new Agent({ id, name, instructions, model, tools, inputProcessors: [fitting], errorProcessors: [fitting] });
 * ```
 *
 * It stands behind the other input processors, so that it counts what they add. The summary stands in a user message.
 *
 * @param options `key`, as a function, and `session`, as one, are given what `processLLMRequest` is called with: `requestContext`,
 * `messageList`, `stepNumber`, `model`.
 * @throws {ContextError} `INVALID_CONFIG`, `UNKNOWN_MODEL`: at once, not in a run.
 */
export declare function processor(options: IntegrationOptions<ProcessLLMRequestArgs>): ContextProcessor;

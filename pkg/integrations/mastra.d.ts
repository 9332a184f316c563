import type { ProcessLLMRequestArgs, Processor } from "@mastra/core/processors" with { "resolution-mode": "import" };
import type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf } from "./shared/types.js";

export type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf };

/** What `processor` returns: a Mastra processor with these methods. */
export type ContextProcessor = Processor<"contextfold"> & Required<Pick<Processor, "processInputStep" | "processLLMRequest" | "processLLMResponse" | "processAPIError">>;

/**
 * A processor for an `Agent` of `@mastra/core` 1: before each model call the prompt is made to fit. Memory, the message list and
 * the result of a run stay whole. List it in `errorProcessors`, too, to retry a call that is refused as too long with a smaller
 * prompt.
 *
 * ```js
 * import { Agent } from "@mastra/core/agent";
 * import { processor } from "contextfold/mastra";
 *
 * const fitting = processor({ contextWindow: 128_000 });
 * const agent = new Agent({ id, name, instructions, model, tools, inputProcessors: [fitting], errorProcessors: [fitting] });
 * ```
 *
 * List it after the other input processors, so that it counts what they add. The summary is a user message.
 *
 * @param options `key` and `session`, if functions, are called with the arguments of `processLLMRequest`:
 * `requestContext`, `messageList`, `stepNumber`, `model`.
 * @throws {ContextError} `INVALID_CONFIG`, `UNKNOWN_MODEL`: at once, not in a run.
 */
export declare function processor(options: IntegrationOptions<ProcessLLMRequestArgs>): ContextProcessor;

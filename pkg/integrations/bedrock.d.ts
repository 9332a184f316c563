import type { BedrockRuntimeClient, Message, SystemContentBlock } from "@aws-sdk/client-bedrock-runtime";
import type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf } from "./shared/types.js";

export type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf };

declare module "contextfold" {
  interface EntryTypes {
    /** A message of `@aws-sdk/client-bedrock-runtime`. */
    "bedrock-converse": Message;
    /** A block of the system prompt, of `@aws-sdk/client-bedrock-runtime`. */
    "bedrock-converse-system": SystemContentBlock;
  }
}

/** Options of an integration, and the number of cache points for each request. */
export type BedrockOptions = IntegrationOptions<object> & {
  /**
   * How many `cachePoint` blocks to set (0 to 4; default 0). They are put at the ends of parts that stay the same from call to
   * call, as by `session.view("bedrock-converse", { cacheMarks })`. Your own stay; a request never has more than four in all. Not
   * every model accepts them.
   */
  cacheMarks?: number | undefined;
};

/** What `client.middlewareStack.use` takes. */
export interface BedrockPlugin {
  /** Adds the middleware to a client's stack. */
  applyToStack(stack: BedrockRuntimeClient["middlewareStack"]): void;
}

/**
 * A plugin for the client: the `messages` of every `ConverseCommand` and `ConverseStreamCommand` are made to fit. If a request is
 * still refused as too long, a smaller one is sent once. The usage in answers, streamed or not, corrects the counts. Your own
 * list stays whole.
 *
 * ```js
 * import { BedrockRuntimeClient } from "@aws-sdk/client-bedrock-runtime";
 * import { plugin } from "contextfold/bedrock";
 *
 * const client = new BedrockRuntimeClient({ region: "us-east-1" });
 * client.middlewareStack.use(plugin({ contextWindow: 200_000 }));
 * ```
 *
 * `InvokeModelCommand` and all other commands are sent unchanged. If the refusal arrives inside a stream that has begun, the caller
 * gets the error.
 *
 * @throws {ContextError} `INVALID_CONFIG`, `UNKNOWN_MODEL`: at once, not in a request.
 */
export declare function plugin(options: BedrockOptions): BedrockPlugin;

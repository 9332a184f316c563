import type { Content, FunctionDeclaration } from "@google/genai" with { "resolution-mode": "import" };
import type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf } from "./shared/types.js";

export type { HookOptions, HookReport, IntegrationOptions, KeyOption, OwnSession, SessionOf };

declare module "contextfold" {
  interface EntryTypes {
    /** A message of `@google/genai`. */
    gemini: Content;
    /** A function declaration of `@google/genai`, an element of a tool's `functionDeclarations`. */
    "gemini-tool": FunctionDeclaration;
  }
}

/**
 * A `fetch` for `new GoogleGenAI({ httpOptions: { fetch } })`: the `contents` of every request to `generateContent` and
 * `generateContentStream` are made to fit, including those of a chat and of automatic function calling. If a request is still
 * refused as too long, a smaller one is sent once. A chat's history and your own list stay whole.
 *
 * It reads a body that is a text, as SDKs pass it, or that of a `Request`. A request with another body is sent unchanged, and this is
 * reported as a failure.
 *
 * ```js
 * import { GoogleGenAI } from "@google/genai";
 * import { fittingFetch } from "contextfold/google";
 *
 * const ai = new GoogleGenAI({ apiKey, httpOptions: { fetch: fittingFetch({ model: "gemini-2.5-pro" }) } });
 * ```
 *
 * If the `httpOptions` of a single call have their own `fetch`, that one is used instead of this. `cachedContent` is held by the
 * service and is not in the request, so it is neither counted nor made smaller. The Live API and the Interactions API are left
 * alone.
 *
 * @param options `fetch`: the function that sends the requests; default: the global `fetch`.
 * @throws {ContextError} `INVALID_CONFIG`, `UNKNOWN_MODEL`: at once, not in a request.
 */
export declare function fittingFetch(options: IntegrationOptions<object> & { fetch?: typeof fetch | undefined }): (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

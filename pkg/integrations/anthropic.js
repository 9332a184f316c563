// Anthropic's SDK (`@anthropic-ai/sdk` 1): a client middleware, and a tool runner whose requests fit. Does not import the SDK.

import { ContextError } from "contextfold";
import { objectOf, withMethod } from "../given.js";
import { BodyKeeper } from "./shared/bodies.js";
import { sendFitting } from "./shared/http.js";
import { hasCompaction, providerCompaction, withBeta } from "./shared/provider-compaction.js";

export { providerCompaction };

/** See anthropic.d.ts. */
export function middleware(options) {
  const keeper = new BodyKeeper("anthropic middleware", "anthropic", options, { more: ["cacheMarks"] });
  return async (request, next) => {
    // Excludes /v1/messages/count_tokens and batches.
    const isMessages = new URL(request.url, "http://host").pathname.endsWith("/v1/messages") && request.method?.toUpperCase() === "POST";
    if (!isMessages || typeof request.body !== "string") return next(request);
    return sendFitting(keeper, request.body, {
      signal: request.signal ?? undefined,
      send(body, { messages } = {}) {
        if (hasCompaction(messages)) request.headers.set("anthropic-beta", withBeta(request.headers.get("anthropic-beta")));
        return next(body === request.body ? request : { ...request, body });
      },
    });
  };
}

/** See anthropic.d.ts. */
export function toolRunner(client, params, options, requestOptions) {
  withMethod(client, "withOptions", ["client", "Anthropic's client, with `withOptions`"]);
  if (objectOf(params, "params").thread !== false)
    throw new ContextError(
      "INVALID_ARGUMENT",
      "by default the runner stores the conversation at Anthropic and sends only new messages, so nothing can be compacted here: pass `thread: false`",
    );
  const fitting = client.withOptions({ middleware: [...(client.middleware ?? []), middleware(options)] });
  return fitting.beta.messages.toolRunner(params, requestOptions);
}

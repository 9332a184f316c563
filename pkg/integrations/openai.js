// OpenAI's SDK (`openai` 6 and 7): requests that fit, a loop that runs tools, and a `fetch` for loops that the caller does not
// control. Does not import `openai`.

import { optionsOf, withMethod } from "../given.js";
import { runLoop } from "./shared/agent-loop.js";
import { BodyKeeper } from "./shared/bodies.js";
import { fetchFitting } from "./shared/http.js";
import { CHAT, RESPONSES } from "./shared/openai-apis.js";

export { providerCompaction } from "./shared/provider-compaction.js";

/** See openai.d.ts. */
export function fit(options) {
  const responses = new BodyKeeper("openai fit", "openai-responses", options);
  const chat = new BodyKeeper("openai fit", "openai-chat", options);
  return async (body, { signal, usage } = {}) => (await (body.messages ? chat : responses).fit(body, { signal, usage })).body;
}

/** See openai.d.ts. */
export function fittingFetch(options) {
  const { fetch: inner, ...rest } = optionsOf(options);
  const keepers = {
    "/responses": new BodyKeeper("openai fetch", "openai-responses", rest, { more: ["fetch"] }),
    "/chat/completions": new BodyKeeper("openai fetch", "openai-chat", rest, { more: ["fetch"] }),
  };
  return fetchFitting(inner, (path) => Object.entries(keepers).find(([end]) => path.endsWith(end))?.[1]);
}

/** See openai.d.ts. */
export async function runResponses(client, body, options) {
  withMethod(client?.responses, "create", ["client", "OpenAI's client, with `responses.create`"]);
  return runLoop(RESPONSES, client, body, options);
}

/** See openai.d.ts. */
export async function runChat(client, body, options) {
  withMethod(client?.chat?.completions, "create", ["client", "OpenAI's client, with `chat.completions.create`"]);
  return runLoop(CHAT, client, body, options);
}

// Calls a LangChain model with messages that fit: shared by `createAgent` and custom graphs.

import { SystemMessage } from "@langchain/core/messages";
import { blocksOf } from "./header.js";
import { jsonSchemaOf } from "./schemas.js";
import { markedIf } from "./summed.js";

/** Calls with messages that fit. If the call is still refused as too long, retries once with fewer. The usage corrects the counts. */
export async function calledFitting(keeper, messages, { about, signal }, call) {
  let fitting = await keeper.fit(messages, about);
  let answer;
  try {
    answer = await call(fitting.list);
  } catch (error) {
    const smaller = await keeper.recovered(fitting, error, { signal });
    if (!smaller) throw error;
    fitting = smaller;
    answer = await call(fitting.list);
  }
  keeper.record(fitting, usageOf(answer));
  return answer;
}

/** Splits a list into the system messages at its beginning and the rest. */
export function parted(list) {
  const first = list.findIndex((message) => message.getType() !== "system");
  return first < 0 ? [list, []] : [list.slice(0, first), list.slice(first)];
}

/** Joins system messages into one: a text if all are texts, else a list of unchanged blocks (a block may have a cache mark). */
export function joined(own, others) {
  const all = [...(own?.content?.length > 0 ? [own.content] : []), ...others.map(({ content }) => content)];
  const content = all.every((one) => typeof one === "string") ? all.join("\n\n") : all.flatMap(blocksOf);
  return new SystemMessage({ content, id: own?.id, name: own?.name, additional_kwargs: own?.additional_kwargs, response_metadata: own?.response_metadata });
}

/** LangChain's usage in a provider's shape. As in Chat Completions, LangChain's input includes tokens read from a cache. */
export function usageOf(answer) {
  const usage = answer?.usage_metadata;
  if (!usage) return undefined;
  const { content, additional_kwargs: more } = answer;
  const isSum = more?.tool_outputs?.length > 0 || (Array.isArray(content) && content.some(({ type }) => type === "server_tool_use" || type === "server_tool_call"));
  return markedIf(isSum, inProvidersShape(usage));
}

function inProvidersShape(usage) {
  const { cache_read = 0, cache_creation = 0 } = usage.input_token_details ?? {};
  // Only Anthropic's models report tokens written to a cache.
  if (cache_creation > 0)
    return { input_tokens: usage.input_tokens - cache_read - cache_creation, cache_read_input_tokens: cache_read, cache_creation_input_tokens: cache_creation, output_tokens: usage.output_tokens };
  return { prompt_tokens: usage.input_tokens, completion_tokens: usage.output_tokens, total_tokens: usage.total_tokens, prompt_tokens_details: { cached_tokens: cache_read } };
}

/** The definitions of the tools, to be counted. */
export function definitionsOf(given) {
  if (!given?.length) return undefined;
  return Promise.all(
    given.map(async (one) => (one.type === "function" ? one : { type: "function", function: { name: one.name ?? "tool", description: one.description, parameters: await jsonSchemaOf(one.schema) } })),
  );
}

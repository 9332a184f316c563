// A call of a LangChain model with messages that fit: what `createAgent` and a graph of one's own have in common.

import { SystemMessage } from "@langchain/core/messages";
import { blocksOf } from "./header.js";
import { jsonSchemaOf } from "./schemas.js";

/** Calls with messages that fit; once more, with fewer, where that is refused as too long all the same. Learns from the usage. */
export async function calledFitting(keeper, messages, { about, signal }, call) {
  const fitting = await keeper.fit(messages, about);
  let answer;
  try {
    answer = await call(fitting.list);
  } catch (error) {
    const smaller = await keeper.recovered(fitting.conversation, error, { signal });
    if (!smaller) throw error;
    answer = await call(smaller);
  }
  keeper.record(fitting.conversation, usageOf(answer));
  return answer;
}

/** The instructions that a list begins with, and what stands behind them. */
export function parted(list) {
  const first = list.findIndex((message) => message.getType() !== "system");
  return first < 0 ? [list, []] : [list.slice(0, first), list.slice(first)];
}

/** A system message with others behind it: a text where all of it is, and else blocks, as they are (one may be marked for a cache). */
export function joined(own, others) {
  const all = [...(own?.content?.length > 0 ? [own.content] : []), ...others.map(({ content }) => content)];
  const content = all.every((one) => typeof one === "string") ? all.join("\n\n") : all.flatMap(blocksOf);
  return new SystemMessage({ content, id: own?.id, name: own?.name, additional_kwargs: own?.additional_kwargs, response_metadata: own?.response_metadata });
}

/** LangChain's figures: the input is all of it, what was read from a cache included, as in Chat Completions. */
export function usageOf(answer) {
  const usage = answer?.usage_metadata;
  if (!usage) return undefined;
  const { cache_read = 0, cache_creation = 0 } = usage.input_token_details ?? {};
  // Only Anthropic's models tell what was written to a cache.
  if (cache_creation > 0)
    return { input_tokens: usage.input_tokens - cache_read - cache_creation, cache_read_input_tokens: cache_read, cache_creation_input_tokens: cache_creation, output_tokens: usage.output_tokens };
  return { prompt_tokens: usage.input_tokens, completion_tokens: usage.output_tokens, total_tokens: usage.total_tokens, prompt_tokens_details: { cached_tokens: cache_read } };
}

/** Definitions of the tools, to be counted. */
export function definitionsOf(given) {
  if (!given?.length) return undefined;
  return Promise.all(
    given.map(async (one) => (one.type === "function" ? one : { type: "function", function: { name: one.name ?? "tool", description: one.description, parameters: await jsonSchemaOf(one.schema) } })),
  );
}

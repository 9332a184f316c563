// LangChain (`langchain` 1): a middleware for `createAgent`, and the three tools.

import { toolDefinitions } from "contextfold";
import { SystemMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createMiddleware } from "langchain";
import { blocksOf } from "./shared/header.js";
import { Keeper } from "./shared/keeper.js";
import { langchainMessages } from "./shared/langchain-messages.js";
import { jsonSchemaOf } from "./shared/schemas.js";
import { tellOfTools } from "./shared/opens.js";
import { runTool } from "./tools.js";

const FORMAT = "openai-chat";

/** See langchain.d.ts. */
export function middleware(options) {
  const keeper = new Keeper("langchain middleware", FORMAT, options, { mirror: langchainMessages() });
  return createMiddleware({
    name: "contextfold",
    wrapModelCall: async (request, handler) => {
      const signal = request.runtime?.signal;
      const about = async () => ({ header: textOf(request.systemMessage?.content) || undefined, tools: await definitionsOf(request.tools), signal, args: request });
      const fitting = await keeper.fit(request.messages, about);
      let answer;
      try {
        answer = await handler(fitting.list === request.messages ? request : withMessages(request, fitting.list));
      } catch (error) {
        const smaller = await keeper.recovered(fitting.conversation, error, { signal });
        if (!smaller) throw error;
        answer = await handler(withMessages(request, smaller));
      }
      keeper.record(fitting.conversation, usageOf(answer));
      return answer;
    },
  });
}

/** See langchain.d.ts. */
export function tools(session) {
  tellOfTools(session);
  return toolDefinitions("openai-responses").map(({ name, description, parameters }) => tool((args) => runTool(session, name, args), { name, description, schema: parameters }));
}

const textOf = (content) => (Array.isArray(content) ? content.map((block) => block.text ?? "").join("\n\n") : content);

/** Instructions at the list's beginning (a session's memory) go to the system prompt: some models take them nowhere else. */
function withMessages(request, list) {
  const first = list.findIndex((message) => message.getType() !== "system");
  const more = list.slice(0, Math.max(first, 0)).map(({ content }) => content);
  if (more.length === 0) return { ...request, messages: list };
  return { ...request, messages: list.slice(first), systemMessage: withMore(request.systemMessage, more) };
}

/** The system prompt with more behind it: a text where all of it is, and else blocks, as they are (one may be marked for a cache). */
function withMore(own, more) {
  const all = [...(own?.content?.length > 0 ? [own.content] : []), ...more];
  const content = all.every((one) => typeof one === "string") ? all.join("\n\n") : all.flatMap(blocksOf);
  return new SystemMessage({ content, id: own?.id, name: own?.name, additional_kwargs: own?.additional_kwargs, response_metadata: own?.response_metadata });
}

/** LangChain's figures: the input is all of it, what was read from a cache included, as in Chat Completions. */
function usageOf(answer) {
  const usage = answer?.usage_metadata;
  if (!usage) return undefined;
  const { cache_read = 0, cache_creation = 0 } = usage.input_token_details ?? {};
  // Only Anthropic's models tell what was written to a cache.
  if (cache_creation > 0)
    return { input_tokens: usage.input_tokens - cache_read - cache_creation, cache_read_input_tokens: cache_read, cache_creation_input_tokens: cache_creation, output_tokens: usage.output_tokens };
  return { prompt_tokens: usage.input_tokens, completion_tokens: usage.output_tokens, total_tokens: usage.total_tokens, prompt_tokens_details: { cached_tokens: cache_read } };
}

/** Definitions of the tools, to be counted. */
function definitionsOf(given) {
  if (!given?.length) return undefined;
  return Promise.all(
    given.map(async (one) => (one.type === "function" ? one : { type: "function", function: { name: one.name ?? "tool", description: one.description, parameters: await jsonSchemaOf(one.schema) } })),
  );
}

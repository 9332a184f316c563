// LangChain (`langchain` 1): a middleware for `createAgent`, and the three tools.

import { createMiddleware } from "langchain";
import { Keeper } from "./shared/keeper.js";
import { calledFitting, definitionsOf, joined, parted } from "./shared/langchain-calls.js";
import { langchainMessages } from "./shared/langchain-messages.js";

export { tools } from "./shared/langchain-tools.js";

const FORMAT = "openai-chat";

/** See langchain.d.ts. */
export function middleware(options) {
  const keeper = new Keeper("langchain middleware", FORMAT, options, { mirror: langchainMessages() });
  return createMiddleware({
    name: "contextfold",
    wrapModelCall: (request, handler) => {
      const signal = request.runtime?.signal;
      const about = async () => ({ header: textOf(request.systemMessage?.content) || undefined, tools: await definitionsOf(request.tools), model: request.model?.model ?? request.model?.modelName, signal, args: request });
      return calledFitting(keeper, request.messages, { about, signal }, (list) => handler(list === request.messages ? request : withMessages(request, list)));
    },
  });
}

const textOf = (content) => (Array.isArray(content) ? content.map((block) => block.text ?? "").join("\n\n") : content);

/** Moves instructions at the list's beginning (a session's memory) to the system prompt, because some models accept them only there. */
function withMessages(request, list) {
  const [more, messages] = parted(list);
  return more.length === 0 ? { ...request, messages } : { ...request, messages, systemMessage: joined(request.systemMessage, more) };
}

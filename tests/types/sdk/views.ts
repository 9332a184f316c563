// Compiled, not run: once their entry types are named, views are assignable to the official SDKs without a cast.

import { OpenAIHistoryAdapter, Session, toolDefinitions } from "contextfold";
import type {} from "contextfold/anthropic";
import type {} from "contextfold/openai";
import Anthropic from "@anthropic-ai/sdk";
import { type LanguageModel, type ModelMessage, generateText } from "ai";
import OpenAI from "openai";

declare module "contextfold" {
  interface EntryTypes {
    "openai-responses": OpenAI.Responses.ResponseInputItem;
    "openai-chat": OpenAI.Chat.ChatCompletionMessageParam;
    anthropic: Anthropic.MessageParam;
    "anthropic-system": Anthropic.TextBlockParam;
    "ai-sdk": ModelMessage;
  }
}

export async function send(session: Session, openai: OpenAI, anthropic: Anthropic, model: LanguageModel): Promise<void> {
  const response = await openai.responses.create({ model: "gpt-5", ...session.view("openai-responses") });
  session.pushFrom("openai-responses", response);
  const completion = await openai.chat.completions.create({ model: "gpt-5", messages: session.view("openai-chat") });
  session.pushFrom("openai-chat", completion);
  const message = await anthropic.messages.create({ model: "claude-opus-4-5", max_tokens: 100, ...session.view("anthropic") });
  session.pushFrom("anthropic", message);
  const { response: made } = await generateText({ model, messages: session.view("ai-sdk") });
  session.pushFrom("ai-sdk", made.messages);
  // @ts-expect-error one format's view is not another's
  await openai.chat.completions.create({ model: "gpt-5", messages: session.view("ai-sdk") });
}

/** An import of `contextfold/openai` or `contextfold/anthropic`, even of nothing, also types the tools and `inputItems`. */
export async function sendWithTools(openai: OpenAI, anthropic: Anthropic, history: OpenAIHistoryAdapter): Promise<void> {
  await openai.responses.create({ model: "gpt-5", input: history.inputItems, tools: toolDefinitions("openai-responses") });
  await openai.chat.completions.create({ model: "gpt-5", messages: [], tools: toolDefinitions("openai-chat") });
  await anthropic.messages.create({ model: "claude-opus-4-5", max_tokens: 100, messages: [], tools: toolDefinitions("anthropic") });
  // @ts-expect-error one format's tools are not another's
  await openai.chat.completions.create({ model: "gpt-5", messages: [], tools: toolDefinitions("anthropic") });
}

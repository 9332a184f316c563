// What the peers keep of a list of messages ({ role, content, tool_calls? }, no header). Each is used as its documentation shows, with a
// limit in tokens as it counts them. No model writes a summary: what a peer would summarise is left out, unless it does so itself (cline).

import { createContextCompactionPrepareTurn } from "@cline/core";
import * as messages from "@langchain/core/messages";
import { findCutPoint } from "@mariozechner/pi-coding-agent";
import { TokenLimiter } from "@mastra/core/processors";
import { pruneMessages } from "ai";
import { createSummarizationMiddleware } from "deepagents";
import { countTokensApproximately, trimMessages } from "langchain";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { asCline, asLangChain, asModelMessages, asPiEntries, asPrompt, fromCline } from "./histories.mjs";

const model = new FakeListChatModel({ responses: ["-"] });
const offload = { write: () => ({}), uploadFiles: () => [{}] };

const cline = createContextCompactionPrepareTurn({ providerId: "-", modelId: "-", compaction: { enabled: true, strategy: "basic" } });

/** The messages of `list` whose converted form was kept. */
const among = (list, converted, kept) => {
  const there = new Set(kept);
  return list.filter((_, n) => there.has(converted[n]));
};
const byId = (list, converted, kept) => {
  const ids = new Set(kept.map((m) => m.id));
  return list.filter((_, n) => ids.has(converted[n].id));
};

export const kept = {
  /** Best fit: whole messages, newest first, as long as they fit. */
  mastra: async (list, tokens) => {
    const prompt = asPrompt(list);
    return among(list, prompt, (await new TokenLimiter(Math.max(1, tokens)).processLLMRequest({ prompt }))?.prompt ?? prompt);
  },
  pi: (list, tokens) => {
    const entries = asPiEntries(list);
    return list.slice(findCutPoint(entries, 0, entries.length, tokens).firstKeptEntryIndex);
  },
  deepagents: async (list, tokens) => {
    const converted = asLangChain(list, messages);
    const size = Math.max(1, tokens);
    const middleware = createSummarizationMiddleware({ model, backend: offload, trigger: { type: "tokens", value: size }, keep: { type: "tokens", value: size } });
    const request = { messages: converted, state: {}, runtime: { context: {} }, model, tools: [] };
    let sent = converted;
    await middleware.wrapModelCall(request, ({ messages }) => (sent = messages));
    return byId(list, converted, sent);
  },
  langchain: async (list, maxTokens) => {
    const converted = asLangChain(list, messages);
    const options = { maxTokens, strategy: "last", tokenCounter: countTokensApproximately, startOn: "human", endOn: ["human", "tool"] };
    return byId(list, converted, await trimMessages(converted, options));
  },
  /** Its strategy without a model: as if the provider had refused the whole as too long. It changes messages, too. */
  cline: async (list, tokens) => {
    const messages = asCline(list);
    const turn = { agentId: "-", conversationId: "-", parentAgentId: null, iteration: 1, messages, apiMessages: messages, abortSignal: new AbortController().signal, systemPrompt: "", tools: [] };
    const model = { id: "-", provider: "-", info: { id: "-", maxInputTokens: Math.max(1, tokens) } };
    return fromCline((await cline({ ...turn, model, overflowRecovery: true }))?.messages ?? messages);
  },
  /** It has no limit in tokens. It only keeps the calls of this many of the newest messages. */
  ai: (list, newest) => {
    const pruned = pruneMessages({ messages: asModelMessages(list), toolCalls: newest > 0 ? `before-last-${newest}-messages` : "all", emptyMessages: "remove" });
    const calls = new Set(pruned.flatMap((m) => m.content.filter((p) => p.toolCallId).map((p) => p.toolCallId)));
    return list.flatMap((m) => {
      if (m.role === "tool") return calls.has(m.tool_call_id) ? [m] : [];
      if (!m.tool_calls) return [m];
      const tool_calls = m.tool_calls.filter((c) => calls.has(c.id));
      return tool_calls.length ? [{ ...m, tool_calls }] : m.content ? [{ role: m.role, content: m.content }] : [];
    });
  },
};

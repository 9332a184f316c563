// The peers, each as { name, budget, convert(history), begin(list) }. `begin` returns an object that works on the list:
// `push` takes new messages, `run` is what the library does before a model call with nothing to cut, `cut(tokens)` the same if it
// has to cut. `budget`: whether it limits the list to a number of tokens at all.
//
// Each is called as its documentation shows. Messages are converted to its types before, untimed; a summary is one constant text,
// returned at once, for all.

import * as messages from "@langchain/core/messages";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { TokenBasedContextCompactor } from "@google/adk";
import { estimateTokens, findCutPoint, shouldCompact } from "@mariozechner/pi-coding-agent";
import { pruneMessages } from "ai";
import { createSummarizationMiddleware } from "deepagents";
import { ClearToolUsesEdit, contextEditingMiddleware, countTokensApproximately, summarizationMiddleware, trimMessages } from "langchain";
import { SUMMARY, asEvents, asLangChain, asModelMessages, asPi, asPiEntries } from "./histories.mjs";


const NEVER = 1e12;
const model = new FakeListChatModel({ responses: [SUMMARY] });

/** A peer that gets the whole list each time. `limited(tokens)` returns the function that takes it. */
const over = (name, budget, convert, limited, cutting = limited) => ({
  name,
  budget,
  convert,
  begin(converted) {
    const list = [...converted];
    const run = limited(NEVER);
    return { push: (more) => void list.push(...more), run: () => run(list), cut: (tokens) => cutting(tokens)(list) };
  },
});

const langChain = (list) => asLangChain(list, messages);
const request = (list) => ({ messages: list, state: {}, runtime: { context: {} }, model, tools: [] });
const sent = ({ messages }) => messages;
const offload = { write: () => ({}), uploadFiles: () => [{}] };
const settings = { enabled: true, reserveTokens: 16384 };
const inAll = (list) => list.reduce((sum, message) => sum + estimateTokens(message), 0);

export const peers = [
  over("ai pruneMessages", false, asModelMessages,
    () => (list) => pruneMessages({ messages: list, reasoning: "before-last-message", toolCalls: `before-last-${list.length}-messages` }),
    () => (list) => pruneMessages({ messages: list, reasoning: "before-last-message", toolCalls: `before-last-${list.length >> 1}-messages` })),
  { ...over("pi shouldCompact", true, asPi, (tokens) => (list) => shouldCompact(inAll(list), tokens, settings)), cuts: false },
  over("pi findCutPoint", true, asPiEntries, (tokens) => (entries) => findCutPoint(entries, 0, entries.length, tokens)),
  over("deepagents", true, langChain, (tokens) => {
    const middleware = createSummarizationMiddleware({ model, backend: offload, trigger: { type: "tokens", value: tokens }, keep: { type: "tokens", value: tokens } });
    return (list) => middleware.wrapModelCall(request(list), sent);
  }),
  over("langchain summarization", true, langChain, (tokens) => {
    const middleware = summarizationMiddleware({ model, trigger: { tokens }, keep: { tokens } });
    return (list) => middleware.beforeModel({ messages: list }, { context: {} });
  }),
  over("langchain ClearToolUses", false, langChain, (tokens) => {
    const middleware = contextEditingMiddleware({ edits: [new ClearToolUsesEdit({ trigger: { tokens } })] });
    return (list) => middleware.wrapModelCall(request(list), sent);
  }),
  over("langchain trimMessages", true, langChain, (maxTokens) => (list) =>
    trimMessages(list, { maxTokens, strategy: "last", tokenCounter: countTokensApproximately, startOn: "human", endOn: ["human", "tool"], includeSystem: true })),
  over("adk TokenBased", true, asEvents,
    (tokenThreshold) => {
      const compactor = new TokenBasedContextCompactor({ tokenThreshold, eventRetentionSize: 8, summarizer: {} });
      return (events) => compactor.shouldCompact(of(events));
    },
    (tokenThreshold) => async (events) => {
      const summarizer = { summarize: () => ({ author: "user", actions: {}, content: { role: "user", parts: [{ text: SUMMARY }] } }) };
      const compactor = new TokenBasedContextCompactor({ tokenThreshold, eventRetentionSize: events.length >> 1, summarizer });
      const invocation = of([...events]);
      if (compactor.shouldCompact(invocation)) await compactor.compact(invocation);
      return invocation.session.events;
    }),
];

const of = (events) => ({ session: { events }, agent: { name: "agent" } });

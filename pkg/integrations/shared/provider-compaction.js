// Summaries by a provider's own compaction. In views of the provider's format, its compaction appears next to our record of facts.

import { ContextError, convert } from "contextfold";
import { optionsOf } from "../../given.js";

const BETA = "compact-2026-09-04";

/** How each provider is asked, and how its answer is converted for the engine. */
const PROVIDERS = {
  anthropic: {
    format: "anthropic",
    async ask(client, { model, system, tools, messages, max_tokens, instructions }, options) {
      const compaction = { type: "summarize", ...(instructions && { instructions }) };
      return client.beta.messages.create({ model, max_tokens: max_tokens ?? 8192, ...(system && { system }), ...(tools && { tools }), messages, compaction, betas: [BETA] }, options);
    },
    read({ content, stop_reason, usage }) {
      const block = content.find(({ type }) => type === "compaction");
      const summary = block?.content;
      if (!summary) throw new Error(`Anthropic wrote no compaction (stop_reason: ${stop_reason})`);
      const text = summary.includes("<summary>") ? summary : `<summary>\n${summary}\n</summary>`;
      return { text, usage, compaction: { format: "anthropic", entries: [{ role: "assistant", content: [block] }] } };
    },
  },
  openai: {
    format: "openai-responses",
    async ask(client, { model, system, messages }, options) {
      return client.responses.compact({ model, ...(system && { instructions: system }), input: messages }, options);
    },
    // The compaction is encrypted, so views of other formats get the engine's own summary.
    read: ({ output, usage }) => ({ text: null, usage, compaction: { format: "openai-responses", entries: output } }),
  },
};

/** Whether messages begin with a compaction that Anthropic made on request. Requests with such a compaction need the beta. */
export function hasCompaction(messages) {
  const block = Array.isArray(messages) ? messages[0]?.content?.[0] : undefined;
  return block?.type === "compaction" && typeof block.signature === "string";
}

/** Adds our beta to the betas of a request. */
export function withBeta(betas) {
  const named = betas?.split(",").map((beta) => beta.trim()).filter(Boolean) ?? [];
  return [...new Set([...named, BETA])].join(",");
}

/** See anthropic.d.ts and openai.d.ts. */
export function providerCompaction(provider, options) {
  const { client, model, instructions } = optionsOf(options);
  const known = PROVIDERS[provider];
  if (!known) throw new ContextError("INVALID_CONFIG", `providerCompaction: "${String(provider)}" is neither "anthropic" nor "openai"`);
  if (typeof (provider === "anthropic" ? client?.beta?.messages?.create : client?.responses?.compact) !== "function")
    throw new ContextError("INVALID_CONFIG", `providerCompaction: \`client\` has no ${provider === "anthropic" ? "beta.messages.create" : "responses.compact"}`);
  return async (request, { signal } = {}) => {
    if (request.style !== "messages" || request.reason === "chunk") throw new Error(`${provider}'s own compaction needs the whole conversation, but this request is ${request.style === "messages" ? "a piece of one" : "a transcript"}`);
    const named = request.model ?? model;
    if (!named) throw new Error("providerCompaction: set the `model` that compacts");
    const { system, instructions: header, tools } = request.as(known.format);
    const answer = await known.ask(client, { model: named, system: system ?? header, tools, messages: foldedOf(request, known.format), max_tokens: request.max_tokens, instructions }, { signal });
    return known.read(answer);
  };
}

/** The messages to fold, in the provider's format: without those kept next to the summary, and without our instruction at the end. */
function foldedOf({ messages, kept }, format) {
  const stays = new Set(kept);
  const folded = messages.slice(0, -1).filter((message, at) => !stays.has(at) && message.role !== "system" && message.role !== "developer");
  const written = convert("messages", format, folded);
  return written.messages ?? written.input ?? written;
}

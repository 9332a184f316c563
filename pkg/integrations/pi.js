// pi: an extension for its coding agent (`pi-coding-agent`), and a stream function for custom agents (`pi-agent-core`).
// Does not import pi, which is published under two scopes.

import { optionsOf } from "../given.js";
import { Keeper } from "./shared/keeper.js";
import { isSent, piMessages } from "./shared/pi-messages.js";
import { wholeSummary } from "./shared/whole-summary.js";

const FORMAT = "ai-sdk";

/** See pi.d.ts. */
export function extension(given) {
  const options = optionsOf(given);
  const isKnown = options.session !== undefined || options.key !== undefined;
  const keeper = keeperOf("pi extension", isKnown ? options : { ...options, key: ({ ctx }) => ctx.sessionManager.getSessionId() });
  return (pi) => {
    let fitting;
    pi.on("context", async (event, ctx) => {
      const list = event.messages.filter(isSent);
      const about = () => ({ header: ctx.getSystemPrompt(), tools: toolsOf(pi), limits: limitsOf(options, ctx.model), model: ctx.model?.id, signal: ctx.signal, args: { event, ctx } });
      fitting = await keeper.fit(list, about);
      return fitting.list === list ? undefined : { messages: fitting.list.flat() };
    });
    pi.on("message_end", ({ message }) => {
      if (message.role === "assistant" && isSent(message)) keeper.record(fitting, usageOf(message));
    });
    pi.on("session_before_compact", async (event, ctx) => {
      const refusal = event.branchEntries.findLast(({ type, message }) => type === "message" && message.role === "assistant")?.message;
      if (refusal?.stopReason === "error") await keeper.recovered(fitting, refusal.errorMessage, { signal: event.signal });
      const compaction = await compactionOf(keeper, event, ctx);
      return compaction && { compaction };
    });
  };
}

/** See pi.d.ts. */
export function fittingStream(streamFn, options = {}) {
  const keeper = keeperOf("pi stream function", options);
  return async (model, context, rest) => {
    // Newer versions have the prompt and the tools in system messages of the list itself. They are kept in their order.
    const system = context.messages.filter(({ role }) => role === "system");
    const list = context.messages.filter((message) => message.role !== "system" && isSent(message));
    const signal = rest?.signal;
    const about = () => ({ header: context.systemPrompt ?? promptOf(system), tools: definitionsOf(context.tools ?? declaredIn(system)), limits: limitsOf(options, model), model: model?.id, signal, args: { model, context, options: rest } });
    let fitting = await keeper.fit(list, about);
    let request = fitting.list === list ? context : { ...context, messages: [...system, ...fitting.list.flat()] };
    for (;;) {
      const stream = await peekFirst(await streamFn(model, request, rest));
      const smaller = stream.error && !signal?.aborted && (await keeper.recovered(fitting, stream.error.errorMessage, { signal }));
      if (smaller) {
        fitting = smaller;
        request = { ...context, messages: [...system, ...fitting.list.flat()] };
        continue;
      }
      stream.result().then((message) => isSent(message) && keeper.record(fitting, usageOf(message)), () => {});
      return stream;
    }
  };
}

const keeperOf = (name, options) => new Keeper(name, FORMAT, options, { mirror: piMessages() });

/** pi reserves this many tokens for an answer before it compacts. */
const RESERVED = 16_384;

/** The limits of the model that is called; `undefined` if the options set them. */
function limitsOf({ model, contextWindow, session, reservedOutputTokens }, asked) {
  if (model !== undefined || contextWindow !== undefined || session !== undefined || !(asked?.contextWindow > 0)) return undefined;
  const reserved = Math.min(asked.maxTokens || RESERVED, RESERVED, Math.floor(asked.contextWindow / 4));
  return { contextWindow: asked.contextWindow, reservedOutputTokens: reservedOutputTokens ?? reserved };
}

/** pi's usage as Anthropic's: pi's `input` does not include tokens read from or written to a cache. */
const usageOf = ({ usage }) => usage && { input_tokens: usage.input, cache_read_input_tokens: usage.cacheRead, cache_creation_input_tokens: usage.cacheWrite, output_tokens: usage.output };

function toolsOf(pi) {
  const active = new Set(pi.getActiveTools());
  return definitionsOf(pi.getAllTools().filter(({ name }) => active.has(name)));
}

const definitionsOf = (tools) => tools?.map(({ name, description, parameters }) => ({ type: "function", name, description, inputSchema: parameters ?? {} }));

function promptOf(system) {
  const texts = system.flatMap(({ content, sections }) => [typeof content === "string" ? content : content.map(({ text }) => text).join("\n\n"), ...Object.values(sections ?? {})]);
  return texts.filter(Boolean).join("\n\n") || undefined;
}

function declaredIn(system) {
  const tools = new Map();
  for (const { toolsAdded = [], toolsRemoved = [] } of system) {
    for (const { name } of toolsRemoved) tools.delete(name);
    for (const tool of toolsAdded) tools.set(tool.name, tool);
  }
  return [...tools.values()];
}

/** Reads one of pi's streams up to its first event after `start`. Returns the same stream, with that event's `error` if it is one. */
async function peekFirst(stream) {
  const events = stream[Symbol.asyncIterator]();
  const head = [];
  let next;
  do {
    next = await events.next();
    if (!next.done) head.push(next.value);
  } while (!next.done && next.value.type === "start");
  const error = next.value?.type === "error" ? next.value.error : undefined;
  async function* whole() {
    yield* head;
    for (let event = await events.next(); !event.done; event = await events.next()) yield event.value;
  }
  return { error, result: () => stream.result(), [Symbol.asyncIterator]: whole };
}

/** The compaction that pi writes into its session in place of messages; `undefined` if pi should make it itself. */
async function compactionOf(keeper, { preparation, customInstructions: instructions, signal }, { model }) {
  const { ofSession, session } = keeper.options;
  if (session) return undefined; // we do not know the options of the caller's session
  try {
    const { previousSummary, messagesToSummarize, turnPrefixMessages = [], firstKeptEntryId, tokensBefore } = preparation;
    const mirror = piMessages();
    const messages = [...(previousSummary ? [{ role: "compactionSummary", summary: previousSummary }] : []), ...messagesToSummarize, ...turnPrefixMessages].filter(isSent);
    const summary = await wholeSummary({ ...limitsOf(ofSession, model), ...ofSession }, FORMAT, messages.map((message) => mirror.toEngine(message)), { signal, instructions });
    return { summary, firstKeptEntryId, tokensBefore, details: { by: "contextfold" } };
  } catch (error) {
    keeper.failed(error, { signal, goesOn: "a compaction of pi's could not be made, and pi makes it itself" });
    return undefined;
  }
}

// OpenClaw: a context engine that owns compaction, and a compaction provider for OpenClaw's built-in engine. Does not import
// OpenClaw. Its messages are pi's.

import { ContextError, countTokens } from "contextfold";
import { optionsOf } from "../given.js";
import { Keeper } from "./shared/keeper.js";
import { remember } from "./shared/newest.js";
import { readOptions } from "./shared/options.js";
import { isSent, piMessages } from "./shared/pi-messages.js";
import { wholeSummary } from "./shared/whole-summary.js";

const FORMAT = "ai-sdk";
const ID = "contextfold";
/** How many committed turns are remembered. That is plenty, because a host repeats a commit only within one turn. */
const MAX_COMMITTED = 1_000;

/** See openclaw.d.ts. */
export function plugin(options) {
  const factory = contextEngine(options);
  const { id } = factory().info;
  return {
    id,
    name: "contextfold",
    description: "Keeps each session inside the context window.",
    kind: "context-engine",
    register: (api) => api.registerContextEngine(id, factory),
  };
}

/** See openclaw.d.ts. */
export function contextEngine(options) {
  const { id = ID, ...rest } = optionsOf(options);
  if (typeof id !== "string" || id === "") throw new ContextError("INVALID_CONFIG", "id: expected a text that is not empty");
  const isKnown = rest.session !== undefined || rest.key !== undefined;
  const keeper = new Keeper("openclaw context engine", FORMAT, isKnown ? rest : { ...rest, key: ({ sessionId }) => sessionId }, { mirror: piMessages(), more: ["id"] });
  const fittings = new Map(); // the newest of each session
  const committed = new Map();
  const info = {
    id,
    name: "contextfold",
    ownsCompaction: true,
    acceptedHostParams: ["sessionKey", "runtimeContext", "runtimeSettings"],
    transcriptSemantics: { currentTurnFence: "before-current-turn-entry-v1", turnAdvancementIdempotency: "atomic-idempotent-v1" },
  };
  const engine = {
    info,
    // Each `assemble` gets the whole transcript, so nothing has to be stored here.
    ingest: async () => ({ ingested: false }),
    async assemble(params) {
      const list = params.messages.filter(isSent);
      const fitting = await keeper.fit(list, () => ({ limits: limitsOf(rest, params), model: params.model, args: params }));
      remember(fittings, params.sessionId, fitting);
      const messages = fitting.list === list ? params.messages : fitting.list.flat();
      return { messages, estimatedTokens: fitting.conversation?.session.tokens ?? estimated(messages) };
    },
    async afterTurn({ sessionId, runtimeContext }) {
      const usage = runtimeContext?.promptCache?.lastCallUsage;
      if (usage) keeper.record(fittings.get(sessionId), { input_tokens: usage.input ?? 0, cache_read_input_tokens: usage.cacheRead ?? 0, cache_creation_input_tokens: usage.cacheWrite ?? 0, output_tokens: usage.output ?? 0 });
    },
    async commitTurn({ advancementKey }) {
      if (committed.has(advancementKey)) return { status: "duplicate" };
      remember(committed, advancementKey, true, MAX_COMMITTED);
      return { status: "committed" };
    },
    async compact({ sessionId, customInstructions: instructions, runtimeContext, runtimeSettings, abortSignal: signal }) {
      const fitting = fittings.get(sessionId);
      // OpenClaw recognises by the words of `reason` that this is not a failure; with other words it would end the turn.
      if (!fitting?.conversation) return { ok: true, compacted: false, reason: "nothing to compact: this session is made to fit before its next model call" };
      const { session } = fitting.conversation;
      const tokensBefore = session.tokens;
      const skipped = { ok: true, compacted: false, reason: "already under target: each model call is made to fit", result: { tokensBefore, tokensAfter: tokensBefore } };
      // Before a turn, OpenClaw decides by the length of the transcript, which we do not change: it would ask before every turn.
      if (runtimeContext?.trigger === "budget") return skipped;
      try {
        // The request was refused, so the limit is lower than OpenClaw said.
        const isRefused = runtimeContext?.trigger === "overflow" || runtimeSettings?.diagnostics?.degradedReason === "context_overflow";
        const isLearnt = isRefused && (await keeper.recovered(fitting, "context_length_exceeded", { signal })) !== null;
        if (!isLearnt) await session.compact({ ...(signal && { signal }), ...(instructions && { instructions }) });
      } catch (error) {
        keeper.failed(error, { signal, goesOn: "a compaction failed; the agent continues without it" });
        return { ok: false, compacted: false, reason: String(error?.message ?? error) };
      }
      const tokensAfter = session.tokens;
      if (tokensAfter >= tokensBefore) return skipped;
      const summary = session.folds().findLast(({ in_view: isShown }) => isShown)?.summary;
      return { ok: true, compacted: true, result: { ...(summary && { summary }), tokensBefore, tokensAfter } };
    },
  };
  return () => engine;
}

/** See openclaw.d.ts. */
export function compactionProvider(options) {
  const { id = ID, label = "contextfold", ...rest } = optionsOf(options);
  const { ofSession } = readOptions(rest, { more: ["id", "label"] });
  return {
    id,
    label,
    async summarize({ messages, previousSummary, customInstructions: instructions, signal }) {
      const mirror = piMessages();
      const all = [...(previousSummary ? [{ role: "compactionSummary", summary: previousSummary }] : []), ...messages].filter(isSent);
      return wholeSummary(ofSession, FORMAT, all.map((message) => mirror.toEngine(message)), { signal, instructions });
    },
  };
}

/** At most this many tokens are reserved for an answer. */
const RESERVED = 16_384;

/** The limits of this call. During a turn, OpenClaw has already subtracted from the budget what it appends itself. */
function limitsOf({ contextWindow, reservedOutputTokens, session }, { tokenBudget, runtimeSettings }) {
  if (session !== undefined || !(tokenBudget > 0)) return undefined;
  const window = Math.min(tokenBudget, contextWindow ?? Infinity);
  const most = runtimeSettings?.limits?.maxOutputTokens ?? RESERVED;
  return { contextWindow: window, reservedOutputTokens: Math.min(reservedOutputTokens ?? Math.min(most, RESERVED), Math.floor(window / 4)) };
}

function estimated(messages) {
  try {
    return countTokens(messages);
  } catch {
    return Math.ceil(JSON.stringify(messages).length / 4);
  }
}

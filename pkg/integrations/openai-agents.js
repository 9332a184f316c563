// The OpenAI Agents SDK (`@openai/agents`): a session that compacts between runs, and a filter that cuts tool outputs during a run.
// Does not import the SDK.
//
// The SDK stores a filter's changes to user messages. So the filter only replaces tool outputs, in their places.

import { ContextError, contextLimit, countTokens } from "contextfold";
import { optionsOf } from "../given.js";
import { agentItems } from "./shared/agent-items.js";
import { MemoryStore } from "./shared/agent-store.js";
import { Keeper } from "./shared/keeper.js";

const FORMAT = "openai-responses";
const OPTIONAL = ["applyHistoryTransaction", "applyHistoryMutations", "replaceHistoryWithCompaction", "prepareHistoryItemForModelInput", "prepareHistoryItemsForPersistenceComparison", "preserveReasoningItemIdsForPersistence"];

/** See openai-agents.d.ts. */
export function foldingSession(options) {
  const { sessionId, store = new MemoryStore(), ...rest } = optionsOf(options);
  if (typeof rest.session === "function") throw new ContextError("INVALID_CONFIG", "session: an SDK session is one conversation, so pass a single Session");
  // Always the same conversation, whatever its items are: hence a fixed key.
  const keeper = new Keeper("openai-agents session", FORMAT, rest.session ? rest : { key: "session", ...rest }, { mirror: agentItems(), more: ["sessionId"] });
  let id = sessionId;
  let conversation;
  // A store returns new copies each time. For items that are known already, keep using the known objects.
  let known = [];
  const load = async () => {
    const items = await store.getItems();
    const texts = known.map((item) => JSON.stringify(item));
    known = items.map((item, i) => (texts[i] === JSON.stringify(item) ? known[i] : item));
    return known;
  };
  const view = async () => {
    const fitting = await keeper.fit(await load());
    conversation = fitting.conversation ?? conversation;
    return fitting.list;
  };
  const session = {
    getSessionId: async () => (id ??= (await store.getSessionId?.()) ?? globalThis.crypto.randomUUID()),
    getItems: async (limit) => {
      const items = structuredClone(await view());
      return limit === undefined ? items : limit > 0 ? items.slice(-limit) : [];
    },
    allItems: () => store.getItems(),
    addItems: (items) => store.addItems(items),
    popItem: () => store.popItem(),
    clearSession: () => ((known = []), store.clearSession()),
    runCompaction: async ({ force } = {}) => {
      await view();
      if (force && conversation) {
        try {
          await conversation.session.compact();
        } catch (error) {
          keeper.failed(error);
        }
      }
      return null; // no usage to report: the service was not called, and the summary's tokens are the summariser's
    },
    callModelInputFilter: callModelInputFilter({ key: "session", ...hooksOf(rest), ...limitsOf(rest) }),
    get context() {
      return conversation?.session ?? (typeof rest.session === "object" ? rest.session : null);
    },
  };
  for (const method of OPTIONAL) if (typeof store[method] === "function") session[method] = (...args) => store[method](...args);
  return session;
}

/** See openai-agents.d.ts. */
export function callModelInputFilter(options) {
  const { outputRatio = 0.6, ...rest } = optionsOf(options);
  if (!(outputRatio > 0 && outputRatio <= 1)) throw new ContextError("INVALID_CONFIG", "outputRatio: expected a number above 0, at most 1");
  if (rest.session) throw new ContextError("INVALID_CONFIG", "session: the filter works on single requests and cannot use a session; use `foldingSession` instead");
  const mirror = agentItems();
  const keeper = new Keeper("openai-agents filter", FORMAT, trimmingOnly(rest, outputRatio), { mirror, more: ["outputRatio"] });
  return async (args) => {
    const { modelData, agent } = args;
    const { instructions } = modelData;
    const tools = definitionsOf(agent);
    const { list, conversation } = await keeper.fit(modelData.input, () => ({ header: instructions, tools, args }));
    if (list === modelData.input) return modelData;
    // The SDK stores user messages, calls and answers as the filter returns them, so only outputs are changed, each in its place.
    const input = withOutputsOf(list, modelData.input);
    const given = new Set(modelData.input);
    const isView = list.length === input.length && list.every((item) => isOutput(item) || given.has(item));
    if (isView) return { ...modelData, input }; // it fits
    const { limit } = conversation.session;
    const tokens = countTokens({ instructions, tools, input: input.map((item) => mirror.toEngine(item)) }, rest.tokenizer);
    if (limit !== null && tokens > limit) keeper.failed(tooLong(tokens, limit), { goesOn: "the request does not fit; the agent continues" });
    return { ...modelData, input };
  };
}

const tooLong = (tokens, limit) =>
  new ContextError("CONTEXT_WINDOW_EXCEEDED", `the run's request has about ${tokens} tokens, and the limit is ${limit}: its calls and messages are too long, and a filter can only cut tool outputs; give the SDK a client with \`fittingFetch\` of contextfold/openai instead`);

/** The items with the outputs of a view. Some models give several calls the same id; of those, the newest are in the view. */
function withOutputsOf(view, items) {
  const outputs = new Map();
  for (const item of view.filter(isOutput)) outputs.set(item.callId, [...(outputs.get(item.callId) ?? []), item]);
  return items.toReversed().map((item) => (isOutput(item) ? (outputs.get(item.callId)?.pop() ?? item) : item)).reverse();
}

const isOutput = (item) => item.type === "function_call_result";

const HOOKS = ["strict", "onError", "onReport"];
const LIMITS = ["model", "models", "contextWindow", "reservedOutputTokens", "safetyMargin", "tokenizer", "calibrate"];
const pick = (options, keys) => Object.fromEntries(keys.filter((key) => options[key] !== undefined).map((key) => [key, options[key]]));
const hooksOf = (options) => pick(options, HOOKS);

/** The limits for the filter. A session of the caller has no options to read, so its limit is used as the window. */
function limitsOf(options) {
  if (!options.session) return pick(options, LIMITS);
  return options.session.limit === null ? {} : { contextWindow: options.session.limit };
}

/** Options of a session that only cuts tool outputs, to a share of the limit. */
function trimmingOnly(options, outputRatio) {
  const limit = limitOf(options);
  if (limit === null) return options;
  const contextBudgetTokens = Math.max(1, Math.floor(limit * outputRatio));
  return {
    ...options,
    ladder: [{ pass: "dedupe_reads" }, { pass: "trim_tool_outputs", budgetTokens: contextBudgetTokens }],
    toolOutputCache: { ...options.toolOutputCache, contextBudgetTokens },
  };
}

function limitOf({ model, models, contextWindow, reservedOutputTokens = 0 }) {
  if (typeof contextWindow === "number") return contextWindow - reservedOutputTokens;
  if (typeof model !== "string") return null;
  try {
    return contextLimit(model, models);
  } catch {
    return null; // the session reports what is wrong
  }
}

/** The definitions of the agent's function tools, to be counted. */
function definitionsOf(agent) {
  const tools = (agent?.tools ?? []).filter(({ type }) => type === "function");
  return tools.map(({ type, name, description, parameters, strict }) => ({ type, name, description, parameters, strict }));
}

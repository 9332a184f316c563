// opencode: a plugin. Does not import opencode.

import { optionsOf } from "../given.js";
import { Keeper } from "./shared/keeper.js";
import { remember } from "./shared/newest.js";
import { messagesOf, opencodePieces, piecesOf } from "./shared/opencode-messages.js";

/** See opencode.d.ts. */
export function plugin(given) {
  const options = optionsOf(given);
  const isKnown = options.session !== undefined || options.key !== undefined;
  const own = isKnown ? options : { ...options, key: ({ sessionID }) => sessionID };
  const keeper = new Keeper("opencode plugin", "ai-sdk", own, { mirror: opencodePieces() });
  return async ({ client }) => {
    const fittings = new Map(); // by session: the newest
    const learning = new Map(); // by session: a promise while we learn from a refusal
    const prompts = new Map(); // by session: the system prompt
    const tools = new Map();
    const windows = windowsOf(client);
    return {
      "tool.definition": async ({ toolID: name }, { description, parameters, jsonSchema }) => void tools.set(name, { type: "function", name, description, inputSchema: jsonSchema ?? plain(parameters) }),
      "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
        const text = system.join("\n\n");
        // opencode also asks for a title in the same session, with a short prompt of its own: the longest prompt counts.
        if (sessionID !== undefined && text.length > (prompts.get(sessionID)?.length ?? 0)) remember(prompts, sessionID, text);
      },
      // Also called with the messages that opencode is about to summarize.
      "experimental.chat.messages.transform": async (_, { messages }) => {
        const sessionID = messages[0]?.info.sessionID;
        await learning.get(sessionID);
        const pieces = piecesOf(messages);
        if (pieces.length === 0) return;
        const fitting = await keeper.fit(pieces, async () => ({
          header: prompts.get(sessionID),
          tools: tools.size > 0 ? [...tools.values()] : undefined,
          limits: await limitsOf(options, windows, messages),
          model: messages.findLast(({ info }) => info.role === "user")?.info.model?.modelID,
          usage: usageOf(messages),
          args: { sessionID, messages },
        }));
        remember(fittings, sessionID, fitting);
        // In place, because opencode goes on with this very array.
        if (fitting.list !== pieces) messages.splice(0, messages.length, ...messagesOf(fitting.list, messages));
      },
      event: async ({ event: { type, properties } }) => {
        if (type !== "session.error" || !properties.error?.data) return;
        const { message, responseBody } = properties.error.data;
        const learnt = keeper.recovered(fittings.get(properties.sessionID), [message, responseBody].filter(Boolean).join("\n"));
        learning.set(properties.sessionID, learnt);
        await learnt.finally(() => learning.delete(properties.sessionID));
      },
    };
  };
}

/** Parameters that are JSON Schema already. Only their library could convert other schemas. */
const plain = (parameters) => (typeof parameters?.type === "string" && parameters.properties ? parameters : {});

/** opencode reserves at most this many tokens for an answer. */
const RESERVED = 32_000;

/** The limits of the model that is called; `undefined` if the options set them. */
async function limitsOf({ model, contextWindow, session, reservedOutputTokens }, windows, messages) {
  if (model !== undefined || contextWindow !== undefined || session !== undefined) return undefined;
  const limit = await windows(messages.findLast(({ info }) => info.role === "user")?.info.model);
  if (!(limit?.context > 0)) return undefined;
  if (limit.input > 0) return { contextWindow: limit.input, reservedOutputTokens: reservedOutputTokens ?? 0 };
  return { contextWindow: limit.context, reservedOutputTokens: reservedOutputTokens ?? Math.min(limit.output || RESERVED, RESERVED, Math.floor(limit.context / 2)) };
}

/** Returns a function that looks up a model's limits. It asks opencode once for all models, and again for a model that is not known. */
function windowsOf(client) {
  const known = new Map();
  return async ({ providerID, modelID } = {}) => {
    const name = `${providerID}/${modelID}`;
    if (!known.has(name)) {
      const { data } = await client.config.providers();
      for (const { id, models } of data?.providers ?? []) for (const [key, { limit }] of Object.entries(models)) known.set(`${id}/${key}`, limit);
      if (!known.has(name)) known.set(name, undefined);
    }
    return known.get(name);
  };
}

/** The usage of the previous call. */
function usageOf(messages) {
  const tokens = messages.findLast(({ info }) => info.role === "assistant")?.info.tokens;
  return tokens && { input_tokens: tokens.input, cache_read_input_tokens: tokens.cache?.read ?? 0, cache_creation_input_tokens: tokens.cache?.write ?? 0, output_tokens: tokens.output };
}

// opencode: a plugin. Nothing of opencode is imported.

import { Keeper } from "./shared/keeper.js";
import { remember } from "./shared/newest.js";
import { messagesOf, opencodePieces, piecesOf } from "./shared/opencode-messages.js";

/** See opencode.d.ts. */
export function plugin(options = {}) {
  const isKnown = options.session !== undefined || options.key !== undefined;
  const own = isKnown ? options : { ...options, key: ({ sessionID }) => sessionID };
  const keeper = new Keeper("opencode plugin", "ai-sdk", own, { mirror: opencodePieces() });
  return async ({ client }) => {
    const conversations = new Map();
    const learning = new Map(); // by session, what is learnt of a refusal just now
    const prompts = new Map(); // by session, as they were last sent
    const tools = new Map();
    const windows = windowsOf(client);
    return {
      "tool.definition": async ({ toolID: name }, { description, parameters, jsonSchema }) => void tools.set(name, { type: "function", name, description, inputSchema: jsonSchema ?? plain(parameters) }),
      "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
        const text = system.join("\n\n");
        // A title is asked for in the same session, with a short prompt of its own.
        if (sessionID !== undefined && text.length > (prompts.get(sessionID)?.length ?? 0)) remember(prompts, sessionID, text);
      },
      // Also called with what opencode is about to summarize.
      "experimental.chat.messages.transform": async (_, { messages }) => {
        const sessionID = messages[0]?.info.sessionID;
        await learning.get(sessionID);
        const pieces = piecesOf(messages);
        if (pieces.length === 0) return;
        const fitting = await keeper.fit(pieces, async () => ({
          header: prompts.get(sessionID),
          tools: tools.size > 0 ? [...tools.values()] : undefined,
          limits: await limitsOf(options, windows, messages),
          usage: usageOf(messages),
          args: { sessionID, messages },
        }));
        remember(conversations, sessionID, fitting.conversation);
        // opencode goes on with this very array.
        if (fitting.list !== pieces) messages.splice(0, messages.length, ...messagesOf(fitting.list, messages));
      },
      event: async ({ event: { type, properties } }) => {
        if (type !== "session.error" || !properties.error?.data) return;
        const { message, responseBody } = properties.error.data;
        const learnt = keeper.recovered(conversations.get(properties.sessionID), [message, responseBody].filter(Boolean).join("\n"));
        learning.set(properties.sessionID, learnt);
        await learnt.finally(() => learning.delete(properties.sessionID));
      },
    };
  };
}

/** Parameters that are JSON Schema already; others would have to be asked of their library. */
const plain = (parameters) => (typeof parameters?.type === "string" && parameters.properties ? parameters : {});

/** opencode reserves so many tokens for an answer, at the most. */
const RESERVED = 32_000;

/** The limits of the model that is asked, where the options say none. */
async function limitsOf({ model, contextWindow, session, reservedOutputTokens }, windows, messages) {
  if (model !== undefined || contextWindow !== undefined || session !== undefined) return undefined;
  const limit = await windows(messages.findLast(({ info }) => info.role === "user")?.info.model);
  if (!(limit?.context > 0)) return undefined;
  if (limit.input > 0) return { contextWindow: limit.input, reservedOutputTokens: reservedOutputTokens ?? 0 };
  return { contextWindow: limit.context, reservedOutputTokens: reservedOutputTokens ?? Math.min(limit.output || RESERVED, RESERVED, Math.floor(limit.context / 2)) };
}

/** What gives the limits of a model: opencode is asked once for all, and again for a model that it did not know then. */
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

/** What the call before this one took. */
function usageOf(messages) {
  const tokens = messages.findLast(({ info }) => info.role === "assistant")?.info.tokens;
  return tokens && { input_tokens: tokens.input, cache_read_input_tokens: tokens.cache?.read ?? 0, cache_creation_input_tokens: tokens.cache?.write ?? 0, output_tokens: tokens.output };
}

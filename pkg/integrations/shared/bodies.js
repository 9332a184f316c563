// Request bodies of each format: where their list is, what else counts, and what a client cannot change.

import { ContextError, Session } from "contextfold";
import { withCallIds } from "./call-ids.js";
import { blocksOf, partsOf } from "./header.js";
import { marksLeft, withMark } from "./marks.js";
import { Keeper } from "./keeper.js";
import { loadOrCreate } from "./saved.js";

/** How each format's body is read. */
const BODIES = {
  "openai-responses": { list: "input", header: (body) => body.instructions, held: (body) => (body.previous_response_id ? "previous_response_id" : body.conversation ? "conversation" : null) },
  "openai-chat": { list: "messages", header: () => undefined, held: () => null, named: withCallIds },
  anthropic: {
    list: "messages",
    header: (body) => body.system,
    withMore: (body, blocks) => ({ ...body, system: [...blocksOf(body.system), ...blocks] }),
    held: (body) => (body.thread ? "thread" : null),
  },
  gemini: {
    list: "contents",
    header: (body) => partsOf(body.systemInstruction ?? body.system_instruction),
    withMore({ system_instruction, ...body }, parts) {
      const own = body.systemInstruction ?? system_instruction;
      return { ...body, systemInstruction: { ...own, parts: [...(partsOf(own) ?? []), ...parts] } };
    },
    held: () => null,
  },
  "bedrock-converse": {
    list: "messages",
    header: (body) => body.system,
    withMore: (body, blocks) => ({ ...body, system: [...(body.system ?? []), ...blocks] }),
    held: () => null,
    tools: (body) => body.toolConfig?.tools,
    mark: { cachePoint: { type: "default" } },
  },
};

const HELD = {
  previous_response_id: "send the whole input instead, without `previous_response_id`",
  conversation: "send the whole input instead, without `conversation`",
  thread: "create the tool runner with `thread: false`, so that each request carries the whole conversation",
};

export class BodyKeeper {
  #keeper;
  #body;
  /** For each body with our mark in its system prompt, the body without it: a retry starts from that. */
  #unmarked = new WeakMap();
  #limitsOf;

  /** `serverLimits`: see `Keeper`; its `limitsOf` returns the session options that depend on the body. */
  constructor(name, format, options, { more = [], serverLimits } = {}) {
    this.#keeper = new Keeper(name, format, options, { more, serverLimits });
    this.#body = BODIES[format];
    this.#limitsOf = serverLimits?.limitsOf;
  }

  get options() {
    return this.#keeper.options;
  }

  /** Returns the keeper's fitting with the `body` to send instead; the same object if nothing has to change. */
  async fit(body, { signal, usage, bytes, owner } = {}) {
    const { list: key, header, held, tools = (body) => body.tools, named = (list) => list } = this.#body;
    if (body.compaction) return { body }; // it asks Anthropic to compact; it is not a call of the conversation
    const holder = held(body);
    if (holder && this.#limitsOf) return { body }; // in a server this is not a failure, because its clients may not be able to change it
    if (holder) {
      this.#keeper.failed(new ContextError("INVALID_ARGUMENT", `the service stores this conversation (\`${holder}\`) and requests have only new messages, so nothing can be compacted here; ${HELD[holder]}`));
      return { body };
    }
    if (!Array.isArray(body[key])) return { body };
    const about = () => ({ header: header(body), tools: tools(body), usage, signal, args: body, cacheMarks: this.#marks(body), limits: this.#limitsOf?.(body), model: body.model ?? body.modelId, bytes, owner });
    const list = named(body[key]);
    const fitting = await this.#keeper.fit(list, about);
    // Without a conversation it failed, or does not concern us: then the caller's own list goes out.
    return { ...fitting, body: fitting.conversation ? this.#written(body, fitting) : body };
  }

  #written(body, { list, system = [], marks = [] }) {
    const key = this.#body.list;
    const fitting = list === body[key] ? body : { ...body, [key]: list };
    if (system.length > 0) return this.#body.withMore(fitting, system);
    if (!marks.some(({ part }) => part === "system")) return fitting;
    const marked = { ...fitting, system: withMark(body.system, this.#body.mark) };
    this.#unmarked.set(marked, fitting);
    return marked;
  }

  /** How many prompt-cache marks we may set. */
  #marks(body) {
    const { cacheMarks } = this.#keeper.options;
    return cacheMarks === undefined ? undefined : Math.min(cacheMarks, marksLeft(body));
  }

  /** The fitting to retry with after a refusal, or `null` if the refusal had another reason. */
  async recovered(fitting, error, options) {
    const { body } = fitting;
    const smaller = await this.#keeper.recovered(fitting, error, options);
    return smaller && { ...smaller, body: { ...(this.#unmarked.get(body) ?? body), [this.#body.list]: smaller.list } };
  }

  record(fitting, usage) {
    this.#keeper.record(fitting, usage);
  }

  appendEntries(conversation, list) {
    this.#keeper.appendEntries(conversation, list);
  }

  failed(error) {
    this.#keeper.failed(error);
  }

  /** Saves the conversation, if it has a key. */
  saved(conversation) {
    return this.#keeper.saved(conversation);
  }
}

/** The one conversation of a loop: the caller's session, the session under the caller's key, or a new one, returned with the result. */
export async function withSession({ session, key: given, strict, onError, onReport, ofSession }, body) {
  const key = typeof given === "function" ? given(body) : given;
  if (session !== undefined || key === undefined) return { strict, onError, onReport, session: session ?? new Session(ofSession) };
  if (typeof key !== "string" || key === "") throw new ContextError("INVALID_CONFIG", "key: expected a text that is not empty");
  return { strict, onError, onReport, ...(await loadOrCreate(ofSession, key)) };
}

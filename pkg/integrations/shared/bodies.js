// Request bodies: which list is in them, what counts beside it, and what a client can do nothing about.

import { ContextError, Session } from "contextfold";
import { blocksOf } from "./header.js";
import { Keeper } from "./keeper.js";

/** How each format's body is read. */
const BODIES = {
  "openai-responses": { list: "input", header: (body) => body.instructions, held: (body) => (body.previous_response_id ? "previous_response_id" : body.conversation ? "conversation" : null) },
  "openai-chat": { list: "messages", header: () => undefined, held: () => null },
  anthropic: { list: "messages", header: (body) => textOf(body.system), held: (body) => (body.thread ? "thread" : null) },
};

const HELD = {
  previous_response_id: "send the whole input instead, without `previous_response_id`",
  conversation: "send the whole input instead, without `conversation`",
  thread: "create the tool runner with `thread: false`, so that each request carries the whole conversation",
};

/** Anthropic's system prompt: a text, or blocks of text. */
const textOf = (system) => (Array.isArray(system) ? system.map((block) => block.text ?? "").join("\n\n") : system);

export class BodyKeeper {
  #keeper;
  #body;

  constructor(name, format, options, more = []) {
    this.#keeper = new Keeper(name, format, options, { more });
    this.#body = BODIES[format];
  }

  get options() {
    return this.#keeper.options;
  }

  /** The body that is to be sent instead: the same object where nothing has to change. */
  async fit(body, { signal, usage } = {}) {
    const { list: key, header, held } = this.#body;
    const holder = held(body);
    if (holder) {
      this.#keeper.failed(new ContextError("INVALID_ARGUMENT", `the service holds this conversation (\`${holder}\`), and only what is new is sent: there is nothing that could be made smaller here; ${HELD[holder]}`));
      return { body };
    }
    if (!Array.isArray(body[key])) return { body };
    const { list, conversation, system } = await this.#keeper.fit(body[key], () => ({ header: header(body), tools: body.tools, usage, signal, args: body }));
    const fitting = list === body[key] ? body : { ...body, [key]: list };
    return { body: system?.length > 0 ? { ...fitting, system: [...blocksOf(body.system), ...system] } : fitting, conversation };
  }

  /** The body to try again with after a refusal, or `null` where the refusal was about something else. */
  async recovered(conversation, body, error, { signal } = {}) {
    const list = await this.#keeper.recovered(conversation, error, { signal });
    return list && { ...body, [this.#body.list]: list };
  }

  record(conversation, usage) {
    this.#keeper.record(conversation, usage);
  }

  heard(conversation, list) {
    this.#keeper.heard(conversation, list);
  }

  failed(error) {
    this.#keeper.failed(error);
  }
}

/** A loop has one conversation: the caller's session, or one for this run. Both are given back with the result. */
export function withSession(options) {
  const { session, strict, onError, onReport, signal, maxSteps, execute, onResponse, onEvent, ...ofSession } = options;
  return { strict, onError, onReport, session: session ?? new Session(ofSession) };
}

// The calls of LangChain's answers and the outputs that belong to them. Some servers give a call no id, or several calls of an answer
// the same one; the engine needs one id for each call. And a call whose arguments could not be read is not among `tool_calls`, although
// a graph may answer it (with an error for the model).

export class LangchainCallIds {
  /** By answer: its calls, with ids of their own. */
  #calls = new WeakMap();
  /** By output: the id of its call, if that is not the output's `tool_call_id`. */
  #outputs = new WeakMap();
  /** The servers' ids, by those that we gave. */
  #own = new Map();

  /** Pairs the calls of a list with their outputs. What an answer was given once, it keeps, however the list before it changes. */
  read(list) {
    let open = [];
    let given = 0;
    for (const [at, message] of list.entries()) {
      const type = message.getType();
      if (type === "ai") {
        if (!this.#calls.has(message)) this.#calls.set(message, this.#withIds(message, invalidIn(message, list, at), given));
        const calls = this.#calls.get(message);
        given += calls.filter(({ id }) => this.#own.has(id)).length;
        open = [...calls];
      } else if (type === "tool") {
        const found = open.findIndex(({ id }) => (this.own(id) || undefined) === (message.tool_call_id || undefined));
        const [call] = found < 0 ? [] : open.splice(found, 1);
        if (call && call.id !== message.tool_call_id) this.#outputs.set(message, call.id);
      }
    }
  }

  callsOf(message) {
    return this.#calls.get(message) ?? message.tool_calls ?? [];
  }

  ofOutput(message) {
    return this.#outputs.get(message) ?? message.tool_call_id;
  }

  /** The id as the server wrote it. */
  own(id) {
    return this.#own.has(id) ? this.#own.get(id) : id;
  }

  #withIds(message, invalid, given) {
    const seen = new Set();
    return [...(message.tool_calls ?? []), ...invalid].map((call) => {
      const isOwn = call.id && !seen.has(call.id);
      seen.add(call.id);
      if (isOwn) return call;
      const id = `${call.id || call.name}--${(given += 1)}`;
      this.#own.set(id, call.id);
      return { ...call, id };
    });
  }
}

/** The invalid calls of an answer that outputs answer. */
function invalidIn({ invalid_tool_calls: invalid = [], tool_calls: valid = [] }, list, at) {
  const answered = new Set();
  for (let i = at + 1; invalid.length > 0 && list[i]?.getType() === "tool"; i++) answered.add(list[i].tool_call_id);
  return invalid.filter(({ id }) => id && answered.has(id) && !valid.some((call) => call.id === id));
}

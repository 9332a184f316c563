// The calls of LangChain's answers and the outputs that belong to them. Some servers give a call no id, or several calls of an answer
// the same one; the engine needs one id for each call. And a call whose arguments could not be read is not among `tool_calls`, although
// a graph may answer it (with an error for the model).

export class LangchainCallIds {
  /** By answer: its calls, with ids of their own. Where that is not the server's, `own` is the server's. */
  #calls = new WeakMap();
  /** By output: the id of its call, if that is not the output's `tool_call_id`. */
  #outputs = new WeakMap();

  /**
   * Pairs the calls of a list with their outputs. What an answer was given once, it keeps, however the list before it changes.
   * Returns the answers that have further calls now: those which could not be read and were answered since.
   */
  read(list) {
    const changed = [];
    let open = [];
    let given = 0;
    for (const [at, message] of list.entries()) {
      const type = message.getType();
      if (type === "ai") {
        const known = this.#calls.get(message);
        const calls = known ?? withIds(message.tool_calls ?? [], [], given);
        const more = invalidIn(message, calls, list, at);
        const all = more.length > 0 ? withIds(more, calls, given + madeIn(calls)) : calls;
        this.#calls.set(message, all);
        if (known && more.length > 0) changed.push(message);
        given += madeIn(all);
        open = [...all];
      } else if (type === "tool") {
        const found = open.findIndex((call) => (ownId(call) || undefined) === (message.tool_call_id || undefined));
        const [call] = found < 0 ? [] : open.splice(found, 1);
        if (call && call.id !== message.tool_call_id) this.#outputs.set(message, call.id);
      }
    }
    return changed;
  }

  callsOf(message) {
    return this.#calls.get(message) ?? message.tool_calls ?? [];
  }

  ofOutput(message) {
    return this.#outputs.get(message) ?? message.tool_call_id;
  }

  /** The id of a message's call as the server wrote it, which may be none: `{ id }`. `undefined` if there is no such call. */
  ownIdIn(message, index) {
    const call = message && this.callsOf(message)[index];
    return call && { id: ownId(call) };
  }
}

/** The id of a call as the server wrote it. */
const ownId = (call) => ("own" in call ? call.own : call.id);

const madeIn = (calls) => calls.filter((call) => "own" in call).length;

/** The calls `before`, and further ones of the same answer, which get an id if they have none of their own. */
function withIds(calls, before, given) {
  const seen = new Set(before.map(ownId));
  const named = calls.map((call) => {
    const isOwn = call.id && !seen.has(call.id);
    seen.add(call.id);
    return isOwn ? call : { ...call, own: call.id, id: `${call.id || call.name}--${(given += 1)}` };
  });
  return [...before, ...named];
}

/** The invalid calls of an answer that outputs answer and that are not among its `calls`. */
function invalidIn({ invalid_tool_calls: invalid = [] }, calls, list, at) {
  const answered = new Set();
  for (let i = at + 1; invalid.length > 0 && list[i]?.getType() === "tool"; i++) answered.add(list[i].tool_call_id);
  return invalid.filter(({ id }) => id && answered.has(id) && !calls.some((call) => ownId(call) === id));
}

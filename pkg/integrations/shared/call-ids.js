// The ids of an answer's calls. Some servers leave them empty, give several calls the same one, or number the calls of each answer
// anew; then nobody can tell which output belongs to which call.

/** The ids that occur in a conversation. */
export class TakenIds {
  #taken = new Set();
  /** By name: the number from which on `free` looks. */
  #numbers = new Map();

  constructor(list = []) {
    for (const entry of list) this.addIdsOf(entry);
  }

  addIdsOf(entry) {
    this.#taken.add(entry?.call_id).add(entry?.tool_call_id);
    for (const call of callsIn(entry)) this.#taken.add(call?.id);
  }

  /** `name`, or `name--2` and so on, if it occurs. Takes it. */
  free(name) {
    let id = name;
    for (let n = this.#numbers.get(name) ?? 2; this.#taken.has(id); n++) {
      id = `${name}--${n}`;
      this.#numbers.set(name, n);
    }
    this.#taken.add(id);
    return id;
  }
}

/**
 * The ids for the calls of an answer. A call without an id gets its tool's name, and a call with the id of an earlier one gets that
 * id with a number (`f--2`), if the earlier one is in the same answer or still waits for its output. All others keep theirs.
 *
 * @param calls `[{ id, name }]`, in their order
 * @param waiting the ids of earlier calls that wait for their outputs
 * @param takenIds returns the ids of the conversation so far, which are not given again
 * @returns `undefined` if every call keeps its id
 */
export function newIdsFor(calls, waiting, takenIds) {
  const own = calls.map(({ id }) => id);
  const given = new Set(waiting);
  if (own.every(isId) && new Set([...own, ...given]).size === own.length + given.size) return undefined;
  const taken = takenIds();
  taken.addIdsOf({ tool_calls: calls });
  return calls.map(({ id, name }) => {
    const chosen = isId(id) && !given.has(id) ? id : taken.free(isId(id) ? id : String(name));
    given.add(chosen);
    return chosen;
  });
}

/**
 * A list of Chat Completions in which every call has an id of its own, and its output the same one; the same list if that is so already.
 * An output belongs to the first call with its id in the answer before it that has no output yet: among calls without ids, the order
 * decides. The ids depend only on what comes before, so a list that goes on gets the same ones again.
 */
export function withCallIds(list) {
  const taken = new TakenIds();
  const waiting = new Set();
  let open = [];
  const named = [];
  for (const entry of list) {
    if (entry?.role === "tool") {
      const found = open.findIndex(({ own }) => (own || "") === (entry.tool_call_id || ""));
      const [call] = found < 0 ? [] : open.splice(found, 1);
      waiting.delete(call?.id);
      named.push(!call || call.id === entry.tool_call_id ? entry : { ...entry, tool_call_id: call.id });
      continue;
    }
    const calls = callsIn(entry);
    const ids = newIdsFor(calls.map((call) => ({ id: call?.id, name: call?.[call.type ?? "function"]?.name })), waiting, () => taken);
    open = calls.map((call, i) => ({ own: call?.id, id: ids?.[i] ?? call?.id }));
    for (const { id } of open) waiting.add(id);
    named.push(ids ? { ...entry, tool_calls: calls.map((call, i) => ({ ...call, id: ids[i] })) } : entry);
    taken.addIdsOf(named.at(-1));
  }
  return named.every((entry, i) => entry === list[i]) ? list : named;
}

/** The calls of an entry; none if that is no list of objects: then the API says what is wrong. */
const callsIn = (entry) => (Array.isArray(entry?.tool_calls) && entry.tool_calls.every((call) => typeof call === "object" && call !== null) ? entry.tool_calls : []);

const isId = (id) => typeof id === "string" && id !== "";

/** The ids of the calls without an output, and of the requests for an approval without an answer. */
export function callsWithoutOutput(list) {
  const open = new Set();
  if (!Array.isArray(list)) return open; // the API says what is wrong with it
  for (const entry of list) {
    for (const call of callsIn(entry)) open.add(call.id);
    open.delete(entry?.tool_call_id);
    if (entry?.type === "mcp_approval_request") open.add(entry.id);
    else if (entry?.type === "mcp_approval_response") open.delete(entry.approval_request_id);
    else if (entry?.type?.endsWith("_output")) open.delete(entry.call_id ?? entry.id);
    else if (entry?.call_id != null) open.add(entry.call_id);
  }
  return open;
}

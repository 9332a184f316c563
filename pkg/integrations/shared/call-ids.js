// The ids of an answer's calls. Some servers leave them empty or give several calls the same one; then nobody can tell which output
// belongs to which call.

/**
 * The ids for the calls of an answer. A call without an id gets its tool's name, and a call with the id of an earlier one gets that
 * id with a number (`f--2`). All others keep theirs.
 *
 * @param calls `[{ id, name }]`, in their order
 * @param list the conversation so far; an id that occurs there is not given again
 * @returns `undefined` if every call keeps its id
 */
export function newIdsFor(calls, list) {
  const own = calls.map(({ id }) => id);
  if (own.every(isId) && new Set(own).size === own.length) return undefined;
  const reserved = new Set([...own, ...idsIn(list)]);
  const given = new Set();
  return calls.map(({ id, name }) => {
    const chosen = isId(id) && !given.has(id) ? id : free(isId(id) ? id : String(name), reserved);
    given.add(chosen);
    reserved.add(chosen);
    return chosen;
  });
}

const isId = (id) => typeof id === "string" && id !== "";

const idsIn = (list) => list.flatMap((entry) => [entry?.call_id, entry?.tool_call_id, ...(entry?.tool_calls ?? []).map((call) => call?.id)]);

function free(name, reserved) {
  if (!reserved.has(name)) return name;
  for (let n = 2; ; n++) if (!reserved.has(`${name}--${n}`)) return `${name}--${n}`;
}

// The steps of the walks. Each step rolls its dice once and returns a function that applies it to a session with a copy of its data, so
// that two sessions can be driven in the same way.

import { ContextError } from "contextfold";

const json = (value) => JSON.stringify(value);
export const listOf = (view) => (Array.isArray(view) ? view : (view.input ?? view.messages ?? view.contents));

/** A random id from the view. */
export const idOf = (session, die) => die.pick(session.items())?.id ?? "m1";
export const textOf = (session, id) => {
  const content = session.messages.find((m) => m.id === id)?.content;
  return typeof content === "string" ? content.slice(0, 12) : "";
};

/** Steps, by name. */
export const STEPS_OF = {
  grow: (state, die) => {
    state.list.push(...state.more(die));
    return (session, list) => session.sync(state.format, list);
  },
  push: (state, die) => {
    const more = state.more(die);
    state.list.push(...more);
    return (session) => session.pushFrom(state.format, structuredClone(more));
  },
  rewrite: (state, die) => {
    state.list = [...state.list.slice(0, die.below(state.list.length + 1)), ...state.more(die)];
    return (session, list) => session.sync(state.format, list);
  },
  handBack: (state, die) => {
    state.list = [...structuredClone(listOf(state.session.view(state.format))), ...state.more(die)];
    return (session, list) => session.sync(state.format, list);
  },
  prepare: () => async (session) => void (await session.prepare()),
  compact: () => async (session) => void (await session.compact()),
  pin: (state, die) => {
    const id = idOf(state.session, die);
    return (session) => session.pin(id);
  },
  unpin: (state, die) => {
    const id = idOf(state.session, die);
    return (session) => session.unpin(id);
  },
  pinText: (state, die) => {
    const id = idOf(state.session, die);
    const text = textOf(state.session, id);
    if (text.trim()) state.pinned.push({ id, text });
    return (session) => session.pin({ id, text });
  },
  unpinText: (state, die) => {
    const pinned = die.pick(state.pinned) ?? { id: "m1", text: "x" };
    return (session) => session.unpin(pinned);
  },
  unfold: (state, die) => {
    const id = die.pick(state.session.folds())?.id ?? "fold_1";
    return (session) => session.unfold(id);
  },
  foldByHand: (state, die) => {
    const ids = idsInARow(state.session, die);
    return (session) => session.graph.compress(ids, "By hand.");
  },
  foldAndBack: (state, die) => {
    const ids = idsInARow(state.session, die);
    return (session) => {
      const before = json(session.view("messages"));
      const fold = session.graph.compress(ids, "By hand.");
      session.graph.expand(fold);
      const after = json(session.view("messages"));
      if (before !== after) throw new Error(`a fold of ${ids} that was undone left another view:\n${apart(before, after)}`);
    };
  },
  rewind: (state, die) => {
    const id = idOf(state.session, die);
    return (session) => session.rewind(id);
  },
  header: (state, die) => {
    const text = `Rules, version ${die.below(3)}.`;
    return (session) => session.setHeader(text);
  },
  window: (state, die) => {
    const contextWindow = die.pick([400, 900, 2000, 6000]);
    return (session) => session.setOptions({ contextWindow });
  },
  garbage: () => (session) => session.toolOutputs.collectGarbage(),
  malformed: (state) => (session) => session.pushFrom(state.format, [{ role: 7 }]),
  unknown: () => (session) => session.unfold("nothing"),
  twice: () => (session) => session.push({ role: "tool", tool_call_id: 7, content: "x" }),
};
export const NAMES = ["grow", "grow", "grow", "grow", "push", "push", "prepare", "prepare", ...Object.keys(STEPS_OF)];

function idsInARow(session, die) {
  const items = session.items();
  const at = die.below(items.length + 1);
  return items.slice(at, at + 1 + die.below(4)).map((item) => item.id);
}

/** Applies a step. Returns its result, or the code of its error. */
export async function done(session, step, list) {
  try {
    return { gave: json((await step(session, structuredClone(list))) ?? null) };
  } catch (error) {
    if (!ContextError.isInstance(error) || error.code === "INTERNAL") throw error;
    return { threw: error.code, why: error.message };
  }
}

// A session's state for React: read again after each event, and the same object until then.

import { useSyncExternalStore } from "react";

const NOTHING = Object.freeze({ view: Object.freeze([]), folds: Object.freeze([]), report: null, tokens: 0, limit: null, unfold() {} });

/** What was read of each session, by format. */
const watched = new WeakMap();

/** See react.d.ts. */
export function useSession(session, { format = "messages" } = {}) {
  const { subscribe, snapshot } = session ? watch(session, format) : NONE;
  return useSyncExternalStore(subscribe, snapshot, snapshot);
}

const NONE = { subscribe: () => () => {}, snapshot: () => NOTHING };

function watch(session, format) {
  let formats = watched.get(session);
  if (!formats) watched.set(session, (formats = new Map()));
  if (!formats.has(format)) formats.set(format, watcher(session, format));
  return formats.get(format);
}

function watcher(session, format) {
  const listeners = new Set();
  let state, stop, told, seen;
  // Nobody listens before a component is mounted: what a look at little tells to be as it was is not read again.
  const look = () => JSON.stringify(session.toJSON());
  const read = () => {
    const { report, tokens, limit } = session;
    seen = look();
    return { view: session.view(format), folds: session.folds(), report, tokens, limit, unfold: (id, options) => session.unfold(id, options) };
  };
  // A push tells of each of its messages: they are one change. What a run has put in stands in its report by then, too.
  const tell = () => {
    if (told) return;
    told = true;
    queueMicrotask(() => {
      told = false;
      state = undefined;
      for (const listener of listeners) listener();
    });
  };
  return {
    subscribe(listener) {
      listeners.add(listener);
      if (!stop) {
        unlessFreed(() => (stop = session.on("*", tell)));
        if (look() !== seen) state = undefined;
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        stop?.();
        stop = undefined;
      };
    },
    snapshot() {
      if (!state) unlessFreed(() => (state = read()));
      return (state ??= NOTHING);
    },
  };
}

/** A session may be freed while it is still shown: then nothing is told of it any more. */
function unlessFreed(act) {
  try {
    act();
  } catch (error) {
    if (error?.code !== "FREED") throw error;
  }
}

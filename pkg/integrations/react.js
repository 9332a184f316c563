// A session's state for React: the same object until the session changes, then read again.

import { useSyncExternalStore } from "react";
import { optionsOf, sessionWith } from "../given.js";

const NOTHING = Object.freeze({ view: Object.freeze([]), folds: Object.freeze([]), report: null, tokens: 0, limit: null, unfold() {} });

/** The watchers of each session, by format. */
const watched = new WeakMap();

/** See react.d.ts. */
export function useSession(session, options) {
  const { format = "messages" } = optionsOf(options);
  const { subscribe, snapshot } = session ? watch(sessionWith("on", session), format) : NONE;
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
  let state, writes, stop, isScheduled;
  const read = () => {
    const { report, tokens, limit } = session;
    writes = session.__writes();
    return { view: session.view(format), folds: session.folds(), report, tokens, limit, unfold: (id, options) => session.unfold(id, options) };
  };
  // A push emits an event for each message; they count as one change. By the microtask, the report of a run is complete, too.
  const scheduleUpdate = () => {
    if (isScheduled) return;
    isScheduled = true;
    queueMicrotask(() => {
      isScheduled = false;
      state = undefined;
      for (const listener of listeners) listener();
    });
  };
  return {
    subscribe(listener) {
      listeners.add(listener);
      if (!stop) unlessFreed(() => (stop = session.on("*", scheduleUpdate)));
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        stop?.();
        stop = undefined;
      };
    },
    // Some changes have no event (a header, options, a pin), and nobody listens before a component is mounted: the next render shows them.
    snapshot() {
      unlessFreed(() => {
        if (!state || session.__writes() !== writes) state = read();
      });
      return (state ??= NOTHING);
    },
  };
}

/** A session may be freed while it is still displayed. Then its errors are ignored. */
function unlessFreed(act) {
  try {
    act();
  } catch (error) {
    if (error?.code !== "FREED") throw error;
  }
}

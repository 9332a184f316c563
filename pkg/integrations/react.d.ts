import type { FoldInfo, Format, Report, Session, Undone, ViewOf } from "contextfold";

/** What `useSession` returns: the same object until the session changes. */
export interface SessionState<F extends Format = "messages"> {
  /** What the model will be sent next, in the requested format. */
  view: ViewOf<F>;
  /** The folds in the view, oldest first. */
  folds: FoldInfo[];
  /** The report of the last run; `null` before the first. */
  report: Report | null;
  /** Counted tokens of the view. */
  tokens: number;
  /** Tokens that a view may take; `null` if neither model nor window is known. */
  limit: number | null;
  /** `session.unfold`: undoes a fold, and returns how full the view is afterwards. */
  unfold: (id: string, options?: { hold?: boolean | undefined }) => Undone;
}

/**
 * Returns a session's state in a React component, which re-renders on each event of the session (a message, a fold, an undo).
 * Changes without an event (options, header, tools, pins, `erase`) are shown by the next render.
 * Needs React 18 or newer. Without a session (for example while it loads) everything is empty.
 *
 * ```jsx
 * import { useSession } from "contextfold/react";
 *
 * function Gauge({ session }) {
 *   const { tokens, limit, folds, unfold } = useSession(session);
 *   return <p>{tokens} of {limit} tokens {folds.map(({ id }) => <button key={id} onClick={() => unfold(id)}>Undo {id}</button>)}</p>;
 * }
 * ```
 */
export declare function useSession<F extends Format = "messages">(session: Session | null | undefined, options?: { format?: F | undefined }): SessionState<F>;

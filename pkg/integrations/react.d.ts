import type { FoldInfo, Format, Report, Session, Undone, ViewOf } from "contextfold";

/** What `useSession` returns: the same object until the session's next event. */
export interface SessionState<F extends Format = "messages"> {
  /** What the model is sent next, in the format asked for. */
  view: ViewOf<F>;
  /** The folds that stand in it, oldest first. */
  folds: FoldInfo[];
  /** Of the last run; `null` before the first. */
  report: Report | null;
  /** Tokens of the view, as counted. */
  tokens: number;
  /** Tokens that a view may take; `null` if neither model nor window is known. */
  limit: number | null;
  /** `session.unfold`: undoes a fold, and returns how full the view is then. */
  unfold: (id: string, options?: { hold?: boolean | undefined }) => Undone;
}

/**
 * A session's state in a React component, which renders again on each event of the session (a message, a
 * fold, an undo). Needs React 18 or newer. Without a session (while it is loaded) everything is empty.
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

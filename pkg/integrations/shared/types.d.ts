import type { Report, Session, SessionOptions } from "contextfold";

/**
 * Options of an integration: those of a session, or a `session` of your own, and what happens when something fails.
 *
 * Without a `session`, each conversation that comes by gets one, told by what it begins with. Give your own where you want to
 * search it, pin in it or hand its tools to the model. `A`: what the hook is called with.
 */
export type IntegrationOptions<A = unknown> = HookOptions & (OwnSession<A> | ({ session?: undefined } & SessionOptions));

/** A session of your own, or what gives one; its options are its own. */
export type OwnSession<A = unknown> = { session: SessionOf<A> } & { [key in keyof SessionOptions]?: never };

/** A session, or a function that gives the one of this call. */
export type SessionOf<A = unknown> = Session | ((args: A) => Session);

/** What an integration takes beside a session or a session's options. */
export interface HookOptions {
  /**
   * Default false: an error inside the engine, or in your `summarize`, leaves the agent running with its own messages, and is
   * said once on the console (or to `onError`). True: it is thrown, and fails the run.
   */
  strict?: boolean;
  /** Hears every failure, instead of the console. */
  onError?: (error: unknown) => void;
  /** Hears of every step in which the view was changed: what was decided, and why. */
  onReport?: (report: Report, session: Session) => void;
}

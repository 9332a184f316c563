import type { Report, Session, SessionOptions } from "contextfold";

/**
 * Options of an integration: those of a session, or a `session` of your own, and what happens when something fails.
 *
 * Without a `session`, each conversation that comes by gets one. It is known again by its `key`, or else by what its list begins with:
 * the entries that a model reads, whatever cache marks and ids they carry; the system prompt and the newest two entries may be others.
 * Give your own session where you want to search it, pin in it or hand its tools to the model. `A`: what the hook is called with.
 */
export type IntegrationOptions<A = unknown> = HookOptions & (OwnSession<A> | ({ session?: undefined } & KeyOption<A> & SessionOptions));

/** Which conversation a call belongs to. */
export interface KeyOption<A = unknown> {
  /**
   * The conversation's key (`"chat-17"`), or a function that gives the one of this call (`undefined`: none). The list then belongs to
   * this conversation, whatever it begins with. With a `store`, the session is loaded from there under this key, and saved again
   * when its view was changed. A `store` without a key is refused, but for one that only takes tool outputs (`toolOutputCache.memoryBytes`).
   */
  key?: string | ((args: A) => string | undefined) | undefined;
}

/** A session of your own, or what gives one; its options are its own. */
export type OwnSession<A = unknown> = { session: SessionOf<A>; key?: undefined } & { [key in keyof SessionOptions]?: never };

/** A session, or a function that gives the one of this call. */
export type SessionOf<A = unknown> = Session | ((args: A) => Session);

/** What an integration takes beside a session or a session's options. */
export interface HookOptions {
  /**
   * Default false: an error inside the engine, or in your `summarize`, leaves the agent running with its own messages, and is
   * said once on the console (or to `onError`). True: it is thrown, and fails the run, also where the view fits without that summary.
   */
  strict?: boolean | undefined;
  /** Hears every failure, instead of the console. */
  onError?: ((error: unknown) => void) | undefined;
  /** Hears of every step in which the view was changed: what was decided, and why. */
  onReport?: ((report: HookReport, session: Session) => void) | undefined;
}

/** A report, and how the conversation was known. */
export type HookReport = Report & {
  conversation: {
    /** By its key, as a session of your own, by what its list begins with; or it is one that is new here. */
    by: "key" | "session" | "beginning" | "new";
    key?: string;
    /** How many of the entries that were known the list begins with. */
    entries: number;
    /** How many of the last ones were others by now. */
    rewritten: number;
  };
};

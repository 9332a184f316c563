import type { Report, Session, SessionOptions } from "contextfold";

/**
 * Options of an integration: those of a session, or a `session` of your own, and what happens when something fails.
 *
 * Without a `session`, each conversation gets one. It is recognised by its `key`, or else by the entries at the beginning of its
 * list, whatever cache marks and ids they carry; the system prompt and the newest two entries may differ. Give your own session
 * to search it, pin in it or give its tools to the model. `A`: what the hook is called with.
 */
export type IntegrationOptions<A = unknown> = HookOptions & (OwnSession<A> | ({ session?: undefined } & KeyOption<A> & SessionOptions));

/** Which conversation a call belongs to. */
export interface KeyOption<A = unknown> {
  /**
   * The conversation's key (`"chat-17"`), or a function that returns the key of this call (`undefined`: none). The list then
   * belongs to this conversation, whatever it begins with. With a `store`, the session is loaded under this key, and saved when
   * its view has changed. A `store` without a key is refused, unless it only takes tool outputs (`toolOutputCache.memoryBytes`).
   */
  key?: string | ((args: A) => string | undefined) | undefined;
}

/** A session of your own, or a function that returns one; it has its own options. */
export type OwnSession<A = unknown> = { session: SessionOf<A>; key?: undefined } & { [key in keyof SessionOptions]?: never };

/** A session, or a function that returns the session of this call. */
export type SessionOf<A = unknown> = Session | ((args: A) => Session);

/** What an integration takes beside a session or a session's options. */
export interface HookOptions {
  /**
   * Default false: after an error inside the engine, or in your `summarize`, the agent goes on with its own messages, and the
   * error is logged once on the console (or passed to `onError`). True: it is thrown, and fails the run, even if the view fits
   * without that summary.
   */
  strict?: boolean | undefined;
  /** Called for each failure, instead of logging it on the console. */
  onError?: ((error: unknown) => void) | undefined;
  /** Called for each step in which the view was changed, with what was decided, and why. */
  onReport?: ((report: HookReport, session: Session) => void) | undefined;
}

/** A report, and how the conversation was recognised. */
export type HookReport = Report & {
  conversation: {
    /** By its key, as a session of your own, or by the beginning of its list; or it is new. */
    by: "key" | "session" | "beginning" | "new";
    key?: string;
    /** How many known entries the list begins with. */
    entries: number;
    /** How many of the last known entries differ now. */
    rewritten: number;
  };
};

import type { Report, Session, SessionOptions } from "contextfold";

/**
 * Options of an integration: those of a session, or a `session` of your own, and what to do about errors.
 *
 * Without a `session`, one is made for each conversation. A conversation is recognised by its `key`, or else by the entries at the
 * beginning of its list; their cache marks and ids are ignored, and the system prompt and the newest two messages may differ (an
 * answer, or all its tool outputs, counts as one). Pass your own session if you want to search it, pin in it or give its tools to
 * the model. `A`: the argument of the hook.
 */
export type IntegrationOptions<A = unknown> = HookOptions & (OwnSession<A> | ({ session?: undefined } & KeyOption<A> & SessionOptions));

/** Which conversation a call belongs to. */
export interface KeyOption<A = unknown> {
  /**
   * The conversation's key (`"chat-17"`), or a function that returns the key of this call (`undefined`: none). The list then
   * belongs to this conversation, whatever it begins with. With a `store`, the session is loaded under this key, and saved when
   * its view has changed. A `store` without a key is refused, unless it is used only for tool outputs
   * (`toolOutputCache.memoryBytes`).
   */
  key?: string | ((args: A) => string | undefined) | undefined;
}

/** A session of your own, or a function that returns one. The session has its own options, so none may be given beside it. */
export type OwnSession<A = unknown> = { session: SessionOf<A>; key?: undefined } & { [key in keyof SessionOptions]?: never };

/** A session, or a function that returns the session of this call. */
export type SessionOf<A = unknown> = Session | ((args: A) => Session);

/** Options of an integration besides a session or a session's options. */
export interface HookOptions {
  /**
   * Default false: after an error in the engine or in your `summarize`, the agent goes on with its own messages, and the error is
   * logged once on the console (or passed to `onError`). True: the error is thrown and fails the run, even if the view would fit
   * without that summary.
   */
  strict?: boolean | undefined;
  /** Called for each failure, instead of logging it on the console. */
  onError?: ((error: unknown) => void) | undefined;
  /** Called before each model call for which the view was changed, with the decisions and their reasons, and once for the report's `notices`, which are absent from other reports. */
  onReport?: ((report: HookReport, session: Session) => void) | undefined;
}

/** A report that also says how the conversation was recognised. */
export type HookReport = Report & {
  conversation: {
    /** By its key, as a session of your own, by the beginning of its list, or not at all (a new conversation). */
    by: "key" | "session" | "beginning" | "new";
    key?: string;
    /** How many entries at the beginning of the list were known already. */
    entries: number;
    /** How many of the newest known entries have changed. */
    rewritten: number;
  };
};

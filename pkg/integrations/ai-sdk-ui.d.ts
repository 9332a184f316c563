import type { Session } from "contextfold";

/** The fields of a `UIMessage` of `ai` 6 or 7 that are read here. */
export interface MessageWithParts {
  id: string;
  role: "system" | "user" | "assistant";
  parts: readonly { type: string }[];
  metadata?: unknown;
}

/** A fold, as the server sends it: plain JSON. */
export interface FoldedSteps {
  /** What `session.unfold` takes. */
  id: string;
  /** The summary that the model is sent instead. */
  summary: string;
  /** Tokens that the messages took. */
  tokens_folded: number;
  /** Tokens that the summary takes. */
  tokens: number;
  /** The steps that it stands for, counted from 0: a message of the user is one, and so is each answer of the model with the outputs of its calls. */
  steps: number[];
}

/** Metadata of a UI message, with folds: `useChat<UIMessage<FoldMetadata>>()`. */
export interface FoldMetadata {
  /** All folds of the view as of this message; left out if they are the same as before. */
  contextfold?: FoldedSteps[] | undefined;
}

/** A divider: stands where the messages stood. */
export interface FoldDivider<M extends MessageWithParts = MessageWithParts> {
  /** Distinguishes it from a message. */
  role: "fold";
  /** The fold's id: for the undo, and as a key. */
  id: string;
  /** The summary that the model is sent instead. */
  summary: string;
  /** Tokens that the messages took. */
  tokens_folded: number;
  /** Tokens that the summary takes. */
  tokens: number;
  /** How many steps it stands for: a message of the user is one, and so is each answer of the model with the outputs of its calls. */
  steps: number;
  /**
   * The messages that it stands for. If an answer is folded in part, this has a message with those parts, and the list one with
   * the others; the last of them keeps the message's id, the others get one of their own (`id#0`).
   */
  folded: M[];
}

/**
 * On the server: the `messageMetadata` of `toUIMessageStreamResponse` (and its like) that tells the page which steps are folded, whenever
 * that has changed.
 *
 * ```js
 * const result = streamText({ model, messages: await convertToModelMessages(messages), prepareStep: prepareStep({ session }) });
 * return result.toUIMessageStreamResponse({ originalMessages: messages, messageMetadata: foldMetadata(session, messages) });
 * ```
 *
 * For metadata of your own, use `messageMetadata: (about) => ({ ...tell(about), model })`, where `tell` is what this returns.
 *
 * @param messages the UI messages that came in: folds that they already have are not sent again
 */
export declare function foldMetadata(session: Session, messages?: readonly MessageWithParts[]): (about: { part: { type: string } }) => FoldMetadata | undefined;

/**
 * On the server: the folds in a session's view, for the page: the answer to an undo, and what a page may begin with.
 */
export declare function foldsOf(session: Session): FoldedSteps[];

/**
 * On the page: the list to display. A divider stands in the place of folded messages. Without folds, it returns the same list.
 *
 * ```jsx
 * withFolds(messages).map((entry) => (entry.role === "fold" ? <Divider key={entry.id} {...entry} /> : <Message key={entry.id} {...entry} />));
 * ```
 */
export declare function withFolds<M extends MessageWithParts>(messages: M[]): (M | FoldDivider<M>)[];

/**
 * On the page: the same messages, with these folds. For `setMessages`, with the server's answer to an undo.
 */
export declare function updateFolds<M extends MessageWithParts>(messages: M[], folds: FoldedSteps[]): M[];

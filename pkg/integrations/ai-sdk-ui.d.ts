import type { Session } from "contextfold";

/** The fields of a `UIMessage` of `ai` 6 or 7 that are read here. */
export interface MessageWithParts {
  id: string;
  role: "system" | "user" | "assistant";
  parts: readonly { type: string }[];
  metadata?: unknown;
}

/** A fold (messages that a summary replaces in the view), as the server sends it: plain JSON. */
export interface FoldedSteps {
  /** The fold's id, for `session.unfold`. */
  id: string;
  /** The summary that the model gets instead of the messages. */
  summary: string;
  /** Tokens of the messages. */
  tokens_folded: number;
  /** Tokens of the summary. */
  tokens: number;
  /** Indexes, from 0, of the steps that it replaces. A user message is one step, and so is an answer of the model with its tool outputs. */
  steps: number[];
}

/** Metadata of a UI message, with folds: `useChat<UIMessage<FoldMetadata>>()`. */
export interface FoldMetadata {
  /** All folds of the view as of this message; left out if they are the same as before. */
  contextfold?: FoldedSteps[] | undefined;
}

/** A divider, shown in place of the folded messages. */
export interface FoldDivider<M extends MessageWithParts = MessageWithParts> {
  /** Distinguishes it from a message. */
  role: "fold";
  /** The fold's id: for an undo, and as a React key. */
  id: string;
  /** The summary that the model gets instead of the messages. */
  summary: string;
  /** Tokens of the messages. */
  tokens_folded: number;
  /** Tokens of the summary. */
  tokens: number;
  /** How many steps it replaces. A user message is one step, and so is an answer of the model with its tool outputs. */
  steps: number;
  /**
   * The messages that it replaces. If only some parts of an answer are folded, the answer is split into several messages: those
   * with folded parts are here, the others stay in the list. The last one keeps the message's id, the others get ids such as `id#0`.
   */
  folded: M[];
}

/**
 * On the server: a `messageMetadata` for `toUIMessageStreamResponse` and similar functions. It sends the page the list of folds
 * whenever that list has changed.
 *
 * ```js
 * const result = streamText({ model, messages: await convertToModelMessages(messages), prepareStep: prepareStep({ session }) });
 * return result.toUIMessageStreamResponse({ originalMessages: messages, messageMetadata: foldMetadata(session, messages) });
 * ```
 *
 * To add metadata of your own, use `messageMetadata: (about) => ({ ...tell(about), model })`, where `tell` is the function that
 * this returns.
 *
 * @param messages the incoming UI messages; folds in their metadata are not sent again
 */
export declare function foldMetadata(session: Session, messages?: readonly MessageWithParts[]): (about: { part: { type: string } }) => FoldMetadata | undefined;

/**
 * On the server: the folds in a session's view. Send them to the page in answer to an undo, or as its initial state.
 */
export declare function foldsOf(session: Session): FoldedSteps[];

/**
 * On the page: the list to display, with a divider in place of folded messages. Without folds, it returns the same list.
 *
 * ```jsx
 * withFolds(messages).map((entry) => (entry.role === "fold" ? <Divider key={entry.id} {...entry} /> : <Message key={entry.id} {...entry} />));
 * ```
 */
export declare function withFolds<M extends MessageWithParts>(messages: M[]): (M | FoldDivider<M>)[];

/**
 * On the page: the same messages, with these folds in their metadata. Pass the result to `setMessages` after an undo on the server.
 */
export declare function updateFolds<M extends MessageWithParts>(messages: M[], folds: FoldedSteps[]): M[];

import type { Format } from "../index.js";

/** A transcript that was read. */
export interface Transcript {
  /** Its format, detected unless it was given. */
  format: Format;
  /** Whether it was given. */
  forced: boolean;
  /** How it was written: an array, a request body, or one JSON value a line. */
  shape: "array" | "body" | "lines";
  /** The agent whose session file it is. */
  source: "claude-code" | "codex" | null;
  /** The request body, or one made from a session file; `null` for a list. */
  body: { [key: string]: unknown } | null;
  /** The body's key that has the list. */
  key: string | null;
  /** The messages or items. */
  items: object[];
  /** The model that the file names. */
  model?: string;
  /** The provider's reported usage, if the file has it, summed over all calls. `input_tokens` includes the cached ones. */
  usage: { input_tokens: number; cached_tokens: number; cache_write_tokens: number; output_tokens: number; calls: number } | null;
  /** What was left out, and why, in words. */
  notes: string[];
  /**
   * Conversations of sub-agents that the file also has; they are not in `items`. Each is in `format`, with the id of the call
   * that began it, if known.
   */
  lanes: { name: string; messages: object[]; call?: string }[];
}

/** A file that is not a transcript. */
export class TranscriptError extends Error {
  /** Empty; not JSON; JSON, but not a transcript. */
  readonly kind: "empty" | "broken" | "foreign";
  /** What is wrong, as the end of the sentence "the file …". */
  readonly what: string;
  /** Where: `line` and `column` from 1, the text around it, and the fault's place in that. */
  readonly place: { line: number; column: number; what: string; excerpt: string; caret: number } | null;
  /** How many entries can still be read. */
  readonly readable: number;
  /** Reads them. */
  readonly partial: (() => Transcript) | null;
}

/**
 * Reads a transcript: an array of messages or items in any of the formats, a request body, JSON lines, a Claude Code session file
 * or a Codex rollout. `pushFrom`, `simulate` and `new Recording` take `transcript.body ?? transcript.items`.
 *
 * @param options `format`: its format, if detection is wrong; `partial`: read what can be read of a broken file.
 * @throws {TranscriptError} what is wrong, where, and what can still be read.
 */
export function readTranscript(text: string, options?: { format?: Format; partial?: boolean }): Transcript;

import type { Format } from "../index.js";

/** A transcript that was read. */
export interface Transcript {
  /** Its format, detected unless the option `format` was given. */
  format: Format;
  /** Whether the option `format` was given. */
  forced: boolean;
  /** How it was written: an array, a request body, or one JSON value per line. */
  shape: "array" | "body" | "lines";
  /** The agent that wrote the session file; `null` for other files. */
  source: "claude-code" | "codex" | null;
  /** The request body, or one made from a session file; `null` for a list. */
  body: { [key: string]: unknown } | null;
  /** The key of the body that holds the list. */
  key: string | null;
  /** The messages or items. */
  items: object[];
  /** The model that the file names. */
  model?: string;
  /** The usage reported by the provider, if the file has it, summed over all calls. `input_tokens` includes the cached ones. */
  usage: { input_tokens: number; cached_tokens: number; cache_write_tokens: number; output_tokens: number; calls: number } | null;
  /** What was left out, and why, in words. */
  notes: string[];
  /**
   * Conversations of sub-agents in the same file; they are not in `items`. Each is in `format`, with the id of the tool call that
   * started it, if known.
   */
  lanes: { name: string; messages: object[]; call?: string }[];
}

/** Thrown if a file is not a transcript. */
export class TranscriptError extends Error {
  /** The file is empty; not JSON (`"broken"`); JSON, but not a transcript (`"foreign"`). */
  readonly kind: "empty" | "broken" | "foreign";
  /** What is wrong, as the end of the sentence "the file …". */
  readonly what: string;
  /** Where: `line` and `column`, counted from 1, the text around it, and the position of the fault in that text (`caret`). */
  readonly place: { line: number; column: number; what: string; excerpt: string; caret: number } | null;
  /** How many entries can still be read. */
  readonly readable: number;
  /** Reads those entries. `null` if there are none. */
  readonly partial: (() => Transcript) | null;
}

/**
 * Reads a transcript: an array of messages or items in any supported format, a request body, JSON lines, a Claude Code session file
 * or a Codex rollout. Pass `transcript.body ?? transcript.items` to `pushFrom`, `simulate` and `new Recording`.
 *
 * @param options `format`: its format, if detection is wrong; `partial`: read as much of a broken file as possible.
 * @throws {TranscriptError} that says what is wrong, where, and what can still be read.
 */
export function readTranscript(text: string, options?: { format?: Format | undefined; partial?: boolean | undefined }): Transcript;

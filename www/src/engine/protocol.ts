// What the page and its worker say to each other. Only excerpts cross; full texts are asked for one by one.

import type { ErrorCode, Format, Report } from "contextfold";

/** The formats that the page reads and writes so far. */
export const FORMATS = ["openai-responses", "openai-chat", "messages"] as const satisfies readonly Format[];
export type PageFormat = (typeof FORMATS)[number];

/** What the visitor sets. */
export interface Settings {
  /** Tokens of the context window. */
  window: number;
  /** The share of the limit at which folding begins. */
  thresholdRatio: number;
  /** Turns that are never folded. */
  retainLastTurns: number;
  /** Tokens for all tool outputs together; `null`: the engine's own choice by the window. */
  outputBudget: number | null;
}

export interface PartTokens {
  name: string;
  tokens: number;
}

/** A transcript that was read: the "before". */
export interface Opened {
  name: string;
  bytes: number;
  format: PageFormat;
  /** How the entries were found: a list, a request body, or one JSON value a line. */
  shape: "list" | "body" | "lines";
  entries: number;
  messages: number;
  turns: number;
  tools: { name: string; calls: number }[];
  tokens: number;
  parts: PartTokens[];
  /** The engine's milliseconds to read and count it. */
  ms: number;
}

export type Fate = "kept" | "cut" | "placeholder" | "shortened" | "folded" | "summary";

/** One line of the before-and-after list. */
export interface Row {
  id: string;
  role: "system" | "user" | "assistant" | "tool" | "summary";
  /** The tool's name, or what an assistant message calls. */
  label: string;
  fate: Fate;
  tokensBefore: number;
  tokensAfter: number;
  before: string;
  after: string;
  /** The ref under which the full tool output is kept. */
  ref?: string;
  lines?: number;
  bytes?: number;
  /** The fold whose summary stands for this message. */
  fold?: string;
  /** Of a summary: how many messages it stands for. */
  members?: number;
}

/** What a run gave: the "after". */
export interface Outcome {
  settings: Settings;
  report: Report;
  rows: Row[];
  /** The engine's milliseconds: reading the transcript in, and making it fit. */
  ms: { read: number; fit: number };
  /** Why no view fits these settings, where none does. */
  trouble: Trouble | null;
}

/** Something that the visitor should read. */
export interface Trouble {
  title: string;
  detail: string;
  code?: ErrorCode;
  /** Where in the file, with the text around it. */
  place?: { line: number; column: number; excerpt: string; caret: number };
}

/** One message in full. */
export interface Detail {
  before: string;
  after: string;
}

export interface OutputQuery {
  ref: string;
  offset: number;
  limit: number;
}

export interface SearchQuery {
  ref: string;
  pattern: string;
  ignoreCase: boolean;
}

/** Every question, with what it takes and gives. */
export interface Questions {
  open: { takes: { file: Blob; name: string }; gives: Opened };
  run: { takes: Settings; gives: Outcome };
  detail: { takes: string; gives: Detail };
  read: { takes: OutputQuery; gives: string };
  grep: { takes: SearchQuery; gives: string };
  view: { takes: PageFormat; gives: string };
}

export type Ask = keyof Questions;
export type Request = { [A in Ask]: { id: number; ask: A; takes: Questions[A]["takes"] } }[Ask];
export type Reply = { id: number; gives: unknown } | { id: number; trouble: Trouble };

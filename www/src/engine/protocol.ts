// What the page and its worker say to each other. Only excerpts cross; full texts are asked for one by one.

import type { CacheBreak, Costs, ErrorCode, FoldInfo, Format, LeftOutNow, PartReport, PresetName, Report, SimulationPrices, SummaryRequest, Violation } from "contextfold";

/** The formats that the view is written in. */
export const FORMATS = ["openai-responses", "openai-chat", "anthropic", "gemini", "ai-sdk", "messages"] as const satisfies readonly Format[];

/** What the visitor sets. */
export interface Settings {
  /** The ladder. */
  preset: PresetName;
  /** Tokens of the context window. */
  window: number;
  /** The share of the limit at which folding begins. */
  thresholdRatio: number;
  /** Turns that are never folded. */
  retainLastTurns: number;
  /** Tokens for all tool outputs together; `null`: the engine's own choice by the window. */
  outputBudget: number | null;
  /** The model whose price is taken; empty: none. */
  priceAs: string;
  /** Ids of messages that stay. */
  pins: string[];
}

export interface PartTokens {
  name: string;
  tokens: number;
}

/** A transcript that was read: the "before". */
export interface Opened {
  name: string;
  bytes: number;
  format: Format;
  /** How the entries were found: a list, a request body, or one JSON value a line. */
  shape: "array" | "body" | "lines";
  /** The agent whose session file it is. */
  source: "claude-code" | "codex" | null;
  /** What was left out of the file, in words. */
  notes: string[];
  /** The model that the file names, where its price is known. */
  model?: string;
  /** What the provider reported, where the file has it. */
  usage: { input_tokens: number; cached_tokens: number; cache_write_tokens: number; output_tokens: number; calls: number } | null;
  entries: number;
  messages: number;
  turns: number;
  calls: number;
  /** The languages of what the user said, the most of it first. */
  languages: string[];
  tools: { name: string; calls: number }[];
  lanes: Lane[];
  sources: Source[];
  tokens: number;
  parts: PartTokens[];
  /** The engine's milliseconds to read and count it. */
  ms: number;
}

/** What became of a message: it stands as it came, is a summary of others, or is what the engine says of it. */
export type Fate = "kept" | "summary" | LeftOutNow["state"];

/** A message of the transcript, as lists and graphs need it: made once a transcript. */
export interface Source {
  id: string;
  role: "system" | "user" | "assistant" | "tool";
  /** The tool's name, or what an assistant message calls. */
  label: string;
  tokens: number;
  /** The beginning of what it says. */
  excerpt: string;
}

/** A conversation of a sub-agent's, beside the transcript's own. */
export interface Lane {
  name: string;
  messages: number;
  tokens: number;
  /** The message that began it, and the one that brought its result; where the file says so. */
  from?: string;
  to?: string;
}

/** One line of the before-and-after list. */
export interface Row {
  id: string;
  role: Source["role"] | "summary";
  label: string;
  fate: Fate;
  tokensBefore: number;
  tokensAfter: number;
  before: string;
  after: string;
  pinned?: boolean;
  /** The ref under which the full tool output is kept. */
  ref?: string;
  lines?: number;
  bytes?: number;
  /** Of what does not stand as it came: why, which pass it was, at which call, and what brings it back. */
  why?: string;
  pass?: string;
  since?: number;
  back?: LeftOutNow["back"];
  /** The fold whose summary stands for this message. */
  fold?: string;
  /** The innermost fold that holds it, where that one stands inside a later one. */
  within?: string;
  /** Of a summary: how many messages it stands for. */
  members?: number;
}

/** One model call, as the timeline draws it. */
export interface Call {
  tokens: number;
  cached: number;
  /** Tokens that no cache serves, and that are written to it. */
  written: number;
  /** Tokens of the call before that are not found in the cache, because a pass edited what stands before their end. */
  lost: number;
  brokenBy: string | null;
  output: number;
  cost: number | null;
  parts: PartReport[];
  decisions: { pass: string; tokens_before: number; tokens_after: number; count: number }[];
  folded: boolean;
  error: string | null;
  /** It is not replayed yet: there is nothing else to say of it. */
  pending?: true;
}

/** What of the facts the views still had: a mean over the calls from the first fold on, or that of the last call. */
export interface FactShares {
  literal: number;
  withRefs: number;
  constraints: number;
}

/** What a replay under the settings gave. */
export interface Outcome {
  settings: Settings;
  window: number;
  limit: number;
  threshold: number;
  calls: Call[];
  tokensTotal: number;
  callsOverLimit: number;
  cacheHitRatio: number;
  cacheBreaks: CacheBreak[];
  cost: number | null;
  costs: Costs | null;
  compactions: { count: number; requests: number; requestTokens: number; cost: number | null };
  /** Known a little later than the rest where the transcript is long: `null` until then. */
  facts: FactShares | null;
  recorded: { tokens: number[]; tokensTotal: number; tokensLargest: number; cost: number | null; costs: Costs | null };
  prices: SimulationPrices | null;
  /** The engine's milliseconds for all calls. */
  ms: number;
}

/** What a replay gave, as a line of a comparison. */
export interface Compared {
  /** Tokens of each call. */
  tokens: number[];
  tokensTotal: number;
  /** What all calls and summaries cost, by the models that were asked for. */
  costs: (number | null)[];
  cacheHitRatio: number;
  folds: number;
  /** Outputs that a pass took out of the view, and that the agent asked for again, word for word, within ten calls. */
  readAgain: number;
  facts: FactShares;
  callsOverLimit: number;
}

/** A row as it crosses: what stands in its source already is not sent again. */
export type SentRow = Omit<Row, "before" | "label" | "role" | "tokensBefore"> & Partial<Row> & { source?: number };

/** The view at one call. */
export interface Moment {
  call: number;
  report: Report;
  rows: Row[];
  folds: FoldInfo[];
  /** Messages of the transcript that were there by then, and their tokens. */
  messages: number;
  tokens: number;
  parts: PartTokens[];
  /** Why no view fits these settings, where none does. */
  trouble: Trouble | null;
  ms: number;
  /** Why a fold was not opened. */
  refused: Trouble | null;
  /** What was asked of the visitor's own summariser, where it stands in the view. */
  summarised: Summarised | null;
}

/** A summary of the visitor's own summariser. */
export interface Summarised {
  by: string;
  requests: number;
  inputTokens: number;
  ms: number;
  fallback?: string;
}

/** What happened to a message between two views: it came since, it came back, it stands for others, or what the engine says of it. */
export type Happened = "new" | "back" | Exclude<Fate, "kept">;

/** A message that the view before had otherwise, or had not. */
export interface Change {
  id: string;
  role: Row["role"];
  label: string;
  what: Happened;
  tokensBefore: number;
  tokensAfter: number;
  why?: string;
  pass?: string;
}

/** A line of a text difference; `skipped` lines stand here and are not shown. */
export interface DiffLine {
  kind: "same" | "gone" | "new";
  text: string;
  skipped?: number;
}

/** A view against that of the call before. */
export interface Changes {
  /** The call whose view is the one before; `null`: there was none. */
  before: number | null;
  changes: Change[];
  /** How many there are of each kind, and their tokens before and after. */
  totals: { what: Happened; count: number; tokensBefore: number; tokensAfter: number }[];
  /** The provider's JSON, line by line. */
  lines: DiffLine[];
  linesGone: number;
  linesNew: number;
  /** The newest summary of the view as the model reads it; `ledger`: the part that the engine added. */
  summary: { id: string; text: string; ledger: string; tokens: number } | null;
}

/** Something that the visitor should read. */
export interface Trouble {
  title: string;
  detail: string;
  code?: ErrorCode;
  /** Where in the file, with the text around it. */
  place?: { line: number; column: number; excerpt: string; caret: number };
  /** How many entries can be read all the same. */
  readable?: number;
  /** The provider's rules that the transcript breaks, the first of them. */
  broken?: Pick<Violation, "rule" | "index" | "message">[];
  /** What repairing it would change. */
  repairs?: number;
  /** Nothing went wrong: something newer is wanted. */
  superseded?: true;
}

export type SentMoment = Omit<Moment, "rows"> & { rows: SentRow[] };

/** One message in full. */
export interface Detail {
  before: string;
  after: string;
  /** Of a tool's message: where its output is kept. */
  output?: { ref: string; lines: number; bytes: number };
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

/** The view in a format, and what its provider would say of it. */
export interface WrittenView {
  json: string;
  violations: Violation[];
}

/** Every question, with what it takes and gives. */
export interface Questions {
  /** `partial`: what can be read of a broken file; `repaired`: what a provider would refuse is mended first. */
  open: { takes: { file: Blob; name: string; partial: boolean; repaired: boolean }; gives: Opened };
  prices: { takes: null; gives: { as_of: string; models: string[] } };
  run: { takes: Settings; gives: Outcome };
  facts: { takes: null; gives: FactShares };
  compare: { takes: { settings: Settings; priceAs: string[] }; gives: Compared };
  /** `unfolded`: folds that are opened in this view by hand, one after the other. */
  at: { takes: { settings: Settings; call: number; unfolded: string[] }; gives: SentMoment };
  /** What is different in the view that is looked at from that of the call before. */
  changes: { takes: Format; gives: Changes };
  summarise: { takes: { settings: Settings; call: number; by: string }; gives: SentMoment };
  /** The page that `simulate --html` writes. */
  report: { takes: { settings: Settings; name: string }; gives: string };
  detail: { takes: string; gives: Detail };
  /** Ids of the messages that have a text, in all that was said until this call; `all`: there may be more. */
  search: { takes: string; gives: { ids: string[]; all: boolean } };
  read: { takes: OutputQuery; gives: string };
  grep: { takes: SearchQuery; gives: string };
  view: { takes: Format; gives: WrittenView };
}

export type Ask = keyof Questions;
export type Request = { [A in Ask]: { id: number; ask: A; takes: Questions[A]["takes"] } }[Ask];

/** What the worker asks the page, which has the visitor's summariser. */
export interface SummaryQuestion {
  question: number;
  request: Pick<SummaryRequest, "model" | "max_tokens" | "temperature"> & { body: object; text: string };
}
export type SummaryAnswer = { answer: number; text?: string; error?: string };

export interface Progress {
  doing: string;
  /** 0 to 1, where that is known. */
  share: number | null;
  /** What a replay has given so far: its calls alone are drawn. */
  partial?: Outcome;
}

/** Whatever is under way is not wanted any more. */
export interface Hurry {
  hurry: true;
}

export type Reply = { id: number; gives: unknown } | { id: number; trouble: Trouble } | { progress: Progress } | SummaryQuestion;

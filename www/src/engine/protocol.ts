// Messages between the page and its worker. They only contain excerpts; full texts are requested one by one.

import type { CacheBreak, Costs, ErrorCode, FoldInfo, Format, LeftOutNow, PartReport, PresetName, Report, SimulationPrices, SummaryRequest, Violation } from "contextfold";

/** The formats in which the view can be shown. */
export const FORMATS = ["openai-responses", "openai-chat", "anthropic", "ai-sdk", "gemini", "bedrock-converse", "messages"] as const satisfies readonly Format[];

/** The visitor's settings. */
export interface Settings {
  /** The ladder. */
  preset: PresetName;
  /** Tokens of the context window. */
  window: number;
  /** The share of the limit at which folding begins. */
  thresholdRatio: number;
  /** Turns that are never folded. */
  retainLastTurns: number;
  /** Tokens for all tool outputs together; `null`: the engine's default for the window. */
  outputBudget: number | null;
  /** The model whose prices are used; empty: none. */
  priceAs: string;
  /** Ids of pinned messages. */
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
  /** The shape of the file: a list, a request body, or one JSON value per line. */
  shape: "array" | "body" | "lines";
  /** The agent that wrote the session file; `null` for other files. */
  source: "claude-code" | "codex" | null;
  /** Descriptions of what was left out of the file. */
  notes: string[];
  /** The model that the file names, if its price is known. */
  model?: string;
  /** The usage that the provider reported, if the file has it. */
  usage: { input_tokens: number; cached_tokens: number; cache_write_tokens: number; output_tokens: number; calls: number } | null;
  entries: number;
  messages: number;
  turns: number;
  calls: number;
  /** The languages of the user's messages, the most frequent first. */
  languages: string[];
  tools: { name: string; calls: number }[];
  lanes: Lane[];
  sources: Source[];
  tokens: number;
  parts: PartTokens[];
  /** Milliseconds that the engine took to read and count it. */
  ms: number;
}

/** What happened to a message: it is unchanged, is a summary of others, or has a state given by the engine. */
export type MessageState = "kept" | "summary" | LeftOutNow["state"];

/** A message of the transcript, as lists and graphs need it: made once per transcript. */
export interface Source {
  id: string;
  role: "system" | "user" | "assistant" | "tool";
  /** The tool's name, or the names of the tools that an assistant message calls. */
  label: string;
  tokens: number;
  /** The beginning of its text. */
  excerpt: string;
}

/** A conversation of a sub-agent in the same transcript. */
export interface Lane {
  name: string;
  messages: number;
  tokens: number;
  /** The message that started it, and the one with its result, if the file says so. */
  from?: string;
  to?: string;
}

/** One line of the before-and-after list. */
export interface Row {
  id: string;
  role: Source["role"] | "summary";
  label: string;
  fate: MessageState;
  tokensBefore: number;
  tokensAfter: number;
  before: string;
  after: string;
  pinned?: boolean;
  /** The ref under which the full tool output is stored. */
  ref?: string;
  lines?: number;
  bytes?: number;
  /** If it was changed or left out: why, by which pass, since which call, and what brings it back. */
  why?: string;
  pass?: string;
  since?: number;
  back?: LeftOutNow["back"];
  /** The fold whose summary replaces this message in the view. */
  fold?: string;
  /** The innermost fold that holds it, if that fold is inside a later one. */
  within?: string;
  /** Of a summary: how many messages it replaces. */
  members?: number;
}

/** One model call, as the timeline draws it. */
export interface Call {
  tokens: number;
  cached: number;
  /** Tokens that are not read from the prompt cache, but written to it. */
  written: number;
  /** Tokens of the previous call that are lost from the cache, because a pass has edited something before or in them. */
  lost: number;
  brokenBy: string | null;
  output: number;
  cost: number | null;
  parts: PartReport[];
  decisions: { pass: string; tokens_before: number; tokens_after: number; count: number }[];
  folded: boolean;
  error: string | null;
  /** Not replayed yet, so its other figures are not known. */
  pending?: true;
}

/** The shares of facts that the views still had: a mean over the calls from the first fold on; without a fold, those of the last call. */
export interface FactShares {
  literal: number;
  withRefs: number;
  constraints: number;
}

/** The result of a replay under some settings. */
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
  /** `null` until they are known; for a long transcript, that is a little later than the rest. */
  facts: FactShares | null;
  recorded: { tokens: number[]; tokensTotal: number; tokensLargest: number; cost: number | null; costs: Costs | null };
  prices: SimulationPrices | null;
  /** Milliseconds that the engine took for all calls. */
  ms: number;
}

/** The result of a replay, as a line of a comparison. */
export interface Compared {
  /** Tokens of each call. */
  tokens: number[];
  tokensTotal: number;
  /** The cost of all calls and summaries, for each of the requested models. */
  costs: (number | null)[];
  cacheHitRatio: number;
  folds: number;
  /** Outputs that a pass has cut or removed, and whose call the agent repeated with the same arguments within ten calls. */
  readAgain: number;
  facts: FactShares;
  callsOverLimit: number;
}

/** A row as the worker sends it: fields that its source has already are left out. `source`: the index of the source. */
export type SentRow = Omit<Row, "before" | "label" | "role" | "tokensBefore"> & Partial<Row> & { source?: number };

/** The view at one call. */
export interface Moment {
  call: number;
  report: Report;
  rows: Row[];
  folds: FoldInfo[];
  /** The number of the transcript's messages until this call, and their tokens. */
  messages: number;
  tokens: number;
  parts: PartTokens[];
  /** If no view fits these settings: why. */
  trouble: Trouble | null;
  ms: number;
  /** If a fold could not be opened: why. */
  refused: Trouble | null;
  /** The requests to the visitor's own summariser, if its summary is in the view. */
  summarised: Summarised | null;
}

/** A summary by the visitor's own summariser. */
export interface Summarised {
  by: string;
  requests: number;
  inputTokens: number;
  ms: number;
  fallback?: string;
}

/** What happened to a message between two views: it is new, it came back, it is a summary, or it has a state given by the engine. */
export type ChangeKind = "new" | "back" | Exclude<MessageState, "kept">;

/** A message that is different or missing in one of two views. */
export interface Change {
  id: string;
  role: Row["role"];
  label: string;
  what: ChangeKind;
  tokensBefore: number;
  tokensAfter: number;
  why?: string;
  pass?: string;
}

/** A line of a text difference, or, with `skipped`, that many lines which are not shown. */
export interface DiffLine {
  kind: "same" | "gone" | "new";
  text: string;
  skipped?: number;
}

/** The differences between a view and that of the previous call. */
export interface Changes {
  /** The previous call; `null` if the view is not compared with one. */
  before: number | null;
  changes: Change[];
  /** How many changes there are of each kind, and their tokens before and after. */
  totals: { what: ChangeKind; count: number; tokensBefore: number; tokensAfter: number }[];
  /** The provider's JSON, line by line. */
  lines: DiffLine[];
  linesGone: number;
  linesNew: number;
  /** The newest summary in the view, as the model reads it. `ledger`: the part that the engine added. */
  summary: { id: string; text: string; ledger: string; tokens: number } | null;
}

/** A message to the visitor about something that went wrong. */
export interface Trouble {
  title: string;
  detail: string;
  code?: ErrorCode;
  /** The position in the file, with the text around it. */
  place?: { line: number; column: number; excerpt: string; caret: number };
  /** How many entries can still be read. */
  readable?: number;
  /** The first of the provider's rules that the transcript breaks. */
  broken?: Pick<Violation, "rule" | "index" | "message">[];
  /** How many changes a repair would make. */
  repairs?: number;
  /** Not an error: the work was ended because something newer is wanted. */
  superseded?: true;
}

export type SentMoment = Omit<Moment, "rows"> & { rows: SentRow[] };

/** One message in full. */
export interface Detail {
  before: string;
  after: string;
  /** Of a tool message: the stored full output. */
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

/** The view in a format, and the provider's rules that it breaks. */
export interface WrittenView {
  json: string;
  violations: Violation[];
}

/** All questions to the worker, with their arguments and results. */
export interface Questions {
  /** `partial`: read as much of a broken file as possible; `repaired`: repair what a provider would refuse. */
  open: { takes: { file: Blob; name: string; partial: boolean; repaired: boolean }; gives: Opened };
  prices: { takes: null; gives: { as_of: string; models: string[] } };
  run: { takes: Settings; gives: Outcome };
  facts: { takes: null; gives: FactShares };
  compare: { takes: { settings: Settings; priceAs: string[] }; gives: Compared };
  /** `unfolded`: folds that the visitor has opened in this view, in order. */
  at: { takes: { settings: Settings; call: number; unfolded: string[] }; gives: SentMoment };
  /** The differences between the current view and that of the previous call. */
  changes: { takes: Format; gives: Changes };
  summarise: { takes: { settings: Settings; call: number; by: string }; gives: SentMoment };
  /** The HTML page that `simulate --html` writes. */
  report: { takes: { settings: Settings; name: string }; gives: string };
  detail: { takes: string; gives: Detail };
  /** Ids of the messages until this call that contain a text. `all`: whether these are all. */
  search: { takes: string; gives: { ids: string[]; all: boolean } };
  read: { takes: OutputQuery; gives: string };
  grep: { takes: SearchQuery; gives: string };
  view: { takes: Format; gives: WrittenView };
}

export type Ask = keyof Questions;
export type Request = { [A in Ask]: { id: number; ask: A; takes: Questions[A]["takes"] } }[Ask];

/** A question from the worker to the page, which has the visitor's summariser. */
export interface SummaryQuestion {
  question: number;
  request: Pick<SummaryRequest, "model" | "max_tokens" | "temperature"> & { body: object; text: string };
}
export type SummaryAnswer = { answer: number; text?: string; error?: string };

export interface Progress {
  doing: string;
  /** 0 to 1; `null` if not known. */
  share: number | null;
  /** The result of a replay so far. Only its calls are drawn. */
  partial?: Outcome;
}

/** The current work is not wanted any more. */
export interface Hurry {
  hurry: true;
}

export type Reply = { id: number; gives: unknown } | { id: number; trouble: Trouble } | { progress: Progress } | SummaryQuestion;

/** What a message says: a text, or parts. */
export type Content = string | Part[];

/** A piece of a message. Media are a `url`, or `data` in base64 with its `media_type`, or a provider's `file_id`. */
export type Part =
  | { type: "text"; text: string }
  /** `width` and `height` in pixels: where they are known, its tokens are counted by them. */
  | { type: "image"; url?: string | undefined; data?: string | undefined; media_type?: string | undefined; file_id?: string | undefined; detail?: "auto" | "low" | "high" | undefined; width?: number | undefined; height?: number | undefined }
  | { type: "document"; url?: string | undefined; data?: string | undefined; media_type?: string | undefined; file_id?: string | undefined; filename?: string | undefined }
  | { type: "audio"; url?: string | undefined; data?: string | undefined; media_type?: string | undefined; file_id?: string | undefined; filename?: string | undefined }
  /** What the model said when it would not answer. */
  | { type: "refusal"; refusal: string }
  /**
   * What the model thought: in the open (`text`), as summaries, or closed (`encrypted`, `redacted`). `signature` and `id` are the
   * provider's, by which it knows its own; it goes back as it came.
   */
  | { type: "reasoning"; text?: string | undefined; summary?: string[] | undefined; signature?: string | undefined; encrypted?: string | undefined; id?: string | undefined; redacted?: boolean | undefined }
  /** Not understood: carried in its place, unchanged. */
  | { type: "opaque"; format: Format; raw: unknown };

/** A call of a tool by the model. `arguments` is JSON text, as the model wrote it. */
export type ToolCall =
  | { id: string; type: "function"; function: { name: string; arguments: string } }
  | { id: string; type: "custom"; custom: { name: string; input: string } }
  /** Any other kind of call, as its item came. */
  | { id: string; type: "opaque"; format: Format; raw: unknown };

/** What a message carries beside its content. */
export interface Meta {
  /**
   * Unique in a session; made (`m1`, `m2`, …) where it is left out: `push` returns it. Messages come out as they came in, without a
   * made one. `items()` has the ids of the view, in its order, and `session.graph.nodes()` the message of every id that folds, plans
   * and reports name.
   */
  id?: string | undefined;
  /** For passes that act by type; derived from the role where it is left out. */
  item_type?: ItemType | undefined;
  /** Lower goes first. */
  priority?: number | undefined;
  /** How many of its kind stay in the view; `true` is 1. */
  ephemeral?: boolean | number | undefined;
  /** Stands verbatim in every view. */
  pinned?: boolean | undefined;
  /** What a provider's format carried that has no name here, by format. */
  extras?: { [format: string]: object } | undefined;
}

/** One entry of a conversation: Chat Completions' shape, widened so that every format can be said in it. */
export type Message = Meta &
  (
    | { role: "system" | "developer" | "user"; content: Content }
    | { role: "assistant"; content?: Content | null | undefined; tool_calls?: ToolCall[] | undefined }
    | { role: "tool"; tool_call_id: string; content: Content; output_ref?: ToolOutputRef | undefined; is_error?: boolean | undefined }
  );

/**
 * The types of entries, by format: empty, for this package knows no provider's SDK. Importing `contextfold/openai`,
 * `contextfold/anthropic` or `contextfold/ai-sdk` says them for its SDK; a project that uses none of them says once which
 * types are its, and views need no cast:
 *
 * ```ts
 * import type OpenAI from "openai";
 * import type Anthropic from "@anthropic-ai/sdk";
 * import type { ModelMessage } from "ai";
 *
 * declare module "contextfold" {
 *   interface EntryTypes {
 *     "openai-responses": OpenAI.Responses.ResponseInputItem;
 *     "openai-chat": OpenAI.Chat.ChatCompletionMessageParam;
 *     anthropic: Anthropic.MessageParam;
 *     "anthropic-system": Anthropic.TextBlockParam;
 *     "anthropic-tool": Anthropic.Tool;
 *     "ai-sdk": ModelMessage;
 *     gemini: Content;                        // of @google/genai
 *     "bedrock-converse": BedrockMessage;     // Message, of @aws-sdk/client-bedrock-runtime
 *     "bedrock-converse-system": SystemContentBlock;
 *   }
 * }
 * ```
 */
export interface EntryTypes {}

/** An entry of a format's list: `object`, or what `EntryTypes` says. */
export type EntryOf<F extends string> = F extends keyof EntryTypes ? EntryTypes[F] : object;

/**
 * Definitions of the tools `tool_output_cache`, `tool_output_cache_grep` and `search_history`, ready to hand to a model in this
 * format. `runTool(session, name, args)` of `contextfold/tools` executes what the model calls; so do `session.toolOutputs.read(args)`,
 * `session.toolOutputs.grep(args)` and `session.search(args.query, args)`. For an SDK's own types, see `EntryTypes`.
 *
 * @throws {ContextError} `INVALID_ARGUMENT` for a format that there is not.
 */
export function toolDefinitions<F extends Format>(format: F): EntryOf<`${F}-tool`>[];

/** What `session.view(format)` gives. */
export type ViewOf<F extends Format> = F extends "messages"
  ? Message[]
  : F extends "openai-responses"
    ? { instructions?: string; input: EntryOf<"openai-responses">[] }
    : F extends "anthropic"
      ? { system?: string | EntryOf<"anthropic-system">[]; messages: EntryOf<"anthropic">[] }
      : F extends "gemini"
        ? { systemInstruction?: EntryOf<"gemini">; contents: EntryOf<"gemini">[] }
        : F extends "bedrock-converse"
          ? { system?: EntryOf<"bedrock-converse-system">[]; messages: EntryOf<"bedrock-converse">[] }
          : EntryOf<F>[];

export interface Session {
  /**
   * The view in a format, valid for its provider: `{ instructions?, input }` for `openai-responses`, `{ system?, messages }`
   * for `anthropic` and `bedrock-converse`, `{ systemInstruction?, contents }` for `gemini`, else an array. What was pushed in that format comes out as the very objects (`===`) that came in, but for
   * what a pass changed and what has to be joined (a tool message among `messages` is a copy that carries `output_ref`). The
   * list is yours: it is never changed afterwards. For an SDK's own types, see `EntryTypes`.
   *
   * Bytes of `bedrock-converse` may come as `Uint8Array`, as its SDK has them, or as base64 text, as they are on the wire: they go out as
   * they came. A medium that came in another format goes out as `Uint8Array`.
   *
   * What was pushed in another format may hold what this one cannot say (audio for Anthropic, a failed output's `is_error` in
   * Chat Completions): it is left out or said otherwise, and `onNote` hears of each such thing, at every call.
   *
   * `cacheMarks` (0 to 4; default 0) is for `"anthropic"` and `"bedrock-converse"`: so many `cache_control` marks, or `cachePoint` blocks, are put at the ends of what stays as it is, in this
   * order: the view, the step before the newest, the newest summary, the system prompt (which covers the tools before it). They stand in
   * copies of the entries. Marks of your own stay, and count: a view never has more than the four that the API takes. No mark is put where
   * less than 1,024 tokens stand before it, or where there is one. `session.cacheMarks` says what they cover. A request for a summary that
   * goes on from the whole view (`request.as("anthropic")`) has as many; where only its beginning fits, the system prompt alone has one.
   *
   * @throws {ContextError} `INVALID_ARGUMENT` for a format that there is not, and for `cacheMarks` out of range or in another
   * format; what `onNote` throws comes through.
   */
  view<F extends Format>(format: F, options?: { onNote?: (note: ViewNote) => void; cacheMarks?: number | undefined }): ViewOf<F>;

  /** How the session stands, as `console.log` shows it: not what `snapshot()` saves. */
  toJSON(): { messages: number; turns: number; tokens: number; limit: number | null; folds: number } | { code: ErrorCode };
}

/** A `cache_control` mark that `view("anthropic", { cacheMarks })` put into a view. */
export interface CacheMark {
  /** What ends there: the system prompt, the newest summary, the step before the newest, or the view. */
  part: "system" | "summary" | "step" | "end";
  /** Tokens from the view's beginning, tool definitions included, to the mark. */
  tokens: number;
}

/** Something that a view's format cannot say as it is. */
export interface ViewNote {
  /** The message that it concerns (of several that stand in one entry, the first), as in `items()`. */
  id: string;
  /** What was left out or said otherwise. */
  what: string;
}

/** What `request.as(format)` gives: a request body, with temperature and output limit where the request has them, under the format's names
 * (`max_completion_tokens` for `openai-chat`: a host that only knows `max_tokens` wants it renamed). For an SDK's own types, see `EntryTypes`. */
export type SummaryBody<F extends Format> = { model?: string } & (F extends "messages"
  ? { messages: Message[] }
  : F extends "openai-responses"
    ? { instructions?: string; input: EntryOf<"openai-responses">[] }
    : F extends "anthropic" | "ai-sdk"
      ? { system?: string; messages: EntryOf<F>[] }
      : F extends "gemini"
        ? { contents: EntryOf<F>[]; config?: { systemInstruction?: EntryOf<F>; temperature?: number; maxOutputTokens?: number } }
        : F extends "bedrock-converse"
          ? { modelId?: string; system?: EntryOf<"bedrock-converse-system">[]; messages: EntryOf<F>[]; inferenceConfig?: { maxTokens?: number; temperature?: number } }
          : { messages: EntryOf<F>[] });

/** The one question that the engine asks. */
export interface SummaryRequest {
  /** `compaction.model`; `null`: the model that you use anyway. */
  model: string | null;
  /** The header's text. */
  system?: string;
  /** The conversation, then one user message with the instructions. */
  messages: Message[];
  /** A summary is asked for without tools: where `continues` is true, `as(format)` has them all the same, for the prompt cache's sake. */
  tools: null;
  /** `as(format)` is the view as it is sent, with the tools, and the instruction behind it: see `compaction.request`. */
  continues: boolean;
  /** Whether the session's tools include `tool_output_cache`, which opens refs of tool outputs: where not, a summary names none. */
  names_refs: boolean;
  /** Tokens that the answer may have. */
  max_tokens?: number;
  /** The size that the instructions ask for, in tokens: the room that there is for the summary. */
  aim_tokens?: number;
  /** Set where a profile wants one; else yours. */
  temperature?: number;
  /** `"messages"`: the messages themselves; `"transcript"`: one user message with the conversation in a fence. */
  style: "messages" | "transcript";
  /** Why it is asked. */
  reason: "threshold" | "manual" | "ladder" | "chunk" | "retry" | "recover";
  /** Tokens of it all, as counted. */
  input_tokens: number;
  /** What the answer is to be: prose in `<summary>` tags, or the JSON of one of the steps profiles in `<compact_summary>` tags. */
  profile: "default" | "design" | "execution";
  /** Positions in `messages` of those that stay in the view whatever the summary says. */
  kept: number[];
  /** The request as a body that the format's API takes: add the model and what else you want. */
  as<F extends Format>(format: F): SummaryBody<F>;
}

/** An answer with what a provider says of it. */
export interface SummaryResponse {
  /** `<retain>…</retain><summary>…</summary>`; text without tags counts as the summary. `null`, as SDKs give it, is an empty summary. */
  text: string | null;
  /** The provider's usage object. */
  usage?: unknown;
  /**
   * Why it stopped, in the provider's word. Only those for a model that stopped by itself are taken (`stop`, `end_turn`, `stop_sequence`,
   * `completed`, `COMPLETE`, `eos` …): with any other the summary is refused as cut off (`SUMMARY_TRUNCATED`). Leave it out where it is not known.
   */
  finish_reason?: string | null | undefined;
  /**
   * What a provider wrote itself of the conversation, in entries that only its own format takes (`providerCompaction` of
   * `contextfold/anthropic` and `contextfold/openai` gives it). In views of that format the entries stand first, unchanged, in the place of
   * the text, and the record of facts beside them; views of other formats have the text, which the engine writes where `text` is `null`.
   * Where something else stands before the summary (a text that was to be retained, a compaction that came in with the history), or the
   * conversation was summed up in pieces, the text stands in every format, and `report.summary.fallback` says so.
   */
  compaction?: { format: "anthropic" | "openai-responses"; entries: object[] } | undefined;
}

/**
 * What `convert` gives: a list, or a body where the format keeps something apart from it. To the same format, it is the input itself.
 */
export type Converted<F extends Format> = F extends "openai-responses"
  ? EntryOf<F>[] | { instructions: string; input: EntryOf<F>[] }
  : F extends "anthropic"
    ? EntryOf<F>[] | { system: string | EntryOf<"anthropic-system">[]; messages: EntryOf<F>[] }
    : F extends "messages"
      ? Message[]
      : EntryOf<F>[];

/**
 * Says a history in another format: a list, one entry, a request body or a response, as the provider's SDK gives it.
 *
 * Calls and outputs keep their ids and stay paired. What the other format cannot say is left out or said otherwise, and
 * each such thing is told to `onNote`. What was whole in one format is whole in the other: where its rules ask for another
 * order, entries are moved, and a note says so. A history that breaks its own format's rules is converted as it is.
 *
 * The output is a list; `{ system, messages }` or `{ instructions, input }` where the format keeps something apart from it.
 * To the same format, it is the input itself.
 *
 * ```js
 * import { convert } from "contextfold";
 *
 * const notes = [];
 * const body = convert("openai-chat", "anthropic", messages, { onNote: (note) => notes.push(note) });
 * // { system: [{ type: "text", text: "You are …" }], messages: [{ role: "user", content: "Why does the build fail?" }] }
 * ```
 * @throws {ContextError} `INVALID_MESSAGE` with the index of an entry that is malformed; `INVALID_ARGUMENT` for a format that
 * there is not, and for a history of which the other format can say nothing.
 */
export function convert<F extends Format>(from: Format, to: F, input: unknown, options?: { onNote?: ((note: ConversionNote) => void) | undefined }): Converted<F>;

/**
 * Mends a history that its provider would refuse, and says what was done: an output without its call goes, a call without an
 * output gets a placeholder that says so, duplicates go, what stands in the wrong place is moved.
 *
 * `output` has the shape of the input: a list, or the body with its list mended (of a response whose message stands alone in
 * it: the list of what was mended). A history without errors comes back as
 * the very object that it is, with no changes.
 *
 * ```js
 * import { repair } from "contextfold";
 *
 * const { output, changes } = repair("anthropic", messages);
 * for (const { index, rule, what } of changes) console.warn(`message ${index}: ${what} (${rule})`);
 * ```
 * @param options As for `check`; `pending`: the last calls are still being executed, and stay open.
 * @throws {ContextError} `INVALID_ARGUMENT` where the input is neither a list nor holds one, and for an option that there is not.
 */
export function repair<T>(format: Format, input: T, options?: CheckOptions): Repaired<T>;

/**
 * How a message stands in the view: as it was pushed (`whole`), or otherwise.
 *
 * Tool outputs: `cut` as they entered, to what one may have; `truncated` to head and tail; `compressed` JSON; a `placeholder` with the
 * ref of the full text; a `pointer` to the same output further down. Any message: `shortened`, long texts lost their middle;
 * `media_trimmed`, images, documents or sounds became placeholders. An assistant's: `stripped` of its tool calls; `unbound`, without
 * thinking that its provider would refuse. The prompt: `merged`, later instructions stand in it.
 */
export type ItemForm =
  | "whole"
  | "cut"
  | "truncated"
  | "compressed"
  | "placeholder"
  | "pointer"
  | "shortened"
  | "media_trimmed"
  | "stripped"
  | "unbound"
  | "merged";

/**
 * Who decided: a pass, the caller (`compact`), or the engine: it brings back what has room again (`bring_back`), shortens where nothing
 * else is left (`shorten`), and drops thinking that is bound to what was edited.
 */
export type PassName = Pass["pass"] | "bring_back" | "shorten" | "compact" | "drop_bound_thinking";

/** A pass of a ladder of your own: with options, or by its name alone, with its defaults. */
export type LadderEntry = Pass | Exclude<Pass["pass"], "custom">;

/** A part of a view: `ledger` stands at the end of a summary. */
export type PartName =
  | "system"
  | "tools"
  | "retain"
  | "summary"
  | "ledger"
  | "user"
  | "assistant"
  | "reasoning"
  | "tool_calls"
  | "tool_outputs"
  | "memory"
  | "injections"
  | "skills";

/**
 * Your way to a model. It may throw or reject: nothing changes then, and its error is the `cause` of what is thrown; its message stands
 * in `report.summary.fallback`, in the decision and in the event `compaction_failed`, too (see `onFailure`).
 *
 * It must not wait for its own session: `compact()`, or `prepare()` over the limit, wait for its answer. Called before it first
 * awaits, they reject (`INVALID_ARGUMENT`); after that nobody can tell it from another caller, and only the `signal` given to that
 * call, or `free()`, ends its wait.
 */
export type Summarize = (
  request: SummaryRequest,
  options: { signal?: AbortSignal },
) => SummaryResponse | string | Promise<SummaryResponse | string>;

/** When and how a conversation is folded into a summary. */
export interface CompactionConfig {
  /** Default true. */
  enabled?: boolean | undefined;
  /** Default true; false: only when asked to. */
  auto?: boolean | undefined;
  /** threshold = limit × this. Above 0, at most 1; default 0.8. */
  thresholdRatio?: number | undefined;
  /** The summariser's model; default null: yours. */
  model?: string | null | undefined;
  /** Replaces the default summary prompt. */
  summaryPrompt?: string | undefined;
  /** Appended to the summary prompt as bullets; they replace nothing. */
  summaryDirectives?: string[] | undefined;
  /** Asks for a `<retain>` section; default null. */
  retainPrompt?: string | null | undefined;
  /** Appended to the retain prompt as bullets. */
  retainDirectives?: string[] | undefined;
  /** Turns that stay whole; default 1. All before them are folded, whatever room there is: more keeps more of the conversation. */
  retainLastTurns?: number | undefined;
}

/** The name of a preset: a document's list of passes, or (`"contextfold"`, the default) our own. */
export type PresetName = "contextfold" | "spec" | "rolling" | "steps-design" | "steps-execution" | "selective" | "ladder";

/**
 * What becomes of the items of a type: all go, the newest `keepRecent` stay, or none goes. `priority`: lowest first;
 * each type has a default.
 */
export type SelectiveRule =
  | { strategy: "DROP" | "NONE"; priority?: number | undefined }
  | { strategy: "TRUNCATE"; keepRecent: number; priority?: number | undefined };

/** A message as a pass of your own sees it. */
export interface CustomPassItem {
  /** The message's id, as in `session.messages`. */
  id: string;
  /** Who speaks. */
  role: "system" | "developer" | "user" | "assistant" | "tool";
  /** What the message is to the engine. */
  item_type: ItemType;
  /** The tool whose call it answers, where it is a tool output. */
  tool?: string;
  /** Tokens as it stands in the view. */
  tokens: number;
  /** How it stands in the view: whole, cut, as a placeholder … */
  form: ItemForm;
  /** How many answers of the model came after it. */
  age: number;
  /** It stands verbatim in every view. */
  pinned: boolean;
}

/** What a pass of your own decides, by ids. */
export interface CustomPassDecision {
  /** These leave the view. A step goes whole: name its call and all of its outputs. `session.messages` keeps them. */
  drop?: string[] | undefined;
  /** These tool outputs become placeholders. */
  trim?: string[] | undefined;
}

/** A pass of your own in a ladder. As a function it is not saved: give `ladder` again when you restore, else `report.notices` says so. */
export interface CustomPass {
  /** Always `"custom"`. */
  pass: "custom";
  /** What its decisions are told under. */
  name?: string | undefined;
  /**
   * Sees the messages behind the header, and decides at once (no promise). `overBy`: the tokens by which the view is over where a
   * compaction goes, in counted tokens. It is asked when a compaction is due. What it may not do (a pin, the newest user message, a part
   * of a step, a summary) is refused, by id, in the decision's `why`; where it throws, the decision says so and the next pass goes on.
   */
  run(view: { items: CustomPassItem[]; overBy: number }): CustomPassDecision | null | undefined | void;
}

/** A tool output that is about to become a placeholder. */
export interface TrimmedOutput {
  /** What opens it in the tool output cache, where the model has the tool for it. */
  ref: string | null;
  /** The tool's name; empty where its call is not known. */
  name: string;
  /** The arguments of the call. Where they are no JSON object (a custom tool's input, say), `input` is their text. */
  args: { [name: string]: unknown };
  /** Tokens of the whole output, as counted. */
  tokens: number;
}

/**
 * One way to make a view smaller, with its options. A list of them is a ladder: `prepare` runs them in order, each if it
 * is needed, and the report has a decision for each that did something. Whatever the list (but for one with `shrink_turns`), a
 * view that still exceeds its limit has its largest messages shortened from the middle as a last resort.
 */
export type Pass =
  /** Of ephemeral messages only the newest of their kind stay. */
  | { pass: "ephemeral" }
  /**
   * Placeholders for the oldest tool outputs where all of them exceed a budget in tokens; default that of `toolOutputCache`. A trim goes down
   * to `lowRatio` (0.5; 0 to 1) of the budget, so that the prompt cache keeps the view's beginning until the budget is full again; outputs of
   * the newest step go only where the budget itself demands it. With `waitForFold` (true; under `"spec"` false) it does nothing in a
   * view of 90 % of the threshold and more that a later pass is about to fold.
   */
  | { pass: "trim_tool_outputs"; budgetTokens?: number | null | undefined; lowRatio?: number | undefined; waitForFold?: boolean | undefined }
  /** Placeholders for the oldest images, documents and sounds beyond a budget smaller than the option `media`, which holds under every ladder. */
  | { pass: "trim_media"; maxImages?: number | null | undefined; maxBytes?: number | null | undefined; keepNewest?: number | null | undefined }
  /** Of identical tool outputs the newest stays; the older ones point to it. */
  | { pass: "dedupe_reads" }
  /** Yours. */
  | CustomPass
  /** Older steps stay, with their long texts cut to one level, down to the target. It stands behind `summarize`, which then folds only what does not fit so. */
  | { pass: "even_cut" }
  /**
   * Tool outputs above `maxTokens` (200) that are JSON lose what does not identify them, in a conversation of more than
   * `minMessages` (0; under `"rolling"` 10).
   */
  | { pass: "compress_json"; enabled?: boolean | undefined; maxTokens?: number | undefined; minMessages?: number | undefined }
  /** Tool outputs above `max` (5000) characters keep the first `head` (1000) and the last `tail` (1000). */
  | { pass: "truncate_head_tail"; max?: number | undefined; head?: number | undefined; tail?: number | undefined }
  /** Memory results leave the view: those of `setContext`, and messages of the type `MEMORY`. */
  | { pass: "drop_memory_results" }
  /** Placeholders for tool outputs before the last `protectTurns` (2) turns, if they give at least `minReclaimTokens` (0). */
  | { pass: "prune_tool_outputs"; protectTurns?: number | undefined; minReclaimTokens?: number | undefined }
  /**
   * The view is limited to the last turns, one fewer each time from `from` (default: all but one) down to `to` (1), until it
   * fits; each time from the untrimmed view, pruned as the pass before it prunes. A ladder with it acts at the limit, merges later
   * instructions into the base prompt, and ends in `CONTEXT_WINDOW_EXCEEDED` where the last turn alone is too large.
   */
  | { pass: "shrink_turns"; from?: number | null | undefined; to?: number | undefined }
  /** What `shrink_turns` left out becomes a summary, a system message `<summary>…</summary>`; `enabled` (true). */
  | { pass: "auto_compact"; enabled?: boolean | undefined }
  /** Exchanges before the last `keepSteps` (3) keep their user message and their last answer. */
  | { pass: "drop_old_tool_results"; keepSteps?: number | undefined }
  /** Items go by type, the least important type first, until the view is under its threshold. */
  | { pass: "selective"; rules?: { [T in ItemType]?: SelectiveRule } | undefined }
  /**
   * The newest messages within a budget: (window × `targetRatio` (0.6) − header) × `recentRatio` (0.65). Not at
   * `minMessages` (10) or fewer.
   */
  | { pass: "recent_window"; enabled?: boolean | undefined; minMessages?: number | undefined; targetRatio?: number | undefined; summaryRatio?: number | undefined; recentRatio?: number | undefined }
  /**
   * A summary that each later one extends: above `upperThreshold` (50000) tokens, down to `lowerThreshold` (30000); the
   * first from `minMessages` (20) messages on, each later one after `minNewMessages` (10) whose tokens exceed
   * `triggerRatio` (0.5) × the summary's.
   */
  | { pass: "rolling_summary"; upperThreshold?: number | undefined; lowerThreshold?: number | undefined; minMessages?: number | undefined; minNewMessages?: number | undefined; triggerRatio?: number | undefined }
  /**
   * Everything but the last turns becomes a summary. `keepTurns` (or `keepSteps`, the same in the steps document's word):
   * default `retainLastTurns`; `thresholdTokens`: default limit × `thresholdRatio`; `cutWithinTurn` (true): a retained
   * turn that is too large is folded in part.
   */
  | {
      pass: "summarize";
      keepTurns?: number | undefined;
      keepSteps?: number | undefined;
      layout?: "retain-summary-turns" | "ask-answer-steps" | "replace" | undefined;
      profile?: "default" | "design" | "execution" | undefined;
      thresholdTokens?: number | undefined;
      cutWithinTurn?: boolean | undefined;
    };

/** What `simulate` replays a transcript under. No model is asked and nothing is stored. */
export interface SimulateOptions extends Omit<SessionOptions, "ladder" | "summarize" | "store" | "onCost"> {
  /** The ladders to compare: presets' names, or lists of passes. Default: every preset. */
  presets?: (PresetName | LadderEntry[])[] | undefined;
  /** Definitions of the tools that the model is given, in any format: they count with every call. */
  tools?: unknown[] | undefined;
  /**
   * What tokens cost, before the built-in table: LiteLLM's table (`input_cost_per_token`, `cache_read_input_token_cost`, …), that
   * of models.dev (`cost`, in dollars per million), or one row of either, for whatever model.
   */
  prices?: object | undefined;
  /** The model whose price is taken; default: `model`. Unknown: `UNKNOWN_MODEL`. */
  priceAs?: string | undefined;
  /** Ids of messages (without one of its own, a message has its place's: `m1` is the first) that are pinned as soon as they are pushed. */
  pins?: string[] | undefined;
}

/** What one call cost, by `onCost`. */
export interface CallCost {
  /** US dollars. */
  dollars: number;
  /** The share of its input that the provider's prompt cache served, 0 to 1. */
  cached: number;
  /** It was to write a summary; a try whose answer was refused is paid for, too, and told. */
  summary: boolean;
  /** The model whose price it is; `null` where none is named and `prices` is one row for any. */
  model: string | null;
  /** What was reported; no cached token is counted twice. */
  usage: TokenUsage;
}

/** Options of a session; all have defaults. Unknown keys are refused with `INVALID_CONFIG`. */
export interface SessionOptions {
  /**
   * Looked up for its limits; unknown: `UNKNOWN_MODEL`, which names the nearest known model and the built-in table's date.
   */
  model?: string | undefined;
  /** A known model with the limits of `model`, for one that no table knows yet: `{ model: "claude-opus-9", assumeModel: "claude-opus-5" }`. */
  assumeModel?: string | undefined;
  /**
   * Tokens of the context window, where you know better than the table. It holds for every model from then on (a report's `notices`
   * say so where it is larger than the model's known one); `null` (in `setOptions`, `restore`, `load`, `fork`) takes it off again:
   * the model's own holds.
   */
  contextWindow?: number | null | undefined;
  /** Tokens of the window that are kept for the answer; default 0. */
  reservedOutputTokens?: number | undefined;
  /**
   * The share of the limit that passes leave free, 0 to below 1; default 0 with a counter that is exact for the model, else
   * 0.1, and less as reported usage (`calibrate`) proves the counter right.
   */
  safetyMargin?: number | undefined;
  /**
   * Learn from reported usage (default true): `recordUsage` sets the input tokens that the provider reports against those that
   * were counted for the view of the last `prepare` or `compact`. Limits and thresholds are held against counts times that
   * ratio (`report.counter.calibration`); views of under 500 tokens and sums over several calls teach nothing.
   */
  calibrate?: boolean | undefined;
  /** A LiteLLM table, a models.dev table, or `{ [model]: { max_input_tokens?, max_output_tokens?, max_tokens? } }`. */
  models?: object | undefined;
  /** How tokens are counted; default `"estimate"`. */
  tokenizer?: "estimate" | "bytes/4" | Encoding | ((text: string) => number) | undefined;
  /** When and how to fold. */
  compaction?: CompactionConfig & {
    /** In what shape the conversation goes to the summariser; default `"messages"`, under the ladder `"ladder"` `"transcript"`. */
    style?: "messages" | "transcript" | undefined;
    /**
     * `"continue"`: `request.as(format)` is the view as it was sent, entry by entry, with the tools of `setTools`, and the instruction
     * as the last user message. The provider finds all but that in its prompt cache, at a tenth of the price. It holds where the same
     * model is asked (`model` is null), nothing is redacted, the view fits the model's window, no call in it waits for its output, and
     * nothing in it looks like a tag of the answer; the tools are known to the session, or the view has no calls. Otherwise, and
     * under `"separate"`, the request has the conversation without tools. `request.continues` says which it is. Default:
     * `"continue"` under the ladder `"contextfold"` and a ladder of your own that cuts evenly, `"separate"` under the documents' presets.
     */
    request?: "continue" | "separate" | undefined;
    /** Tokens of the summariser's window; default: what a table says of `compaction.model`, else the session's limit. */
    summarizerWindow?: number | undefined;
    /**
     * How often a summary is asked for before it counts as failed; default 2. It is asked for again when the answer cannot be
     * used (the request then says why) and when `summarize` throws or rejects, but not when it was aborted.
     */
    maxAttempts?: number | undefined;
    /**
     * What happens then. `"extractive"`: the built-in extractive summariser stands in; where not even that is a gain, `prepare`
     * shortens messages as its last resort. `"error"`: a compaction rejects and has changed nothing; `prepare` goes on without a
     * summary where the view fits its limit all the same, and rejects where it does not. Either way `report.summary.fallback` and
     * the event `compaction_failed` say what failed. Default: `"extractive"` under the ladder `"contextfold"`, `"error"` under the
     * documents' presets and under a ladder of your own.
     */
    onFailure?: "error" | "extractive" | undefined;
    /**
     * Tokens that the carry-over ledger may take; 0: no ledger. It is what a summary leaves out, appended to it without a
     * model: the user's rules, what they asked for, open work, commands, error codes, ids, URLs, paths and refs of what was
     * folded, best first; it takes what it needs, and leaves at least an eighth of what the fold gains. Default: 30 % of
     * the room beside the header in a view of the size that the compaction aims at, which the names in marks of cut messages
     * share; 40 % for `prepare({ fill: true })` and `compactMessages`, of the room beside header, newest user message and last step,
     * less its first 300 tokens; and apart from that
     * the user's rules, as many as there is room for below that mark; lines of a paste (a message with more than twelve rules in
     * it) have no room of their own but a quarter of the facts'. Under the documents' presets (every one but `"contextfold"`):
     * 0, as their documents have none. A number given here holds under each, for the rules, too.
     * `report.summary.ledger_left_out` tells what found no room. Rules are the user's own words: in their messages, in what they
     * answer a tool that asks them (`ask_user`, `AskUserQuestion`, `ask_followup_question`, `request_user_input` and the like, by name),
     * and in system and developer messages in mid conversation. They are known by how an instruction is worded in English, German,
     * French, Spanish, Italian, Portuguese, Russian, Chinese, Japanese and Korean; what must not get lost whatever its words are
     * is for `pin` or `setHeader`.
     */
    ledgerTokens?: number | undefined;
    /**
     * The language that the summary is asked for in, as `"French"` or `"ja"`. Default `"auto"`: the user's. A summary in
     * another script is asked for again once more, and then taken; the report says so.
     */
    language?: "auto" | string | undefined;
    /**
     * Sees every text on its way to the summariser or into the ledger (addresses, titles, names, ids, keys of arguments and
     * `instructions`, too; not what base64 data holds), and gives it without what may not leave. It may be
     * called several times for a text. Where it throws, the compaction fails with `SUMMARY_FAILED`, and nothing changes.
     * It may not use the session, which is at work then: that throws `INVALID_ARGUMENT`. `null`: none, as without it; a session that
     * was saved with one is restored with one, or with `null`.
     */
    redact?: ((text: string) => string) | null | undefined;
    /**
     * Where a compaction aims: limit × this; below `thresholdRatio`; default 0.5. The default ladder fills a view up to it. A ladder without
     * `even_cut` folds whole turns, all but the last `retainLastTurns`, so that the view is often far below it.
     */
    lowRatio?: number | undefined;
    /** The share of a cut's target that is for whole messages, at the least: the newest steps. Default 0.5. */
    recentRatio?: number | undefined;
    /** The words around a summary that stands as a user message: a text with `{summary}`, and perhaps `{messages}` for "12 earlier messages". `null`: none. By default, under a ladder with `even_cut`, two lines that say what it is and who wrote it. */
    frame?: string | null | undefined;
    /**
     * Whose words a summary is. Default: a user message (data, not an instruction), and as their documents have it in the
     * presets `steps-*` (the assistant's answer) and `rolling` (a system message). `"assistant"`: the answer to a user message
     * that asks for it, so that no view begins with the assistant. `"system"` only with the ladders `rolling` and `ladder`,
     * fenced; elsewhere `INVALID_CONFIG`, for what stands in a system message instructs, and a summary may repeat what a tool's
     * output said.
     */
    summaryRole?: "user" | "assistant" | "system" | undefined;
    /**
     * Ask for a summary ahead of time, while the talk goes on; default false. From limit × `atRatio` on (below
     * `thresholdRatio`; default 7/8 of it), `push`, `recordUsage` and `prepare` ask `summarize` without anybody waiting. When
     * the answer has come, the next `prepare`, `checkAndCompact`, `compact` or hook of the agent loop puts the fold in; until
     * then the view is as it was, and what was pushed meanwhile stands after the fold. A `prepare` whose view exceeds the
     * limit waits for it. A failure is told by `compaction_failed` and changes nothing; it is tried again after 8 new
     * messages, 16 after the next failure, up to 128. Where what it stands for was rewritten meanwhile, it is dropped, and
     * the report says so. `options.signal` fires when the session is freed. Without `summarize` there is nothing to wait for:
     * nothing is done ahead.
     */
    background?: boolean | { atRatio?: number | undefined } | undefined;
  } | undefined;
  /** How tool outputs are kept and cut. */
  toolOutputCache?: ToolOutputCacheConfig & {
    /**
     * Bytes of full tool outputs that stay in memory; default: all. Beyond it the oldest are moved to the `store`, which has to be
     * given then, and `read`, `grep` and `get` fetch them from there. What the view shows whole stays.
     */
    memoryBytes?: number | null | undefined;
    /**
     * Milliseconds that a search of the model's may take in all (`toolOutputs.grep`, `searchAsync`); default 2000. It works in short
     * slices, with the event loop free in between, and answers at the end with what it has found, and where it stopped.
     */
    searchMs?: number | undefined;
    /**
     * Writes what stands in the view for an output that was trimmed; default: what was run, on what, and how large its output was.
     * `ref` is set where the model has the tool that opens it. It must be a function of what it is given: it is called again for the
     * same output, and its text is saved with the view. A text that takes more than the output is not put in. Where it throws, or gives
     * no text, the default stands, and `report.notices` says why. As a function it is not saved: give it again when you restore.
     */
    placeholder?: ((trimmed: TrimmedOutput) => string) | null | undefined;
  } | undefined;
  /** The provider's prompt cache: it keeps what nobody asks for `lifeMs` milliseconds (300,000). `prepare({ idleMs })` goes by it. */
  promptCache?: { lifeMs?: number | undefined } | undefined;
  /** Messages and summaries that the history may have; default 1,000,000. Beyond it `push` throws `SAFETY_LIMIT_EXCEEDED`. */
  maxNodes?: number | undefined;
  /**
   * How many images, documents and sounds a request may hold; default: what the provider of `model` publishes (Claude: 100 images,
   * 32 MB, 5 MB and 8,000 pixels an image; OpenAI: 500 images, 50 MB; Gemini: 900 images, 20 MB), and no limit without a known `model`.
   * `null` takes a limit off. What is too much becomes a placeholder with a ref, the oldest first, in every ladder and at once; the report's
   * decision is called `trim_media`. Pinned messages and the newest user message keep theirs. With a larger budget, and by a pin, it comes
   * back. A refusal that `recover` is told changes these figures, and no limit in tokens.
   */
  media?: {
    /** Images in a request. */
    maxImages?: number | null | undefined;
    /** Bytes of all media, as they are sent: base64. */
    maxBytes?: number | null | undefined;
    /** So many of the newest images stay when a limit is passed; default three quarters of it, so that not every new image changes the view. */
    keepNewest?: number | null | undefined;
    /** Bytes of one image, as it is sent. */
    maxImageBytes?: number | null | undefined;
    /** Pixels of an image's longer side, as far as its data tells. */
    maxImageSide?: number | null | undefined;
  } | undefined;
  /**
   * What tokens cost: a table as `simulate` takes it, so that one object holds the options of both. Default: the built-in list prices.
   * What an edit costs the prompt cache (`decision.cache`) and `onCost` go by it.
   */
  prices?: object | undefined;
  /**
   * Hears what each call cost, once its usage is known: of the agent's calls by `recordUsage`, `afterModelCall`, `loop()` and the SDK
   * hooks, of a summary by the `usage` in the answer of `summarize`. A hook does not tell of a call that went by it (it failed and let
   * the agent go on, or the service holds the conversation) or whose usage is below half of what was counted, as a mock's is. The price of the model has to be known, by `prices` or the
   * built-in table: otherwise options are refused with `INVALID_CONFIG`. What it throws is said on the console. `null` takes it off.
   */
  onCost?: ((cost: CallCost) => void) | null | undefined;
  /**
   * Newer Anthropic models refuse a thinking block after any edit of what stands before it. `"drop"`: the view leaves out thinking
   * behind an edit (a fold, a trim, a cut), and the report says so; `"keep"`: it stays, for requests that ask the API to drop it
   * (`thinking.block_binding.prefix_mismatch_behavior: "drop_block"`); `"auto"` (default): `"drop"` for a `model` that is known to
   * bind its thinking, else `"keep"`.
   */
  boundThinking?: "auto" | "drop" | "keep" | undefined;
  /** The passes that `prepare` runs: a preset, or a list of your own; default `"contextfold"`. See `presets`. */
  ladder?: PresetName | LadderEntry[] | undefined;
  /** A clock, for the time in `summaryState`; default none: then nothing depends on the time. */
  now?: (() => number) | undefined;
  /** Your way to a model; default: `extractiveSummarize()`, which needs none. */
  summarize?: Summarize | undefined;
  /** Where tool outputs go beyond `toolOutputCache.memoryBytes`; `Session.load` gives its own. */
  store?: Store | undefined;
  /**
   * Freeze objects that are pushed (`push`, `pushFrom`, `sync`), with all that they hold (default false). They are handed out again as they are, so that a later
   * change of one is a mistake: in strict mode, as in every module, it throws then.
   */
  freezeInputs?: boolean | undefined;
}

/**
 * A key-value store: an `unstorage` instance is one as it is, `localStorage` behind promises nearly. Bytes go by `setItemRaw` and
 * `getItemRaw` where both are there, and else as base64 text. Items are named `KEY:head`, `KEY:v:VERSION`, `KEY:s:SEGMENT`, `KEY:lease` and
 * `contextfold:output:HASH`. The stores of `contextfold/stores/…` are stores, too, and promise more: see docs/stores.md.
 */
export interface Store {
  /** What is stored under a key; `null` or `undefined` where there is nothing. */
  getItem(key: string): Promise<unknown>;
  /** Stores a text. */
  setItem(key: string, value: string): Promise<unknown>;
  /** Takes an item out. */
  removeItem(key: string): Promise<unknown>;
  /** What is stored under a key, as bytes. */
  getItemRaw?(key: string): Promise<unknown>;
  /** Stores bytes. */
  setItemRaw?(key: string, bytes: Uint8Array): Promise<unknown>;
  /** All keys that begin so. */
  getKeys?(prefix?: string): Promise<string[]>;
  /**
   * Stores `next` if `expected` is what is there (`null`: nothing), in one step; whether it did. `ttlMs`: it may be gone after so
   * many milliseconds. Without it, two processes that save at the same instant may both succeed, and the later one stays.
   */
  compareAndSet?(key: string, expected: string | null, next: string, options?: { ttlMs?: number }): Promise<boolean>;
}

/** How `Session.restore` reads a snapshot. */
export interface RestoreOptions extends SessionOptions {
  /** Where the snapshot stands: `session.position` when it was taken. */
  position?: number | undefined;
  /**
   * The records behind it, oldest first: what `session.changes` gave. Where the last one was not written to its end, it is left out, and
   * `report.notices` say so.
   */
  changes?: Uint8Array | readonly Uint8Array[] | undefined;
}

/** What stands in a prompt beside the conversation. What is left out stays as it was; `null` clears it. */
export interface ContextPartsInput {
  /** Texts that a memory search found, best first. */
  memory?: string[] | null | undefined;
  /** At most so many of them are shown; default 5. */
  memoryLimit?: number | null | undefined;
  /** Messages of your own, without calls and tool outputs. */
  injections?: Message[] | null | undefined;
  /** What the agent can do; other keys are not looked at. */
  skills?: { name: string; description?: string | null | undefined; location?: string | null | undefined }[] | null | undefined;
  /** Which tools of `setTools` the model is given, by name. It may not change the session. */
  toolFilter?: ((name: string) => boolean) | null | undefined;
}

/** What a compaction would do. Every message of the view is in one of the three lists. */
export interface Plan {
  /** Ids of what the summary would stand for; earlier summaries among them. */
  readonly folded: string[];
  /** Ids of what would stand in the view as it stands now. */
  readonly kept: string[];
  /** Ids of what passes would show shorter, or leave out. */
  readonly trimmed: string[];
  /** What `summarize` would be asked; null where nothing would be folded, and where there is no `summarize`. */
  readonly request: SummaryRequest | null;
  /** Tokens of the view. */
  readonly tokens_before: number;
  /** Tokens that it would have with a summary as long as the extractive summariser's. */
  readonly tokens_after_estimate: number;
  /**
   * Does it. Messages that were pushed since stand behind; after any other change, its own application among them, it is
   * stale. Not to call it is the veto.
   *
   * @param options `keep`: ids of messages that are to stay as they are; `fold`: ids of messages to fold in addition. A step (a
   * call and its output) stays or goes as a whole.
   * @throws {ContextError} `STALE_PLAN`; `INVALID_ARGUMENT` that names the message, for one that cannot stay or be folded: the
   * header, pins, the newest user message, calls that are being executed, what is folded already; and as `prepare`.
   */
  apply(options?: { signal?: AbortSignal | undefined; keep?: string[] | undefined; fold?: string[] | undefined }): Promise<Report>;
}

/** A view that fits, and what was done to it. */
export interface Prepared {
  /**
   * The view in the package's own format, with keys of its own (`id`, `output_ref`, …). To send it: `session.view(format)`. It is
   * written when it is first read: before the session is freed, for after `free()` it says `FREED`.
   */
  messages: Message[];
  /** What was done, in order, and what it left out. */
  report: Report;
}

/**
 * What `session.loop()` gives: run your own functions through it. What they give or throw is handed on. A compaction
 * that fails in between costs nothing but itself: `compaction_failed` and `session.report` tell of it.
 */
export interface AgentLoop {
  /** Runs a model call; the `usage` of what it gives is recorded. */
  modelCall<T>(run: () => T | Promise<T>): Promise<T>;
  /** Runs tools. */
  toolExecution<T>(run: () => T | Promise<T>): Promise<T>;
  /** Runs what makes the final answer. */
  finalAnswer<T>(run: () => T | Promise<T>): Promise<T>;
}

/**
 * An exact encoding, as `loadEncoding` gives it: token for token what tiktoken gives for the same text as ordinary text
 * (`<|endoftext|>` is thirteen characters, not a special token; a lone surrogate counts as U+FFFD). All sessions of a
 * page share it; it is never freed.
 */
export interface Encoding {
  /** As `o200k_base`. */
  readonly name: string;
  /** Tokens of the text. */
  count(text: string): number;
  /**
   * Tokens of the text if they are at most `limit`, else null: stops where the limit is passed.
   * @throws {ContextError} `INVALID_ARGUMENT` for a limit that is no number of at least 0.
   */
  countUpTo(text: string, limit: number): number | null;
  /** The tokens of the text, `count(text)` of them. */
  encode(text: string): Uint32Array;
  /**
   * The text of tokens; a cut through a character becomes U+FFFD.
   * @throws {ContextError} `INVALID_ARGUMENT` for a number that is no ordinary token of the encoding.
   */
  decode(tokens: Uint32Array): string;
}

/** An encoding that the package brings. */
export type EncodingName = "o200k_base" | "cl100k_base" | "o200k_harmony" | "p50k_base" | "p50k_edit" | "r50k_base" | "gpt2";

/** How large a `ContextGraph` may grow: the defaults protect a browser tab. */
export interface ContextGraphOptions {
  /** Nodes, summaries among them; default 1,000,000. */
  maxNodes?: number | undefined;
  /** Edges, those that folds re-lay not counted; default 4,000,000. */
  maxEdges?: number | undefined;
  /** Nodes in one view; default 200,000. */
  maxContextNodes?: number | undefined;
}

/**
 * What an edge says: the second comes after the first (`sequence`) or needs it (`dependency`), both blocking; or the second
 * begins a lane that was forked off at the first, or is what came back from such a lane (`branch`).
 */
export type EdgeKind = "sequence" | "dependency" | "branch";

/** A node that is to be added. */
export interface GraphNodeInput {
  /** Unique in the graph; made (`n1`, `n2`, …) where it is left out. */
  id?: string | undefined;
  /** What it is. */
  type: NodeType;
  /** Its lane, which is opened where there is none of this name; default `"main"`. */
  lane?: string | undefined;
  /** How far its work has come; default `"finished"`. */
  state?: NodeState | undefined;
  /** What it says; or else a `message`. */
  content?: Content | undefined;
  /** What it says as a message, of the role that its type has: `user`, `assistant`, `tool`, `system`, `developer`. */
  message?: Message | undefined;
  /** What it comes after; default: the lane's last node, or where the lane was forked off. `[]`: nothing. */
  after?: string | string[] | undefined;
}

/** A node of a `ContextGraph`. */
export interface GraphNode {
  /** Unique in the graph; `fold_1`, `fold_2`, … for summaries that `compress` made. */
  id: string;
  /** What it is. */
  type: NodeType;
  /** Its lane. */
  lane: string;
  /** How far its work has come. */
  state: NodeState;
  /** What it says, where it was given so. */
  content?: Content;
  /** What it says, where it was given as a message. */
  message?: Message;
  /** Where a fold hides it: how many nodes had entered by then. It is the graph's own time, for the engine has no clock. */
  compressed_at?: number;
  /** The summary that hides it; the innermost where folds were folded. */
  compressed_by?: string;
  /** What a run wrote down about it, as its `context_cost`. */
  metadata?: { [key: string]: unknown };
}

/** An edge of a `ContextGraph`. */
export interface GraphEdge {
  /** The id it leads from. */
  from: string;
  /** The id it leads to. */
  to: string;
  /** What it says. */
  kind: EdgeKind;
  /** Where a fold hides it: how many nodes had entered by then. */
  compressed_at?: number;
  /** A fold laid it in place of one that it hides. */
  relaid?: true;
}

/** What is known of a request beside its list. A request body says some of it itself. */
export interface CheckOptions {
  /** The history before it was changed: allows the checks that need it (lost reasoning, changed thinking, order). */
  original?: unknown;
  /** Who answers: `"openai"`, `"anthropic"`, `"deepseek"`, `"mistral"`, `"gemini"`, …; default: the format's own provider. */
  provider?: string | undefined;
  /** The last calls are still being executed; default false. */
  pending?: boolean | undefined;
  /** The provider keeps the conversation (`previous_response_id`, `conversation`): outputs may answer calls that are not here. */
  stateful?: boolean | undefined;
  /** Whether the Responses API stores items (`store`); it does by default. */
  store?: boolean | undefined;
  /** Anthropic's `thinking.type`. */
  thinking?: "enabled" | "adaptive" | "disabled" | undefined;
  /** The model binds thinking to what stands before it: a mismatch is an error then, else a warning. */
  bound?: boolean | undefined;
}

/** A mended history. */
export interface Repaired<T = unknown> {
  /** The list, or the body with its list mended. */
  output: T;
  /** What was done, in the order of the list. */
  changes: RepairChange[];
}

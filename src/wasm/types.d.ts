/** The content of a message: a text, or a list of parts. */
export type Content = string | Part[];

/** A part of a message. Media have a `url`, or `data` in base64 with its `media_type`, or a provider's `file_id`. */
export type Part =
  | { type: "text"; text: string }
  /** `width` and `height` are in pixels. If they are given, tokens are counted from them. */
  | { type: "image"; url?: string | undefined; data?: string | undefined; media_type?: string | undefined; file_id?: string | undefined; detail?: "auto" | "low" | "high" | undefined; width?: number | undefined; height?: number | undefined }
  | { type: "document"; url?: string | undefined; data?: string | undefined; media_type?: string | undefined; file_id?: string | undefined; filename?: string | undefined }
  | { type: "audio"; url?: string | undefined; data?: string | undefined; media_type?: string | undefined; file_id?: string | undefined; filename?: string | undefined }
  /** What the model said when it refused to answer. */
  | { type: "refusal"; refusal: string }
  /**
   * The model's reasoning: readable (`text`), as summaries (`summary`), or closed (`encrypted`, `redacted`). `signature` and `id` are
   * the provider's. All of it is sent back unchanged.
   */
  | { type: "reasoning"; text?: string | undefined; summary?: string[] | undefined; signature?: string | undefined; encrypted?: string | undefined; id?: string | undefined; redacted?: boolean | undefined }
  /** Something this package does not understand. It keeps its position and is sent back unchanged. */
  | { type: "opaque"; format: Format; raw: unknown };

/** A tool call of the model. `arguments` is JSON text, exactly as the model wrote it. */
export type ToolCall =
  | { id: string; type: "function"; function: { name: string; arguments: string } }
  | { id: string; type: "custom"; custom: { name: string; input: string } }
  /** Any other kind of call, exactly as the provider sent it. */
  | { id: string; type: "opaque"; format: Format; raw: unknown };

/** Fields that a message can have beside its content. */
export interface Meta {
  /**
   * Unique in a session. If you leave it out, `push` generates one (`m1`, `m2`, …) and returns it; views do not write it into your message.
   * `items()` lists the ids of the view in order. `session.graph.nodes()` has the message of every id that folds, plans and reports name.
   */
  id?: string | undefined;
  /** Used by passes that act by type. Default: derived from the role. */
  item_type?: ItemType | undefined;
  /** Reported by `items()`. No built-in pass uses it: `selective` takes priorities by type from its rules. */
  priority?: number | undefined;
  /** How many messages of its kind stay in the view, the newest first; `true` means 1. */
  ephemeral?: boolean | number | undefined;
  /** Always stays in the view, unchanged. */
  pinned?: boolean | undefined;
  /** Fields of a provider's format that this package has no name for, by format. */
  extras?: { [format: string]: object } | undefined;
}

/** One entry of a conversation: the shape of Chat Completions, extended so that it can hold entries of every format. */
export type Message = Meta &
  (
    | { role: "system" | "developer" | "user"; content: Content }
    | { role: "assistant"; content?: Content | null | undefined; tool_calls?: ToolCall[] | undefined }
    | { role: "tool"; tool_call_id: string; content: Content; output_ref?: ToolOutputRef | undefined; is_error?: boolean | undefined }
  );

/**
 * The types of entries, by format. It is empty because this package does not depend on any provider's SDK. Importing `contextfold/openai`,
 * `/anthropic`, `/ai-sdk`, `/google` or `/bedrock` fills in the types of that SDK. If you use none of them, declare your types once, and
 * views need no cast:
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

/** The type of an entry in a format's list: the one declared in `EntryTypes`, else `object`. */
export type EntryOf<F extends string> = F extends keyof EntryTypes ? EntryTypes[F] : object;

/**
 * Definitions of the tools `tool_output_cache`, `tool_output_cache_grep` and `search_history`, ready to hand to a model in this
 * format. When the model calls one, `runTool(session, name, args)` of `contextfold/tools` executes it; so do
 * `session.toolOutputs.read(args)`, `session.toolOutputs.grep(args)` and `session.search(args.query, args)`. See `EntryTypes` for
 * an SDK's own types.
 *
 * @throws {ContextError} `INVALID_ARGUMENT` for an unknown format.
 */
export function toolDefinitions<F extends Format>(format: F): EntryOf<`${F}-tool`>[];

/** The return type of `session.view(format)`. */
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
   * for `anthropic` and `bedrock-converse`, `{ systemInstruction?, contents }` for `gemini`, else an array. Entries that were pushed in
   * that format come out as the very same objects (`===`), unless a pass changed them or they had to be joined (in `messages`, a tool
   * message is a copy that carries `output_ref`). The list is yours: the session never changes it afterwards. See `EntryTypes` for an
   * SDK's own types.
   *
   * In `bedrock-converse`, bytes can be `Uint8Array`, as in its SDK, or base64 text, as in the HTTP API: they come out as you pushed
   * them. Media that were pushed in another format come out as `Uint8Array`.
   *
   * Entries that were pushed in another format may contain something that this format cannot express (audio for Anthropic, the
   * `is_error` of a failed output in Chat Completions). It is left out or expressed differently, and `onNote` is called for each such
   * case, every time you call `view`.
   *
   * `cacheMarks` (0 to 4; default 0) is for `"anthropic"` and `"bedrock-converse"`. It sets up to that many `cache_control` marks, or
   * `cachePoint` blocks, at the ends of parts that stay the same from call to call, in this order: the view, the step before the
   * newest, the newest summary, the system prompt (which covers the tools before it). Marks are set in copies of the entries. Your own
   * marks stay and count: a view never has more than the four that the API takes. No mark is set if there are fewer than 1,024 tokens
   * before it, or if there is one already. `session.cacheMarks` lists what they cover. A summary request that continues from the whole
   * view (`request.as("anthropic")`) has the same number of marks; if only the view's beginning fits, only the system prompt has one.
   *
   * @throws {ContextError} `INVALID_ARGUMENT` for an unknown format, and for `cacheMarks` out of range or in another format. An error
   * thrown by `onNote` is passed on.
   */
  view<F extends Format>(format: F, options?: { onNote?: (note: ViewNote) => void; cacheMarks?: number | undefined }): ViewOf<F>;

  /** A short status of the session, as `console.log` shows it. To save a session, use `snapshot()`. */
  toJSON(): { messages: number; turns: number; tokens: number; limit: number | null; folds: number } | { code: ErrorCode };
}

/** A cache mark that `view(format, { cacheMarks })` set: a `cache_control`, or a `cachePoint` block in `bedrock-converse`. */
export interface CacheMark {
  /** The part that ends at the mark: the system prompt, the newest summary, the step before the newest, or the view. */
  part: "system" | "summary" | "step" | "end";
  /** Tokens from the beginning of the view (tool definitions included) to the mark. */
  tokens: number;
}

/** Something in the view that its format cannot express as it is. */
export interface ViewNote {
  /** The id of the message, as in `items()`. If several messages were joined into one entry, the first. */
  id: string;
  /** What was left out or expressed differently. */
  what: string;
}

/**
 * What `request.as(format)` returns: a request body. Temperature and output limit, if the request has them, are under the format's
 * names (`max_completion_tokens` for `openai-chat`: rename it if your host only knows `max_tokens`). It also has the tools and a tool
 * choice where the prompt cache or the API requires them, so spread it into your request whole. See `EntryTypes` for an SDK's own types.
 */
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

/** A request for a summary: the only thing the engine asks a model for. */
export interface SummaryRequest {
  /** `compaction.model`; `null` means the model that you use anyway. */
  model: string | null;
  /** The text of the header (the system prompt). */
  system?: string;
  /** The conversation, followed by one user message with the instructions. */
  messages: Message[];
  /** Always `null`: a summary needs no tools. `as(format)` has them where the prompt cache or the API requires them. */
  tools: null;
  /** `as(format)` is the view as it is sent, with the tools, followed by the instructions. See `compaction.request`. */
  continues: boolean;
  /** Whether the session's tools include `tool_output_cache`, which opens refs of tool outputs. If not, summaries name no refs. */
  names_refs: boolean;
  /** The most tokens that the answer may have. */
  max_tokens?: number;
  /** The size that the instructions ask for, in tokens: the room there is for the summary. */
  aim_tokens?: number;
  /** Set if the profile needs one. If unset, use your own. */
  temperature?: number;
  /** `"messages"`: the messages themselves. `"transcript"`: one user message with the conversation in a fence. */
  style: "messages" | "transcript";
  /**
   * Why it was requested: the threshold was reached, you called `compact`, a pass of the ladder asked, this is a piece of a long
   * conversation (`"chunk"`), an answer was refused (`"retry"`), or `recover` was called.
   */
  reason: "threshold" | "manual" | "ladder" | "chunk" | "retry" | "recover";
  /** Tokens of the whole request, as counted. */
  input_tokens: number;
  /** The expected answer: prose in `<summary>` tags, or the JSON of one of the steps profiles in `<compact_summary>` tags. */
  profile: "default" | "design" | "execution";
  /** Positions in `messages` of those that stay in the view next to the summary. */
  kept: number[];
  /** The request as a body for the format's API. Add the model and whatever else you need. */
  as<F extends Format>(format: F): SummaryBody<F>;
}

/** A model's answer to a `SummaryRequest`, with what the provider reports about it. */
export interface SummaryResponse {
  /** `<retain>…</retain><summary>…</summary>`. Text without tags counts as the summary. `null`, as SDKs return it, is an empty summary. */
  text: string | null;
  /** The provider's usage object. */
  usage?: unknown;
  /**
   * Why the model stopped, in the provider's word. Only words for a normal stop are accepted (`stop`, `end_turn`, `stop_sequence`,
   * `completed`, `COMPLETE`, `eos` …). With any other word, the summary is refused as cut off (`SUMMARY_TRUNCATED`). Leave it out if
   * it is not known.
   */
  finish_reason?: string | null | undefined;
  /**
   * A compaction that the provider made itself, as entries that only its own format takes (`providerCompaction` of
   * `contextfold/anthropic` and `contextfold/openai` returns it). Views of that format begin with these entries, unchanged, in place of
   * the text, with the ledger next to them. Views of other formats have the text; if `text` is `null`, the engine writes it.
   * If something else comes before the summary (a retained text, a compaction that was already in the history), or if the
   * conversation was summarised in pieces, every format has the text, and `report.summary.fallback` says so.
   */
  compaction?: { format: "anthropic" | "openai-responses"; entries: object[] } | undefined;
}

/**
 * What `convert` returns: a list; or `{ system, messages }` (`anthropic`, `bedrock-converse`), `{ instructions, input }`
 * (`openai-responses`) or `{ systemInstruction, contents }` (`gemini`) if there is something outside the list. If both formats are the
 * same, the input itself.
 */
export type Converted<F extends Format> = F extends "openai-responses"
  ? EntryOf<F>[] | { instructions: string; input: EntryOf<F>[] }
  : F extends "anthropic"
    ? EntryOf<F>[] | { system: string | EntryOf<"anthropic-system">[]; messages: EntryOf<F>[] }
    : F extends "gemini"
      ? EntryOf<F>[] | { systemInstruction: EntryOf<F>; contents: EntryOf<F>[] }
      : F extends "bedrock-converse"
        ? EntryOf<F>[] | { system: EntryOf<"bedrock-converse-system">[]; messages: EntryOf<F>[] }
        : F extends "messages"
          ? Message[]
          : EntryOf<F>[];

/**
 * Converts a history to another format. The input is a list, one entry, a request body or a response, as the provider's SDK has it.
 *
 * Calls and outputs keep their ids and stay paired. What the other format cannot express is left out or expressed differently, and
 * `onNote` is called for each such case. A valid history stays valid: if the other format's rules need another order, entries are
 * moved, and a note says so. A history that breaks the rules of its own format is converted as it is.
 *
 * The output is a list; or `{ system, messages }` (`anthropic`, `bedrock-converse`), `{ instructions, input }` (`openai-responses`) or
 * `{ systemInstruction, contents }` (`gemini`) if there is something outside the list. If both formats are the same, the output is the
 * input itself.
 *
 *
 * ```js
 * import { convert } from "contextfold";
 *
 * const notes = [];
 * const body = convert("openai-chat", "anthropic", messages, { onNote: (note) => notes.push(note) });
 * // { system: [{ type: "text", text: "You are …" }], messages: [{ role: "user", content: "Why does the build fail?" }] }
 * ```
 * @throws {ContextError} `INVALID_MESSAGE` with the index of a malformed entry; `INVALID_ARGUMENT` for an unknown format, and if
 * the other format cannot express any of the history.
 */
export function convert<F extends Format>(from: Format, to: F, input: unknown, options?: { onNote?: ((note: ConversionNote) => void) | undefined }): Converted<F>;

/**
 * Repairs a history that its provider would refuse, and reports what was done: outputs without a call are removed, calls without an
 * output get a placeholder that says so, duplicates are removed, and entries in the wrong position are moved.
 *
 * `output` has the shape of the input: a list, or the body with its list repaired. If the input is a response that holds a single
 * message, `output` is the repaired list. A history without errors is returned as the very same object, with no changes.
 *
 * ```js
 * import { repair } from "contextfold";
 *
 * const { output, changes } = repair("anthropic", messages);
 * for (const { index, rule, what } of changes) console.warn(`message ${index}: ${what} (${rule})`);
 * ```
 * @param options As for `check`. `pending`: the last calls are still being executed and stay open.
 * @throws {ContextError} `INVALID_ARGUMENT` if the input is not a list and contains none, and for an unknown option.
 */
export function repair<T>(format: Format, input: T, options?: CheckOptions): Repaired<T>;

/**
 * The form a message has in the view: as it was pushed (`whole`), or changed.
 *
 * Tool outputs: `cut` when they were pushed, to the most that one output may have; `truncated` to head and tail; `compressed` JSON; a
 * `placeholder` with the ref of the full text; a `pointer` to the same output further down. Any message: `shortened` (long texts lost
 * their middle); `media_trimmed` (images, documents or audio became placeholders). Assistant messages: `stripped` of their tool
 * calls; `unbound` (without thinking that the provider would refuse). The system prompt: `merged` (later instructions were added to it).
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
 * What made a change: a pass, the caller (`compact`), or the engine. The engine cuts tool outputs to the most that one may have when
 * they are pushed (`cut_tool_outputs`), brings back what fits again (`bring_back`), shortens messages as a last resort (`shorten`), and
 * drops thinking that depends on edited content (`drop_bound_thinking`).
 */
export type PassName = Pass["pass"] | "cut_tool_outputs" | "bring_back" | "shorten" | "compact" | "drop_bound_thinking";

/** A pass in a ladder of your own: an object with options, or only its name for the defaults. */
export type LadderEntry = Pass | Exclude<Pass["pass"], "custom">;

/** A part of a view. `ledger` is the list at the end of a summary. */
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
 * Your function that calls a model. It may throw or reject: then it is called once more (`maxAttempts`), at once, with the same request
 * (with a smaller one if the model found it too long). So after a 429, let it wait before it throws, unless your client does. After the
 * last attempt, `onFailure` applies. If that leads to an error, its `cause` is what your function threw. The message of that is also in
 * `report.summary.fallback`, in the decision and in the event `compaction_failed` (see `onFailure`).
 *
 * It must not wait for its own session: `compact()`, and `prepare()` over the limit, wait for its answer. If it calls them before
 * its first `await`, they reject (`INVALID_ARGUMENT`). After its first `await`, its calls look like anybody's: they wait forever, unless
 * their `signal` fires or the session is freed.
 */
export type Summarize = (
  request: SummaryRequest,
  options: { signal?: AbortSignal | undefined },
) => SummaryResponse | string | Promise<SummaryResponse | string>;

/** When and how old parts of a conversation are replaced by a summary ("folded"). */
export interface CompactionConfig {
  /** Default true. */
  enabled?: boolean | undefined;
  /** Default true. If false, the conversation is compacted only when you ask for it. */
  auto?: boolean | undefined;
  /** threshold = limit × this. Above 0, at most 1; default 0.8. */
  thresholdRatio?: number | undefined;
  /**
   * The model that writes summaries; default null: the one you use anyway. Name it if your `summarize` calls another one: its costs, its
   * context window and the form of the request depend on it.
   */
  model?: string | null | undefined;
  /** Replaces the default summary prompt. */
  summaryPrompt?: string | undefined;
  /** Added to the summary prompt as bullets; they replace nothing. */
  summaryDirectives?: string[] | undefined;
  /** Asks for a `<retain>` section: text that is kept beside the summary. Default null. */
  retainPrompt?: string | null | undefined;
  /** Added to the retain prompt as bullets. */
  retainDirectives?: string[] | undefined;
  /**
   * How many of the last turns `compact()`, and ladders without `even_cut`, keep whole; default 1. The default ladder folds only what does
   * not fit.
   */
  retainLastTurns?: number | undefined;
}

/** A fold, as `session.folds()` lists it. */
export type Fold = FoldInfo;

/**
 * The name of a preset, a list of passes. `presets` has them as plain data.
 *
 * - `"contextfold"` (the default) cuts the long texts of older steps evenly, and folds only what still does not fit.
 * - `"spec"` trims tool outputs to a budget, and folds everything but the last turns.
 * - `"rolling"` shortens JSON, keeps one summary that each later one extends, and keeps the newest messages within a budget.
 * - `"steps-design"` and `"steps-execution"` keep only the user message and the last answer of older turns, fold everything but the
 *   last 3 or 5 turns (above 150,000 or 700,000 tokens) into a summary in JSON, and keep head and tail of long tool outputs.
 * - `"selective"` removes messages by type, and replaces the whole conversation with a summary if that is not enough.
 * - `"ladder"` acts only at the limit: it leaves out memory results, prunes older tool outputs, limits the view to the last turns, and
 *   summarises what that left out.
 */
export type PresetName = "contextfold" | "spec" | "rolling" | "steps-design" | "steps-execution" | "selective" | "ladder";

/**
 * What happens to the items of a type: all are removed (`DROP`), the newest `keepRecent` stay (`TRUNCATE`; by default 3 tool outputs,
 * 5 items of any other type), or all stay (`NONE`). Types with a lower `priority` are removed first; each type has a default.
 */
export type SelectiveRule =
  | { strategy: "DROP" | "NONE"; priority?: number | undefined }
  | { strategy: "TRUNCATE"; keepRecent?: number | undefined; priority?: number | undefined };

/** A message as a custom pass receives it. */
export interface CustomPassItem {
  /** The message's id, as in `session.messages`. */
  id: string;
  /** The message's role. */
  role: "system" | "developer" | "user" | "assistant" | "tool";
  /** The message's type. */
  item_type: ItemType;
  /** For a tool output: the name of the tool that was called. */
  tool?: string;
  /** Tokens that it has in the view. */
  tokens: number;
  /** Its form in the view: whole, cut, a placeholder … */
  form: ItemForm;
  /** How many assistant messages came after it. */
  age: number;
  /** Whether it is pinned: always in the view, unchanged. */
  pinned: boolean;
}

/** What a custom pass decides, by message id. */
export interface CustomPassDecision {
  /** Messages to leave out of the view. A step must go whole: name its call and all of its outputs. `session.messages` keeps them. */
  drop?: string[] | undefined;
  /** Tool outputs to replace with placeholders. */
  trim?: string[] | undefined;
}

/** A pass of your own in a ladder. Functions are not saved: pass `ladder` again when you restore, or `report.notices` reminds you. */
export interface CustomPass {
  /** Always `"custom"`. */
  pass: "custom";
  /** The name in its decisions. */
  name?: string | undefined;
  /**
   * Called when a compaction is due, with the messages after the header. It must decide synchronously (no promise). `overBy`: by how
   * many counted tokens the view is above the compaction's target. What must not be removed (a pinned message, the newest user message,
   * part of a step, a summary) is refused, by id, in the decision's `why`. If it throws, the decision says so and the next pass runs.
   */
  run(view: { items: CustomPassItem[]; overBy: number }): CustomPassDecision | null | undefined | void;
}

/** A tool output that is about to be replaced by a placeholder. */
export interface TrimmedOutput {
  /** The key that opens it in the tool output cache; `null` if the model has no tool for that. */
  ref: string | null;
  /** The tool's name; empty if its call is not known. */
  name: string;
  /** The arguments of the call. If they are not a JSON object (the input of a custom tool, say), `input` has their text. */
  args: { [name: string]: unknown };
  /** Tokens of the whole output, as counted. */
  tokens: number;
}

/**
 * One way to make a view smaller, with its options. A list of passes is a ladder: `prepare` runs them in order, each one only if it
 * is needed, and the report has a decision for each that changed something. With every list (except one with `shrink_turns`), if the
 * view still exceeds its limit at the end, its largest messages are cut in the middle as a last resort.
 */
export type Pass =
  /** Keeps only the newest ephemeral messages of each kind. */
  | { pass: "ephemeral" }
  /**
   * Replaces the oldest tool outputs with placeholders if all outputs together exceed a budget in tokens (default: the one of
   * `toolOutputCache`). A trim goes down to `lowRatio` (0.5; 0 to 1) of the budget, so that the view's beginning stays in the prompt cache
   * until the budget is full again. Outputs of the newest step are replaced only if the budget itself requires it. With `waitForFold`
   * (default true; false under `"spec"`), the pass does nothing from 90 % of the threshold on if a later pass is about to fold the view.
   */
  | { pass: "trim_tool_outputs"; budgetTokens?: number | null | undefined; lowRatio?: number | undefined; waitForFold?: boolean | undefined }
  /**
   * Replaces the oldest images, documents and audio with placeholders, down to a budget of its own: `maxImages` and `maxBytes` (default: no
   * limit); when one is exceeded, `keepNewest` of the newest images stay. The option `media` always applies.
   */
  | { pass: "trim_media"; maxImages?: number | null | undefined; maxBytes?: number | null | undefined; keepNewest?: number | null | undefined }
  /** Of identical tool outputs, keeps the newest; the older ones point to it. */
  | { pass: "dedupe_reads" }
  /** Your own. */
  | CustomPass
  /**
   * Keeps older steps, but cuts their long texts to one level so that the view reaches its target. Put it after `summarize`, which
   * then folds only what does not fit even so.
   */
  | { pass: "even_cut" }
  /**
   * Removes from tool outputs that are JSON and above `maxTokens` (200) whatever does not identify them, in a conversation of more
   * than `minMessages` (0; 10 under `"rolling"`).
   */
  | { pass: "compress_json"; enabled?: boolean | undefined; maxTokens?: number | undefined; minMessages?: number | undefined }
  /** Keeps only the first `head` (1000) and the last `tail` (1000) characters of tool outputs above `max` (5000) characters. */
  | { pass: "truncate_head_tail"; max?: number | undefined; head?: number | undefined; tail?: number | undefined }
  /** Removes memory results from the view: those of `setContext`, and messages of the type `MEMORY`. */
  | { pass: "drop_memory_results" }
  /** Replaces tool outputs before the last `protectTurns` (2) turns with placeholders, if that saves at least `minReclaimTokens` (0). */
  | { pass: "prune_tool_outputs"; protectTurns?: number | undefined; minReclaimTokens?: number | undefined }
  /**
   * Limits the view to the last turns: first `from` (default: all but one), then one fewer each time, down to `to` (1), until it fits.
   * Each try starts from the untrimmed view, pruned by the pass before it. A ladder with this pass acts only at the limit, merges later
   * instructions into the system prompt, and throws `CONTEXT_WINDOW_EXCEEDED` if the last turn alone is too large.
   */
  | { pass: "shrink_turns"; from?: number | null | undefined; to?: number | undefined }
  /** Replaces what `shrink_turns` left out with a summary, in a system message `<summary>…</summary>`. `enabled: false` turns it off. */
  | { pass: "auto_compact"; enabled?: boolean | undefined }
  /** Keeps only the user message and the last answer of each turn before the last `keepSteps` (3) turns. */
  | { pass: "drop_old_tool_results"; keepSteps?: number | undefined }
  /** Removes items by type, the least important type first, until the view is under its threshold. */
  | { pass: "selective"; rules?: { [T in ItemType]?: SelectiveRule } | undefined }
  /**
   * Keeps the newest messages within a budget: (window × `targetRatio` (0.6) − header) × `recentRatio` (0.65). `summaryRatio` (0.26) is
   * kept free for the summary; with `recentRatio` it is at most 1. Does nothing with `minMessages` (10) or fewer.
   */
  | { pass: "recent_window"; enabled?: boolean | undefined; minMessages?: number | undefined; targetRatio?: number | undefined; summaryRatio?: number | undefined; recentRatio?: number | undefined }
  /**
   * A rolling summary, which each later one extends. Runs above `upperThreshold` (50000) tokens, and goes down to `lowerThreshold`
   * (30000). The first summary needs at least `minMessages` (20) messages; each later one needs `minNewMessages` (10) new messages whose
   * tokens exceed `triggerRatio` (0.5) × those of the summary.
   */
  | { pass: "rolling_summary"; upperThreshold?: number | undefined; lowerThreshold?: number | undefined; minMessages?: number | undefined; minNewMessages?: number | undefined; triggerRatio?: number | undefined }
  /**
   * Replaces everything but the last turns with a summary; before `even_cut`, only what does not fit otherwise. `keepTurns` (or
   * `keepSteps`, another name for it): default `retainLastTurns`. `thresholdTokens`: default limit × `thresholdRatio`. `cutWithinTurn`
   * (true): if a kept turn is too large, part of it is folded. `layout`: the summary as a user message before the last turns
   * (`"retain-summary-turns"`, the default), as the assistant's answer to a message that asks for it (`"ask-answer-steps"`), or in place of
   * the whole conversation (`"replace"`). `profile`: what is asked for, prose (`"default"`) or JSON for an agent that designs or executes
   * (`"design"`, `"execution"`).
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

/** Options of `simulate`, which replays a transcript. No model is called and nothing is stored. */
export interface SimulateOptions extends Omit<SessionOptions, "ladder" | "summarize" | "store" | "onCost"> {
  /** The ladders to compare: names of presets, or lists of passes. Default: every preset. */
  presets?: (PresetName | LadderEntry[])[] | undefined;
  /** Definitions of the model's tools, in any format. They count with every call. */
  tools?: unknown[] | undefined;
  /**
   * What tokens cost; used before the built-in table. Takes LiteLLM's table (`input_cost_per_token`, `cache_read_input_token_cost`, …),
   * models.dev's table (`cost`, in dollars per million), or one row of either, which then holds for every model.
   */
  prices?: object | undefined;
  /** The model whose price is used; default: `model`. Unknown: `UNKNOWN_MODEL`. */
  priceAs?: string | undefined;
  /** Ids of messages to pin as soon as they are pushed. A message without an id is named by its position: `m1` is the first. */
  pins?: string[] | undefined;
}

/** What one call cost, as passed to `onCost`. */
export interface CallCost {
  /** US dollars. */
  dollars: number;
  /** The share of the input that came from the provider's prompt cache, 0 to 1. */
  cached: number;
  /** Whether the call was for a summary. It is reported (and paid for) even if the summary was refused. */
  summary: boolean;
  /**
   * The model whose price was used; `null` if no model is named and `prices` is one row for all. For a summary, `compaction.model`, or else the
   * session's model.
   */
  model: string | null;
  /** The reported usage, with cached tokens counted only once. */
  usage: TokenUsage;
}

/**
 * Options of a session; all are optional. Without `model` and `contextWindow`, views have no limit, and `report.notices` says so. An
 * unknown key throws `INVALID_CONFIG`.
 */
export interface SessionOptions {
  /**
   * The model, whose limits are looked up. An unknown model throws `UNKNOWN_MODEL`, which names the nearest known model and the date of
   * the built-in table.
   */
  model?: string | undefined;
  /** A known model whose limits to use for a `model` that no table has yet: `{ model: "claude-opus-9", assumeModel: "claude-opus-5" }`. */
  assumeModel?: string | undefined;
  /**
   * Tokens of the context window, if you know better than the table. It holds for every model from then on (if it is larger than the
   * model's known window, a report's `notices` say so). `null` (in `setOptions`, `restore`, `load`, `fork`) removes it: the model's own
   * window holds again.
   */
  contextWindow?: number | null | undefined;
  /** Tokens of the window that are reserved for the answer; default 0. */
  reservedOutputTokens?: number | undefined;
  /**
   * The share of the limit that passes leave free, from 0 to below 1. Default: 0 if the counter is exact for the model, else 0.1; it
   * shrinks as reported usage (`calibrate`) proves the counts right.
   */
  safetyMargin?: number | undefined;
  /**
   * Learn from reported usage (default true): `recordUsage` compares the input tokens that the provider reports with those that were
   * counted for the view of the last `prepare` or `compact`. Counts are multiplied by that ratio (`report.counter.calibration`) before
   * they are compared with limits and thresholds. Views under 500 tokens and sums over several calls are ignored.
   */
  calibrate?: boolean | undefined;
  /** Limits of models: LiteLLM's table, models.dev's table, or `{ [model]: { max_input_tokens?, max_output_tokens?, max_tokens? } }`. */
  models?: object | undefined;
  /** How tokens are counted; default `"estimate"`. */
  tokenizer?: "estimate" | "bytes/4" | Encoding | ((text: string) => number) | undefined;
  /** When and how old parts of the conversation are replaced by a summary. */
  compaction?: CompactionConfig & {
    /** How the conversation is sent to the summariser; default `"messages"`, but `"transcript"` under the ladder `"ladder"`. */
    style?: "messages" | "transcript" | undefined;
    /**
     * `"continue"`: `request.as(format)` is the view as it was sent, entry by entry, with the tools of `setTools` and the instructions as
     * the last user message. The provider finds all but the instructions in its prompt cache, at a tenth of the price. This needs the
     * same model (`model` is null), no `redact`, a view that fits the model's window (at least up to the last folded message), no call
     * that waits for its output, nothing in the view that looks like a tag of the answer, and either tools known to the session or a view
     * without calls. Otherwise, and with `"separate"`, the request has the conversation without tools. `request.continues` says which of
     * the two it is. Default:
     * `"continue"` under the ladder `"contextfold"` and your own ladders with `even_cut`; `"separate"` under the other presets.
     */
    request?: "continue" | "separate" | undefined;
    /** Tokens of the summariser's window; default: the table's entry for `compaction.model`, else the session's limit. */
    summarizerWindow?: number | undefined;
    /**
     * How many times a summary is asked for before it counts as failed; default 2. It is asked for again if the answer cannot be used
     * (the new request then says why) and if `summarize` throws or rejects, but not if it was aborted.
     */
    maxAttempts?: number | undefined;
    /**
     * What happens if no summary could be had. `"extractive"`: the built-in extractive summariser is used; if even that saves nothing,
     * `prepare` shortens messages as a last resort. `"error"`: a compaction rejects and changes nothing; `prepare` goes on with its other
     * passes but without that last resort, and rejects if the view does not fit then (under `"rolling"`, it rejects at once). Either way,
     * `report.summary.fallback` and the event `compaction_failed` say what failed. Default: `"extractive"` under the ladder
     * `"contextfold"`, `"error"` under the other presets and your own ladders.
     */
    onFailure?: "error" | "extractive" | undefined;
    /**
     * The most tokens that the ledger may take; 0: no ledger. The ledger is a list appended to a summary, made without a model, of what
     * the summary left out: the user's rules, what they asked for, open work, commands, error codes, ids, URLs, paths and refs of what
     * was folded, the most important first. It takes only what it needs, and leaves at least an eighth of what the fold saves.
     *
     * Default: 30 % of the target less the header, shared with the names in the marks of cut messages; 40 % of the room for
     * `prepare({ fill: true })` and `compactMessages`. The user's rules do not count against it. `docs/how-it-decides.md` has the details.
     * Under the other presets (all but `"contextfold"`), the default is 0. A number given here holds under every ladder, and for the rules
     * too.
     *
     * `report.summary.ledger_left_out` says how much did not fit. Rules are the user's own words: in user messages, in answers to a tool that
     * asks the user (`ask_user`, `AskUserQuestion`, `ask_followup_question`, `request_user_input` and the like, by name), and in system
     * and developer messages in the middle of a conversation. They are recognised by how instructions are worded in English, German,
     * French, Spanish, Italian, Portuguese, Russian, Chinese, Japanese and Korean. For what must not get lost however it is worded, use
     * `pin` or `setHeader`.
     */
    ledgerTokens?: number | undefined;
    /**
     * The language to ask for the summary in, such as `"French"` or `"ja"`. Default `"auto"`: the user's. If a summary comes in another
     * script, it is asked for once more; the second answer is accepted, and the report says so.
     */
    language?: "auto" | string | undefined;
    /**
     * Called with every text on its way to the summariser or into the ledger (including addresses, titles, names, ids, keys of arguments
     * and `instructions`, but not the contents of base64 data). Returns the text without what must not leave. It may be called several
     * times for the same text. If it throws, the compaction fails with `SUMMARY_FAILED`, and nothing changes. It must not use the session,
     * which is busy then: that throws `INVALID_ARGUMENT`. `null` means none. A session that was saved with one has to be restored with
     * one, or explicitly with `null`.
     */
    redact?: ((text: string) => string) | null | undefined;
    /**
     * The target of a compaction: limit × this. Must be below `thresholdRatio`; default 0.5. The default ladder fills the view up to the
     * target. A ladder without `even_cut` folds whole turns, all but the last `retainLastTurns`, so the view often ends up far below it.
     */
    lowRatio?: number | undefined;
    /**
     * The least share of the room that is for whole steps, from 0 to 1; default 0.5. The room is the target less the header, the newest
     * user message and the last step.
     */
    recentRatio?: number | undefined;
    /**
     * The text around a summary that is a user message: it contains `{summary}`, and can contain `{messages}` for "12 earlier messages".
     * `null`: none. Default: under a ladder with `even_cut`, two lines that say what it is and who wrote it.
     */
    frame?: string | null | undefined;
    /**
     * The role of a summary's message. Default: `"user"` (data, not an instruction), except in some presets: the assistant's answer in
     * `steps-*`, a system message in `rolling`. `"assistant"`: the answer to a user message that asks for the summary, so that no view
     * begins with the assistant. `"system"` is allowed only with the ladders `rolling` and `ladder`, where it is fenced; elsewhere it
     * throws `INVALID_CONFIG`, because a system message instructs, and a summary may repeat the text of a tool's output.
     */
    summaryRole?: "user" | "assistant" | "system" | undefined;
    /**
     * Ask for a summary ahead of time, while the conversation goes on; default false. From limit × `atRatio` on (below
     * `thresholdRatio`; default 7/8 of it), `push`, `recordUsage` and `prepare` call `summarize`, and nobody waits for it. Once the answer
     * is there, the next `prepare`, `checkAndCompact`, `compact` or hook of the agent loop applies the fold. Until then the view does not
     * change, and what was pushed in the meantime comes after the fold. A `prepare` whose view exceeds the limit waits for the answer. A
     * failure is reported by `compaction_failed` and changes nothing; the next try comes after 8 new messages, then 16, up to 128.
     * If the messages to be folded were rewritten in the meantime, the answer is dropped, and the report says so. `options.signal`
     * fires when the session is freed. Without `summarize` there is nothing to wait for, so nothing is done ahead of time.
     */
    background?: boolean | { atRatio?: number | undefined } | undefined;
  } | undefined;
  /** How tool outputs are stored and cut. */
  toolOutputCache?: ToolOutputCacheConfig & {
    /**
     * Bytes of full tool outputs to keep in memory; default: all. Beyond that, the oldest are moved to the `store`, which is required
     * then; `read`, `grep` and `get` fetch them from there. Outputs that the view shows whole stay in memory.
     */
    memoryBytes?: number | null | undefined;
    /**
     * The most milliseconds that a search by the model may take (`toolOutputs.grep`, `searchAsync`); default 2000. It runs in short slices
     * and leaves the event loop free in between. When the time is up, it returns what it has found, and where it stopped.
     */
    searchMs?: number | undefined;
    /**
     * Writes the text that the view shows in place of a trimmed output. Default: what was run, on what, and how large its output was.
     * `ref` is set if the model has the tool that opens it. The result must depend only on the argument: the function is called again for
     * the same output, and its text is saved with the view. A text longer than the output is not used. If it throws, or returns no text,
     * the default is used, and `report.notices` says why. Functions are not saved: pass it again when you restore.
     */
    placeholder?: ((trimmed: TrimmedOutput) => string) | null | undefined;
  } | undefined;
  /** The provider's prompt cache: it forgets what was not used for `lifeMs` milliseconds (300,000). `prepare({ idleMs })` uses it. */
  promptCache?: { lifeMs?: number | undefined } | undefined;
  /** The most messages and summaries in the history; default 1,000,000. Beyond it `push` throws `SAFETY_LIMIT_EXCEEDED`. */
  maxNodes?: number | undefined;
  /**
   * How many images, documents and audio parts a request may hold. Default: what the provider of `model` publishes (Claude: 100 images,
   * 32 MB, 5 MB and 8,000 pixels an image; OpenAI: 500 images, 50 MB; Gemini: 900 images, 20 MB); no limit without a known `model`.
   * `null` removes a limit. What exceeds it becomes a placeholder with a ref, the oldest first, at once and in every ladder; the report's
   * decision is called `trim_media`. Pinned messages and the newest user message keep theirs. With a larger budget, or a pin, media come
   * back. If a request is refused because of its media, `recover` changes these numbers, and no limit in tokens.
   */
  media?: {
    /** The most images in a request. */
    maxImages?: number | null | undefined;
    /** The most bytes of all media together, as they are sent (base64). */
    maxBytes?: number | null | undefined;
    /** How many of the newest images stay if a limit is exceeded. Default: 3/4 of the limit, so that not all new images change the view. */
    keepNewest?: number | null | undefined;
    /** The most bytes of one image, as it is sent. */
    maxImageBytes?: number | null | undefined;
    /** The most pixels of an image's longer side, if its data shows the size. */
    maxImageSide?: number | null | undefined;
  } | undefined;
  /**
   * What tokens cost: a table as for `simulate`, so that one object can hold the options of both. Default: the built-in list prices.
   * Used for what an edit costs the prompt cache (`decision.cache`) and for `onCost`.
   */
  prices?: object | undefined;
  /**
   * Called with the cost of each call, once its usage is known: for the agent's calls from `recordUsage`, `afterModelCall`, `loop()` and
   * the SDK hooks, for a summary from the `usage` in the answer of `summarize`. A hook does not report a call that it did not handle (it
   * failed and let the agent go on, or the service keeps the conversation), nor one whose usage is below half of our count, as a mock's
   * is. The model's price has to be known, from `prices` or the built-in table; otherwise the options throw `INVALID_CONFIG`. An error
   * that it throws is printed to the console. `null` removes it.
   */
  onCost?: ((cost: CallCost) => void) | null | undefined;
  /**
   * Newer Anthropic models refuse a thinking block if anything before it was edited. `"drop"`: the view leaves out thinking after an
   * edit (a fold, a trim, a cut), and the report says so. `"keep"`: it stays, for requests that ask the API to drop it
   * (`thinking.block_binding.prefix_mismatch_behavior: "drop_block"`). `"auto"` (default): `"drop"` for a `model` that is known to bind
   * its thinking, else `"keep"`.
   */
  boundThinking?: "auto" | "drop" | "keep" | undefined;
  /** The passes that `prepare` runs: a preset, or a list of your own; default `"contextfold"`. See `presets`. */
  ladder?: PresetName | LadderEntry[] | undefined;
  /** A clock, for the time in `summaryState`. Default: none, so that nothing depends on the time. */
  now?: (() => number) | undefined;
  /** Your function that calls a model; default: `extractiveSummarize()`, which needs none. */
  summarize?: Summarize | undefined;
  /** Where tool outputs beyond `toolOutputCache.memoryBytes` are stored; `Session.load` uses its own store. */
  store?: Store | undefined;
  /**
   * Freeze pushed objects (`push`, `pushFrom`, `sync`) deeply; default false. The session returns the very same objects, so changing one
   * later is a mistake: if it is frozen, that throws in strict mode, and so in every module.
   */
  freezeInputs?: boolean | undefined;
}

/**
 * A key-value store. An `unstorage` instance is one; `localStorage` wrapped in promises nearly is. Bytes are stored with `setItemRaw` and
 * `getItemRaw` if both exist, else as base64 text. Items are named `KEY:head`, `KEY:v:VERSION`, `KEY:s:SEGMENT`, `KEY:lease` and
 * `contextfold:output:HASH`. The stores of `contextfold/stores/…` also implement this, and guarantee more: see docs/stores.md.
 *
 * Its methods must not await `save` or `flush` of the session that is using it: these wait for the methods.
 */
export interface Store {
  /** The value under a key; `null` or `undefined` if there is none. */
  getItem(key: string): Promise<unknown>;
  /** Stores a text. */
  setItem(key: string, value: string): Promise<unknown>;
  /** Removes an item. */
  removeItem(key: string): Promise<unknown>;
  /** The value under a key, as bytes. */
  getItemRaw?(key: string): Promise<unknown>;
  /** Stores bytes. */
  setItemRaw?(key: string, bytes: Uint8Array): Promise<unknown>;
  /** All keys that begin with `prefix`. */
  getKeys?(prefix?: string): Promise<string[]>;
  /**
   * Stores `next` if the current value is `expected` (`null`: no value), atomically. Resolves to whether it did. `ttlMs`: the value may
   * expire after that many milliseconds. Without this method, two processes that save at the same instant may both succeed; the later
   * save wins.
   */
  compareAndSet?(key: string, expected: string | null, next: string, options?: { ttlMs?: number }): Promise<boolean>;
}

/** Options of `Session.restore`. */
export interface RestoreOptions extends SessionOptions {
  /** The position of the snapshot: `session.position` when it was taken. */
  position?: number | undefined;
  /**
   * The records after the snapshot, oldest first, as `session.changes` returned them. If the last record is incomplete, it is left
   * out, and `report.notices` say so.
   */
  changes?: Uint8Array | readonly Uint8Array[] | undefined;
}

/** Parts of a prompt beside the conversation. A key that is left out keeps its value; `null` clears it. */
export interface ContextPartsInput {
  /** Texts that a memory search found, best first. */
  memory?: string[] | null | undefined;
  /** The most texts that are shown; default 5. */
  memoryLimit?: number | null | undefined;
  /** Your own messages, without tool calls and tool outputs. */
  injections?: readonly Message[] | null | undefined;
  /** What the agent can do; other keys are ignored. */
  skills?: { name: string; description?: string | null | undefined; location?: string | null | undefined }[] | null | undefined;
  /** Decides by name which tools of `setTools` the model gets. It must not change the session. */
  toolFilter?: ((name: string) => boolean) | null | undefined;
}

/** What a compaction would do. Every message of the view is in exactly one of the three lists. */
export interface Plan {
  /** Ids of the messages that the summary would replace, earlier summaries among them. */
  readonly folded: string[];
  /** Ids of the messages that would stay in the view as they are. */
  readonly kept: string[];
  /** Ids of the messages that passes would shorten or leave out. */
  readonly trimmed: string[];
  /** The request that `summarize` would get; null if nothing would be folded, or if there is no `summarize`. */
  readonly request: SummaryRequest | null;
  /** Tokens of the view. */
  readonly tokens_before: number;
  /** Tokens that it would have if the summary were as long as the extractive summariser's. */
  readonly tokens_after_estimate: number;
  /**
   * Applies the plan. Messages that were pushed since come after the fold. After any other change (or after it was applied once) the plan
   * is stale. To veto the compaction, do not call this.
   *
   * @param options `keep`: ids of messages that must stay as they are. `fold`: ids of further messages to fold. A step (a call and its
   * output) is kept or folded as a whole.
   * @throws {ContextError} `STALE_PLAN`; `INVALID_ARGUMENT`, which names the message, for one that cannot be kept or folded: the
   * header, pinned messages, the newest user message, calls that are being executed, messages already folded. Otherwise as `prepare`.
   */
  apply(options?: { signal?: AbortSignal | undefined; keep?: string[] | undefined; fold?: string[] | undefined }): Promise<Report>;
}

/** A view that fits, and a report of what was done to it. */
export interface Prepared {
  /**
   * The view in the package's own format, with additional keys (`id`, `output_ref`, …). To send it, use `session.view(format)`. It is
   * computed when you first read it, so read it before you free the session: after `free()` it throws `FREED`.
   */
  messages: Message[];
  /** What was done, in order, and what was left out. */
  report: Report;
}

/**
 * What `session.loop()` returns: run your own functions through it. What they return or throw is passed on. If a compaction fails in
 * between, your functions still run; `compaction_failed` and `session.report` report the failure.
 */
export interface AgentLoop {
  /** Runs a model call, and records the `usage` of its result. */
  modelCall<T>(run: () => T | Promise<T>): Promise<T>;
  /** Runs tools. */
  toolExecution<T>(run: () => T | Promise<T>): Promise<T>;
  /** Runs the function that makes the final answer. */
  finalAnswer<T>(run: () => T | Promise<T>): Promise<T>;
}

/**
 * An exact encoding, as `loadEncoding` returns it. It gives the same tokens as tiktoken gives for ordinary text
 * (`<|endoftext|>` is thirteen characters, not a special token; a lone surrogate counts as U+FFFD). All sessions of a page share it;
 * it is never freed.
 */
export interface Encoding {
  /** Its name, such as `o200k_base`. */
  readonly name: string;
  /** Tokens of the text. */
  count(text: string): number;
  /**
   * Tokens of the text if there are at most `limit`, else null: counting stops once the limit is passed.
   * @throws {ContextError} `INVALID_ARGUMENT` if the limit is not a number of at least 0.
   */
  countUpTo(text: string, limit: number): number | null;
  /** The tokens of the text, `count(text)` of them. */
  encode(text: string): Uint32Array;
  /**
   * The text of tokens. A character that is cut in the middle becomes U+FFFD.
   * @throws {ContextError} `INVALID_ARGUMENT` for a number that is not an ordinary token of the encoding.
   */
  decode(tokens: Uint32Array): string;
}

/** An encoding that the package contains. */
export type EncodingName = "o200k_base" | "cl100k_base" | "o200k_harmony" | "p50k_base" | "p50k_edit" | "r50k_base" | "gpt2";

/** How tokens are counted; any other text is the `name` that was passed to `loadTokenizer`. */
export type CounterMethod = "estimate" | "bytes/4" | "callback" | EncodingName | (string & {});

/** How large a `ContextGraph` may become. The defaults protect a browser tab. */
export interface ContextGraphOptions {
  /** Nodes, including summaries; default 1,000,000. */
  maxNodes?: number | undefined;
  /** Edges, not counting those that folds add in place of hidden ones; default 4,000,000. */
  maxEdges?: number | undefined;
  /** Nodes in one view; default 200,000. */
  maxContextNodes?: number | undefined;
}

/**
 * What an edge means. `sequence`: the second node comes after the first. `dependency`: the second needs the first. Both are blocking.
 * `branch`: the second begins a lane that was forked off at the first, or is the result that came back from such a lane.
 */
export type EdgeKind = "sequence" | "dependency" | "branch";

/** A node to add. */
export interface GraphNodeInput {
  /** Unique in the graph. Default: generated (`n1`, `n2`, …). */
  id?: string | undefined;
  /** Its type. */
  type: NodeType;
  /** Its lane, which is opened if it does not exist; default `"main"`. */
  lane?: string | undefined;
  /** The state of its work; default `"finished"`. */
  state?: NodeState | undefined;
  /** Its content. Alternatively, set `message`. */
  content?: Content | undefined;
  /** Its content as a message, whose role must fit the type: `user`, `assistant`, `tool`, `system`, `developer`. */
  message?: Message | undefined;
  /** The nodes it comes after. Default: the last node of the lane, or the point where the lane was forked off. `[]`: none. */
  after?: string | string[] | undefined;
}

/** A node of a `ContextGraph`. */
export interface GraphNode {
  /** Unique in the graph; `fold_1`, `fold_2`, … for summaries made by `compress`. */
  id: string;
  /** Its type. */
  type: NodeType;
  /** Its lane. */
  lane: string;
  /** The state of its work. */
  state: NodeState;
  /** Its content, if it was given as `content`. */
  content?: Content;
  /** Its content, if it was given as `message`. */
  message?: Message;
  /** If a fold hides it: how many nodes the graph had by then. This is the graph's own time, since the engine has no clock. */
  compressed_at?: number;
  /** The summary that hides it; if that summary was folded too, still the first one. */
  compressed_by?: string;
  /** Data that a run recorded about it, such as its `context_cost`. */
  metadata?: { [key: string]: unknown };
}

/** An edge of a `ContextGraph`. */
export interface GraphEdge {
  /** The id of the node it starts at. */
  from: string;
  /** The id of the node it ends at. */
  to: string;
  /** What it means. */
  kind: EdgeKind;
  /** If a fold hides it: how many nodes the graph had by then. */
  compressed_at?: number;
  /** Set if a fold added it in place of one that it hides. */
  relaid?: true;
}

/** What is known of a request beside its list. A request body already contains some of it. */
export interface CheckOptions {
  /** The history before it was changed. It enables the checks that need it (lost reasoning, changed thinking, order). */
  original?: unknown;
  /** The provider that will answer: `"openai"`, `"anthropic"`, `"deepseek"`, `"mistral"`, `"gemini"`, …; default: the format's own. */
  provider?: string | undefined;
  /** Whether the last calls are still being executed; default false. */
  pending?: boolean | undefined;
  /** Whether the provider keeps the conversation (`previous_response_id`, `conversation`): outputs may answer calls not listed here. */
  stateful?: boolean | undefined;
  /** Whether the Responses API stores items (`store`); default true. */
  store?: boolean | undefined;
  /** Anthropic's `thinking.type`. */
  thinking?: "enabled" | "adaptive" | "disabled" | undefined;
  /** Whether the model binds thinking to what comes before it. If so, a mismatch is an error, else a warning. */
  bound?: boolean | undefined;
}

/** A repaired history. */
export interface Repaired<T = unknown> {
  /** The list, or the body with its list repaired. */
  output: T;
  /** What was changed, in the order of the list. */
  changes: RepairChange[];
}

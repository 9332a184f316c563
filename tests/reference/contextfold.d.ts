/* tslint:disable */
/* eslint-disable */
/**
 * A fold, for the caller.
 */
export interface FoldInfo {
    /**
     * The fold's id: its summary's.
     */
    id: string;
    /**
     * Ids of the messages that it stands for, earlier folds among them.
     */
    items: string[];
    /**
     * The summary's text, without its ledger.
     */
    summary: string;
    /**
     * What the summary left out and the engine appended to it, where there was anything.
     */
    ledger?: string;
    /**
     * The retained text, where the answer had one.
     */
    retain?: string;
    /**
     * Tokens that the messages took in the view.
     */
    tokens_folded: number;
    /**
     * Tokens that the summary and the retained text take.
     */
    tokens: number;
    /**
     * Whether it stands in the view itself, or inside a later fold.
     */
    in_view: boolean;
}

/**
 * A message that left the view, or stands in it shorter than it came.
 */
export interface LeftOut {
    /**
     * The message's id.
     */
    id: string;
    /**
     * Why, in words.
     */
    why: string;
    /**
     * The ref that opens its full content in the tool output cache.
     */
    ref?: string;
    /**
     * The fold that stands for it.
     */
    fold?: string;
    /**
     * The pass that did it; left out where it was none.
     */
    pass?: PassName;
}

/**
 * A message that the view does not show now as it was pushed.
 */
export interface LeftOutNow {
    /**
     * The message's id.
     */
    id: string;
    /**
     * What became of it: it stands behind a fold, a pass dropped it, it left the conversation (a rewind, another header), or it stands in
     * the view in another form.
     */
    state: "folded" | "dropped" | "removed" | Exclude<ItemForm, "whole">;
    /**
     * Why, in words.
     */
    why: string;
    /**
     * The pass that did it; left out where it was none.
     */
    pass?: PassName;
    /**
     * The ref that opens its full output in the tool output cache.
     */
    ref?: string;
    /**
     * The fold of the view that stands for it, itself or by an earlier fold that it stands for.
     */
    fold?: string;
    /**
     * The way back into the view: `unfold(fold)`; `pin(id)`; `get`, where its output lives in the store: `await toolOutputs.get(ref)`, then
     * `pin(id)`. `null` where there is none: `message(id)` has it whole.
     */
    back: "unfold" | "pin" | "get" | null;
}

/**
 * A message with what the engine knows of it, for the caller.
 */
export interface Item {
    /**
     * The message's id.
     */
    id: string;
    /**
     * What kind of entry it is.
     */
    item_type: ItemType;
    /**
     * Tokens that it takes in the view now.
     */
    tokens: number;
    /**
     * Lower goes first.
     */
    priority: number;
    /**
     * How many of its kind stay, where it is ephemeral.
     */
    ephemeral?: number;
    /**
     * It stands verbatim in every view.
     */
    pinned: boolean;
    /**
     * How it stands in the view.
     */
    form: ItemForm;
}

/**
 * A place where something was found.
 */
export interface Hit {
    /**
     * The message's id; the ref of a stored output that belongs to no message.
     */
    id: string;
    /**
     * The fold that stands for the message in the view, where one does: what `unfold` takes.
     */
    fold?: string;
    /**
     * The ref that opens the whole output, where it is one.
     */
    ref?: string;
    /**
     * Whose message it is.
     */
    role: "system" | "developer" | "user" | "assistant" | "tool";
    /**
     * What was found, with about 100 bytes on either side.
     */
    excerpt: string;
    /**
     * Set on a last line that finds nothing, but says which tool outputs were not searched: they live in the store.
     */
    unseen?: boolean;
    /**
     * On that line: the refs of these outputs, oldest first. `toolOutputs.grep` searches one; `runTool` of `contextfold/tools` all.
     */
    refs?: string[];
}

/**
 * A request for a summary.
 */
export interface SimulatedRequest {
    /**
     * The index of the call before which it was asked.
     */
    call: number;
    /**
     * Its input tokens.
     */
    input_tokens: number;
    /**
     * Tokens of its answer.
     */
    output_tokens: number;
}

/**
 * A rule by which something beside text is counted.
 */
export interface RuleReport {
    /**
     * As `image:openai-tiles`; `…:estimate` where no provider publishes a rule.
     */
    name: string;
    /**
     * Where it is published.
     */
    source: string;
}

/**
 * A set of prompt, answer shape and limits for a summary.
 */
export type Profile = "default" | "design" | "execution";

/**
 * A shape in which a conversation is written.
 */
export type Format = "messages" | "openai-responses" | "openai-chat" | "anthropic" | "ai-sdk" | "gemini" | "bedrock-converse";

/**
 * A transcript as it was recorded.
 */
export interface RecordedRun {
    /**
     * The model calls in order; nothing is decided in them.
     */
    calls: SimulatedCall[];
    /**
     * Input tokens of all calls together.
     */
    tokens_total: number;
    /**
     * Tokens of the largest call.
     */
    tokens_largest: number;
    /**
     * Tokens of all answers.
     */
    output_tokens: number;
    /**
     * The share of `tokens_total` that a prompt cache could serve, 0 to 1.
     */
    cache_hit_ratio: number;
    /**
     * What it costs, in US dollars; `null` without a price.
     */
    cost: number | null;
    /**
     * The same by what it is for.
     */
    costs: Costs | null;
}

/**
 * A transcript, replayed under one ladder.
 */
export interface SimulatedRun {
    /**
     * The preset's name; of a list of passes, the names of its passes with ` + ` between them.
     */
    preset: string;
    /**
     * The context window in tokens.
     */
    window: number;
    /**
     * Tokens that a view may take, as the model counts: what the report's `limit` says.
     */
    limit: number;
    /**
     * From here on the ladder compacts, in the model's tokens; where it is above the limit, the limit triggers.
     */
    threshold: number;
    /**
     * The model calls in order.
     */
    calls: SimulatedCall[];
    /**
     * What was folded, and what asking for it would have cost.
     */
    compactions: SimulatedCompactions;
    /**
     * Input tokens of all calls together; the requests for summaries are not among them.
     */
    tokens_total: number;
    /**
     * Tokens of the largest view that was sent.
     */
    tokens_largest: number;
    /**
     * Tokens of all answers, as they were recorded.
     */
    output_tokens: number;
    /**
     * Calls whose view was larger than the limit: 0, or the ladder does not do for this transcript and window.
     */
    calls_over_limit: number;
    /**
     * The share of `tokens_total` that a prompt cache could serve, 0 to 1: the calls' `cached_tokens` over their `tokens`.
     */
    cache_hit_ratio: number;
    /**
     * Tokens of all calls that were written to the cache: their `cache_write_tokens`.
     */
    cache_write_tokens: number;
    /**
     * What took calls out of the cache, what cost most first.
     */
    cache_breaks: CacheBreak[];
    /**
     * What the calls and the requests for summaries cost together, in US dollars; `null` without a price.
     */
    cost: number | null;
    /**
     * The calls' part of it, by what it is for; what is missing to `cost` is `compactions.cost`.
     */
    costs: Costs | null;
    /**
     * What the last call's view has of what was said until then.
     */
    retention: Retention;
    /**
     * The same as a mean over the calls from the first compaction on; `null` where nothing was folded.
     */
    retention_mean: Retention | null;
}

/**
 * A transcript, replayed under several ladders.
 */
export interface Simulation {
    /**
     * Tokens of the whole transcript, as it was recorded.
     */
    transcript_tokens: number;
    /**
     * What money is counted by; `null` where no price is known: name a model, or give `prices`.
     */
    prices: SimulationPrices | null;
    /**
     * The transcript as it was recorded: every call with all that was said before it, whatever its size.
     */
    recorded: RecordedRun;
    /**
     * One run a ladder, in the order in which they were given.
     */
    runs: SimulatedRun[];
}

/**
 * How bad a violation is.
 */
export type Severity = "warn" | "error";

/**
 * How far a node's work has come.
 */
export type NodeState = "pending" | "running" | "finished" | "errored";

/**
 * How full the view is once a fold was undone.
 */
export interface Undone {
    /**
     * Tokens of the view, in the model's own tokens.
     */
    tokens: number;
    /**
     * What a view may take, `null` where neither model nor window is known.
     */
    limit: number | null;
    /**
     * From here on a compaction is due.
     */
    threshold: number | null;
    /**
     * Where the view is over its threshold or its limit: when it folds again, and what keeps it from that.
     */
    notice?: string;
}

/**
 * How much found no room in a carry-over ledger.
 */
export interface LedgerLeftOut {
    /**
     * The user's rules.
     */
    rules: number;
    /**
     * Paths, URLs, ids and error codes; those of stored outputs can be read there.
     */
    facts: number;
}

/**
 * How the tool outputs of a view stand in it, in messages.
 */
export interface OutputCounts {
    /**
     * As they came.
     */
    whole: number;
    /**
     * With a part of their text.
     */
    shortened: number;
    /**
     * As a placeholder, without their text.
     */
    placeholders: number;
}

/**
 * How tokens were counted.
 */
export interface CounterReport {
    /**
     * `"estimate"`, `"bytes/4"`, the name of an encoding, or `"callback"`.
     */
    method: "estimate" | "bytes/4" | "o200k_base" | "cl100k_base" | "callback" | (string & {});
    /**
     * Whether text counts equal the model's: the counter is exact, and for this model.
     */
    exact: boolean;
    /**
     * The share of the limit that passes leave free, 0 to 1.
     */
    margin: number;
    /**
     * The model's tokens over counted ones: what the latest calls reported as input over what was counted for the views
     * that were sent; before the first report, the factor of the model's family (Claude), else 1. Limits, thresholds and
     * targets are held against counts times this; the counts themselves stay, and sum to `tokens_after`.
     */
    calibration: number;
    /**
     * `tokens_after` × `calibration`: what the provider will report, as far as is known.
     */
    corrected_tokens: number;
    /**
     * What counts beside text, and by whose rule.
     */
    rules: RuleReport[];
}

/**
 * How tool outputs stand in the context window.
 */
export interface ToolOutputCacheConfig {
    /**
     * Store tool outputs and cut what stands of them in the view. `false`: they stay as they are, without refs.
     * Default `true`.
     */
    enabled?: boolean;
    /**
     * Tokens that all tool outputs in the view may take together; the oldest beyond it become placeholders.
     * Default `null`: a quarter of the context window, but from 20,000 to 60,000; 12 % of a window of 500,000 and more, but for the
     * preset `"spec"`; 20,000 without a window. It holds under a ladder that lists `trim_tool_outputs`; a number, under every ladder.
     */
    contextBudgetTokens?: number | null;
    /**
     * UTF-8 bytes of text of one tool output in the view, the notice included. Default 51,200; at least 64.
     */
    maxMessageBytes?: number;
    /**
     * Code points of one line of a tool output in the view. Default 2,000; at least 1.
     */
    maxLineLength?: number;
    /**
     * What holds for the outputs of single tools, by the tool's name; `*` in it stands for any characters, a name stands before a
     * pattern, and a longer pattern before a shorter one. `"keep"`: no pass trims or shortens them (a summary may still stand for
     * them). `"first"`: they are trimmed before those of other tools. `{ maxTokens }`: each is cut to so many tokens as it enters.
     */
    tools?: Record<string, "keep" | "first" | { maxTokens: number }>;
}

/**
 * One decision: a pass, and what it changed.
 */
export interface Decision {
    /**
     * The pass.
     */
    pass: PassName;
    /**
     * Which try of the same pass, from 1, where it ran several times.
     */
    attempt?: number;
    /**
     * Tokens of the view before.
     */
    tokens_before: number;
    /**
     * Tokens of the view after.
     */
    tokens_after: number;
    /**
     * Ids of the messages that it acted on.
     */
    items: string[];
    /**
     * Why, in words.
     */
    why: string;
    /**
     * What it costs the provider's prompt cache, and what it is expected to save; absent where the view stands as it stood. A pass that
     * several decisions are of has it at the last of them.
     */
    cache?: CacheCost;
}

/**
 * One model call of a replayed transcript.
 */
export interface SimulatedCall {
    /**
     * Tokens of the view that was sent.
     */
    tokens: number;
    /**
     * The same by part; they sum to `tokens`.
     */
    parts: PartReport[];
    /**
     * What was done to the view before this call.
     */
    decisions: Decision[];
    /**
     * Tokens at the view's beginning that stood there in the call before, too.
     */
    cached_tokens: number;
    /**
     * The rest: what no cache serves, and what is written to it.
     */
    cache_write_tokens: number;
    /**
     * Tokens of the call before that this one does not find in the cache, because something before its end was edited.
     */
    cache_lost_tokens: number;
    /**
     * The pass that edited it; where several did, the one that took most from the cache. Left out where nothing was lost, and where it
     * was no pass.
     */
    cache_broken_by?: string;
    /**
     * Tokens of the answer, as it was recorded.
     */
    output_tokens: number;
    /**
     * What the call costs, in US dollars; left out without a price.
     */
    cost?: number;
    /**
     * Why the view could not be prepared: it was sent as it was.
     */
    error?: SimulatedError;
}

/**
 * One part of a view.
 */
export interface PartReport {
    /**
     * Which part.
     */
    name: PartName;
    /**
     * Tokens.
     */
    tokens: number;
    /**
     * Messages that have such tokens.
     */
    messages: number;
}

/**
 * One rule that a history breaks.
 */
export interface Violation {
    /**
     * How bad it is.
     */
    severity: Severity;
    /**
     * The rule's name, as `R-orphan-output`: `R` for Responses, `C` for Chat Completions, `A` for Anthropic, `B` for Bedrock, `S`
     * for the AI SDK, `M` for our own messages; `schema` for an entry that is not shaped as the format says.
     */
    rule: string;
    /**
     * The index of the entry in the list.
     */
    index: number;
    /**
     * What is wrong, for a person.
     */
    message: string;
}

/**
 * One thing that was given up for a prompt to fit.
 */
export interface CostDecision {
    /**
     * The pass.
     */
    pass: string;
    /**
     * Which try of the same pass, from 1.
     */
    attempt: number;
    /**
     * Tokens of the prompt before.
     */
    tokens_before: number;
    /**
     * Tokens of the prompt after.
     */
    tokens_after: number;
}

/**
 * Something that a format could not say as it was. Nothing is dropped in silence: each leaves a note.
 */
export interface ConversionNote {
    /**
     * The index of the message it concerns (of the first of its run), in what was handed to `write`.
     */
    index: number;
    /**
     * What was left out or said otherwise.
     */
    what: string;
}

/**
 * Something that happened in a session.
 */
export interface Event {
    /**
     * What happened.
     */
    event: EventName;
    /**
     * The ids of the messages that it happened to.
     */
    items: string[];
    /**
     * More, in words.
     */
    detail: string;
    /**
     * Tokens of the view after it.
     */
    tokens: number;
    /**
     * Of `compaction_due`: tokens that the view may still grow by until a compaction is due.
     */
    left?: number;
    /**
     * Of `compaction_progress`: pieces that are summed up, of this round.
     */
    chunk?: number;
    /**
     * Of `compaction_progress`: pieces of this round; where their summaries are too long together, they are summed up in another one.
     */
    chunks?: number;
    /**
     * Of `compaction_progress`: what the summariser said of the piece.
     */
    text?: string;
}

/**
 * The compactions of a replayed transcript, and what a model would have been asked for their summaries.
 */
export interface SimulatedCompactions {
    /**
     * How many there were.
     */
    count: number;
    /**
     * Requests for their summaries; more than one where a conversation is larger than the summariser's window.
     */
    requests: number;
    /**
     * Input tokens of these requests.
     */
    request_tokens: number;
    /**
     * Tokens of the answers.
     */
    output_tokens: number;
    /**
     * What the requests cost, in US dollars, at the price of the calls; `null` without a price.
     */
    cost: number | null;
    /**
     * Each request's place and size, in order.
     */
    asked: SimulatedRequest[];
}

/**
 * The name of an event that a session emits, in the order in which things happened.
 */
export type EventName = "message_added" | "items_removed" | "conversation_replaced" | "output_trimmed" | "compaction_due" | "compaction_started" | "compaction_progress" | "compaction_finished" | "compaction_failed" | "folded" | "unfolded";

/**
 * The price that a simulation counts by. A call's prefix that stood in the call before is paid at the cache's price, from
 * 1,024 tokens on; the rest at the input's, or where writing to the cache has its price, at that.
 */
export interface SimulationPrices {
    /**
     * The model whose price it is; left out where one price was given for whatever model.
     */
    model?: string;
    /**
     * Of the built-in table: when its prices were looked up, as `YYYY-MM`; `null` for your own.
     */
    as_of: string | null;
    /**
     * Where it is from: the built-in table's sources, or `"prices"`.
     */
    source: string;
    /**
     * The rates for a short prompt, in US dollars a token.
     */
    rates: Rates;
}

/**
 * The shares of a history's facts that a view still has, 0 to 1; 1 where the history has none.
 */
export interface Retention {
    /**
     * Of the literal facts: those that stand in the view itself, letter by letter.
     */
    literal: number;
    /**
     * Of the literal facts: those, and the ones that stand in an output that a ref in the view opens.
     */
    with_refs: number;
    /**
     * Of the user's constraints: those that stand in the view word for word.
     */
    constraints: number;
}

/**
 * What `prepare` failed with.
 */
export interface SimulatedError {
    /**
     * The error's code.
     */
    code: ErrorCode;
    /**
     * Its message.
     */
    message: string;
}

/**
 * What a model call's prompt costs, and what was given up for it (GRAPH-8).
 */
export interface ContextCost {
    /**
     * Tokens that the prompt may take, as the model counts, like all figures here; `null` where neither model nor window is known.
     */
    limit: number | null;
    /**
     * The last estimate of the prompt's tokens: of the final prompt, or of the smallest that was tried.
     */
    estimated_tokens: number;
    /**
     * What was given up, in order.
     */
    decisions: CostDecision[];
}

/**
 * What a model's tokens cost, in US dollars a token.
 */
export interface Rates {
    /**
     * Input that no cache serves.
     */
    input_cost_per_token: number;
    /**
     * Output.
     */
    output_cost_per_token: number;
    /**
     * Input that the prompt cache serves; left out where there is no discount.
     */
    cache_read_input_token_cost?: number;
    /**
     * Input that is written to the cache, where that costs extra (Anthropic).
     */
    cache_creation_input_token_cost?: number;
}

/**
 * What a node is.
 */
export type NodeType = "user_message" | "agent_message" | "task" | "summary" | "system_message" | "developer_message";

/**
 * What a pass took out of the prompt cache in a replayed transcript.
 */
export interface CacheBreak {
    /**
     * The pass; `null` where it was none: the transcript's header changed, or a late output went to its call.
     */
    pass: PassName | null;
    /**
     * Calls before which it did.
     */
    calls: number;
    /**
     * Tokens that the calls before had in the cache, and these did not find: their `cache_lost_tokens`.
     */
    tokens: number;
}

/**
 * What a run did to the view, and why: the product as much as the view is.
 *
 * Tokens are as counted, and sum up; `window`, `limit`, `threshold` and `context_cost` are in the model's own tokens:
 * counted ones times `counter.calibration`, as in `counter.corrected_tokens`.
 */
export interface Report {
    /**
     * The model's context window in tokens, `null` where neither model nor window is known.
     */
    window: number | null;
    /**
     * Tokens that a view may take: min(max input, window − reserved output). In the model's own tokens: `counter.corrected_tokens`
     * is what is held against it.
     */
    limit: number | null;
    /**
     * limit × thresholdRatio: where `shouldCompact` begins to say yes.
     */
    threshold: number | null;
    /**
     * What this run aimed at, in counted tokens: divided by `counter.calibration` already. A fold may go far below it, for all but
     * the last `retainLastTurns` turns become the summary, whatever room there is; with `fill` as much stays as fits.
     */
    target: number | null;
    /**
     * Tokens of the view before the run; tool outputs trimmed since the last report count as before.
     */
    tokens_before: number;
    /**
     * Tokens of the view after it, as counted: where `counter.calibration` is below 1, it may be more than `limit` though the view
     * fits; compare `counter.corrected_tokens`.
     */
    tokens_after: number;
    /**
     * Messages in the view before.
     */
    messages_before: number;
    /**
     * Messages in the view after.
     */
    messages_after: number;
    /**
     * `1 - tokens_after / tokens_before`, 0 to 1.
     */
    reduction: number;
    /**
     * Token budgets of passes that have one, by name.
     */
    budgets: Record<string, number>;
    /**
     * How tokens were counted.
     */
    counter: CounterReport;
    /**
     * Tokens and messages by part; the tokens sum to `tokens_after`.
     */
    parts: PartReport[];
    /**
     * How the tool outputs of the view stand in it, in messages.
     */
    tool_outputs: OutputCounts;
    /**
     * What was decided, in order.
     */
    decisions: Decision[];
    /**
     * What left the view since the report before, with the way back.
     */
    left_out: LeftOut[];
    /**
     * Tokens at the view's beginning that are as they were: what the provider's prompt cache can still serve.
     */
    stable_prefix_tokens: number;
    /**
     * What the call costs that this view is for, in the ladder document's words: of `prepare` and `recover`, also where they
     * failed.
     */
    context_cost?: ContextCost;
    /**
     * The summary, where one was put in.
     */
    summary?: SummaryReport;
    /**
     * What you may not expect of how the session is set up, in words, for as long as it holds: no window is known, so that no limit
     * is kept; `contextWindow` is larger than what is known of the model; a `summarize` that a saved session had is missing.
     */
    notices?: string[];
}

/**
 * What an edit of the view costs the provider's prompt cache, and what it is expected to save.
 */
export interface CacheCost {
    /**
     * Tokens behind the edit that the cache had, and that the next call writes to it again.
     */
    reread_tokens: number;
    /**
     * Tokens that each of the next calls is shorter by.
     */
    saved_per_call: number;
    /**
     * How many calls are expected until the view is full again: as many as there is room for, at the size of the newest ones, and
     * no more than there were so far.
     */
    expected_calls: number;
    /**
     * What that costs once: `reread_tokens` at the price of writing to the cache, less that of reading from it. In tokens of
     * input at the model's list price, as `saves`; what a summary was asked for is not in it.
     */
    cost: number;
    /**
     * What it saves: `saved_per_call` in each of the `expected_calls`, at the price of input that the cache serves.
     */
    saves: number;
}

/**
 * What kind of entry a message is, for passes that act by type.
 */
export type ItemType = "SYSTEM_PROMPT" | "SUBAGENT_STRATEGY" | "SKILL_STRATEGY" | "USER_MESSAGE" | "ASSISTANT_MESSAGE" | "TOOL_RESULT" | "SKILL_PROMPT" | "SKILL_METADATA" | "COMPACTION_SUMMARY" | "MEMORY" | "INJECTION";

/**
 * What one model call used, in tokens. No cached token is counted twice.
 */
export interface TokenUsage {
    /**
     * Input that was neither read from nor written to the prompt cache.
     */
    input_tokens: number;
    /**
     * Output, reasoning included.
     */
    output_tokens: number;
    /**
     * Input written to the prompt cache.
     */
    cache_creation_tokens: number;
    /**
     * Input read from the prompt cache.
     */
    cache_read_tokens: number;
    /**
     * input + `cache_creation` + `cache_read` + output.
     */
    total_tokens: number;
}

/**
 * What one request costs, in US dollars.
 */
export interface Costs {
    /**
     * Input that no cache served; where writing to the cache has its price, at that.
     */
    input: number;
    /**
     * Input that the prompt cache served.
     */
    cached: number;
    /**
     * Output.
     */
    output: number;
}

/**
 * What the conversation's summary covers, in the words of the rolling document.
 */
export interface SummaryState {
    /**
     * The summary's text; empty while the first one is being written.
     */
    summary: string;
    /**
     * How many messages of `session.messages`, from the first on, stand before the newest one that it covers, that one
     * included.
     */
    summarized_until: number;
    /**
     * Tokens that it takes.
     */
    summary_tokens: number;
    /**
     * When it was written, by the option `now`; `null` without one.
     */
    created_at: number | null;
    /**
     * How many messages it stands for, those of earlier summaries included.
     */
    message_count: number;
    /**
     * Tokens of these messages, as they were pushed.
     */
    original_tokens: number;
    /**
     * `1 - summary_tokens / original_tokens`.
     */
    compression_rate: number;
    /**
     * A summary is being written right now. Never saved: a process that dies while it waits leaves no lock behind.
     */
    is_summarizing: boolean;
}

/**
 * What the summary cost, and how it came to be.
 */
export interface SummaryReport {
    /**
     * How often it was asked for.
     */
    attempts: number;
    /**
     * What the callback reported as usage, all attempts together.
     */
    usage?: TokenUsage;
    /**
     * Tokens of the carry-over ledger in the summary.
     */
    ledger_tokens: number;
    /**
     * What found no room in the carry-over ledger and stands nowhere else in the view; absent where that is nothing.
     */
    ledger_left_out?: LedgerLeftOut;
    /**
     * What was done instead of what was asked, in words (missing tags, the extractive summariser …), with the code and the message of
     * what failed.
     */
    fallback?: string;
}

/**
 * What was done to one entry.
 */
export interface RepairChange {
    /**
     * The index of the entry in what was handed in (of the call, for an output that was put in).
     */
    index: number;
    /**
     * The rule that was broken there.
     */
    rule: string;
    /**
     * What was done.
     */
    what: string;
}

/**
 * What went wrong, as a stable code. The code is the contract; the message may change.
 */
export type ErrorCode = "NOT_INITIALIZED" | "INVALID_CONFIG" | "INVALID_MESSAGE" | "INVALID_ARGUMENT" | "UNKNOWN_MODEL" | "UNKNOWN_REF" | "ENCODING_INVALID" | "ENCODING_UNSUPPORTED" | "CONTEXT_WINDOW_EXCEEDED" | "BUDGET_IMPOSSIBLE" | "SUMMARY_FAILED" | "SUMMARY_EMPTY" | "SUMMARY_TRUNCATED" | "SUMMARY_NOT_SMALLER" | "SUMMARY_INVALID" | "STALE_PLAN" | "ABORTED" | "GRAPH_CONSTRAINT" | "SAFETY_LIMIT_EXCEEDED" | "SNAPSHOT_INVALID" | "SNAPSHOT_TOO_NEW" | "STORE_FAILED" | "STORE_CONFLICT" | "FREED" | "INTERNAL";

/**
 * Where a tool output's full content lies.
 *
 * On a message that is pushed, a ref of the caller's own stays if it opens this output, or a longer text around it that was put
 * under that id by hand, or if nothing is stored there yet. One that opens another tool's answer is replaced: each answer has
 * a ref that opens it.
 */
export interface ToolOutputRef {
    /**
     * The ref: what `tool_output_cache({ ref_id })` is called with.
     */
    id: string;
    /**
     * UTF-8 bytes of the full content.
     */
    byte_size?: number;
    /**
     * Lines of the full content.
     */
    line_count?: number;
}

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



/**
 * A conversation as a graph: lanes of nodes, edges between them, folds that stand in for nodes and unfold again.
 *
 * A **lane** is an append-only sequence of nodes. A **fold** is a summary that stands in for nodes of one lane; it hides
 * them and changes none. An operation that fails changes nothing. Appending costs what is appended, a view what it returns,
 * whatever the graph holds.
 *
 * ```js
 * const graph = new ContextGraph();
 * const ask = graph.addNode({ type: "user_message", content: "Which colour?" });
 * const answer = graph.addNode({ type: "agent_message", content: "Blue." });
 * const next = graph.addNode({ type: "user_message", content: "And the shape?" });
 * const fold = graph.compress([ask, answer], "The colour is blue.");
 * graph.contextForFull(next).map((node) => node.id); // [fold, next]
 * graph.expand(fold);
 * graph.contextForFull(next).map((node) => node.id); // [ask, answer, next]
 * ```
 */
export class ContextGraph {
    /** Frees its memory at once, not when it is collected. A use afterwards throws `FREED`; freeing twice does nothing. */
    free(): void;
    /** `free`, for `using`. */
    [Symbol.dispose](): void;
    /**
     * Adds an edge; `kind` is `"sequence"` by default. One that is there already changes nothing. An edge of a summary is one
     * of what it stands in for: of its last node where it leads out, of its first where it leads in.
     *
     * @throws {ContextError} `GRAPH_CONSTRAINT` with the ids: a missing or folded node, or an edge that would close a cycle (no
     * edge runs against a lane's own time); `SAFETY_LIMIT_EXCEEDED`.
     */
    addEdge(from: string, to: string, kind?: EdgeKind): void;
    /**
     * Appends a node to its lane and gives its id.
     *
     * `after` says what it comes after: by default the lane's last node, or the node at which the lane was forked off. That is
     * a `sequence` within a lane; from another lane it is a `branch` into the lane's first node and a `dependency` into any
     * later one. `[]`: after nothing.
     *
     * ```js
     * const agent = graph.addNode({ type: "agent_message", message: { role: "assistant", tool_calls } });
     * const tasks = tool_calls.map((call) => graph.addNode({ id: call.id, type: "task", state: "running", after: agent }));
     * graph.addNode({ type: "agent_message", state: "pending", after: tasks });
     * ```
     *
     * @throws {ContextError} `GRAPH_CONSTRAINT` with the ids: one that is taken, one to come after that is missing or folded;
     * `SAFETY_LIMIT_EXCEEDED`; `INVALID_MESSAGE` for a malformed message or content; `INVALID_ARGUMENT`.
     */
    addNode(node: GraphNodeInput): string;
    /**
     * Folds nodes into a summary, which stands in their place in every view, and gives the summary's id. Summaries can be folded
     * in their turn.
     *
     * The nodes and their edges stay as they are, marked with `compressed_at`; edges to and from other nodes are re-laid to the
     * summary. Instructions of the lane that stand between the nodes stay, and so does what was forked off between them.
     *
     * @throws {ContextError} `GRAPH_CONSTRAINT` with the ids where a node is missing, folded already, not finished, or of another
     * lane; where no blocking edge leads out of them, for a summary is never a leaf; and where a node that is left out comes
     * after one of them and before another. `SUMMARY_EMPTY`, `SAFETY_LIMIT_EXCEEDED`.
     */
    compress(ids: string[], summary: string): string;
    /**
     * A node's context: its ancestors in order and itself; summaries stand in for what they fold.
     *
     * With `limitTurns`: the last so many turns of them, what these depend on by `dependency`, and all that is pinned (system
     * and developer messages, summaries). A turn begins with a user message of the node's own lane, or of those it was forked
     * from. An edge of kind `branch` is followed into a lane's first node only: what comes back from a forked lane brings its
     * result, not its story. The order is topological and keeps each lane's time.
     *
     * ```js
     * const messages = graph.contextForFull(id, { limitTurns: 3 }).map((node) => node.content);
     * ```
     *
     * @throws {ContextError} `GRAPH_CONSTRAINT` for a missing or folded node; `SAFETY_LIMIT_EXCEEDED` for more than
     * `maxContextNodes`; `INVALID_ARGUMENT`.
     */
    contextForFull(id: string, options?: { limitTurns?: number }): GraphNode[];
    /**
     * All edges in the order in which they entered, hidden ones among them; then those that folds laid in their place.
     */
    edges(): GraphEdge[];
    /**
     * Undoes a fold: the graph is as if it had never been made, with what was appended since. What came after the summary comes
     * after the last node that it stood in for. A fold of folds gives back the folds.
     *
     * @throws {ContextError} `GRAPH_CONSTRAINT` for a missing node, one that is no fold's summary, and a fold that is folded.
     */
    expand(summaryId: string): void;
    /**
     * Opens a lane that begins at a node: it sees what that node sees, and goes its own way.
     *
     * ```js
     * graph.fork(agent, "researcher");
     * const found = graph.addNode({ type: "agent_message", lane: "researcher", content: "Found it." });
     * const task = graph.addNode({ type: "task", content: "Found it." });
     * graph.addEdge(found, task, "branch"); // the result came from there; the parent's view does not hold its story
     * ```
     *
     * @throws {ContextError} `GRAPH_CONSTRAINT` for a missing or folded node; `INVALID_ARGUMENT` for a lane that is there already.
     */
    fork(id: string, lane: string): void;
    /**
     * An empty graph. What goes beyond its limits is refused with `SAFETY_LIMIT_EXCEEDED` and both figures.
     *
     * @throws {ContextError} `INVALID_CONFIG` naming the key.
     */
    constructor(options?: ContextGraphOptions);
    /**
     * All nodes in the order in which they entered, folded ones and summaries among them.
     */
    nodes(): GraphNode[];
    /**
     * The graph of these bytes; those of an older version are read, too.
     *
     * @throws {ContextError} `SNAPSHOT_TOO_NEW`, `SNAPSHOT_INVALID`.
     */
    static restore(bytes: Uint8Array): ContextGraph;
    /**
     * Says how far a node's work has come.
     *
     * @throws {ContextError} `GRAPH_CONSTRAINT` for a missing or folded node, and for a fold's summary.
     */
    setState(id: string, state: NodeState): void;
    /**
     * The graph as bytes, the same for the same graph; its limits are part of it.
     */
    snapshot(): Uint8Array;
}

/**
 * The `inputItems` of the Responses API for those who keep them by hand.
 *
 * Between compactions the list only grows. After one, `rebuild` makes it anew from the compacted messages: items whose
 * messages are untouched stay the very objects they were, what the model put out and no longer fits is discarded.
 *
 * ```js
 * const history = new OpenAIHistoryAdapter([{ role: "user", content: "Go" }]);
 * history.append(response.output);
 * history.rebuild((await session.prepare()).messages);
 * await client.responses.create({ model, input: history.inputItems });
 * ```
 */
export class OpenAIHistoryAdapter {
    /** Frees its memory at once, not when it is collected. A use afterwards throws `FREED`; freeing twice does nothing. */
    free(): void;
    /** `free`, for `using`. */
    [Symbol.dispose](): void;
    /**
     * Appends items: what the caller adds, or what a response brought in its `output`.
     *
     * @throws {ContextError} `INVALID_MESSAGE` with the index of the item, `INVALID_ARGUMENT` where `inputItems` was frozen; nothing
     * is appended then.
     */
    append(items: object | object[]): void;
    /**
     * A history of these items.
     *
     * @throws {ContextError} `INVALID_MESSAGE` with the index of the item.
     */
    constructor(input_items?: object[]);
    /**
     * Makes the items anew from compacted messages, in place, and gives the list.
     *
     * An array that a session gave (`prepare`, `lower`, `view("messages")`) is known as long as it holds what it held and is that
     * session's view: it does not cross again, and an object of it that was changed meanwhile counts as it was pushed. Any other
     * list, a copy of the array too, is read as it stands.
     *
     * @throws {ContextError} `INVALID_MESSAGE` with the index of the message, `INVALID_ARGUMENT` where `inputItems` was frozen;
     * nothing has changed then.
     */
    rebuild(compacted: Message[]): object[];
    /**
     * The items, as the Responses API takes them: one live array, changed in place. Add to it by `append`: what else is done to
     * the array lasts until the next `rebuild`.
     */
    readonly inputItems: EntryOf<"openai-responses">[];
}

/**
 * A recorded transcript, read once, to be replayed under as many options as one likes: what `simulate` does with one call.
 *
 * ```js
 * import { Recording } from "contextfold";
 *
 * const recording = new Recording("openai-responses", items);
 * for (const contextWindow of [32_000, 64_000, 128_000]) console.log(recording.simulate({ contextWindow, presets: ["contextfold"] }).runs[0].cost);
 * const session = recording.sessionAt(12, { contextWindow: 32_000 });   // as it stood before the thirteenth answer
 * ```
 */
export class Recording {
    /** Frees its memory at once, not when it is collected. A use afterwards throws `FREED`; freeing twice does nothing. */
    free(): void;
    /** `free`, for `using`. */
    [Symbol.dispose](): void;
    /**
     * Reads a transcript: a list, a request body or a response.
     *
     * @param options `tools`: definitions of the tools that the model is given, in any format; they count with every call.
     * @throws {ContextError} `INVALID_MESSAGE` with the index of an entry that is malformed; `INVALID_ARGUMENT` for a format that
     * there is not, and for an input without a list.
     */
    constructor(format: Format, input: unknown, options?: { tools?: unknown[] });
    /**
     * A replay that goes forward when it is told to, so that a page can draw, show how far it is, and stop in between.
     *
     * ```js
     * const replay = recording.replay({ contextWindow: 32_000 });
     * while (replay.advance(200)) console.log(`${Math.round(100 * replay.share)} %`);   // the calls: tokens, folds, money
     * while (replay.look(200));                                                       // what of the facts was still there
     * console.log(replay.run().retention);
     * ```
     * @param options As for `sessionAt`.
     * @throws {ContextError} As `simulate`.
     */
    replay(options?: Omit<SimulateOptions, "presets" | "tools"> & { ladder?: PresetName | LadderEntry[] }): Replay;
    /**
     * The session as it stood before the answer to a call: replayed up to there as `simulate` does it. It is yours: go on with
     * it, and free it.
     *
     * @param call The call's index from 0. From the number of `calls` on: all that was said, prepared for the call that would be next.
     * @param options As for `Session`, its `ladder` included, but for `summarize`, which a replay does not ask.
     * @throws {ContextError} As `simulate`; `INVALID_ARGUMENT` for a `call` that is no index.
     */
    sessionAt(call: number, options?: Omit<SimulateOptions, "presets" | "tools"> & { ladder?: PresetName | LadderEntry[] }): Session;
    /**
     * Replays it under several ladders: see the function `simulate`. `tools` are those of the recording.
     *
     * @throws {ContextError} As `simulate`.
     */
    simulate(options?: Omit<SimulateOptions, "tools">): Simulation;
    /**
     * How many model calls it has.
     */
    readonly calls: number;
}

/**
 * A transcript on its way through a session: see `Recording.replay`. Free it when it is not needed any more.
 */
export class Replay {
    private constructor();
    /** Frees its memory at once, not when it is collected. A use afterwards throws `FREED`; freeing twice does nothing. */
    free(): void;
    /** `free`, for `using`. */
    [Symbol.dispose](): void;
    /**
     * Replays up to `calls` further calls (default: all); true while there are more.
     *
     * @throws {ContextError} `INVALID_MESSAGE` for a message that cannot be taken in; `INVALID_ARGUMENT` for what is no number of calls.
     */
    advance(calls?: number): boolean;
    /**
     * Looks for the facts in the views of up to `calls` further calls (default: all), once all were replayed; true while there
     * are more.
     *
     * @throws {ContextError} `INVALID_ARGUMENT` while `advance` has calls left, for a fact may come with any of them; and for what is no
     * number of calls.
     */
    look(calls?: number): boolean;
    /**
     * The run as far as it has come: what `simulate` gives of one ladder. Its `retention` is that of the calls that were looked at.
     */
    run(): SimulatedRun;
    /**
     * The session as it stood before the answer to a call: as `Recording.sessionAt` gives it, from where this replay has been near
     * it. It is yours: go on with it, and free it.
     *
     * @param call The call's index from 0. From the number of calls on: all that was said, prepared for the call that would be next.
     * @throws {ContextError} `INVALID_ARGUMENT` for a `call` that is no index.
     */
    sessionAt(call: number): Session;
    /**
     * How far it has come, 0 to 1.
     */
    readonly share: number;
}

/**
 * One agent's conversation, kept inside its context window.
 *
 * **History** is what was pushed; it only grows. The **view** is what the model is sent next: the header, then the
 * history under the folds and trims so far. Nothing that leaves the view is lost.
 *
 * ```js
 * import { Session } from "contextfold";
 *
 * const session = new Session({
 *   model: "gpt-5",
 *   summarize: async (request, { signal }) => {
 *     const answer = await client.responses.create({ ...request.as("openai-responses"), model: "gpt-5-mini" }, { signal });
 *     return { text: answer.output_text, usage: answer.usage };
 *   },
 * });
 * session.push({ role: "user", content: "Why does the build fail?" });
 * const { messages, report } = await session.prepare();
 * ```
 */
export class Session {
    /** Frees its memory at once, not when it is collected. A use afterwards throws `FREED`; freeing twice does nothing. */
    free(): void;
    /** `free`, for `using`. */
    [Symbol.dispose](): void;
    /**
     * After a model call: records its usage, as `recordUsage`, and folds if that is due. Resolves to the report, or to `null` where
     * nothing was to be done. The agent goes on: where no summary could be had and the view fits without, the report says so
     * (`summary.fallback`, and its decisions), and an event (`compaction_failed`).
     *
     * @throws {ContextError} as `compact`, but for want of a summary only where the view does not fit without one.
     */
    afterModelCall(usage: unknown, options?: { signal?: AbortSignal | undefined }): Promise<Report | null>;
    /**
     * After tools ran: folds if that is due, judged by the last usage.
     *
     * @throws {ContextError} as `afterModelCall`.
     */
    afterToolExecution(options?: { signal?: AbortSignal | undefined }): Promise<Report | null>;
    /**
     * Once before the final answer is returned: folds if that is due.
     *
     * @throws {ContextError} as `afterModelCall`.
     */
    beforeFinalAnswer(options?: { signal?: AbortSignal | undefined }): Promise<Report | null>;
    /**
     * What is new since a position, as records of a journal: `Session.restore(snapshot, { changes })` puts them in again, without
     * counting a token. Where a store keeps sessions, `save` and `load` do this by themselves; see `docs/stores.md`.
     *
     * ```js
     * const snapshot = session.snapshot();
     * const { position } = session; // of the snapshot
     * session.push({ role: "user", content: "And the tests?" });
     * const changes = session.changes(position); // some hundred bytes
     * const again = Session.restore(snapshot, { position, changes });
     * ```
     * @param since A position that the session had. The newest records are kept in memory, up to 256 KiB of them.
     * @returns Records, empty where nothing changed; `null` where they are not kept any more: take a `snapshot`.
     */
    changes(since: number): Uint8Array | null;
    /**
     * Folds if `shouldCompact()` says so. Resolves to the report, or to `null` where nothing was to be done.
     *
     * @throws {ContextError} as `compact`, also for want of a summary where the view would fit without: it is asked for. The hooks
     * of an agent loop (`afterModelCall` …) go on there.
     */
    checkAndCompact(options?: { signal?: AbortSignal | undefined }): Promise<Report | null>;
    /**
     * Folds in any case: everything but the last `retainLastTurns` turns becomes a summary; where these alone exceed the
     * target, the oldest of them loses its earlier steps to the summary. Where there is nothing to fold, resolves to a report
     * without decisions. A compaction that is under way is joined; with `instructions` its end is waited for, and then what
     * is left is folded with them (where nothing is, a decision says that they went to no summariser).
     *
     * @throws {ContextError} `SUMMARY_FAILED`, `SUMMARY_EMPTY`, `SUMMARY_TRUNCATED`, `SUMMARY_NOT_SMALLER`, `SUMMARY_INVALID`;
     * `STALE_PLAN` where what was to be folded was rewritten meanwhile; `BUDGET_IMPOSSIBLE` where header, tools and pins alone exceed the
     * limit; `STORE_CONFLICT` where another process saved the session meanwhile; `INVALID_ARGUMENT` inside a `summarize` of its own;
     * `ABORTED`, `FREED`. History and view are as they were then.
     */
    compact(options?: { signal?: AbortSignal | undefined; instructions?: string | undefined }): Promise<Report>;
    /**
     * Erases what a message says, for good: from the history, the view, the tool output cache, and from every summary that was made
     * of it, which the built-in summariser writes anew. That there was a message, who called which tool, and which call it answers
     * stays, so that what the provider gets stays valid. The next `save` writes all of the session anew, and what was saved before is
     * gone from the store then.
     *
     * What is not erased: what other messages say of it; sessions that were forked off, which have it themselves; the objects that
     * you pushed. A tool output that lives in the store alone (`toolOutputCache.memoryBytes`) goes when the store is swept.
     *
     * ```js
     * const folds = session.erase("m17"); // ids of the summaries that were written anew
     * await session.save(store, key);
     * ```
     * @returns The ids of the folds whose summaries were written anew.
     * @throws {ContextError} `INVALID_ARGUMENT` for an unknown id, and for what the engine wrote; `GRAPH_CONSTRAINT` for a part of a
     * run of a provider's own tool that stands in two messages. Nothing has changed then.
     */
    erase(id: string): string[];
    /**
     * Waits for what is under way: a summary that is being written, in the background (`compaction.background`) or for a call that
     * waits; saves, and tool outputs on their way into the store. What was written in the background is put in by the next `prepare`
     * or compaction.
     *
     * @param options `signal`: ends the wait, and nothing else: what is under way goes on.
     * @throws {ContextError} the first error since the last call: `STORE_FAILED`, and nothing in memory is lost; `ABORTED`.
     */
    flush(options?: { signal?: AbortSignal | undefined }): Promise<void>;
    /**
     * Every fold that was made, the newest last.
     */
    folds(): FoldInfo[];
    /**
     * Makes a session of its own that begins with the history up to and including a message: a second try, or a sub-agent that
     * knows what led to its task. Nothing is copied but the list: messages, and the outputs stored so far, are shared. From
     * there on the two know nothing of each other, until `merge`.
     *
     * The options given replace those of this session, key by key; the others stay. A `model` or a `tokenizer` counts the
     * history anew. `lane` names the branch in `graph` (default `fork_1`, `fork_2`, …).
     *
     * ```js
     * const child = session.fork(agent, { lane: "researcher", contextWindow: 32_000 });
     * child.push({ role: "user", content: "Find out which versions are affected." });
     * // … run the sub-agent on `child` …
     * session.merge(child, { tool_call_id: "call_7" });
     * ```
     * @throws {ContextError} `INVALID_ARGUMENT` as `rewind`, and for a lane that there is already; `INVALID_CONFIG`,
     * `UNKNOWN_MODEL` as the constructor.
     */
    fork(id: string, options?: { lane?: string } & Partial<SessionOptions>): Session;
    /**
     * The messages of the view with what the engine knows of each: tokens, type, how it stands.
     */
    items(): Item[];
    /**
     * All that the view does not show now as it was pushed, in the history's order: what became of each message, why, which pass it
     * was, and the way back. `report.left_out` tells what a run changed; this tells what is so, whenever it was changed.
     *
     * ```js
     * for (const { id, state, pass, why, back } of session.leftOut()) console.log(id, state, pass, why, back);
     * ```
     */
    leftOut(): LeftOutNow[];
    /**
     * Loads a session that was saved. The store is its `store`, too, unless `options` name another.
     *
     * @param options As for `Session.restore`.
     * ```js
     * const session = await Session.load(store, "chat-17", options).catch((error) => {
     *   if (error.code !== "UNKNOWN_REF") throw error;
     *   return new Session(options); // nothing is saved yet
     * });
     * ```
     * @throws {ContextError} `UNKNOWN_REF` where nothing is saved under the key; `STORE_FAILED` for a store that fails or gives what
     * was never stored; `SNAPSHOT_TOO_NEW`, `INVALID_CONFIG`, `UNKNOWN_MODEL`.
     */
    static load(store: Store, key: string, options?: SessionOptions): Promise<Session>;
    /**
     * The three hooks of an agent loop as one wrapper: each runs what it is given, then folds if that is due.
     *
     * `modelCall` looks for `usage` in the answer; `toolExecution` passes through what the tools gave; `finalAnswer` folds
     * once before the answer is handed on. What your function gives always comes back; a compaction that fails is told by
     * the event `compaction_failed` and by `report`.
     */
    loop(): AgentLoop;
    /**
     * The view as messages: the header, then the conversation under folds and trims. The same as `view("messages")`.
     */
    lower(): Message[];
    /**
     * What is held: bytes of the module's memory, all sessions together, which never shrinks; bytes of this session's tool outputs in it;
     * messages of its history.
     */
    memory(): { wasm_bytes: number; outputs_bytes: number; messages: number };
    /**
     * Takes a branch's result in, the text of its last answer: as the output of an open tool call, or as a user message.
     *
     * @throws {ContextError} `INVALID_ARGUMENT` for a session that this one's `fork` did not give, and for a call that does not
     * wait for an output; `GRAPH_CONSTRAINT` where the branch has no answer yet, and where it was merged before; `FREED` for a
     * branch that was freed. Nothing has changed then.
     */
    merge(child: Session, as: { tool_call_id: string } | { role: "user" }): void;
    /**
     * The message with this id, as it was pushed, whatever the view shows of it; `undefined` where none has it.
     */
    message(id: string): Message | undefined;
    /**
     * An empty session.
     *
     * @param options See `SessionOptions`; all have defaults.
     * @throws {ContextError} `INVALID_CONFIG` naming the key, for an unknown key, a wrong type or a number out of range;
     * `UNKNOWN_MODEL` for a model that neither the built-in table nor `options.models` knows.
     */
    constructor(options?: SessionOptions);
    /**
     * Listens to events of one name, or to all (`*`), in order. What comes back takes the listener off.
     */
    on(event: EventName | "*", listener: (event: Event) => void): () => void;
    /**
     * Pins a message, or a piece of its text: it stands verbatim in every view from now on.
     *
     * A message stands in its place. A piece of one stands in a user message of its own before the conversation (behind
     * the summary, where there is one), whatever becomes of the message that it was taken from. What is pinned is never shortened; pins that alone exceed
     * the limit make `prepare` and `compact` fail with `BUDGET_IMPOSSIBLE`.
     *
     * @throws {ContextError} `INVALID_ARGUMENT` for an id that there is not, and for a text that the message does not hold.
     */
    pin(target: string | { id: string; text: string }): void;
    /**
     * What a compaction would do: what it folds, keeps and trims, what it asks, and the tokens. Nothing changes.
     *
     * It is the ladder of `prepare` with one fold, whether that is due or not. `apply` does just that, and makes the view fit
     * as `prepare` does; it rejects as `compact` does where no summary could be had.
     *
     * ```js
     * const plan = session.plan();
     * if (plan.folded.length > 0 && confirm(`Fold ${plan.folded.length} messages?`)) await plan.apply({ keep: ["m3"] });
     * ```
     * @param options `ifDue`: fold only what `prepare` would fold now; `fill` as for `prepare`; `instructions` as for
     * `compact`.
     * @throws {ContextError} `BUDGET_IMPOSSIBLE` where header, tools and pins alone exceed the limit.
     */
    plan(options?: { ifDue?: boolean; fill?: boolean; instructions?: string }): Plan;
    /**
     * Makes the view fit and resolves to it, with the report. May ask for a summary.
     *
     * A cut goes down to the low mark (`lowRatio`), so that the next message does not need another. `fill` keeps as much as the limit
     * has room for instead, and touches nothing that fits: for a conversation that does not go on (`compactMessages` does so).
     *
     * `idleMs` says how many milliseconds ago the last model call was. Past the life of the provider's prompt cache
     * (`promptCache.lifeMs`, five minutes) an edit takes nothing from it, so a compaction that is near, from 90 % of the threshold on, is done now;
     * before, one that is due waits until the limit. Without it, a compaction comes at the threshold.
     *
     * @throws {ContextError} as `compact`, but for want of a summary only where the view does not fit without one; and
     * `CONTEXT_WINDOW_EXCEEDED` where every pass ran in vain.
     */
    prepare(options?: { signal?: AbortSignal | undefined; fill?: boolean | undefined; idleMs?: number | undefined }): Promise<Prepared>;
    /**
     * Takes items or messages of a format in: a list, one of them, a request body (its header too) or a response, as the
     * provider's SDK gives it; of the AI SDK a result's `response`, or its messages.
     *
     * @throws {ContextError} `INVALID_MESSAGE`, or `INVALID_ARGUMENT` for a format that there is not.
     */
    pushFrom(format: Format, input: unknown): string[];
    /**
     * Takes one message or several in, all or none, and gives their ids.
     *
     * Tool outputs are stored whole and cut at once for the view; when they exceed their budget together, the oldest
     * become placeholders. A summary is never asked for here.
     *
     * Push a message when it is complete: it is counted and kept as it is now, and what is changed in its object later is not seen
     * (`freezeInputs`: such a change throws).
     *
     * @throws {ContextError} `INVALID_MESSAGE` with the index and the reason: a missing role, a tool output without its
     * call, a call id that is still open, a part of another format (that goes in by `pushFrom`). Nothing has changed then.
     */
    push(input: Message | Message[]): string[];
    /**
     * Remembers what a model call used: the provider's own usage object (`OpenAI` Responses or Chat Completions,
     * Anthropic, AI SDK). `shouldCompact` judges by the last one since the last compaction. `undefined` and `null`, where a
     * provider reports none, record nothing (and come back as zeros): counted tokens judge then.
     *
     * @throws {ContextError} `INVALID_ARGUMENT` for an object of none of these shapes.
     */
    recordUsage(usage: unknown): TokenUsage;
    /**
     * When a provider refuses a request for its size all the same: makes the view smaller and resolves to it, to try again with.
     * Resolves to `null` for any other error.
     *
     * A refusal by bytes, by the number of images or by an image's size or dimensions changes the option `media`, and the oldest media
     * become placeholders; limits in tokens stay.
     *
     * The error may be whatever a client threw, or a provider's body or text: what says "too long" is looked for in its message, its
     * body and its causes. The limit that it names holds from now on (`session.limit`), in the model's own tokens; where the provider
     * counted more tokens than we did, counts are corrected by as much from now on (`counter.calibration`; with `calibrate: false`
     * the limit is smaller by as much instead). Without figures, a quarter of the view goes.
     *
     * ```js
     * for (;;) {
     *   try {
     *     return await client.messages.create({ model, max_tokens, ...session.view("anthropic") });
     *   } catch (error) {
     *     if (!(await session.recover(error))) throw error;
     *   }
     * }
     * ```
     * @throws {ContextError} `CONTEXT_WINDOW_EXCEEDED` on the fourth time in a row without an answer (an assistant message) pushed in
     * between; else as `prepare`.
     */
    recover(error: unknown, options?: { signal?: AbortSignal | undefined }): Promise<Prepared | null>;
    /**
     * Catches up with what other processes saved of this session since it was loaded or saved: only what is new is read. Whether
     * anything was.
     *
     * ```js
     * await session.refresh(); // before a turn, where several servers work on one conversation
     * ```
     * @throws {ContextError} `STORE_CONFLICT` where others saved, and this session has changes of its own that were not saved: load
     * it again, and push what is new; also where it was removed. `INVALID_ARGUMENT` where the session was neither loaded nor
     * saved, and while a compaction is under way; `STORE_FAILED`. The session is as it was then.
     */
    refresh(): Promise<boolean>;
    /**
     * Puts a summary in again that an earlier process saved: the messages that it covers are folded under it.
     *
     * ```js
     * localStorage.setItem("summary", JSON.stringify(session.summaryState)); // … and your messages, where you keep them
     *
     * const later = new Session({ contextWindow: 128_000, ladder: "rolling" });
     * later.push(savedMessages);
     * later.restoreSummary(JSON.parse(localStorage.getItem("summary")));
     * ```
     * @param state What `summaryState` gave. `is_summarizing` is not looked at: whoever was writing a summary is gone.
     * @throws {ContextError} `INVALID_ARGUMENT` for a state of another shape, where the session has a summary already, and
     * where fewer messages were pushed than the summary covers. Nothing has changed then.
     */
    restoreSummary(state: SummaryState): void;
    /**
     * The session of these bytes, and of the `changes` behind them; those of an older version are read, too.
     *
     * @param options In the place of saved ones, key by key; functions (`summarize`, `now`, `onCost`, `compaction.redact`, a tokenizer that is
     * one) and the `store` are not saved and are given again. Without a `summarize` that there was, the built-in summariser writes, and
     * `report.notices` says so; `compaction: { redact: null }` goes on without a `redact` that there was. Other options than before prepare anew; another `model` or
     * `tokenizer` counts anew, and what usage taught of the old one is forgotten. A limit that `recover` learnt stays, unless
     * `model`, `models`, `contextWindow` or `reservedOutputTokens` is given.
     * @throws {ContextError} `SNAPSHOT_INVALID` for bytes that are damaged or none of a session, and for changes of another session, where
     * one is damaged or missing (the message names its position); `SNAPSHOT_TOO_NEW` for those of a
     * newer version of this package; `INVALID_CONFIG`, also where the session had a `compaction.redact` that is not given
     * again, and where it counted with a function or an encoding that is neither given nor loaded; `UNKNOWN_MODEL`.
     */
    static restore(bytes: Uint8Array, options?: RestoreOptions): Session;
    /**
     * Goes back to a message: what came after it leaves the view. It stays in the history (`messages`, `search`), and the next
     * report lists it. The ids of what left, and its calls, are free again. A message inside a fold is unfolded; of a step
     * that is cut in two, the calls wait for their outputs again.
     *
     * ```js
     * const [question] = session.push({ role: "user", content: "Rename it everywhere." });
     * // … the agent goes astray …
     * session.rewind(question); // as if it had just been asked
     * ```
     * @throws {ContextError} `INVALID_ARGUMENT` for an id that there is not, for a summary's, and for a message that an earlier
     * rewind or `sync` left behind.
     */
    rewind(id: string): void;
    /**
     * Saves the session in a store, under a key. A save writes what is new since the last one: some hundred bytes and the new messages.
     *
     * A session that was loaded or saved before continues what is there. Where somebody else saved under the key meanwhile, nothing is
     * overwritten: `refresh` the session, or load it again, and push what is new. A new session may not overwrite one that is there.
     *
     * ```js
     * import { fileStore } from "contextfold/stores/files";
     *
     * const store = fileStore("./sessions");
     * await session.save(store, "chat-17");
     * const again = await Session.load(store, "chat-17", { summarize });
     * ```
     * @throws {ContextError} `STORE_CONFLICT` as above; `STORE_FAILED` with the store's own error as `cause`, and nothing in memory is
     * lost; `INVALID_ARGUMENT` for a store without `getItem`, `setItem` and `removeItem`, and for a key that no store takes.
     */
    save(store: Store, key: string): Promise<void>;
    /**
     * The same in slices of some 10 ms, with the event loop free in between: what a model looks for holds nobody up. After
     * `toolOutputCache.searchMs` (2000) of work it gives what it has found by then, and a last hit (`unseen`) that says where it
     * stopped. What is pushed meanwhile is not searched.
     *
     * @throws {ContextError} as `search`.
     */
    searchAsync(query: string | RegExp, options?: { query?: string; regex?: boolean | null; ignore_case?: boolean | null; max_hits?: number | null }): Promise<Hit[]>;
    /**
     * Finds a text, or what a regular expression matches, in all that was ever pushed: folded and trimmed parts and full
     * tool outputs too. The newest come first, three places of a message at most. It takes time in proportion to the
     * history's length. Calls of the tools of `toolDefinitions` and their answers are passed over: they repeat what is
     * searched.
     *
     * A string is found letter by letter, in upper and lower case alike, and with its accents on the letters as well as apart.
     * What the tool `search_history` of `toolDefinitions` is called with can be handed on: `session.search(args.query, args)`.
     *
     * @param options `max_hits`: 20 by default, at most 1000; `ignore_case`: default true for a string, a `RegExp`'s own
     * flag for one; `regex`: the string is a regular expression.
     * @throws {ContextError} `INVALID_ARGUMENT` for an empty query, one of more than 1000 bytes (2000 for a regular expression), and
     * for what the syntax (Rust's `regex`) does not have (look-around, backreferences and `\p{…}`; `\w` has the letters of all
     * scripts). After 500 million steps, some ten seconds, it gives what it has found, and a last hit (`unseen`) that says where it
     * stopped. For what a model looks for there is `searchAsync`.
     */
    search(query: string | RegExp, options?: { query?: string; regex?: boolean | null; ignore_case?: boolean | null; max_hits?: number | null }): Hit[];
    /**
     * Says what stands in the prompt beside the conversation: between the header and the history, each counted as a part of
     * its own. A part that is named replaces what it was, and `null` or an empty list clears it; others stay. `null` for all
     * clears everything.
     *
     * - `memory`: what a search of yours found, best first: one system message `<relevant_context>…</relevant_context>`, of at
     *   most `memoryLimit` (5) results. What a pass dropped of it stays out until it is set again.
     * - `injections`: messages of your own, as they are, without calls and tool outputs.
     * - `skills`: `{ name, description?, location? }` each, as `<available_skills … />`; `location` says where the model finds it.
     * - `toolFilter`: which of the tools of `setTools` the model is given, by name; see `session.tools`.
     *
     * ```js
     * session.setContext({ memory: await search(question), toolFilter: (name) => name !== "deploy" });
     * ```
     * @throws {ContextError} `INVALID_ARGUMENT` naming the key, and where the filter throws or answers with anything but true or
     * false; `INVALID_MESSAGE` with the index of an injection. Nothing has changed then.
     */
    setContext(parts: ContextPartsInput | null): void;
    /**
     * Replaces the leading system and developer messages: a text (an empty one: none), or messages. No pass ever touches them.
     */
    setHeader(messages: Message[] | string): void;
    /**
     * Changes options; those that are not named stay as they are, key by key in `compaction` and `toolOutputCache`, too.
     *
     * Limit, threshold and counts are judged anew at once: a smaller window makes `shouldCompact()` true, and the next `prepare`
     * makes the view fit it. Another tokenizer counts the whole history again. Usage that another model reported is forgotten;
     * what was learnt from it (`calibrate`) is kept for that model. A `prepare` that waits for a summary goes on under the new
     * options, but for another `ladder`: then it fails with `STALE_PLAN`.
     *
     * @throws {ContextError} as the constructor; `INVALID_CONFIG` for an option that cannot change (`store`). Nothing has changed
     * then.
     */
    setOptions(options: Partial<SessionOptions>): void;
    /**
     * Says which tools the model is given, so that their definitions are counted, by the provider's rule where the
     * session's model has one (see `report.counter.rules`).
     */
    setTools(format: Format, tools: unknown[]): void;
    /**
     * Whether a compaction is due: `enabled`, `auto`, and the last usage since the last compaction (or else the counted
     * tokens) has reached the threshold. Always false where no window is known.
     */
    shouldCompact(): boolean;
    /**
     * The session as bytes, the same for the same session: history, view, folds, tool outputs, header, pins, what usage taught,
     * the report of the last run that ended well, and the options that are plain data. A compaction that is under way is not part of
     * it, nor is anything of one that failed: before and after it, the bytes are the same, but for the pause that the background
     * makes then (`compaction.background: true`).
     *
     * ```js
     * const bytes = session.snapshot();
     * const again = Session.restore(bytes, { summarize }); // goes on where the other one was
     * ```
     * Tool outputs that live in the store only (`toolOutputCache.memoryBytes`) stay there: the bytes name them.
     */
    snapshot(): Uint8Array;
    /**
     * Takes in what is new in a list that an SDK hands over whole with every step.
     *
     * Entry by entry the list is compared with what was pushed so far: by reference, and where an object is not the same one, by what
     * a model reads of it. Cache marks, hints for a provider, ids of items, white space around a text and the order of keys do not
     * count, and the newest form is what is sent. What stands behind the common beginning enters as with `pushFrom`. `added` tells
     * how many entries that are. Leave out an entry that is still being written: an object that is changed after it came in still
     * counts as the one that it was.
     *
     * System and developer messages that the list begins with are its header: others take their place, and nothing is rewritten.
     *
     * Where the past was rewritten (an entry is another one, or the list is shorter), `diverged_at` is the index of the first entry
     * that is not as it was, else `null`. The history keeps everything; the view goes on with the given list from there. A fold that
     * stands for what was rewritten is undone. Tool outputs that were stored already keep their refs.
     *
     * A list that begins with the view as it is now goes on from that: the view may be handed back, summaries and all.
     *
     * A body's `system` or `instructions` becomes the header, as with `setHeader`; where the next body has none, neither has the view.
     *
     * ```js
     * const { added, diverged_at } = session.sync("ai-sdk", messages);   // the SDK's own list, in every step
     * await session.prepare();
     * const fitting = session.view("ai-sdk");
     * ```
     * @throws {ContextError} `INVALID_MESSAGE`, its index counted from the first entry that is new; `INVALID_ARGUMENT` for a format
     * that there is not, and for an input without a list.
     */
    sync(format: Format, fullInput: unknown): { added: number; diverged_at: number | null };
    /**
     * Undoes a fold: its messages stand again where they stood and as they stood (what was trimmed stays trimmed, what was
     * dropped stays dropped), and its summary leaves the view. What came after the fold stays after it. A fold of folds gives
     * back the folds. `folds()` and the hits of `search` have the ids.
     *
     * As long as the view fits its limit, no fold begins on its own account until something new is there to fold; with
     * `hold: true` none at all, until the view is edited again (`rewind`, another `unfold`) or you ask for a fold. What it gives says
     * how full the view is now, and as `notice` what keeps it from folding again where it is over its threshold. The guide
     * `docs/undo.md` has previews, undoing by hand and branches.
     *
     * ```js
     * const [hit] = session.search("DATABASE_URL");
     * if (hit?.fold) session.unfold(hit.fold);
     * ```
     * @throws {ContextError} `INVALID_ARGUMENT` for an id that is no fold's; `GRAPH_CONSTRAINT` for a fold inside a later one,
     * which the error names: unfold that first.
     */
    unfold(id: string, options?: { hold?: boolean | undefined }): Undone;
    /**
     * Takes a pin off.
     *
     * @throws {ContextError} `INVALID_ARGUMENT` for an id that there is not, and for a text that is not pinned.
     */
    unpin(target: string | { id: string; text: string }): void;
    /**
     * The marks for the prompt cache that the newest `view("anthropic", { cacheMarks })` has of the engine's, in order; the last says
     * how many tokens of the view they cover.
     */
    readonly cacheMarks: CacheMark[];
    /**
     * The history as a graph: a node a message, in the session's lane, each after the one before it, outputs behind their calls
     * by a `dependency` too; folds as summaries over what they stand for; forks as lanes (a node's id there begins with the
     * lane's name), and what was merged as a node that a `branch` leads into from the lane. What a `rewind` left stays as a
     * dead end. It is drawn when it is read, and costs what is new since then.
     *
     * It is the session's own: `compress` folds (`folds()`), `expand` unfolds. What else would change it is refused with
     * `GRAPH_CONSTRAINT`, which says what does it on the session.
     */
    readonly graph: ContextGraph;
    /**
     * The passes that `prepare` runs, as the option `ladder` takes them, every option named.
     */
    readonly ladder: Pass[];
    /**
     * Tokens that a view may take: min(max input, window − `reservedOutputTokens`).
     */
    readonly limit: number | null;
    /**
     * The history: every message that was pushed, in order. Tool messages carry their `output_ref`.
     */
    readonly messages: Message[];
    /**
     * How far the session has come: a number that rises with every change that is taken note of. What is behind a position is
     * `changes(position)`. It begins at a random number, so that two sessions are not taken for one.
     */
    readonly position: number;
    /**
     * The last run's report, of a failed run too; in a snapshot is that of the last one that ended well.
     */
    readonly report: Report | null;
    /**
     * What the newest summary covers, in the rolling document's words; `null` before the first, but while that is being
     * written a state with an empty `summary` that covers nothing, for its `is_summarizing`: nothing to save yet.
     */
    readonly summaryState: SummaryState | null;
    /**
     * limit × `thresholdRatio`.
     */
    readonly threshold: number | null;
    /**
     * Tokens of the view, as counted.
     */
    readonly tokens: number;
    /**
     * The cache of full tool outputs.
     */
    readonly toolOutputs: ToolOutputCache;
    /**
     * The tools that the model is given: what `setTools` took and `toolFilter` lets through.
     */
    readonly tools: unknown[];
    /**
     * The context window in tokens; `null` where neither `model` nor `contextWindow` was given.
     */
    readonly window: number | null;
}

/**
 * The full tool outputs of a session, by ref.
 *
 * The view holds what fits; a model, or you, read the rest from here by line, or search it. `toolDefinitions(format)`
 * gives the two tools to hand to the model.
 */
export class ToolOutputCache {
    private constructor();
    /** Frees its memory at once, not when it is collected. A use afterwards throws `FREED`; freeing twice does nothing. */
    free(): void;
    /** `free`, for `using`. */
    [Symbol.dispose](): void;
    /**
     * Appends a chunk to a stored output's text. Bytes are read as UTF-8; a character that a chunk cuts off waits for the
     * next chunk.
     *
     * @throws {ContextError} `UNKNOWN_REF`.
     */
    append(ref_id: string, chunk: string | Uint8Array): ToolOutputRef;
    /**
     * Removes outputs that neither the history nor a fold mentions, and gives their refs. `dryRun` only lists them.
     */
    collectGarbage(options?: { dryRun?: boolean }): ToolOutputRef[];
    /**
     * A stored output, whole: its text, or its parts where it has others.
     *
     * @throws {ContextError} `UNKNOWN_REF`.
     */
    get(ref_id: string): Promise<string | Part[]>;
    /**
     * Lines of a stored output that match a regular expression (Rust `regex` syntax but for `\p{…}`; linear time), with line numbers,
     * `context` lines around each, at most `max_matches` (100). What `tool_output_cache_grep` answers a model.
     *
     * It works in slices of some 10 ms, with the event loop free in between. After `toolOutputCache.searchMs` (2000) of work it answers
     * with what it has found by then, and says at which line it stopped.
     *
     * @throws {ContextError} `UNKNOWN_REF`; `INVALID_ARGUMENT` for a pattern that does not parse, or has more than 2000 bytes.
     */
    grep(args: { ref_id: string; pattern: string; context?: number; max_matches?: number; ignore_case?: boolean }): Promise<string>;
    /**
     * Stores an output whole and gives its ref. Bytes are read as UTF-8; what is none of it becomes U+FFFD.
     *
     * @throws {ContextError} `INVALID_ARGUMENT` where `options.id` names another content already.
     */
    put(content: string | Uint8Array | Part[], options?: { id?: string }): ToolOutputRef;
    /**
     * Lines of a stored output, numbered from 1. `offset` lines are skipped (0), at most `limit` (2000) are read, and never
     * more than `maxMessageBytes`. What `tool_output_cache` answers a model.
     *
     * @throws {ContextError} `UNKNOWN_REF`, `INVALID_ARGUMENT`.
     */
    read(args: { ref_id: string; offset?: number; limit?: number }): Promise<string>;
    /**
     * The refs of all stored outputs, oldest first.
     */
    refs(): ToolOutputRef[];
}

/**
 * The models whose prices are built in, and when they were looked up: `{ as_of, models }`.
 */
export function builtInPrices(): { as_of: string; models: string[] };

/**
 * Whether a provider would take a history: every rule that it breaks, in the order of the list where the rule allows. Empty:
 * nothing is wrong with it.
 *
 * Rules are named after the API that has them: `R-…` Responses, `C-…` Chat Completions, `A-…` Anthropic Messages, `S-…` AI SDK,
 * `M-…` the package's own messages; `schema`: an entry that is not shaped as the format says. An `error` is answered with 400;
 * a `warn` only by some models or gateways. A request body says itself whether it leans on a stored conversation, whether it
 * stores items and whether thinking is on; the calls of a response are taken as about to run (`pending`).
 *
 * ```js
 * import { check } from "contextfold";
 *
 * check("openai-chat", [{ role: "tool", tool_call_id: "call_1", content: "42" }]);
 * // [{ severity: "error", rule: "C-orphan-tool", index: 0, message: "tool message call_1 follows no assistant message …" }]
 * ```
 * @throws {ContextError} `INVALID_ARGUMENT` where the input is neither a list nor holds one, and for an option that there is not.
 */
export function check(format: Format, input: unknown, options?: CheckOptions): Violation[];

/**
 * Makes a list of messages fit, in one call: `prepare({ fill: true })` on a session of its own.
 *
 * @throws {ContextError} as the constructor of `Session`, `push` and `prepare`.
 */
export function compactMessages(messages: Message[], options: SessionOptions & { signal?: AbortSignal | undefined }): Promise<Prepared>;

/**
 * The JSON of a tool output in fewer tokens (by the estimate), still JSON and marked with `"compressed": true`; the text as
 * it came where it has at most `maxTokens` (200), is no JSON, or would not become smaller.
 *
 * Success and failure, error texts, counts and ids stay, and numbers as they were written. A list of more than four
 * objects becomes `<name>_preview`: the first two and the last two, and those that failed, each reduced to `id`, `title`
 * and `name`. Long strings lose their middle. JSON lines are compressed line by line, and lose lines in the middle where
 * that is not enough.
 *
 * @throws {ContextError} `INVALID_ARGUMENT` naming the option.
 */
export function compressJson(text: string, options?: { maxTokens?: number }): string;

/**
 * Tokens that a view for this model may take.
 *
 * @param models A `LiteLLM` table, a models.dev table, or `{ [model]: { max_input_tokens?, max_output_tokens?, max_tokens? } }`;
 * it comes before the built-in table.
 * @throws {ContextError} `UNKNOWN_MODEL` for a model that neither knows: never a guessed number.
 */
export function contextLimit(model: string, models?: object): number;

/**
 * Tokens of a text, or of messages with what a provider adds per message.
 *
 * @param input A text; or a list of messages or items, a request body or a response, of any format: it is detected.
 * @param tokenizer `"estimate"` (default), `"bytes/4"`, what `loadEncoding` or `loadTokenizer` gives, or a function from text to a number.
 * @throws {ContextError} `INVALID_ARGUMENT` for a tokenizer that there is not, for one that throws or gives no number, and
 * for an input that is no such thing; `INVALID_MESSAGE` for a list that is none of messages.
 */
export function countTokens(input: unknown, tokenizer?: "estimate" | "bytes/4" | Encoding | ((text: string) => number)): number;

/**
 * The encoding that tiktoken gives for a model's name: `o200k_base` for `gpt-5-mini`. What it answers is what
 * `loadEncoding` takes.
 *
 * @throws {ContextError} `UNKNOWN_MODEL` for a model that tiktoken does not know, also for those whose tokenizer is not
 * public (Claude, Gemini …): nothing counts those exactly, so use the estimate.
 */
export function encodingForModel(model: string): EncodingName;

/**
 * A `Summarize` that needs no model: deterministic, offline, in Rust (COMP-16).
 *
 * It names the task, the user's constraints, files read and changed, commands with their outcome, errors, decisions and
 * what is still open. It is what a session uses where no `summarize` is given.
 *
 * ```js
 * const session = new Session({ contextWindow: 128_000, summarize: extractiveSummarize({ maxTokens: 1_000 }) });
 * ```
 * @param options `maxTokens`: the summary's size; by default what the request asks for (`aim_tokens`), else 2000.
 * @throws {ContextError} `INVALID_ARGUMENT` for an unknown option or a number out of range.
 */
export function extractiveSummarize(options?: { maxTokens?: number }): Summarize;

/**
 * Whether a model reads two entries of a list as the same: what `sync` recognises a conversation by. Cache marks, hints for a
 * provider, ids of items, white space around a text and the order of keys do not count.
 *
 * Ids of calls count, unless `calls` is given: a `Map` that is empty at the beginning of two lists and goes along from entry to
 * entry. A call may have another id then, its output has to have the same; the map holds the calls with another id whose outputs have
 * not come yet, by the id that they have now.
 *
 * @throws {ContextError} `INVALID_ARGUMENT` for a format that there is not; `INVALID_MESSAGE` for what cannot be written as JSON.
 */
export function readsSame(format: Format, one: unknown, other: unknown, calls?: Map<string, string>): boolean;

/**
 * Whether a compaction is due: `enabled`, `auto`, and `usage.total_tokens >= limit × thresholdRatio`.
 *
 * @throws {ContextError} `INVALID_CONFIG` naming the key.
 */
export function shouldCompact(usage: TokenUsage, limit: number, config?: CompactionConfig): boolean;

/**
 * Replays a recorded transcript call by call under several ladders, to compare them: what each call would have sent, what a
 * prompt cache could have served of it, what was folded, what it costs, and what of the facts was still there.
 *
 * Before each answer of the assistant the view is prepared as `prepare` does it. No model is asked: summaries are those of
 * `extractiveSummarize`. Where `options` name neither `model` nor `contextWindow`, the window is half of the transcript's
 * tokens. A call whose view cannot be prepared carries the error, and the replay goes on.
 *
 * ```js
 * import { simulate } from "contextfold";
 *
 * const { recorded, runs } = simulate("anthropic", body, { model: "claude-sonnet-4-5", presets: ["contextfold", "rolling"] });
 * for (const run of runs) console.log(run.preset, run.cost, "instead of", recorded.cost, run.retention.literal);
 * ```
 * @param options As for `Session`, and: `presets`, names or lists of passes (default: every preset); `tools`, the tools'
 * definitions, which count with every call; `prices` and `priceAs`, what tokens cost (default: the built-in price of `model`);
 * `pins`, ids of messages that are pinned as soon as they are pushed.
 * @throws {ContextError} `INVALID_MESSAGE` with the index of a message that is malformed or breaks the history; `INVALID_CONFIG`
 * naming the option, `UNKNOWN_MODEL`; `INVALID_ARGUMENT` for a format that there is not, and for an input without a list.
 */
export function simulate(format: Format, input: unknown, options?: SimulateOptions): Simulation;

/**
 * The items of tool outputs that a saved session refers to (`contextfold:output:HASH`): those that live in the store alone. What no
 * session refers to may go; `sweep` of `contextfold/stores/sweep` does that.
 *
 * @param snapshot What a store holds of the session, and `changes` the records behind it.
 * @throws {ContextError} `SNAPSHOT_INVALID`, `SNAPSHOT_TOO_NEW`.
 */
export function storedOutputs(snapshot: Uint8Array, changes?: Uint8Array | readonly Uint8Array[]): string[];

/**
 * Our `TokenUsage` of a provider's usage object; no cached token is counted twice.
 *
 * Sources: the usage objects of `OpenAI` Responses and Chat Completions (input includes the cached part), Anthropic
 * Messages (it does not), the AI SDK, and the reference specification's `ChatInvokeUsage`.
 *
 * @throws {ContextError} `INVALID_ARGUMENT` for an object of none of these shapes.
 */
export function tokenUsage(usage: unknown): TokenUsage;

/**
 * A text of more than `max` (5,000) characters as its first `head` (1,000) and its last `tail` (1,000), and between them
 * `[... 3000 chars omitted ...]`; a shorter one as it came. Characters are code points; no character that people see as
 * one (a grapheme cluster of up to 64 code points) is split.
 *
 * @throws {ContextError} `INVALID_ARGUMENT` naming the option, also for a `max` less than `head` and `tail` together.
 */
export function truncateHeadTail(text: string, options?: { max?: number; head?: number; tail?: number }): string;

/**
 * The version of this package, as `0.1.0`.
 */
export function version(): string;

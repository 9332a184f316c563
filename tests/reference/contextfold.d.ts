/// <reference lib="esnext.disposable" />
/* tslint:disable */
/* eslint-disable */
/**
 * A change to one entry.
 */
export interface RepairChange {
    /**
     * The index of the entry in the input; for an inserted output, that of its call.
     */
    index: number;
    /**
     * The rule that the entry broke.
     */
    rule: string;
    /**
     * What was changed.
     */
    what: string;
}

/**
 * A cost by kind, in US dollars.
 */
export interface Costs {
    /**
     * Input not served from the cache, at the price of writing to the cache if there is one.
     */
    input: number;
    /**
     * Input served from the prompt cache.
     */
    cached: number;
    /**
     * Output.
     */
    output: number;
}

/**
 * A fold, for the caller.
 */
export interface FoldInfo {
    /**
     * The fold's id: its summary's.
     */
    id: string;
    /**
     * Ids of the messages that it replaced, including those of earlier folds.
     */
    items: string[];
    /**
     * The summary's text, without its ledger.
     */
    summary: string;
    /**
     * Facts that the summary left out and the engine appended to it, if any.
     */
    ledger?: string;
    /**
     * The retained text, if the summariser's answer had one.
     */
    retain?: string;
    /**
     * Tokens that these messages took in the view.
     */
    tokens_folded: number;
    /**
     * Tokens of the summary and of the messages shown with it.
     */
    tokens: number;
    /**
     * `true` if the view shows it; `false` if it is inside a later fold.
     */
    in_view: boolean;
}

/**
 * A format in which a conversation is written.
 */
export type Format = "messages" | "openai-responses" | "openai-chat" | "anthropic" | "ai-sdk" | "gemini" | "bedrock-converse";

/**
 * A match.
 */
export interface Hit {
    /**
     * The message's id; for a stored output that belongs to no message, its ref.
     */
    id: string;
    /**
     * The fold that replaces the message in the view, if any: pass it to `unfold`.
     */
    fold?: string;
    /**
     * If the message is a stored tool output, the ref that opens the whole of it.
     */
    ref?: string;
    /**
     * The message's role.
     */
    role: "system" | "developer" | "user" | "assistant" | "tool";
    /**
     * The matched text, with about 100 bytes on either side; for several matches in a message, the first three.
     */
    excerpt: string;
    /**
     * True for a last entry that is no match: it says what was not searched. These are tool outputs that are only in the store, or
     * everything older than where the search stopped because it took too long.
     */
    unseen?: boolean;
    /**
     * On such an entry, the refs of the outputs in the store, oldest first. `toolOutputs.grep` searches one of them; `runTool` of
     * `contextfold/tools` searches all.
     */
    refs?: string[];
}

/**
 * A message that left the view, or that the view shows shorter than it was pushed.
 */
export interface LeftOut {
    /**
     * The message's id.
     */
    id: string;
    /**
     * The reason, in words.
     */
    why: string;
    /**
     * The ref that opens its full content in the tool output cache.
     */
    ref?: string;
    /**
     * The id of the fold that replaced it.
     */
    fold?: string;
    /**
     * The pass that did it; absent if it was none.
     */
    pass?: PassName;
}

/**
 * A message that the view currently does not show as it was pushed.
 */
export interface LeftOutNow {
    /**
     * The message's id.
     */
    id: string;
    /**
     * What happened to it: a fold replaced it (`"folded"`), a pass dropped it (`"dropped"`), it left the conversation by a
     * rewind or a new header (`"removed"`), or the view shows it in another form.
     */
    state: "folded" | "dropped" | "removed" | Exclude<ItemForm, "whole">;
    /**
     * The reason, in words.
     */
    why: string;
    /**
     * The pass that did it; absent if it was none.
     */
    pass?: PassName;
    /**
     * The ref that opens its full output in the tool output cache.
     */
    ref?: string;
    /**
     * The id of the fold in the view that contains it, directly or through earlier folds.
     */
    fold?: string;
    /**
     * How to bring it back into the view: `"unfold"`: `unfold(fold)`; `"pin"`: `pin(id)`; `"get"`: its output is in the
     * store, so `await toolOutputs.get(ref)`, then `pin(id)`. `null` if that is impossible; `message(id)` still returns it
     * whole.
     */
    back: "unfold" | "pin" | "get" | null;
}

/**
 * A message with its metadata, for the caller.
 */
export interface Item {
    /**
     * The message's id.
     */
    id: string;
    /**
     * Its item type.
     */
    item_type: ItemType;
    /**
     * Its tokens in the view now.
     */
    tokens: number;
    /**
     * Its priority: as given, or the default of its type. No built-in pass uses it.
     */
    priority: number;
    /**
     * How many messages of its kind stay, if it is ephemeral.
     */
    ephemeral?: number;
    /**
     * Whether every view shows it verbatim.
     */
    pinned: boolean;
    /**
     * The form in which the view shows it.
     */
    form: ItemForm;
}

/**
 * A request for a summary.
 */
export interface SimulatedRequest {
    /**
     * The index of the call before which it was made.
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
 * A rule by which something besides text is counted.
 */
export interface RuleReport {
    /**
     * Such as `image:openai-tiles`; `…:estimate` if no provider publishes a rule.
     */
    name: string;
    /**
     * Where the rule is published.
     */
    source: string;
}

/**
 * A summary's prompt, answer format and limits.
 */
export type Profile = "default" | "design" | "execution";

/**
 * A transcript as it was recorded.
 */
export interface RecordedRun {
    /**
     * The model calls in order. Their `decisions` are empty.
     */
    calls: SimulatedCall[];
    /**
     * Input tokens of all calls.
     */
    tokens_total: number;
    /**
     * Input tokens of the largest call.
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
     * The total cost in US dollars; `null` without a price.
     */
    cost: number | null;
    /**
     * The cost by kind; `null` without a price.
     */
    costs: Costs | null;
}

/**
 * A transcript replayed under one ladder.
 */
export interface SimulatedRun {
    /**
     * The preset's name. For a list of passes: their names, joined by ` + `.
     */
    preset: string;
    /**
     * The context window in tokens.
     */
    window: number;
    /**
     * The maximum tokens of a view, in the model's tokens: the `limit` of the report.
     */
    limit: number;
    /**
     * The tokens at which the ladder compacts, in the model's tokens. If this is above the limit, the limit triggers.
     */
    threshold: number;
    /**
     * The model calls in order.
     */
    calls: SimulatedCall[];
    /**
     * The compactions, and what asking a model for their summaries would have cost.
     */
    compactions: SimulatedCompactions;
    /**
     * Input tokens of all calls, without the requests for summaries.
     */
    tokens_total: number;
    /**
     * Tokens of the largest view that was sent.
     */
    tokens_largest: number;
    /**
     * Tokens of all answers, as recorded.
     */
    output_tokens: number;
    /**
     * Calls whose view was above the limit. If it is not 0, the ladder is not sufficient for this transcript and window.
     */
    calls_over_limit: number;
    /**
     * The share of `tokens_total` that a prompt cache could serve, 0 to 1: the sum of `cached_tokens` divided by that of
     * `tokens`.
     */
    cache_hit_ratio: number;
    /**
     * Tokens of all calls that were written to the cache: the sum of `cache_write_tokens`.
     */
    cache_write_tokens: number;
    /**
     * What broke the prompt cache, most tokens first.
     */
    cache_breaks: CacheBreak[];
    /**
     * The cost of the calls and of the requests for summaries, in US dollars; `null` without a price.
     */
    cost: number | null;
    /**
     * The cost of the calls, by kind. The difference to `cost` is `compactions.cost`.
     */
    costs: Costs | null;
    /**
     * The retention of the last call's view: how much it keeps of what was said by then.
     */
    retention: Retention;
    /**
     * The mean retention over the calls since the first compaction; `null` if nothing was folded.
     */
    retention_mean: Retention | null;
    /**
     * What the recorded agent needed again, and how much of it the views no longer showed.
     */
    page_faults: PageFaults;
}

/**
 * A transcript replayed under several ladders.
 */
export interface Simulation {
    /**
     * Tokens of the whole transcript as recorded.
     */
    transcript_tokens: number;
    /**
     * The prices used for the costs; `null` if no price is known. Name a model or pass `prices` to set them.
     */
    prices: SimulationPrices | null;
    /**
     * The transcript as recorded: every call with everything said before it, whatever its size.
     */
    recorded: RecordedRun;
    /**
     * One run per ladder, in the given order.
     */
    runs: SimulatedRun[];
}

/**
 * How bad a violation is.
 */
export type Severity = "warn" | "error";

/**
 * How full the view is after a fold was undone.
 */
export interface Undone {
    /**
     * Tokens of the view, in the model's own tokens.
     */
    tokens: number;
    /**
     * The limit of a view, in tokens; `null` if neither the model nor the window is known.
     */
    limit: number | null;
    /**
     * A compaction is due from this many tokens on; `null` if there is no threshold.
     */
    threshold: number | null;
    /**
     * Only if the view is over its threshold or its limit: when it will fold again, and how to prevent that.
     */
    notice?: string;
}

/**
 * How many entries did not fit into a carry-over ledger.
 */
export interface LedgerLeftOut {
    /**
     * The user's rules.
     */
    rules: number;
    /**
     * Paths, URLs, ids and error codes. Those of stored outputs can be read in the cache.
     */
    facts: number;
}

/**
 * How many tool messages of a view are whole, shortened or placeholders.
 */
export interface OutputCounts {
    /**
     * As they were pushed.
     */
    whole: number;
    /**
     * With only a part of their text.
     */
    shortened: number;
    /**
     * Placeholders and pointers, without their text.
     */
    placeholders: number;
}

/**
 * How often and by how much a pass broke the prompt cache in a replayed transcript.
 */
export interface CacheBreak {
    /**
     * The pass; `null` if it was none: the transcript's header changed, or a late output was moved to its call.
     */
    pass: PassName | null;
    /**
     * How many calls were affected.
     */
    calls: number;
    /**
     * Tokens that were in the cache for the previous calls and were lost for these: the sum of their `cache_lost_tokens`.
     */
    tokens: number;
}

/**
 * How often the recorded agent went back to an earlier tool output, and how often the view no longer showed that output. A
 * call goes back if it shows the same thing as an earlier call, and no call in between may have changed it; or if it changes
 * a file that was read. The replay does not show which calls a model would have made with the shorter view.
 */
export interface PageFaults {
    /**
     * Tool calls that went back to an earlier output.
     */
    needed: number;
    /**
     * Those whose output was not in the view as the agent had read it: it was trimmed, cut or folded.
     */
    gone: number;
    /**
     * Those of them whose output had left the view within the last ten model calls.
     */
    gone_recently: number;
}

/**
 * How the context window shows tool outputs.
 */
export interface ToolOutputCacheConfig {
    /**
     * Whether to store tool outputs and cut long ones in the view. `false`: they are shown unchanged, without refs.
     * Default `true`.
     */
    enabled?: boolean | undefined;
    /**
     * Tokens that all tool outputs in the view may have together; the oldest ones beyond it become placeholders.
     * Default `null`: a quarter of the context window, but at least 20,000 and at most 60,000; 12 % of a window of
     * 500,000 or more, except with the preset `"spec"`; 20,000 without a window. The default only applies to ladders
     * with the pass `trim_tool_outputs`; a number applies to every ladder.
     */
    contextBudgetTokens?: number | null | undefined;
    /**
     * Maximum UTF-8 bytes of text of one tool output in the view, including the notice. Default 51,200; at least 64.
     */
    maxMessageBytes?: number | undefined;
    /**
     * Maximum code points of one line of a tool output in the view. Default 2,000; at least 1.
     */
    maxLineLength?: number | undefined;
    /**
     * Rules for the outputs of single tools, by the tool's name. `*` in a name matches any characters; an exact name
     * takes precedence over a pattern, and a longer pattern over a shorter one. `"keep"`: no pass trims or shortens
     * them (a summary may still replace them). `"first"`: they are trimmed before those of other tools.
     * `{ maxTokens }`: each is cut to that many tokens when it is added.
     */
    tools?: Record<string, "keep" | "first" | { maxTokens: number }> | undefined;
}

/**
 * How tokens were counted.
 */
export interface CounterReport {
    /**
     * `"estimate"`, `"bytes/4"`, the name of an encoding, `"callback"`, or the `name` that was passed to `loadTokenizer`.
     */
    method: CounterMethod;
    /**
     * Whether text counts equal the model's: the counter is exact, and for this model.
     */
    exact: boolean;
    /**
     * The share of the limit that passes leave free as a safety margin, 0 to 1.
     */
    margin: number;
    /**
     * The model's tokens divided by counted ones: the input tokens that the latest calls reported, divided by the counts of
     * the views that were sent. Before the first report: the factor of the model's family (Claude), else 1. Limits,
     * thresholds and targets are compared with counts times this; the counts themselves are not changed, and sum to
     * `tokens_after`.
     */
    calibration: number;
    /**
     * `tokens_after` × `calibration`: the input tokens that the provider is expected to report.
     */
    corrected_tokens: number;
    /**
     * The rules by which everything besides text is counted.
     */
    rules: RuleReport[];
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
     * The number of this run of the same pass, from 1, if it ran several times.
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
     * Ids of the messages that it changed or removed.
     */
    items: string[];
    /**
     * The reason, in words.
     */
    why: string;
    /**
     * What it costs the provider's prompt cache, and what it is expected to save; absent if the view did not change. If a
     * pass made several decisions, only the last one has it.
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
     * The tokens by part; their sum is `tokens`.
     */
    parts: PartReport[];
    /**
     * What was done to the view before this call.
     */
    decisions: Decision[];
    /**
     * Tokens at the beginning of the view that were also at the beginning of the previous call's view.
     */
    cached_tokens: number;
    /**
     * The other tokens: not served from the cache, and written to it.
     */
    cache_write_tokens: number;
    /**
     * Tokens of the previous call that are not served from the cache, because something before its end was edited.
     */
    cache_lost_tokens: number;
    /**
     * The pass that edited it; if there were several, the one that cost the most cached tokens. Absent if nothing was lost,
     * or if no pass was the cause.
     */
    cache_broken_by?: string;
    /**
     * Tokens of the answer, as recorded.
     */
    output_tokens: number;
    /**
     * The cost of the call in US dollars. Absent without a price.
     */
    cost?: number;
    /**
     * Why the view could not be prepared. It was sent unprepared.
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
     * Messages with tokens of this part.
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
     * The rule's name, such as `R-orphan-output`: `R` for Responses, `C` for Chat Completions, `A` for Anthropic, `B`
     * for Bedrock, `G` for Gemini, `S` for the AI SDK, `M` for our own messages; `schema` for an entry of the wrong
     * shape. Rules of all formats have no prefix, such as `provider-unknown`.
     */
    rule: string;
    /**
     * The index of the entry in the list.
     */
    index: number;
    /**
     * What is wrong, for people to read.
     */
    message: string;
}

/**
 * One step that made a prompt smaller.
 */
export interface CostDecision {
    /**
     * The pass.
     */
    pass: string;
    /**
     * The number of this run of the same pass, from 1.
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
 * Something that a format could not express unchanged. There is a note for everything that any format may have, and for
 * fields of a single format that a model is known to read. Other such fields are dropped without a note.
 */
export interface ConversionNote {
    /**
     * The index of the message concerned in the input; if several messages were written together, of the first one.
     */
    index: number;
    /**
     * What was left out or expressed differently.
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
     * The ids of the messages that it concerns.
     */
    items: string[];
    /**
     * Details, in words.
     */
    detail: string;
    /**
     * Tokens of the view after it.
     */
    tokens: number;
    /**
     * Only for `compaction_due`: by how many tokens the view may still grow until a compaction is due.
     */
    left?: number;
    /**
     * Only for `compaction_progress`: how many pieces of this round are summarised.
     */
    chunk?: number;
    /**
     * Only for `compaction_progress`: the number of pieces in this round. If their summaries are too long together, these
     * are summarised in another round.
     */
    chunks?: number;
    /**
     * Only for `compaction_progress`: the summary of the piece.
     */
    text?: string;
}

/**
 * The compactions of a replayed transcript, and the requests that a model would have received for their summaries.
 */
export interface SimulatedCompactions {
    /**
     * The number of compactions.
     */
    count: number;
    /**
     * The number of requests. A conversation larger than the summariser's window needs several.
     */
    requests: number;
    /**
     * Input tokens of the requests.
     */
    request_tokens: number;
    /**
     * Tokens of their answers.
     */
    output_tokens: number;
    /**
     * The cost of the requests in US dollars, at the price of the calls; `null` without a price.
     */
    cost: number | null;
    /**
     * The call and size of each request, in order.
     */
    asked: SimulatedRequest[];
}

/**
 * The error that `prepare` failed with.
 */
export interface SimulatedError {
    /**
     * The error's code.
     */
    code: ErrorCode;
    /**
     * The error's message.
     */
    message: string;
}

/**
 * The kind of a message, used by passes that treat kinds differently.
 */
export type ItemType = "SYSTEM_PROMPT" | "SUBAGENT_STRATEGY" | "SKILL_STRATEGY" | "USER_MESSAGE" | "ASSISTANT_MESSAGE" | "TOOL_RESULT" | "SKILL_PROMPT" | "SKILL_METADATA" | "COMPACTION_SUMMARY" | "MEMORY" | "INJECTION";

/**
 * The limit and the tokens of a model call's prompt, and what was done to make it fit.
 */
export interface ContextCost {
    /**
     * Tokens that the prompt may take; `null` if neither model nor window is known. All figures here are in the model's own
     * tokens.
     */
    limit: number | null;
    /**
     * The last estimate of the prompt's tokens: of the final prompt, or of the smallest one that was tried.
     */
    estimated_tokens: number;
    /**
     * What was done to make it fit, in order.
     */
    decisions: CostDecision[];
}

/**
 * The name of an event that a session emits. Events are emitted in the order in which things happened. In each, `tokens` are
 * those of the view after it.
 *
 * - `message_added`: a message entered the history. `items`: its id.
 * - `items_removed`: messages left the view without a summary. `items`: these messages; `detail`: why.
 * - `conversation_replaced`: a summary replaced the whole conversation (the layout `"replace"`). `items`: the summary.
 * - `output_trimmed`: messages in the view lost text: tool outputs were shortened or became placeholders, media did, or long
 *   texts of other messages were cut; or `erase` took it for good. `items`: these messages; `detail`: why.
 * - `prompt_changed`: what stands before the conversation changed. `items`: the messages that are new there; `detail`: `the header`,
 *   `the parts of setContext` or `the tools`.
 * - `compaction_due`: the view has come near its threshold; emitted once, by the `prepare` that finds it so. `left`: how many
 *   tokens are left.
 * - `compaction_started`: a summary was requested. `items`: the messages to be folded; `detail`: `in the background`, or empty.
 * - `compaction_progress`: one piece of a conversation that is too long for a single request was summarised (`chunk`, `chunks`,
 *   `text`).
 * - `compaction_finished`: a compaction put a summary into the view, after its `folded`. `items`: the summary.
 * - `compaction_failed`: the requested summary could not be had. Either nothing was folded, or the built-in summariser writes it
 *   (`detail` says so). `items`: the messages to be folded; `detail`: the code and the message of the error.
 * - `folded`: messages were replaced by a summary, also by hand (`graph.compress`). `items`: these messages; `detail`: `into ID`.
 * - `unfolded`: messages came back into the view: a fold was undone, or there was room again. `items`: these messages; `detail`:
 *   why.
 */
export type EventName = "message_added" | "items_removed" | "conversation_replaced" | "output_trimmed" | "prompt_changed" | "compaction_due" | "compaction_started" | "compaction_progress" | "compaction_finished" | "compaction_failed" | "folded" | "unfolded";

/**
 * The prices that a simulation uses. The part of a call that was also the beginning of the call before is charged at the
 * cache-read price, from 1,024 tokens on. The rest is charged at the cache-write price if there is one, else at the input
 * price.
 */
export interface SimulationPrices {
    /**
     * The model whose prices they are. Absent if one price was given for every model.
     */
    model?: string;
    /**
     * When the built-in prices were looked up, as `YYYY-MM`; `null` for your own prices.
     */
    as_of: string | null;
    /**
     * Where the prices come from: the sources of the built-in table, or `"prices"`.
     */
    source: string;
    /**
     * The rates for a short prompt, in US dollars per token.
     */
    rates: Rates;
}

/**
 * The shares of a history's facts that are still in a view, 0 to 1; 1 if the history has none.
 */
export interface Retention {
    /**
     * Literal facts that are in the view itself, letter by letter.
     */
    literal: number;
    /**
     * Literal facts that are in the view, or in an output that a ref in the view opens.
     */
    with_refs: number;
    /**
     * Constraints of the user that are in the view word for word.
     */
    constraints: number;
}

/**
 * The state of a node's work.
 */
export type NodeState = "pending" | "running" | "finished" | "errored";

/**
 * The tokens that one model call used. No cached token is counted twice.
 */
export interface TokenUsage {
    /**
     * Input that was neither read from nor written to the prompt cache.
     */
    input_tokens: number;
    /**
     * Output, including reasoning.
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
 * What a model's tokens cost, in US dollars per token.
 */
export interface Rates {
    /**
     * Input not served from the cache.
     */
    input_cost_per_token: number;
    /**
     * Output.
     */
    output_cost_per_token: number;
    /**
     * Input served from the prompt cache. Absent if there is no discount.
     */
    cache_read_input_token_cost?: number;
    /**
     * Input written to the cache, if that costs extra (Anthropic).
     */
    cache_creation_input_token_cost?: number;
}

/**
 * What a node is.
 */
export type NodeType = "user_message" | "agent_message" | "task" | "summary" | "system_message" | "developer_message";

/**
 * What a run did to the view, and why.
 *
 * Tokens are as counted by the session's counter, and sum up. `window`, `limit`, `threshold` and `context_cost` are in the
 * model's own tokens: counted ones times `counter.calibration`, as in `counter.corrected_tokens`.
 */
export interface Report {
    /**
     * The model's context window in tokens; `null` if neither model nor window is known.
     */
    window: number | null;
    /**
     * Tokens that a view may take: min(max input, window − reserved output). In the model's own tokens: compare it with
     * `counter.corrected_tokens`.
     */
    limit: number | null;
    /**
     * From here on, `shouldCompact` returns `true`: limit × `thresholdRatio`, or more if the header takes much of the
     * limit, or if the ladder says so.
     */
    threshold: number | null;
    /**
     * The size that this run aimed at, in counted tokens (already divided by `counter.calibration`). Without the pass
     * `even_cut`, a fold may go far below it: everything but the last `retainLastTurns` turns becomes the summary, however
     * much room there is. With `fill`, it is the limit. It is higher if the header, the newest user message and the last
     * step take most of the limit.
     */
    target: number | null;
    /**
     * Tokens of the view before the run; tool outputs that were trimmed since the last report still count here.
     */
    tokens_before: number;
    /**
     * Tokens of the view after the run, as counted. If `counter.calibration` is below 1, this may exceed `limit` although
     * the view fits; compare `counter.corrected_tokens`.
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
     * How many tool messages of the view are whole, shortened or placeholders.
     */
    tool_outputs: OutputCounts;
    /**
     * What was decided, in order.
     */
    decisions: Decision[];
    /**
     * Messages that left the view or were shortened since the last report, with refs and folds to bring them back.
     */
    left_out: LeftOut[];
    /**
     * Tokens at the view's beginning that have not changed: what the provider's prompt cache can still serve.
     */
    stable_prefix_tokens: number;
    /**
     * The prompt's limit and tokens, and what was done to make it fit. Present after `prepare` and `recover`, even if they
     * failed.
     */
    context_cost?: ContextCost;
    /**
     * The summary, if one was inserted.
     */
    summary?: SummaryReport;
    /**
     * What you may not expect, in words; absent if there is nothing of this kind (`report.notices ?? []`). For instance, no window is known, a callback of a saved session was not passed
     * again, the store's data was damaged, or a refusal was not learnt from.
     */
    notices?: string[];
}

/**
 * What an edit of the view costs the provider's prompt cache, and what it is expected to save.
 */
export interface CacheCost {
    /**
     * Tokens after the edit that were in the cache, and that the next call has to write to it again.
     */
    reread_tokens: number;
    /**
     * By how many tokens each of the next calls is shorter.
     */
    saved_per_call: number;
    /**
     * How many calls are expected until the view is full again: as many as there is room for at the size of the newest
     * ones, but no more than there were so far.
     */
    expected_calls: number;
    /**
     * What rewriting the cache costs once: `reread_tokens` at the price of a cache write minus that of a cache read. Like
     * `saves`, in input tokens at the model's list price. The price of requesting a summary is not included.
     */
    cost: number;
    /**
     * What the edit saves: `saved_per_call` in each of the `expected_calls`, at the price of a cache read.
     */
    saves: number;
}

/**
 * What the conversation's summary covers, for code that saves it itself.
 */
export interface SummaryState {
    /**
     * The summary's text; empty while the first one is being written.
     */
    summary: string;
    /**
     * How many messages of `session.messages` it reaches over: from the first one through the newest one that it covers.
     */
    summarized_until: number;
    /**
     * Tokens of the summary.
     */
    summary_tokens: number;
    /**
     * When it was written, by the option `now`; `null` without that option.
     */
    created_at: number | null;
    /**
     * How many messages it covers, including those of earlier summaries.
     */
    message_count: number;
    /**
     * Tokens of these messages when they were pushed.
     */
    original_tokens: number;
    /**
     * `1 - summary_tokens / original_tokens`.
     */
    compression_rate: number;
    /**
     * Whether a summary is being written right now. Never saved, so a process that dies meanwhile leaves no lock behind.
     */
    is_summarizing: boolean;
}

/**
 * What the summary cost, and how it was made.
 */
export interface SummaryReport {
    /**
     * How many times it was requested.
     */
    attempts: number;
    /**
     * The usage that the callback reported, summed over all attempts.
     */
    usage?: TokenUsage;
    /**
     * Tokens of the carry-over ledger in the summary.
     */
    ledger_tokens: number;
    /**
     * What did not fit into the carry-over ledger and is nowhere else in the view, and what a summary lost because it was cut as a last
     * resort; absent if there is nothing.
     */
    ledger_left_out?: LedgerLeftOut;
    /**
     * What was done instead of what was requested, in words (missing tags, the extractive summariser …), with code and
     * message of the error.
     */
    fallback?: string;
}

/**
 * What went wrong, as a stable code. The code is the contract; the message may change.
 *
 * - `NOT_INITIALIZED`: the WebAssembly module was used before `await init()` (browsers only), or could not be loaded.
 * - `INVALID_CONFIG`: an option has an unknown key, a wrong type or a value out of range.
 * - `INVALID_MESSAGE`: a message is malformed or would break the history (an orphan tool output, a duplicate call id).
 * - `INVALID_ARGUMENT`: an argument of a call is malformed.
 * - `UNKNOWN_MODEL`: the model's limits, price or tokenizer are not known.
 * - `UNKNOWN_REF`: no tool output has this ref, or no session is saved under this key.
 * - `ENCODING_INVALID`: the file of an encoding or tokenizer is damaged, truncated, or of another version or encoding.
 * - `ENCODING_UNSUPPORTED`: a tokenizer needs something that is not supported; the error message names it.
 * - `CONTEXT_WINDOW_EXCEEDED`: every pass ran and the view is still larger than its limit.
 * - `BUDGET_IMPOSSIBLE`: the parts that may not be compacted (header, tools, pins) alone exceed the limit.
 * - `SUMMARY_FAILED`: the `summarize` callback threw, rejected, or returned something that is not a summary.
 * - `SUMMARY_EMPTY`: the summary is empty.
 * - `SUMMARY_TRUNCATED`: the summary was cut off by its own length limit or by the provider's filter.
 * - `SUMMARY_NOT_SMALLER`: the summary is not smaller than what it would replace.
 * - `SUMMARY_INVALID`: the summary lacks what its profile requires, or is not a summary: a refusal, a tool call, an error page.
 * - `STALE_PLAN`: the view was changed, by more than new messages, after the plan or the summary request was made.
 * - `ABORTED`: the `AbortSignal` that you passed fired.
 * - `GRAPH_CONSTRAINT`: a graph operation would break a rule of the graph.
 * - `SAFETY_LIMIT_EXCEEDED`: a graph or a history grew beyond its safety limits (`maxNodes`).
 * - `SNAPSHOT_INVALID`: a snapshot's bytes are damaged.
 * - `SNAPSHOT_TOO_NEW`: a snapshot was written by a newer version.
 * - `STORE_FAILED`: the store threw, is down, is full, or returned invalid data.
 * - `STORE_CONFLICT`: another writer saved first.
 * - `FREED`: the object was freed.
 * - `INTERNAL`: a bug in contextfold. The module must be loaded again.
 */
export type ErrorCode = "NOT_INITIALIZED" | "INVALID_CONFIG" | "INVALID_MESSAGE" | "INVALID_ARGUMENT" | "UNKNOWN_MODEL" | "UNKNOWN_REF" | "ENCODING_INVALID" | "ENCODING_UNSUPPORTED" | "CONTEXT_WINDOW_EXCEEDED" | "BUDGET_IMPOSSIBLE" | "SUMMARY_FAILED" | "SUMMARY_EMPTY" | "SUMMARY_TRUNCATED" | "SUMMARY_NOT_SMALLER" | "SUMMARY_INVALID" | "STALE_PLAN" | "ABORTED" | "GRAPH_CONSTRAINT" | "SAFETY_LIMIT_EXCEEDED" | "SNAPSHOT_INVALID" | "SNAPSHOT_TOO_NEW" | "STORE_FAILED" | "STORE_CONFLICT" | "FREED" | "INTERNAL";

/**
 * Where the full content of a tool output is stored.
 *
 * A message may be pushed with a ref of its own. The ref is kept if it opens this output, if it opens a longer text
 * that contains this output and was stored under that id by hand, or if nothing is stored there yet. A ref that opens
 * another tool's answer is replaced, so that every answer has a ref that opens it.
 */
export interface ToolOutputRef {
    /**
     * The ref: pass it as `ref_id` to `tool_output_cache({ ref_id })`.
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



/**
 * A conversation as a graph: lanes of nodes, edges between them, and folds that replace nodes and can be undone.
 *
 * A **lane** is an append-only sequence of nodes. A **fold** is a summary that replaces nodes of one lane in views; it hides
 * them without changing them. An operation that fails changes nothing. The cost of appending depends only on what is appended, the
 * cost of a view only on what it returns, however large the graph is.
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
     * Adds an edge; `kind` is `"sequence"` by default. If the edge exists already, nothing changes. An edge of a summary is an edge
     * of the nodes it replaces: an outgoing one starts at its last node, an incoming one ends at its first.
     *
     * @throws {ContextError} `GRAPH_CONSTRAINT` with the ids: a missing or folded node, or an edge that would close a cycle (no
     * edge may run against the order of a lane); `SAFETY_LIMIT_EXCEEDED`.
     */
    addEdge(from: string, to: string, kind?: EdgeKind): void;
    /**
     * Appends a node to its lane and returns its id.
     *
     * `after` says what it comes after; by default the lane's last node, or the node at which the lane was forked off. The edge is
     * a `sequence` within a lane. From another lane it is a `branch` to the lane's first node, and a `dependency` to any
     * later one. `[]`: it comes after nothing.
     *
     * ```js
     * const agent = graph.addNode({ type: "agent_message", message: { role: "assistant", tool_calls } });
     * const tasks = tool_calls.map((call) => graph.addNode({ id: call.id, type: "task", state: "running", after: agent }));
     * graph.addNode({ type: "agent_message", state: "pending", after: tasks });
     * ```
     *
     * @throws {ContextError} `GRAPH_CONSTRAINT` with the ids: the id is taken, or a node in `after` is missing or folded;
     * `SAFETY_LIMIT_EXCEEDED`; `INVALID_MESSAGE` for a malformed message or content; `INVALID_ARGUMENT`.
     */
    addNode(node: GraphNodeInput): string;
    /**
     * Folds nodes into a summary, which replaces them in every view, and returns the summary's id. Summaries can be folded too.
     *
     * The nodes and their edges stay as they are, marked with `compressed_at`; edges to and from other nodes are added to the
     * summary instead. Instructions of the lane between the nodes stay, and so does what was forked off between them.
     *
     * @throws {ContextError} `GRAPH_CONSTRAINT` with the ids if a node is missing, already folded, not finished, or of another
     * lane; if no blocking edge leads out of the nodes (a summary is never a leaf); or if a node that is not folded comes
     * after one of them and before another. `SUMMARY_EMPTY`, `SAFETY_LIMIT_EXCEEDED`.
     */
    compress(ids: string[], summary: string): string;
    /**
     * A node's context: its ancestors in order, and the node itself. Summaries replace the nodes that they fold.
     *
     * With `limitTurns`: only the last turns of these, up to that number, the nodes that those depend on by `dependency`, and everything
     * that is pinned (system and developer messages, summaries). A turn begins with a user message of the node's own lane, or of the
     * lanes it was forked from. An edge of kind `branch` is followed only into the first node of a lane, so a forked lane contributes
     * its result but not its messages. The order is topological and keeps the order of each lane.
     *
     * ```js
     * const messages = graph.contextForFull(id, { limitTurns: 3 }).map((node) => node.content);
     * ```
     *
     * @throws {ContextError} `GRAPH_CONSTRAINT` for a missing or folded node; `SAFETY_LIMIT_EXCEEDED` for more than
     * `maxContextNodes`; `INVALID_ARGUMENT`.
     */
    contextForFull(id: string, options?: { limitTurns?: number | undefined }): GraphNode[];
    /**
     * All edges in the order in which they were added, including hidden ones; then those that folds added in their place.
     */
    edges(): GraphEdge[];
    /**
     * Undoes a fold: the graph is as if the fold had never been made, plus what was appended since. What came after the summary comes
     * after the last node that it replaced. Undoing a fold of folds brings back the inner folds.
     *
     * @throws {ContextError} `GRAPH_CONSTRAINT` for a missing node, a node that is not a fold's summary, and a fold that is folded itself.
     */
    expand(summaryId: string): void;
    /**
     * Opens a lane that begins at a node: the lane sees what that node sees, and continues on its own.
     *
     * ```js
     * graph.fork(agent, "researcher");
     * const found = graph.addNode({ type: "agent_message", lane: "researcher", content: "Found it." });
     * const task = graph.addNode({ type: "task", content: "Found it." });
     * graph.addEdge(found, task, "branch"); // the result came from there; the parent's view does not contain the branch's messages
     * ```
     *
     * @throws {ContextError} `GRAPH_CONSTRAINT` for a missing or folded node; `INVALID_ARGUMENT` for a lane that already exists.
     */
    fork(id: string, lane: string): void;
    /**
     * Creates an empty graph. Exceeding a limit throws `SAFETY_LIMIT_EXCEEDED`, with the limit and the actual number.
     *
     * @throws {ContextError} `INVALID_CONFIG`, which names the key.
     */
    constructor(options?: ContextGraphOptions);
    /**
     * All nodes in the order in which they were added, including folded ones and summaries.
     */
    nodes(): GraphNode[];
    /**
     * Restores a graph from the bytes of `snapshot`; those of older versions can be read too.
     *
     * @throws {ContextError} `SNAPSHOT_TOO_NEW`, `SNAPSHOT_INVALID`.
     */
    static restore(bytes: Uint8Array): ContextGraph;
    /**
     * Sets the state of a node's work.
     *
     * @throws {ContextError} `GRAPH_CONSTRAINT` for a missing or folded node, and for a fold's summary.
     */
    setState(id: string, state: NodeState): void;
    /**
     * The graph as bytes, including its limits. The same graph always gives the same bytes.
     */
    snapshot(): Uint8Array;
}

/**
 * Manages the `inputItems` of the Responses API for callers who keep them by hand.
 *
 * Between compactions the list only grows. After a compaction, `rebuild` makes it anew from the compacted messages: items whose
 * messages are unchanged stay the very same objects; output of the model that no longer fits is discarded.
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
     * Appends items: your own, or those in the `output` of a response.
     *
     * @throws {ContextError} `INVALID_MESSAGE` with the index of the item, `INVALID_ARGUMENT` if `inputItems` was frozen. Then nothing
     * is appended.
     */
    append(items: object | object[]): void;
    /**
     * Creates a history of these items.
     *
     * @throws {ContextError} `INVALID_MESSAGE` with the index of the item.
     */
    constructor(input_items?: object[]);
    /**
     * Rebuilds the items from compacted messages, in place, and returns the list.
     *
     * An array from a session (`prepare`, `lower`, `view("messages")`) is not read again while it is that session's view:
     * later changes to its objects are ignored. Any other list, even a copy, is read.
     *
     * A tool output without its call is left out, as is what an item cannot express: `onNote` is called for each, with the index of
     * the message.
     *
     * @throws {ContextError} `INVALID_MESSAGE` with the index of the message, `INVALID_ARGUMENT` if `inputItems` was frozen.
     * Then nothing has changed.
     */
    rebuild(compacted: readonly Message[], options?: { onNote?: ((note: ConversionNote) => void) | undefined }): object[];
    /**
     * The items, as the Responses API takes them: one live array, changed in place. Use `append` to add to it; any other change of
     * the array is lost at the next `rebuild`.
     */
    readonly inputItems: EntryOf<"openai-responses">[];
}

/**
 * A recorded transcript that is read once and can be replayed under any number of options. `simulate` does both in one call.
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
     * @param options `tools`: definitions of the model's tools, in any format; they count with every call.
     * @throws {ContextError} `INVALID_MESSAGE` with the index of a malformed entry; `INVALID_ARGUMENT` for an unknown
     * format, and for an input without a list.
     */
    constructor(format: Format, input: unknown, options?: { tools?: unknown[] | undefined });
    /**
     * A replay that advances step by step, so that a page can draw, show its progress, and stop in between.
     *
     * ```js
     * const replay = recording.replay({ contextWindow: 32_000 });
     * while (replay.advance(200)) console.log(`${Math.round(100 * replay.share)} %`); // replays the calls
     * while (replay.look(200)); // checks which facts the views still contain
     * console.log(replay.run().retention);
     * ```
     * @param options As for `sessionAt`.
     * @throws {ContextError} As `simulate`.
     */
    replay(options?: Omit<SimulateOptions, "presets" | "tools"> & { ladder?: PresetName | LadderEntry[] | undefined }): Replay;
    /**
     * The session as it was before the answer to a call, replayed up to that point as `simulate` does it. The session is yours: go on
     * with it, and free it.
     *
     * @param call The call's index, from 0. If it is `calls` or more: the whole transcript, prepared for the next call.
     * @param options As for `Session`, including `ladder`, but without `summarize`, which a replay does not call.
     * @throws {ContextError} As `simulate`; `INVALID_ARGUMENT` if `call` is not an index.
     */
    sessionAt(call: number, options?: Omit<SimulateOptions, "presets" | "tools"> & { ladder?: PresetName | LadderEntry[] | undefined }): Session;
    /**
     * Replays it under several ladders: see the function `simulate`. The `tools` are those of the recording.
     *
     * @throws {ContextError} As `simulate`.
     */
    simulate(options?: Omit<SimulateOptions, "tools">): Simulation;
    /**
     * How many model calls the transcript has.
     */
    readonly calls: number;
}

/**
 * A replay in progress: see `Recording.replay`. Free it when you no longer need it.
 */
export class Replay {
    private constructor();
    /** Frees its memory at once, not when it is collected. A use afterwards throws `FREED`; freeing twice does nothing. */
    free(): void;
    /** `free`, for `using`. */
    [Symbol.dispose](): void;
    /**
     * Replays up to `calls` further calls (default: all). Returns true while there are more.
     *
     * @throws {ContextError} `INVALID_MESSAGE` for a message that cannot be pushed; `INVALID_ARGUMENT` if `calls` is not a whole number.
     */
    advance(calls?: number): boolean;
    /**
     * Looks for the facts in the views of up to `calls` further calls (default: all), once all calls were replayed. Returns true while
     * there are more.
     *
     * @throws {ContextError} `INVALID_ARGUMENT` while `advance` has calls left, since any of them may bring a fact; and if `calls` is not
     * a whole number.
     */
    look(calls?: number): boolean;
    /**
     * The run so far, in the form that `simulate` returns for one ladder. `retention` covers the calls that `look` has checked.
     */
    run(): SimulatedRun;
    /**
     * The session as it was before the answer to a call, as `Recording.sessionAt` returns it; this starts from the nearest point of this
     * replay. The session is yours: go on with it, and free it.
     *
     * @param call The call's index, from 0. If it is the number of calls or more: the whole transcript, prepared for the next call.
     * @throws {ContextError} `INVALID_ARGUMENT` if `call` is not an index.
     */
    sessionAt(call: number): Session;
    /**
     * The progress, 0 to 1.
     */
    readonly share: number;
}

/**
 * One agent's conversation, kept inside its context window.
 *
 * **History** is everything that was pushed; it only grows. The **view** is what the model is sent next: the header, then the
 * history with folds and trims applied. Nothing that leaves the view is lost.
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
     * Call it after a model call: records the usage, as `recordUsage`, and folds if that is due. Resolves to the report, or to `null` if
     * there was nothing to do. If no summary could be had but the view fits without one, the agent goes on: the report
     * (`summary.fallback`, and its decisions) and an event (`compaction_failed`) say so.
     *
     * @throws {ContextError} as `compact`, but for a missing summary only if the view does not fit without one.
     */
    afterModelCall(usage: unknown, options?: { signal?: AbortSignal | undefined }): Promise<Report | null>;
    /**
     * Call it after tools ran: folds if that is due, judged by the last usage.
     *
     * @throws {ContextError} as `afterModelCall`.
     */
    afterToolExecution(options?: { signal?: AbortSignal | undefined }): Promise<Report | null>;
    /**
     * Call it once before the final answer is returned: folds if that is due.
     *
     * @throws {ContextError} as `afterModelCall`.
     */
    beforeFinalAnswer(options?: { signal?: AbortSignal | undefined }): Promise<Report | null>;
    /**
     * What is new since a position, as journal records. `Session.restore(snapshot, { position, changes })` applies them without
     * counting any tokens again. If you keep sessions in a store, `save` and `load` do this for you; see `docs/stores.md`.
     *
     * ```js
     * const snapshot = session.snapshot();
     * const { position } = session; // of the snapshot
     * session.push({ role: "user", content: "And the tests?" });
     * const changes = session.changes(position); // some hundred bytes
     * const again = Session.restore(snapshot, { position, changes });
     * ```
     * @param since An earlier position of the session. The newest records are kept in memory, up to 256 KiB of them.
     * @returns The records, empty if nothing has changed; `null` if they are no longer kept: take a `snapshot` then.
     * @throws {ContextError} `INVALID_ARGUMENT` for a position that the session has not reached.
     */
    changes(since: number): Uint8Array | null;
    /**
     * Folds if `shouldCompact()` is true. Resolves to the report, or to `null` if there was nothing to do.
     *
     * @throws {ContextError} as `compact`, even if only a summary is missing and the view would fit without it, since a summary is what
     * you ask for here. The hooks of an agent loop (`afterModelCall` …) go on in that case.
     */
    checkAndCompact(options?: { signal?: AbortSignal | undefined }): Promise<Report | null>;
    /**
     * Folds in any case: everything but the last `retainLastTurns` turns becomes a summary. If these turns alone exceed the target, the
     * earlier steps of the oldest one are folded too. If there is nothing to fold, the report has one decision (`pass: "compact"`) that
     * says so. If a compaction is already running, this joins it; with `instructions`, it waits for the running one to end, and then
     * folds what is left with them (if nothing is left, a decision says that no summariser got the instructions).
     *
     * @throws {ContextError} `SUMMARY_FAILED`, `SUMMARY_EMPTY`, `SUMMARY_TRUNCATED`, `SUMMARY_NOT_SMALLER`, `SUMMARY_INVALID`;
     * `STALE_PLAN` if the messages to be folded were rewritten, or any message erased, in the meantime; `BUDGET_IMPOSSIBLE` if header,
     * tools and pins alone exceed the limit; `STORE_CONFLICT` if another process saved the session in the meantime;
     * `INVALID_ARGUMENT` if called inside a `summarize` of the same session; `ABORTED`, `FREED`. Then history and view have not changed.
     */
    compact(options?: { signal?: AbortSignal | undefined; instructions?: string | undefined }): Promise<Report>;
    /**
     * Erases the content of a message for good: from the history, the view, the tool output cache, and from every summary
     * that may repeat it. What stays is that there was a message, who called which tool, and which call it answers, so that
     * the request to the provider stays valid. The next `save` writes the whole session anew, and removes what was saved
     * before from the store.
     *
     * A summary may repeat any message that came before it was written, because its request shows the whole view. So the built-in
     * summariser writes all summaries since then anew, with their ledgers; texts that a summariser retained since then are
     * erased. Summaries written before the message came stay. A run that waits for a summary fails with `STALE_PLAN`: call
     * it again. A summary in the background is dropped, and asked for again.
     *
     * These are not erased:
     *
     * - what other messages say about it, among them the model's answers and a provider's own compactions in them,
     * - what you set yourself (context parts, outputs that you stored with `toolOutputs.put` and that belong to no message),
     * - branches, which have their own copy, and what the graph shows of them,
     * - the objects that you pushed, and those that you got before, such as requests and views.
     *
     * A tool output that is only in the store (`toolOutputCache.memoryBytes`) is removed when the
     * store is swept.
     *
     * ```js
     * const folds = session.erase("m17"); // ids of the summaries that were written anew
     * await session.save(store, key);
     * ```
     * @returns The ids of the folds whose summaries were rewritten.
     * @throws {ContextError} `INVALID_ARGUMENT` for an unknown id, and for messages written by the engine; `GRAPH_CONSTRAINT` for part
     * of a call of a provider's own tool that spans two messages, and for the answer that opens a running turn with signed thinking.
     * Then nothing has changed.
     */
    erase(id: string): string[];
    /**
     * Waits for everything in progress: a summary that is being written, in the background (`compaction.background`) or for a call that
     * waits for it; saves; and tool outputs on their way into the store. A summary from the background is applied by the next `prepare`
     * or compaction.
     *
     * The `summarize` callback and the methods of the store must not wait for it, since it waits for them: it would never resolve.
     * Only a call by `summarize` before its first `await` can be told from others; that throws. In doubt, pass a `signal`.
     *
     * @param options `signal`: ends only the wait; what is in progress goes on.
     * @throws {ContextError} the first error since the last call: `STORE_FAILED` (nothing in memory is lost); `ABORTED`;
     * `INVALID_ARGUMENT` if the `summarize` callback calls it, which it would wait for.
     */
    flush(options?: { signal?: AbortSignal | undefined }): Promise<void>;
    /**
     * Every fold that was made, oldest first.
     */
    folds(): FoldInfo[];
    /**
     * Creates a new session that begins with the history up to and including a message: for a second try, or for a sub-agent that
     * knows what led to its task. Only the list is copied: messages and the outputs stored so far are shared. From then on the two
     * sessions are independent, until `merge`.
     *
     * The given options replace those of this session, key by key; the others stay. With a `model` or a `tokenizer`, the history is
     * counted again. `lane` names the branch in `graph` (default `fork_1`, `fork_2`, …).
     *
     * ```js
     * const child = session.fork(agent, { lane: "researcher", contextWindow: 32_000 });
     * child.push({ role: "user", content: "Find out which versions are affected." });
     * // … run the sub-agent on `child` …
     * session.merge(child, { tool_call_id: "call_7" });
     * ```
     * @throws {ContextError} `INVALID_ARGUMENT` as `rewind`, and for a lane that already exists; `INVALID_CONFIG`,
     * `UNKNOWN_MODEL` as the constructor.
     */
    fork(id: string, options?: { lane?: string | undefined } & Partial<SessionOptions>): Session;
    /**
     * The messages of the view, each with its tokens, its type, its form and so on.
     */
    items(): Item[];
    /**
     * Everything that the view does not currently show as it was pushed, in the order of the history: what happened to each message, why,
     * which pass did it, and how to get it back. `report.left_out` lists what one run changed; this lists the current state.
     *
     * ```js
     * for (const { id, state, pass, why, back } of session.leftOut()) console.log(id, state, pass, why, back);
     * ```
     */
    leftOut(): LeftOutNow[];
    /**
     * Loads a saved session. The store also becomes its option `store`, unless `options` give another one.
     *
     * @param options As for `Session.restore`.
     * ```js
     * const session = await Session.load(store, "chat-17", options).catch((error) => {
     *   if (error.code !== "UNKNOWN_REF") throw error;
     *   return new Session(options); // nothing is saved yet
     * });
     * ```
     * @throws {ContextError} `UNKNOWN_REF` if nothing is saved under the key; `STORE_FAILED` for a store that fails or returns something
     * that was never stored; `SNAPSHOT_TOO_NEW`, `INVALID_CONFIG`, `UNKNOWN_MODEL`.
     */
    static load(store: Store, key: string, options?: SessionOptions): Promise<Session>;
    /**
     * The three hooks of an agent loop as one wrapper. Each runs the function that it is given, then folds if that is due.
     *
     * `modelCall` looks for `usage` in the result; `toolExecution` passes on what the tools returned; `finalAnswer` folds once before
     * the answer is passed on. The result of your function is always returned; a compaction that fails is reported by the event
     * `compaction_failed` and by `report`.
     */
    loop(): AgentLoop;
    /**
     * The view as messages: the header, then the conversation with folds and trims applied. The same as `view("messages")`.
     */
    lower(): Message[];
    /**
     * What is in memory: `wasm_bytes`, the bytes of WebAssembly memory of all sessions together, which never shrinks; `outputs_bytes`,
     * the bytes of this session's tool outputs in it; `messages`, the messages of its history.
     */
    memory(): { wasm_bytes: number; outputs_bytes: number; messages: number };
    /**
     * Adds the result of a branch, the text of its last answer: as the output of an open tool call, or as a user message.
     *
     * @throws {ContextError} `INVALID_ARGUMENT` for a session that was not created by this session's `fork`, and for a call that does not
     * wait for an output; `GRAPH_CONSTRAINT` if the branch has no answer yet, or was merged before; `FREED` for a
     * branch that was freed. Then nothing has changed.
     */
    merge(child: Session, as: { tool_call_id: string } | { role: "user" }): void;
    /**
     * The message with this id, as it was pushed, whatever the view shows of it; `undefined` if there is none. An output that is only in
     * the store is a placeholder, as in `messages`.
     */
    message(id: string): Message | undefined;
    /**
     * Creates an empty session.
     *
     * @param options See `SessionOptions`; all have defaults.
     * @throws {ContextError} `INVALID_CONFIG`, which names the key, for an unknown key, a wrong type or a number out of range;
     * `UNKNOWN_MODEL` for a model that neither the built-in table nor `options.models` knows.
     */
    constructor(options?: SessionOptions);
    /**
     * Listens to events of one name, or to all (`*`), in order. Returns a function that removes the listener.
     */
    on(event: EventName | "*", listener: (event: Event) => void): () => void;
    /**
     * Pins a message, or a piece of its text: from now on it is in every view, unchanged.
     *
     * A message stays in its position. A piece of text gets a user message of its own before the conversation (after the summary, if
     * there is one), whatever happens to the message it was taken from. Pinned content is never shortened. If pins alone exceed the
     * limit, `prepare` and `compact` fail with `BUDGET_IMPOSSIBLE`.
     *
     * @throws {ContextError} `INVALID_ARGUMENT` for an unknown id, and for a text that the message does not contain.
     */
    pin(target: string | { id: string; text: string }): void;
    /**
     * A preview of a compaction: what it would fold, keep and trim, its request, and the tokens. Changes nothing.
     *
     * It runs the ladder of `prepare` with one fold, whether or not that is due. `apply` does exactly that, and makes the view fit
     * as `prepare` does; like `compact`, it rejects if no summary could be had.
     *
     * ```js
     * const plan = session.plan();
     * if (plan.folded.length > 0 && confirm(`Fold ${plan.folded.length} messages?`)) await plan.apply({ keep: ["m3"] });
     * ```
     * @param options `ifDue`: fold only what `prepare` would fold now; `fill` as for `prepare`; `instructions` as for
     * `compact`.
     * @throws {ContextError} `BUDGET_IMPOSSIBLE` if header, tools and pins alone exceed the limit.
     */
    plan(options?: { ifDue?: boolean | undefined; fill?: boolean | undefined; instructions?: string | undefined }): Plan;
    /**
     * Makes the view fit, and resolves to the view and a report. May ask for a summary.
     *
     * A cut goes down to the target (`lowRatio`), so that the next message does not need another. `fill` instead keeps as much as the
     * limit has room for, and changes nothing that fits: use it for a conversation that does not go on (as `compactMessages` does).
     *
     * `idleMs` is how many milliseconds ago the last model call was. Once the provider's prompt cache has expired
     * (`promptCache.lifeMs`, five minutes), an edit loses nothing in it, so a compaction that is near (from 90 % of the threshold on) is
     * done now. While the cache is warm, a due compaction waits until the view reaches the limit. Without `idleMs`, a
     * compaction happens at the threshold.
     *
     * @throws {ContextError} as `compact`, but for a missing summary only if the view does not fit without one; and
     * `CONTEXT_WINDOW_EXCEEDED` if no pass could make the view fit. A fold whose summary was accepted before that stays, because it is
     * valid and paid for; everything else is as before the call.
     */
    prepare(options?: { signal?: AbortSignal | undefined; fill?: boolean | undefined; idleMs?: number | undefined }): Promise<Prepared>;
    /**
     * Appends items or messages of a format: a list, a single one, a request body (including its header) or a response, as the
     * provider's SDK returns it. For the AI SDK, pass a result's `response` or its messages.
     *
     * @throws {ContextError} `INVALID_MESSAGE`, or `INVALID_ARGUMENT` for an unknown format.
     */
    pushFrom(format: Format, input: unknown): string[];
    /**
     * Appends one message or several (all or none of them) and returns their ids.
     *
     * Tool outputs are stored whole and cut at once for the view. If all of them together exceed their budget, the oldest become
     * placeholders. This never asks for a summary.
     *
     * Push a message only when it is complete: it is counted and kept as it is now, and later changes of its object are not noticed
     * (with `freezeInputs`, such a change throws).
     *
     * @throws {ContextError} `INVALID_MESSAGE` with the index and the reason: a missing role, a tool output without its
     * call, a call id that is still open, a part of another format (use `pushFrom` for that). Then nothing has changed.
     */
    push(input: Message | readonly Message[]): string[];
    /**
     * Records what a model call used: the usage object of a provider or SDK, or a response that contains one (see `tokenUsage`). Call it
     * after each answer, before or after you push that.
     * `shouldCompact` uses the last one since the last compaction. If a provider reports none, nothing is recorded, and zeros are
     * returned: for `undefined`, `null`, and a usage object whose counts are all missing or 0. Then `shouldCompact` uses the counted
     * tokens.
     *
     * @throws {ContextError} `INVALID_ARGUMENT` for an object of any other shape.
     */
    recordUsage(usage: unknown): TokenUsage;
    /**
     * For a request that a provider refused because of its size: makes the view smaller and resolves to it, so that you can try again.
     * Resolves to `null` for any other error.
     *
     * If the refusal is about bytes, the number of images, or an image's size or dimensions, the option `media` changes and the oldest
     * media become placeholders; limits in tokens stay.
     *
     * The error may be whatever a client threw, or a provider's body or text: its message, body and causes are searched for wording such
     * as "too long". The limit that it names holds from now on (`session.limit`), in the model's own tokens. If the
     * provider counted more tokens than we did, counts are corrected by that ratio from now on (`counter.calibration`;
     * with `calibrate: false`, the limit is lowered by that ratio instead). Above a ratio of 4, the refusal is taken to be
     * about another request: only its limit is kept, and `report.notices` says so. If it names no numbers, the limit
     * becomes three quarters of the view, and the view is cut only to that limit.
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
     * @throws {ContextError} `CONTEXT_WINDOW_EXCEEDED` the fourth time in a row, if no answer (assistant message) was pushed in
     * between; otherwise as `prepare`.
     */
    recover(error: unknown, options?: { signal?: AbortSignal | undefined }): Promise<Prepared | null>;
    /**
     * Reads what other processes have saved of this session since it was loaded or saved; only what is new is read. Resolves to
     * whether there was anything new.
     *
     * ```js
     * await session.refresh(); // before a turn, where several servers work on one conversation
     * ```
     * @throws {ContextError} `STORE_CONFLICT` if others have saved and this session has unsaved changes of its own (load it again, and
     * push what is new), and if it was removed from the store; `INVALID_ARGUMENT` if the session was neither loaded nor saved, and while
     * a compaction is running; `STORE_FAILED`. Then the session has not changed.
     */
    refresh(): Promise<boolean>;
    /**
     * Restores a summary that an earlier process saved: the messages that it covers are folded into it.
     *
     * ```js
     * localStorage.setItem("summary", JSON.stringify(session.summaryState)); // … and your messages, where you keep them
     *
     * const later = new Session({ contextWindow: 128_000, ladder: "rolling" });
     * later.push(savedMessages);
     * later.restoreSummary(JSON.parse(localStorage.getItem("summary")));
     * ```
     * @param state The value of `summaryState`. Its `is_summarizing` is ignored: whatever was writing a summary then is gone.
     * @throws {ContextError} `INVALID_ARGUMENT` for a state of another shape, if the session already has a summary, and if fewer
     * messages were pushed than the summary covers. Then nothing has changed.
     */
    restoreSummary(state: SummaryState): void;
    /**
     * Restores a session from the bytes of `snapshot`, and from the `changes` after it. Bytes of older versions can be read too.
     *
     * @param options Replace the saved options, key by key. Functions (`summarize`, `now`, `onCost`, `compaction.redact`, a tokenizer
     * function) and the `store` are not saved: give them again. If the session had a `summarize` and you give none, the built-in
     * summariser is used, and `report.notices` says so. If it had a `redact`, `compaction: { redact: null }` restores it without one.
     * Changed options apply from the next `prepare` on. With another `model` or `tokenizer`, everything is counted again, and what was
     * learnt from the usage of the old one is forgotten. A limit that `recover` learnt stays, unless `model`, `models`,
     * `contextWindow` or `reservedOutputTokens` is given.
     * @throws {ContextError} `SNAPSHOT_INVALID` for bytes that are damaged or not of a session, and for changes that are of another
     * session, damaged or incomplete (the message names the position); `SNAPSHOT_TOO_NEW` for bytes of a newer version of this
     * package; `INVALID_CONFIG`, also if the session had a `compaction.redact` that is not given again, or counted with a function or
     * an encoding that is neither given nor loaded; `UNKNOWN_MODEL`.
     */
    static restore(bytes: Uint8Array, options?: RestoreOptions): Session;
    /**
     * Goes back to a message: everything after it leaves the view. It stays in the history (`messages`, `search`), and the next
     * report lists it. The ids of removed messages and tool calls can be used again. If the message is inside a fold, that is unfolded, and
     * so are folds that may quote a message of the user which leaves. If a step is cut in two, its calls wait for their outputs again. With
     * `null`, only the header stays, so that another first message can be pushed.
     *
     * ```js
     * const [question] = session.push({ role: "user", content: "Rename it everywhere." });
     * // … the agent goes astray …
     * session.rewind(question); // as if it had just been asked
     * ```
     * @throws {ContextError} `INVALID_ARGUMENT` for an unknown id, for a summary's id, and for a message that an earlier
     * rewind or `sync` left behind.
     */
    rewind(id: string | null): void;
    /**
     * Saves the session in a store, under a key. A save writes only what is new since the last one: some hundred bytes and the new
     * messages.
     *
     * A session that was loaded or saved before continues what is there. If somebody else has saved under the key in the meantime, nothing
     * is overwritten: `refresh` the session, or load it again, and push what is new. A new session may not overwrite an existing one.
     *
     * ```js
     * import { fileStore } from "contextfold/stores/files";
     *
     * const store = fileStore("./sessions");
     * await session.save(store, "chat-17");
     * const again = await Session.load(store, "chat-17", { summarize });
     * ```
     * @throws {ContextError} `STORE_CONFLICT` as above; `STORE_FAILED` with the store's own error as `cause` (nothing in memory is
     * lost); `INVALID_ARGUMENT` for a store without `getItem`, `setItem` and `removeItem`, and for an invalid key.
     */
    save(store: Store, key: string): Promise<void>;
    /**
     * Like `search`, but runs in slices of some 10 ms with the event loop free in between, so a search by a model blocks nothing. After
     * `toolOutputCache.searchMs` (2000) of work it returns what it has found, and a last hit (`unseen`) that says where it stopped.
     * Messages pushed in the meantime are not searched.
     *
     * @throws {ContextError} as `search`.
     */
    searchAsync(query: string | RegExp, options?: { query?: string | undefined; regex?: boolean | null | undefined; ignore_case?: boolean | null | undefined; max_hits?: number | null | undefined }): Promise<Hit[]>;
    /**
     * Finds a text, or what a regular expression matches, in everything that was ever said, called or returned, including folded and
     * trimmed parts and full tool outputs: in texts, in the values of calls' arguments, and in outputs. Names of tools, keys of arguments,
     * reasoning, and the addresses of media are not searched. The newest hits come first, one per message, with up to three places of it. If
     * there are more than `max_hits`, what was said is preferred to arguments of calls and to outputs. The time is proportional to the
     * length of the history. Calls of the tools of `toolDefinitions` and their answers are skipped, because they repeat what is searched.
     *
     * A string is matched literally, ignoring case, and with its accents both composed and decomposed. If it is found in fewer than three
     * messages (a single word: in none), up to ten hits by its words follow: messages that have all of them in any order, or else those
     * with the most of the rarest. The beginning of a word is enough. In an output, the words must stand together. For the text alone,
     * pass a `RegExp`.
     * You can pass on the arguments with which a model calls the tool `search_history`: `session.search(args.query, args)`.
     *
     * @param options `max_hits`: 20 by default, at most 1000. `ignore_case`: default true for a string; default for a `RegExp`: its own
     * flag. `regex`: the string is a regular expression.
     * @throws {ContextError} `INVALID_ARGUMENT` for an empty query, one of more than 1000 bytes (2000 for a regular expression), and
     * for syntax that Rust's `regex` does not have (look-around, backreferences and `\p{…}`; `\w` matches letters of all
     * scripts). After 500 million steps, some ten seconds, the search returns what it has found, and a last hit (`unseen`) that says
     * where it stopped. For searches by a model, use `searchAsync`.
     */
    search(query: string | RegExp, options?: { query?: string | undefined; regex?: boolean | null | undefined; ignore_case?: boolean | null | undefined; max_hits?: number | null | undefined }): Hit[];
    /**
     * Sets the parts of the prompt that come between the header and the history. Each is counted as a part of its own. A part that
     * is given replaces the earlier one, and `null` or an empty list clears it; parts that are not given stay. `null` instead of an
     * object clears everything.
     *
     * - `memory`: results of your memory search, best first. They become one system message
     *   `<relevant_context>…</relevant_context>`, with at most `memoryLimit` (5) results. Results that a pass dropped stay out until you
     *   set `memory` again.
     * - `injections`: your own messages, unchanged, without tool calls and tool outputs.
     * - `skills`: a list of `{ name, description?, location? }`, shown as `<available_skills … />`; `location` says where the model
     *   finds the skill.
     * - `toolFilter`: decides by name which tools of `setTools` the model gets; see `session.tools`.
     *
     * ```js
     * session.setContext({ memory: await search(question), toolFilter: (name) => name !== "deploy" });
     * ```
     * @throws {ContextError} `INVALID_ARGUMENT`, which names the key, also if the filter throws or returns anything but true or
     * false; `INVALID_MESSAGE` with the index of an injection. Then nothing has changed.
     */
    setContext(parts: ContextPartsInput | null): void;
    /**
     * Replaces the leading system and developer messages by a text (an empty one: no header) or by messages. No pass changes them.
     */
    setHeader(messages: readonly Message[] | string): void;
    /**
     * Changes options. Options that are not given stay as they are, also key by key in `compaction` and `toolOutputCache`.
     *
     * Limit, threshold and counts are updated at once: a smaller window makes `shouldCompact()` true, and the next `prepare` makes the
     * view fit. With another tokenizer, the whole history is counted again. With another model, usage that the old one reported is
     * forgotten, but what was learnt from it (`calibrate`) is kept for the old model. A `prepare` that waits for a summary goes on with
     * the new options, except if `ladder` changes: then it fails with `STALE_PLAN`.
     *
     * @throws {ContextError} as the constructor; `INVALID_CONFIG` for an option that cannot change (`store`). Then nothing has
     * changed.
     */
    setOptions(options: Partial<SessionOptions>): void;
    /**
     * Sets the tools that the model gets, so that their definitions are counted. If there is a rule of the provider for the session's
     * model, they are counted by it (see `report.counter.rules`).
     */
    setTools(format: Format, tools: unknown[]): void;
    /**
     * Whether a compaction is due: `enabled` and `auto` are on, and the last usage since the last compaction (or else the counted
     * tokens) has reached the threshold. If no window is known, it is false unless the ladder has a threshold of its own.
     */
    shouldCompact(): boolean;
    /**
     * The session as bytes: history, view, folds, tool outputs, header, pins, what was learnt from usage, the report of the last
     * successful run, and the options that are plain data. The same session always gives the same bytes. A compaction that is running, or
     * that failed, leaves no trace in them, except for the pause after a failed summary in the background
     * (`compaction.background: true`), and for folds that were accepted before a later pass failed.
     *
     * ```js
     * const bytes = session.snapshot();
     * const again = Session.restore(bytes, { summarize }); // goes on where the other one was
     * ```
     * Tool outputs that are only in the store (`toolOutputCache.memoryBytes`) stay there; the bytes contain only their refs.
     */
    snapshot(): Uint8Array;
    /**
     * Appends what is new in a list that an SDK passes in full at every step.
     *
     * The list is compared with what was pushed so far, entry by entry: by reference, and if the object is not the same, by what a
     * model reads of it. Cache marks, hints for a provider, ids of items, white space around a text and the order of keys do not count;
     * the newest form is sent. Entries after the common beginning are appended as with `pushFrom`; `added` is their number. Leave out an
     * entry that is still being written: an object that is changed after it was passed still counts as what it was.
     *
     * System and developer messages at the beginning of the list are its header. Different ones replace it, and nothing counts as
     * rewritten.
     *
     * If the past was rewritten (an entry is different, or the list is shorter), `diverged_at` is the index of the first entry that
     * differs, else `null`. The history keeps everything; the view continues with the given list from there. A fold that covers
     * rewritten messages is undone. Tool outputs that are already stored keep their refs.
     *
     * If the last entry that is known is the user's, and now has more behind what it said, only that is new: nothing was rewritten.
     *
     * A list may also begin with the current view, summaries included: then the session goes on from there.
     *
     * A body's `system` or `instructions` becomes the header, as with `setHeader`. If the next body has none, the view has none either.
     *
     * ```js
     * const { added, diverged_at } = session.sync("ai-sdk", messages);   // the SDK's own list, in every step
     * await session.prepare();
     * const fitting = session.view("ai-sdk");
     * ```
     * @throws {ContextError} `INVALID_MESSAGE`, with an index counted from the first new entry; `INVALID_ARGUMENT` for an unknown
     * format, and for an input without a list.
     */
    sync(format: Format, fullInput: unknown): { added: number; diverged_at: number | null };
    /**
     * Undoes a fold: its messages return to their positions in the form they had (trimmed ones stay trimmed, dropped ones stay
     * dropped), and its summary leaves the view. What came after the fold stays after it. Undoing a fold of folds
     * brings back the inner folds. `folds()` and the hits of `search` have the ids.
     *
     * As long as the view fits its limit, no automatic fold starts until it has grown by about a tenth of the target. With
     * `hold: true` none starts at all, until the view is edited again (`rewind`, another `unfold`) or you ask for a fold.
     * The result says how full the view is now; if it is over its threshold, `notice` says what keeps it from folding
     * again. The guide `docs/undo.md` covers previews, undoing by hand and branches.
     *
     * ```js
     * const [hit] = session.search("DATABASE_URL");
     * if (hit?.fold) session.unfold(hit.fold);
     * ```
     * @throws {ContextError} `INVALID_ARGUMENT` for an id that is not a fold's; `GRAPH_CONSTRAINT` for a fold inside a later one,
     * which the error names: unfold that one first.
     */
    unfold(id: string, options?: { hold?: boolean | undefined }): Undone;
    /**
     * Removes a pin.
     *
     * @throws {ContextError} `INVALID_ARGUMENT` for an unknown id, and for a text that is not pinned.
     */
    unpin(target: string | { id: string; text: string }): void;
    /**
     * The cache marks that the newest `view(format, { cacheMarks })` set, in order. The last one says how many tokens of
     * the view they cover.
     */
    readonly cacheMarks: CacheMark[];
    /**
     * The history as a graph. Each message is a node in the session's lane, after the message before it; outputs also have a
     * `dependency` on their calls. Folds are summaries over what they replace. Forks are lanes (ids of nodes there begin with the
     * lane's name), and a merged result is a node that a `branch` from the lane leads to. What `rewind` left behind stays as a dead end.
     * The graph is updated when it is read; that costs only what is new since the last time.
     *
     * It belongs to the session: `compress` folds (see `folds()`), `expand` unfolds. Any other change is refused with
     * `GRAPH_CONSTRAINT`, and the error names the session's method to use.
     */
    readonly graph: ContextGraph;
    /**
     * The passes that `prepare` runs, in the form that the option `ladder` takes, with every option filled in.
     */
    readonly ladder: Pass[];
    /**
     * The most tokens that a view may have: min(max input, window − `reservedOutputTokens`). `null` if no window is known.
     */
    readonly limit: number | null;
    /**
     * The history: the header, if there is one, and every message that was pushed, in order. Tool messages have their `output_ref`. With
     * `toolOutputCache.memoryBytes`, an output that is only in the store is a placeholder here: `await toolOutputs.get(ref)` returns it.
     */
    readonly messages: Message[];
    /**
     * The session's position: a number that rises with every recorded change. `changes(position)` returns what came after a position.
     * It starts at a random number, so that one session is not taken for another.
     */
    readonly position: number;
    /**
     * The report of the last run, even if it failed. A snapshot keeps the report of the last successful run.
     */
    readonly report: Report | null;
    /**
     * What the newest summary covers. `null` before the first summary; but while the first one is being written, a state with
     * an empty `summary` that covers nothing and only shows `is_summarizing`: do not save that one.
     */
    readonly summaryState: SummaryState | null;
    /**
     * The tokens at which a compaction is due: limit × `thresholdRatio`; more if the header takes much of the limit, or if
     * the ladder says so; `null` if no window is known.
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
     * The tools that the model gets: those of `setTools`, filtered by `toolFilter`.
     */
    readonly tools: unknown[];
    /**
     * The context window in tokens; `null` if neither `model` nor `contextWindow` was given.
     */
    readonly window: number | null;
}

/**
 * The full tool outputs of a session, by ref.
 *
 * The view holds only what fits. A model, or you, can read the rest from here by line, or search it.
 * `toolDefinitions(format)` returns the tools for the model.
 */
export class ToolOutputCache {
    private constructor();
    /** Frees its memory at once, not when it is collected. A use afterwards throws `FREED`; freeing twice does nothing. */
    free(): void;
    /** `free`, for `using`. */
    [Symbol.dispose](): void;
    /**
     * Appends a chunk to the text of a stored output. Bytes are decoded as UTF-8; a character that is cut off at the end of a chunk is
     * completed by the next chunk.
     *
     * @throws {ContextError} `UNKNOWN_REF`.
     */
    append(ref_id: string, chunk: string | Uint8Array): ToolOutputRef;
    /**
     * Removes outputs that neither the history nor a fold mentions, and returns their refs. With `dryRun`, it only lists them.
     */
    collectGarbage(options?: { dryRun?: boolean | undefined }): ToolOutputRef[];
    /**
     * A whole stored output: its text, or its parts if it has others than text.
     *
     * @throws {ContextError} `UNKNOWN_REF`.
     */
    get(ref_id: string): Promise<string | Part[]>;
    /**
     * Lines of a stored output that match a regular expression (Rust's `regex` syntax without `\p{…}`; linear time), with line numbers,
     * `context` lines around each, at most `max_matches` (100). This is what the tool `tool_output_cache_grep` answers a model.
     *
     * It runs in slices of some 10 ms, with the event loop free in between. After `toolOutputCache.searchMs` (2000) of work it returns
     * what it has found, and says at which line it stopped.
     *
     * @throws {ContextError} `UNKNOWN_REF`; `INVALID_ARGUMENT` for a pattern that does not parse, or has more than 2000 bytes.
     */
    grep(args: { ref_id: string; pattern: string; context?: number | undefined; max_matches?: number | undefined; ignore_case?: boolean | undefined }): Promise<string>;
    /**
     * Stores an output and returns its ref. Bytes are decoded as UTF-8; invalid ones become U+FFFD, and a character that is cut off at the
     * end waits for `append` to complete it.
     *
     * @throws {ContextError} `INVALID_ARGUMENT` if `options.id` already names another content.
     */
    put(content: string | Uint8Array | Part[], options?: { id?: string | undefined }): ToolOutputRef;
    /**
     * Lines of a stored output, numbered from 1. Skips `offset` (0) lines and returns at most `limit` (2000) lines, and never more than
     * `maxMessageBytes`. This is what the tool `tool_output_cache` answers a model.
     *
     * @throws {ContextError} `UNKNOWN_REF`, `INVALID_ARGUMENT`.
     */
    read(args: { ref_id: string; offset?: number | undefined; limit?: number | undefined }): Promise<string>;
    /**
     * The refs of all stored outputs, oldest first.
     */
    refs(): ToolOutputRef[];
}

/**
 * The models that have a built-in price, and the date of the prices: `{ as_of, models }`.
 */
export function builtInPrices(): { as_of: string; models: string[] };

/**
 * Checks whether a provider would accept a history. Returns every rule that the history breaks, in the order of the list if the rule
 * has a position; an empty list means that nothing is wrong.
 *
 * Rules are named after their API (see `Violation.rule`); `schema`: an entry does not have the format's shape. The provider
 * answers an `error` with 400; a `warn` is refused only by some models or gateways. A request body shows whether it uses a
 * stored conversation, whether it stores items and whether thinking is on; the calls of a response are treated as about to
 * run (`pending`).
 *
 * ```js
 * import { check } from "contextfold";
 *
 * check("openai-chat", [{ role: "tool", tool_call_id: "call_1", content: "42" }]);
 * // [{ severity: "error", rule: "C-orphan-tool", index: 0, message: "tool message call_1 follows no assistant message …" }]
 * ```
 * @throws {ContextError} `INVALID_ARGUMENT` if the input is not a list and contains none, and for an unknown option.
 */
export function check(format: Format, input: unknown, options?: CheckOptions): Violation[];

/**
 * Makes a list of messages fit, in one call: runs `prepare({ fill: true })` on a temporary session.
 *
 * @throws {ContextError} as the constructor of `Session`, `push` and `prepare`.
 */
export function compactMessages(messages: readonly Message[], options: SessionOptions & { signal?: AbortSignal | undefined }): Promise<Prepared>;

/**
 * Rewrites the JSON of a tool output in fewer tokens (by the estimate). The result is JSON too, marked with `"compressed": true`.
 * Returns the text unchanged if it has at most `maxTokens` (200), is not JSON, or would not become smaller.
 *
 * Success and failure, error texts, counts and ids stay, and numbers stay as they were written. A list of more than four
 * objects becomes `<name>_preview`: the first two, the last two and those that failed, each reduced to `id`, `title`
 * and `name`. Long strings lose their middle. JSON lines are compressed line by line, and lose lines in the middle if
 * that is not enough.
 *
 * @throws {ContextError} `INVALID_ARGUMENT`, which names the option.
 */
export function compressJson(text: string, options?: { maxTokens?: number | undefined }): string;

/**
 * The most tokens that a view for this model may have.
 *
 * @param models A `LiteLLM` table, a models.dev table, or `{ [model]: { max_input_tokens?, max_output_tokens?, max_tokens? } }`;
 * it takes precedence over the built-in table.
 * @throws {ContextError} `UNKNOWN_MODEL` for a model that is in neither table: the limit is never guessed.
 */
export function contextLimit(model: string, models?: object): number;

/**
 * Tokens of a text, or of messages including what a provider adds per message.
 *
 * @param input A text; or a list of messages or items, a request body or a response, in any format (it is detected).
 * @param tokenizer `"estimate"` (default), `"bytes/4"`, the result of `loadEncoding` or `loadTokenizer`, or a function from text to number.
 * @throws {ContextError} `INVALID_ARGUMENT` for an unknown tokenizer, for one that throws or returns no number, and
 * for any other input; `INVALID_MESSAGE` for a list of something other than messages.
 */
export function countTokens(input: unknown, tokenizer?: "estimate" | "bytes/4" | Encoding | ((text: string) => number)): number;

/**
 * The encoding that tiktoken uses for a model's name: `o200k_base` for `gpt-5-mini`. Pass the result to `loadEncoding`.
 *
 * @throws {ContextError} `UNKNOWN_MODEL` for a model that tiktoken does not know, including models whose tokenizer is not
 * public (Claude, Gemini …): nothing counts those exactly, so use the estimate.
 */
export function encodingForModel(model: string): EncodingName;

/**
 * A `Summarize` that needs no model: deterministic, offline, in Rust.
 *
 * The summary names the task, the user's constraints, files read and changed, commands with their outcome, errors, decisions and
 * what is still open. A session uses it if no `summarize` is given.
 *
 * ```js
 * const session = new Session({ contextWindow: 128_000, summarize: extractiveSummarize({ maxTokens: 1_000 }) });
 * ```
 * @param options `maxTokens`: the summary's size; default: what the request asks for (`aim_tokens`), else 2000.
 * @throws {ContextError} `INVALID_ARGUMENT` for an unknown option or a number out of range.
 */
export function extractiveSummarize(options?: { maxTokens?: number | undefined }): Summarize;

/**
 * Whether two entries of a list say the same to a model; `sync` recognises a conversation by this. Cache marks, hints for a
 * provider, ids of items, white space around a text and the order of keys do not count.
 *
 * Ids of calls count, unless `calls` is given: pass a `Map` that is empty at the beginning of the two lists, and the same one for
 * every pair of entries. Then the ids of a call may differ, if those of its output differ in the same way. The map has the
 * open calls with different ids: the id in the list of `one` → the id in the list of `other`.
 *
 * @throws {ContextError} `INVALID_ARGUMENT` for an unknown format; `INVALID_MESSAGE` for what cannot be written as JSON.
 */
export function readsSame(format: Format, one: unknown, other: unknown, calls?: Map<string, string>): boolean;

/**
 * Whether a compaction is due: `enabled` and `auto` are on, and `usage.total_tokens >= limit × thresholdRatio`.
 *
 * @throws {ContextError} `INVALID_CONFIG`, which names the key; `INVALID_ARGUMENT` for a wrong `usage` or `limit`.
 */
export function shouldCompact(usage: TokenUsage, limit: number, config?: CompactionConfig): boolean;

/**
 * Replays a recorded transcript call by call under several ladders, to compare them: what each call would have sent, what a
 * prompt cache could have served of it, what was folded, what it costs, and which facts were still in the view.
 *
 * Before each answer of the assistant, the view is prepared as `prepare` does it. No model is called: summaries are made by
 * `extractiveSummarize`. If `options` have neither `model` nor `contextWindow`, the window is half of the transcript's
 * tokens. If a view cannot be prepared, its call has the error, and the replay goes on.
 *
 * Views name the refs of outputs, as for a model that can open them. With the definitions of such tools (`toolDefinitions`) among its
 * `tools`, a replay sends what a session with these tools and without `summarize` sends. Without them, a session names no refs, so its
 * views differ by about a percent.
 *
 * ```js
 * import { simulate } from "contextfold";
 *
 * const { recorded, runs } = simulate("anthropic", body, { model: "claude-sonnet-4-5", presets: ["contextfold", "rolling"] });
 * for (const run of runs) console.log(run.preset, run.cost, "instead of", recorded.cost, run.retention.literal);
 * ```
 * @param options As for `Session`, and: `presets`, names or lists of passes (default: every preset); `tools`, the tools'
 * definitions, which count with every call; `prices` and `priceAs`, what tokens cost (default: the built-in price of `model`);
 * `pins`, ids of messages to pin as soon as they are pushed.
 * @throws {ContextError} `INVALID_MESSAGE` with the index of a message that is malformed or breaks the history; `INVALID_CONFIG`,
 * which names the option, `UNKNOWN_MODEL`; `INVALID_ARGUMENT` for an unknown format, and for an input without a list.
 */
export function simulate(format: Format, input: unknown, options?: SimulateOptions): Simulation;

/**
 * The keys of the stored tool outputs that a saved session refers to (`contextfold:output:HASH`): those that are only in the store.
 * Outputs that no session refers to may be removed; `sweep` of `contextfold/stores/sweep` does that.
 *
 * @param snapshot The saved snapshot of the session; `changes` are the records after it.
 * @throws {ContextError} `SNAPSHOT_INVALID`, `SNAPSHOT_TOO_NEW`.
 */
export function storedOutputs(snapshot: Uint8Array, changes?: Uint8Array | readonly Uint8Array[]): string[];

/**
 * Converts a provider's usage object to our `TokenUsage`, in which cached tokens are counted only once.
 *
 * Accepts the usage objects of OpenAI, Anthropic, Gemini, Bedrock, the AI SDK, LangChain and the Agents SDK, and
 * responses that contain one.
 *
 * @throws {ContextError} `INVALID_ARGUMENT` for an object of any other shape.
 */
export function tokenUsage(usage: unknown): TokenUsage;

/**
 * Cuts a text of more than `max` (5,000) characters to its first `head` (1,000) and its last `tail` (1,000), with
 * `[... 3000 chars omitted ...]` in between. Returns a shorter text unchanged. Characters are code points, but a grapheme cluster
 * (what people see as one character) of up to 64 code points is never split.
 *
 * @throws {ContextError} `INVALID_ARGUMENT`, which names the option, also if `max` is less than `head` and `tail` together.
 */
export function truncateHeadTail(text: string, options?: { max?: number | undefined; head?: number | undefined; tail?: number | undefined }): string;

/**
 * The version of this package, such as `0.1.0`.
 */
export function version(): string;

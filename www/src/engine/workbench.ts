// The worker's state: one transcript, and the session at the call that the visitor looks at.
//
// There is one `Recording`, its newest `Replay`, and one `Session` at the current call. The newest settings and the newest call win. To
// cancel, the page terminates the worker and starts another one.

import { ContextError, Recording, Session, builtInPrices, check, countTokens, repair, type Format, type Message, type RepairChange, type Replay, type Report, type SimulatedCall, type SimulatedRun, type SimulateOptions, type Simulation, type Summarize } from "contextfold";
import { readTranscript, type Transcript } from "contextfold/transcript";
import { htmlReport } from "../../../pkg/cli/html.js";
import { changesOf, linesOf, summaryOf } from "./changes";
import { troubleOf } from "./explain";
import { languagesOf } from "./languages";
import type { Call, Changes, Compared, Detail, FactShares, Lane, Moment, Opened, Outcome, OutputQuery, Progress, SearchQuery, SentMoment, SentRow, Settings, Source, Summarised, WrittenView } from "./protocol";
import { textOfFile } from "./reading";
import { rowsOf, sourcesOf, type Missing } from "./rows";
import { callText, textOf } from "./text";
import { TroubleError } from "./trouble";

interface Loaded {
  recording: Recording;
  transcript: Transcript;
  messages: Map<string, Message>;
  sources: Source[];
  /** The indexes of the sources, by id. */
  places: Map<string, number>;
  /** How many messages come before each call's answer. */
  begins: number[];
  /** The figures of the session as it was recorded, by the model whose price was used. */
  recorded: Map<string, Pick<Simulation, "recorded" | "prices">>;
}

/** Milliseconds between two pauses of a replay, in which it reports progress and receives messages of the page. */
const PAUSE_INTERVAL_MS = 80;
/** Milliseconds until the first pause; shorter, because the visitor waits for an answer. */
const FIRST_PAUSE_MS = 30;

/**
 * A running replay sends its partial result at most once in `PARTIAL_INTERVAL_MS`. If making that takes long, it is sent less often:
 * the interval is at least `PARTIAL_COST_FACTOR` times as long as making it took.
 */
const PARTIAL_INTERVAL_MS = 250;
const PARTIAL_COST_FACTOR = 8;

/** How many calls are replayed between two looks at the clock. */
const CALLS_PER_STEP = 16;

/** If the facts are found within this many milliseconds, they are sent together with the rest. */
const FACTS_AT_ONCE_MS = 60;

/** The error that ends a replay which is not wanted any more. */
class Superseded extends TroubleError {
  constructor() {
    super({ title: "Newer settings came", detail: "This replay was not wanted any more.", superseded: true });
  }
}

/** A session in which nothing is cut. */
const UNTOUCHED = { contextWindow: 2 ** 40, toolOutputCache: { enabled: false }, compaction: { enabled: false } };

/** Maximum number of hits of a search. */
const MAX_HITS = 1000;

/** How many broken rules, or repairs, are listed one by one. */
const MAX_LISTED = 5;

/** How many characters of the user's messages are examined for their language. */
const LANGUAGE_SAMPLE = 40_000;

export class Workbench {
  #loaded: Loaded | undefined;
  #replay: Replay | undefined;
  /** The settings of the replay, as JSON. */
  #settings = "";
  /** The decisions before each call of the replay. */
  #decided: SimulatedCall["decisions"][] = [];
  #hurry = false;
  #session: Session | undefined;
  #call = 0;
  #trouble: Moment["trouble"] = null;
  #refused: Moment["refused"] = null;
  #summarised: Summarised | null = null;

  /** Reads a file and counts it unchanged, without a window. If it is broken, the previous file stays open. */
  async open({ file, name, partial, repaired }: { file: Blob; name: string; partial: boolean; repaired: boolean }, tell: (progress: Progress) => void): Promise<Opened> {
    const text = await textOfFile(file, tell);
    const isLarge = file.size > 5_000_000;
    if (isLarge) tell({ doing: "Parsing", share: null });
    const transcript = readTranscript(text, { partial });
    const started = performance.now();
    if (isLarge) tell({ doing: "Counting", share: null });
    const tools = Array.isArray(transcript.body?.tools) ? transcript.body.tools : [];
    const mended = repaired ? repair(transcript.format, transcript.body ?? transcript.items) : { output: transcript.body ?? transcript.items, changes: [] };
    const { recording, untouched, report } = await read(transcript.format, mended.output, tools);
    try {
      const messages = untouched.messages;
      const ms = performance.now() - started;
      const sources = sourcesOf(messages, untouched.items());
      this.#forget();
      this.#loaded?.recording.free();
      this.#loaded = {
        recording,
        transcript,
        sources,
        messages: new Map(messages.map((m) => [m.id ?? "", m])),
        places: new Map(sources.map(({ id }, at) => [id, at])),
        begins: beginsOf(sources),
        recorded: new Map(),
      };
      return {
        name,
        bytes: file.size,
        format: transcript.format,
        shape: transcript.shape,
        source: transcript.source,
        notes: [...transcript.notes, ...notesOf(mended.changes)],
        model: isPriced(recording, transcript.model) ? transcript.model : undefined,
        usage: transcript.usage,
        entries: transcript.items.length,
        messages: sources.length,
        turns: sources.filter((source) => source.role === "user").length,
        calls: recording.calls,
        languages: languagesOf(userTexts(messages)),
        tools: toolsOf(sources),
        lanes: lanesOf(transcript, messages),
        sources,
        tokens: report.tokens_after,
        parts: partsOf(report.parts),
        ms,
      };
    } finally {
      untouched.free();
      if (this.#loaded?.recording !== recording) recording.free();
    }
  }

  /** The models whose prices are known. */
  prices = () => builtInPrices();

  /** The current work is not wanted any more. */
  hurry(): void {
    this.#hurry = true;
  }

  /** Replays the transcript under these settings, call by call. The result includes the facts if they can be found quickly. */
  async run(settings: Settings, tell: (progress: Progress) => void): Promise<Outcome> {
    const { recording } = this.#openedTranscript();
    this.#hurry = false;
    const started = performance.now();
    const { recorded, prices } = this.#recorded(settings);
    this.#forget();
    const replay = recording.replay({ ...optionsOf(settings), ladder: settings.preset });
    [this.#replay, this.#settings] = [replay, JSON.stringify(settings)];
    const outcome = (run: SimulatedRun, facts: FactShares | null): Outcome => outcomeOf({ settings, run, recorded, prices, facts, ms: performance.now() - started });
    // A long replay sends partial results, which the page draws.
    let [told, cost] = [0, 0];
    await this.#inSteps(
      () => replay.advance(CALLS_PER_STEP),
      () => {
        const now = performance.now();
        const partial = now - told < Math.max(PARTIAL_INTERVAL_MS, PARTIAL_COST_FACTOR * cost) ? {} : { partial: outcome(replay.run(), null) };
        tell({ doing: "Replaying", share: replay.share, ...partial });
        if (partial.partial) [told, cost] = [performance.now(), performance.now() - now];
      },
    );
    const begun = performance.now();
    let more = true;
    while (more && performance.now() - begun < FACTS_AT_ONCE_MS) more = replay.look(CALLS_PER_STEP);
    const run = replay.run();
    this.#decided = run.calls.map((call) => call.decisions);
    return outcome(run, more ? null : sharesOf(run));
  }

  /** The shares of facts that the views of the replay still had. */
  async facts(): Promise<FactShares> {
    this.#openedTranscript();
    const replay = this.#replay;
    if (!replay) throw new TroubleError({ title: "Nothing has run yet", detail: "Open a file or use the sample." });
    this.#hurry = false;
    await this.#inSteps(() => replay.look(CALLS_PER_STEP), () => {});
    return sharesOf(replay.run());
  }

  /** Replays under other settings, without changing the current replay, and returns only figures. */
  async compare({ settings, priceAs }: { settings: Settings; priceAs: string[] }): Promise<Compared> {
    const { recording, messages, begins } = this.#openedTranscript();
    this.#hurry = false;
    const replayed = async (model: string, looks: boolean): Promise<SimulatedRun> => {
      const replay = recording.replay({ ...optionsOf({ ...settings, priceAs: model }), ladder: settings.preset });
      try {
        await this.#inSteps(() => replay.advance(CALLS_PER_STEP), () => {});
        if (looks) await this.#inSteps(() => replay.look(CALLS_PER_STEP), () => {});
        return replay.run();
      } finally {
        replay.free();
      }
    };
    const run = await replayed(priceAs[0] ?? "", true);
    const costs = [run.cost];
    for (const model of priceAs.slice(1)) costs.push((await replayed(model, false)).cost);
    return {
      tokens: run.calls.map((call) => call.tokens),
      tokensTotal: run.tokens_total,
      costs,
      cacheHitRatio: run.cache_hit_ratio,
      folds: run.compactions.count,
      readAgain: readAgain(run, [...messages.values()], begins),
      facts: sharesOf(run),
      callsOverLimit: run.calls_over_limit,
    };
  }

  /** The view at a call. */
  async at({ settings, call, unfolded }: { settings: Settings; call: number; unfolded: string[] }): Promise<SentMoment> {
    const { recording, sources } = this.#openedTranscript();
    const started = performance.now();
    this.#call = call;
    this.#trouble = null;
    this.#refused = null;
    const from = this.#replay && this.#settings === JSON.stringify(settings) ? this.#replay : recording.replay({ ...optionsOf(settings), ladder: settings.preset });
    try {
      this.#replace(from.sessionAt(call));
    } finally {
      if (from !== this.#replay) from.free();
    }
    const { report } = this.#currentSession();
    // The view is prepared already, unless that failed: then this throws the reason.
    await this.#currentSession().prepare().catch((error: unknown) => (this.#trouble = troubleOf(error, "Nothing fits these settings")));
    try {
      for (const id of unfolded) this.#currentSession().unfold(id);
    } catch (error) {
      this.#refused = troubleOf(error, "The fold could not be opened");
    }
    const moment = this.#moment(performance.now() - started, this.#trouble ? undefined : report);
    // The report is that of the run, before folds were opened; so compute the parts from the rows.
    return unfolded.length > 0 ? { ...moment, parts: partsOfRows(moment.rows, sources) } : moment;
  }

  /** Compares the current view with that of the previous call. */
  changes(format: Format): Changes {
    const { sources, places } = this.#openedTranscript();
    const after = this.#session;
    if (!after) throw new Superseded(); // new settings are being replayed
    const call = this.#call;
    // A view with a summary by the visitor's own summariser was not made from the previous view.
    const before = call > 0 && this.#replay && !this.#summarised ? this.#replay.sessionAt(call - 1) : null;
    try {
      return {
        before: before ? call - 1 : null,
        ...changesOf(before, after, (id) => sources[places.get(id) ?? -1]),
        ...linesOf(before, after, format),
        summary: summaryOf(after, (id) => this.detail(id).after),
      };
    } finally {
      before?.free();
    }
  }

  /** Repeats `step` until it returns false. Now and then calls `tell`, and stops if the work is not wanted any more. */
  async #inSteps(step: () => boolean, tell: () => void): Promise<void> {
    let lastPause = performance.now();
    let patience = FIRST_PAUSE_MS;
    while (step()) {
      if (performance.now() - lastPause < patience) continue;
      tell();
      await new Promise((heard) => setTimeout(heard));
      if (this.#hurry) throw new Superseded();
      lastPause = performance.now();
      patience = PAUSE_INTERVAL_MS;
    }
  }

  #recorded(settings: Settings): Pick<Simulation, "recorded" | "prices"> {
    const { recording, recorded } = this.#openedTranscript();
    let known = recorded.get(settings.priceAs);
    if (!known) {
      known = recording.simulate({ contextWindow: settings.window, ...(settings.priceAs && { priceAs: settings.priceAs }), presets: [] });
      recorded.clear();
      recorded.set(settings.priceAs, known);
    }
    return known;
  }

  /** The view at a call, made in one go from all messages until then, with a summary by the visitor's own summariser. */
  async summarise({ settings, call, by }: { settings: Settings; call: number; by: string }, summarize: Summarize): Promise<SentMoment> {
    const { messages } = this.#openedTranscript();
    const started = performance.now();
    const said = [...messages.values()].slice(0, this.#saidBy(call));
    const { pins, priceAs, ...options } = optionsOf(settings);
    let requests = 0;
    let inputTokens = 0;
    let failed: unknown;
    const session = new Session({
      ...options,
      ladder: settings.preset,
      compaction: { ...options.compaction, onFailure: "error" }, // the visitor wants to see the error, not a substitute summary
      summarize: async (request, more) => {
        requests += 1;
        inputTokens += request.input_tokens;
        try {
          return await summarize(request, more);
        } catch (error) {
          failed = error;
          throw error;
        }
      },
    });
    try {
      session.push(said);
      for (const id of pins ?? []) if (session.messages.some((message) => message.id === id)) session.pin(id);
      const { report } = await session.prepare();
      if (failed && session.folds().length === 0) throw failed; // an agent would go on without a summary, but the visitor wants to see the error
      this.#call = call;
      this.#trouble = null;
      this.#refused = null;
      this.#replace(session);
      if (requests > 0) this.#summarised = { by, requests, inputTokens, ms: performance.now() - started, fallback: report.summary?.fallback };
      else this.#trouble = { title: "There was nothing to sum up", detail: "At this call the view fits without a fold: choose a later call, or a smaller window." };
      return this.#moment(performance.now() - started);
    } finally {
      if (this.#session !== session) session.free();
    }
  }

  /** The current replay as an HTML report, without any message text. */
  report({ settings, name }: { settings: Settings; name: string }): string {
    const { recording, transcript } = this.#openedTranscript();
    const simulation = recording.simulate({ ...optionsOf(settings), presets: [settings.preset] });
    return htmlReport({ name, source: `${transcript.format} · ${simulation.transcript_tokens} tokens · ${recording.calls} model calls`, simulation });
  }

  /** One message in full: the original, and as it is in the view. */
  detail(id: string): Detail {
    const before = this.#openedTranscript().messages.get(id);
    const after = this.#currentSession().lower().find((message) => message.id === id);
    const kept = before?.role === "tool" ? this.#currentSession().messages.find((message) => message.id === id) : undefined;
    const ref = kept?.role === "tool" ? kept.output_ref : undefined;
    return {
      before: before ? textOf(before) : "",
      after: after ? textOf(after) : "",
      ...(ref && { output: { ref: ref.id, lines: ref.line_count ?? 0, bytes: ref.byte_size ?? 0 } }),
    };
  }

  /** Finds messages that contain a text, whether in the view or not. */
  search(text: string): { ids: string[]; all: boolean } {
    const hits = this.#currentSession().search(text, { max_hits: MAX_HITS });
    return { ids: [...new Set(hits.map((hit) => hit.id))], all: hits.length < MAX_HITS };
  }

  /** Numbered lines of a stored output. */
  read({ ref, offset, limit }: OutputQuery): Promise<string> {
    return this.#currentSession().toolOutputs.read({ ref_id: ref, offset, limit });
  }

  /** Matching lines of a stored output. */
  grep({ ref, pattern, ignoreCase }: SearchQuery): Promise<string> {
    return this.#currentSession().toolOutputs.grep({ ref_id: ref, pattern, context: 1, max_matches: 100, ignore_case: ignoreCase });
  }

  /** The view as a provider's JSON, checked by its rules. */
  view(format: Format): WrittenView {
    const view = this.#currentSession().view(format);
    return { json: JSON.stringify(view, null, 2), violations: check(format, view, { pending: true }) };
  }

  /** The current view and its report. */
  #moment(ms: number, report: Report | null | undefined = this.#currentSession().report): SentMoment {
    const { sources, places } = this.#openedTranscript();
    const session = this.#currentSession();
    if (!report) throw new TroubleError(this.#trouble ?? { title: "The engine gave no report", detail: "This is a bug." });
    const folds = session.folds();
    const said = this.#saidBy(this.#call);
    let tokens = 0;
    for (let at = 0; at < said; at++) tokens += sources[at]!.tokens;
    return {
      call: this.#call,
      report: { ...report, tokens_after: session.tokens },
      rows: rowsOf(places, { items: session.items(), view: session.lower(), folds, leftOut: this.#leftOut(session) }),
      folds,
      messages: said,
      tokens,
      parts: partsOf(report.parts),
      trouble: this.#trouble,
      refused: this.#refused,
      ms,
      summarised: this.#summarised,
    };
  }

  /** All messages that were changed or left out, and since which call: the last call before which that pass acted on the message. */
  #leftOut(session: Session): Missing[] {
    const since = new Map<string, number>();
    for (const [call, decisions] of this.#decided.slice(0, this.#call + 1).entries())
      for (const { pass, items } of decisions) for (const id of items) since.set(`${pass} ${id}`, call);
    return session.leftOut().map((line) => {
      const call = this.#summarised ? undefined : since.get(`${line.pass} ${line.id}`);
      return call === undefined ? line : { ...line, since: call };
    });
  }

  /** How many messages there were before a call. */
  #saidBy(call: number): number {
    const { begins, sources } = this.#openedTranscript();
    return begins[call] ?? sources.length;
  }

  /** Drops the replay and everything made from it. */
  #forget(): void {
    this.#replay?.free();
    this.#replay = undefined;
    this.#settings = "";
    this.#decided = [];
    this.#replace(undefined);
  }

  #openedTranscript(): Loaded {
    if (!this.#loaded) throw new TroubleError({ title: "There is no transcript yet", detail: "Open a file or use the sample." });
    return this.#loaded;
  }

  #currentSession(): Session {
    if (!this.#session) throw new TroubleError({ title: "Nothing has run yet", detail: "Open a file or use the sample." });
    return this.#session;
  }

  #replace(session: Session | undefined): void {
    this.#session?.free();
    this.#session = session;
    this.#summarised = null;
  }
}

interface Replayed {
  settings: Settings;
  run: SimulatedRun;
  recorded: Simulation["recorded"];
  prices: Simulation["prices"];
  facts: FactShares | null;
  ms: number;
}

/** The result of a replay, or its partial result: calls that are not replayed yet are marked as pending. */
function outcomeOf({ settings, run, recorded, prices, facts, ms }: Replayed): Outcome {
  const folds = new Set(run.compactions.asked.map((request) => request.call));
  const calls = run.calls.map((call, index) => callOf(call, folds.has(index)));
  while (calls.length < recorded.calls.length) calls.push(PENDING);
  return {
    settings,
    window: run.window,
    limit: run.limit,
    threshold: run.threshold,
    calls,
    tokensTotal: run.tokens_total,
    callsOverLimit: run.calls_over_limit,
    cacheHitRatio: run.cache_hit_ratio,
    cacheBreaks: run.cache_breaks,
    cost: run.cost,
    costs: run.costs,
    compactions: { count: run.compactions.count, requests: run.compactions.requests, requestTokens: run.compactions.request_tokens, cost: run.compactions.cost },
    facts,
    recorded: {
      tokens: recorded.calls.map((call) => call.tokens),
      tokensTotal: recorded.tokens_total,
      tokensLargest: recorded.tokens_largest,
      cost: recorded.cost,
      costs: recorded.costs,
    },
    prices,
    ms,
  };
}

const PENDING: Call = { tokens: 0, cached: 0, written: 0, lost: 0, brokenBy: null, output: 0, cost: null, parts: [], decisions: [], folded: false, error: null, pending: true };

/** An output counts as read again if the same call is made within this many calls after it was cut or removed. */
const READ_AGAIN_CALLS = 10;

/** The number of outputs that a pass has cut or removed, and whose call the agent repeated soon after with the same arguments. */
function readAgain(run: SimulatedRun, messages: Message[], begins: number[]): number {
  const callsOf = (message: Message) => (message.role === "assistant" ? (message.tool_calls ?? []) : []);
  const calls = new Map(messages.flatMap(callsOf).map((call) => [call.id, callText(call)]));
  const answers = new Map(messages.map((message) => [message.id, message.role === "tool" ? calls.get(message.tool_call_id) : undefined]));
  const again = new Set<string>();
  for (const [call, { decisions }] of run.calls.entries()) {
    if (decisions.length === 0) continue;
    const asked = new Set(messages.slice(begins[call], begins[call + READ_AGAIN_CALLS]).flatMap(callsOf).map(callText));
    for (const { pass, items } of decisions)
      if (pass !== "bring_back")
        for (const id of items) {
          const answered = answers.get(id);
          if (answered && asked.has(answered)) again.add(`${call} ${answered}`);
        }
  }
  return again.size;
}

/** A recording, and a session with all of its messages, in which nothing is cut. */
interface Read {
  recording: Recording;
  untouched: Session;
  report: Report;
}

/** Reads a recording. If it breaks its provider's rules, throws an error that says which, and whether it can be repaired. */
async function read(format: Format, input: object, tools: object[]): Promise<Read> {
  try {
    return await readAsIs(format, input, tools);
  } catch (error) {
    if (!ContextError.isInstance(error) || error.code !== "INVALID_MESSAGE") throw error;
    const broken = check(format, input).filter(({ severity }) => severity === "error");
    const { output, changes } = repair(format, input);
    throw new TroubleError({
      ...troubleOf(error, "The transcript was refused"),
      broken: broken.slice(0, MAX_LISTED).map(({ rule, index, message }) => ({ rule, index, message })),
      ...(changes.length > 0 && (await isReadable(format, output, tools)) && { repairs: changes.length }),
    });
  }
}

async function readAsIs(format: Format, input: object, tools: object[]): Promise<Read> {
  const recording = new Recording(format, input, { tools });
  let untouched: Session | undefined;
  try {
    untouched = recording.sessionAt(recording.calls, UNTOUCHED);
    const { report } = await untouched.prepare();
    return { recording, untouched, report };
  } catch (error) {
    untouched?.free();
    recording.free();
    throw error;
  }
}

async function isReadable(format: Format, input: object, tools: object[]): Promise<boolean> {
  try {
    const { recording, untouched } = await readAsIs(format, input, tools);
    untouched.free();
    recording.free();
    return true;
  } catch {
    return false;
  }
}

/** Describes what was repaired. */
function notesOf(changes: RepairChange[]): string[] {
  const notes = changes.slice(0, MAX_LISTED).map(({ index, rule, what }) => `Repaired: entry ${index}: ${what} (${rule})`);
  return changes.length > MAX_LISTED ? [...notes, `Repaired: ${changes.length - MAX_LISTED} more`] : notes;
}

/** Converts the settings to options of the engine. */
function optionsOf({ window, thresholdRatio, retainLastTurns, outputBudget, priceAs, pins }: Settings): SimulateOptions {
  return {
    contextWindow: window,
    compaction: { thresholdRatio, retainLastTurns },
    toolOutputCache: outputBudget === null ? {} : { contextBudgetTokens: outputBudget },
    ...(priceAs && { priceAs }),
    pins,
  };
}

/** Whether the price of the model that the file names is known. */
function isPriced(recording: Recording, priceAs: string | undefined): boolean {
  try {
    return recording.simulate({ contextWindow: 1000, presets: [], priceAs }).prices !== null;
  } catch {
    return false;
  }
}

const partsOf = (parts: { name: string; tokens: number }[]) => parts.map(({ name, tokens }) => ({ name, tokens }));

const PART_OF_ROLE = { system: "system", user: "user", assistant: "assistant", tool: "tool_outputs", summary: "summary" } as const;

function partsOfRows(rows: SentRow[], sources: Source[]): { name: string; tokens: number }[] {
  const parts = new Map<string, number>();
  for (const { source, tokensAfter } of rows) {
    const part = PART_OF_ROLE[source === undefined ? "summary" : sources[source]!.role];
    parts.set(part, (parts.get(part) ?? 0) + tokensAfter);
  }
  return [...parts].map(([name, tokens]) => ({ name, tokens }));
}

function sharesOf({ retention, retention_mean }: Pick<SimulatedRun, "retention" | "retention_mean">): FactShares {
  const kept = retention_mean ?? retention;
  return { literal: kept.literal, withRefs: kept.with_refs, constraints: kept.constraints };
}

/** The index at which each call's answer begins. An answer is a run of assistant messages, and everything before it was sent. */
function beginsOf(sources: Source[]): number[] {
  return sources.flatMap(({ role }, at) => (at > 0 && role === "assistant" && sources[at - 1]!.role !== "assistant" ? [at] : []));
}

/** The conversations of sub-agents, with the messages that started them and those with their results. */
function lanesOf({ lanes }: Transcript, messages: Message[]): Lane[] {
  const callers = new Map<string, string>();
  const answers = new Map<string, string>();
  for (const message of lanes.length > 0 ? messages : []) {
    const id = message.id ?? "";
    if (message.role === "assistant") for (const call of message.tool_calls ?? []) callers.set(call.id, id);
    if (message.role === "tool") answers.set(message.tool_call_id, id);
  }
  return lanes.map(({ name, call, messages }) => ({
    name,
    messages: messages.length,
    tokens: tokensOf(messages),
    from: callers.get(call ?? ""),
    to: answers.get(call ?? ""),
  }));
}

/** The tokens of messages; messages that cannot be counted are drawn anyway. */
function tokensOf(messages: object[]): number {
  try {
    return countTokens(messages);
  } catch {
    return 0;
  }
}

const callOf = (call: SimulatedCall, folded: boolean): Call => ({
  tokens: call.tokens,
  cached: call.cached_tokens,
  written: call.cache_write_tokens,
  lost: call.cache_lost_tokens,
  brokenBy: call.cache_broken_by ?? null,
  output: call.output_tokens,
  cost: call.cost ?? null,
  parts: call.parts,
  // Without the ids of messages, which can be many and are not needed here.
  decisions: call.decisions.map(({ pass, tokens_before, tokens_after, items }) => ({ pass, tokens_before, tokens_after, count: items.length })),
  folded,
  error: call.error ? `${call.error.code}: ${call.error.message}` : null,
});

function userTexts(messages: Message[]): string {
  let text = "";
  for (const message of messages) {
    if (message.role === "user") text += `${textOf(message).slice(0, 4000)}\n`;
    if (text.length > LANGUAGE_SAMPLE) break;
  }
  return text;
}

function toolsOf(sources: Source[]): Opened["tools"] {
  const calls = new Map<string, number>();
  for (const { role, label } of sources) if (role === "tool") calls.set(label, (calls.get(label) ?? 0) + 1);
  return [...calls].map(([name, count]) => ({ name, calls: count })).sort((a, b) => b.calls - a.calls);
}

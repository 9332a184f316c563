// The worker's state: one transcript, and the session as it stands at the call that is looked at.

import { Recording, Session, builtInPrices, check, type Format, type Message, type SimulatedCall, type SimulateOptions, type Summarize } from "contextfold";
import { readTranscript, type Transcript } from "contextfold/transcript";
import { troubleOf } from "./explain";
import { languagesOf } from "./languages";
import type { Call, Detail, Moment, Opened, Outcome, OutputQuery, Progress, Row, SearchQuery, Settings, Summarised, WrittenView } from "./protocol";
import { textOfFile } from "./reading";
import { rowsOf, sourcesOf, type Source } from "./rows";
import { textOf } from "./text";
import { TroubleError } from "./trouble";

interface Loaded {
  recording: Recording;
  transcript: Transcript;
  messages: Map<string, Message>;
  sources: Source[];
}

/** A session in which nothing is cut. */
const UNTOUCHED = { contextWindow: 2 ** 40, toolOutputCache: { enabled: false }, compaction: { enabled: false } };

/** Characters of what the user said that are looked at for their language. */
const SPOKEN = 40_000;

export class Workbench {
  #loaded: Loaded | undefined;
  #session: Session | undefined;
  #call = 0;
  #trouble: Moment["trouble"] = null;
  #summarised: Summarised | null = null;

  /** Reads a file and counts it as it came: no window, no cuts. The one before stays where this one is broken. */
  async open({ file, name, partial }: { file: Blob; name: string; partial: boolean }, tell: (progress: Progress) => void): Promise<Opened> {
    const text = await textOfFile(file, tell);
    const isLarge = file.size > 5_000_000;
    if (isLarge) tell({ doing: "Parsing", share: null });
    const transcript = readTranscript(text, { partial });
    const started = performance.now();
    if (isLarge) tell({ doing: "Counting", share: null });
    const tools = Array.isArray(transcript.body?.tools) ? transcript.body.tools : [];
    const recording = new Recording(transcript.format, transcript.body ?? transcript.items, { tools });
    const untouched = recording.sessionAt(recording.calls, UNTOUCHED);
    try {
      const { report } = await untouched.prepare();
      const messages = untouched.messages;
      const ms = performance.now() - started;
      const sources = sourcesOf(messages, untouched.items());
      this.#loaded?.recording.free();
      this.#loaded = { recording, transcript, sources, messages: new Map(messages.map((m) => [m.id ?? "", m])) };
      this.#replace(undefined);
      return {
        name,
        bytes: file.size,
        format: transcript.format,
        shape: transcript.shape,
        source: transcript.source,
        notes: transcript.notes,
        model: isPriced(recording, transcript.model) ? transcript.model : undefined,
        usage: transcript.usage,
        entries: transcript.items.length,
        messages: sources.length,
        turns: sources.filter((source) => source.role === "user").length,
        calls: recording.calls,
        languages: languagesOf(spoken(messages)),
        tools: toolsOf(sources),
        tokens: report.tokens_after,
        parts: partsOf(report.parts),
        ms,
      };
    } finally {
      untouched.free();
    }
  }

  /** The models whose prices are known. */
  prices = () => builtInPrices();

  /** Replays the transcript under these settings, call by call. */
  run(settings: Settings): Outcome {
    const { recording } = this.#need();
    const started = performance.now();
    const { runs, recorded, prices } = recording.simulate({ ...optionsOf(settings), presets: [settings.preset] });
    const ms = performance.now() - started;
    const run = runs[0]!;
    const folds = new Set(run.compactions.asked.map((request) => request.call));
    const kept = run.retention_mean ?? run.retention;
    return {
      settings,
      window: run.window,
      limit: run.limit,
      threshold: run.threshold,
      calls: run.calls.map((call, index) => callOf(call, folds.has(index))),
      tokensTotal: run.tokens_total,
      callsOverLimit: run.calls_over_limit,
      cacheHitRatio: run.cache_hit_ratio,
      cost: run.cost,
      costs: run.costs,
      compactions: { count: run.compactions.count, requests: run.compactions.requests, requestTokens: run.compactions.request_tokens, cost: run.compactions.cost },
      facts: { literal: kept.literal, withRefs: kept.with_refs, constraints: kept.constraints },
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

  /** The view at a call. */
  async at({ settings, call }: { settings: Settings; call: number }): Promise<Moment> {
    const { recording } = this.#need();
    const started = performance.now();
    this.#call = call;
    this.#trouble = null;
    this.#replace(recording.sessionAt(call, { ...optionsOf(settings), ladder: settings.preset }));
    // Prepared already, but where that failed: then this says why.
    await this.#ran().prepare().catch((error: unknown) => (this.#trouble = troubleOf(error, "Nothing fits these settings")));
    return this.#moment(performance.now() - started);
  }

  /** Puts what a fold stands for back into the view. */
  unfold(id: string): Moment {
    const started = performance.now();
    this.#ran().unfold(id);
    const moment = this.#moment(performance.now() - started);
    // The report is that of the run before: what is there now is told by the rows.
    return { ...moment, parts: partsOfRows(moment.rows) };
  }

  /** The view at a call, made at once of all that was said by then, its summary asked of the visitor's own summariser. */
  async summarise({ settings, call, by }: { settings: Settings; call: number; by: string }, summarize: Summarize): Promise<Moment> {
    const { recording, messages } = this.#need();
    const started = performance.now();
    const upTo = recording.sessionAt(call, UNTOUCHED);
    const said = upTo.messages.map((message) => messages.get(message.id ?? "") ?? message);
    upTo.free();
    const { pins, priceAs, ...options } = optionsOf(settings);
    let requests = 0;
    let inputTokens = 0;
    let failed: unknown;
    const session = new Session({
      ...options,
      ladder: settings.preset,
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
    session.push(said);
    for (const id of pins ?? []) if (session.messages.some((message) => message.id === id)) session.pin(id);
    try {
      const { report } = await session.prepare();
      if (failed && session.folds().length === 0) throw failed; // an agent would go on without; who asks here wants to know
      this.#call = call;
      this.#trouble = null;
      this.#replace(session);
      if (requests > 0) this.#summarised = { by, requests, inputTokens, ms: performance.now() - started, fallback: report.summary?.fallback };
      else this.#trouble = { title: "There was nothing to sum up", detail: "At this call the view fits without a fold: choose a later call, or a smaller window." };
      return this.#moment(performance.now() - started);
    } catch (error) {
      session.free();
      throw error;
    }
  }

  /** One message in full: as it came, and as it stands in the view. */
  detail(id: string): Detail {
    const before = this.#need().messages.get(id);
    const after = this.#ran().lower().find((message) => message.id === id);
    return { before: before ? textOf(before) : "", after: after ? textOf(after) : "" };
  }

  /** Numbered lines of a stored output. */
  read({ ref, offset, limit }: OutputQuery): Promise<string> {
    return this.#ran().toolOutputs.read({ ref_id: ref, offset, limit });
  }

  /** Matching lines of a stored output. */
  grep({ ref, pattern, ignoreCase }: SearchQuery): Promise<string> {
    return this.#ran().toolOutputs.grep({ ref_id: ref, pattern, context: 1, max_matches: 100, ignore_case: ignoreCase });
  }

  /** The view as a provider's JSON, checked by its rules. */
  view(format: Format): WrittenView {
    const view = this.#ran().view(format);
    return { json: JSON.stringify(view, null, 2), violations: check(format, view, { pending: true }) };
  }

  #moment(ms: number): Moment {
    const { sources } = this.#need();
    const session = this.#ran();
    const report = session.report;
    if (!report) throw new TroubleError(this.#trouble ?? { title: "The engine gave no report", detail: "This is a bug." });
    const history = session.messages;
    const ids = new Set(history.map((message) => message.id));
    const there = sources.filter((source) => ids.has(source.id));
    const folds = session.folds();
    const rows = rowsOf(there, { items: session.items(), view: session.lower(), folds, refs: session.toolOutputs.refs(), history });
    return {
      call: this.#call,
      report: { ...report, tokens_after: session.tokens },
      rows,
      folds,
      messages: there.length,
      tokens: there.reduce((sum, source) => sum + source.tokens, 0),
      parts: partsOf(report.parts),
      trouble: this.#trouble,
      ms,
      summarised: this.#summarised,
    };
  }

  #need(): Loaded {
    if (!this.#loaded) throw new TroubleError({ title: "There is no transcript yet", detail: "Open a file or use the sample." });
    return this.#loaded;
  }

  #ran(): Session {
    if (!this.#session) throw new TroubleError({ title: "Nothing has run yet", detail: "Open a file or use the sample." });
    return this.#session;
  }

  #replace(session: Session | undefined): void {
    this.#session?.free();
    this.#session = session;
    this.#summarised = null;
  }
}

/** The settings as the engine's options. */
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

function partsOfRows(rows: Row[]): { name: string; tokens: number }[] {
  const parts = new Map<string, number>();
  for (const row of rows) parts.set(PART_OF_ROLE[row.role], (parts.get(PART_OF_ROLE[row.role]) ?? 0) + row.tokensAfter);
  return [...parts].map(([name, tokens]) => ({ name, tokens }));
}

const callOf = (call: SimulatedCall, folded: boolean): Call => ({
  tokens: call.tokens,
  cached: call.cached_tokens,
  output: call.output_tokens,
  cost: call.cost ?? null,
  parts: call.parts,
  // Their ids can be many, and nobody reads them here.
  decisions: call.decisions.map(({ pass, tokens_before, tokens_after, items }) => ({ pass, tokens_before, tokens_after, count: items.length })),
  folded,
  error: call.error ? `${call.error.code}: ${call.error.message}` : null,
});

function spoken(messages: Message[]): string {
  let text = "";
  for (const message of messages) {
    if (message.role === "user") text += `${textOf(message).slice(0, 4000)}\n`;
    if (text.length > SPOKEN) break;
  }
  return text;
}

function toolsOf(sources: Source[]): Opened["tools"] {
  const calls = new Map<string, number>();
  for (const { role, label } of sources) if (role === "tool") calls.set(label, (calls.get(label) ?? 0) + 1);
  return [...calls].map(([name, count]) => ({ name, calls: count })).sort((a, b) => b.calls - a.calls);
}

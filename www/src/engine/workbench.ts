// The worker's state: one transcript, and the session that the last run made of it.

import { Session, type Message } from "contextfold";
import { troubleOf } from "./explain";
import type { Detail, Opened, Outcome, OutputQuery, PageFormat, SearchQuery, Settings } from "./protocol";
import { rowsOf, sourcesOf, type Source } from "./rows";
import { textOf } from "./text";
import { readTranscript, type Transcript } from "./transcript";
import { TroubleError } from "./trouble";

interface Loaded {
  transcript: Transcript;
  messages: Map<string, Message>;
  sources: Source[];
}

export class Workbench {
  #loaded: Loaded | undefined;
  #session: Session | undefined;

  /** Reads a file and counts it as it came: no window, no cuts. The one before stays where this one is broken. */
  async open(file: Blob, name: string): Promise<Opened> {
    const transcript = readTranscript(await file.text());
    const started = performance.now();
    const untouched = new Session({ toolOutputCache: { enabled: false } });
    try {
      fill(untouched, transcript);
      const { report } = await untouched.prepare();
      const messages = untouched.messages;
      const ms = performance.now() - started;
      const sources = sourcesOf(messages, untouched.items());
      this.#loaded = { transcript, sources, messages: new Map(messages.map((m) => [m.id ?? "", m])) };
      this.#replace(undefined);
      return {
        name,
        bytes: file.size,
        format: transcript.format,
        shape: transcript.shape,
        entries: transcript.entries.length,
        messages: sources.length,
        turns: sources.filter((source) => source.role === "user").length,
        tools: toolsOf(sources),
        tokens: report.tokens_after,
        parts: report.parts.map((part) => ({ name: part.name, tokens: part.tokens })),
        ms,
      };
    } finally {
      untouched.free();
    }
  }

  /** Makes the transcript fit these settings. */
  async run(settings: Settings): Promise<Outcome> {
    const { transcript, sources } = this.#need();
    const started = performance.now();
    const session = new Session({
      contextWindow: settings.window,
      compaction: { thresholdRatio: settings.thresholdRatio, retainLastTurns: settings.retainLastTurns },
      toolOutputCache: settings.outputBudget === null ? {} : { contextBudgetTokens: settings.outputBudget },
    });
    this.#replace(session);
    fill(session, transcript);
    const read = performance.now();
    const failed = await session.prepare().then(
      () => null,
      (error: unknown) => troubleOf(error, "Nothing fits these settings"),
    );
    const done = performance.now();
    const report = session.report;
    if (!report) throw new TroubleError(failed ?? { title: "The engine gave no report", detail: "This is a bug." });
    const after = { items: session.items(), view: session.lower(), folds: session.folds(), refs: this.#outputs().refs(), history: session.messages };
    return { settings, report, rows: rowsOf(sources, after), ms: { read: read - started, fit: done - read }, trouble: failed };
  }

  /** One message in full: as it came, and as it stands in the view. */
  detail(id: string): Detail {
    const before = this.#need().messages.get(id);
    const after = this.#ran().lower().find((message) => message.id === id);
    return { before: before ? textOf(before) : "", after: after ? textOf(after) : "" };
  }

  /** Numbered lines of a stored output. */
  read({ ref, offset, limit }: OutputQuery): Promise<string> {
    return this.#outputs().read({ ref_id: ref, offset, limit });
  }

  /** Matching lines of a stored output. */
  grep({ ref, pattern, ignoreCase }: SearchQuery): Promise<string> {
    return this.#outputs().grep({ ref_id: ref, pattern, context: 1, max_matches: 100, ignore_case: ignoreCase });
  }

  /** The view as a provider's JSON. */
  view(format: PageFormat): string {
    return JSON.stringify(this.#ran().view(format), null, 2);
  }

  #need(): Loaded {
    if (!this.#loaded) throw new TroubleError({ title: "There is no transcript yet", detail: "Open a file or use the sample." });
    return this.#loaded;
  }

  #ran(): Session {
    if (!this.#session) throw new TroubleError({ title: "Nothing has run yet", detail: "Open a file or use the sample." });
    return this.#session;
  }

  #outputs() {
    return this.#ran().toolOutputs;
  }

  #replace(session: Session | undefined): void {
    this.#session?.free();
    this.#session = session;
  }
}

function fill(session: Session, { format, input, tools }: Transcript): void {
  if (tools.length > 0) session.setTools(format, tools);
  session.pushFrom(format, input);
}

function toolsOf(sources: Source[]): Opened["tools"] {
  const calls = new Map<string, number>();
  for (const { role, label } of sources) if (role === "tool") calls.set(label, (calls.get(label) ?? 0) + 1);
  return [...calls].map(([name, count]) => ({ name, calls: count })).sort((a, b) => b.calls - a.calls);
}

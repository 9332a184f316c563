// The page's state: a transcript, settings, and the engine's results. The newest settings and the newest call win.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { Cancelled, EngineClient } from "../engine/client";
import type { Moment, Opened, Outcome, Progress, SentMoment, Settings, Source as Message, Trouble } from "../engine/protocol";
import { TroubleError } from "../engine/trouble";
import { readLink } from "./link";
import { settingsFor } from "./settings";
import { NO_STEPS, changeOf, recordStep, redone, undone, type ViewState, type Steps } from "./steps";

export const client = new EngineClient();
export const ask = client.ask.bind(client) as EngineClient["ask"];

/** A file that was opened, and how, so that it can be opened again: in part, or in a new worker. */
interface Source {
  file: Blob;
  name: string;
  partial: boolean;
  repaired: boolean;
}

export function useEngine() {
  const [opened, setOpened] = useState<Opened | null>(null);
  const [settings, setSettings] = useState<Settings | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  /** The partial result of a running replay. */
  const [partial, setPartial] = useState<Outcome | null>(null);
  const [moment, setMoment] = useState<Moment | null>(null);
  const [call, setCall] = useState<number | null>(null);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [busy, setBusy] = useState<"reading" | "running" | null>(null);
  const [progress, setProgress] = useState<Progress | null>(null);
  const [redraw, setRedraw] = useState<number | null>(null);
  const wanted = useRef<{ settings?: Settings; call?: number }>({});
  const running = useRef(false);
  const current = useRef<{ settings: Settings | null; call: number; calls: number; unfolded: string[] }>({ settings: null, call: 0, calls: 0, unfolded: [] });
  const [steps, setSteps] = useState<Steps>(NO_STEPS);
  const [unfolded, setUnfolded] = useState<string[]>([]);
  const read = useRef<Source | null>(null);
  const refused = useRef<Source | null>(null);
  /** The number of the newest `open`; `cancel` increments it, too. */
  const newest = useRef(0);
  /** Whether the facts of the last replay are still unknown. */
  const pending = useRef(false);

  const sources = useRef<Message[]>([]);
  /** Settings and call from the address, for the first transcript that is opened. */
  const asked = useRef(readLink(location.hash));

  client.onProgress = (progress) => {
    setProgress(progress);
    if (progress.partial) setPartial(progress.partial);
  };

  /** Shows a moment. Fields that a row's source has already were not sent, and are added here. */
  const show = useCallback((sent: SentMoment) => setMoment({ ...sent, rows: sent.rows.map((row) => rowOf(row, sources.current)) }), []);

  const run = useCallback(async () => {
    // The running loop below picks up what is wanted now. Interrupt it for new settings; for another call, interrupt only the facts.
    if (running.current) return wanted.current.settings || pending.current ? client.hurry() : undefined;
    client.hurry(); // interrupts a comparison, which can wait
    running.current = true;
    setBusy("running");
    for (;;) {
      const next = wanted.current;
      wanted.current = {};
      const { settings } = current.current;
      if ((next.settings === undefined && next.call === undefined) || !settings) break;
      const started = performance.now();
      try {
        if (next.settings) {
          pending.current = false;
          const outcome = await ask("run", next.settings);
          current.current.calls = outcome.calls.length;
          setOutcome(outcome);
          setPartial(null);
          pending.current = outcome.facts === null;
        }
        // Then request the view at the call, unless the settings have changed again.
        if (!wanted.current.settings) show(await ask("at", { settings, call: wanted.current.call ?? current.current.call, unfolded: current.current.unfolded }));
        setTrouble(null);
        requestAnimationFrame(() => setTimeout(() => setRedraw(performance.now() - started)));
        // The facts take longest, so they come last, and only if nothing else is wanted.
        if (pending.current && !wanted.current.settings && wanted.current.call === undefined) {
          const facts = await ask("facts", null);
          pending.current = false;
          setOutcome((outcome) => outcome && { ...outcome, facts });
        }
      } catch (error) {
        if (!(error instanceof Cancelled) && !wordsOf(error).superseded) setTrouble(wordsOf(error));
      }
    }
    running.current = false;
    setBusy(null);
    setProgress(null);
    setPartial(null);
  }, [show]);

  /** Shows other settings or another call, whether by a new action or by undo and redo. */
  const look = useCallback(
    ({ settings, call, unfolded }: ViewState) => {
      const isOther = JSON.stringify(settings) !== JSON.stringify(current.current.settings);
      Object.assign(current.current, { settings, call, unfolded });
      setSettings(settings);
      setCall(call);
      setUnfolded(unfolded);
      if (isOther) wanted.current.settings = settings;
      wanted.current.call = call;
      void run();
    },
    [run],
  );

  const looked = useCallback((): ViewState => {
    const { settings, call, unfolded } = current.current;
    return { settings: settings!, call, unfolded };
  }, []);

  /** Changes some settings. The others keep their last values, even if those are not drawn yet. */
  const change = useCallback(
    (part: Partial<Settings>) => {
      const before = looked();
      const settings = { ...before.settings, ...part };
      const { what, keys } = changeOf(before.settings, settings);
      if (what) setSteps((steps) => recordStep(steps, before, what, keys));
      look({ ...before, settings, unfolded: [] });
    },
    [look, looked],
  );

  /** Goes to another call. Folds that were opened are folded again; then an undo goes back to them. */
  const goTo = useCallback(
    (to: number) => {
      const before = looked();
      const call = Math.max(0, Math.min(current.current.calls, to));
      if (before.unfolded.length > 0) setSteps((steps) => recordStep(steps, before, "going to another call"));
      look({ ...before, call, unfolded: [] });
    },
    [look, looked],
  );

  /** Opens a fold in this view; with `null`, folds again what was opened. */
  const unfold = useCallback(
    (id: string | null) => {
      const before = looked();
      setSteps((steps) => recordStep(steps, before, id ? "unfolding" : "folding again"));
      look({ ...before, unfolded: id ? [...before.unfolded, id] : [] });
    },
    [look, looked],
  );

  const stepped = useCallback(
    (found: { look: ViewState; steps: Steps } | null) => {
      if (!found) return;
      setSteps(found.steps);
      look(found.look);
    },
    [look],
  );
  const undo = useCallback(() => stepped(undone(steps, looked())), [steps, stepped, looked]);
  const redo = useCallback(() => stepped(redone(steps, looked())), [steps, stepped, looked]);

  const open = useCallback(
    async (file: Blob | Promise<Blob>, name: string, how: { partial?: boolean; repaired?: boolean } = {}) => {
      const mine = ++newest.current;
      setBusy("reading");
      setTrouble(null);
      const source = { file: new Blob(), name, partial: false, repaired: false, ...how };
      try {
        source.file = await file;
        if (mine !== newest.current) return; // another file was opened while this one was fetched, or it was cancelled
        // From here on, no more checks are needed, because the worker answers in the order of the questions.
        const found = await ask("open", source);
        read.current = source;
        sources.current = found.sources;
        setOpened(found);
        setOutcome(null);
        setPartial(null);
        setMoment(null);
        const { settings, call } = asked.current;
        asked.current = { settings: {}, own: false };
        const at = Math.min(call ?? found.calls, found.calls); // `found.calls` is the state after the last answer
        current.current = { settings: null, call: at, calls: found.calls, unfolded: [] };
        setSteps(NO_STEPS);
        look({ settings: { ...settingsFor(found), ...settings }, call: at, unfolded: [] });
      } catch (error) {
        if (mine !== newest.current) return;
        setBusy(null);
        setProgress(null);
        const words = wordsOf(error);
        refused.current = source;
        setTrouble({ ...words, title: `${name}: ${words.title}` });
      }
    },
    [look],
  );

  /** Opens the refused file anyway: in part, or repaired. */
  const openAnyway = useCallback(
    (how: { partial?: boolean; repaired?: boolean }) => {
      const source = refused.current;
      if (source) void open(source.file, source.name, { partial: source.partial, repaired: source.repaired, ...how });
    },
    [open],
  );

  /** Stops the current work. The file that was open is read again, because the worker is a new one. */
  const cancel = useCallback(() => {
    newest.current++;
    client.cancel();
    wanted.current = {};
    setProgress(null);
    setBusy(null);
    const source = read.current;
    if (source && current.current.settings)
      void ask("open", source).then(
        () => {
          wanted.current.settings = current.current.settings!;
          void run();
        },
        (error) => wordsOf(error).superseded || setTrouble(wordsOf(error)),
      );
  }, [run]);

  useEffect(() => {
    document.title = opened ? `${opened.name} · contextfold` : "contextfold";
  }, [opened]);

  return { opened, settings, outcome, partial, moment, call, trouble, busy, progress, redraw, open, openAnyway, cancel, change, goTo, show, unfolded, unfold, steps, undo, redo };
}

export function wordsOf(error: unknown): Trouble {
  if (error instanceof TroubleError) return error.trouble;
  return { title: "Something went wrong", detail: error instanceof Error ? error.message : String(error) };
}

function rowOf(row: SentMoment["rows"][number], sources: Message[]): Moment["rows"][number] {
  const source = row.source === undefined ? undefined : sources[row.source];
  const { role = "summary", label = "", tokens = 0, excerpt = "" } = source ?? {};
  return { role, label, tokensBefore: tokens, before: excerpt, ...row };
}

// The page's state: a transcript, settings, and what the engine made of them. The newest settings win.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { EngineClient } from "../engine/client";
import type { Opened, Outcome, Settings, Trouble } from "../engine/protocol";
import { TroubleError } from "../engine/trouble";
import { settingsFor } from "./settings";

const client = new EngineClient();
export const ask = client.ask.bind(client) as EngineClient["ask"];

export function useEngine() {
  const [opened, setOpened] = useState<Opened | null>(null);
  const [settings, setSettings] = useState<Settings | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [busy, setBusy] = useState<"reading" | "running" | null>(null);
  const wanted = useRef<Settings | null>(null);
  const running = useRef(false);

  const run = useCallback(async () => {
    if (running.current) return; // the loop below takes up what is wanted by then
    running.current = true;
    setBusy("running");
    while (wanted.current) {
      const next = wanted.current;
      wanted.current = null;
      try {
        setOutcome(await ask("run", next));
        setTrouble(null);
      } catch (error) {
        setTrouble(wordsOf(error));
      }
    }
    running.current = false;
    setBusy(null);
  }, []);

  const change = useCallback(
    (next: Settings) => {
      setSettings(next);
      wanted.current = next;
      void run();
    },
    [run],
  );

  const open = useCallback(
    async (file: Blob | Promise<Blob>, name: string) => {
      setBusy("reading");
      setTrouble(null);
      try {
        const read = await ask("open", { file: await file, name });
        setOpened(read);
        setOutcome(null);
        change(settingsFor(read.tokens));
      } catch (error) {
        const words = wordsOf(error);
        setTrouble({ ...words, title: `${name}: ${words.title}` });
        setBusy(null);
      }
    },
    [change],
  );

  useEffect(() => {
    document.title = opened ? `${opened.name} · contextfold` : "contextfold";
  }, [opened]);

  return { opened, settings, outcome, trouble, busy, open, change };
}

export function wordsOf(error: unknown): Trouble {
  if (error instanceof TroubleError) return error.trouble;
  return { title: "Something went wrong", detail: error instanceof Error ? error.message : String(error) };
}

// A stored tool output: read by line, and searched, by the same calls that a model would make.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Trouble } from "../engine/protocol";
import { TroubleNotice } from "./TroubleNotice";
import { count } from "./numbers";
import { grepLines, readLines, type Line } from "./outputLines";
import { ask, wordsOf } from "./useEngine";

/** How many lines are read at a time. */
const PAGE = 400;

interface Shown {
  lines: Line[];
  /** The offset to continue reading at; null at the end. */
  next: number | null;
  /** A description of a search's result; null when reading. */
  note: string | null;
}

export function OutputReader({ refId, lines }: { refId: string; lines: number }) {
  const [shown, setShown] = useState<Shown | null>(null);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [pattern, setPattern] = useState("");
  const [ignoreCase, setIgnoreCase] = useState(true);
  const latest = useRef(0);

  /** Shows the result of `work`, unless something newer was requested in the meantime. */
  const show = async (work: Promise<Shown>) => {
    const turn = ++latest.current;
    try {
      const found = await work;
      if (turn !== latest.current) return;
      setShown(found);
      setTrouble(null);
    } catch (error) {
      if (turn === latest.current && !wordsOf(error).superseded) setTrouble(wordsOf(error));
    }
  };
  const read = async (offset: number, before: Line[] = []): Promise<Shown> => {
    const page = readLines(await ask("read", { ref: refId, offset, limit: PAGE }));
    return { lines: [...before, ...page.lines], next: page.next, note: null };
  };
  const grep = async (): Promise<Shown> => {
    const found = grepLines(await ask("grep", { ref: refId, pattern, ignoreCase }));
    return { ...found, next: null };
  };

  useEffect(() => {
    if (pattern === "") void show(read(0));
    else void show(grep());
  }, [refId, pattern, ignoreCase]);

  return (
    <section class="output" aria-label="Full output">
      <form class="output-search" role="search" onSubmit={(event) => event.preventDefault()}>
        <label>
          <span class="unseen">Search the output (a regular expression)</span>
          <input type="search" placeholder="Search: a regular expression" value={pattern} onInput={(event) => setPattern(event.currentTarget.value)} />
        </label>
        <label class="check">
          <input type="checkbox" checked={ignoreCase} onChange={(event) => setIgnoreCase(event.currentTarget.checked)} /> ignore case
        </label>
        <span class="quiet" role="status">
          {shown?.note ?? `${count(lines)} lines`}
        </span>
      </form>
      {trouble && <TroubleNotice trouble={trouble} />}
      <div class="lines" tabIndex={0} role="region" aria-label="Lines">
        {shown?.lines.map((line, i) => (
          <div key={i} class={line.match ? "line line-match" : "line"}>
            <span class="line-number">{line.number ?? "⋯"}</span>
            <code>{line.number === null && line.text === "--" ? "" : line.text}</code>
          </div>
        ))}
        {shown?.next != null && (
          <button type="button" class="button" onClick={() => void show(read(shown.next!, shown.lines))}>
            Read on from line {count(shown.next + 1)}
          </button>
        )}
      </div>
    </section>
  );
}

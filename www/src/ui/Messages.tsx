// Before and after, message by message.

import { useEffect, useMemo, useState } from "preact/hooks";
import type { Fate, Moment, Row } from "../engine/protocol";
import { FATES, MessageRow } from "./MessageRow";
import { VirtualList } from "./VirtualList";
import { count, placeOf } from "./numbers";

const NARROW = "(max-width: 640px)";

interface Props {
  moment: Moment;
  calls: number;
  pins: string[];
  /** A row that is asked for from elsewhere. */
  target: { key: string } | null;
  onShow: (row: Row) => void;
  onPin: (id: string) => void;
  onUnfold: (id: string) => void;
}

export function Messages({ moment, calls, pins, target: asked, onShow, onPin, onUnfold }: Props) {
  const { rows } = moment;
  const [only, setOnly] = useState<Fate | null>(null);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [target, setTarget] = useState<{ key: string } | null>(null);
  const narrow = useMedia(NARROW);
  const fates = (Object.keys(FATES) as Fate[]).map((fate) => ({ fate, rows: rows.filter((row) => row.fate === fate).length }));
  const filter = fates.some(({ fate, rows }) => fate === only && rows > 0) ? only : null;
  const shown = useMemo(
    () => rows.filter((row) => (filter ? row.fate === filter : row.fate !== "folded" || open.has(row.fold ?? ""))),
    [rows, filter, open],
  );
  useEffect(() => {
    if (asked) goTo(asked.key);
  }, [asked]);
  const toggle = (id: string) => {
    const next = new Set(open);
    if (!next.delete(id)) next.add(id);
    setOpen(next);
  };
  const goTo = (id: string) => {
    setOnly(null);
    setTarget({ key: id });
  };
  return (
    <section class="panel messages" aria-labelledby="messages-title">
      <div class="panel-head">
        <h2 id="messages-title">Message by message</h2>
        <p class="quiet">
          the view {placeOf(moment, calls)}
        </p>
      </div>
      <div class="chips" role="group" aria-label="Which messages">
        <Chip name="the view" on={filter === null} rows={rows.length - fates.find(({ fate }) => fate === "folded")!.rows} onClick={() => setOnly(null)} />
        {fates
          .filter(({ rows }) => rows > 0)
          .map(({ fate, rows }) => (
            <Chip key={fate} name={FATES[fate]} fate={fate} on={filter === fate} rows={rows} onClick={() => setOnly(fate)} />
          ))}
      </div>
      <div class="columns" aria-hidden="true">
        <span>Before</span>
        <span>After</span>
      </div>
      <VirtualList
        key={filter ?? "view"} // another choice begins at its top
        label="Messages, before and after"
        rows={shown}
        rowHeight={narrow ? 132 : 74}
        keyOf={(row) => row.id}
        target={target}
        draw={(row) => (
          <MessageRow
            row={row}
            isOpen={open.has(row.id)}
            isPinned={pins.includes(row.id)}
            onShow={onShow}
            onToggle={toggle}
            onGoTo={goTo}
            onPin={onPin}
            onUnfold={onUnfold}
          />
        )}
      />
    </section>
  );
}

interface ChipProps {
  name: string;
  rows: number;
  on: boolean;
  fate?: Fate;
  onClick: () => void;
}

function Chip({ name, rows, on, fate, onClick }: ChipProps) {
  return (
    <button type="button" class="chip" aria-pressed={on} onClick={onClick}>
      {fate && <i class={`dot fate-${fate}`} />}
      {name} <span>{count(rows)}</span>
    </button>
  );
}

function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const update = () => setMatches(media.matches);
    media.addEventListener("change", update);
    return () => media.removeEventListener("change", update);
  }, [query]);
  return matches;
}

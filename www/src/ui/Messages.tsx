// Before and after, message by message.

import { useEffect, useMemo, useState } from "preact/hooks";
import type { MessageState, Moment, Row } from "../engine/protocol";
import { MessageRow } from "./MessageRow";
import { FATES, isInView } from "./fates";
import { Toolbar } from "./Toolbar";
import { Words } from "./Words";
import { VirtualList } from "./VirtualList";
import { ask } from "./useEngine";
import { count, placeOf, plural } from "./numbers";

const NARROW = "(max-width: 640px)";

interface Props {
  moment: Moment;
  calls: number;
  pins: string[];
  /** A row to scroll to, requested from elsewhere on the page. */
  target: { key: string } | null;
  onShow: (row: Row) => void;
  onPin: (id: string) => void;
  onUnfold: (id: string) => void;
  /** Folds again what the visitor has unfolded; `null` if nothing is. */
  onFoldAgain: (() => void) | null;
}

export function Messages({ moment, calls, pins, target: asked, onShow, onPin, onUnfold, onFoldAgain }: Props) {
  const { rows } = moment;
  const [only, setOnly] = useState<MessageState | "all" | null>(null);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [target, setTarget] = useState<{ key: string } | null>(null);
  const narrow = useMedia(NARROW);
  const [query, setQuery] = useState("");
  const found = useSearch(query, moment);
  const fates = (Object.keys(FATES) as MessageState[]).map((fate) => ({ fate, rows: rows.filter((row) => row.fate === fate).length }));
  const filter = only === "all" || fates.some(({ fate, rows }) => fate === only && rows > 0) ? only : null;
  const shown = useMemo(
    () => found ? rows.filter((row) => found.ids.has(row.id)) : rows.filter((row) => filter === "all" || (filter ? row.fate === filter : isInView(row) || open.has(row.fold ?? ""))),
    [rows, filter, open, found],
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
    const row = rows.find((row) => row.id === id) ?? rows.find((row) => row.within === id); // a fold inside another one has no row
    const key = row?.fold && !open.has(row.fold) ? row.fold : (row?.id ?? id);
    setOnly(row && !isInView(row) && row.fate !== "folded" ? "all" : null);
    setQuery("");
    setTarget({ key });
  };
  return (
    <section class="panel messages" aria-labelledby="messages-title">
      <div class="panel-head">
        <h2 id="messages-title">Message by message</h2>
        <p class="quiet">
          the view {placeOf(moment, calls)}
        </p>
        {onFoldAgain && (
          <button type="button" class="button" onClick={onFoldAgain}>
            Fold again
          </button>
        )}
      </div>
      <Toolbar class="chips" label="Which messages">
        <Chip name="the view" on={filter === null} rows={rows.filter(isInView).length} onClick={() => setOnly(null)} />
        <Chip name="all that went in" on={filter === "all"} rows={rows.filter((row) => row.fate !== "summary").length} onClick={() => setOnly("all")} />
        {fates
          .filter(({ rows }) => rows > 0)
          .map(({ fate, rows }) => (
            <Chip key={fate} name={FATES[fate]} fate={fate} on={filter === fate} rows={rows} onClick={() => setOnly(fate)} />
          ))}
      </Toolbar>
      <div class="messages-search">
        <input type="search" value={query} placeholder="Search all messages" aria-label="Search all messages" onInput={(event) => setQuery(event.currentTarget.value)} />
        <span class="quiet small" role="status">
          {found && `${found.all ? "" : "more than "}${plural(found.ids.size, "message")}, ${count(shown.filter(isInView).length)} of them in the view`}
        </span>
      </div>
      <Words of={["pin"]} />
      <div class="columns" aria-hidden="true">
        <span>Before</span>
        <span>After</span>
      </div>
      <VirtualList
        key={`${filter ?? "view"} ${query}`} // scroll to the top when the filter or the query changes
        label="Messages, before and after"
        rows={shown}
        rowHeight={narrow ? 132 : 74}
        keyOf={(row) => row.id}
        target={target}
        draw={(row, isActive) => (
          <MessageRow
            row={row}
            isActive={isActive}
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

/** The messages that contain the typed text; `null` if there is no query. */
function useSearch(query: string, moment: Moment): { ids: ReadonlySet<string>; all: boolean } | null {
  const [found, setFound] = useState<{ ids: ReadonlySet<string>; all: boolean } | null>(null);
  useEffect(() => {
    if (query.trim() === "") return setFound(null);
    let gone = false;
    const timer = setTimeout(() => {
      ask("search", query).then(
        ({ ids, all }) => gone || setFound({ ids: new Set(ids), all }),
        () => gone || setFound({ ids: new Set(), all: true }),
      );
    }, 120);
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [query, moment]);
  return query.trim() === "" ? null : found; // at once when the query is cleared, because the row to go to may not be among the results
}

interface ChipProps {
  name: string;
  rows: number;
  on: boolean;
  fate?: MessageState;
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

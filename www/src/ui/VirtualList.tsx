// A list of rows of equal height. Only visible rows are in the document.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** How many rows beyond each edge are in the document, for scrolling and the Tab key. */
const OVERSCAN = 6;

interface Props<T> {
  label: string;
  rows: T[];
  rowHeight: number;
  keyOf: (row: T) => string;
  /** `isActive`: whether the row's buttons are Tab stops. Other rows are reached by the arrow keys. */
  draw: (row: T, isActive: boolean) => ComponentChildren;
  /** A row to scroll to and focus. A new object does it again. */
  target?: { key: string } | null;
}

export function VirtualList<T>({ label, rows, rowHeight, keyOf, draw, target }: Props<T>) {
  const box = useRef<HTMLUListElement>(null);
  const [seen, setSeen] = useState({ top: 0, height: 600 });
  const focusOn = useRef<string | null>(null);
  const [active, setActive] = useState<string | null>(null);

  const measure = () => box.current && setSeen({ top: box.current.scrollTop, height: box.current.clientHeight });
  useEffect(() => {
    const watch = new ResizeObserver(measure);
    watch.observe(box.current!);
    return () => watch.disconnect();
  }, []);

  const first = Math.max(0, Math.floor(seen.top / rowHeight) - OVERSCAN);
  const end = Math.min(rows.length, Math.ceil((seen.top + seen.height) / rowHeight) + OVERSCAN);

  const goTo = (index: number) => {
    const list = box.current!;
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))];
    if (!row) return;
    focusOn.current = keyOf(row);
    const top = rows.indexOf(row) * rowHeight;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + rowHeight > list.scrollTop + list.clientHeight) list.scrollTop = top + rowHeight - list.clientHeight;
    measure();
  };

  useEffect(() => {
    const at = target ? rows.findIndex((row) => keyOf(row) === target.key) : -1;
    if (at >= 0) goTo(at); // a row in a collapsed fold is not in the list
  }, [target]);

  // Only now is the row that was scrolled to in the document.
  useEffect(() => {
    if (focusOn.current === null) return;
    const row = box.current!.querySelector<HTMLElement>(`[data-key="${CSS.escape(focusOn.current)}"] button`);
    if (row) {
      focusOn.current = null;
      row.focus({ preventScroll: true });
    }
  });

  const onKeyDown = (event: KeyboardEvent) => {
    const key = (event.target as HTMLElement).closest<HTMLElement>("[data-key]")?.dataset.key;
    const at = key === undefined ? -1 : rows.findIndex((row) => keyOf(row) === key);
    const page = Math.max(1, Math.floor(seen.height / rowHeight) - 1);
    const moves: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: rows.length - 1,
    };
    const to = moves[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    goTo(to);
  };

  const drawn = rows.slice(first, end);
  const inSight = drawn.find((_, i) => (first + i) * rowHeight >= seen.top) ?? drawn[0];
  const stop = drawn.some((row) => keyOf(row) === active) ? active : inSight && keyOf(inSight);
  const onFocus = (event: FocusEvent) => {
    const key = (event.target as HTMLElement).closest<HTMLElement>("[data-key]")?.dataset.key;
    if (key !== undefined) setActive(key);
  };
  return (
    <ul ref={box} class="virtual" aria-label={label} onScroll={measure} onFocusIn={onFocus} onKeyDown={onKeyDown} style={{ "--room": `${rows.length * rowHeight}px` }}>
      {drawn.map((row, i) => (
        <li
          key={keyOf(row)}
          data-key={keyOf(row)}
          class="virtual-row"
          aria-posinset={first + i + 1}
          aria-setsize={rows.length}
          style={{ height: `${rowHeight}px`, transform: `translateY(${(first + i) * rowHeight}px)` }}
        >
          {draw(row, keyOf(row) === stop)}
        </li>
      ))}
    </ul>
  );
}

// A group of buttons that is a single Tab stop; the arrow keys move between the buttons.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** For the element that holds the buttons. */
export function useOneStop<E extends HTMLElement>() {
  const box = useRef<E>(null);
  const buttons = () => [...(box.current?.querySelectorAll("button") ?? [])].filter((button) => !button.disabled);
  const stopAt = (stop: HTMLButtonElement | undefined) => {
    for (const button of box.current?.querySelectorAll("button") ?? []) button.tabIndex = button === stop ? 0 : -1;
  };
  // After each rendering, make one of the enabled buttons the Tab stop.
  useLayoutEffect(() => {
    const all = buttons();
    stopAt(all.find((button) => button === document.activeElement) ?? all.find((button) => button.tabIndex === 0) ?? all[0]);
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const all = buttons();
    const at = all.indexOf(event.target as HTMLButtonElement);
    const moves: Record<string, number> = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 };
    const to = moves[event.key];
    if (at < 0 || to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const next = all[(to + all.length) % all.length]!;
    stopAt(next);
    next.focus();
  };
  const onFocusIn = (event: FocusEvent) => stopAt((event.target as HTMLElement).closest("button") ?? undefined);
  return { ref: box, onKeyDown, onFocusIn };
}

export function Toolbar({ label, class: name, children }: { label: string; class: string; children: ComponentChildren }) {
  return (
    <div {...useOneStop<HTMLDivElement>()} class={name} role="toolbar" aria-label={label}>
      {children}
    </div>
  );
}

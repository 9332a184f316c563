// A slider with a number field next to it; both set the same value.

import { useEffect, useId, useRef, useState } from "preact/hooks";

interface Props {
  label: string;
  hint: string;
  value: number;
  /** The slider's stops, ascending. The value may be between them. */
  stops: number[];
  min: number;
  max: number;
  step: number | "any";
  show: (value: number) => string;
  disabled?: boolean;
  onChange: (value: number) => void;
}

export function Slider({ label, hint, value, stops, min, max, step, show, disabled, onChange }: Props) {
  const id = useId();
  const at = stops.reduce((best, stop, i) => (Math.abs(stop - value) < Math.abs(stops[best]! - value) ? i : best), 0);
  return (
    <div class="slider">
      <div class="slider-line">
        <label for={`${id}-figure`}>{label}</label>
        <Figure id={`${id}-figure`} describedBy={`${id}-hint`} {...{ value, min, max, step, disabled, onChange }} />
      </div>
      <input
        type="range"
        aria-label={`${label}, slider`}
        aria-valuetext={show(value)}
        min={0}
        max={stops.length - 1}
        step={1}
        value={at}
        disabled={disabled}
        onInput={(event) => onChange(stops[event.currentTarget.valueAsNumber]!)}
      />
      <p id={`${id}-hint`} class="slider-hint">
        {hint}
      </p>
    </div>
  );
}

interface FigureProps extends Pick<Props, "value" | "min" | "max" | "step" | "disabled" | "onChange"> {
  id: string;
  describedBy: string;
}

/** The number field. It keeps the text that is being typed until that is finished, however often the page is drawn in the meantime. */
function Figure({ id, describedBy, value, min, max, step, disabled, onChange }: FigureProps) {
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState<string | null>(null);
  const take = () => {
    if (typed === null) return;
    const next = field.current!.valueAsNumber;
    setTyped(null);
    if (Number.isFinite(next) && String(next) !== String(value)) onChange(Math.min(max, Math.max(min, next)));
  };
  // Set the field's text here, and only while nobody types.
  useEffect(() => {
    if (typed === null) field.current!.value = String(value);
  }, [value, typed]);
  return (
    <input
      ref={field}
      id={id}
      type="number"
      {...{ min, max, step, disabled }}
      aria-describedby={describedBy}
      onInput={(event) => setTyped(event.currentTarget.value)}
      onBlur={take}
      onKeyDown={(event) => event.key === "Enter" && take()}
      onChange={take}
    />
  );
}

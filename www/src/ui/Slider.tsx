// A slider with its exact figure beside it; both set the same value.

import { useId } from "preact/hooks";

interface Props {
  label: string;
  hint: string;
  value: number;
  /** The slider's stops, ascending. The figure may lie between them. */
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
        <input
          id={`${id}-figure`}
          type="number"
          value={value}
          {...{ min, max, step, disabled }}
          aria-describedby={`${id}-hint`}
          onChange={(event) => {
            const next = event.currentTarget.valueAsNumber;
            if (Number.isFinite(next)) onChange(Math.min(max, Math.max(min, next)));
            else event.currentTarget.value = String(value);
          }}
        />
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

// Figures as bars, one below the other, each with its text.

export interface Bar {
  name: string;
  /** `null` if there is no figure; then `text` says why. */
  value: number | null;
  text: string;
  /** Whether it is contextfold's own figure. */
  isOwn?: boolean;
}

export function BarChart({ title, bars, unit }: { title: string; bars: Bar[]; unit: string }) {
  const most = bars.reduce((most, { value }) => Math.max(most, value ?? 0), 0) || 1;
  return (
    <figure class="chart" aria-label={`${title}, ${unit}`}>
      <figcaption>{title}</figcaption>
      <dl>
        {bars.map(({ name, value, text, isOwn }) => (
          <div key={name} class={isOwn ? "chart-bar chart-own" : "chart-bar"}>
            <dt>{name}</dt>
            <dd>
              <b aria-hidden="true">
                <i style={{ width: `${(100 * (value ?? 0)) / most}%` }} />
              </b>
              <span>{text}</span>
            </dd>
          </div>
        ))}
      </dl>
    </figure>
  );
}

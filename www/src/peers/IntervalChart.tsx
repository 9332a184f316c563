// Figures with their confidence intervals, on one scale from 0 to 1.

export interface Point {
  name: string;
  value: number;
  interval: [number, number] | null;
  text: string;
  isOwn?: boolean;
}

/** The ends of the scale. What lies beyond them is drawn at the edge. */
const [LOW, HIGH] = [-0.2, 1.1];
const share = (value: number) => (100 * (Math.max(LOW, Math.min(HIGH, value)) - LOW)) / (HIGH - LOW);
const place = (value: number) => `${share(value)}%`;
const width = (from: number, to: number) => `${share(to) - share(from)}%`;

export function IntervalChart({ title, points }: { title: string; points: Point[] }) {
  return (
    <figure class="chart" aria-label={title}>
      <figcaption>{title}</figcaption>
      <dl>
        {points.map(({ name, value, interval, text, isOwn }) => (
          <div key={name} class={isOwn ? "chart-bar chart-own" : "chart-bar"}>
            <dt>{name}</dt>
            <dd>
              <span class="chart-scale" aria-hidden="true">
                <b style={{ left: place(0) }} />
                <b style={{ left: place(1) }} />
                {interval && <em style={{ left: place(interval[0]), width: width(...interval) }} />}
                <i style={{ left: place(value) }} />
              </span>
              <span>{text}</span>
            </dd>
          </div>
        ))}
      </dl>
    </figure>
  );
}

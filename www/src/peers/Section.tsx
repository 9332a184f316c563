// One benchmark: its charts, its table, and its source.

import type { ComponentChildren } from "preact";
import type { Run } from "./recorded";

interface Props {
  title: string;
  run: Run;
  /** What is measured, and which way is better. */
  about: string;
  /** Caveats for the reader. */
  notes?: string[];
  children: ComponentChildren;
}

export function Section({ title, run, about, notes = [], children }: Props) {
  const { machine } = run;
  const versions = Object.entries(run.versions).map(([name, version]) => `${name} ${version}`);
  return (
    <section class="panel" aria-labelledby={`${run.id}-title`}>
      <div class="panel-head">
        <h2 id={`${run.id}-title`}>{title}</h2>
        <p class="quiet">
          recorded on {run.date}
          {machine && `, ${machine.cpus} CPUs${machine.node ? `, Node ${machine.node}` : ""}`}
        </p>
      </div>
      <p>{about}</p>
      <div class="charts">{children}</div>
      {notes.length > 0 && (
        <ul class="notes">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      <details>
        <summary>The table</summary>
        <div class="table-scroll" tabIndex={0} role="region" aria-label={`${title}: the table`}>
          <table class="compare-table">
            <thead>
              <tr>
                {run.columns.map((name, at) => (
                  <th key={at} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {run.rows.map(([name, ...cells]) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  {cells.map((cell, at) => (
                    <td key={at}>{cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
      <p class="quiet small">
        Source: <code>{run.source}</code>, in this project. Measure it yourself: <code>{run.run}</code>.{versions.length > 0 && ` Against ${versions.join(", ")}.`}
      </p>
    </section>
  );
}

// What the visitor is about to see.

const STEPS = [
  ["Trim", "Old tool outputs leave the view. A line stands in their place, and the full text stays one call away."],
  ["Fold", "Finished turns become one summary: task, constraints, files, commands, what is still open."],
  ["Explain", "Every decision is listed with what it saved. Nothing is deleted: every message and output can still be read."],
] as const;

export function Intro() {
  return (
    <ol class="intro">
      {STEPS.map(([name, text]) => (
        <li key={name}>
          <h3>{name}</h3>
          <p>{text}</p>
        </li>
      ))}
    </ol>
  );
}

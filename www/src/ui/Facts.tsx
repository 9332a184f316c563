// The transcript at a glance.

import type { Opened } from "../engine/protocol";
import { bytes, count, plural } from "./numbers";

import { FORMAT_NAMES } from "./formats";

const SOURCES = { "claude-code": "a Claude Code session file", codex: "a Codex rollout" };
const SHAPES = { array: "a list", body: "a request body", lines: "JSON lines" };

export function Facts({ opened }: { opened: Opened }) {
  const tools = opened.tools.slice(0, 4).map((tool) => `${tool.name} ×${tool.calls}`);
  const more = opened.tools.length - tools.length;
  const facts: [string, string][] = [
    ["Transcript", opened.name],
    ["Format", `${FORMAT_NAMES[opened.format]}, ${opened.source ? SOURCES[opened.source] : SHAPES[opened.shape]}`],
    ["Size", `${bytes(opened.bytes)}, ${plural(opened.entries, "entry", "entries")}`],
    ["Messages", `${count(opened.messages)} in ${plural(opened.turns, "turn")}, ${plural(opened.calls, "model call")}`],
    ["Tokens", count(opened.tokens)],
    ...(opened.languages.length ? [["Language", opened.languages.join(", ")] as [string, string]] : []),
    ["Tools", tools.length ? tools.join(", ") + (more > 0 ? ` and ${more} more` : "") : "none"],
  ];
  return (
    <>
    <dl class="facts" aria-label="The transcript at a glance">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
    {opened.notes.length > 0 && (
      <ul class="notes" aria-label="What was left out of the file">
        {opened.notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    )}
    </>
  );
}

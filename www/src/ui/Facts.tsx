// The transcript at a glance.

import type { Opened } from "../engine/protocol";
import { bytes, count, plural } from "./numbers";

const FORMATS = { "openai-responses": "OpenAI Responses", "openai-chat": "Chat Completions", messages: "contextfold messages" };
const SHAPES = { list: "a list", body: "a request body", lines: "JSON lines" };

export function Facts({ opened }: { opened: Opened }) {
  const tools = opened.tools.slice(0, 4).map((tool) => `${tool.name} ×${tool.calls}`);
  const more = opened.tools.length - tools.length;
  const facts: [string, string][] = [
    ["Transcript", opened.name],
    ["Format", `${FORMATS[opened.format]}, ${SHAPES[opened.shape]}`],
    ["Size", `${bytes(opened.bytes)}, ${plural(opened.entries, "entry", "entries")}`],
    ["Messages", `${count(opened.messages)} in ${plural(opened.turns, "turn")}`],
    ["Tools", tools.length ? tools.join(", ") + (more > 0 ? ` and ${more} more` : "") : "none"],
  ];
  return (
    <dl class="facts" aria-label="The transcript at a glance">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

// The proxy's reports as an HTML page: no scripts, no requests, light and dark.

import { CSS, escaped as text } from "../html.js";
import { number, plural } from "../paint.js";
import { partName } from "../report.js";

/** Takes the result of `Reports.newest`. */
export function page({ upstream, requests, conversations }) {
  const counts = [
    plural(requests.requests, "request"),
    `${number(requests.fitted)} changed`,
    `${number(requests.made_smaller)} made smaller after a refusal`,
    `${number(requests.passed_through)} passed through`,
    ...(requests.failed ? [`${plural(requests.failed, "failure")} (see standard error)`] : []),
  ];
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>contextfold proxy</title>
<style>${CSS}</style>
<main>
<header>
<h1>contextfold proxy</h1>
<p>${text(`to ${upstream} · ${counts.join(" · ")}`)}</p>
</header>
<section>
<h2>Conversations</h2>
${conversations.length === 0 ? '<p class="note">None yet.</p>' : table(conversations)}
<p class="note">The newest first. Tokens: of the newest request, as it was sent. Changed: how many requests were made to fit. No message is kept here, and no key.</p>
</section>
<footer>The same as JSON: <code>/contextfold/reports</code>.</footer>
</main>
</html>
`;
}

const HEAD = ["", "model", "calls", "messages", "tokens", "limit", "changed", "refused", "newest change"];

function table(rows) {
  const cells = rows.map((row) => [`${row.conversation} · ${row.api}`, row.model ?? "–", number(row.calls), figure(row.messages), bar(row), figure(row.limit), number(row.edits), number(row.made_smaller), changeOf(row)]);
  const line = ([first, model, calls, messages, tokens, ...rest]) =>
    `<tr><th scope="row">${text(first)}</th>${[model, calls, messages].map((cell) => `<td>${text(cell)}</td>`).join("")}<td>${tokens}</td>${rest.map((cell) => `<td>${text(cell)}</td>`).join("")}</tr>`;
  return `<div class="scroll"><table class="calls"><thead><tr>${HEAD.map((cell) => `<th scope="col">${cell}</th>`).join("")}</tr></thead><tbody>${cells.map(line).join("")}</tbody></table></div>`;
}

const figure = (value) => (value == null ? "–" : number(value));

function bar({ tokens, limit, parts = [] }) {
  const share = limit ? Math.min(100, (100 * (tokens ?? 0)) / limit) : 0;
  const said = parts.filter((part) => part.tokens > 0).map((part) => `${partName(part.name)} ${number(part.tokens)}`);
  return `<span class="bar" style="--share:${share.toFixed(1)}%" title="${text(said.join(", "))}">${figure(tokens)}</span>`;
}

function changeOf({ newest_edit: edit }) {
  if (!edit) return "–";
  const passes = edit.decisions.map(({ pass, messages }) => `${pass}: ${plural(messages, "message")}`);
  return `call ${number(edit.call)}: ${number(edit.tokens_before)} → ${number(edit.tokens_after)} (${passes.join(", ")})`;
}

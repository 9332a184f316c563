// Shares the current state with others: as a link, a report, code, or a command.

import { useState } from "preact/hooks";
import type { Settings } from "../engine/protocol";
import { Toolbar } from "./Toolbar";
import { ask, wordsOf } from "./useEngine";

export function codeOf({ preset, window, thresholdRatio, retainLastTurns, outputBudget, pins }: Settings): string {
  const compaction = [
    ...(thresholdRatio === 0.8 ? [] : [`thresholdRatio: ${thresholdRatio}`]),
    ...(retainLastTurns === 1 ? [] : [`retainLastTurns: ${retainLastTurns}`]),
  ];
  const options = [
    `contextWindow: ${window.toLocaleString("en").replaceAll(",", "_")},`,
    ...(preset === "contextfold" ? [] : [`ladder: "${preset}",`]),
    ...(compaction.length ? [`compaction: { ${compaction.join(", ")} },`] : []),
    ...(outputBudget === null ? [] : [`toolOutputCache: { contextBudgetTokens: ${outputBudget.toLocaleString("en").replaceAll(",", "_")} },`]),
    `summarize: async (request, { signal }) => {`,
    `  const answer = await client.chat.completions.create({ model: "…", ...request.as("openai-chat") }, { signal });`,
    `  return { text: answer.choices[0].message.content, usage: answer.usage };`,
    `}, // leave it out: built in, without a model`,
  ];
  return [
    `import { Session } from "contextfold";`,
    ``,
    `const session = new Session({`,
    ...options.map((line) => `  ${line}`),
    `});`,
    `session.pushFrom("openai-chat", messages);`,
    ...pins.map((id) => `session.pin("${id}");`),
    `const { messages: fitting, report } = await session.prepare();`,
  ].join("\n");
}

/** The command that replays a file of this name under these settings. Settings without a flag of the command line are left out. */
export function commandOf({ preset, window, thresholdRatio, priceAs }: Settings, name: string): string {
  const file = /^[\w./-]+$/.test(name) ? name : "session.json";
  return [
    `npx contextfold simulate ${file} --preset ${preset} --window ${window}`,
    ...(thresholdRatio === 0.8 ? [] : [`--threshold-ratio ${thresholdRatio}`]),
    ...(priceAs ? [`--price-as ${priceAs}`] : []),
    "--html report.html",
  ].join(" ");
}

export function Share({ settings, link, name }: { settings: Settings; link: string; name: string }) {
  const [said, setSaid] = useState("");
  const code = codeOf(settings);
  const copy = (text: string) =>
    navigator.clipboard.writeText(text).then(
      () => setSaid("Copied."),
      () => setSaid("The browser did not allow it: select the text instead."),
    );
  const download = () =>
    ask("report", { settings, name }).then(
      (html) => {
        const url = URL.createObjectURL(new Blob([html], { type: "text/html" }));
        Object.assign(document.createElement("a"), { href: url, download: "contextfold-report.html" }).click();
        setTimeout(() => URL.revokeObjectURL(url), 10_000);
        setSaid("The report is among your downloads.");
      },
      (error) => setSaid(wordsOf(error).detail),
    );
  return (
    <section class="panel" aria-labelledby="code-title">
      <div class="panel-head">
        <h2 id="code-title">Share these settings</h2>
        <span class="quiet" role="status">
          {said}
        </span>
      </div>
      <Toolbar class="share" label="Share">
        <button type="button" class="button" onClick={() => copy(new URL(link, location.href).href)}>
          Copy link
        </button>
        <button type="button" class="button" onClick={download}>
          Download report
        </button>
        <button type="button" class="button" onClick={() => copy(code)}>
          Copy as code
        </button>
        <button type="button" class="button" onClick={() => copy(commandOf(settings, name))}>
          Copy as command
        </button>
      </Toolbar>
      <p class="quiet small">The link has the settings and the call, and nothing of the transcript. The report has figures, names of tools and the file’s name.</p>
      <pre class="code" tabIndex={0} aria-label="Code">
        {code}
      </pre>
    </section>
  );
}

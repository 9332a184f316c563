// The settings as code to paste.

import { useState } from "preact/hooks";
import type { Settings } from "../engine/protocol";

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

export function Code({ settings }: { settings: Settings }) {
  const [copied, setCopied] = useState("");
  const code = codeOf(settings);
  const copy = () =>
    navigator.clipboard.writeText(code).then(
      () => setCopied("Copied."),
      () => setCopied("The browser did not allow it: select the text instead."),
    );
  return (
    <section class="panel" aria-labelledby="code-title">
      <div class="panel-head">
        <h2 id="code-title">These settings as code</h2>
        <span class="quiet" role="status">
          {copied}
        </span>
        <button type="button" class="button" onClick={copy}>
          Copy the code
        </button>
      </div>
      <pre class="code" tabIndex={0} aria-label="Code">
        {code}
      </pre>
    </section>
  );
}

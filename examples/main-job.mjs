// The main job, which `npm start` ends with: a recorded agent session that is too large for its context window is
// compacted, and the report says how. Exits with 0 only if it was too large and is below the threshold now.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Session } from "contextfold";
import { size } from "../pkg/cli/paint.js";
import { renderReport } from "../pkg/cli/report.js";
import { style } from "../pkg/cli/terminal.js";

const WINDOW = 32_000;
const SAMPLE = "examples/transcript.responses.json";

const text = readFileSync(fileURLToPath(new URL("transcript.responses.json", import.meta.url)), "utf8");
const items = JSON.parse(text);

// The same items with nothing trimmed and no limit: what would have been sent.
const asItCame = new Session({ toolOutputCache: { enabled: false } });
asItCame.pushFrom("openai-responses", items);
const before = (await asItCame.prepare()).report;

// The job itself: four lines.
const session = new Session({ contextWindow: WINDOW });
session.pushFrom("openai-responses", items);
const { report } = await session.prepare();
const { input } = session.view("openai-responses");

const { color, width } = style(process.stdout);
const source = `openai-responses · ${items.length} items · ${size(Buffer.byteLength(text))}`;
const written = [`${input.length} items, ready to send as \`input\``];
process.stdout.write(
  `\n${renderReport(report, { title: SAMPLE, source, before, folds: session.folds(), written, color, width })}\n`,
);

const fits = before.tokens_after > WINDOW && report.tokens_after < report.threshold;
if (fits)
  console.log(
    "  A ledger is what the summary left out: rules, files, errors, kept word for word.\n" +
      "  Older steps stand cut to their head and tail; the tool output cache has each of them whole.\n\n" +
      "  Go on: `npm run demo` shows it in the browser, README.md how to use it.\n",
  );
else
  console.error(
    `  The main job failed: ${before.tokens_after} tokens became ${report.tokens_after}, window ${WINDOW}, threshold ${report.threshold}.\n`,
  );
process.exitCode = fits ? 0 : 1;

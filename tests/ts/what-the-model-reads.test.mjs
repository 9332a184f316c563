// The record in docs/what-the-model-reads.md is the one that the package makes. CONTEXTFOLD_WRITE_FIXTURES=1 writes it anew.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { Session } from "contextfold";

const page = new URL("../../docs/what-the-model-reads.md", import.meta.url);
const sample = JSON.parse(readFileSync(new URL("../../examples/transcript.responses.json", import.meta.url), "utf8"));
const BLOCK = /^```text\n([\s\S]*?)^```$/m;
const LONGEST = 160;

/** The record of the sample transcript, as the model gets it. */
async function record() {
  const session = new Session({ contextWindow: 6_000 });
  session.pushFrom("openai-responses", sample);
  await session.prepare();
  const texts = session.view("messages").map((message) => [message.content ?? []].flat().map((part) => part.text ?? part).join(""));
  session.free();
  return texts.find((text) => text.startsWith("[Record of "));
}

/** The record as the page shows it: two entries of each list and its last one, and a long line ends behind a word. */
function shown(record) {
  const all = record.split("\n");
  let entries = 0;
  const lines = all.flatMap((line, at) => {
    entries = line.startsWith("- ") ? entries + 1 : 0;
    const isLast = !all[at + 1]?.startsWith("- ");
    if (entries > 2 && !isLast) return entries === 3 ? ["- …"] : [];
    return line.length > LONGEST ? `${line.slice(0, LONGEST).replace(/ \S*$/, "")} …` : line;
  });
  return `${lines.join("\n")}\n`;
}

test("the page shows the record that the package makes", async () => {
  const made = shown(await record());
  const text = readFileSync(page, "utf8");
  if (process.env.CONTEXTFOLD_WRITE_FIXTURES) return writeFileSync(page, text.replace(BLOCK, () => `\`\`\`text\n${made}\`\`\``));
  assert.equal(BLOCK.exec(text)[1], made);
});

test("the page explains each heading of that record", async () => {
  const explained = readFileSync(page, "utf8").replace(BLOCK, "");
  for (const [, summary, ledger] of (await record()).matchAll(/^(?:## (.*)|([A-Z][^-\n]*?)(?: \(.*\))?:(?: .*)?)$/gm)) assert.ok(explained.includes(summary ?? ledger), summary ?? ledger);
});

// Checks which sentences the package lists as a user's rules. The reference is sentences of recorded sessions that were read and judged:
// rules.labels.json has true, false, or null if a reader could say either, by the hash of the sentence.
//
//     node benches/fidelity/rules.mjs [--package PATH] [--wrong]

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { half, recordings } from "./recordings.mjs";
import { flat, key, sentences } from "./sentences.mjs";

const labels = JSON.parse(readFileSync(new URL("rules.labels.json", import.meta.url), "utf8"));
const TITLES = /^(Task|Still open|Commands|Error codes|Ids|URLs|Paths|Also said|Outputs kept whole|Stored outputs|The user's words)\b/;
const ROOM = 200_000;

/**
 * The rules that the package finds in a folded message. Of a user's message, the whole is listed if there is room; of a developer's, the
 * rules alone.
 */
async function told(built, text) {
  const session = new built.Session({ contextWindow: ROOM, summarize: () => "<summary>The work went on.</summary>" });
  try {
    const filler = { role: "assistant", content: "word ".repeat(4 * Math.max(1_000, text.length / 4)) };
    const begin = [{ role: "user", content: "Begin." }, { role: "assistant", content: "I do." }];
    session.push([...begin, { role: "developer", content: text }, filler, { role: "user", content: "Next." }]);
    await session.compact();
    const lines = (session.folds().at(-1)?.ledger ?? "").split("\n");
    const rules = [];
    let inside = false;
    for (const line of lines) {
      if (TITLES.test(line)) inside = line.startsWith("The user's words");
      else if (inside && line.startsWith("- ")) rules.push(line.slice(2));
      else if (inside && rules.length) rules.push(`${rules.pop()} ${line}`);
    }
    return rules.map(flat);
  } finally {
    session.free();
  }
}

const tells = (rule, sentence) => rule.includes(sentence) || (rule.length >= 8 && sentence.includes(rule));

/** Per half of the recordings: { messages, sentences, told, right, wrong, rules, found }, and the wrong ones. */
export async function rules(built, recorded) {
  const out = {};
  const seen = new Set();
  for (const { name, messages } of recorded)
    for (const { role, content } of messages) {
      if (role !== "user" || typeof content !== "string" || seen.has(content)) continue;
      seen.add(content);
      const known = [...new Set(sentences(content))].filter((s) => key(s) in labels && !seen.has(key(s)));
      const lines = await told(built, content);
      const of = (out[half(name)] ??= { messages: 0, sentences: 0, unsure: 0, told: 0, right: 0, wrong: 0, rules: 0, found: 0, invented: [], missed: [] });
      of.messages++;
      for (const line of lines) {
        const said = sentences(content).filter((s) => tells(line, s)).map((s) => labels[key(s)]);
        if (!said.includes(true) && (said.includes(null) || !said.length)) continue;
        of.told++;
        if (said.includes(true)) of.right++;
        else of.invented.push(line), of.wrong++;
      }
      for (const sentence of known) {
        seen.add(key(sentence));
        const label = labels[key(sentence)];
        if (label === null) of.unsure++;
        else of.sentences++;
        if (!label) continue;
        of.rules++;
        if (lines.some((line) => tells(line, sentence))) of.found++;
        else of.missed.push(sentence);
      }
    }
  return out;
}

export function rulesTable(halves) {
  const share = (a, b) => (b ? (a / b).toFixed(3) : "–");
  const sum = {};
  for (const of of Object.values(halves)) for (const [name, n] of Object.entries(of)) if (typeof n === "number") sum[name] = (sum[name] ?? 0) + n;
  const row = ([name, r]) => `| ${name} | ${r.messages} | ${r.sentences} | ${r.unsure} | ${r.rules} | ${r.told} | ${share(r.right, r.told)} | ${share(r.found, r.rules)} |`;
  return ["| half | messages | sentences | either way | rules | told | precision | recall |", "| --- | --: | --: | --: | --: | --: | --: | --: |", ...Object.entries({ ...halves, both: sum }).map(row)].join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values: o } = parseArgs({ options: { package: { type: "string", default: fileURLToPath(new URL("../..", import.meta.url)) }, wrong: { type: "boolean" } } });
  const { load } = await import("./policies.mjs");
  const built = await load(o.package);
  const halves = await rules(built, recordings(built.convert));
  console.log(rulesTable(halves));
  if (o.wrong) for (const [name, { invented, missed }] of Object.entries(halves)) console.log(`\n${name}\n${[...invented.map((l) => `told: ${l}`), ...missed.map((s) => `missed: ${s}`)].join("\n")}`);
}

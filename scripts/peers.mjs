// Copies the benchmarks' last figures from the tables in the documents to www/src/peers/recorded.json, for the page that draws them.
// `node scripts/peers.mjs` writes the file; `-- --check` only checks that it is up to date.
//
// After a run whose figures are to be shown: put its table into the document, its date and machine into RUNS below, and run this.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "./lib/paths.mjs";

export const RECORDED = "www/src/peers/recorded.json";

const TOKEN_PEERS = "benches/package.json";
const SESSION_PEERS = "benches/session/package.json";

/** Each benchmark, with the beginning of its table's first line and what the table itself does not say. */
const RUNS = [
  {
    id: "bill",
    run: "npm run bench:session -- bill",
    source: "docs/cost.md",
    begins: "| session, window |",
    date: "2026-11-26",
    machine: null, // tokens are counted; nothing is timed
    versions: ["ai", "langchain", "@mariozechner/pi-coding-agent", "@mastra/core"],
    peers: SESSION_PEERS,
  },
  {
    id: "fidelity",
    run: "npm run bench:fidelity -- --points 60 --half reporting --policies newest,even-cut,peers,contextfold,contextfold-fill",
    source: "docs/measured.md",
    begins: "| not tuned on |",
    date: "2026-11-27",
    machine: null,
    versions: [],
    peers: SESSION_PEERS,
  },
  {
    id: "tokens",
    run: "npm run bench:tokens",
    source: "README.md",
    begins: "| | contextfold | fastest npm package |",
    date: "2026-11-22",
    machine: { cpus: 2, node: "20" },
    versions: ["ai-tokenizer", "tiktoken", "gpt-tokenizer", "js-tiktoken", "tokenx"],
    peers: TOKEN_PEERS,
  },
  {
    id: "cut",
    run: "npm run bench:session -- cut",
    source: "docs/measured.md",
    // A sentence instead of a table; the figures are its groups.
    sentence: /10,000 messages cut to half of their tokens and written as input items in (\d+) ms,\s+in (\d+) without a ledger, both linear\. deepagents, which counts characters and drops the oldest, takes (\d+)\./,
    columns: ["10,000 messages cut to half", "ms"],
    names: ["contextfold", "contextfold, without a ledger", "deepagents, by characters, drops the oldest"],
    date: "2026-11-25",
    machine: { cpus: 2, node: null },
    versions: ["deepagents"],
    peers: SESSION_PEERS,
  },
];

/** The figures in the documents now. */
export function recorded() {
  return RUNS.map(({ id, run, source, begins, sentence, columns, names, date, machine, versions, peers }) => {
    const text = readFileSync(join(root, source), "utf8");
    const { devDependencies } = JSON.parse(readFileSync(join(root, peers), "utf8"));
    const table = begins ? tableIn(text, begins, source) : { columns, rows: figuresIn(text, sentence, source).map((figure, at) => [names[at], figure]) };
    return { id, run, source, date, machine, versions: Object.fromEntries(versions.map((name) => [name, devDependencies[name]])), ...table };
  });
}

function tableIn(text, begins, source) {
  const lines = text.split("\n");
  const at = lines.findIndex((line) => line.startsWith(begins));
  if (at < 0) throw new Error(`${source} has no table that begins with ${begins}`);
  const end = lines.findIndex((line, n) => n > at && !line.startsWith("|"));
  const cells = (line) => line.split("|").slice(1, -1).map((cell) => cell.trim());
  return { columns: cells(lines[at]).map(plain), rows: lines.slice(at + 2, end).map((line) => cells(line).map(plain)) };
}

function figuresIn(text, sentence, source) {
  const found = sentence.exec(text);
  if (!found) throw new Error(`${source} has no sentence like ${sentence}`);
  return found.slice(1);
}

const plain = (cell) => cell.replaceAll("`", "");

const written = () => `${JSON.stringify(recorded(), null, 1)}\n`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = join(root, RECORDED);
  if (!process.argv.includes("--check")) writeFileSync(file, written());
  else if (readFileSync(file, "utf8") !== written()) {
    console.error(`${RECORDED} is not what the documents say: node scripts/peers.mjs`);
    process.exitCode = 1;
  }
}

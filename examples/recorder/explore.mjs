// The first half of the long turn: the agent looks around, measures, and reads the repository module by module.
// Which files it reads is chosen from those that exist at recording time, within a budget of bytes.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { READ_LINES, textFilesUnder } from "./tools.mjs";

const STEP_BYTES = 22_000;
const STEP_CALLS = 3;
/** A larger file is data rather than code: it is listed but not read. */
const FILE_BYTES = 90_000;
const MOST_STEPS = 110;
const ERROR_SITE = /\bError::(?:new|config|message_at|argument)\(|\bErrorCode::[A-Z]\w+/g;

/** Every package's features on one line: an example of output that was not made for reading. */
const FEATURES =
  "cargo metadata --format-version 1 | " +
  "node -p 'JSON.stringify(JSON.parse(fs.readFileSync(0)).packages.map(({ name, version, features }) => ({ name, version, features })))'";

export function orient(agent) {
  agent.step(
    "I'll start with an overview: the layout, the history, and the toolchain.",
    ["list_dir", { path: "." }],
    ["git_log", { count: 30 }],
    ["run_command", { command: "node --version && cargo --version" }],
  );
  const [tree] = agent.step(null, ["list_dir", { path: "src", recursive: true }], ["read_file", { path: "Cargo.toml" }]);
  const files = tree.output.split("\n").filter((line) => /\.rs {2}/.test(line));
  const [missing] = agent.step(
    `\`src\` holds ${files.length} Rust files. I expect the error type in \`src/errors.rs\`, and the crate's face in \`src/lib.rs\`.`,
    ["read_file", { path: "src/errors.rs" }],
    ["read_file", { path: "src/lib.rs" }],
  );
  const [found] = agent.step(
    missing.ok ? null : `\`src/errors.rs\` does not exist (${missing.output.split(":")[1].trim()}); I'll look for the definition.`,
    ["grep", { pattern: "pub enum ErrorCode\\b", path: "src" }],
    ["grep", { pattern: "\\bError::(new|config|message_at|argument)\\(", path: "src" }],
  );
  return found.output.split(":")[0];
}

export function measure(agent, errorFile) {
  const [test] = agent.step(
    `The error type lives in \`${errorFile}\`. Before anything changes I need the baseline of the whole test suite.`,
    ["run_command", { command: "cargo test --lib" }],
  );
  const passed = test.output.match(/(\d+) passed; (\d+) failed/)?.[0] ?? `exit code ${test.exit}`;
  agent.step(
    `Baseline: ${passed}. Your rule about dependencies needs a baseline too: the lock file, and who depends on what.`,
    ["read_file", { path: "Cargo.lock", limit: 4000 }],
    ["run_command", { command: "cargo tree --edges normal" }],
  );
  const [graph] = agent.step(null, ["package_graph", { fields: ["license", "edition", "rust_version", "targets", "uses"] }]);
  const packages = graph.output.match(/"packages": (\d+)/)?.[1] ?? "?";
  agent.step(
    `${packages} packages are locked, build tools included; nothing in this task needs another one.`,
    ["run_command", { command: "cargo tree --edges all --no-dedupe --prefix depth" }],
    ["run_command", { command: "cargo metadata --format-version 1 --no-deps" }],
    ["run_command", { command: FEATURES }],
  );
  agent.step(
    "Now the error type itself, and how it came to be.",
    ["read_file", { path: errorFile }],
    ["git_log", { path: errorFile, stat: true }],
  );
}

/** Reads until `bytes` of transcript are written and the turn has `steps` steps. */
export function readThrough(agent, { repo, errorFile, bytes, steps }) {
  const taken = () => agent.steps[agent.turn - 1];
  const wanted = () => taken() < MOST_STEPS && (agent.bytes < bytes || taken() < steps);
  let remark = "I'll read the modules in order, and note in each where errors are made.";

  const history = historyOf(agent, errorFile);
  agent.step(
    `The code alone does not say why it is so; the largest change to \`src\` lately is ${history[0]}.`,
    ["git_show", { rev: history[0] }],
  );
  if (history[1]) agent.step(`And the next largest, ${history[1]}.`, ["git_show", { rev: history[1] }]);
  const start = agent.bytes;
  const order = ["src", "tests", "pkg", "www", "scripts"].filter((dir) => exists(join(repo, dir)));
  for (let pass = 1; wanted(); pass += 1) {
    for (const [place, all] of modules(repo, order, errorFile)) {
      const files = pick(repo, all, share(repo, order, errorFile, bytes - start));
      const room = agent.bytes < bytes ? STEP_BYTES : 4_000;
      for (const group of groups(repo, files, room, pass === 1 ? STEP_CALLS : 2 * STEP_CALLS)) {
        if (!wanted()) return;
        agent.step(remark, ...group);
        remark = null;
      }
      remark = summary(repo, place, files, all.length, pass);
    }
    remark = `${remark} I'll go through the modules once more, this time for who hands an error on instead of making one.`;
  }
}

/** The last commits that touch `src`, those with the most new lines first. */
function historyOf(agent, errorFile) {
  const [log] = agent.step(
    null,
    ["git_log", { count: 12, path: "src", stat: true }],
    ["grep", { pattern: "ErrorCode", path: errorFile }],
  );
  const commits = log.output.split(/^(?=[0-9a-f]{7,} \d{4}-)/m).map((entry) => ({
    id: entry.match(/^[0-9a-f]+/)[0],
    added: Number(entry.match(/(\d+) insertion/)?.[1] ?? 0),
  }));
  return commits.sort((a, b) => b.added - a.added).map(({ id }) => id);
}

/** `[place, files]` for each folder with text files of a size that a person would open. */
function modules(repo, roots, errorFile) {
  const places = new Map();
  for (const file of roots.flatMap((dir) => textFilesUnder(repo, dir))) {
    const size = statSync(join(repo, file)).size;
    if (size === 0 || size > FILE_BYTES || file === errorFile || /lock/.test(file)) continue;
    const place = file.split("/").slice(0, 2).join("/");
    places.set(place, [...(places.get(place) ?? []), file]);
  }
  return places;
}

/** The share of all candidates that fits into `bytes`: 1 or less. */
function share(repo, roots, errorFile, bytes) {
  const all = [...modules(repo, roots, errorFile).values()].flat();
  return Math.min(1, bytes / all.reduce((sum, file) => sum + statSync(join(repo, file)).size, 1));
}

/** The files of a module with the most error sites, up to the module's share of the budget, in their own order. */
function pick(repo, files, part) {
  if (part === 1) return files;
  const known = files.map((file) => ({ file, size: statSync(join(repo, file)).size, sites: sitesIn(repo, file).length }));
  let left = part * known.reduce((sum, { size }) => sum + size, 0);
  const chosen = new Set();
  for (const { file, size } of known.sort((a, b) => b.sites - a.sites || a.size - b.size)) {
    if (size > left && chosen.size) continue;
    chosen.add(file);
    left -= size;
  }
  return files.filter((file) => chosen.has(file));
}

/** The reads of `files`, long ones in chunks, grouped into steps of at most `room` bytes and `most` parallel calls. */
function groups(repo, files, room, most) {
  const out = [];
  let size = Infinity;
  for (const file of files) {
    const text = readFileSync(join(repo, file), "utf8");
    const lines = text.split("\n").length;
    for (let offset = 1; offset <= lines; offset += READ_LINES) {
      const bytes = Math.min(1, READ_LINES / lines) * text.length;
      const last = out.at(-1);
      const whole = lines <= READ_LINES;
      const call = ["read_file", whole ? { path: file } : { path: file, offset, limit: READ_LINES }];
      if (!last || last.length === most || size + bytes > room) {
        out.push([call]);
        size = bytes;
      } else {
        last.push(call);
        size += bytes;
      }
    }
  }
  return out;
}

function summary(repo, place, files, among, pass) {
  const count = files.length < among ? `${files.length} of ${among} files read, those with errors first` : `${among} ${among === 1 ? "file" : "files"} read`;
  if (pass > 1) {
    const text = files.map((file) => readFileSync(join(repo, file), "utf8")).join("\n");
    return `\`${place}\` hands errors on with \`?\` ${times(text.match(/\?;$/gm)?.length ?? 0)}.`;
  }
  const sites = files.flatMap((file) => sitesIn(repo, file));
  if (!sites.length) return `\`${place}\` (${count}) makes no errors of its own.`;
  const codes = [...new Set(sites.flatMap((site) => (site.startsWith("ErrorCode::") ? [site.slice(11)] : [])))];
  const named = codes.length ? `, and names ${codes.slice(0, 4).join(", ")}` : "";
  return `\`${place}\` (${count}) makes or tests an error ${times(sites.length)}${named}.`;
}

const times = (n) => (n === 1 ? "once" : n === 0 ? "nowhere" : `${n} times`);

function sitesIn(repo, file) {
  return [...readFileSync(join(repo, file), "utf8").matchAll(ERROR_SITE)].map((match) => match[0]);
}

function exists(path) {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

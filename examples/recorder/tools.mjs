// The agent's tools. Each really does what it says, in the workspace, and answers with the text that coding agents see.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { makeScrubber } from "./scrub.mjs";
import { runShell } from "./workspace.mjs";

export const READ_LINES = 600;
const OUTPUT_BYTES = 52_000;
const GREP_MATCHES = 300;
/** Folders that are not searched: generated files, and the recording and the recorder themselves. */
const SKIPPED = new Set([".git", "target", "node_modules", "examples", "dist"]);

export function makeTools(workspace) {
  const scrub = makeScrubber(workspace);
  const inside = (path) => {
    const clean = normalize(path);
    if (clean.startsWith("..") || clean.startsWith("/")) throw new Error(`${path}: outside the repository`);
    return join(workspace.repo, clean);
  };
  const shell = (command) => {
    const { exit, output } = runShell(workspace, command);
    return { exit, ok: exit === 0, output };
  };
  const plain = ({ output, ok }) => ({ ok, output: cap(scrub.file(output).trimEnd()) });

  const tools = {
    read_file({ path, offset = 1, limit = READ_LINES }) {
      const lines = readText(inside(path), path).replace(/\n$/, "").split("\n");
      const shown = lines.slice(offset - 1, offset - 1 + limit);
      const last = offset + shown.length - 1;
      const whole = offset === 1 && last === lines.length;
      const note = whole ? "" : `\n[lines ${offset}-${last} of ${lines.length}]`;
      return { ok: true, output: cap(scrub.file(shown.join("\n")) + note) };
    },
    list_dir({ path, recursive = false }) {
      const found = [];
      const walk = (dir) => {
        for (const entry of sorted(inside(dir))) {
          const name = join(dir, entry.name);
          if (entry.isDirectory()) {
            found.push(`${name}/`);
            if (recursive) walk(name);
          } else {
            found.push(`${name}  ${statSync(inside(name)).size} bytes`);
          }
        }
      };
      walk(path);
      return { ok: true, output: cap(found.join("\n") || "(empty)") };
    },
    grep({ pattern, path }) {
      const hits = textFilesUnder(workspace.repo, path).flatMap((name) =>
        readText(inside(name), name)
          .split("\n")
          .flatMap((line, i) => (new RegExp(pattern).test(line) ? [`${name}:${i + 1}:${line.slice(0, 300)}`] : [])),
      );
      const rest = hits.length > GREP_MATCHES ? `\n[${hits.length - GREP_MATCHES} more matches]` : "";
      return { ok: true, output: hits.length ? scrub.file(hits.slice(0, GREP_MATCHES).join("\n")) + rest : "No matches." };
    },
    git_log({ count = 20, path = ".", stat = false }) {
      const files = stat ? "--stat=100 " : "";
      return plain(shell(`git log --no-merges -n ${count} --date=short --format='%h %ad %s%n%w(0,4,4)%b' ${files}-- '${path}'`));
    },
    git_show({ rev, path = "." }) {
      const outside = [...SKIPPED].map((name) => `':(exclude)${name}'`).join(" ");
      return plain(
        shell(`git show --no-color --date=short --format='commit %h%nDate: %ad%n%n    %s%n' '${rev}' -- '${path}' ${outside}`),
      );
    },
    run_command({ command }) {
      const run = shell(command);
      return { ...run, output: `Exit code: ${run.exit}\nOutput:\n${cap(scrub.run(run.output).trimEnd())}` };
    },
    package_graph({ fields }) {
      const run = shell("cargo metadata --format-version 1 2>/dev/null");
      const { packages, resolve } = JSON.parse(run.output);
      const label = new Map(packages.map((p) => [p.id, `${p.name} ${p.version}`]));
      const uses = new Map(resolve.nodes.map((node) => [node.id, node.dependencies.map((id) => label.get(id))]));
      const graph = packages.map((p) => {
        const known = { ...p, targets: p.targets.map((target) => target.kind.join()), uses: uses.get(p.id) };
        return { package: label.get(p.id), ...Object.fromEntries(fields.map((field) => [field, known[field]])) };
      });
      return { ok: true, output: scrub.file(JSON.stringify({ packages: graph.length, graph }, null, 2)) };
    },
    edit_file({ path, old_string, new_string }) {
      const before = readText(inside(path), path);
      const places = before.split(old_string).length - 1;
      if (places !== 1) throw new Error(`${path}: old_string occurs ${places} times, must occur once`);
      const at = before.indexOf(old_string);
      writeFileSync(inside(path), before.slice(0, at) + new_string + before.slice(at + old_string.length));
      const line = before.slice(0, at).split("\n").length;
      const size = (text) => text.split("\n").length;
      return { ok: true, output: `Edited ${path} at line ${line}: ${size(old_string)} -> ${size(new_string)} lines.` };
    },
    write_file({ path, content }) {
      mkdirSync(dirname(inside(path)), { recursive: true });
      writeFileSync(inside(path), content);
      return { ok: true, output: `Wrote ${path}: ${Buffer.byteLength(content)} bytes.` };
    },
  };

  return (name, args) => {
    try {
      return tools[name](args);
    } catch (error) {
      if (!["ENOENT", "EISDIR", "ENOTDIR"].includes(error.code) && !(error instanceof RangeError)) throw error;
      return { ok: false, output: `Error: ${error.code}: ${scrub.file(error.message.replace(/^\w+: /, ""))}` };
    }
  };
}

/** Text files under `path`, relative to the repository, in order. */
export function textFilesUnder(repo, path = ".") {
  if (statSync(join(repo, path)).isFile()) return [path];
  return sorted(join(repo, path)).flatMap((entry) => {
    const name = join(path, entry.name);
    if (entry.isDirectory()) return textFilesUnder(repo, name);
    return entry.isFile() && isText(join(repo, name)) ? [name] : [];
  });
}

function sorted(dir) {
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => !SKIPPED.has(entry.name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function isText(file) {
  const bytes = readFileSync(file);
  return !bytes.includes(0) && bytes.equals(Buffer.from(bytes.toString("utf8")));
}

function readText(file, name) {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw Object.assign(new Error(`no such file: ${name}`), { code: error.code });
  }
}

/** As much of a long output as a tool returns, in whole lines if it has lines. */
function cap(text) {
  const bytes = Buffer.from(text);
  if (bytes.length <= OUTPUT_BYTES) return text;
  const head = bytes.subarray(0, OUTPUT_BYTES).toString("utf8").replace(/\uFFFD$/, "");
  const end = head.lastIndexOf("\n");
  const shown = end > OUTPUT_BYTES / 2 ? head.slice(0, end) : head;
  return `${shown}\n[output truncated: first ${Buffer.byteLength(shown)} of ${bytes.length} bytes]`;
}

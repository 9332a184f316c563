// The user's requests, and the three shorter turns after the long one.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { TEST, codesIn, lineOf, remedyOf, screaming } from "./change.mjs";
import { StoryError } from "./transcript.mjs";

export const SYSTEM = `You are a coding agent in a terminal. You work on the repository in the current folder until the task is done.

Tools: read_file, list_dir, grep, git_log, git_show, package_graph, run_command, edit_file, write_file. Call several at once where one does not need the other's answer.
- Read a file before you change it. Make the smallest change that does what was asked.
- A command's output begins with its exit code. Anything but 0 is a failure: say so, find the cause, and go on from there.
- When you choose between ways, say "Decision:" with the choice and its reason.
- Keep to the user's rules for the whole conversation. They outrank your own taste.
- Close each turn with what was done, what was decided, and what is still open. Claim nothing that you have not seen.`;

export const TASK = `Before we publish, callers should learn what they can do about an error. Today an \`Error\` has a stable code, and nothing tells whether to try again, to change the input, to make room or to give up.

Please go through the repository and find out how errors are made (read the modules; look into the history where the code alone does not say why). Then add a \`Remedy\` enum to the file that defines \`ErrorCode\`, with \`ErrorCode::remedy()\`, \`Error::remedy()\` and \`Error::is_retryable()\`, and tests for them.

My rules:
- Never edit files under \`pkg/\` or \`src/wasm/\`: I change those myself.
- Always run \`${TEST}\` before and after you change a file.
- Don't add dependencies: \`Cargo.toml\` and \`Cargo.lock\` must stay as they are.
- You must keep the public API compatible: add to it, never rename or remove.
- Only tell me what you saw in a file or in the output of a command.

When you are done, tell me what you decided and why, and what is still open.`;

const WILDCARD_RULE = "never add a wildcard arm to a match over `ErrorCode`, because a new code must force a decision";

export function closeLongTurn(agent, { errorFile, codes, passed }) {
  const { read } = filesOf(agent);
  agent.step(
    `Done: \`Remedy\` is in \`${errorFile}\` and exported from the crate's root; ${codes.length} codes have one. ` +
      `I read ${read.size} files; \`cargo test --lib\` ends with ${passed} passed, \`cargo clippy\` and \`cargo fmt --check\` are clean.\n\n` +
      "Decided:\n" +
      "- Four remedies, because a caller can do only four different things.\n" +
      "- No wildcard arm in `ErrorCode::remedy()`, because it would hide the next new code.\n" +
      "- `Error::remedy()` is no `Option`, because every code has a remedy.\n" +
      "- `STORE_CONFLICT` is `Retry`, because another writer saved first and the same save succeeds on the newer state.\n\n" +
      "Still open:\n" +
      "- JavaScript callers do not see the remedy yet: that is `src/wasm/` and `pkg/`, which you told me not to edit.\n" +
      "- The changelog does not mention it.",
  );
}

export function checkWildcards(agent, { repo, errorFile }) {
  agent.user(
    `Good. Two things. First, one more rule for good: ${WILDCARD_RULE}. Check that your change keeps to it, also where it is hidden. ` +
      "Second: where in `src` do we make an `INTERNAL` error at all?",
  );
  const [, , internal] = agent.step(
    "I'll look for open and for hidden wildcards, and for the places that make an `INTERNAL` error.",
    ["grep", { pattern: "_ =>", path: errorFile }],
    ["grep", { pattern: "matches!\\(", path: errorFile }],
    ["grep", { pattern: "ErrorCode::Internal\\b", path: "src" }],
  );
  const text = readFileSync(join(repo, errorFile), "utf8");
  const at = lineOf(text, "pub fn is_retryable");
  agent.step(
    `\`is_retryable()\` at ${errorFile}:${at} is one: \`matches!\` is a wildcard in disguise.`,
    ["read_file", { path: errorFile, offset: at - 6, limit: 30 }],
    ["run_command", { command: TEST }],
  );
  const hidden = text.match(/( {8}matches!\(\n?\s*self\.code\(\),[\s\S]*?\n? *\)\n)/)?.[1];
  if (!hidden) throw new StoryError("is_retryable() no longer reads as written");
  if (hidden.includes("StoreConflict")) throw new StoryError("is_retryable() has no gap to find");
  agent.step(
    "It has already gone wrong: `STORE_CONFLICT` became `Retry` after I wrote this list, so `is_retryable()` is false for it. " +
      "Decision: it asks `remedy()`, because then the one match without a wildcard decides for both.",
    ["edit_file", { path: errorFile, old_string: hidden, new_string: "        self.remedy() == Remedy::Retry\n" }],
  );
  agent.run(null, TEST);
  const places = internal.output.split("\n").filter((line) => line.startsWith("src/") && !line.startsWith(errorFile));
  const shown = places.slice(0, 8).map((line) => `\`${line.split(":").slice(0, 2).join(":")}\``);
  const more = places.length > shown.length ? ` and ${places.length - shown.length} more` : "";
  agent.step(
    "`ErrorCode::remedy()` has no wildcard arm. `is_retryable()` had a hidden one, with a real bug behind it; it now asks `remedy()`, and the tests pass.\n\n" +
      (shown.length
        ? `\`INTERNAL\` is made or named in ${places.length} lines outside \`${errorFile}\`: ${shown.join(", ")}${more}.`
        : `Nothing in \`src\` makes an \`INTERNAL\` error outside \`${errorFile}\`; only the code itself is defined there.`),
  );
}

export function writeChangelog(agent, { repo }) {
  agent.user("Right. Write it into `CHANGELOG.md` under Unreleased, one line each for the addition and the fix, and show me what differs.");
  const [old] = agent.step(null, ["read_file", { path: "CHANGELOG.md" }], ["git_log", { count: 5 }]);
  agent.run("Your rule holds for this file, too: tests before and after.", TEST);
  const lines =
    "- `Remedy`, `ErrorCode::remedy()`, `Error::remedy()` and `Error::is_retryable()`: what a caller can do about an error.\n" +
    "- `STORE_CONFLICT` counts as retryable.\n";
  const text = old.ok ? readFileSync(join(repo, "CHANGELOG.md"), "utf8") : "";
  const heading = text.match(/^## (?:\[)?Unreleased.*\n/m)?.[0];
  const title = text.match(/^# .*\n/m)?.[0];
  if (heading) {
    agent.step(null, ["edit_file", { path: "CHANGELOG.md", old_string: heading, new_string: `${heading}\n${lines}` }]);
  } else if (title) {
    agent.step("There is no Unreleased section yet.", [
      "edit_file",
      { path: "CHANGELOG.md", old_string: title, new_string: `${title}\n## Unreleased\n\n${lines}` },
    ]);
  } else {
    agent.step("There is no changelog yet, so it starts here.", [
      "write_file",
      { path: "CHANGELOG.md", content: `# Changelog\n\n## Unreleased\n\n${lines}` },
    ]);
  }
  agent.run(null, TEST);
  const [stat] = agent.step(
    null,
    ["run_command", { command: "git add --intent-to-add . && git diff --stat" }],
    ["run_command", { command: "git diff -- CHANGELOG.md" }],
  );
  agent.step(`\`CHANGELOG.md\` has both lines; the tests pass. All that differs:\n\n${stat.output.split("Output:\n")[1]}`);
}

export function leaveUnfinished(agent, { repo, errorFile }) {
  agent.user(
    "One more: document the codes. A table of every code with its remedy in `docs/errors.md`, and a test that keeps the table in step with `ErrorCode::ALL`. " +
      "I must leave in a few minutes: the library must stay free of file access, so if the test does not come out clean at once, take it out again and tell me what is left.",
  );
  const [file] = agent.step(
    null,
    ["read_file", { path: errorFile }],
    ["list_dir", { path: "." }],
    ["read_file", { path: "clippy.toml" }],
  );
  agent.run(null, TEST);
  const codes = codesIn(file.output);
  const rows = codes.map((code) => `| \`${screaming(code)}\` | \`${remedyOf(code)}\` |`);
  agent.step(`${codes.length} codes, so ${codes.length} rows.`, [
    "write_file",
    { path: "docs/errors.md", content: `# Errors and what to do about them\n\n| code | remedy |\n| --- | --- |\n${rows.join("\n")}\n` },
  ]);
  agent.run(null, TEST);

  const before = readFileSync(join(repo, errorFile), "utf8");
  const tail = before.slice(-300);
  const tested = `${tail.slice(0, -2)}\n${TABLE_TEST}}\n`;
  agent.step("Now the test.", ["edit_file", { path: errorFile, old_string: tail, new_string: tested }]);
  const [, lint] = agent.step(
    null,
    ["run_command", { command: TEST }],
    ["run_command", { command: "cargo clippy --lib --profile test -- -D warnings" }],
  );
  const reason = lint.ok
    ? "It passes, but it reads a file, and you want none of that in the library."
    : `The test passes, but clippy refuses it (exit code ${lint.exit}): \`${lint.output.match(/^error: .*$/m)[0]}\`.`;
  agent.step(`${reason} As you said, I take it out again.`, [
    "edit_file",
    { path: errorFile, old_string: tested, new_string: tail },
  ]);
  agent.step(null, ["run_command", { command: TEST }], ["run_command", { command: "git status --short" }]);
  agent.step(
    `\`docs/errors.md\` has the table of all ${codes.length} codes, and the tree is green.\n\n` +
      "Still open:\n" +
      "- The test that keeps `docs/errors.md` in step with `ErrorCode::ALL` is not written: my first one read the file at run time. Next step: `include_str!`, which needs no file access.\n" +
      "- JavaScript callers do not see the remedy yet (`src/wasm/` and `pkg/` are yours).",
  );
}

const TABLE_TEST = `    #[test]
    fn every_code_is_documented() {
        let table = std::fs::read_to_string("docs/errors.md").unwrap();
        for code in ErrorCode::ALL {
            assert!(table.contains(code.as_str()), "{code}");
        }
    }
`;

/** The files that were read and changed, and how often. */
export function filesOf(agent) {
  const read = new Map();
  const changed = new Map();
  for (const { name, args, ok } of agent.calls) {
    const into = { read_file: read, edit_file: changed, write_file: changed }[name];
    if (into && ok) into.set(args.path, (into.get(args.path) ?? 0) + 1);
  }
  return { read, changed };
}


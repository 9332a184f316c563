// The second half of the long turn: the change itself, with the mistakes of a first draft. Every failure below is real:
// the code is written, fails to build, and is then fixed.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { StoryError } from "./transcript.mjs";

export const TEST = "cargo test --lib error";
const CLIPPY = "cargo clippy --lib -- -D warnings";

const RETRY = ["SummaryFailed", "SummaryEmpty", "SummaryTruncated", "SummaryNotSmaller", "SummaryInvalid", "StoreFailed"];
const ROOM = ["ContextWindowExceeded", "BudgetImpossible", "SafetyLimitExceeded"];
const ANEW = ["NotInitialized", "Freed", "Internal"];
/** Left out of the first draft, which is written from memory. */
const FORGOTTEN = ["StalePlan", "Aborted"];

export function remedyOf(code) {
  if (RETRY.includes(code) || FORGOTTEN.includes(code) || code === "StoreConflict") return "Retry";
  if (ROOM.includes(code)) return "MakeRoom";
  return ANEW.includes(code) ? "StartAnew" : "FixInput";
}

export function codesIn(text) {
  const body = text.match(/pub enum ErrorCode \{([\s\S]*?)\n\}/)?.[1] ?? "";
  const codes = [...body.matchAll(/^ {4}([A-Z]\w+)(?: = .*)?,/gm)].map((match) => match[1]);
  const missing = [...RETRY, ...ROOM, ...ANEW, ...FORGOTTEN, "StoreConflict"].filter((code) => !codes.includes(code));
  if (missing.length) throw new StoryError(`ErrorCode lacks ${missing.join(", ")}`);
  return codes;
}

export const screaming = (code) => code.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();

export function addRemedy(agent, { repo, errorFile }) {
  const text = () => readFileSync(join(repo, errorFile), "utf8");
  const edit = (old_string, new_string) => ["edit_file", { path: errorFile, old_string, new_string }];
  if (/\bRemedy\b/.test(text())) throw new StoryError(`${errorFile} has a Remedy already: the story needs another task`);
  const codes = codesIn(text());
  const display = find(text(), /^impl (?:std::)?fmt::Display for ErrorCode \{$/m);
  const accessor = find(text(), /^(?: {4}\/\/\/.*\n)+(?: {4}#\[.*\n)* {4}pub (?:const )?fn code\(&self\) -> ErrorCode \{\n[\s\S]*?\n {4}\}\n/m);

  agent.step(
    "I have seen enough to design it. Decision: four remedies (`FixInput`, `Retry`, `MakeRoom`, `StartAnew`), because " +
      "those are the only four things that a caller can do differently; a finer split would only repeat the codes. " +
      "Decision: it goes into the file of the error type and not into a new module, because the ground floor imports nothing of ours.",
    ["read_file", { path: errorFile }],
    ["run_command", { command: "git status --short" }],
  );
  agent.run("The tests first, as you asked.", TEST);
  const known = codes.filter((code) => !FORGOTTEN.includes(code));
  const draft = (code) => (code === "StoreConflict" ? "FixInput" : remedyOf(code));
  agent.step(null, edit(display, `${remedyEnum()}\n${remedyImpl(known, draft)}\n${display}`));
  const open = agent.run(null, TEST, /error\[E0004\]/);
  const named = [...new Set([...open.output.matchAll(/`(?:error::)?ErrorCode::(\w+)`/g)].map((m) => m[1]))];
  agent.step(
    `The build fails with ${firstError(open)}: I forgot ${list(named)}. ` +
      "Decision: I add them by name instead of a wildcard arm, because a wildcard would hide the next new code as well.",
    ["grep", { pattern: FORGOTTEN.join("|"), path: "src" }],
    ["read_file", { path: errorFile, offset: lineOf(text(), "pub enum ErrorCode"), limit: 80 }],
  );
  const retry = armOf(known, draft, "Retry");
  agent.step(
    "`STALE_PLAN` and `ABORTED` are both worth another try: the plan is made anew from the longer history, and an abort was the caller's own wish.",
    edit(retry, armOf(codes, draft, "Retry")),
  );
  agent.run(null, TEST);
  agent.step(
    "Green. Next, `Error::remedy()`, and `is_retryable()` as the question that most callers will ask.",
    edit(accessor, `${accessor}${errorMethods(codes.filter((code) => draft(code) === "Retry"))}`),
  );
  const mismatch = agent.run(null, TEST, /error\[E0308\]/);
  agent.step(
    `${firstError(mismatch)}: the signature promises an \`Option\`, the match never gives \`None\`. Decision: ` +
      "`Error::remedy()` returns a plain `Remedy`, because every code has one and an `Option` would make each caller handle a case that cannot happen.",
    ["read_file", { path: errorFile, offset: lineOf(text(), "pub struct Error"), limit: 60 }],
  );
  agent.step(null, edit("-> Option<Remedy>", "-> Remedy"));
  agent.run(null, TEST);

  find(text(), /\n\}\n$/);
  const tail = text().slice(-300);
  agent.step("It builds. Now the tests; they say what I believe about each group, so they may well disagree with the draft.", [
    "edit_file",
    { path: errorFile, old_string: tail, new_string: `${tail.slice(0, -2)}\n${remedyTests()}}\n` },
  ]);
  const wrong = agent.run(null, TEST, /a_lost_race_is_worth_a_retry/);
  const [site] = agent.step(
    `One test fails (exit code ${wrong.exit}): \`a_lost_race_is_worth_a_retry\`, ${detail(wrong)}. I'll see what the code means before I decide who is right.`,
    ["grep", { pattern: "StoreConflict|STORE_CONFLICT", path: "." }],
  );
  const conflict = site.output.split("\n").find((line) => line.startsWith(errorFile)) ?? site.output;
  agent.step(
    `The test is right. Decision: \`STORE_CONFLICT\` is \`Remedy::Retry\`, because another writer saved first (${conflict.split(":").slice(0, 2).join(":")}) ` +
      "and the same save succeeds on the newer state.",
    ...["FixInput", "Retry"].map((remedy) => edit(armOf(codes, draft, remedy), armOf(codes, remedyOf, remedy))),
  );
  agent.run(null, TEST);
  exportRemedy(agent, repo);
  agent.run("Style: the formatter, then the linter.", "cargo fmt --check", /Diff in/);
  agent.run("`cargo fmt --check` finds my long match arms; the formatter may lay them out.", "cargo fmt && cargo fmt --check");
  const lint = agent.run(null, CLIPPY, /missing documentation/);
  agent.step(
    `Clippy refuses ${lint.output.match(/missing documentation for a[n]? \w+/g)?.length ?? 0} undocumented items (exit code ${lint.exit}). They are public, so they get a sentence each; I check what else the linter is told.`,
    ["read_file", { path: "clippy.toml" }],
    edit(bareVariants(), documentedVariants()),
  );
  agent.run(null, CLIPPY);
  agent.run(null, TEST);
  agent.step(
    "Clean. I read the finished file once from top to bottom, beside the difference.",
    ["read_file", { path: errorFile }],
    ["run_command", { command: "git diff" }],
    ["run_command", { command: "git status --short" }],
  );
  const all = agent.run("Last, the whole suite against the baseline.", "cargo test --lib");
  return { codes, passed: all.output.match(/(\d+) passed/)[1] };
}

/** Adds `Remedy` to the crate's exports beside `ErrorCode`, if the crate exports that. */
function exportRemedy(agent, repo) {
  const [lib] = agent.step("Callers import the error types from the crate's root; `Remedy` belongs beside them.", [
    "read_file",
    { path: "src/lib.rs" },
  ]);
  const line = lib.output.match(/^pub use (?:crate::)?error::\{[^}]*\bErrorCode\b[^}]*\};$/m)?.[0];
  if (!line) return;
  agent.step(null, ["edit_file", { path: "src/lib.rs", old_string: line, new_string: line.replace("ErrorCode", "ErrorCode, Remedy") }]);
  agent.run(null, TEST);
}

const VARIANTS = [
  ["FixInput", "Change what was handed in: the same call fails again."],
  ["Retry", "Try again: what failed lies outside, or has passed."],
  ["MakeRoom", "Make room: a larger window, a shorter header, fewer pins."],
  ["StartAnew", "Start anew: the object or the module cannot be used as it is."],
];
const bareVariants = () => VARIANTS.map(([name]) => `    ${name},\n`).join("");
const documentedVariants = () => VARIANTS.map(([name, doc]) => `    /// ${doc}\n    ${name},\n`).join("");

function remedyEnum() {
  return `/// What a caller can do about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Remedy {
${bareVariants()}}
`;
}

/** The match arm for the `codes` with this remedy, on one line, as in code that was written in a hurry. */
const armOf = (codes, of, remedy) => arm(codes.filter((code) => of(code) === remedy), remedy);
const arm = (codes, remedy) => `            ${codes.map((code) => `Self::${code}`).join(" | ")} => Remedy::${remedy},\n`;

function remedyImpl(codes, of) {
  const arms = VARIANTS.map(([name]) => armOf(codes, of, name)).join("");
  return `impl ErrorCode {
    /// What a caller can do about it.
    pub const fn remedy(self) -> Remedy {
        match self {
${arms}        }
    }
}
`;
}

function errorMethods(retried) {
  return `
    /// What a caller can do about it.
    pub fn remedy(&self) -> Option<Remedy> {
        self.code().remedy()
    }

    /// Whether the same call may succeed later.
    pub fn is_retryable(&self) -> bool {
        matches!(self.code(), ${retried.map((code) => `ErrorCode::${code}`).join(" | ")})
    }
`;
}

function remedyTests() {
  return `    #[test]
    fn every_remedy_has_a_code() {
        for remedy in [Remedy::FixInput, Remedy::Retry, Remedy::MakeRoom, Remedy::StartAnew] {
            assert!(ErrorCode::ALL.iter().any(|code| code.remedy() == remedy), "{remedy:?}");
        }
    }

    #[test]
    fn a_lost_race_is_worth_a_retry() {
        assert_eq!(ErrorCode::StoreConflict.remedy(), Remedy::Retry);
    }
`;
}

function find(text, pattern) {
  const found = text.match(pattern)?.[0];
  if (!found) throw new StoryError(`the error file has nothing like ${pattern}`);
  return found;
}

export const lineOf = (text, part) => text.slice(0, text.indexOf(part)).split("\n").length;
const list = (names) => names.map((name) => `\`${name}\``).join(" and ");
const firstError = (run) => `\`${run.output.match(/^error.*$/m)[0]}\``;
const detail = (run) => [...run.output.matchAll(/^ +(left|right): (.*)$/gm)].map(([, side, value]) => `${side} \`${value}\``).join(", ");

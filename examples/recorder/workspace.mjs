// The scripted agent's workspace: a clone of the repository in a temporary folder, so that its edits are real and the
// checkout stays unchanged. Builds share a target folder there, which is kept from one recording to the next.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const COMMAND_LIMIT_MS = 240_000;

/** Builds done before the recording starts, so that no recorded run downloads or compiles a dependency. */
const WARM_UP = [
  "cargo fetch --locked",
  "cargo test --lib --no-run",
  "cargo clippy --lib",
  "cargo clippy --lib --profile test",
];

export function openWorkspace(source) {
  const base = join(realpathSync(tmpdir()), "contextfold-record");
  const repo = join(base, "repo");
  const target = join(base, "target");
  mkdirSync(base, { recursive: true });
  rmSync(repo, { recursive: true, force: true });
  execFileSync("git", ["clone", "--quiet", "--no-hardlinks", source, repo]);

  const env = {
    ...process.env,
    CARGO_TARGET_DIR: target,
    CARGO_TERM_COLOR: "never",
    CARGO_TERM_PROGRESS_WHEN: "never",
    CARGO_PROFILE_DEV_DEBUG: "0",
    CARGO_PROFILE_TEST_DEBUG: "0",
    GIT_PAGER: "cat",
    INSTA_UPDATE: "no",
    LC_ALL: "C.UTF-8",
    NO_COLOR: "1",
    PROPTEST_CASES: "16",
    RUST_BACKTRACE: "0",
    TERM: "dumb",
  };
  // Settings of the recording machine must not affect what the tests print.
  delete env.CONTEXTFOLD_DATA;
  delete env.RUSTFLAGS;
  const workspace = { repo, target, env };

  for (const command of WARM_UP) {
    const run = runShell(workspace, command);
    if (run.exit !== 0) throw new Error(`warm-up \`${command}\` failed:\n${run.output}`);
  }
  env.CARGO_NET_OFFLINE = "true";
  return workspace;
}

/** Runs a command line in the clone. Standard output and errors are merged, as in a terminal. */
export function runShell({ repo, env }, command) {
  const run = spawnSync("sh", ["-c", `exec 2>&1\n${command}`], {
    cwd: repo,
    env,
    encoding: "utf8",
    maxBuffer: 64 << 20,
    timeout: COMMAND_LIMIT_MS,
  });
  if (run.error) throw new Error(`\`${command}\`: ${run.error.message}`);
  return { exit: run.status, output: run.stdout };
}

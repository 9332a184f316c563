//! Lines with which tools say how they ended.
//!
//! Each line is written by its tool in that case only. In a pattern, `#` stands for a number above 0, and `*` for anything.

use super::line::LONGEST_LINE;
use super::status::Status;

/// A tool that failed says so within this many lines of the end. After that come only hints and logs.
const NEAR: usize = 8;

/// A success counts only if none of this many last lines says that something failed.
const BEFORE: usize = 30;

const FAILED: &[&str] = &[
    // compilers and builds
    "make: *** *",
    "make[#]: *** *",
    "gmake: *** *",
    "gmake[#]: *** *",
    "ninja: build stopped: *",
    "error: could not compile *",
    "error: aborting due to *",
    "error: build failed",
    "error: test failed, to rerun *",
    "error: process didn't exit successfully: *",
    "For more information about this error, try `rustc --explain *",
    "Some errors have detailed explanations: *",
    "collect2: error: ld returned *",
    "compilation terminated.",
    "clang: error: *",
    "# error",
    "# errors",
    "# error generated.",
    "# errors generated.",
    "# warning and # error generated.",
    "# warning and # errors generated.",
    "# warnings and # error generated.",
    "# warnings and # errors generated.",
    "Found # error in *",
    "Found # errors in *",
    "Found # error.",
    "Found # errors.",
    "[*] BUILD FAILURE",
    "BUILD FAILED",
    "BUILD FAILED *",
    "Build FAILED.",
    "FAILURE: Build failed with an exception.",
    "ERROR: Build did NOT complete successfully",
    "error during build:",
    "webpack * compiled with # error*",
    "CMake Error *",
    "-- Configuring incomplete, errors occurred!",
    // test runners
    "FAIL",
    "FAILED (*",
    "test result: FAILED.*",
    "FAIL Required test coverage of *",
    "Jest: * coverage threshold for *",
    "ERROR: Coverage for * does not meet *",
    "*# tests failed out of #",
    "Failed!  - Failed: *",
    // linters and formatters
    "✖ # problem (# error*",
    "✖ # problems (# error*",
    "*[warn] Code style issues found in *",
    "# file would be reformatted*",
    "# files would be reformatted*",
    // package managers
    "npm error *",
    "npm ERR! *",
    "ELIFECYCLE *",
    "ERR_PNPM_*",
    "error Command failed with exit code *",
    "ERROR: No matching distribution found for *",
    "ERROR: Could not *",
    "E: Unable to *",
    "E: Could not *",
    "E: Sub-process * returned an error code *",
    "E: Failed to fetch *",
    // version control
    "fatal: *",
    "error: failed to push some refs to *",
    "error: pathspec *",
    "error: patch failed: *",
    "Automatic merge failed; fix conflicts *",
    "error: could not apply *",
    "! [rejected] *",
    // containers, clusters, infrastructure
    "Error response from daemon: *",
    "docker: Error response from daemon: *",
    "ERROR: failed to solve: *",
    "ERROR: failed to build: *",
    "Cannot connect to the Docker daemon at *",
    "Error from server (*",
    "error: the server doesn't have a resource type *",
    "The connection to the server * was refused*",
    "│ Error: *",
    "Error: INSTALLATION FAILED: *",
    "Error: UPGRADE FAILED: *",
    "*: ok=* failed=# *",
    // databases and the network
    "psql: error: *",
    "ERROR:  *",
    "psql:*: ERROR:  *",
    "ERROR # (*",
    "Could not connect to Redis at *",
    "curl: (#) *",
    "wget: *",
    "ssh: connect to host *",
    "*: Permission denied (publickey*",
    "rsync error: *",
    "scp: *",
    "Host key verification failed.",
    "Test Suites: # failed*",
    "Test Files  # failed*",
    "Errors  # error*",
    "*# error occurred outside of examples",
    "*# errors occurred outside of examples",
    "# file failed to reformat.",
    "# files failed to reformat.",
    "[ERROR] -> [Help *",
    "[ERROR] [Help *",
    "* ERROR #: *",
    "Error: Could not find or load main class *",
    "sed: -e expression *",
    "sed: can't read *",
    "dpkg: error: *",
    "error: timed out waiting *",
    "error: the path * does not exist",
    "error An unexpected error occurred: *",
    "error: the crate *",
    "upload failed: *",
];

/// Like `FAILED`, but only as the last line: what a shell says about a command.
const FAILED_LAST: &[&str] = &[
    "*: line #: *: command not found", "bash: *: command not found", "zsh: command not found: *",
    "sh: #: *: not found", "/bin/sh: #: *: not found", "*Segmentation fault*", "Aborted (core dumped)",
    "Killed",
];

const OK: &[&str] = &[
    "Finished `*` profile * target(s) in *",
    "Finished dev *target(s) in *",
    "Finished release *target(s) in *",
    "[*] BUILD SUCCESS",
    "BUILD SUCCESSFUL",
    "BUILD SUCCESSFUL in *",
    "Build succeeded.",
    "Build complete!*",
    "✓ built in *",
    "webpack * compiled successfully in *",
    "ok  \t*s",
    "ok  \t*(cached)",
    "OK",
    "100% tests passed, 0 tests failed out of *",
    "Success: no issues found in # source file*",
    "All checks passed!",
    "All matched files use Prettier code style!",
    "# file left unchanged.",
    "# files left unchanged.",
    "Successfully installed *",
    "added # package*",
    "removed # package*",
    "changed # package*",
    "up to date in *",
    "up to date, audited *",
    "found 0 vulnerabilities",
    "Already up to date.",
    "Everything up-to-date",
    "Switched to branch *",
    "Switched to a new branch *",
    "Successfully rebased and updated *",
    "HEAD is now at *",
    "*..*  * -> *",
    "* [new branch] * -> *",
    "Successfully built *",
    "Successfully tagged *",
    "# file changed, *",
    "# files changed, *",
    "*/* created",
    "*/* configured",
    "*/* unchanged",
    "Apply complete! *",
    "Success! The configuration is valid.",
    "INSERT 0 #",
    "UPDATE #",
    "DELETE #",
    "CREATE TABLE",
    "CREATE INDEX",
    "ALTER TABLE",
    "DROP TABLE",
    "COMMIT",
    "(# row)",
    "(# rows)",
    "(0 rows)",
    "*: ok=*unreachable=0*failed=0 *",
    "Found 0 errors. *",
    "total size is *  speedup is *",
    "Query OK, *",
    "STATUS: deployed",
    "OK (skipped=*",
    "# file reformatted.",
    "# files reformatted.",
    "# file would be left unchanged.",
    "# files would be left unchanged.",
    "Requirement already satisfied: *",
    "No broken requirements found.",
    "* saved [*]",
    "deployment \"*\" successfully rolled out",
    "# warning generated.",
    "# warnings generated.",
    "Installed package `*",
];

/// Lines that a tool may write after such a line.
const TRAILERS: &[&str] = &[
    "[notice] *", "[INFO] *", "run `npm fund` *", "# packages are looking for funding",
    "# package is looking for funding", "To address *", "npm audit fix*", "found 0 vulnerabilities",
    "npm notice *", "create mode *", "delete mode *", "rename *", "# actionable task*",
    "branch '*' set up to track *", "[*] Finished at: *", "[*] Total time: *", "npm notice",
    "# vulnerabilities (*", "# vulnerability (*", "Run `npm audit`*", "Total Test time (real) = *",
    "REVISION: *", "TEST SUITE: *",
];

/// How a tool ended, according to its last lines; `None` if none of them is known. `is_notice`: whether a line is from the harness and not
/// from the tool.
pub(super) fn closing(lines: &[&str], is_notice: impl Fn(&str) -> bool) -> Option<Status> {
    let end = lines.iter().rposition(|line| !is_notice(line)).map_or(0, |last| last + 1);
    let lines = &lines[..end];
    let near = &lines[lines.len().saturating_sub(BEFORE)..];
    let failed = near.iter().rposition(|line| is_any(FAILED, line) || ends_uncaught(line, near));
    let mut ends =
        near.iter().enumerate().rev().skip_while(|(_, line)| is_any(TRAILERS, line) && !is_any(OK, line));
    let is_ok = ends.next().is_some_and(|(_, line)| is_any(OK, line));
    match failed {
        None if is_ok => Some(Status::Ok),
        // What failed before the success may have been another command.
        Some(_) if is_ok => None,
        Some(at) if at + NEAR >= near.len() => Some(Status::Failed),
        _ => None,
    }
}

/// Whether this is the last line of a program that ended with an uncaught exception: Node prints its version, Java names its thread. Python
/// is left out, because it prints the same for exceptions that a program caught and logged.
fn ends_uncaught(line: &str, near: &[&str]) -> bool {
    if near.last().is_none_or(|last| *last != line) {
        return false;
    }
    let is_traced = |mark: &str| near.iter().any(|line| line.starts_with(mark));
    is_any(FAILED_LAST, line)
        || (line.starts_with("Node.js v") && is_traced("at "))
        || (line.starts_with("at ") && is_traced("Exception in thread \"main\""))
        || (line.starts_with("... ") && is_traced("Exception in thread \"main\""))
}

fn is_any(patterns: &[&str], line: &str) -> bool {
    line.len() <= LONGEST_LINE && patterns.iter().any(|pattern| is_like(line, pattern))
}

fn is_like(line: &str, pattern: &str) -> bool {
    let end = pattern.find(['*', '#']).unwrap_or(pattern.len());
    let Some(line) = line.strip_prefix(&pattern[..end]) else { return false };
    let pattern = &pattern[end..];
    if let Some(rest) = pattern.strip_prefix('#') {
        let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let is_some = line[..digits].bytes().any(|digit| digit != b'0');
        return is_some && is_like(&line[digits..], rest);
    }
    let Some(rest) = pattern.strip_prefix('*') else { return line.is_empty() };
    match rest.find(['*', '#']).unwrap_or(rest.len()) {
        _ if rest.is_empty() => true,
        0 => line.char_indices().any(|(at, _)| is_like(&line[at..], rest)),
        end if end == rest.len() => line.ends_with(rest),
        end => line.match_indices(&rest[..end]).any(|(at, _)| is_like(&line[at + end..], &rest[end..])),
    }
}

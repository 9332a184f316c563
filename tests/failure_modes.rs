//! How compaction goes wrong in practice (F1 … F33). Each failure mode is a test that a naive implementation fails: the test contains
//! the naive version and shows that it fails.
//!
//! Failures that need JavaScript are tested in `tests/ts/failure-modes.test.mjs`.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "failure_modes/facts.rs"]
mod facts;
#[path = "failure_modes/providers.rs"]
mod providers;
#[path = "failure_modes/summaries.rs"]
mod summaries;
#[path = "failure_modes/support.rs"]
mod support;
#[path = "failure_modes/tokens.rs"]
mod tokens;
#[path = "failure_modes/views.rs"]
mod views;

const RUST: [&str; 5] = [
    include_str!("failure_modes/facts.rs"),
    include_str!("failure_modes/providers.rs"),
    include_str!("failure_modes/summaries.rs"),
    include_str!("failure_modes/tokens.rs"),
    include_str!("failure_modes/views.rs"),
];
const JAVASCRIPT: &str = include_str!("ts/failure-modes.test.mjs");

/// The names of a failure mode's tests.
fn tests_of(number: u32) -> Vec<String> {
    let rust = RUST.iter().flat_map(|file| file.split("#[test]\nfn ").skip(1));
    let rust = rust.filter_map(|rest| rest.split('(').next()).map(str::to_owned);
    let javascript = JAVASCRIPT.split("\ntest(\"").skip(1).filter_map(|rest| rest.split('"').next());
    let (in_rust, in_javascript) = (format!("f{number:02}_"), format!("F{number:02} "));
    rust.filter(|name| name.starts_with(&in_rust))
        .chain(javascript.filter(|name| name.starts_with(&in_javascript)).map(str::to_owned))
        .collect()
}

/// Prints the table: `cargo test --test failure_modes every -- --nocapture`.
#[test]
fn every_failure_mode_has_its_test() {
    for number in 1..=33 {
        let tests = tests_of(number);
        assert!(!tests.is_empty(), "F{number} has no test");
        println!("F{number} | {}", tests.join(", "));
    }
}

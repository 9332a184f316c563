//! INV-1 … INV-12 as properties of random scripts: whatever a caller does, in any order, each holds after every step.
//!
//! `CONTEXTFOLD_CASES` sets how many scripts each property runs.
#![recursion_limit = "512"]
// Tests fail by panicking.
#![allow(
    clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods,
    clippy::disallowed_types
)]
// A generated message has many boolean properties.
#![allow(clippy::struct_excessive_bools)]

#[path = "invariants/account.rs"]
mod account;
#[path = "invariants/crafted.rs"]
mod crafted;
#[path = "invariants/failure.rs"]
mod failure;
#[path = "invariants/fit.rs"]
mod fit;
#[path = "invariants/fuzz.rs"]
mod fuzz;
#[path = "invariants/generate.rs"]
mod generate;
#[path = "invariants/journal.rs"]
mod journal;
#[path = "invariants/options.rs"]
mod options;
#[path = "invariants/oracle.rs"]
mod oracle;
#[path = "invariants/repeat.rs"]
mod repeat;
#[path = "invariants/restore.rs"]
mod restore;
#[path = "invariants/shape.rs"]
mod shape;
#[path = "invariants/undo.rs"]
mod undo;
#[path = "invariants/verbatim.rs"]
mod verbatim;
#[path = "invariants/world.rs"]
mod world;

use proptest::test_runner::Config;

/// How many scripts a property runs by default.
const CASES: u32 = 96;

fn config() -> Config {
    let cases = std::env::var("CONTEXTFOLD_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(CASES);
    Config { cases, failure_persistence: None, max_shrink_iters: 20_000, ..Config::default() }
}

/// Checks a property after every operation of every script.
fn always(check: impl Fn(&mut world::World, &world::Happened)) {
    let property = |script: generate::Script| {
        world::run(&script, &check);
        Ok(())
    };
    if let Err(failed) = proptest::test_runner::TestRunner::new(config()).run(&generate::script(), property) {
        panic!("{failed}");
    }
}

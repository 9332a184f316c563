//! Races and faults: every operation at every await, in every order, with every kind of answer; and a fault at every step.
//!
//! `CONTEXTFOLD_DEPTH` sets how many operations in total happen at the awaits of a path (by default 1, and 2 at the first await).
#![cfg(not(target_arch = "wasm32"))]
#![recursion_limit = "512"]
// Tests fail by panicking.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

#[path = "interleavings/explorer.rs"]
mod explorer;
#[path = "interleavings/faults.rs"]
mod faults;
#[path = "interleavings/fingerprint.rs"]
mod fingerprint;
#[path = "interleavings/paths.rs"]
mod paths;
#[path = "interleavings/world.rs"]
mod world;

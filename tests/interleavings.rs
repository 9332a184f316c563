//! Races and faults: every operation at every await, in every order, with every kind of answer; and a fault at every step.
//!
//! `CONTEXTFOLD_DEPTH` sets how many operations fall into a path's awaits together (1, and 2 at the first await, where it says nothing).
#![cfg(not(target_arch = "wasm32"))]
#![recursion_limit = "512"]
// Tests stop at the first surprise.
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

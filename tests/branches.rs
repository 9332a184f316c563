//! Undone folds, rewinds, branches and their results, and the history as a graph.
#![cfg(not(target_arch = "wasm32"))]
#![recursion_limit = "512"]
// Tests read files and fail by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)]

#[path = "provider/data.rs"]
mod data;
#[path = "invariants/oracle.rs"]
mod oracle;

#[path = "branches/graph.rs"]
mod graph;
#[path = "branches/merge.rs"]
mod merge;
#[path = "branches/recorded.rs"]
mod recorded;
#[path = "branches/support.rs"]
mod support;
#[path = "branches/undo.rs"]
mod undo;

//! The reference documents as ladder settings: every number and every example, in a file named after its document.
#![cfg(not(target_arch = "wasm32"))]
#![recursion_limit = "512"]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::needless_pass_by_value,
    reason = "a test reads files, and fails by panicking"
)]

#[path = "documents/bad_input.rs"]
mod bad_input;
#[path = "provider/data.rs"]
mod data;
#[path = "documents/fill.rs"]
mod fill;
#[path = "documents/ladder.rs"]
mod ladder;
#[path = "documents/ladder_recorded.rs"]
mod ladder_recorded;
#[path = "documents/long.rs"]
mod long;
#[path = "documents/paid.rs"]
mod paid;
#[path = "documents/presets.rs"]
mod presets;
#[path = "documents/recent_window.rs"]
mod recent_window;
#[path = "documents/record.rs"]
mod record;
#[path = "documents/rolling.rs"]
mod rolling;
#[path = "documents/selective.rs"]
mod selective;
#[path = "documents/specification.rs"]
mod specification;
#[path = "documents/steps.rs"]
mod steps;
#[path = "documents/support.rs"]
mod support;

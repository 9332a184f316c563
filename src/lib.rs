//! contextfold keeps an LLM agent's conversation inside its context window.
#![cfg_attr(test, allow(clippy::disallowed_types, reason = "tests are not in the module"))]
#![cfg_attr(
    not(target_arch = "wasm32"),
    allow(dead_code, unused_imports, reason = "only `wasm` uses some of it")
)]

mod compaction;
mod config;
mod context;
#[cfg(test)]
mod corpus;
mod error;
mod even_cut;
mod facts;
pub mod graph;
mod growing;
mod hashing;
pub mod lab;
pub mod message;
mod model;
mod names;
mod nearest;
mod passes;
mod pattern;
pub mod provider;
mod saved;
mod scanning;
mod script;
pub mod session;
mod sorted;
mod sorting;
pub mod tokens;
pub mod tool_output;
#[cfg(target_arch = "wasm32")]
pub mod wasm;

pub use error::{Error, ErrorCode, Result};

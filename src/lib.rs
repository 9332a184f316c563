//! contextfold keeps an LLM agent's conversation inside its context window.
#![cfg_attr(test, allow(clippy::disallowed_types, reason = "tests are not in the module"))]

pub mod compaction;
pub mod config;
pub mod context;
#[cfg(test)]
mod corpus;
pub mod error;
mod even_cut;
pub mod facts;
pub mod graph;
mod growing;
mod hashing;
pub mod lab;
pub mod message;
pub mod model;
mod names;
mod nearest;
pub mod passes;
mod pattern;
pub mod provider;
pub mod saved;
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

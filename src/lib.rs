//! contextfold keeps an LLM agent's conversation inside its context window.

pub mod config;
pub mod error;
pub mod message;
mod nearest;

pub use error::{Error, ErrorCode, Result};

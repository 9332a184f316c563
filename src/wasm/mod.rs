//! The JavaScript API: the only place that uses `wasm_bindgen` or `js_sys`. It only converts and delegates.
//!
//! The `.d.ts` is generated: by tsify for plain data, from `types.d.ts` for functions and unions. `tests/reference` has a copy that
//! a test compares, so that changes of the public API show up in a diff. Nothing here waits: `pkg/host` does (see [`host`]). Listeners
//! run after all borrows have ended.

#![allow(
    clippy::needless_pass_by_value,
    reason = "optional arguments with a type of their own come by value"
)]
#![allow(clippy::doc_markdown, reason = "these docs are TypeScript's: `{ContextError}` is a TSDoc link")]

mod arguments;
mod away;
mod batch;
mod branches;
mod call_cost;
mod calls_of;
mod context_parts;
mod counter;
mod custom;
mod engine;
mod entries;
mod error;
mod events;
mod extended;
mod freed;
mod freeze;
mod functions;
mod graph;
mod handles;
mod host;
mod inner;
mod journal;
mod lab;
mod line;
mod list;
mod maker;
mod marks;
mod openai;
mod option_changes;
mod options;
mod originals;
mod outcome;
mod packed;
mod plan;
mod prepared;
mod providers;
mod run;
mod saving;
mod session;
mod session_handle;
mod side;
mod signal;
mod sliced;
mod snapshot;
mod store;
mod summarize;
mod summarizer;
mod summary_body;
mod sync;
mod text_pieces;
mod thrown;
mod tokens;
mod tool_outputs;
mod usage;
mod value;
mod view;

pub use error::{context_error, set_error_class};
pub use functions::{
    compact_messages, compress_json, context_limit, count_tokens, detect_format, preset_passes,
    should_compact, token_usage, tool_definitions, truncate_head_tail,
};
pub use graph::ContextGraph;
pub use host::{Host, set_host};
pub use journal::stored_outputs;
pub use lab::{Recording, built_in_prices, simulate};
pub use maker::{Maker, set_maker};
pub use openai::OpenAIHistoryAdapter;
pub use packed::{Packer, set_packer};
pub use providers::{check, convert, repair};
pub use session::Session;
pub use summarizer::extractive_summarize;
pub use tokens::{
    encoding_count, encoding_count_up_to, encoding_decode, encoding_encode, encoding_load, encoding_loaded,
    encoding_name_for_model, encoding_room,
};
pub use tool_outputs::ToolOutputCache;

use wasm_bindgen::prelude::wasm_bindgen;

/// Types that cannot be generated from Rust types: functions, and unions with a discriminant of their own.
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("types.d.ts");

/// The version of this package, such as `0.1.0`.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

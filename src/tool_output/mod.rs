//! Tool outputs: stored whole by ref, shown cut, read and searched by line, trimmed to a budget.

mod config;
mod cut;
mod grep;
mod line;
mod read;
mod store;
mod tools;
mod view;

pub use config::{MIN_MESSAGE_BYTES, ToolOutputCacheConfig};
pub use cut::{prefix_bytes, prefix_chars, suffix_bytes, suffix_chars};
pub use grep::{GrepArgs, grep};
pub use read::{ReadArgs, read};
pub use store::{Output, ToolOutputs};
pub use tools::{CACHE_TOOL, GREP_TOOL, SEARCH_TOOL, ToolDefinition, definitions, is_cache_tool};
pub use view::{placeholder, view};

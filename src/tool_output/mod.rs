//! Tool outputs: stored completely under a ref, shown in part, read and searched by line, trimmed to a budget.

mod config;
mod cut;
mod grep;
mod head_tail;
mod json;
mod line;
mod long_text;
mod output;
mod piece;
mod read;
mod rules;
mod store;
mod tools;
mod view;
mod words;

pub use config::{MIN_MESSAGE_BYTES, ToolOutputCacheConfig};
pub use cut::{prefix_bytes, prefix_chars, suffix_bytes, suffix_chars};
pub use grep::{Grep, GrepArgs, grep};
pub use head_tail::{HeadTail, truncate_head_tail};
pub use json::{JSON_MAX_TOKENS, Json, Outline, compress_json, is_error, is_json_object, outline};
pub use long_text::{Line, LongText};
pub use output::Output;
pub use read::{ReadArgs, read};
pub use rules::{ToolRule, ToolRules};
pub use store::{Mark, ToolOutputs};
pub use tools::{
    CACHE_TOOL, GREP_TOOL, SEARCH_TOOL, ToolDefinition, definitions, is_cache_tool, is_own_tool,
};
pub use view::{PLACEHOLDER, is_placeholder, placeholder, view, view_of_own_tool_output};
pub use words::{first_words, last_words, splits_word};

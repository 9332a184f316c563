//! Counts tokens: by estimates that need no data, by exact encodings, and from the usage that a provider reports.

mod calibration;
mod counter;
mod encoding;
mod estimate;
mod family;
mod image;
mod models;
mod overhead;
mod raw;
mod reported;
mod rules;
mod template;
mod text_kind;
mod text_rule;
mod usage;

pub use calibration::{Calibration, MAX_RATIO};
pub use counter::{Counter, Method, TokenCounter, WithRules, by_rules_of};
pub use encoding::Encoding;
pub use estimate::{BytesPerFour, Estimate};
pub use family::Family;
pub use image::{ImageRule, image_size};
pub use models::{asset_of, encoding_for_model};
pub use overhead::{count_message, count_part, count_tools, count_tools_by};
pub use reported::ReportedUsage;
pub use rules::{Rules, ToolRule};
pub use template::{CALL_OVERHEAD, Frames, MESSAGE_OVERHEAD, Template};
pub use text_kind::TextKind;
pub use text_rule::TextRule;
pub use usage::TokenUsage;

//! Compaction: folding the older part of a conversation into a summary.

mod config;
pub mod extractive;
pub mod facts;
mod layout;
mod plan;
mod profiles;
pub mod prompts;
mod request;
pub mod tags;
mod transcript;
mod verdict;

pub use config::{CompactionConfig, OnFailure, Style};
pub use layout::{Layout, engine_message};
pub use plan::{FoldPlan, Keep, plan};
pub use profiles::Profile;
pub use request::{Ask, Reason, Size, SummaryRequest, request};
pub use verdict::{Accepted, Answer, judge};

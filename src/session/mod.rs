//! The facade: what a `Session` of the npm package does, without JavaScript.
//!
//! `state` has the struct, above the plain data that it holds; the other files have its operations, each about one topic.
//!
//! Nothing here waits. [`Session::prepare`] and [`Session::compact`] return [`Fit::Done`], or [`Fit::NeedsSummary`] with a
//! request and a pending run. The host asks its model in between and passes the answer to [`Session::resume`].

mod accepting;
mod accuracy;
mod aim;
mod answering;
mod asking;
mod background;
mod branches;
mod by_hand;
mod cache;
mod config;
mod cost;
mod erase;
mod facade;
mod fork;
mod graph;
mod idle;
mod in_background;
mod journal;
mod ladder;
mod media;
mod notices;
mod options;
mod parts;
mod plan_refresh;
mod preview;
mod prompt;
mod record;
mod recover;
mod refusals;
mod rewrite;
mod run;
mod saved_summary;
mod saving;
mod search;
mod sent;
mod snapshot;
mod state;
mod summarizer;
mod thinking;
mod unfolding;

pub use crate::compaction::prompts::Instructions;
pub use crate::compaction::{
    Answer, CompactionConfig, OnFailure, Profile, Reason, Redact, Style, SummaryRequest, extractive,
};
pub use crate::context::{
    Context, CostDecision, Decision, EventName, Fold, FoldInfo, FoldMessages, Form, Item, LeftOut,
    LeftOutNow, MediaSums, NodeIndex, NodeKind, PlacedSlot, Report, Slot, SummaryState, Unit,
};
pub use crate::passes::{ExplicitOptions, Ladder};
pub use crate::saved::Records;
pub use branches::MergeAs;
pub use config::SessionConfig;
pub use erase::Erased;
pub use journal::SESSION;
pub use preview::{Plan, PlanOptions};
pub use prompt::{ContextChange, tool_name};
pub use record::MAX_POSITION_GAP;
pub use run::{Fit, Pending};
pub use saved_summary::SavedSummary;
pub use search::{Hit, Search, SearchInProgress};
pub use snapshot::Restored;
pub use state::Session;
pub use unfolding::Undone;

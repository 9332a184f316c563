//! The facade: what a `Session` of the npm package does, without JavaScript.
//!
//! Nothing here waits. [`Session::prepare`] and [`Session::compact`] return [`Fit::Done`], or [`Fit::NeedsSummary`] with a
//! request and a pending run. The host asks its model in between and passes the answer to [`Session::resume`].

mod accepting;
mod accuracy;
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
mod graph;
mod idle;
mod journal;
mod ladder;
mod media;
mod notices;
mod options;
mod plan_refresh;
mod preview;
mod prompt;
mod recover;
mod rewrite;
mod run;
mod saved_summary;
mod search;
mod sent;
mod snapshot;
mod thinking;
mod unfolding;

pub use branches::MergeAs;
pub use config::SessionConfig;
pub use facade::Session;
pub use journal::MAX_POSITION_GAP;
pub use preview::{Plan, PlanOptions};
pub use prompt::{ContextChange, tool_name};
pub use run::{Fit, Pending};
pub use saved_summary::SavedSummary;
pub use search::{Hit, Search, SearchInProgress};
pub use snapshot::{Restored, SESSION};
pub use unfolding::Undone;

//! Ways to make a view smaller. A [`Ladder`] is an ordered list of them; every preset is one.

mod auto_compact;
mod compress_json;
mod dedupe_reads;
mod drop_memory_results;
mod drop_old_tool_results;
mod ephemeral;
mod even_cut;
mod ladder;
mod pass;
mod prune_tool_outputs;
mod recent_window;
mod rolling_summary;
mod selective;
mod shorten;
mod shrink_turns;
mod summarize;
mod trim_tool_outputs;
mod truncate_head_tail;

pub use auto_compact::AutoCompact;
pub use compress_json::CompressJson;
pub use dedupe_reads::DedupeReads;
pub use drop_memory_results::DropMemoryResults;
pub use drop_old_tool_results::DropOldToolResults;
pub use ephemeral::Ephemeral;
pub use even_cut::EvenCut;
pub use ladder::{Given, Ladder};
pub use pass::{Aim, Outcome, Pass, Step};
pub use prune_tool_outputs::PruneToolOutputs;
pub use recent_window::RecentWindow;
pub use rolling_summary::RollingSummary;
pub use selective::{Rule, Selective, Strategy};
pub use shorten::Shorten;
pub use shrink_turns::ShrinkTurns;
pub use summarize::Summarize;
pub use trim_tool_outputs::TrimToolOutputs;
pub use truncate_head_tail::TruncateHeadTail;

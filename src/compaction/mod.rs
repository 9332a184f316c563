//! Compaction: folding the older part of a conversation into a summary.

mod accepted;
mod adjust;
mod chunks;
mod config;
pub mod extractive;
mod finish;
mod frame;
mod inert;
mod language;
mod layout;
pub mod ledger;
mod no_summary;
mod plan;
mod profiles;
pub mod prompts;
mod quoted;
mod redact;
mod refusal;
mod request;
mod request_options;
mod scope;
mod service_error;
mod shown;
pub mod tags;
mod transcript;
mod verdict;

pub use accepted::Accepted;
pub use adjust::{adjust, check_kept};
pub use chunks::Chunks;
pub use config::{CompactionConfig, OnFailure, RequestKind, Style, SummaryRole};
pub use frame::{Frame, Recorded};
pub use language::Script;
pub use layout::{Layout, engine_message};
pub use plan::{FoldPlan, Keep, LEAST_SUMMARY, plan};
pub use profiles::Profile;
pub use redact::Redact;
pub use request::{SummaryRequest, ViewEnd, chunks, least_tokens, request, room_of_piece};
pub use request_options::{Reason, RequestOptions};
pub use scope::RequestScope;
#[cfg(test)]
pub(crate) use transcript::line as transcript_line;
pub use transcript::messages as transcript_messages;
pub use verdict::{Answer, LedgerTerms, can_fit, judge, text_of};

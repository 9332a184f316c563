//! What the conversation's summary covers.

use serde::Serialize;

use super::core::Context;
use super::node::NodeKind;

/// What the conversation's summary covers, for code that saves it itself.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct SummaryState {
    /// The summary's text; empty while the first one is being written.
    pub summary: String,
    /// How many messages of `session.messages` it reaches over: from the first one through the newest one that it covers.
    pub summarized_until: u64,
    /// Tokens of the summary.
    pub summary_tokens: u64,
    /// When it was written, by the option `now`; `null` without that option.
    pub created_at: Option<f64>,
    /// How many messages it covers, including those of earlier summaries.
    pub message_count: u64,
    /// Tokens of these messages when they were pushed.
    pub original_tokens: u64,
    /// `1 - summary_tokens / original_tokens`.
    pub compression_rate: f64,
    /// Whether a summary is being written right now. Never saved, so a process that dies meanwhile leaves no lock behind.
    pub is_summarizing: bool,
}

impl Context {
    /// What the newest summary covers; `None` before the first one is started.
    pub fn summary_state(&self, is_summarizing: bool) -> Option<SummaryState> {
        let Some(newest) = self.folds.last() else {
            return is_summarizing.then(|| SummaryState { is_summarizing, ..SummaryState::default() });
        };
        let covered = self.messages_behind(&[newest.summary]).unwrap_or_default();
        let summary = self.history.node(newest.summary);
        let original_tokens = covered.iter().map(|n| self.history.tally_as_pushed(*n).total()).sum();
        let last = covered.iter().max().map_or(0, |n| n.get() + 1);
        let pushed = self.history.nodes()[..last].iter().filter(|n| n.kind == NodeKind::Message).count();
        let summary_tokens = summary.tally.total();
        Some(SummaryState {
            summary: newest.text.clone(),
            summarized_until: pushed as u64,
            summary_tokens,
            created_at: newest.created_at,
            message_count: covered.len() as u64,
            original_tokens,
            compression_rate: if original_tokens == 0 {
                0.0
            } else {
                1.0 - summary_tokens as f64 / original_tokens as f64
            },
            is_summarizing,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::tokens::Estimate;
    use crate::tool_output::ToolOutputCacheConfig;

    #[test]
    fn the_first_summary_is_visible_while_it_is_written() {
        let context = Context::new(Arc::new(Estimate), ToolOutputCacheConfig::default(), None);
        assert_eq!(context.summary_state(false), None);
        let state = context.summary_state(true).unwrap();
        assert!(state.is_summarizing);
        assert_eq!((state.summary.as_str(), state.summarized_until, state.created_at), ("", 0, None));
    }
}

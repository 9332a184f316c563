use serde_json::Value;

use super::facade::Session;
use crate::compaction::{Layout, engine_message};
use crate::config::Keys;
use crate::context::{NodeIndex, NodeKind, Unit};
use crate::error::{Error, Result};
use crate::message::Role;

/// A summary of an earlier process, to be put in again: what [`SummaryState`](crate::context::SummaryState) said of it.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedSummary {
    /// Its text.
    pub summary: String,
    /// How many messages, from the first on, it covers.
    pub summarized_until: u64,
    /// When it was written.
    pub created_at: Option<f64>,
}

impl SavedSummary {
    /// Reads a saved state. What can be counted anew is not read; nor is `is_summarizing`: who wrote that is gone.
    pub fn from_value(value: &Value) -> Result<Self> {
        let mut keys = Keys::arguments("state", value)?;
        let missing =
            |key: &str, keys: &Keys<'_>| keys.error(key, "is missing; give what `summaryState` gave");
        let summary = keys.name("summary")?.ok_or_else(|| missing("summary", &keys))?;
        let until = keys.u64_in("summarized_until", 1..)?;
        let summarized_until = until.ok_or_else(|| missing("summarized_until", &keys))?;
        let created_at = keys.or_null("created_at", |k, key| k.number_in(key, ..))?.flatten();
        for known in
            ["summary_tokens", "message_count", "original_tokens", "compression_rate", "is_summarizing"]
        {
            keys.value(known);
        }
        keys.finish()?;
        Ok(Self { summary, summarized_until, created_at })
    }
}

impl Session {
    /// Folds the messages that a saved summary covers under it again, as the ladder's folds stand.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where the view has a summary already, where fewer messages were pushed than it covers, or where
    /// nothing of them can be folded. Nothing has changed then.
    pub fn restore_summary(&mut self, saved: &SavedSummary) -> Result<()> {
        if !self.context.folds.is_empty() {
            return Err(Error::argument(
                "this session has a summary already; restore one right after pushing the saved messages",
            ));
        }
        let nodes = self.context.history.nodes().iter().enumerate();
        let mut pushed = nodes.filter(|(_, n)| n.kind == NodeKind::Message).map(|(at, _)| at);
        let Some(last) = pushed.nth(saved.summarized_until as usize - 1) else {
            let (until, there) = (saved.summarized_until, self.context.history.len());
            return Err(Error::argument(format!(
                "the summary covers {until} messages and {there} were pushed; push the saved messages first"
            )));
        };
        let units = self.context.units();
        let newest_user = units.iter().rposition(Unit::opens_turn);
        let covered = |(at, unit): &(usize, &Unit)| {
            !unit.fixed && Some(*at) != newest_user && unit.nodes.iter().all(|n| n.get() <= last)
        };
        let members: Vec<NodeIndex> =
            units.iter().enumerate().filter(covered).flat_map(|(_, u)| u.nodes.iter().copied()).collect();
        if members.is_empty() {
            return Err(Error::argument(
                "nothing of what the summary covers can be folded: it is pinned, or still going on",
            ));
        }
        let layout = self.config.ladder.passes().iter().find_map(|p| p.layout()).unwrap_or_default();
        let made = layout.messages(None, engine_message(Role::User, saved.summary.trim()), Layout::ASK);
        let now = std::mem::replace(&mut self.context.now, saved.created_at);
        self.context.fold(members, made);
        self.context.now = now;
        self.revision += 1;
        Ok(())
    }
}

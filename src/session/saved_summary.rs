use serde_json::Value;

use super::state::Session;
use crate::compaction::{Layout, engine_message};
use crate::config::Keys;
use crate::context::{NodeIndex, NodeKind, Unit, begin_with_user};
use crate::error::{Error, Result};
use crate::message::Role;

/// A summary from an earlier process, as [`SummaryState`](crate::context::SummaryState) reported it, to be put in again.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedSummary {
    /// The summary's text.
    pub summary: String,
    /// How many messages it covers, counted from the first.
    pub summarized_until: u64,
    /// When it was written.
    pub created_at: Option<f64>,
}

impl SavedSummary {
    /// Reads a saved state. Ignores what can be counted again, and `is_summarizing`, because the process that was summarising is gone.
    pub fn from_value(value: &Value) -> Result<Self> {
        let mut keys = Keys::arguments("state", value)?;
        let missing =
            |key: &str, keys: &Keys<'_>| keys.error(key, "is missing; pass what `summaryState` returned");
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
    /// Folds the messages that a saved summary covers under it again, laid out like the ladder's folds.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if the view has a summary already, if fewer messages were pushed than the summary covers, or if
    /// none of them can be folded. Nothing has changed then.
    pub fn restore_summary(&mut self, saved: &SavedSummary) -> Result<()> {
        if !self.context.folds.is_empty() {
            return Err(Error::argument(
                "this session already has a summary; restore one right after pushing the saved messages",
            ));
        }
        let nodes = self.context.history.nodes().iter().enumerate();
        let mut pushed = nodes.filter(|(_, n)| n.kind == NodeKind::Message).map(|(at, _)| at);
        let Some(last) = pushed.nth(saved.summarized_until as usize - 1) else {
            let (until, there) = (saved.summarized_until, self.context.history.len());
            return Err(Error::argument(format!(
                "the summary covers {until} messages but only {there} were pushed; push the saved messages first"
            )));
        };
        let layout = self.config.ladder.passes().iter().find_map(|p| p.layout()).unwrap_or_default();
        let layout = layout.with_role(self.config.compaction.summary_role);
        let mut units = self.context.units();
        let newest_user = units.iter().rposition(Unit::opens_turn);
        for (at, unit) in units.iter_mut().enumerate() {
            if !unit.fixed && Some(at) != newest_user && unit.nodes.iter().all(|n| n.get() <= last) {
                unit.mark_removed();
            }
        }
        if layout.needs_user_behind() {
            begin_with_user(&mut units, u64::MAX); // the summary covers only a part of that message's turn
        }
        let members: Vec<NodeIndex> =
            units.iter().filter(|u| u.is_removed()).flat_map(|u| u.nodes.iter().copied()).collect();
        if members.is_empty() {
            return Err(Error::argument(
                "none of the messages that the summary covers can be folded: they are pinned or part of a running step",
            ));
        }
        let made = layout.messages(None, engine_message(Role::User, saved.summary.trim()), Layout::ASK, None);
        let now = std::mem::replace(&mut self.context.now, saved.created_at);
        self.context.fold(members, made);
        self.context.now = now;
        self.runs.revision += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::message::Message;
    use crate::session::SessionConfig;
    use crate::tokens::Estimate;

    fn session(messages: usize) -> Session {
        let config =
            SessionConfig::from_value(&json!({ "contextWindow": 100_000, "ladder": "rolling" })).unwrap();
        let mut session = Session::new(config, Arc::new(Estimate));
        let message_of = |i: usize| {
            let role = if i.is_multiple_of(2) { Role::User } else { Role::Assistant };
            Message::text(role, format!("message {i} {}", "lorem ipsum ".repeat(20)))
        };
        session.push((0..messages).map(message_of).collect()).unwrap();
        session
    }

    fn saved() -> serde_json::Value {
        json!({
            "summary": "They agreed on blue.", "summarized_until": 6, "summary_tokens": 1500, "created_at": 17.5,
            "message_count": 6, "original_tokens": 12000, "compression_rate": 0.875, "is_summarizing": true,
        })
    }

    #[test]
    fn covered_messages_are_folded_again_and_a_stale_lock_is_cleared() {
        let mut s = session(10);
        s.restore_summary(&SavedSummary::from_value(&saved()).unwrap()).unwrap();
        let view = s.context().view_messages();
        assert_eq!(view.len(), 1 + 4, "the summary and what it does not cover");
        assert_eq!(view[0].role, Role::System);
        assert!(view[0].plain_text().ends_with("They agreed on blue.\n</summary>\n\n---"));
        let state = s.context().summary_state(false).unwrap();
        assert_eq!(
            (state.summary.as_str(), state.summarized_until, state.message_count, state.created_at),
            ("They agreed on blue.", 6, 6, Some(17.5))
        );
        assert!(!state.is_summarizing);
    }

    /// A fold within a turn left the turn's user message in the view, before the steps that it did not cover.
    #[test]
    fn the_user_message_of_a_turn_that_was_covered_in_part_stays() {
        let mut s = session(10);
        let state = SavedSummary { summarized_until: 7, ..SavedSummary::from_value(&saved()).unwrap() };
        s.restore_summary(&state).unwrap();
        let view = s.context().view_messages();
        assert_eq!((view.len(), view[1].role), (1 + 4, Role::User));
        assert!(view[1].plain_text().starts_with("message 6 "));
    }

    #[test]
    fn a_state_that_does_not_match_changes_nothing() {
        let mut s = session(4);
        let refused = s.restore_summary(&SavedSummary::from_value(&saved()).unwrap()).unwrap_err();
        assert!(refused.message().contains("covers 6 messages"), "{refused}");
        assert_eq!(s.context().view.len(), 4);
        for (key, value) in [("summary", json!("")), ("summarized_until", json!(0)), ("tokens", json!(1))] {
            let mut broken = saved();
            broken[key] = value;
            let refused = SavedSummary::from_value(&broken).unwrap_err();
            assert!(refused.message().contains(key), "{refused}");
        }
        let mut s = session(10);
        let state = SavedSummary::from_value(&saved()).unwrap();
        s.restore_summary(&state).unwrap();
        assert!(s.restore_summary(&state).unwrap_err().message().contains("already has a summary"));
    }
}

//! Undoes folds, and takes the conversation back to an earlier message.

use serde::Serialize;

use super::state::Session;
use crate::context::NodeIndex;
use crate::error::Result;

/// Tokens that must be new before a fold that was undone by hand is made again, while the view fits.
const MIN_NEW_TOKENS: u64 = 64;

/// How full the view is after a fold was undone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct Undone {
    /// Tokens of the view, in the model's own tokens.
    pub tokens: u64,
    /// The limit of a view, in tokens; `null` if neither the model nor the window is known.
    pub limit: Option<u64>,
    /// A compaction is due from this many tokens on; `null` if there is no threshold.
    pub threshold: Option<u64>,
    /// Only if the view is over its threshold or its limit: when it will fold again, and how to prevent that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

impl Session {
    /// Undoes a fold: its messages come back to their places in the view as they were, and its summary leaves the view. Undoing a
    /// fold of folds brings the inner folds back. While the view fits its limit, no automatic fold begins until there is something new
    /// to fold; with `hold`, none at all until the view is edited again or a fold is asked for by hand.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if there is no such fold; `GRAPH_CONSTRAINT` if a later fold contains it: undo that one first.
    pub fn unfold(&mut self, id: &str, hold: bool) -> Result<Undone> {
        let summary = self.context.unfoldable(id)?;
        self.drop_bound_thinking(&[]);
        self.context.unfold(summary);
        self.after_edit();
        let aim = self.aim(false);
        let enough =
            if aim.target == u64::MAX { MIN_NEW_TOKENS } else { (aim.target / 10).max(MIN_NEW_TOKENS) };
        self.runs.no_fold_below = if hold { u64::MAX } else { self.tokens().saturating_add(enough) };
        Ok(self.undone(enough, hold))
    }

    /// Reports how full the view is, and when it will fold again.
    fn undone(&self, enough: u64, hold: bool) -> Undone {
        let (tokens, limit, threshold) = (self.corrected_tokens(), self.config.limit, self.threshold());
        let keeps =
            "pin the messages to keep, or use a larger context window (`setOptions({ contextWindow })`)";
        let over = |most: Option<u64>| most.filter(|most| tokens > *most);
        let notice = if self.tokens() > self.aim(false).limit {
            let limit = limit.unwrap_or_default();
            Some(format!(
                "the view now has {tokens} tokens, too many for its limit of {limit} minus the margin, so the next prepare folds again; to avoid that, {keeps}"
            ))
        } else {
            over(threshold).filter(|_| !hold).map(|threshold| {
                let new = self.corrected(enough);
                format!("the view now has {tokens} tokens, over the threshold of {threshold}: it folds again after about {new} more tokens; to keep it unfolded, use `unfold(id, {{ hold: true }})`, {keeps}")
            })
        };
        Undone { tokens, limit, threshold, notice }
    }

    /// Goes back to a message: everything after it leaves the view but stays in the history. The message itself is in the view
    /// again, with folds over it undone, and the conversation goes on from it. `None` goes back to before the first message: only the
    /// header stays. Returns what left the view.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for an unknown id, and for an entry that is not a message of the current conversation.
    pub fn rewind(&mut self, id: Option<&str>) -> Result<Vec<NodeIndex>> {
        let to = id.map(|id| self.context.rewind_target(id)).transpose()?;
        self.drop_bound_thinking(&[]);
        let gone = self.context.rewind(to);
        self.after_edit();
        self.note_free_room();
        Ok(gone)
    }

    /// If most of the conversation is gone, notes that there is room again for messages that were dropped or cut to save room.
    pub(super) fn note_free_room(&mut self) {
        let (low, tokens) = (self.aim(false).target, self.tokens());
        if tokens <= low / 2 || tokens + self.context.view.dropped_tokens() <= low {
            self.context.view.expect_room();
        }
    }

    /// The view was edited: earlier usage, preparations and pending requests no longer apply.
    pub(super) fn after_edit(&mut self) {
        self.drop_bound_thinking(&[]);
        self.restore_opening_thinking();
        self.counting.usage = None;
        self.runs.prepared_at = None;
        self.runs.revision += 1;
        self.runs.no_fold_below = 0;
    }
}

//! Decides when to fold by the state of the prompt cache: the caller says how long the session was idle.

use super::run::Fit;
use super::state::Session;
use crate::context::EventName;
use crate::error::Result;
use crate::passes::Aim;

impl Session {
    /// Like `prepare`, after this many milliseconds without a call. Once the prompt cache has expired, an edit loses nothing, so a fold
    /// that is near is done now. Before that, it waits until the limit is reached.
    ///
    /// # Errors
    /// As [`Session::prepare`].
    pub fn prepare_after(&mut self, idle_ms: u64) -> Result<Fit> {
        let aim = self.aim_after(idle_ms);
        if aim.is_cold && aim.is_due(self.tokens()) {
            self.runs.prepared_at = None; // there is nothing new, but something to do
        }
        self.prepare_for(aim)
    }

    fn aim_after(&self, idle_ms: u64) -> Aim {
        let aim = self.aim(false);
        let near = aim.fold_near();
        let is_cold = idle_ms >= self.config.cache_life_ms;
        let threshold = match is_cold {
            true if near.contains(&self.tokens()) => near.start,
            true => aim.threshold,
            false => aim.threshold.max(aim.limit.saturating_add(1)),
        };
        Aim { threshold, is_cold, ..aim }
    }

    /// The targets of a run that goes on: options may have changed meanwhile.
    pub(super) fn updated_aim(&self, before: &Aim) -> Aim {
        Aim { is_cold: before.is_cold, ..self.aim(before.fill) }
    }

    /// Reports once that a compaction is near: when the view has grown that far since the last call.
    pub(super) fn emit_compaction_due(&mut self, aim: &Aim) {
        let near = aim.fold_near();
        let (before, tokens) = (self.context.view.marked_tokens(), self.tokens());
        if before < near.start && near.contains(&tokens) && !self.background.is_asked() {
            let left = near.end - tokens;
            self.context.emit(EventName::CompactionDue, &[], format!("a compaction is due in {left} tokens"));
            if let Some(event) = self.context.events.last_mut() {
                event.left = Some(left);
            }
        }
    }
}

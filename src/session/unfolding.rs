//! Changing one's mind: a fold undone, the conversation taken back to an earlier message.

use super::facade::Session;
use crate::context::NodeIndex;
use crate::error::Result;

/// What must be new before a fold that was undone by hand is made again, while the view fits.
const LEAST_NEW: u64 = 64;

impl Session {
    /// Undoes a fold: its messages stand again where they stood, as they stood, and its summary leaves the view. A fold of
    /// folds gives back the folds. While the view fits its limit, no fold begins on its own account until something new is
    /// there to fold.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where there is no such fold; `GRAPH_CONSTRAINT` where a later fold holds it: that must be undone
    /// first.
    pub fn unfold(&mut self, id: &str) -> Result<()> {
        let summary = self.context.unfoldable(id)?;
        self.drop_bound_thinking(&[]);
        self.context.unfold(summary);
        self.after_an_edit();
        let aim = self.aim(false);
        let enough = if aim.low == u64::MAX { LEAST_NEW } else { (aim.low / 10).max(LEAST_NEW) };
        self.resting = self.tokens().saturating_add(enough);
        Ok(())
    }

    /// Goes back to a message: what came after it leaves the view, and stays in the history. The message itself stands in the
    /// view then, folds over it undone, and the conversation goes on from it. Gives what is gone.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for an id that there is not, and for what is no message of the conversation as it goes on now.
    pub fn rewind(&mut self, id: &str) -> Result<Vec<NodeIndex>> {
        let to = self.context.turning_point(id)?;
        self.drop_bound_thinking(&[]);
        let gone = self.context.rewind(to);
        self.after_an_edit();
        self.look_for_room();
        Ok(gone)
    }

    /// Where most of the conversation is gone, there is room for what was taken out of the rest for want of it.
    pub(super) fn look_for_room(&mut self) {
        let (low, tokens) = (self.aim(false).low, self.tokens());
        if tokens <= low / 2 || tokens + self.context.view.dropped_tokens() <= low {
            self.context.view.expect_room();
        }
    }

    /// The view is another one than what was judged, prepared or asked about before.
    pub(super) fn after_an_edit(&mut self) {
        self.drop_bound_thinking(&[]);
        self.usage = None;
        self.prepared_at = None;
        self.revision += 1;
        self.resting = 0;
    }
}

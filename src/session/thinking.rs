//! Thinking that its provider signed: some models require that it is left out after an edit of the view (PROV-3b), the
//! others that the running turn begins with it.

use super::run::Run;
use super::state::Session;
use crate::context::NodeIndex;

impl Session {
    /// Leaves out the thinking after edits made since the last call of this, and after outputs that were cut as they `entered`.
    /// Returns the messages that lost some.
    pub(super) fn drop_bound_thinking(&mut self, entered: &[NodeIndex]) -> Vec<NodeIndex> {
        if !self.config.drops_bound_thinking {
            return Vec::new();
        }
        self.context.by_pass("drop_bound_thinking", |context| context.drop_bound_thinking(entered))
    }

    /// Gives the step that opens the running turn its thinking back, after a fold, a drop or an edit made it the first one.
    pub(super) fn restore_opening_thinking(&mut self) {
        if !self.config.drops_bound_thinking {
            self.context.restore_opening_thinking();
        }
    }

    /// Like [`Self::drop_bound_thinking`], at the end of a run, whose report says so.
    pub(super) fn decide_bound_thinking(&mut self, run: &mut Run) {
        let view_before = self.view_before();
        let lost = self.drop_bound_thinking(&[]);
        if !lost.is_empty() {
            let why = "thinking was dropped because the messages before it were edited".to_owned();
            self.decide(run, "drop_bound_thinking", view_before, self.context.item_ids(&lost), why);
        }
    }
}

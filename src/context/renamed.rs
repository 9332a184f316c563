//! Calls that came in again with other ids.

use super::core::Context;
use super::history::CallRenamed;
use super::shared::Shared;
use super::slot::Slot;

impl Context {
    /// Gives calls and their outputs their new ids, in the history, in the view and in folds. The ids must have passed
    /// [`super::History::check_renamed`].
    pub fn rename_calls(&mut self, renamed: &[CallRenamed]) {
        if renamed.is_empty() {
            return;
        }
        let waits = |call: &&CallRenamed| {
            call.caller.get() < self.facts.len() && self.history.open_call(&call.before) == Some(call.caller)
        };
        let waiting = renamed.iter().filter(waits).map(|call| (&*call.before, &*call.now)).collect();
        self.facts.rename_calls(&waiting);
        self.holders = Shared::default();
        let messages = self.history.rename_calls(renamed);
        let now = |slot: &Slot| Some(messages.get(&slot.node)?.shown(&slot.message));
        self.view.show_all_renewed(&now);
        self.folds_changed += 1;
        for placed in self.folds.iter_mut().flat_map(|fold| &mut fold.altered) {
            if let Some(message) = now(&placed.slot) {
                placed.slot.message = message;
            }
        }
    }
}

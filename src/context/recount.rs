//! Counts a context again with another counter.

use std::sync::Arc;

use super::core::Context;
use super::slot::{Form, Slot};
use super::tally::Tally;
use crate::message::Message;
use crate::tokens::Counter;

impl Context {
    /// Counts everything again, in history and view; `tools`: the tokens of the tool definitions, if there are any.
    pub fn recount(&mut self, counter: Counter, tools: Option<u64>) {
        let Self { history, view, folds, .. } = self;
        history.recount(|message| Tally::of(message, &*counter));
        let tally = |slot: &Slot| match slot.form {
            Form::Whole => history.node(slot.node).tally,
            _ => Tally::of(&slot.message, &*counter),
        };
        view.recount(tools, tally);
        for placed in folds.iter_mut().flat_map(|fold| &mut fold.altered) {
            placed.slot.tally = tally(&placed.slot);
        }
        self.folds_changed += 1;
        self.counter = counter;
    }

    /// Every message that [`Context::recount`] counts.
    pub fn counted_messages(&self) -> Vec<Arc<Message>> {
        let nodes = self.history.nodes().iter().map(|node| node.message.clone());
        let comes_back = self.folds.iter().flat_map(|fold| &fold.altered).map(|placed| &placed.slot);
        let shown = self.view.all_slots().chain(comes_back).filter(|slot| slot.form != Form::Whole);
        nodes.chain(shown.map(|slot| slot.message.clone())).collect()
    }
}

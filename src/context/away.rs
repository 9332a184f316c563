//! Tool outputs that are moved from memory to the host's store: a placeholder replaces them in the history, as in the view.
//!
//! Outputs that the view does not show whole are moved, oldest first, once the store has them. Their token count and their
//! facts are kept (`facts::KeptFacts`), so that a ledger is the same whenever they were moved. Their key is their SHA-256: a
//! store may be shared, and what comes back is known to be what was stored. For the same reason, `collectGarbage` deletes
//! nothing there: another session may refer to the same content.

use std::sync::Arc;

use super::core::Context;
use super::facts::Redacting;
use super::node::{NodeIndex, NodeSet};
use super::slot::{Form, Slot};
use crate::error::{Error, Result};
use crate::message::{Message, Part};
use crate::tool_output::{self, Output, ToolOutputs};

impl Context {
    /// The outputs that may be moved out of memory, oldest first, until `keep_bytes` bytes remain. What the view shows whole and
    /// what is pinned stays. So does what the user answered to a tool that asks questions, since it may contain rules.
    pub fn movable_outputs(&mut self, keep_bytes: u64) -> Vec<String> {
        let mut here = self.outputs.bytes();
        if here <= keep_bytes {
            return Vec::new();
        }
        self.holders.catch_up(&self.history);
        let whole: NodeSet = self.view.slots().filter(|s| s.form == Form::Whole).map(|s| s.node).collect();
        let stays = |node: &NodeIndex| {
            self.history.node(*node).pinned || self.holders.is_users_answer(*node) || whole.contains(node)
        };
        let mut leave = Vec::new();
        for output in self.outputs.in_memory() {
            if here <= keep_bytes {
                break;
            }
            if self.holders.of(output.id()).iter().any(stays) {
                continue;
            }
            here -= output.bytes();
            leave.push(output.id().to_owned());
        }
        leave
    }

    /// Removes the content of an output of `bytes` bytes from memory, now that the host's store has it. Returns the messages
    /// that held it; `None` if it has to stay after all. The facts that ledgers will list are extracted before, also from
    /// the text that `redacted` leaves.
    ///
    /// # Errors
    /// The error of `redacted`; nothing has changed then.
    pub fn send_away(
        &mut self,
        id: &str,
        key: &str,
        bytes: u64,
        redacted: Option<&Redacting<'_>>,
    ) -> Result<Option<Vec<NodeIndex>>> {
        let holders = self.holders_of(id).to_vec();
        let shown = |n: &NodeIndex| self.view.body().iter().any(|s| s.node == *n && s.form == Form::Whole);
        if holders.iter().any(|n| self.history.node(*n).pinned || shown(n)) {
            return Ok(None);
        }
        let Some(parts) = self.outputs.loaded(id).map(Output::parts) else { return Ok(None) };
        let holds_it = |n: &NodeIndex| {
            self.history.node(*n).message.tool_outputs().all(|output| output.content == parts)
        };
        let moved: Vec<NodeIndex> = holders.into_iter().filter(holds_it).collect();
        let facts = moved.iter().map(|node| self.facts_to_keep(*node, redacted));
        let facts = facts.collect::<Result<Vec<_>>>()?;
        if !self.outputs.move_to_store(id, key, bytes) {
            return Ok(None);
        }
        for (node, facts) in moved.iter().zip(facts) {
            let whole = self.history.node(*node).message.clone();
            let message = Arc::new(with_content(&whole, &[Part::text(tool_output::placeholder(id))]));
            let tally = self.tally_of(&message);
            self.history.send_away(*node, message, tally, facts);
            let slot = Slot::whole(&self.history, *node);
            for placed in self.folds.iter_mut().flat_map(|fold| &mut fold.altered) {
                if Arc::ptr_eq(&placed.slot.message, &whole) {
                    placed.slot = slot.clone();
                }
            }
            self.view.replace_dropped(slot, &whole);
        }
        Ok(Some(moved))
    }

    /// Puts an output that was read from the host's store back into memory, and into the messages that held it.
    pub fn bring_output_back(&mut self, id: &str, read: &ToolOutputs) -> Result<()> {
        let parts = read.get(id)?.parts();
        self.outputs.take_back_into_memory(read);
        for node in self.holders_of(id).to_vec() {
            if self.history.is_away(node) {
                self.forget_duplicates();
                let message = Arc::new(with_content(&self.history.node(node).message, &parts));
                let tally = self.tally_of(&message); // the counter may have changed since it was pushed
                if !self.history.bring_back(node, message, tally) {
                    self.forget_facts(); // some may be those of a placeholder
                }
            }
        }
        Ok(())
    }

    /// Refuses to pin an output that is not in memory.
    pub fn refuse_away(&self, index: NodeIndex) -> Result<()> {
        if !self.history.is_away(index) {
            return Ok(());
        }
        let node = self.history.node(index);
        let id = refs_of(&node.message).next().unwrap_or_default();
        let why = format!(
            "the tool output of `{}` is in the store; bring it back with `await session.toolOutputs.get(\"{id}\")`, then pin it",
            node.id
        );
        Err(Error::argument(why))
    }

    /// The tool messages whose output has this ref.
    pub fn holders_of(&mut self, id: &str) -> &[NodeIndex] {
        self.holders.catch_up(&self.history);
        self.holders.of(id)
    }
}

fn refs_of(message: &Message) -> impl Iterator<Item = &str> {
    message.tool_outputs().filter_map(|o| o.output_ref.as_ref()).map(|r| r.id.as_str())
}

fn with_content(message: &Message, content: &[Part]) -> Message {
    let mut message = message.clone();
    for output in message.tool_outputs_mut() {
        output.content = content.to_vec();
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::{NodeKind, Tally};
    use crate::message::{Role, ToolCall};
    use crate::tokens::{BytesPerFour, Estimate};
    use crate::tool_output::ToolOutputCacheConfig;

    /// Two steps, the output of the first cut in the view.
    fn context() -> Context {
        let config = ToolOutputCacheConfig { max_message_bytes: 200, ..ToolOutputCacheConfig::default() };
        let mut context = Context::new(Arc::new(Estimate), config, None);
        for (id, text) in [("a", "line\n".repeat(100)), ("b", "short".to_owned())] {
            let call = Part::from(ToolCall::function(id, "read", "{}"));
            context.push(vec![Message::new(Role::Assistant, vec![call]), Message::tool(id, text)]).unwrap();
        }
        context
    }

    fn send(context: &mut Context, id: &str) -> (Vec<u8>, Option<Vec<NodeIndex>>) {
        let (key, bytes) = context.outputs.to_store(id).unwrap();
        let size = context.outputs.get(id).unwrap().bytes();
        (bytes, context.send_away(id, &key, size, None).unwrap())
    }

    #[test]
    fn an_output_is_moved_away_and_restored_unchanged() {
        let mut context = context();
        let (before, view) = (context.history.node(NodeIndex(1)).message.clone(), context.view_messages());
        assert_eq!(context.movable_outputs(400), ["out_1"]);
        assert_eq!(context.movable_outputs(0), ["out_1"], "the view shows the other one whole");
        let (bytes, moved) = send(&mut context, "out_1");
        assert_eq!(moved, Some(vec![NodeIndex(1)]));
        assert_eq!(context.outputs.bytes(), 5);
        assert_eq!(context.view_messages(), view, "the view does not change");
        let node = context.history.node(NodeIndex(1));
        assert_eq!(node.tally, Tally::of(&node.message, &Estimate), "tokens are those of what is there");
        assert!(context.history.tally_as_pushed(NodeIndex(1)).total() > node.tally.total());
        assert_eq!(Slot::whole(&context.history, NodeIndex(1)).form, Form::Placeholder);
        assert!(context.refuse_away(NodeIndex(1)).is_err() && context.refuse_away(NodeIndex(3)).is_ok());
        assert_eq!(node.kind, NodeKind::Message);
        let read = context.outputs.from_store("out_1", &bytes).unwrap();
        context.bring_output_back("out_1", &read).unwrap();
        assert_eq!(context.history.node(NodeIndex(1)).message, before);
        assert_eq!((context.outputs.bytes(), context.history.is_away(NodeIndex(1))), (505, false));
    }

    #[test]
    fn a_restored_output_is_counted_by_the_current_counter() {
        let mut context = context();
        let (bytes, _) = send(&mut context, "out_1");
        context.recount(Arc::new(BytesPerFour), None);
        let read = context.outputs.from_store("out_1", &bytes).unwrap();
        context.bring_output_back("out_1", &read).unwrap();
        let node = context.history.node(NodeIndex(1));
        assert_eq!(node.tally, Tally::of(&node.message, &BytesPerFour));
    }

    #[test]
    fn shown_pinned_or_appended_outputs_stay_in_memory() {
        let mut context = context();
        assert_eq!(send(&mut context, "out_2").1, None);
        let (key, _) = context.outputs.to_store("out_1").unwrap();
        context.outputs.append("out_1", "more").unwrap();
        assert_eq!(context.send_away("out_1", &key, 500, None).unwrap(), None);
        context.set_pinned(NodeIndex(1), true);
        assert_eq!(send(&mut context, "out_1").1, None);
    }

    #[test]
    fn another_outputs_bytes_are_refused() {
        let mut context = context();
        let (other, _) = send(&mut context, "out_2");
        send(&mut context, "out_1");
        assert!(context.outputs.from_store("out_1", &other).is_err());
        assert!(context.outputs.put_text("other", Some("out_1".to_owned())).is_err());
        assert!(context.outputs.put_text("line\n".repeat(100), Some("out_1".to_owned())).is_ok());
    }
}

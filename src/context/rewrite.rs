//! Rewrites the past: messages that the caller dropped leave the view, and new ones are added at the end.

use super::core::Context;
use super::fold::Fold;
use super::history::Superseded;
use super::node::{Node, NodeIndex, NodeKind, NodeSet};
use crate::error::Result;
use crate::facts::{LiteralKind, literals, sentences, texts};
use crate::hashing::{HashMap, HashSet};
use crate::message::{Message, Part, Role, ToolOutputRef};

const WHY: &str =
    "not part of the conversation any more: the list that was passed in goes on differently from here";

impl Context {
    /// Takes `removed` out of the view and adds `messages`, all or none. The history keeps what is gone. A fold that contains
    /// some of it is undone: its other messages come back as they were. An output that was stored with a message in `removed`
    /// keeps its ref if it comes in again. With `drops_bound_thinking`, what comes back loses the thinking that was bound to
    /// the messages before it.
    ///
    /// # Errors
    /// As [`Context::push`]; nothing has changed then.
    pub fn rewrite(
        &mut self,
        removed: &[NodeIndex],
        messages: Vec<Message>,
        drops_bound_thinking: bool,
    ) -> Result<Vec<NodeIndex>> {
        let removed = &self.with_outputs(removed);
        let (before, stand_ins) = self.supersede(removed);
        if let Err(error) = self.history.check(&messages, &[]) {
            self.history.reinstate(before);
            return Err(error);
        }
        let refs = self.refs_of(removed, &messages);
        let repeated = drops_bound_thinking.then(|| self.first_thought_in(removed, &messages)).flatten();
        self.take_out(removed, &stand_ins, &messages, WHY);
        self.show_callers(); // before stand-ins for their outputs enter
        if drops_bound_thinking {
            self.drop_bound_thinking(&[]); // only for messages that come back: new ones were written after the current view
        }
        let known = |mut message: Message| {
            for part in &mut message.parts {
                if let Part::ToolOutput(output) = part
                    && output.output_ref.is_none()
                {
                    output.output_ref = refs.get(&output.call_id).cloned();
                }
            }
            message
        };
        let added = self.push(messages.into_iter().map(known).collect())?;
        if let Some(node) = repeated.and_then(|at| added.get(at)) {
            self.view.note_edit_before(*node);
        }
        self.make_valid();
        Ok(added)
    }

    /// The first of `messages` with thinking that is also in `removed`: it was thought after what has just been rewritten.
    fn first_thought_in(&self, removed: &[NodeIndex], messages: &[Message]) -> Option<usize> {
        fn signatures(message: &Message) -> impl Iterator<Item = &str> {
            message.parts.iter().filter_map(|part| match part {
                Part::Reasoning(reasoning) => reasoning.signature.as_deref(),
                _ => None,
            })
        }
        let known: HashSet<&str> =
            removed.iter().flat_map(|node| signatures(&self.history.node(*node).message)).collect();
        messages.iter().position(|message| signatures(message).any(|signature| known.contains(signature)))
    }

    /// Messages that passes took out of the view behind the last of `stays`, without outputs, which go with their calls.
    pub fn dropped_behind(&self, stays: &NodeSet) -> Vec<NodeIndex> {
        let order = self.view.order();
        let first = order.iter().rposition(|n| stays.contains(n)).map_or(0, |at| at + 1);
        let is_dropped = |n: &NodeIndex| {
            let node = self.history.node(*n);
            let may_leave = node.kind == NodeKind::Message && node.message.role != Role::Tool;
            may_leave && self.view.dropped(*n).is_some() && !stays.contains(n)
        };
        order[first..].iter().copied().filter(is_dropped).collect()
    }

    /// These nodes and the outputs of their calls. A caller that continues from a view does not name outputs that a pass
    /// took out of it.
    fn with_outputs(&self, removed: &[NodeIndex]) -> Vec<NodeIndex> {
        let named: NodeSet = removed.iter().copied().collect();
        let first = removed.iter().min().map_or(self.history.len(), |n| n.get());
        let calls: HashSet<&str> = removed
            .iter()
            .flat_map(|n| self.history.node(*n).message.tool_calls())
            .map(|call| call.id.as_str())
            .collect();
        let answers = |(n, node): &(NodeIndex, &Node)| {
            let by_id = || {
                let mut outputs = node.message.tool_outputs().peekable();
                outputs.peek().is_some() && outputs.all(|output| calls.contains(output.call_id.as_str()))
            };
            let is_output = node.kind == NodeKind::Message && node.message.role == Role::Tool;
            is_output && self.history.caller(*n).map_or_else(by_id, |caller| named.contains(&caller))
        };
        let may_leave = |(n, _): &(NodeIndex, &Node)| !named.contains(n) && !self.history.is_superseded(*n);
        let outputs = self.history.nodes_from(first).filter(may_leave).filter(answers);
        removed.iter().copied().chain(outputs.map(|(n, _)| n)).collect()
    }

    /// The refs of stored outputs that `messages` contain again, by call id.
    fn refs_of(&self, removed: &[NodeIndex], messages: &[Message]) -> HashMap<String, Box<ToolOutputRef>> {
        let content_by_call: HashMap<&str, &[Part]> = messages
            .iter()
            .flat_map(Message::tool_outputs)
            .map(|o| (o.call_id.as_str(), o.content.as_slice()))
            .collect();
        let stored = removed.iter().flat_map(|n| self.history.node(*n).message.tool_outputs());
        stored
            .filter(|o| content_by_call.get(o.call_id.as_str()).is_some_and(|content| *content == o.content))
            .filter_map(|o| Some((o.call_id.clone(), o.output_ref.clone()?)))
            .collect()
    }

    /// Frees the ids and calls of `removed`, and of the stand-ins added since. Returns how to undo this, and the stand-ins.
    pub(super) fn supersede(&mut self, removed: &[NodeIndex]) -> (Superseded, Vec<NodeIndex>) {
        let stand_ins = self.stand_ins_since(removed);
        (self.history.supersede(&[removed, &stand_ins].concat()), stand_ins)
    }

    /// Takes `removed`, and `with`, which was added because of it, out of the view. The history keeps them. A fold that
    /// contains some of them, or may quote them, is undone. `instead`: the messages that come in their place.
    pub(super) fn take_out(
        &mut self,
        removed: &[NodeIndex],
        with: &[NodeIndex],
        instead: &[Message],
        why: &'static str,
    ) {
        if removed.is_empty() && with.is_empty() {
            return;
        }
        let out: NodeSet = removed.iter().chain(with).copied().collect();
        let mut over = self.folds_over(&out);
        over.extend(self.folds_that_quote(removed));
        over.extend(self.folds_that_name(removed, instead));
        self.open_folds(&over, why);
        self.leave_header(&out);
        let covered = self.dropped_for_compactions(removed);
        self.reinsert(&out, Vec::new());
        self.bring_back_covered(&covered);
        self.on_entry.forget(|n| out.contains(&n));
        for node in with {
            self.history.set_pinned(*node, false); // a text that was pinned
        }
        self.note_removed(removed, why);
    }

    /// The folds with a sentence of one of these messages of the user: a ledger quotes what a cut leaves out of the view, such as a rule,
    /// which would go on holding although the user took it back.
    fn folds_that_quote(&self, nodes: &[NodeIndex]) -> Vec<NodeIndex> {
        let from_user = nodes.iter().filter(|node| self.history.node(**node).message.role == Role::User);
        let texts: Vec<(NodeIndex, String)> =
            from_user.map(|node| (*node, self.history.node(*node).message.plain_text())).collect();
        let quotes = |fold: &&Fold| {
            let before = texts.iter().filter(|(node, _)| *node < fold.summary);
            before.flat_map(|(_, text)| sentences(text)).any(|sentence| fold.text.contains(sentence.text))
        };
        self.folds.iter().filter(quotes).map(|fold| fold.summary).collect()
    }

    /// The folds that name an id which only messages that have just been superseded said, and none of those that come `instead`: a
    /// ledger also names what stands in messages that stay, if they are to be cut.
    fn folds_that_name(&mut self, superseded: &[NodeIndex], instead: &[Message]) -> Vec<NodeIndex> {
        let Some(first) = superseded.iter().min() else { return Vec::new() };
        if self.folds.iter().all(|fold| fold.summary < *first) {
            return Vec::new();
        }
        self.extract_facts(usize::MAX);
        let facts = &self.facts;
        let ids = |node: NodeIndex| {
            let literals = facts.literals(node.get()).iter().copied();
            literals.filter(|id| facts.names.kinds()[*id as usize] == LiteralKind::Id)
        };
        let mut gone: HashMap<u32, NodeIndex> = HashMap::default();
        for (id, node) in superseded.iter().flat_map(|node| ids(*node).map(|id| (id, *node))) {
            let first = gone.entry(id).or_insert(node);
            *first = node.min(*first);
        }
        let mut named: Vec<(NodeIndex, u32)> = Vec::new();
        for fold in self.folds.iter().filter(|fold| fold.summary > *first) {
            let known = literals(&fold.text).into_iter().filter_map(|literal| facts.names.find(literal.text));
            let is_gone = |id: &u32| gone.get(id).is_some_and(|node| *node < fold.summary);
            named.extend(known.filter(is_gone).map(|id| (fold.summary, id)));
        }
        if named.is_empty() {
            return Vec::new(); // as a rule; then the whole history need not be looked at
        }
        let stays = |(index, node): &(NodeIndex, &Node)| {
            node.kind == NodeKind::Message && !self.history.is_superseded(*index)
        };
        let said: HashSet<u32> =
            self.history.nodes_from(0).filter(stays).flat_map(|(index, _)| ids(index)).collect();
        let comes_again =
            |id: u32| instead.iter().flat_map(texts).any(|text| text.contains(facts.names.text(id)));
        named.retain(|(_, id)| !said.contains(id) && !comes_again(*id));
        named.into_iter().map(|(summary, _)| summary).collect()
    }

    /// The stand-ins for outputs since the first of `removed`. Some may have entered directly before it because of it.
    fn stand_ins_since(&self, removed: &[NodeIndex]) -> Vec<NodeIndex> {
        let first = removed.iter().map(|n| n.get()).min().unwrap_or(self.history.len());
        let before = self.history.nodes()[..first].iter().rev();
        let from = first - before.take_while(|n| n.kind == NodeKind::StandIn).count();
        let stand_ins = self.history.nodes_from(from).filter(|(_, n)| n.kind == NodeKind::StandIn);
        stand_ins.map(|(index, _)| index).filter(|n| !self.history.is_superseded(*n)).collect()
    }
}

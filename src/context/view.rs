use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::Arc;

use super::branch::Renumbering;
use super::changes::Changes;
use super::ephemeral::Ephemeral;
use super::fold::Stood;
use super::node::{History, NodeIndex, NodeKind};
use super::snapshot::Epochs;
use super::tally::{PartName, Sums, Tally};
use crate::message::{Message, Role};

mod saved;

/// How a message stands in the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As it was pushed.
    Whole,
    /// A tool output cut to the in-context view's bounds (CACHE-3).
    Cut,
    /// A tool output that is a placeholder now (CACHE-4).
    Placeholder,
    /// Its middle was cut as a last resort (COMP-19).
    Shortened,
    /// JSON that was compressed (CACHE-8).
    Compressed,
    /// An assistant message without its tool calls.
    Stripped,
    /// A tool output's head and tail (CACHE-9).
    Truncated,
    /// A pointer to the same output further down (PASS-13).
    Pointer,
    /// The base prompt with later instructions in it.
    Merged,
    /// An assistant message without the thinking that was bound to what stood before it (PROV-3b).
    Unbound,
}

impl Form {
    /// The name in `Item.form`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Cut => "cut",
            Self::Placeholder => "placeholder",
            Self::Shortened => "shortened",
            Self::Compressed => "compressed",
            Self::Stripped => "stripped",
            Self::Truncated => "truncated",
            Self::Pointer => "pointer",
            Self::Merged => "merged",
            Self::Unbound => "unbound",
        }
    }
}

/// A message's place in the view.
#[derive(Debug, Clone, PartialEq)]
pub struct Slot {
    /// The node that it shows.
    pub node: NodeIndex,
    /// What is sent: the node's own message, or a shorter one.
    pub message: Arc<Message>,
    /// The tokens of what is sent.
    pub tally: Tally,
    /// What its text counts as.
    pub part: PartName,
    /// How it stands.
    pub form: Form,
}

impl Slot {
    /// The node as it was pushed.
    pub fn whole(history: &History, index: NodeIndex) -> Self {
        let node = history.node(index);
        Self {
            node: index,
            message: node.message.clone(),
            tally: node.tally,
            part: node.part(),
            form: if history.is_away(index) { Form::Placeholder } else { Form::Whole },
        }
    }

    /// Tokens of what is sent.
    pub fn tokens(&self) -> u64 {
        self.tally.total()
    }
}

/// What the model is sent next. Sums are kept while slots change: asking for them costs nothing.
#[derive(Debug, Clone, Default)]
pub struct View {
    header: Vec<Slot>,
    /// What stands between header and body: skills, memory, injections.
    parts: Vec<Slot>,
    /// Those of them that a pass took out.
    pub(super) hidden_parts: Vec<Slot>,
    body: Vec<Slot>,
    /// The nodes of the body and those that were dropped from it, in their order.
    order: Vec<NodeIndex>,
    /// What a pass took out of the body without a fold, as it stood there.
    dropped: BTreeMap<NodeIndex, Slot>,
    dropped_tokens: u64,
    sums: Sums,
    tools: u64,
    /// Body positions of tool outputs that can still be trimmed, oldest first.
    outputs: VecDeque<usize>,
    /// The first body position that changed since [`View::mark`].
    changed_from: Option<usize>,
    /// The first body position behind an edit since [`View::take_edited`].
    edited: Option<usize>,
    /// Header or tool definitions changed since [`View::mark`].
    fixed_changed: bool,
    /// The first of the parts that changed since [`View::mark`].
    parts_changed_from: Option<usize>,
    marked_tokens: u64,
    /// How long the body was at [`View::mark`].
    marked_body: usize,
    /// Later instructions that stand in the header's last message, in order.
    pub(super) merged: Vec<NodeIndex>,
    /// How tool outputs stood that pruning made placeholders of.
    pub(super) pruned: BTreeMap<NodeIndex, Slot>,
    changes: Changes,
    pub(super) ephemeral: Ephemeral,
    pub(super) epochs: Epochs,
}

impl View {
    /// The leading system and developer messages.
    pub fn header(&self) -> &[Slot] {
        &self.header
    }

    /// What stands between header and body.
    pub fn parts(&self) -> &[Slot] {
        &self.parts
    }

    /// Everything after the header and the context parts.
    pub fn body(&self) -> &[Slot] {
        &self.body
    }

    /// Header, context parts and body.
    pub fn slots(&self) -> impl Iterator<Item = &Slot> {
        self.header.iter().chain(&self.parts).chain(&self.body)
    }

    /// What stands before the body, in messages.
    pub fn before_body(&self) -> usize {
        self.header.len() + self.parts.len()
    }

    /// The slot at a position of header, context parts and body.
    pub fn slot(&self, at: usize) -> Option<&Slot> {
        let behind_header = at.checked_sub(self.header.len());
        let Some(at) = behind_header else { return self.header.get(at) };
        at.checked_sub(self.parts.len()).map_or_else(|| self.parts.get(at), |at| self.body.get(at))
    }

    /// How many messages there are.
    pub fn len(&self) -> usize {
        self.header.len() + self.parts.len() + self.body.len()
    }

    /// Nothing is sent.
    pub fn is_empty(&self) -> bool {
        self.header.is_empty() && self.parts.is_empty() && self.body.is_empty()
    }

    /// All tokens: header, tool definitions, context parts and body.
    pub fn tokens(&self) -> u64 {
        self.sums.total() + self.tools
    }

    /// Tokens of what stands before the body, and no pass touches but for context parts: header, tool definitions, parts.
    pub fn fixed_tokens(&self) -> u64 {
        self.header.iter().chain(&self.parts).map(Slot::tokens).sum::<u64>() + self.tools
    }

    /// Tokens of the tool definitions.
    pub fn tools_tokens(&self) -> u64 {
        self.tools
    }

    /// Tokens of all tool outputs, placeholders included.
    pub fn output_tokens(&self) -> u64 {
        self.sums.of(PartName::ToolOutputs) // no other message holds any
    }

    /// Where it was edited, for those who keep what they made of it.
    pub fn changes(&self) -> &Changes {
        &self.changes
    }

    /// `(part, tokens, messages)` of every part that has any, tool definitions too.
    pub fn tokens_by_part(&self) -> Vec<(PartName, u64, u64)> {
        let mut parts: Vec<_> = self.sums.parts().collect();
        if self.tools > 0 {
            let at = parts.iter().position(|(p, ..)| *p > PartName::Tools).unwrap_or(parts.len());
            parts.insert(at, (PartName::Tools, self.tools, 0));
        }
        parts
    }

    /// Sets the tokens of the tool definitions.
    pub fn set_tools(&mut self, tokens: u64) {
        self.tools = tokens;
        self.fixed_changed = true;
        self.edited = Some(0);
    }

    /// Replaces the header.
    pub fn set_header(&mut self, slots: Vec<Slot>) {
        self.before_edit(0);
        for slot in &self.header {
            self.sums.remove(slot.part, &slot.tally);
        }
        for slot in &slots {
            self.sums.add(slot.part, &slot.tally);
        }
        self.header = slots;
        self.fixed_changed = true;
        self.edited = Some(0);
        self.changes.edit_header();
    }

    /// Replaces what stands between header and body.
    pub(super) fn set_parts(&mut self, slots: Vec<Slot>) {
        let same = self.parts.iter().zip(&slots).take_while(|(a, b)| a.node == b.node).count();
        if same == self.parts.len() && same == slots.len() {
            return;
        }
        self.before_edit(self.header.len() + same);
        for slot in &self.parts {
            self.sums.remove(slot.part, &slot.tally);
        }
        for slot in &slots {
            self.sums.add(slot.part, &slot.tally);
        }
        self.parts = slots;
        self.parts_changed_from = Some(self.parts_changed_from.map_or(same, |from| from.min(same)));
        self.edited = Some(0);
        self.changes.edit_header();
    }

    /// Appends to the header; the body is still empty.
    pub fn push_header(&mut self, slot: Slot) {
        self.sums.add(slot.part, &slot.tally);
        if !self.parts.is_empty() {
            self.before_edit(self.header.len());
            self.parts_changed_from = Some(0);
            self.edited = Some(0);
            self.changes.edit_header();
        }
        self.header.push(slot); // nothing but context parts stands behind it yet
    }

    /// Puts a message in at its place: at the end, but a tool output whose call is further up goes to that call's
    /// step, so that no message of another role stands between a call and its output, nor will when it comes back into the
    /// view. Gives what it stands right behind then, where it does not stand behind all.
    pub fn push(&mut self, slot: Slot, caller: Option<NodeIndex>, history: &History) -> Option<NodeIndex> {
        let step = caller.and_then(|caller| self.end_of_step(caller, history));
        let (at, answer) = step.unwrap_or((self.body.len(), slot.node));
        let is_last = at == self.body.len();
        let behind = at.checked_sub(1).map(|before| self.body[before].node);
        let behind = behind.filter(|_| !is_last || self.said_between(answer, slot.node, history));
        self.sums.add(slot.part, &slot.tally);
        self.ephemeral.enter(&slot);
        let place = if behind.is_some() { self.place_after(at) } else { self.order.len() };
        self.order.insert(place, slot.node);
        if is_last {
            self.body.push(slot);
            self.watch_output(at);
        } else {
            self.before_edit_in_body(at);
            self.body.insert(at, slot);
            self.moved(at, 1);
            self.touch(at);
        }
        behind
    }

    /// Whether something else was said between two messages, be it in the view or out of it: a header that the caller set
    /// meanwhile never stands between them.
    pub(super) fn said_between(&self, one: NodeIndex, other: NodeIndex, history: &History) -> bool {
        (one.0 + 1..other.0).map(NodeIndex).any(|n| {
            let node = history.node(n);
            let may_stand = || {
                node.folded_by.is_some()
                    || self.dropped.contains_key(&n)
                    || self.merged.contains(&n)
                    || self.position(n).is_some()
            };
            let speaks = node.kind == NodeKind::Message && node.message.role != Role::Tool;
            speaks && !history.is_superseded(n) && may_stand()
        })
    }

    /// Puts slots in at a body position.
    pub fn insert(&mut self, at: usize, slots: Vec<Slot>) {
        for slot in &slots {
            self.sums.add(slot.part, &slot.tally);
            self.ephemeral.enter(slot);
        }
        self.before_edit_in_body(at);
        let place = self.place_before(at);
        self.order.splice(place..place, slots.iter().map(|s| s.node));
        let count = slots.len();
        self.body.splice(at..at, slots);
        self.moved(at, count);
        self.touch(at);
    }

    /// Takes one node out for good.
    pub fn remove(&mut self, node: NodeIndex) {
        if let Some(place) = self.order.iter().rposition(|n| *n == node) {
            self.order.remove(place);
        }
        if let Some(slot) = self.dropped.remove(&node) {
            self.dropped_tokens -= slot.tokens();
        } else if let Some(at) = self.position(node) {
            self.before_edit_in_body(at);
            let slot = self.body.remove(at);
            self.sums.remove(slot.part, &slot.tally);
            self.watch_outputs_from(at);
            self.touch(at);
        }
    }

    /// The body position of a node. Looked for from the end: what is asked for is mostly new.
    pub fn position(&self, node: NodeIndex) -> Option<usize> {
        self.body.iter().rposition(|s| s.node == node)
    }

    /// The first of these nodes' body positions. Looked for from the end, until all are found.
    pub(super) fn first_position(&self, nodes: &HashSet<NodeIndex>) -> Option<usize> {
        let mut left = nodes.len();
        let mut first = None;
        for (at, slot) in self.body.iter().enumerate().rev() {
            if left == 0 {
                break;
            }
            if nodes.contains(&slot.node) {
                first = Some(at);
                left -= 1;
            }
        }
        first
    }

    /// Takes nodes out for good.
    pub fn remove_all(&mut self, nodes: &HashSet<NodeIndex>) {
        let Some(first) = self.first_position(nodes) else { return };
        self.before_edit_in_body(first);
        self.order.retain(|n| !nodes.contains(n));
        for slot in self.body.split_off(first) {
            if nodes.contains(&slot.node) {
                self.sums.remove(slot.part, &slot.tally);
            } else {
                self.body.push(slot);
            }
        }
        self.watch_outputs_from(first);
        self.touch(first);
    }

    /// Where the outputs that answer the assistant message `caller` end, and the last message of the answer that it belongs
    /// to; `None` where it does not stand in the body.
    fn end_of_step(&self, caller: NodeIndex, history: &History) -> Option<(usize, NodeIndex)> {
        let mut end = self.position(caller)? + 1;
        let mut answer = caller;
        // Items sent one by one: the calls of one answer stand in neighbouring assistant messages.
        while let Some(next) = self.body.get(end).filter(|s| s.message.role == Role::Assistant)
            && next.message.tool_calls().next().is_some()
            && !self.said_between(answer, next.node, history)
        {
            answer = next.node;
            end += 1;
        }
        while self.body.get(end).is_some_and(|s| s.message.role == Role::Tool) {
            end += 1;
        }
        Some((end, answer))
    }

    /// Shows the slot at body position `at` in another form.
    pub fn replace(&mut self, at: usize, message: Arc<Message>, tally: Tally, form: Form) {
        self.before_edit_in_body(at);
        let slot = &mut self.body[at];
        self.sums.remove(slot.part, &slot.tally);
        slot.message = message;
        slot.tally = tally;
        slot.form = form;
        self.sums.add(slot.part, &slot.tally);
        self.touch(at);
    }

    /// Whether a tool output is left that may be trimmed.
    pub fn can_trim(&self) -> bool {
        self.outputs.len() > 1
    }

    /// The oldest tool output that can still be trimmed; the newest never can.
    pub fn oldest_output(&mut self) -> Option<usize> {
        if self.outputs.len() < 2 { None } else { self.outputs.pop_front() }
    }

    /// The body and what was dropped from it, in order, as it stands.
    pub fn stood(&self) -> impl Iterator<Item = Stood> + '_ {
        let shown = |slot: &Slot| !self.dropped.contains_key(&slot.node);
        self.with_dropped().into_iter().map(move |slot| Stood { slot: slot.clone(), shown: shown(slot) })
    }

    /// Shows and drops just these, in this order.
    pub fn arrange(&mut self, stood: Vec<Stood>) {
        self.order = stood.iter().map(|s| s.slot.node).collect();
        let (shown, dropped): (Vec<Stood>, Vec<Stood>) = stood.into_iter().partition(|s| s.shown);
        self.dropped = dropped.into_iter().map(|s| (s.slot.node, s.slot)).collect();
        self.dropped_tokens = self.dropped.values().map(Slot::tokens).sum();
        let as_it_stood = |(old, new): &(&Slot, &Stood)| {
            old.node == new.slot.node && Arc::ptr_eq(&old.message, &new.slot.message)
        };
        let same = self.body.iter().zip(&shown).take_while(as_it_stood).count();
        let changed = same < self.body.len().max(shown.len());
        self.before_edit_in_body(same);
        for slot in self.body.drain(same..) {
            self.sums.remove(slot.part, &slot.tally);
        }
        for Stood { slot, .. } in shown.into_iter().skip(same) {
            self.sums.add(slot.part, &slot.tally);
            self.ephemeral.enter(&slot);
            self.body.push(slot);
        }
        if changed {
            self.watch_outputs_from(same);
            self.touch(same);
        }
    }

    /// Takes the `folded` nodes out and puts `with` at position `at` of what is left: a retained text and a summary stand
    /// before all else (COMP-7), so that a view that begins with a fold begins with a user message; or behind earlier folds.
    pub fn fold(&mut self, folded: &HashSet<NodeIndex>, with: Vec<Slot>, at: usize) {
        let first = self.body.iter().position(|s| folded.contains(&s.node)).unwrap_or(self.body.len());
        self.before_edit_in_body(first.min(at));
        for slot in self.body.iter().filter(|s| folded.contains(&s.node)) {
            self.sums.remove(slot.part, &slot.tally);
        }
        for slot in &with {
            self.sums.add(slot.part, &slot.tally);
        }
        self.order.retain(|n| !folded.contains(n));
        self.dropped.retain(|n, _| !folded.contains(n));
        self.dropped_tokens = self.dropped.values().map(Slot::tokens).sum();
        self.body.retain(|s| !folded.contains(&s.node));
        let place = self.place_after(at);
        self.order.splice(place..place, with.iter().map(|s| s.node));
        self.body.splice(at..at, with);
        self.watch_outputs_from(first.min(at));
        self.touch(first.min(at));
    }

    /// Takes nodes out of the body and remembers where they stood.
    pub fn drop_nodes(&mut self, nodes: &HashSet<NodeIndex>) {
        let Some(first) = self.first_position(nodes) else { return };
        self.before_edit_in_body(first);
        for slot in self.body.split_off(first) {
            if nodes.contains(&slot.node) {
                self.sums.remove(slot.part, &slot.tally);
                self.dropped_tokens += slot.tokens();
                self.dropped.insert(slot.node, slot);
            } else {
                self.body.push(slot);
            }
        }
        self.watch_outputs_from(first);
        self.touch(first);
    }

    /// Remembers a node that never stood in the body, behind the dropped or shown node `behind`. Gives that, unless it is
    /// the last one.
    pub fn enter_dropped(&mut self, slot: Slot, behind: NodeIndex) -> Option<NodeIndex> {
        let place = self.order.iter().rposition(|n| *n == behind).map_or(self.order.len(), |at| at + 1);
        let is_last = place == self.order.len();
        self.order.insert(place, slot.node);
        self.dropped_tokens += slot.tokens();
        self.dropped.insert(slot.node, slot);
        (!is_last).then_some(behind)
    }

    /// Brings dropped nodes back to where they stood.
    pub fn restore(&mut self, nodes: &HashSet<NodeIndex>) {
        self.before_edit_in_body(0);
        let mut shown: BTreeMap<NodeIndex, Slot> = BTreeMap::new();
        shown.extend(std::mem::take(&mut self.body).into_iter().map(|s| (s.node, s)));
        let (back, dropped) =
            std::mem::take(&mut self.dropped).into_iter().partition(|(n, _)| nodes.contains(n));
        self.dropped = dropped;
        for slot in BTreeMap::values(&back) {
            self.sums.add(slot.part, &slot.tally);
            self.ephemeral.enter(slot);
            self.dropped_tokens -= slot.tokens();
        }
        shown.extend(back);
        self.body = self.order.iter().filter_map(|n| shown.remove(n)).collect();
        let first = self.body.iter().position(|s| nodes.contains(&s.node)).unwrap_or(self.body.len());
        self.watch_outputs();
        self.touch(first);
    }

    /// Gives every node its number in a branch of the conversation; all of them have one.
    pub(super) fn renumber(&mut self, new: &Renumbering) {
        self.before_edit(0);
        let own = |node: NodeIndex| new.of(node).unwrap_or(node);
        self.pruned.retain(|node, _| new.of(*node).is_some());
        let before_body = self.header.iter_mut().chain(&mut self.parts).chain(&mut self.hidden_parts);
        let stands = before_body.chain(&mut self.body).chain(self.dropped.values_mut());
        for slot in stands.chain(self.pruned.values_mut()) {
            slot.node = own(slot.node);
        }
        for node in self.order.iter_mut().chain(&mut self.merged) {
            *node = own(*node);
        }
        for slots in [&mut self.dropped, &mut self.pruned] {
            *slots = std::mem::take(slots).into_values().map(|slot| (slot.node, slot)).collect();
        }
        self.ephemeral = Ephemeral::default();
        for slot in &self.body {
            self.ephemeral.enter(slot);
        }
    }

    /// Shows a dropped message otherwise, where it stood as `before`.
    pub(super) fn replace_dropped(&mut self, slot: Slot, before: &Arc<Message>) {
        if let Some(there) = self.dropped.get_mut(&slot.node)
            && Arc::ptr_eq(&there.message, before)
        {
            self.dropped_tokens = self.dropped_tokens - there.tokens() + slot.tokens();
            *there = slot;
        }
    }

    /// The slot that a pass took out of the body.
    pub fn dropped(&self, node: NodeIndex) -> Option<&Slot> {
        self.dropped.get(&node)
    }

    /// Every node that a pass took out of the body and no fold stands for.
    pub fn dropped_nodes(&self) -> impl Iterator<Item = NodeIndex> + '_ {
        self.dropped.keys().copied()
    }

    /// Tokens of what passes took out of the body, as it stood there.
    pub fn dropped_tokens(&self) -> u64 {
        self.dropped_tokens
    }

    /// The body, and what was dropped from it in its place.
    pub fn with_dropped(&self) -> Vec<&Slot> {
        let mut body = self.body.iter();
        let slot = |n: &NodeIndex| self.dropped.get(n).or_else(|| body.next());
        self.order.iter().filter_map(slot).collect()
    }

    /// The place in the order right before body position `at`.
    fn place_before(&self, at: usize) -> usize {
        let node = self.body.get(at).map(|s| s.node);
        node.and_then(|node| self.order.iter().rposition(|n| *n == node)).unwrap_or(self.order.len())
    }

    /// The place in the order right behind the slot before body position `at`.
    fn place_after(&self, at: usize) -> usize {
        let node = at.checked_sub(1).and_then(|before| self.body.get(before)).map(|s| s.node);
        node.and_then(|node| self.order.iter().rposition(|n| *n == node)).map_or(0, |place| place + 1)
    }

    /// The body position from which on messages stand behind something that was edited since this was last asked.
    pub fn take_edited(&mut self) -> Option<usize> {
        self.edited.take()
    }

    /// From here on, [`View::stable_prefix_tokens`] tells what is still as it is now.
    pub fn mark(&mut self) {
        self.changed_from = None;
        self.fixed_changed = false;
        self.parts_changed_from = None;
        self.marked_tokens = self.tokens();
        self.marked_body = self.body.len();
    }

    /// Tokens at the beginning that are as they were at the last [`View::mark`].
    pub fn stable_prefix_tokens(&self) -> u64 {
        if let Some(at) = self.parts_changed_from.filter(|_| !self.fixed_changed) {
            let before = self.header.iter().chain(&self.parts[..at]).map(Slot::tokens).sum::<u64>();
            return (before + self.tools).min(self.marked_tokens);
        }
        match self.changed_from {
            _ if self.fixed_changed => 0,
            None => self.marked_tokens,
            Some(at) => self.tokens_before(at).min(self.marked_tokens), // what changed may have entered after the mark
        }
    }

    /// Every slot, shown or kept for when it is shown again.
    pub(super) fn all_slots(&self) -> impl Iterator<Item = &Slot> {
        let kept = self.hidden_parts.iter().chain(self.dropped.values()).chain(self.pruned.values());
        self.slots().chain(kept)
    }

    /// Counts every slot anew, and the tool definitions where `tools` are given. What is sent stays the same.
    pub(super) fn recount(&mut self, tools: Option<u64>, count: impl Fn(&Slot) -> Tally) {
        self.before_edit(0);
        self.tools = tools.unwrap_or(self.tools);
        let shown = self.header.iter_mut().chain(&mut self.parts).chain(&mut self.body);
        let kept =
            self.hidden_parts.iter_mut().chain(self.dropped.values_mut()).chain(self.pruned.values_mut());
        for slot in shown.chain(kept) {
            slot.tally = count(slot);
        }
        self.sums = Sums::default();
        for slot in self.header.iter().chain(&self.parts).chain(&self.body) {
            self.sums.add(slot.part, &slot.tally);
        }
        self.dropped_tokens = self.dropped.values().map(Slot::tokens).sum();
        let marked = self.marked_body.min(self.body.len());
        self.marked_tokens = self.fixed_tokens() + self.body[..marked].iter().map(Slot::tokens).sum::<u64>();
        self.watch_outputs();
    }

    /// Tokens of all that stands before body position `at`: the shorter side is summed up.
    fn tokens_before(&self, at: usize) -> u64 {
        let of = |slots: &[Slot]| slots.iter().map(Slot::tokens).sum::<u64>();
        let (before, behind) = self.body.split_at(at.min(self.body.len()));
        if before.len() < behind.len() {
            self.fixed_tokens() + of(before)
        } else {
            self.tokens().saturating_sub(of(behind))
        }
    }

    fn before_edit_in_body(&mut self, at: usize) {
        self.before_edit(self.before_body() + at);
    }

    fn touch(&mut self, at: usize) {
        self.changed_from = Some(self.changed_from.map_or(at, |from| from.min(at)));
        self.edited = Some(self.edited.map_or(at, |from| from.min(at)));
        self.changes.edit(at);
    }

    fn can_be_trimmed(slot: &Slot) -> bool {
        slot.message.role == Role::Tool && slot.form != Form::Placeholder
    }

    fn watch_output(&mut self, at: usize) {
        if Self::can_be_trimmed(&self.body[at]) {
            self.outputs.push_back(at);
        }
    }

    /// `count` slots were put in at body position `at`.
    fn moved(&mut self, at: usize, count: usize) {
        let behind = self.outputs.partition_point(|output| *output < at);
        for output in self.outputs.range_mut(behind..) {
            *output += count;
        }
        let entered = (at..at + count).filter(|at| Self::can_be_trimmed(&self.body[*at]));
        for (i, output) in entered.enumerate() {
            self.outputs.insert(behind + i, output);
        }
    }

    /// Finds the tool outputs that can be trimmed anew, from body position `at` on.
    fn watch_outputs_from(&mut self, at: usize) {
        self.outputs.truncate(self.outputs.partition_point(|output| *output < at));
        for at in at..self.body.len() {
            self.watch_output(at);
        }
    }

    /// Finds the tool outputs that can be trimmed anew.
    pub(super) fn watch_outputs(&mut self) {
        self.watch_outputs_from(0);
    }
}

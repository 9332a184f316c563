use std::cell::{RefCell, RefMut};
use std::collections::VecDeque;

use super::history::History;
use super::media_budget::MediaSums;
use super::node::{NodeIndex, NodeKind, NodeSet};
use super::part_name::PartName;
use super::shared::Shared;
use super::slot::Slot;
use crate::sorted::SortedMap;
use crate::sorting::{sort, sort_by_key};

mod arrange;
mod changes;
mod cut_to;
mod dropped;
mod entering;
mod ephemeral;
mod exchanges;
mod journal;
mod mark;
mod outputs;
mod rebuild;
mod saved;
mod snapshot;
mod sums;

pub use changes::Changes;
use ephemeral::Ephemeral;
use exchanges::Exchanges;
pub use journal::{SlotChange, ViewChanges, ViewMark};
use snapshot::Epochs;
pub use snapshot::Snapshot;
pub use sums::OutputCounts;
use sums::Sums;

/// What the model is sent next. Sums are updated as slots change, so reading them costs nothing. A clone is cheap: long
/// parts are copied only when one of the two is edited.
#[derive(Debug, Clone, Default)]
pub struct View {
    header: Vec<Slot>,
    /// Context parts between header and body: skills, memory, injections.
    parts: Vec<Slot>,
    /// Context parts that a pass took out.
    pub(super) hidden_parts: Vec<Slot>,
    body: Shared<Vec<Slot>>,
    /// The nodes of the body and those that were dropped from it, in order.
    order: Shared<Vec<NodeIndex>>,
    /// What passes took out of the body without a fold, with the form it had there.
    dropped: Shared<SortedMap<NodeIndex, Slot>>,
    dropped_tokens: u64,
    /// Whether a message that opens a turn may be among the dropped ones.
    hides_requests: bool,
    sums: Sums,
    tools: u64,
    /// Body positions of tool outputs that can still be trimmed, oldest first.
    outputs: Shared<VecDeque<usize>>,
    /// The first body position that changed since [`View::mark`].
    changed_from: Option<usize>,
    /// The first body position after an edit since [`View::take_edited`].
    edited: Option<usize>,
    /// Header or tool definitions changed since [`View::mark`].
    fixed_changed: bool,
    /// The first context part that changed since [`View::mark`].
    parts_changed_from: Option<usize>,
    marked_tokens: u64,
    /// The length of the body at [`View::mark`].
    marked_body: usize,
    /// Later instructions that are merged into the header's last message, in order.
    pub(super) merged: Vec<NodeIndex>,
    /// Tool outputs that pruning replaced with placeholders, as they were before.
    pub(super) pruned: SortedMap<NodeIndex, Slot>,
    changes: Changes,
    exchanges: RefCell<Exchanges>,
    ephemeral: Ephemeral,
    /// If texts are cut, the view size that they were cut for: with more room, they come back. Also holds the constants of
    /// `cut_to`.
    cut_to: Option<u64>,
    epochs: Epochs,
}

impl View {
    /// The leading system and developer messages.
    pub fn header(&self) -> &[Slot] {
        &self.header
    }

    /// The context parts between header and body.
    pub fn parts(&self) -> &[Slot] {
        &self.parts
    }

    /// Everything after the header and the context parts.
    pub fn body(&self) -> &[Slot] {
        &self.body
    }

    /// Whether the conversation has begun, even if passes have taken all of it out. A pinned text does not count.
    pub fn has_begun(&self, history: &History) -> bool {
        self.order.iter().any(|n| history.node(*n).kind != NodeKind::Pin)
    }

    /// Header, context parts and body.
    pub fn slots(&self) -> impl Iterator<Item = &Slot> {
        self.header.iter().chain(&self.parts).chain(self.body.iter())
    }

    /// How many messages come before the body.
    pub fn before_body(&self) -> usize {
        self.header.len() + self.parts.len()
    }

    /// The slot at a position counted over header, context parts and body.
    pub fn slot(&self, at: usize) -> Option<&Slot> {
        let behind_header = at.checked_sub(self.header.len());
        let Some(at) = behind_header else { return self.header.get(at) };
        at.checked_sub(self.parts.len()).map_or_else(|| self.parts.get(at), |at| self.body.get(at))
    }

    /// How many messages there are.
    pub fn len(&self) -> usize {
        self.header.len() + self.parts.len() + self.body.len()
    }

    /// Whether there is nothing to send.
    pub fn is_empty(&self) -> bool {
        self.header.is_empty() && self.parts.is_empty() && self.body.is_empty()
    }

    /// All tokens: header, tool definitions, context parts and body.
    pub fn tokens(&self) -> u64 {
        self.sums.total + self.tools
    }

    /// Tokens of everything before the body: header, tool definitions and context parts. Of these, passes may only remove
    /// context parts.
    pub fn fixed_tokens(&self) -> u64 {
        self.header.iter().chain(&self.parts).map(Slot::tokens).sum::<u64>() + self.tools
    }

    /// Tokens of the tool definitions.
    pub fn tools_tokens(&self) -> u64 {
        self.tools
    }

    /// Tokens of tool outputs, without placeholders: what their budget applies to.
    pub fn output_tokens(&self) -> u64 {
        self.sums.of(PartName::ToolOutputs) - self.sums.placeholder_tokens // other messages hold no tool outputs
    }

    /// How many tool outputs are whole, shortened or placeholders.
    pub fn output_counts(&self) -> OutputCounts {
        self.sums.outputs
    }

    /// How many images, documents and sounds there are.
    pub fn media(&self) -> MediaSums {
        self.sums.media
    }

    /// Where the view was edited, for readers that cache what they derived from it.
    pub fn changes(&self) -> &Changes {
        &self.changes
    }

    /// Whether a message that opens a turn may be among what passes took out of the body.
    pub fn hides_requests(&self) -> bool {
        self.hides_requests
    }

    /// Where exchanges begin in the current view. Only exchanges whose user message is shown count.
    pub fn exchanges(&self) -> RefMut<'_, Exchanges> {
        let mut exchanges = self.exchanges.borrow_mut();
        exchanges.catch_up(&self.body, &self.changes);
        exchanges
    }

    /// `(part, tokens, messages)` of every part that is not empty, including tool definitions.
    pub fn tokens_by_part(&self) -> Vec<(PartName, u64, u64)> {
        let mut parts: Vec<_> = self.sums.parts().collect();
        if self.tools > 0 {
            let at = parts.iter().position(|(p, ..)| *p > PartName::Tools).unwrap_or(parts.len());
            parts.insert(at, (PartName::Tools, self.tools, 0));
        }
        parts
    }

    /// The body position of a node. Most nodes are in the order in which they entered; others are searched for from the end, since recent
    /// nodes are asked for most.
    pub fn position(&self, node: NodeIndex) -> Option<usize> {
        let in_order = self.body.partition_point(|slot| slot.node < node);
        let is_there = self.body.get(in_order).is_some_and(|slot| slot.node == node);
        if is_there { Some(in_order) } else { self.body.iter().rposition(|slot| slot.node == node) }
    }

    /// The lowest body position of these nodes. Searches from the end, until all are found.
    pub(super) fn first_position(&self, nodes: &NodeSet) -> Option<usize> {
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
            self.sums.remove(slot);
        }
        for slot in &slots {
            self.sums.add(slot);
        }
        self.header = slots;
        self.fixed_changed = true;
        self.edited = Some(0);
        self.changes.edit_header();
    }

    /// Brings back the context parts that a pass took out, in their places. Returns them in order.
    pub(super) fn show_all_parts(&mut self) -> Vec<NodeIndex> {
        let mut back: Vec<NodeIndex> = self.hidden_parts.iter().map(|slot| slot.node).collect();
        if back.is_empty() {
            return back;
        }
        sort(&mut back);
        let mut parts = self.parts.clone();
        parts.append(&mut self.hidden_parts);
        sort_by_key(&mut parts, |slot| slot.node);
        self.set_parts(parts);
        back
    }

    /// Replaces the context parts between header and body.
    pub(super) fn set_parts(&mut self, slots: Vec<Slot>) {
        let same = self.parts.iter().zip(&slots).take_while(|(a, b)| a.node == b.node).count();
        if same == self.parts.len() && same == slots.len() {
            return;
        }
        self.before_edit(self.header.len() + same);
        for slot in &self.parts {
            self.sums.remove(slot);
        }
        for slot in &slots {
            self.sums.add(slot);
        }
        self.parts = slots;
        self.parts_changed_from = Some(self.parts_changed_from.map_or(same, |from| from.min(same)));
        self.edited = Some(0);
        self.changes.edit_header();
    }
}

//! Tool outputs that look like another one. Each is examined only once.

use super::history::History;
use super::node::{NodeIndex, NodeSet};
use crate::hashing::hash;
use crate::message::Role;

/// An empty place in the table.
const FREE: u32 = u32::MAX;

/// Tool outputs of the history that look like another one; few do.
#[derive(Debug, Clone, Default)]
pub(super) struct Duplicates {
    /// How many nodes were examined.
    examined: usize,
    /// A hash table from the fingerprint of an output to the first node that has it. Its size is a power of two, and at most half
    /// of it is used.
    table: Vec<(u64, u32)>,
    taken: usize,
    found: NodeSet,
}

impl Duplicates {
    /// What was found so far.
    pub fn found(&self) -> &NodeSet {
        &self.found
    }

    /// Examines at most `max` more messages.
    pub fn examine_more(&mut self, history: &History, max: usize) {
        for (index, node) in history.nodes_from(self.examined).take(max) {
            self.examined = index.get() + 1;
            if node.message.role == Role::Tool
                && let Some(fingerprint) = fingerprint(history, index)
            {
                self.enter(fingerprint, index.0);
            }
        }
    }

    fn enter(&mut self, fingerprint: u64, number: u32) {
        if self.table.len() <= self.taken * 2 {
            let larger = vec![(0, FREE); (self.table.len() * 2).max(16)];
            for (fingerprint, number) in std::mem::replace(&mut self.table, larger) {
                if number != FREE {
                    let place = self.place(fingerprint);
                    self.table[place] = (fingerprint, number);
                }
            }
        }
        let place = self.place(fingerprint);
        let (_, first) = self.table[place];
        if first == FREE {
            self.table[place] = (fingerprint, number);
            self.taken += 1;
        } else {
            self.found.extend([NodeIndex(first), NodeIndex(number)]);
        }
    }

    /// The position in the table for an output with this fingerprint.
    fn place(&self, fingerprint: u64) -> usize {
        let mask = self.table.len() - 1;
        let mut at = fingerprint as usize & mask;
        while self.table[at].1 != FREE && self.table[at].0 != fingerprint {
            at = (at + 1) & mask;
        }
        at
    }
}

/// A fingerprint of a tool output: how many texts it has, their length, and the two ends of the first. `None` if it contains
/// anything but text.
fn fingerprint(history: &History, node: NodeIndex) -> Option<u64> {
    const END: usize = 24;
    let (mut parts, mut bytes) = (0u32, 0);
    for text in history.output_texts(node) {
        parts += 1;
        bytes += text?.len();
    }
    let first = history.output_texts(node).next().flatten().unwrap_or_default().as_bytes();
    let end = first.len().min(END);
    let mut fingerprint = [0; 2 * END];
    fingerprint[..end].copy_from_slice(&first[..end]);
    fingerprint[END..END + end].copy_from_slice(&first[first.len() - end..]);
    Some(hash(&fingerprint) ^ hash(&u64::to_le_bytes(bytes as u64)).rotate_left(parts))
}

impl History {
    /// The texts of a tool output as it was pushed; `None` for each part that is not text.
    pub fn output_texts(&self, node: NodeIndex) -> impl Iterator<Item = Option<&str>> {
        let parts = self.node(node).message.tool_outputs().flat_map(|o| &o.content);
        parts.map(|part| part.as_text().map(|text| &**text))
    }
}

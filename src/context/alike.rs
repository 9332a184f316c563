//! Tool outputs that look like another one. Each is examined once, together with its facts.

use super::core::Context;
use super::history::History;
use super::node::{NodeIndex, NodeSet};
use super::shared::Shared;
use crate::hashing::hash;
use crate::message::{Part, Role};

/// An empty place in the table.
const FREE: u32 = u32::MAX;

/// Tool outputs of the history that look like another one. Most look like none.
#[derive(Debug, Clone, Default)]
pub(super) struct Alike {
    /// So many nodes were looked at.
    seen: usize,
    /// The first output that looks so, by its looks; a power of two of places, at most half of them taken.
    table: Vec<(u64, u32)>,
    taken: usize,
    found: NodeSet,
}

impl Context {
    /// The tool outputs that look like another one of the history: whether they say the same, only their texts can tell.
    pub fn outputs_alike(&mut self) -> &NodeSet {
        self.alike.look_on(&self.history, usize::MAX);
        &self.alike.found
    }

    /// Looks at some messages more that it will be asked about.
    pub fn look_ahead(&mut self, most: usize) {
        self.alike.look_on(&self.history, most);
    }

    /// Forgets what outputs look like: some have others now.
    pub(super) fn look_anew(&mut self) {
        self.alike = Shared::default();
    }
}

impl Alike {
    fn look_on(&mut self, history: &History, most: usize) {
        for (at, node) in history.nodes().iter().enumerate().skip(self.seen).take(most) {
            self.seen = at + 1;
            if node.message.role == Role::Tool
                && let Some(looks) = looks(history, NodeIndex(at as u32))
            {
                self.enter(looks, at as u32);
            }
        }
    }

    fn enter(&mut self, looks: u64, number: u32) {
        if self.table.len() <= self.taken * 2 {
            let larger = vec![(0, FREE); (self.table.len() * 2).max(16)];
            for (looks, number) in std::mem::replace(&mut self.table, larger) {
                if number != FREE {
                    let place = self.place(looks);
                    self.table[place] = (looks, number);
                }
            }
        }
        let place = self.place(looks);
        let (_, first) = self.table[place];
        if first == FREE {
            self.table[place] = (looks, number);
            self.taken += 1;
        } else {
            self.found.extend([NodeIndex(first), NodeIndex(number)]);
        }
    }

    /// Where one that looks so stands in the table, or would.
    fn place(&self, looks: u64) -> usize {
        let most = self.table.len() - 1;
        let mut at = looks as usize & most;
        while self.table[at].1 != FREE && self.table[at].0 != looks {
            at = (at + 1) & most;
        }
        at
    }
}

/// How a tool output looks from afar: how many texts it has, how long they are, and the first one's two ends. `None` where
/// something else than text stands in it.
fn looks(history: &History, node: NodeIndex) -> Option<u64> {
    const END: usize = 24;
    let (mut parts, mut bytes) = (0u32, 0);
    for text in history.output_texts(node) {
        parts += 1;
        bytes += text?.len();
    }
    let first = history.output_texts(node).next().flatten().unwrap_or_default().as_bytes();
    let end = first.len().min(END);
    let mut looks = [0; 2 * END];
    looks[..end].copy_from_slice(&first[..end]);
    looks[END..END + end].copy_from_slice(&first[first.len() - end..]);
    Some(hash(&looks) ^ hash(&u64::to_le_bytes(bytes as u64)).rotate_left(parts))
}

impl History {
    /// The texts of a tool output as it was pushed; `None` for what is none.
    pub fn output_texts(&self, node: NodeIndex) -> impl Iterator<Item = Option<&str>> {
        fn text(part: &Part) -> Option<&str> {
            match part {
                Part::Text { text, .. } => Some(text),
                _ => None,
            }
        }
        self.node(node).message.tool_outputs().flat_map(|o| &o.content).map(text)
    }
}

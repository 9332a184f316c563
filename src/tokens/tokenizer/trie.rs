//! Finds the tokens that a text begins with, byte by byte.

use crate::vocab::Vocab;

/// The tokens of a vocabulary by their bytes. The children of a node are adjacent and sorted by byte.
pub struct Trie {
    nodes: Vec<Node>,
    /// The byte that leads to each node.
    labels: Vec<u8>,
    /// The root's children by their bytes.
    root: [u32; 256],
}

#[derive(Clone, Copy)]
struct Node {
    first: u32,
    end: u32,
    token: u32,
}

const NONE: u32 = u32::MAX;
/// Up to this many children are searched linearly.
const MAX_LINEAR_CHILDREN: usize = 8;

impl Trie {
    pub fn new(vocab: &Vocab) -> Self {
        let text = |place: u32| vocab.text_of(place).as_bytes();
        let mut order: Vec<u32> = (0..vocab.len() as u32).filter(|&place| !text(place).is_empty()).collect();
        order.sort_unstable_by_key(|&place| text(place));
        let root = Node { first: NONE, end: NONE, token: NONE };
        let mut made = Self { nodes: vec![root], labels: vec![0], root: [NONE; 256] };
        // For each node: the range of tokens that begin with it, and its depth.
        let mut below = vec![(0, order.len(), 0)];
        let mut at = 0;
        while let Some(&(mut from, to, depth)) = below.get(at) {
            let byte = |of: usize| order.get(of).and_then(|&place| text(place).get(depth)).copied();
            let first = made.nodes.len() as u32;
            let mut token = NONE;
            while from < to {
                let Some(label) = byte(from) else {
                    token = order.get(from).copied().unwrap_or(NONE);
                    from += 1;
                    continue;
                };
                let end = (from..to).find(|&of| byte(of) != Some(label)).unwrap_or(to);
                below.push((from, end, depth + 1));
                made.nodes.push(root);
                made.labels.push(label);
                from = end;
            }
            let end = made.nodes.len() as u32;
            if let Some(node) = made.nodes.get_mut(at) {
                *node = Node { first, end, token };
            }
            at += 1;
        }
        for byte in 0..=255_u8 {
            let child = made.nodes.first().and_then(|&root| made.child(root, byte));
            if let Some(slot) = made.root.get_mut(usize::from(byte)) {
                *slot = child.unwrap_or(NONE);
            }
        }
        made
    }

    /// Calls `each` with the length and place of every token that `text` begins with, shortest first.
    pub fn beginnings(&self, text: &[u8], mut each: impl FnMut(usize, u32)) {
        let Some((&first, rest)) = text.split_first() else { return };
        let root = self.root.get(usize::from(first)).copied().unwrap_or(NONE);
        let Some(mut node) = self.nodes.get(root as usize).copied() else { return };
        let mut len = 1;
        for &byte in rest {
            if node.token != NONE {
                each(len, node.token);
            }
            let next = self.child(node, byte).and_then(|child| self.nodes.get(child as usize));
            let Some(&next) = next else { return };
            node = next;
            len += 1;
        }
        if node.token != NONE {
            each(len, node.token);
        }
    }

    fn child(&self, node: Node, byte: u8) -> Option<u32> {
        let labels = self.labels.get(node.first as usize..node.end as usize)?;
        let at = if labels.len() <= MAX_LINEAR_CHILDREN {
            labels.iter().position(|&label| label == byte)
        } else {
            labels.binary_search(&byte).ok()
        };
        at.map(|at| node.first + at as u32)
    }
}

//! A history in a branch of the conversation.

use super::{History, compactions, reasons};
use crate::context::node::{NodeIndex, NodeKind};
use crate::context::renumbering::Renumbering;
use crate::hashing::HashMap;

impl History {
    /// Keeps only the nodes that have a number in the branch, under that number.
    pub(in crate::context) fn renumber(&mut self, new: &Renumbering) {
        let old = std::mem::take(self);
        self.inserted = old.inserted.renumbered(new);
        self.away = old.away.into_iter().filter_map(|(n, away)| Some((new.of(n)?, away))).collect();
        self.generated = old.generated;
        for (index, mut node) in old.nodes.into_iter().enumerate() {
            let Some(own) = new.of(NodeIndex(index as u32)) else { continue };
            node.folded_by = node.folded_by.and_then(|by| new.of(by));
            // If two nodes have the same id, it refers to the later one; but a message's own id wins over one that the
            // engine made.
            let stands_for_its_id = node.kind == NodeKind::Message || self.find(&node.id).is_none();
            self.has_reasoning |= reasons(&node.message);
            self.nodes.push(node);
            if stands_for_its_id {
                self.ids.insert(&self.nodes, own);
            }
        }
        self.compactions = compactions(&self.nodes, 0).collect();
        self.pushed_tokens = self.all_pushed_tokens();
        self.links.catch_up(&self.nodes, &HashMap::default(), HashMap::default()); // none of them left the conversation
        for (id, call) in old.open_calls {
            if let Some(call) = call.renumbered(new) {
                self.open_calls.insert(id, call);
            }
        }
    }
}

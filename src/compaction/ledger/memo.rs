use std::collections::BTreeMap;
use std::sync::Arc;

use super::carried::Carried;
use super::read::reading;
use crate::compaction::Redact;
use crate::context::{Context, NodeIndex, NodeKind};
use crate::error::Result;
use crate::saved::{MapEdit, saved};

/// More folds than these are not taken back at once; what is not remembered is read again.
const REMEMBERED: usize = 4;

/// What the last folds carry, so that the next one reads only what is new.
#[derive(Debug, Clone, Default)]
pub struct Memo {
    by_summary: BTreeMap<NodeIndex, Arc<Carried>>,
}

saved!(struct Memo { by_summary });

impl Memo {
    /// What `members` carry, earlier folds among them with all that those stand for. Fails where `redact` does.
    pub fn of(&self, context: &Context, members: &[NodeIndex], redact: Option<&Redact>) -> Result<Carried> {
        let known = members.iter().rev().find_map(|m| Some((*m, self.by_summary.get(m)?)));
        let mut carried = known.map_or_else(Carried::default, |(_, carried)| Carried::clone(carried));
        let mut messages: Vec<NodeIndex> = Vec::new();
        let mut next: Vec<NodeIndex> = members.iter().rev().copied().collect();
        while let Some(index) = next.pop() {
            let node = context.history.node(index);
            match node.kind {
                NodeKind::Message => messages.push(index),
                NodeKind::Summary if known.is_none_or(|(k, _)| k != index) => {
                    let fold = context.folds.iter().find(|f| f.summary == index);
                    next.extend(fold.into_iter().flat_map(|f| f.members.iter().rev()));
                }
                // The retained text is the summariser's; a stand-in says nothing, and a pin is never folded.
                NodeKind::Summary
                | NodeKind::Retain
                | NodeKind::Ask
                | NodeKind::StandIn
                | NodeKind::Pin
                | NodeKind::Part => {}
            }
        }
        reading(context, &messages, redact, |read| carried.add(read))?;
        Ok(carried)
    }

    /// What it remembers now and did not before.
    pub fn changes_since(&self, before: &Self) -> MapEdit<NodeIndex, Arc<Carried>> {
        MapEdit::between(&before.by_summary, &self.by_summary, Arc::ptr_eq)
    }

    /// Remembers that, too.
    pub fn put_changes(&mut self, changes: MapEdit<NodeIndex, Arc<Carried>>) {
        changes.apply(&mut self.by_summary);
    }

    /// Remembers what the fold under `summary` carries.
    pub fn keep(&mut self, summary: NodeIndex, carried: Carried) {
        self.by_summary.insert(summary, Arc::new(carried));
        if self.by_summary.len() > REMEMBERED {
            self.by_summary.pop_first();
        }
    }
}

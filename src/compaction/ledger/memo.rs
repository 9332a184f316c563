use std::sync::Arc;

use super::carried::CarriedFacts;
use super::message_facts::with_redacted_facts;
use crate::compaction::Redact;
use crate::context::{Context, NodeIndex, NodeKind, NodeSet};
use crate::error::Result;
use crate::saved::MapEdit;
use crate::sorted::SortedMap;

/// At most this many folds are remembered: more are not undone at once, and forgotten ones are read again.
const REMEMBERED: usize = 4;

/// The facts of the last folds, so that the next one only reads what is new.
#[derive(Debug, Clone, Default)]
pub struct Memo {
    by_summary: SortedMap<NodeIndex, Arc<CarriedFacts>>,
}

impl Memo {
    /// The facts of `members`, including everything under earlier folds. Fails if `redact` does.
    pub fn of(
        &self,
        context: &Context,
        members: &[NodeIndex],
        redact: Option<&Redact>,
    ) -> Result<CarriedFacts> {
        let known = members.iter().rev().find_map(|m| Some((*m, self.by_summary.get(m)?)));
        let mut carried =
            known.map_or_else(CarriedFacts::default, |(_, carried)| CarriedFacts::clone(carried));
        let is_own: NodeSet = members.iter().copied().collect();
        let (mut own, mut earlier) = (Vec::new(), Vec::new());
        let mut next: Vec<NodeIndex> = members.iter().rev().copied().collect();
        while let Some(index) = next.pop() {
            let node = context.history.node(index);
            match node.kind {
                NodeKind::Message if is_own.contains(&index) => own.push(index),
                NodeKind::Message => earlier.push(index),
                NodeKind::Summary if known.is_none_or(|(k, _)| k != index) => {
                    let fold = context.folds.iter().find(|f| f.summary == index);
                    next.extend(fold.into_iter().flat_map(|f| f.members.iter().rev()));
                }
                // The retained text was written by the summariser, a placeholder says nothing, and a pin is never folded.
                NodeKind::Summary
                | NodeKind::Retain
                | NodeKind::Ask
                | NodeKind::StandIn
                | NodeKind::Pin
                | NodeKind::Part => {}
            }
        }
        with_redacted_facts(context, &earlier, redact, |read| carried.add(read))?;
        carried.begin_fold();
        with_redacted_facts(context, &own, redact, |read| carried.add(read))?;
        Ok(carried)
    }

    /// The entries added or removed since `before`.
    pub fn changes_since(&self, before: &Self) -> MapEdit<NodeIndex, Arc<CarriedFacts>> {
        MapEdit::between(&before.by_summary, &self.by_summary, Arc::ptr_eq).map(Arc::clone)
    }

    /// Applies such changes.
    pub fn put_changes(&mut self, changes: MapEdit<NodeIndex, Arc<CarriedFacts>>) {
        changes.apply(&mut self.by_summary);
    }

    /// Remembers the facts of the fold with this `summary`.
    pub fn keep(&mut self, summary: NodeIndex, mut carried: CarriedFacts) {
        carried.end_fold();
        self.by_summary.insert(summary, Arc::new(carried));
        if self.by_summary.len() > REMEMBERED {
            self.by_summary.pop_first();
        }
    }
}

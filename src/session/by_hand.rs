//! Folds with a summary written by the caller.

use super::state::Session;
use crate::compaction::{Layout, engine_message};
use crate::context::{FoldMessages, NodeIndex, NodeKind, NodeSet, Unit};
use crate::error::{Error, ErrorCode, Result};
use crate::message::Role;

impl Session {
    /// Folds messages and earlier folds under the caller's own summary. The fold is laid out like the ladder's folds, and
    /// [`Session::unfold`] undoes it. Returns its id.
    ///
    /// # Errors
    /// Those of [`ContextGraph::compress`](crate::graph::ContextGraph::compress); and `GRAPH_CONSTRAINT` with the ids of messages that
    /// may not be folded: the header, pinned messages, the newest user message, part of a step, messages that left the
    /// conversation. Nothing has changed then.
    pub fn fold_by_hand(&mut self, ids: &[String], summary: &str) -> Result<String> {
        self.graph()?;
        let tried = self.lanes.graph.graph.compress(ids, summary)?;
        self.lanes.graph.graph.expand(&tried)?;
        let named: NodeSet = ids.iter().filter_map(|id| self.context.history.find(id)).collect();
        let members = self.whole_units(&named)?;
        let layout = self.config.ladder.passes().iter().find_map(|p| p.layout()).unwrap_or_default();
        let made = layout.messages(None, engine_message(Role::User, summary.trim()), Layout::ASK, None);
        // A fold that begins with a user message may stand first in the view. Any other is tried on a copy first.
        let first = made.retain.as_ref().or(made.ask.as_ref()).unwrap_or(&made.summary);
        let begins_with_user = first.role == Role::User && !made.behind_earlier;
        if !begins_with_user && !self.stays_folded(&members, &made) {
            let ids = self.context.ids(&members).join("`, `");
            let why = format!(
                "`{ids}`: the view must begin with a user message, and no other one would be left; fold the messages after it as well"
            );
            return Err(Error::new(ErrorCode::GraphConstraint, why));
        }
        self.drop_bound_thinking(&[]);
        let fold = self.context.fold(members, made);
        self.context.begin_with_user_behind(fold);
        self.context.replace_stale_pointers();
        self.after_edit();
        Ok(self.context.history.node(fold).id.to_string())
    }

    /// Whether a fold of these members survives the rule that the view begins with a user message.
    fn stays_folded(&self, members: &[NodeIndex], made: &FoldMessages) -> bool {
        let mut tried = self.context.clone();
        let fold = tried.fold(members.to_vec(), made.clone());
        tried.begin_with_user();
        tried.folds.iter().any(|f| f.summary == fold)
    }

    /// The nodes of all units that the named nodes belong to, in view order. Fails if a unit is named only in part.
    fn whole_units(&self, named: &NodeSet) -> Result<Vec<NodeIndex>> {
        let refuse = |nodes: &[NodeIndex], why: &str| {
            let ids: Vec<String> = self.context.ids(nodes).iter().map(|id| format!("`{id}`")).collect();
            Err(Error::new(ErrorCode::GraphConstraint, format!("{}: {why}", ids.join(", "))))
        };
        let units = self.context.units();
        let newest_user = units.iter().rposition(Unit::opens_turn);
        let mut members = Vec::new();
        let mut left: NodeSet = named.clone();
        for (at, unit) in units.iter().enumerate() {
            if !unit.nodes.iter().any(|n| named.contains(n)) {
                continue;
            }
            let pushed = |n: &&NodeIndex| self.context.history.node(**n).kind == NodeKind::Message;
            let missing: Vec<NodeIndex> =
                unit.nodes.iter().filter(pushed).filter(|n| !named.contains(n)).copied().collect();
            if !missing.is_empty() {
                return refuse(
                    &missing,
                    "a tool call and its outputs must be folded together; name these as well",
                );
            }
            if unit.fixed {
                return refuse(
                    &unit.nodes,
                    "pinned messages, steps with running tool calls and the provider's own compactions cannot be folded",
                );
            }
            if Some(at) == newest_user {
                return refuse(&unit.nodes, "the newest user message cannot be folded");
            }
            for node in unit.nodes.iter() {
                left.remove(node);
            }
            members.extend(unit.nodes.iter().copied());
        }
        // The messages that were inserted beside a summary are folded with it.
        let beside = self.context.folds.iter().filter(|f| named.contains(&f.summary));
        let beside: NodeSet = beside.flat_map(|f| [f.retain, f.ask]).flatten().collect();
        if !beside.is_empty() {
            let inside: NodeSet = members.iter().copied().collect();
            let stands = units.iter().flat_map(|u| u.nodes.iter().copied());
            members.extend(stands.filter(|n| beside.contains(n) && !inside.contains(n)));
        }
        let left: Vec<NodeIndex> = left.iter().collect();
        if left.is_empty() {
            return Ok(members);
        }
        refuse(&left, "it is in the header or no longer in the conversation, so it cannot be folded")
    }
}

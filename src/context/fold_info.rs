//! What folds there are, and which messages they stand for.

use serde::Serialize;

use super::core::Context;
use super::node::{NodeIndex, NodeKind, NodeSet};
use crate::facts::{recorded_messages, without_ledger};

/// A fold, for the caller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct FoldInfo {
    /// The fold's id: its summary's.
    pub id: String,
    /// Ids of the messages that it replaced, including those of earlier folds.
    pub items: Vec<String>,
    /// The summary's text, without its ledger.
    pub summary: String,
    /// Facts that the summary left out and the engine appended to it, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ledger: Option<String>,
    /// The retained text, if the summariser's answer had one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retain: Option<String>,
    /// Tokens that these messages took in the view.
    pub tokens_folded: u64,
    /// Tokens of the summary and of the messages shown with it.
    pub tokens: u64,
    /// `true` if the view shows it; `false` if it is inside a later fold.
    pub in_view: bool,
}

impl Context {
    /// Every fold, for the caller. A fold inside another one stands for nothing any more if a pin took all its messages out: the
    /// outer one's undo removes it, so it cannot be undone by itself.
    pub fn fold_infos(&self) -> Vec<FoldInfo> {
        let in_view: NodeSet = self.view.body().iter().map(|s| s.node).collect();
        let text = |n: NodeIndex| self.history.node(n).message.plain_text();
        let tokens = |n: NodeIndex| self.history.node(n).tally.total();
        self.folds
            .iter()
            .filter(|fold| !self.stands_for_nothing(fold))
            .map(|fold| (fold, without_ledger(&fold.text)))
            .map(|(fold, (summary, ledger))| FoldInfo {
                id: self.history.node(fold.summary).id.to_string(),
                items: self.ids(&self.real_members(&fold.members)),
                summary: summary.to_owned(),
                ledger: ledger.map(str::to_owned),
                retain: fold.retain.map(text),
                tokens_folded: fold.tokens_folded,
                tokens: tokens(fold.summary) + fold.retain.map_or(0, tokens) + fold.ask.map_or(0, tokens),
                in_view: in_view.contains(&fold.summary),
            })
            .collect()
    }

    /// Members of a fold without the folds that stand for nothing.
    fn real_members(&self, members: &[NodeIndex]) -> Vec<NodeIndex> {
        let is_empty = |m: NodeIndex| self.history.node(m).kind == NodeKind::Summary && self.is_empty_fold(m);
        members.iter().copied().filter(|m| !is_empty(*m)).collect()
    }

    /// How many messages these nodes represent: themselves, those under the folds among them, and those of which records from elsewhere
    /// tell. And how many of them came after the first user message that the view shows without these nodes.
    pub fn messages_under(&self, nodes: &[NodeIndex]) -> [usize; 2] {
        let set: NodeSet = nodes.iter().copied().collect();
        let opens_turn = |node: NodeIndex| {
            let node = self.history.node(node);
            node.kind == NodeKind::Message && node.message.opens_turn()
        };
        let mut shown = self.view.body().iter().map(|slot| slot.node);
        let request = shown.find(|node| !set.contains(node) && opens_turn(*node));
        let place = request.map(|node| self.history.place(node));
        let behind = self.messages_behind(nodes);
        let (mut all, mut after) = (0_usize, 0_usize);
        for node in behind.as_deref().unwrap_or(nodes) {
            let messages = recorded_messages(&self.history.node(*node).message).max(1);
            all = all.saturating_add(messages);
            if place.is_some_and(|place| self.history.place(*node) > place) {
                after = after.saturating_add(messages);
            }
        }
        [all, after]
    }

    /// The messages behind these nodes: a summary's messages, also through the folds that it folds, and nothing for other
    /// messages of the engine. `None` if all of them are messages of the caller.
    pub fn messages_behind(&self, nodes: &[NodeIndex]) -> Option<Vec<NodeIndex>> {
        let is_message = |node: &NodeIndex| self.history.node(*node).kind == NodeKind::Message;
        if nodes.iter().all(is_message) {
            return None;
        }
        let mut left: Vec<NodeIndex> = nodes.iter().rev().copied().collect();
        let mut messages = Vec::new();
        while let Some(node) = left.pop() {
            if is_message(&node) {
                messages.push(node);
            } else if let Some(fold) = self.folds.iter().find(|fold| fold.summary == node) {
                left.extend(fold.members.iter().rev());
            }
        }
        Some(messages)
    }
}

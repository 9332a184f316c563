//! Messages in the view, each in one of several forms.

use std::sync::Arc;

use super::history::History;
use super::node::NodeIndex;
use super::part_name::PartName;
use super::tally::Tally;
use crate::message::{Message, Part, Role};
use crate::names::names;
use crate::saved::saved;

names! {
    /// The form in which the view shows a message.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Form {
        /// As it was pushed.
        Whole = "whole",
        /// A tool output cut to the in-context view's bounds (CACHE-3).
        Cut = "cut",
        /// A tool output that was replaced with a placeholder (CACHE-4).
        Placeholder = "placeholder",
        /// Its long texts lost their middle: by the even cut (COMP-25), or as a last resort (COMP-19).
        Shortened = "shortened",
        /// JSON that was compressed (CACHE-8).
        Compressed = "compressed",
        /// An assistant message without its tool calls.
        Stripped = "stripped",
        /// A tool output's head and tail (CACHE-9).
        Truncated = "truncated",
        /// A pointer to the same output further down (PASS-13).
        Pointer = "pointer",
        /// An assistant message without thinking that its provider would refuse: the thinking was bound to what came before it
        /// (PROV-3b), or its stream was cut off before the signature came.
        Unbound = "unbound",
        /// The base prompt with later instructions merged into it.
        Merged = "merged",
        /// Some images, documents or sounds in it are placeholders, because a request may hold only a limited number.
        MediaTrimmed = "media_trimmed",
    }
}

/// A message in the view.
#[derive(Debug, Clone, PartialEq)]
pub struct Slot {
    /// The node that it shows.
    pub node: NodeIndex,
    /// What is sent: the node's own message, or a shorter one.
    pub message: Arc<Message>,
    /// The tokens of what is sent.
    pub tally: Tally,
    /// The part of the report that its text counts toward.
    pub part: PartName,
    /// The form in which the view shows it.
    pub form: Form,
}

impl Slot {
    /// The node as it was pushed, without thinking that was cut off.
    pub fn whole(history: &History, index: NodeIndex) -> Self {
        let node = history.node(index);
        let (message, form) = match without_cut_off_thinking(&node.message) {
            Some(rest) => (Arc::new(rest), Form::Unbound),
            None if history.is_away(index) => (node.message.clone(), Form::Placeholder),
            None => (node.message.clone(), Form::Whole),
        };
        Self { node: index, message, tally: node.tally, part: node.part(), form }
    }

    /// Its role.
    pub fn role(&self) -> Role {
        match self.part {
            PartName::User => Role::User,
            PartName::Assistant => Role::Assistant,
            PartName::ToolOutputs => Role::Tool,
            _ => self.message.role,
        }
    }

    /// Whether it opens a turn.
    pub fn opens_turn(&self) -> bool {
        !matches!(self.part, PartName::Assistant | PartName::ToolOutputs) && self.message.opens_turn()
    }

    /// Whether it has tool calls.
    pub fn has_calls(&self) -> bool {
        self.tally.calls() > 0
    }

    /// Tokens of what is sent.
    pub fn tokens(&self) -> u64 {
        self.tally.total()
    }
}

/// A message in the form that it had in the view.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedSlot {
    /// Its slot.
    pub slot: Slot,
    /// Whether the view showed it. If false, a pass had dropped it, and this was its place.
    pub shown: bool,
}

impl PlacedSlot {
    /// Whether its form cannot be derived from the history alone.
    pub(super) fn is_altered(&self) -> bool {
        !self.shown || self.slot.form != Form::Whole
    }
}

saved!(enum Form);

/// The message without thinking whose signature never came; `None` if it has no such thinking.
fn without_cut_off_thinking(message: &Message) -> Option<Message> {
    if !message.parts.iter().any(Part::is_cut_off_thinking) {
        return None;
    }
    let mut rest = message.clone();
    rest.parts.retain(|part| !part.is_cut_off_thinking());
    Some(rest)
}

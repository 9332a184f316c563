//! Folds, and the messages that stand for them in the view.

use super::node::NodeIndex;
use super::slot::PlacedSlot;
use crate::message::Message;
use crate::saved::saved;

/// A fold: messages of the history that a summary replaces in the view.
#[derive(Debug, Clone, PartialEq)]
pub struct Fold {
    /// The nodes that it replaced, in view order, including earlier summaries.
    pub members: Vec<NodeIndex>,
    /// The summary's node.
    pub summary: NodeIndex,
    /// The node of the text that is retained word for word.
    pub retain: Option<NodeIndex>,
    /// The node of the message that asks for the summary, if the layout shows one.
    pub ask: Option<NodeIndex>,
    /// The summary's text including its ledger, without the frame that the layout adds.
    pub text: String,
    /// Tokens of the members in the view, in the form they had there.
    pub tokens_folded: u64,
    /// When it was made, by the caller's clock.
    pub created_at: Option<f64>,
    /// What an unfold restores: the form of members that were not whole, and messages that came back into the view, or are
    /// shown in another form, because of the fold.
    pub altered: Vec<PlacedSlot>,
    /// Members that were pointers to the same output further down, each with its target.
    pub pointers: Vec<(NodeIndex, NodeIndex)>,
}

saved!(struct Fold { members, summary, retain, ask, text, tokens_folded, created_at, pointers } fresh {
    altered: Vec::new(), // beside it: see `FoldChange`
});

/// The messages that represent a fold in the view, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct FoldMessages {
    /// The text that is retained word for word.
    pub retain: Option<Message>,
    /// The message that asks for the summary, if the layout shows one.
    pub ask: Option<Message>,
    /// The summary.
    pub summary: Message,
    /// The summary's text, without the frame that the layout adds.
    pub text: String,
    /// Whether they come behind existing folds, not before them.
    pub behind_earlier: bool,
}

impl FoldMessages {
    /// The sum of their tokens, counted one by one.
    pub fn tokens(&self, count: impl Fn(&Message) -> u64) -> u64 {
        self.retain.iter().chain(&self.ask).chain([&self.summary]).map(count).sum()
    }
}

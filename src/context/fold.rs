use serde::Serialize;

use super::NodeIndex;
use super::view::{Form, Slot};
use crate::message::Message;
use crate::saved::saved;

/// A compaction result: what stands in the view for a run of history.
#[derive(Debug, Clone, PartialEq)]
pub struct Fold {
    /// The nodes that it stands for, in view order; earlier summaries among them.
    pub members: Vec<NodeIndex>,
    /// The summary's node.
    pub summary: NodeIndex,
    /// The node of the text that was to be retained verbatim.
    pub retain: Option<NodeIndex>,
    /// The node of the message that asks for the summary, where that stands in the view.
    pub ask: Option<NodeIndex>,
    /// What the summary says, its ledger included, without the frame that a layout gives it.
    pub text: String,
    /// Tokens of the members as they stood in the view.
    pub tokens_folded: u64,
    /// When, by the caller's clock.
    pub created_at: Option<f64>,
    /// What an unfold restores: how members stood that were not whole, and what came back into the view because of the
    /// fold.
    pub altered: Vec<Stood>,
    /// Members that pointed to the same output further down, and to which.
    pub pointers: Vec<(NodeIndex, NodeIndex)>,
}

/// How a message stood in the view.
#[derive(Debug, Clone, PartialEq)]
pub struct Stood {
    /// Its slot.
    pub slot: Slot,
    /// It stood there. If false, a pass had dropped it, and this was its place.
    pub shown: bool,
}

impl Stood {
    /// Whether the history alone does not tell it.
    pub(super) fn is_altered(&self) -> bool {
        !self.shown || self.slot.form != Form::Whole
    }

    /// Whether it stood with its calls.
    pub(super) fn shows_calls(&self) -> bool {
        self.shown && self.slot.message.tool_calls().next().is_some()
    }
}

saved!(struct Fold { members, summary, retain, ask, text, tokens_folded, created_at, altered, pointers });
saved!(struct Stood { slot, shown });

/// The messages that stand for a fold, in view order.
#[derive(Debug, Clone, PartialEq)]
pub struct FoldMessages {
    /// What is retained verbatim.
    pub retain: Option<Message>,
    /// What asks for the summary, in a layout that shows it.
    pub ask: Option<Message>,
    /// The summary.
    pub summary: Message,
    /// What it says, without the frame that the layout gives it.
    pub text: String,
    /// They stand behind the folds that are there already, not before them.
    pub behind_earlier: bool,
}

impl FoldMessages {
    /// What they take, counted one by one.
    pub fn tokens(&self, count: impl Fn(&Message) -> u64) -> u64 {
        self.retain.iter().chain(&self.ask).chain([&self.summary]).map(count).sum()
    }
}

/// What the carry-over ledger at the end of a summary begins with.
pub const LEDGER_HEADING: &str = "## From these messages, word for word";

/// The same, and its earlier form in saved summaries.
pub const LEDGER_HEADINGS: [&str; 2] =
    [LEDGER_HEADING, "## Carried over from what was folded (data, word for word)"];

/// What the words around a summary end with, where the caller gives no others.
pub const RECORD_ENDS: &str = "[End of the record]";

/// The summary's own words, and the ledger that was appended to them.
pub(super) fn without_ledger(summary: &str) -> (&str, Option<&str>) {
    match LEDGER_HEADINGS.iter().filter_map(|heading| summary.find(heading)).min() {
        Some(at) => {
            let ledger = &summary[at..];
            let end = ledger.rfind(RECORD_ENDS).map_or(ledger, |end| &ledger[..end]);
            (summary[..at].trim_end(), Some(end.trim_end()))
        }
        None => (summary, None),
    }
}

/// A fold, for the caller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct FoldInfo {
    /// The fold's id: its summary's.
    pub id: String,
    /// Ids of the messages that it stands for, earlier folds among them.
    pub items: Vec<String>,
    /// The summary's text, without its ledger.
    pub summary: String,
    /// What the summary left out and the engine appended to it, where there was anything.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ledger: Option<String>,
    /// The retained text, where the answer had one.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retain: Option<String>,
    /// Tokens that the messages took in the view.
    pub tokens_folded: u64,
    /// Tokens that the summary and the retained text take.
    pub tokens: u64,
    /// Whether it stands in the view itself, or inside a later fold.
    pub in_view: bool,
}

use serde::Serialize;

use super::item_id::ItemId;
use crate::names::names;

names! {
    /// The name of an event that a session emits. Events are emitted in the order in which things happened.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
    #[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
    #[serde(rename_all = "snake_case")]
    pub enum EventName {
        /// A message entered the history.
        MessageAdded = "message_added",
        /// Messages left the view.
        ItemsRemoved = "items_removed",
        /// The conversation was replaced by a summary.
        ConversationReplaced = "conversation_replaced",
        /// A tool output became a placeholder or was shortened.
        OutputTrimmed = "output_trimmed",
        /// The view has come near its threshold: `left` says how many tokens are left. Emitted once, by the `prepare` that finds
        /// it so.
        CompactionDue = "compaction_due",
        /// A summary was requested.
        CompactionStarted = "compaction_started",
        /// One piece of a conversation that is too long for a single request was summarized.
        CompactionProgress = "compaction_progress",
        /// A summary was inserted.
        CompactionFinished = "compaction_finished",
        /// A compaction ended without a fold; nothing was changed.
        CompactionFailed = "compaction_failed",
        /// Messages were folded into a summary.
        Folded = "folded",
        /// A fold was undone.
        Unfolded = "unfolded",
    }
}

/// Something that happened in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Event {
    /// What happened.
    #[expect(clippy::struct_field_names, reason = "its name in JavaScript")]
    pub event: EventName,
    /// The ids of the messages that it concerns.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "string[]"))]
    pub items: Vec<ItemId>,
    /// Details, in words.
    pub detail: String,
    /// Tokens of the view after it.
    pub tokens: u64,
    /// Only for `compaction_due`: by how many tokens the view may still grow until a compaction is due.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<u64>,
    /// Only for `compaction_progress`: how many pieces of this round are summarized.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub chunk: Option<u64>,
    /// Only for `compaction_progress`: the number of pieces in this round. If their summaries are too long together, these
    /// are summarized in another round.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub chunks: Option<u64>,
    /// Only for `compaction_progress`: the summary of the piece.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub text: Option<String>,
}

use serde::Serialize;

use super::item_id::ItemId;

/// The name of an event that a session emits. Events are emitted in the order in which things happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum EventName {
    /// A message entered the history.
    MessageAdded,
    /// Messages left the view.
    ItemsRemoved,
    /// The conversation was replaced by a summary.
    ConversationReplaced,
    /// A tool output became a placeholder or was shortened.
    OutputTrimmed,
    /// The view has come near its threshold: `left` says how many tokens are left. Emitted once, by the `prepare` that finds
    /// it so.
    CompactionDue,
    /// A summary was requested.
    CompactionStarted,
    /// One piece of a conversation that is too long for a single request was summarized.
    CompactionProgress,
    /// A summary was inserted.
    CompactionFinished,
    /// A compaction ended without a fold; nothing was changed.
    CompactionFailed,
    /// Messages were folded into a summary.
    Folded,
    /// A fold was undone.
    Unfolded,
}

impl EventName {
    /// Every event.
    pub const ALL: [Self; 11] = [
        Self::MessageAdded,
        Self::ItemsRemoved,
        Self::ConversationReplaced,
        Self::OutputTrimmed,
        Self::CompactionDue,
        Self::CompactionStarted,
        Self::CompactionProgress,
        Self::CompactionFinished,
        Self::CompactionFailed,
        Self::Folded,
        Self::Unfolded,
    ];

    /// The name that `session.on` takes.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MessageAdded => "message_added",
            Self::ItemsRemoved => "items_removed",
            Self::ConversationReplaced => "conversation_replaced",
            Self::OutputTrimmed => "output_trimmed",
            Self::CompactionDue => "compaction_due",
            Self::CompactionStarted => "compaction_started",
            Self::CompactionProgress => "compaction_progress",
            Self::CompactionFinished => "compaction_finished",
            Self::CompactionFailed => "compaction_failed",
            Self::Folded => "folded",
            Self::Unfolded => "unfolded",
        }
    }
}

/// Something that happened in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Event {
    /// What happened.
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

use serde::Serialize;

use super::item_id::ItemId;

/// The name of an event that a session emits, in the order in which things happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum EventName {
    /// A message entered the history.
    MessageAdded,
    /// Items left the view.
    ItemsRemoved,
    /// The conversation was replaced by a summary.
    ConversationReplaced,
    /// A tool output became a placeholder or was shortened.
    OutputTrimmed,
    /// The view has come near its threshold: `left` says how many tokens there are left. Told once, by the `prepare` that finds it so.
    CompactionDue,
    /// A summary was asked for.
    CompactionStarted,
    /// A piece of a conversation that is too long for one request was summed up.
    CompactionProgress,
    /// A summary was put in.
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
    /// The ids of the messages that it happened to.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "string[]"))]
    pub items: Vec<ItemId>,
    /// More, in words.
    pub detail: String,
    /// Tokens of the view after it.
    pub tokens: u64,
    /// Of `compaction_due`: tokens that the view may still grow by until a compaction is due.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<u64>,
    /// Of `compaction_progress`: pieces that are summed up, of this round.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub chunk: Option<u64>,
    /// Of `compaction_progress`: pieces of this round; where their summaries are too long together, they are summed up in another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub chunks: Option<u64>,
    /// Of `compaction_progress`: what the summariser said of the piece.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub text: Option<String>,
}

use serde::Serialize;

use super::item_id::ItemId;
use crate::names::names;

names! {
    /// The name of an event that a session emits. Events are emitted in the order in which things happened. In each, `tokens` are
    /// those of the view after it.
    ///
    /// - `message_added`: a message entered the history. `items`: its id.
    /// - `items_removed`: messages left the view without a summary. `items`: these messages; `detail`: why.
    /// - `conversation_replaced`: a summary replaced the whole conversation (the layout `"replace"`). `items`: the summary.
    /// - `output_trimmed`: messages in the view lost text: tool outputs were shortened or became placeholders, media did, or long
    ///   texts of other messages were cut; or `erase` took it for good. `items`: these messages; `detail`: why.
    /// - `prompt_changed`: what stands before the conversation changed. `items`: the messages that are new there; `detail`: `the header`,
    ///   `the parts of setContext` or `the tools`.
    /// - `compaction_due`: the view has come near its threshold; emitted once, by the `prepare` that finds it so. `left`: how many
    ///   tokens are left.
    /// - `compaction_started`: a summary was requested. `items`: the messages to be folded; `detail`: `in the background`, or empty.
    /// - `compaction_progress`: one piece of a conversation that is too long for a single request was summarised (`chunk`, `chunks`,
    ///   `text`).
    /// - `compaction_finished`: a compaction put a summary into the view, after its `folded`. `items`: the summary.
    /// - `compaction_failed`: the requested summary could not be had. Either nothing was folded, or the built-in summariser writes it
    ///   (`detail` says so). `items`: the messages to be folded; `detail`: the code and the message of the error.
    /// - `folded`: messages were replaced by a summary, also by hand (`graph.compress`). `items`: these messages; `detail`: `into ID`.
    /// - `unfolded`: messages came back into the view: a fold was undone, or there was room again. `items`: these messages; `detail`:
    ///   why.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
    #[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
    #[serde(rename_all = "snake_case")]
    pub enum EventName {
        /// A message entered the history.
        MessageAdded = "message_added",
        /// Messages left the view without a summary.
        ItemsRemoved = "items_removed",
        /// A summary replaced the whole conversation.
        ConversationReplaced = "conversation_replaced",
        /// Messages in the view lost text: tool outputs or media, or long texts of other messages.
        OutputTrimmed = "output_trimmed",
        /// The header, the parts of `setContext` or the tools changed.
        PromptChanged = "prompt_changed",
        /// The view has come near its threshold: `left` says how many tokens are left. Emitted once, by the `prepare` that finds
        /// it so.
        CompactionDue = "compaction_due",
        /// A summary was requested.
        CompactionStarted = "compaction_started",
        /// One piece of a conversation that is too long for a single request was summarised.
        CompactionProgress = "compaction_progress",
        /// A compaction put a summary into the view.
        CompactionFinished = "compaction_finished",
        /// The requested summary could not be had: nothing was folded, or the built-in summariser writes it.
        CompactionFailed = "compaction_failed",
        /// Messages were folded into a summary.
        Folded = "folded",
        /// Messages came back into the view.
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<u64>,
    /// Only for `compaction_progress`: how many pieces of this round are summarised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk: Option<u64>,
    /// Only for `compaction_progress`: the number of pieces in this round. If their summaries are too long together, these
    /// are summarised in another round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunks: Option<u64>,
    /// Only for `compaction_progress`: the summary of the piece.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

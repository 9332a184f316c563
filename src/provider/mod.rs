//! Reads provider formats into [`Message`]s and writes them back. No other module knows these formats.
//!
//! Reading takes the fields that our own types have, and keeps the rest of each object as a template in the part's
//! [`Extras`](crate::message::Extras). So an unchanged message is written back key for key, and a changed one differs
//! only by its change.
//!
//! Each format has a type that implements `Provider`: it reads a list, writes a run of messages as entries, and decides
//! which messages share an entry, what goes into the header, and how a list may begin and end. Its rules are in
//! `check`, as a table and the code that walks a list. Differences between providers of one format are data
//! (`check/dialect.rs`).

mod ai_sdk;

mod anthropic;
mod bedrock;
mod call_ids;
mod calls;
mod check;
mod convert;
mod detect;
mod fields;
mod find_list;
mod format;
mod gemini;
mod graph;
mod history;
mod item_ids;
mod links;
mod media;
mod messages;
mod note;
mod opaque;
mod openai_chat;
mod openai_responses;
mod overflow;
mod pending_renames;
mod position;
mod reading;
mod repair;
mod results;
mod textless;
mod thinking;
mod too_many;
mod tool_names;

pub use bedrock::CACHE_POINT;
pub use calls::Calls;
pub use check::{CheckOptions, Dialect, Severity, Violation, check};
pub use convert::{Conversion, convert};
pub use find_list::{list_keys, list_of};
pub use format::{OPENING_NOTE, Provider, Written};
pub use graph::GraphMessages;
pub use history::{OpenAiHistory, Rebuilt};
pub use links::{reasoning_groups, unlink_each};
pub use media::BYTES;
pub use messages::{message_of_json, message_of_texts};
pub use note::Note;
pub use openai_chat::{empty_reasoning, erased_reasoning, has_reasoning_field};
pub use openai_responses::{answer_by_item_id, claim_stored_call, count_stored_calls, is_answer_by_id};
pub use overflow::{Overflow, is_too_large, overflow, refusal_texts};
pub use pending_renames::{CallId, PendingRenames};
pub use position::{PositionChecker, Removals, mark_key};
pub use reading::{Reading, parts_read};
pub use repair::{Change, MISSING_OUTPUT, Repaired, repair};
pub use results::join;
pub use thinking::binds_thinking;
pub use too_many::{TooMany, too_many};
pub use tool_names::tools_called;

use serde_json::Value;

use crate::message::Format;

/// The provider of this format.
pub fn provider(format: Format) -> &'static dyn Provider {
    match format {
        Format::Messages => &messages::Messages,
        Format::OpenaiResponses => &openai_responses::Responses,
        Format::OpenaiChat => &openai_chat::Chat,
        Format::AiSdk => &ai_sdk::AiSdk,
        Format::Anthropic => &anthropic::Anthropic,
        Format::Gemini => &gemini::Gemini,
        Format::BedrockConverse => &bedrock::Bedrock,
    }
}

/// The format of a list, a request body or a response, found by features that only this format has; `None` if several
/// formats fit.
pub fn detect(input: &Value) -> Option<Format> {
    detect::detect(input)
}

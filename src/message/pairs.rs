//! Pairs across messages, other than a call and its output: a call of a tool that the provider runs and its result,
//! code and the calls that it made, an approval request and its answer.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{CallKind, Extras, Format, Message, Part, Role, ToolCall, ToolOutput};

impl ToolCall {
    /// Whether the provider runs the tool and reports the result in a separate part. (The Responses API reports the
    /// result in the call itself.)
    pub fn is_of_server(&self) -> bool {
        self.hosted
            && match &self.kind {
                CallKind::Other { format, .. } => *format == Format::Anthropic,
                CallKind::Function | CallKind::Custom => self.extras.came_in(Format::AiSdk),
            }
    }

    /// The id of the call whose code made this call and waits for its result.
    pub fn parent_call_id(&self) -> Option<String> {
        let string_field = |value: &serde_json::Value, key: &str| Some(value.get(key)?.as_str()?.to_owned());
        if let Some(caller) = self.extras.field(Format::Anthropic, "caller") {
            return string_field(&caller, "tool_id");
        }
        let options = self.extras.field(Format::AiSdk, "providerOptions")?;
        string_field(options.pointer("/anthropic/caller")?, "toolId")
    }
}

/// The types of items in which the Responses API asks whether a tool may run, and in which the user answers.
const MCP_REQUEST: &str = "mcp_approval_request";
const MCP_RESPONSE: &str = "mcp_approval_response";

impl ToolCall {
    /// Whether it asks the user whether a tool of the provider's may run.
    pub fn asks_for_approval(&self) -> bool {
        matches!(&self.kind, CallKind::Other { raw, .. } if raw.get("type").is_some_and(|kind| kind == MCP_REQUEST))
    }
}

impl ToolOutput {
    /// The fields that say how the user decided on a request for approval; empty if it is no such decision.
    pub fn decision(&self) -> Extras {
        let Some(fields) = self.extras.of(Format::OpenaiResponses) else { return Extras::default() };
        let is_kept = |key: &str| key != "reason";
        match fields.get("type") {
            Some(kind) if kind == MCP_RESPONSE => {
                let kept: Map<String, Value> = fields.into_iter().filter(|(key, _)| is_kept(key)).collect();
                Extras::new(Format::OpenaiResponses, kept)
            }
            _ => Extras::default(),
        }
    }
}

impl Message {
    /// The ids by which other messages may depend on this one: calls of tools that the provider runs, and approval
    /// requests.
    pub fn provided_ids(&self) -> impl Iterator<Item = &str> {
        let parts = if self.role == Role::Assistant { &*self.parts } else { &[] };
        parts.iter().filter_map(|part| match part {
            Part::ToolCall(call) if call.is_of_server() => Some(call.id.as_str()),
            part => part.approval(APPROVAL_REQUEST),
        })
    }

    /// The ids (see [`Message::provided_ids`]) that this message depends on, because it holds their result or calls that their
    /// code made.
    pub fn required_ids(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.parts.iter().filter_map(|part| match part {
            Part::ToolCall(call) => call.parent_call_id().map(Cow::from),
            part => part.answered_id().map(Cow::from),
        })
    }

    /// Whether it contains only answers to approval requests. The approved calls have yet to run.
    pub fn answers_approvals(&self) -> bool {
        !self.parts.is_empty() && self.parts.iter().all(|part| part.approval(APPROVAL_RESPONSE).is_some())
    }

    /// Whether it has a part that is invalid without its other half: a call, or the result of one.
    pub fn is_paired(&self) -> bool {
        self.parts.iter().any(Part::is_paired)
    }
}

/// The type of a part in which the AI SDK asks whether a call may run.
const APPROVAL_REQUEST: &str = "tool-approval-request";

/// The type of a part that answers such a request.
const APPROVAL_RESPONSE: &str = "tool-approval-response";

impl Part {
    /// The approval's id, if the part is of this kind.
    fn approval(&self, kind: &str) -> Option<&str> {
        let Self::Opaque { format: Format::AiSdk, raw } = self else { return None };
        let text = |key: &str| raw.get(key)?.as_str();
        text("approvalId").filter(|_| text("type") == Some(kind))
    }

    /// The id of the call or approval request that this part answers.
    pub fn answered_id(&self) -> Option<&str> {
        self.approval(APPROVAL_RESPONSE).or_else(|| self.opaque_call_id())
    }

    /// Whether it is invalid without its other half.
    pub fn is_paired(&self) -> bool {
        matches!(self, Self::ToolCall(_)) || self.opaque_call_id().is_some() || self.is_output_item()
    }

    /// Whether it is an item of the Responses API that holds what a tool search found.
    fn is_output_item(&self) -> bool {
        let Self::Opaque { format: Format::OpenaiResponses, raw } = self else { return false };
        raw.get("type").and_then(|kind| kind.as_str()) == Some("tool_search_output")
    }
}

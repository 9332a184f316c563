//! What belongs together across messages beside a call and its output: a call of a tool that the provider runs and what came of
//! it, code and the calls that it made, an approval that was asked for and its answer.

use std::borrow::Cow;

use super::{CallKind, Format, Message, Part, Role, ToolCall};

impl ToolCall {
    /// Whether the provider runs the tool, and says what came of it in a part of its own. What the Responses API runs says
    /// that in the call itself.
    pub fn is_of_server(&self) -> bool {
        self.hosted
            && match &self.kind {
                CallKind::Other { format, .. } => *format == Format::Anthropic,
                CallKind::Function | CallKind::Custom => self.extras.came_in(Format::AiSdk),
            }
    }

    /// The call of the code that made this one, which waits for what comes of it.
    pub fn made_by(&self) -> Option<String> {
        let told = |value: &serde_json::Value, key: &str| Some(value.get(key)?.as_str()?.to_owned());
        if let Some(caller) = self.extras.field(Format::Anthropic, "caller") {
            return told(&caller, "tool_id");
        }
        let options = self.extras.field(Format::AiSdk, "providerOptions")?;
        told(options.pointer("/anthropic/caller")?, "toolId")
    }
}

impl Message {
    /// The calls of tools that the provider runs.
    pub fn server_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.tool_calls().filter(|call| call.is_of_server())
    }

    /// The ids under which other messages may belong to this one: calls of tools that the provider runs, and approvals that are
    /// asked for.
    pub fn leads(&self) -> impl Iterator<Item = &str> {
        let parts = if self.role == Role::Assistant { &*self.parts } else { &[] };
        parts.iter().filter_map(|part| match part {
            Part::ToolCall(call) if call.is_of_server() => Some(call.id.as_str()),
            part => part.approval(ASKS),
        })
    }

    /// Such ids of what it cannot stand without: it holds what came of it, or calls that its code made.
    pub fn led_by(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.parts.iter().filter_map(|part| match part {
            Part::ToolCall(call) => call.made_by().map(Cow::from),
            part => part.settles().map(Cow::from),
        })
    }

    /// Whether it says nothing but whether calls may run, which then have still to run.
    pub fn answers_approvals(&self) -> bool {
        !self.parts.is_empty() && self.parts.iter().all(|part| part.approval(ANSWERS).is_some())
    }

    /// Whether a part of it cannot stand without its other half: a call, or what came of one.
    pub fn is_paired(&self) -> bool {
        self.parts.iter().any(Part::is_paired)
    }
}

/// A part in which the AI SDK asks whether a call may run.
const ASKS: &str = "tool-approval-request";

/// A part that answers it.
const ANSWERS: &str = "tool-approval-response";

impl Part {
    /// The id of the approval, where it is such a part.
    fn approval(&self, kind: &str) -> Option<&str> {
        let Self::Opaque { format: Format::AiSdk, raw } = self else { return None };
        let text = |key: &str| raw.get(key)?.as_str();
        text("approvalId").filter(|_| text("type") == Some(kind))
    }

    /// The id of the call or the approval that it is the other half of.
    pub fn settles(&self) -> Option<&str> {
        self.approval(ANSWERS).or_else(|| self.opaque_call_id())
    }

    /// Whether it cannot stand without its other half.
    pub fn is_paired(&self) -> bool {
        matches!(self, Self::ToolCall(_)) || self.opaque_call_id().is_some()
    }
}

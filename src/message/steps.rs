//! Splits messages into steps, and pairs calls with outputs.

use std::borrow::Cow;
use std::ops::Range;

use super::{Message, Role};
use crate::hashing::{HashMap, HashSet};

/// One model answer and the tool messages that answer its calls. Never split.
///
/// A model answer is a run of adjacent assistant messages (formats that send items one by one yield several). A message
/// of another role between a call and its output belongs to the step as well. If the provider runs a tool, its call,
/// its result in a later message, and the calls that its code made meanwhile belong to one step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The messages, as a range of the given slice.
    pub range: Range<usize>,
}

/// The steps of `messages`, in order; their ranges cover it without a gap.
///
/// A cut between two steps never separates a call from its output. Every message that is neither an assistant message
/// nor a tool message is a step of its own, unless it lies between a call and its output.
pub fn steps<'a>(messages: impl IntoIterator<Item = &'a Message>) -> Vec<Step> {
    steps_of(&messages.into_iter().map(KnownMessage::of).collect::<Vec<_>>())
}

/// A message with what is already known about it. The message itself is only looked at if that is not enough.
#[derive(Debug, Clone, Copy)]
pub struct KnownMessage<'a> {
    /// Who speaks.
    pub role: Role,
    /// Whether it may contain calls. If `false`, it contains none.
    pub calls: bool,
    /// The message.
    pub message: &'a Message,
    /// For a tool message with one output: the index of the message that made the call, if known.
    pub caller: Option<usize>,
    /// The message with the call, of a tool that the provider runs, that this message depends on.
    pub depends_on: Dependency,
}

/// The index of the first message with a call, of a tool that the provider runs, that another message depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dependency {
    /// Not determined yet.
    Unknown,
    /// There is no such message.
    None,
    /// The message at this index.
    On(usize),
}

impl<'a> KnownMessage<'a> {
    /// A message about which nothing is known yet.
    pub fn of(message: &'a Message) -> Self {
        Self { role: message.role, calls: true, message, caller: None, depends_on: Dependency::Unknown }
    }
}

/// Like [`steps`], for messages about which something is known.
pub fn steps_of(messages: &[KnownMessage<'_>]) -> Vec<Step> {
    let mut closes = closing_indexes_by_caller(messages).unwrap_or_else(|| closing_indexes(messages));
    debug_assert_eq!(closes, closing_indexes(messages));
    for (from, until) in dependency_ranges(messages) {
        closes[from] = closes[from].max(until);
    }
    let mut out: Vec<Step> = Vec::new();
    let mut open_until = 0; // every message before this index belongs to the step under construction
    let mut answering = false; // the step has begun to receive tool messages
    for (i, message) in messages.iter().enumerate() {
        let joins = match message.role {
            _ if i < open_until => true,
            Role::Assistant => i > 0 && messages[i - 1].role == Role::Assistant && !answering,
            Role::Tool => i > 0 && matches!(messages[i - 1].role, Role::Assistant | Role::Tool),
            _ => false,
        };
        match out.last_mut() {
            Some(step) if joins => step.range.end = i + 1,
            _ => {
                out.push(Step { range: i..i + 1 });
                answering = false;
            }
        }
        answering |= message.role == Role::Tool;
        open_until = open_until.max(closes[i]);
    }
    out
}

/// The ids of the calls in `messages` that have no tool output yet, in order: their tools are still running.
pub fn open_calls<'a>(messages: impl IntoIterator<Item = &'a Message>) -> Vec<&'a str> {
    open_calls_of(&messages.into_iter().map(KnownMessage::of).collect::<Vec<_>>())
}

/// Like [`open_calls`], for messages about which something is known.
pub fn open_calls_of<'a>(messages: &[KnownMessage<'a>]) -> Vec<&'a str> {
    let mut open: Vec<&str> = Vec::new();
    let mut answered: HashSet<&str> = HashSet::default(); // few outputs wait for their call at a time
    for KnownMessage { role, calls, message, .. } in messages.iter().rev() {
        if *role == Role::Tool {
            answered.extend(message.tool_outputs().map(|output| output.call_id.as_str()));
        }
        if *calls {
            for call in message.tool_calls().rev().filter(|c| !c.hosted) {
                if !answered.remove(call.id.as_str()) {
                    open.push(&call.id);
                }
            }
        }
    }
    open.reverse();
    open
}

/// Like [`closing_indexes`], without looking at any message; `None` if the caller of an output is unknown.
fn closing_indexes_by_caller(messages: &[KnownMessage<'_>]) -> Option<Vec<usize>> {
    let mut closes = vec![0; messages.len()];
    for (i, seen) in messages.iter().enumerate().filter(|(_, seen)| seen.role == Role::Tool) {
        let caller = seen.caller.filter(|caller| *caller < i)?;
        if messages[caller].calls {
            closes[caller] = i + 1;
        }
    }
    Some(closes)
}

/// For each message with calls of tools that the provider runs: pairs of its index and the index after a message that
/// depends on it.
fn dependency_ranges(messages: &[KnownMessage<'_>]) -> Vec<(usize, usize)> {
    if messages.iter().all(|seen| seen.depends_on != Dependency::Unknown) {
        let by = |(i, seen): (usize, &KnownMessage<'_>)| match seen.depends_on {
            Dependency::On(from) if from < i && messages[from].calls => Some((from, i + 1)),
            _ => None,
        };
        return messages.iter().enumerate().filter_map(by).collect();
    }
    let mut calls: HashMap<&str, usize> = HashMap::default();
    let mut places = Vec::new();
    for (i, KnownMessage { message, .. }) in messages.iter().enumerate() {
        let at = |id: Cow<'_, str>| calls.get(&*id).copied();
        places.extend(message.required_ids().filter_map(at).map(|from| (from, i + 1)));
        calls.extend(message.provided_ids().map(|id| (id, i)));
    }
    places
}

/// For each message with calls: the index after the last output that answers one of them. 0 for all other messages.
fn closing_indexes(messages: &[KnownMessage<'_>]) -> Vec<usize> {
    let mut caller: HashMap<&str, usize> = HashMap::default(); // few calls wait for their output at a time
    let mut closes = vec![0; messages.len()];
    for (i, KnownMessage { role, calls, message, .. }) in messages.iter().enumerate() {
        if *role == Role::Tool {
            for output in message.tool_outputs() {
                if let Some(from) = caller.remove(output.call_id.as_str()) {
                    closes[from] = i + 1;
                }
            }
        }
        if *calls {
            for call in message.tool_calls().filter(|c| !c.hosted) {
                caller.insert(&call.id, i);
            }
        }
    }
    closes
}

#[cfg(test)]
mod tests {
    use super::super::{Part, ToolCall};
    use super::*;

    fn user(text: &str) -> Message {
        Message::text(Role::User, text)
    }
    fn calls(ids: &[&str]) -> Message {
        let parts = ids.iter().map(|id| Part::from(ToolCall::function(*id, "read", "{}"))).collect();
        Message::new(Role::Assistant, parts)
    }
    fn assistant(text: &str) -> Message {
        Message::text(Role::Assistant, text)
    }
    fn ranges(steps: &[Step]) -> Vec<(usize, usize)> {
        steps.iter().map(|s| (s.range.start, s.range.end)).collect()
    }

    #[test]
    fn a_step_is_an_answer_with_its_outputs() {
        let list = [
            user("go"),
            calls(&["a", "b"]),
            Message::tool("b", "2"),
            Message::tool("a", "1"),
            assistant("done"),
            user("more"),
            assistant("ok"),
        ];
        assert_eq!(ranges(&steps(&list)), [(0, 1), (1, 4), (4, 5), (5, 6), (6, 7)]);
    }

    #[test]
    fn items_sent_separately_form_one_step() {
        let list = [
            user("go"),
            assistant("thinking aloud"),
            calls(&["a"]),
            calls(&["b"]),
            Message::tool("a", "1"),
            Message::tool("b", "2"),
        ];
        assert_eq!(ranges(&steps(&list)), [(0, 1), (1, 6)]);
    }

    #[test]
    fn a_message_between_a_call_and_its_output_belongs_to_the_step() {
        let list = [calls(&["a"]), user("hurry"), Message::tool("a", "1"), assistant("done")];
        assert_eq!(ranges(&steps(&list)), [(0, 3), (3, 4)]);
    }

    #[test]
    fn a_server_call_and_its_results_form_one_step() {
        use serde_json::json;

        use super::super::{CallKind, Extras, Format};
        let raw = |kind: &str, key: &str| json!({ "type": kind, key: "srv" });
        let mut code = ToolCall::function("srv", "code_execution", "{}");
        code.hosted = true;
        code.kind = CallKind::Other { format: Format::Anthropic, raw: raw("server_tool_use", "id").into() };
        let made = |id: &str| {
            let mut call = ToolCall::function(id, "query", "{}");
            let caller = json!({ "caller": { "type": "code_execution_20260120", "tool_id": "srv" } });
            call.extras = Extras::new(Format::Anthropic, caller.as_object().cloned().unwrap_or_default());
            Part::from(call)
        };
        let result = raw("code_execution_tool_result", "tool_use_id");
        let result = Part::Opaque { format: Format::Anthropic, raw: result.into() };
        let list = [
            user("go"),
            Message::new(Role::Assistant, vec![Part::from(code), made("a")]),
            Message::tool("a", "1"),
            Message::new(Role::Assistant, vec![made("b")]),
            Message::tool("b", "2"),
            Message::new(Role::Assistant, vec![result]),
            user("more"),
        ];
        assert_eq!(ranges(&steps(&list)), [(0, 1), (1, 6), (6, 7)]);
        assert_eq!(ranges(&steps(&list[..5])), [(0, 1), (1, 5)], "while the code waits for its calls");
    }

    #[test]
    fn unanswered_calls_are_open() {
        let list = [calls(&["a"]), Message::tool("a", "1"), calls(&["a", "b"]), Message::tool("b", "2")];
        assert_eq!(open_calls(&list), ["a"]);
    }

    #[test]
    fn engine_messages_do_not_start_a_turn() {
        let mut summary = user("summary");
        summary.meta.item_type = Some(super::super::ItemType::CompactionSummary);
        assert_eq!([summary, user("go"), assistant("ok")].map(|m| m.opens_turn()), [false, true, false]);
    }
}

use std::ops::Range;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::super::Calls;
use super::super::fields::{Fields, each, opaque};
use super::super::find_list::content_of;
use super::super::format::object;
use super::super::results;
use super::pairs::{Named, NamesUsed, match_outputs};
use super::parts::{field, name_of};
use super::{CONTENTS, outputs, parts};
use crate::error::{Error, Result};
use crate::hashing::HashSet;
use crate::message::{Extras, Format, Message, Part, Role, ToolCall};

const FORMAT: Format = Format::Gemini;

/// Roles that the API treats as the user's.
const USER_ROLES: [&str; 3] = ["user", "function", "tool"];

/// The messages before a content, newest first.
#[derive(Clone, Copy)]
struct Earlier<'a> {
    before: &'a [Arc<Message>],
    out: &'a [Message],
}

impl<'a> Earlier<'a> {
    fn newest_first(self) -> impl Iterator<Item = &'a Message> {
        self.out.iter().rev().chain(self.before.iter().rev().map(|message| &**message))
    }

    /// The calls of the answer behind which the outputs come that are last, in order. `with_outputs`: also if there are such outputs.
    fn calls_of_answer(self, with_outputs: bool) -> impl Iterator<Item = &'a ToolCall> {
        let behind_outputs = self.newest_first().skip_while(move |m| with_outputs && m.role == Role::Tool);
        let answer: Vec<&Message> = behind_outputs.take_while(|m| m.role == Role::Assistant).collect();
        answer.into_iter().rev().flat_map(Message::tool_calls)
    }
}

/// Reads the content at `index`: one message, or several if it holds outputs of calls. `before`: the messages before the list.
pub(super) fn message(
    before: &[Arc<Message>],
    entry: &Value,
    index: usize,
    out: &mut Vec<Message>,
) -> Result<()> {
    let earlier = Earlier { before, out };
    let mut fields = Fields::new(object(entry, index)?);
    let role = match entry.get("role") {
        None | Some(Value::Null) => Role::User, // by the API's reference, a role is optional: such a content is the user's
        Some(Value::String(role)) if role == "model" => Role::Assistant,
        Some(Value::String(role)) if USER_ROLES.contains(&&**role) => Role::User,
        Some(role) => {
            let role = role.as_str().map_or_else(|| role.to_string(), str::to_owned);
            return Err(Error::message_at(index, format!("unknown role `{role}`")));
        }
    };
    if matches!(entry.get("role").and_then(Value::as_str), Some("model" | "user")) {
        fields.take("role");
    }
    let list = match fields.take("parts") {
        Some(Value::Array(list)) => list,
        // An answer that was cut off before it had any content.
        None if entry.get("role").is_some() => Vec::new(),
        _ => return Err(Error::message_at(index, "`parts` is not a list")),
    };
    let goes_on =
        role == Role::Assistant && earlier.newest_first().next().is_some_and(|last| last.role == role);
    let usual = !list.is_empty() && !goes_on && entry.get("role").is_some();
    let content_parts = read_parts(&list, role, earlier);
    let extras = fields.into_extras_if_unusual(usual, FORMAT, &["role", "parts"]);
    if role == Role::User {
        results::split(FORMAT, content_parts, &extras, false, out);
    } else {
        let mut message = Message::new(role, content_parts);
        message.extras = extras;
        out.push(message);
    }
    Ok(())
}

/// Joins the contents of one answer if something follows a call there, so that its output comes behind all of them.
pub(super) fn joined(read: Vec<(Message, Range<usize>)>) -> Vec<(Message, Range<usize>)> {
    let mut out = Vec::with_capacity(read.len());
    let mut read = read.into_iter().peekable();
    let says = |(message, _): &(Message, _)| message.role == Role::Assistant && !message.parts.is_empty();
    while let Some(first) = read.next() {
        let is_answer = says(&first);
        let mut answer = vec![first];
        while is_answer && let Some(next) = read.next_if(says) {
            answer.push(next);
        }
        let calls = |(message, _): &(Message, _)| message.tool_calls().next().is_some();
        match answer.iter().position(calls) {
            Some(at) if !answer[at..].iter().all(calls) => out.push(join(answer)),
            _ => out.extend(answer),
        }
    }
    out
}

/// One message of several contents, which [`super::write`] writes as they came.
fn join(contents: Vec<(Message, Range<usize>)>) -> (Message, Range<usize>) {
    let mut message = Message::new(Role::Assistant, Vec::new());
    let mut ends = Vec::with_capacity(contents.len());
    let mut entries: Option<Range<usize>> = None;
    for (content, range) in contents {
        message.parts.extend(content.parts);
        let template = content.extras.of(FORMAT).map(Value::Object);
        ends.push(json!([message.parts.len(), template]));
        entries = Some(entries.map_or(range.start, |entries| entries.start)..range.end);
    }
    message.extras = Extras::new(FORMAT, Map::from_iter([(CONTENTS.to_owned(), Value::Array(ends))]));
    (message, entries.unwrap_or_default())
}

/// Whether a content has a call or an output without an id, which is known by its place among the others.
pub(super) fn lacks_id(content: &Value) -> bool {
    let mut parts = each(content, "parts");
    parts.any(|part| {
        let call = field(part, "functionCall").or_else(|| field(part, "functionResponse"));
        call.is_some_and(|call| call.get("id").and_then(Value::as_str).is_none())
    })
}

/// Reads the parts of a content.
fn read_parts(list: &[Value], role: Role, earlier: Earlier<'_>) -> Vec<Part> {
    let mut names = NamesUsed::default();
    if role == Role::Assistant {
        // Each chunk of a stream may be a separate content. Their calls count as made together.
        earlier.calls_of_answer(false).for_each(|call| names.note(call));
    }
    let mut ids = if role == Role::User { output_ids(list, earlier) } else { Vec::new() }.into_iter();
    let find = |id: &str| earlier.newest_first().find_map(|m| m.tool_calls().rfind(|call| call.id == id));
    let calls = Calls::with_lookup(&find);
    let mut is_first = role == Role::Assistant;
    let mut out = Vec::with_capacity(list.len());
    for value in list {
        let read = if let Some(inner) = field(value, "functionResponse") {
            let id = ids.next().unwrap_or_else(|| name_of(inner).to_owned());
            outputs::read(value, id, &calls)
        } else {
            let name = field(value, "functionCall").map(name_of);
            parts::read(value, name.map(|name| names.made_id(name)))
        };
        let mut part = read.unwrap_or_else(|| opaque(FORMAT, value));
        if matches!(part, Part::ToolCall(_)) {
            parts::drop_template_of_call(&mut part, value, std::mem::take(&mut is_first));
        }
        out.push(part);
    }
    out
}

/// For each output of a content, the id of the call that it answers.
fn output_ids(list: &[Value], earlier: Earlier<'_>) -> Vec<String> {
    let outputs: Vec<Named<'_>> =
        list.iter().filter_map(|value| field(value, "functionResponse")).map(parts::named).collect();
    if outputs.is_empty() {
        return Vec::new();
    }
    let answers = earlier.newest_first().take_while(|message| message.role == Role::Tool);
    let answered: HashSet<&str> =
        answers.flat_map(Message::tool_outputs).map(|output| &*output.call_id).collect();
    let calls = earlier.calls_of_answer(true).filter(|call| !answered.contains(call.id.as_str()));
    let have_ids = outputs.iter().any(|output| output.id.is_some());
    let calls: Vec<(&str, Named<'_>)> = calls
        .map(|call| {
            let id = (have_ids && !parts::had_no_id(call)).then_some(call.id.as_str());
            (call.id.as_str(), Named { id, name: &call.name })
        })
        .collect();
    let asked: Vec<Named<'_>> = calls.iter().map(|(_, named)| *named).collect();
    let mut names = NamesUsed::default();
    let found = match_outputs(&asked, &outputs);
    let ids = outputs.iter().zip(found).map(|(output, call)| {
        let made = names.made_id(output.name);
        let own = || output.id.map_or(made, str::to_owned);
        call.map_or_else(own, |at| calls[at].0.to_owned())
    });
    ids.collect()
}

/// The instructions of a body, wherever they are.
pub(in crate::provider) fn system_of(body: &Value) -> Option<&Value> {
    field(body, "systemInstruction").or_else(|| field(body.get("config")?, "systemInstruction"))
}

/// The message for instructions, which may be a text, a content, its parts, or one of them.
pub(super) fn head(system: &Value) -> Option<Message> {
    let content = content_of(system)?;
    let mut fields = Fields::new(content.as_object()?);
    let Some(Value::Array(list)) = fields.take("parts") else { return None };
    let mut message =
        Message::new(Role::System, read_parts(&list, Role::System, Earlier { before: &[], out: &[] }));
    message.extras = fields.into_extras(FORMAT, &["parts"]);
    Some(message)
}

//! Converts a history from one format to another and keeps ids and pairing.

use serde_json::Value;

use super::item_ids::ITEM;
use super::note::note_lost_fields;
use super::reading::is_read_by_model;
use super::{CheckOptions, Note, Repaired, Severity, check, provider, repair};
use crate::error::{Error, Result};
use crate::hashing::HashMap;
use crate::message::{Format, Message, Part};

/// The provider is unknown, so what only some providers refuse is kept.
const ANY_PROVIDER: &str = "other";

const BROKEN: &str = "the history breaks the rules of its own format (see `check`), so the result may be invalid too: use `repair` first";

/// A history in another format.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversion {
    /// The list, or a body (`{ system, messages }`, `{ instructions, input }`) if there is something that the format
    /// keeps outside of the list.
    pub output: Value,
    /// What the format could not express unchanged, with the index of the message in the input. Corrections for the
    /// rules of the new format come last, with the index of the entry in the output.
    pub notes: Vec<Note>,
}

/// A note on what only our own messages say of a message.
fn lost_meta(message: &Message) -> Option<Note> {
    let meta = &message.meta;
    let given = [
        ("id", meta.id.is_some()),
        ("item_type", meta.item_type.is_some()),
        ("priority", meta.priority.is_some()),
        ("ephemeral", meta.ephemeral.is_some()),
        ("pinned", meta.pinned),
        ("output_ref", message.output_ref().is_some()),
    ];
    let mut notes = Vec::new();
    note_lost_fields("it", &given, &[], &mut notes);
    notes.pop()
}

/// A time that the AI SDK's interfaces keep with a message. No model reads it.
const CREATED: &str = "createdAt";

/// Fields of parts that no other format has and that a model may read.
const PART_FIELDS: [&str; 4] = ["citations", "context", "namespace", "phase"];

/// The signature of a thought of Gemini's.
const SIGNATURE: &str = "thoughtSignature";

/// A note on the fields of a message that only its own format has. Our own messages carry them as `extras`. `called`: the
/// names of the tools, by the ids of the calls so far.
fn lost_fields(message: &Message, from: Format, called: &HashMap<&str, &str>) -> Option<Note> {
    let fields = message.extras.of(from)?;
    let is_name_of_call = |name: &str, value: &Value| {
        let mut outputs = message.tool_outputs();
        name == "name" && outputs.any(|o| called.get(o.call_id.as_str()).copied() == value.as_str())
    };
    let is_lost = |name: &str, value: &Value| {
        is_read_by_model(name) && name != CREATED && says_something(value) && !is_name_of_call(name, value)
    };
    let names = fields.iter().filter(|(name, value)| is_lost(name, value));
    let given: Vec<(&str, bool)> = names.map(|(name, _)| (name.as_str(), true)).collect();
    let mut notes = Vec::new();
    note_lost_fields("it", &given, &[], &mut notes);
    notes.pop()
}

/// Notes on the fields of its parts that only their own format has.
fn lost_part_fields(message: &Message, from: Format, to: Format) -> Vec<Note> {
    let mut notes = Vec::new();
    for part in &message.parts {
        let Some(fields) = part.extras().and_then(|extras| extras.of(from)) else { continue };
        let field = |name: &str| fields.get(name).or_else(|| fields.get(ITEM)?.get(name));
        let is_on = |value: &Value| value.get("enabled").and_then(Value::as_bool).unwrap_or_default();
        let is_given = |name: &str| field(name).is_some_and(|value| says_something(value) || is_on(value));
        let mut given = PART_FIELDS.map(|name| (name, is_given(name))).to_vec();
        let is_thought = to == Format::AiSdk && matches!(part, Part::Reasoning(_));
        given.push((SIGNATURE, is_thought && is_given(SIGNATURE)));
        note_lost_fields("a part", &given, &[], &mut notes);
    }
    notes
}

/// Whether a value was not taken from a template.
fn says_something(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) => false,
        Value::Number(_) => true,
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => list.iter().any(says_something),
        Value::Object(map) => map.values().any(says_something),
    }
}

/// Converts a list, a request body or a response. Calls and outputs keep their ids and stay paired. What the other
/// format cannot express is left out or expressed differently, with a note for each change.
///
/// # Errors
/// `INVALID_MESSAGE` and `INVALID_ARGUMENT` for input that is not in the format; `INVALID_ARGUMENT` if the other format
/// can express nothing of it.
pub fn convert(from: Format, to: Format, input: &Value) -> Result<Conversion> {
    let messages = provider(from).read(input)?;
    if from == to {
        return Ok(Conversion { output: input.clone(), notes: Vec::new() });
    }
    let refs: Vec<&Message> = messages.iter().collect();
    let written = provider(to).write(&refs);
    if written.items.is_empty() && written.head.is_none() && !messages.is_empty() {
        let why = format!("nothing in this history can be written in `{}`", to.as_str());
        return Err(Error::argument(why));
    }
    let mut notes: Vec<Note> = Vec::new();
    let mut called: HashMap<&str, &str> = HashMap::default();
    for (index, message) in messages.iter().enumerate() {
        called.extend(message.tool_calls().map(|call| (call.id.as_str(), call.name.as_str())));
        let mut lost: Vec<Note> = lost_meta(message).into_iter().collect();
        if to != Format::Messages {
            lost.extend(lost_fields(message, from, &called));
            lost.extend(lost_part_fields(message, from, to));
        }
        notes.extend(lost.into_iter().map(|note| Note { index, ..note }));
    }
    notes.extend(written.notes.iter().cloned());
    let output =
        if written.head.is_some() { provider(to).body(written) } else { Value::Array(written.items) };
    // Each format has its own order: a history that is valid in one may have to be reordered for the other. A call
    // without an output stays open, because it may still be running. A history that was invalid before is not repaired
    // here.
    let options = CheckOptions { pending: true, provider: Some(ANY_PROVIDER), ..CheckOptions::default() };
    if check(from, input, &options)?.iter().any(|v| v.severity == Severity::Error) {
        notes.push(Note { index: 0, what: BROKEN.to_owned() });
        return Ok(Conversion { output, notes });
    }
    let Repaired { output, changes } = repair(to, &output, &options)?;
    notes.extend(
        changes.into_iter().map(|c| Note { index: c.index, what: format!("{}: {}", c.rule, c.what) }),
    );
    Ok(Conversion { output, notes })
}

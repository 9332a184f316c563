//! Reading incoming messages, together with the caller's objects for them.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;
use wasm_bindgen::prelude::*;

use super::packed::packed;
use super::value::{get, has_lone_surrogate, is_list, list_in, repaired_entries_json, repaired_entry_json};
use crate::message::{Format, Message};
use crate::provider::{list_keys, list_of, message_of_json, provider};

/// Incoming messages, and the objects they came as.
pub struct Incoming {
    pub messages: Vec<Message>,
    /// In order. Together they cover all messages, including a header that was outside the list.
    pub groups: Vec<Group>,
}

/// Entries and the messages that were read from them: one entry with several messages, or several entries with one message.
pub struct Group {
    /// The caller's own objects; empty if there are none (as for a response's message).
    pub objects: Vec<JsValue>,
    /// Positions in the list of messages.
    pub messages: Range<usize>,
    /// Whether one of the objects contained a lone surrogate: then views write the messages anew (INV-5).
    pub repaired: bool,
}

impl Group {
    /// A group of messages that did not come as objects of the caller.
    pub fn without_objects(messages: Range<usize>) -> Self {
        Self { objects: Vec::new(), messages, repaired: false }
    }
}

/// The entries of a list, a request body or a response.
pub fn entries(format: Format, input: &JsValue) -> Result<Option<Vec<JsValue>>, JsValue> {
    let under_a_key =
        |held: &JsValue| list_keys(format).iter().find_map(|key| get(held, key).ok()?.filter(is_list));
    let nested = || under_a_key(&get(input, "response").ok()??);
    if format == Format::BedrockConverse
        && let Some(output) = get(input, "output")?
        && let Some(message) = get(&output, "message")?
    {
        return Ok(Some(vec![message]));
    }
    // The response comes before the request body, as in `list_of`.
    match list_in(input)? {
        Some(list) => Ok(Some(list)),
        None => nested().or_else(|| under_a_key(input)).map_or(Ok(None), |list| list_in(&list)),
    }
}

/// What comes before a list, for entries that depend on it.
#[derive(Clone)]
pub enum Before {
    /// The last entry.
    Entry(Option<Value>),
    /// The last message, or all of the answer and its outputs.
    Messages(Vec<Arc<Message>>),
}

/// Reads the caller's input. `before` says what comes before it, and is told whether the list continues an answer.
pub fn read(
    format: Format,
    input: &JsValue,
    before: impl FnOnce(bool) -> Result<Before, JsValue>,
) -> Result<Incoming, JsValue> {
    if format == Format::Messages
        && let Some(list) = list_in(input)?
    {
        return read_messages(list);
    }
    let (value, repaired) = repaired_entries_json(format, input)?;
    let provider = provider(format);
    let list = list_of(format, &value)?;
    let objects = match &list {
        Cow::Borrowed([entry]) if std::ptr::eq(entry, &raw const value) => vec![input.clone()],
        // Only if the numbers match; otherwise they are other entries, since a body may hold several lists.
        Cow::Borrowed(list) => {
            entries(format, input)?.filter(|own| own.len() == list.len()).unwrap_or_default()
        }
        Cow::Owned(_) => Vec::new(),
    };
    // No provider accepts an empty instruction.
    let head = provider.read_head(&value).filter(|head| !head.is_blank());
    let head: Vec<Message> = head.into_iter().collect();
    let read = match before(provider.continues(&list))? {
        Before::Entry(entry) => provider.read_after(entry.as_slice(), &list)?,
        Before::Messages(messages) => provider.read_behind(&messages, &list)?,
    };
    let (read, ranges): (Vec<Message>, Vec<Range<usize>>) = read.into_iter().unzip();
    let apart = head.iter().map(|_| Group::without_objects(0..1));
    let mut groups: Vec<Group> = apart.chain(groups(head.len(), &ranges, &objects)).collect();
    if repaired {
        for group in &mut groups {
            group.repaired = group.objects.iter().any(|object| has_lone_surrogate(object, format));
        }
    }
    Ok(Incoming { messages: [head, read].concat(), groups })
}

/// Reads messages of the package's own format: one message per entry.
fn read_messages(list: Vec<JsValue>) -> Result<Incoming, JsValue> {
    let mut incoming = Incoming { messages: Vec::new(), groups: Vec::new() };
    for (index, entry) in list.into_iter().enumerate() {
        let (message, repaired) = if let Some(message) = packed(&entry) {
            (message, false)
        } else {
            let (value, repaired) = repaired_entry_json(&entry, index)?;
            (message_of_json(&value, index)?, repaired)
        };
        incoming.messages.push(message);
        incoming.groups.push(Group { objects: vec![entry], messages: index..index + 1, repaired });
    }
    Ok(incoming)
}

/// Groups the messages, which begin at position `first`, by the entries they came from.
fn groups(first: usize, ranges: &[Range<usize>], objects: &[JsValue]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut until = 0; // the entries before this one are in a group
    for (i, range) in ranges.iter().enumerate() {
        let at = first + i;
        if let Some(group) = groups.last_mut().filter(|_| range.end == until) {
            group.messages.end = at + 1;
        } else {
            let objects = objects.get(until..range.end).unwrap_or_default().to_vec();
            groups.push(Group { objects, messages: at..at + 1, repaired: false });
            until = range.end;
        }
    }
    groups
}

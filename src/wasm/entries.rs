//! Incoming messages, and the caller's object for each.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::Value;
use wasm_bindgen::prelude::*;

use super::packed::packed;
use super::value::{get, has_lone_surrogate, is_list, list_in, mended_entries_json, mended_entry_json};
use crate::message::{Format, Message};
use crate::provider::{list_keys, list_of, message_of_json, provider, read_behind};

/// Messages that came in, and what they came as.
pub struct Incoming {
    pub messages: Vec<Message>,
    /// In order; together they cover the messages, but for a header that stood apart.
    pub groups: Vec<Group>,
}

/// Entries that belong to nobody else's messages, and the messages that they are: several of either, not of both.
pub struct Group {
    /// The caller's own; none where they were made of what he handed in (a response's message).
    pub objects: Vec<JsValue>,
    /// Positions among the messages.
    pub messages: Range<usize>,
    /// There was a lone surrogate in one of the objects: the messages are written anew (INV-5).
    pub mended: bool,
}

impl Group {
    /// Of messages that came as none of the caller's objects.
    pub fn without_objects(messages: Range<usize>) -> Self {
        Self { objects: Vec::new(), messages, mended: false }
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
    // What a model answered stands before what it was asked, as in `list_of`.
    match list_in(input)? {
        Some(list) => Ok(Some(list)),
        None => nested().or_else(|| under_a_key(input)).map_or(Ok(None), |list| list_in(&list)),
    }
}

/// Reads what the caller hands in. A list is read with the entry `before` it in view.
pub fn read(format: Format, input: &JsValue, before: Option<&Value>) -> Result<Incoming, JsValue> {
    if format == Format::Messages
        && let Some(list) = list_in(input)?
    {
        return read_messages(list);
    }
    let (value, mended) = mended_entries_json(format, input)?;
    let provider = provider(format);
    let list = list_of(format, &value)?;
    let objects = match &list {
        Cow::Borrowed([entry]) if std::ptr::eq(entry, &raw const value) => vec![input.clone()],
        // As many as were read, or they are others: a body may hold several lists.
        Cow::Borrowed(list) => {
            entries(format, input)?.filter(|own| own.len() == list.len()).unwrap_or_default()
        }
        Cow::Owned(_) => Vec::new(),
    };
    // No provider takes an empty instruction.
    let head = provider.read_head(&value).filter(|head| !head.is_blank());
    let head: Vec<Message> = head.into_iter().collect();
    let (read, ranges): (Vec<Message>, Vec<Range<usize>>) =
        read_behind(provider, before, &list)?.into_iter().unzip();
    let apart = head.iter().map(|_| Group::without_objects(0..1));
    let mut groups: Vec<Group> = apart.chain(groups(head.len(), &ranges, &objects)).collect();
    if mended {
        for group in &mut groups {
            group.mended = group.objects.iter().any(|object| has_lone_surrogate(object, format));
        }
    }
    Ok(Incoming { messages: [head, read].concat(), groups })
}

/// Reads the package's own messages, one an entry.
fn read_messages(list: Vec<JsValue>) -> Result<Incoming, JsValue> {
    let mut incoming = Incoming { messages: Vec::new(), groups: Vec::new() };
    for (index, entry) in list.into_iter().enumerate() {
        let (message, mended) = if let Some(message) = packed(&entry) {
            (message, false)
        } else {
            let (value, mended) = mended_entry_json(&entry, index)?;
            (message_of_json(&value, index)?, mended)
        };
        incoming.messages.push(message);
        incoming.groups.push(Group { objects: vec![entry], messages: index..index + 1, mended });
    }
    Ok(incoming)
}

/// Groups of the messages from position `first` on, by the entries that each came from.
fn groups(first: usize, ranges: &[Range<usize>], objects: &[JsValue]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut until = 0; // the entries before this one are in a group
    for (i, range) in ranges.iter().enumerate() {
        let at = first + i;
        if let Some(group) = groups.last_mut().filter(|_| range.end == until) {
            group.messages.end = at + 1;
        } else {
            let objects = objects.get(until..range.end).unwrap_or_default().to_vec();
            groups.push(Group { objects, messages: at..at + 1, mended: false });
            until = range.end;
        }
    }
    groups
}

//! What came in: messages, and which of the caller's objects each is.

use std::ops::Range;

use js_sys::Array;
use serde_json::Value;
use wasm_bindgen::prelude::*;

use super::value::{entries_json, get};
use crate::message::{Format, Message};
use crate::provider::{provider, read_behind};

/// The keys under which a body or a response holds its list.
pub const KEYS: [&str; 3] = ["input", "output", "messages"];

/// Messages that came in, and what they came as.
pub struct Incoming {
    pub messages: Vec<Message>,
    /// In order; together they cover the messages, but for a header that stood apart.
    pub groups: Vec<Group>,
}

/// Entries that belong to nobody else's messages, and the messages that they are: several of either, not of both.
pub struct Group {
    /// The caller's own; none where they are not known (a response's message).
    pub objects: Vec<JsValue>,
    /// Positions among the messages.
    pub messages: Range<usize>,
}

/// The entries of a list, a request body or a response.
pub fn entries(input: &JsValue) -> Option<Vec<JsValue>> {
    let list = KEYS.iter().find_map(|key| get(input, key).ok()??.dyn_into::<Array>().ok());
    let list = input.dyn_ref::<Array>().cloned().or(list)?;
    Some(list.iter().collect())
}

/// Reads what the caller hands in. A list is read with the entry `before` it in view.
pub fn read(format: Format, input: &JsValue, before: Option<&Value>) -> Result<Incoming, JsValue> {
    let value = entries_json(input)?;
    let provider = provider(format);
    let read_list = |list: &[Value], objects: &[JsValue]| {
        let (messages, ranges): (Vec<Message>, Vec<Range<usize>>) =
            read_behind(provider, before, list)?.into_iter().unzip();
        Ok(Incoming { messages, groups: groups(0, &ranges, objects) })
    };
    if let Value::Array(list) = &value {
        return read_list(list, &entries(input).unwrap_or_default());
    }
    let messages = match provider.read(&value) {
        Ok(messages) => messages,
        // One entry by itself.
        Err(_) if is_entry(&value) => return read_list(&[value], std::slice::from_ref(input)),
        Err(error) => return Err(error.into()),
    };
    let list = KEYS.iter().find_map(|key| value.get(*key)?.as_array());
    let ranges: Option<Vec<Range<usize>>> = list
        .and_then(|list| provider.read_list(list).ok())
        .map(|read| read.into_iter().map(|(_, range)| range).collect());
    let own_entries = ranges.zip(entries(input)).filter(|(ranges, _)| ranges.len() <= messages.len());
    let groups = match own_entries {
        Some((ranges, objects)) => groups(messages.len() - ranges.len(), &ranges, &objects),
        None => (0..messages.len()).map(|i| Group { objects: Vec::new(), messages: i..i + 1 }).collect(),
    };
    Ok(Incoming { messages, groups })
}

/// Whether a value looks like an entry of a list, and not like what holds one.
fn is_entry(value: &Value) -> bool {
    let holds_list = KEYS.iter().any(|key| value.get(*key).is_some_and(Value::is_array));
    !holds_list && ["role", "type"].iter().any(|key| value.get(*key).is_some_and(Value::is_string))
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
            groups.push(Group { objects, messages: at..at + 1 });
            until = range.end;
        }
    }
    groups
}

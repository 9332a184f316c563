//! Takes a JSON object apart and puts it together again, key for key.

use serde_json::{Map, Value};

use super::openai_responses::kinds::is_model_made;
use crate::error::{Error, Result};
use crate::message::{Extras, Format, Part, Role, Text};

/// An object that is being read. A field that is taken leaves an empty value of its type behind, so that the rest is a
/// template: it records which keys there were, in which order, and whether a value was a string, an array or an object.
#[derive(Debug, Clone)]
pub(super) struct Fields {
    map: Map<String, Value>,
    taken: usize,
}

impl Fields {
    pub(super) fn new(map: &Map<String, Value>) -> Self {
        Self { map: map.clone(), taken: 0 }
    }

    /// The value, without taking it.
    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.map.get(key)
    }

    /// Takes a field of any kind. `null` stays in the template and is not taken.
    pub(super) fn take(&mut self, key: &str) -> Option<Value> {
        let slot = self.map.get_mut(key)?;
        let empty = match slot {
            Value::Null => return None,
            Value::String(_) => Value::String(String::new()),
            Value::Array(list) if list.is_empty() => Value::Array(Vec::new()),
            Value::Array(_) => Value::Array(vec![Value::Null]), // distinguishes a list that was taken from an empty one
            Value::Object(_) => Value::Object(Map::new()),
            Value::Bool(_) | Value::Number(_) => Value::Bool(false),
        };
        self.taken += 1;
        Some(std::mem::replace(slot, empty))
    }

    /// If the field is `null`, counts it as taken, because a writer without a template writes `null`, too. Returns
    /// whether it is `null`.
    pub(super) fn take_null(&mut self, key: &str) -> bool {
        let is_null = self.map.get(key).is_some_and(Value::is_null);
        self.taken += usize::from(is_null);
        is_null
    }

    /// Takes a field if it is a string.
    pub(super) fn take_text(&mut self, key: &str) -> Option<Text> {
        self.map.get(key)?.as_str()?;
        match self.take(key) {
            Some(Value::String(text)) => Some(text.into()),
            _ => None,
        }
    }

    /// Like [`Self::take_text`], but returns a `String`.
    pub(super) fn take_string(&mut self, key: &str) -> Option<String> {
        self.map.get(key)?.as_str()?;
        match self.take(key) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        }
    }

    /// Takes a flag that is set; one that is not stays in the template. `None` if it is neither a boolean nor `null`.
    pub(super) fn take_flag(&mut self, key: &str) -> Option<bool> {
        let is_set = match self.get(key) {
            None | Some(Value::Null) => false,
            Some(value) => value.as_bool()?,
        };
        Some(is_set && self.take(key).is_some())
    }

    /// Puts a taken value back, so that it stays in the template after all.
    pub(super) fn restore(&mut self, key: &str, value: Value) {
        self.map.insert(key.to_owned(), value);
        self.taken -= 1;
    }

    /// Replaces a field with `value`: the template of a nested object.
    pub(super) fn mark(&mut self, key: &str, value: Value) {
        self.map.insert(key.to_owned(), value);
    }

    /// Replaces a nested object that was taken with its template, unless that is plain.
    pub(super) fn nest(&mut self, key: &str, inner: Fields, order: &[&str]) {
        if !inner.is_plain(order) {
            self.restore(key, Value::Object(inner.map));
        }
    }

    /// The template: what remains of the object.
    pub(super) fn into_template(self) -> Map<String, Value> {
        self.map
    }

    /// Whether the template is superfluous because writing without it gives the same object: every field was taken, and
    /// the keys are in `order`.
    pub(super) fn is_plain(&self, order: &[&str]) -> bool {
        let mut order = order.iter();
        self.taken == self.map.len() && self.map.keys().all(|key| order.any(|k| k == key))
    }

    /// The template as extras of `format`; empty if it is superfluous.
    pub(super) fn into_extras(self, format: Format, order: &[&str]) -> Extras {
        self.into_extras_if_unusual(true, format, order)
    }

    /// Like [`Self::into_extras`], for an object that is written differently without a template unless it is `usual`.
    pub(super) fn into_extras_if_unusual(self, usual: bool, format: Format, order: &[&str]) -> Extras {
        if usual && self.is_plain(order) { Extras::default() } else { Extras::new(format, self.map) }
    }

    /// The error for an entry without a role, which may be an item of the Responses API.
    pub(super) fn no_role(&self, index: usize) -> Error {
        let kind = self.get("type").and_then(Value::as_str);
        let of_responses =
            |kind: &&str| *kind == "reasoning" || kind.ends_with("_output") || is_model_made(&self.map);
        Error::message_at(
            index,
            match kind.filter(of_responses) {
                Some(kind) => format!("`role` is missing; {}", foreign(kind, Format::OpenaiResponses)),
                None => "`role` is missing".to_owned(),
            },
        )
    }

    /// What a call needs that has no name or no arguments. `text`: the key of the arguments.
    pub(super) fn needed_of_call(&self, text: &str) -> String {
        let is_object = self.get(text).is_some_and(Value::is_object);
        let hint = if is_object { format!(": pass `JSON.stringify({text})`") } else { String::new() };
        format!("needs `name` and `{text}`, both strings{hint}")
    }

    /// Takes the role of the entry at `index`. A role that is not one of `known` is an error.
    pub(super) fn take_role(&mut self, index: usize, known: &[Role]) -> Result<Role> {
        let Some(name) = self.take_string("role") else {
            return Err(self.no_role(index));
        };
        let role = Role::parse(&name).filter(|role| known.contains(role));
        role.ok_or_else(|| Error::message_at(index, format!("unknown role `{name}`")))
    }
}

/// Tells the caller how to pass an entry or a part of another format.
pub(super) fn foreign(kind: &str, format: Format) -> String {
    let format = format.as_str();
    format!(
        "`{kind}` belongs to the format \"{format}\": push it with `pushFrom(\"{format}\", …)`, or `convert` it"
    )
}

/// An object that is being written, starting from a template or empty.
#[derive(Debug, Clone, Default)]
pub(super) struct Object(Map<String, Value>);

impl From<Map<String, Value>> for Object {
    fn from(template: Map<String, Value>) -> Self {
        Self(template)
    }
}

impl Object {
    /// Starts from the extras of `format`, or empty.
    pub(super) fn of(extras: &Extras, format: Format) -> Self {
        Self(extras.of(format).unwrap_or_default())
    }

    /// Sets a field, at its position in the template if it has one.
    pub(super) fn set(&mut self, key: &str, value: impl Into<Value>) -> &mut Self {
        self.0.insert(key.to_owned(), value.into());
        self
    }

    /// Sets `type`, unless the template has a type of its own (which was not taken).
    pub(super) fn set_type(&mut self, kind: &str) -> &mut Self {
        let has_type = self.0.get("type").and_then(Value::as_str).is_some_and(|t| !t.is_empty());
        if has_type { self } else { self.set("type", kind) }
    }

    /// Sets a field, or removes it if `value` is `None`. A `null` in the template stays.
    pub(super) fn set_or_remove(&mut self, key: &str, value: Option<impl Into<Value>>) -> &mut Self {
        match value {
            Some(value) => {
                self.set(key, value);
            }
            None if self.0.get(key).is_some_and(|v| !v.is_null()) => {
                self.0.shift_remove(key);
            }
            None => {}
        }
        self
    }

    /// Sets a flag that is written only if it is set, or if the template has it.
    pub(super) fn set_flag(&mut self, key: &str, value: bool) -> &mut Self {
        if value || self.0.get(key).is_some_and(Value::is_boolean) { self.set(key, value) } else { self }
    }

    /// Sets a list, or removes it if it has no elements. An empty list in the template stays.
    pub(super) fn set_list_or_remove(&mut self, key: &str, list: Vec<Value>) -> &mut Self {
        let stays = list.is_empty() && self.had_empty_list(key);
        if stays { self } else { self.set_or_remove(key, (!list.is_empty()).then_some(list)) }
    }

    /// Whether the template had an array here.
    pub(super) fn had_array(&self, key: &str) -> bool {
        self.0.get(key).is_some_and(Value::is_array)
    }

    /// Whether the template still holds a list that was not taken, because our own types cannot hold all of it.
    pub(super) fn keeps_list(&self, key: &str) -> bool {
        self.0.get(key).and_then(Value::as_array).is_some_and(|list| !list.is_empty() && !list[0].is_null())
    }

    /// Whether the field was an empty list.
    pub(super) fn had_empty_list(&self, key: &str) -> bool {
        self.0.get(key).and_then(Value::as_array).is_some_and(Vec::is_empty)
    }

    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.0.get(key)
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    /// The template of a nested object.
    pub(super) fn nested(&self, key: &str) -> Option<Self> {
        self.0.get(key)?.as_object().cloned().map(Self)
    }

    pub(super) fn remove(&mut self, key: &str) {
        self.0.shift_remove(key);
    }

    pub(super) fn into_value(self) -> Value {
        Value::Object(self.0)
    }
}

/// A part that the model does not know, as it came.
pub(super) fn opaque(format: Format, value: &Value) -> Part {
    Part::Opaque { format, raw: value.clone().into() }
}

/// Removes the template of a part that is written the same without one.
pub(super) fn drop_needless_template(
    part: &mut Part,
    came: &Value,
    write: impl FnOnce(&Part) -> Option<Value>,
) {
    let Some(extras) = part.extras_mut().filter(|extras| !extras.is_empty()).map(std::mem::take) else {
        return;
    };
    let same = write(part).is_some_and(|written| is_same_json(&written, came));
    if let Some(slot) = part.extras_mut().filter(|_| !same) {
        *slot = extras;
    }
}

/// Whether both are the same JSON text: objects have the same keys in the same order.
fn is_same_json(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let same = |((a, one), (b, other)): ((&String, &Value), (&String, &Value))| {
                a == b && is_same_json(one, other)
            };
            one.len() == other.len() && one.iter().zip(other).all(same)
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same_json(one, other))
        }
        (one, other) => one == other,
    }
}

/// Content as a list, or as a string if it is one plain text that did not come as a list: so it needs no template when
/// it is read again.
pub(super) fn text_or_list(mut list: Vec<Value>, as_list: bool) -> Value {
    let is_text = |part: &Map<String, Value>| {
        part.keys().eq(["type", "text"]) && matches!(part["type"].as_str(), Some("text" | "input_text"))
    };
    match list.as_mut_slice() {
        [Value::Object(part)] if !as_list && is_text(part) => part["text"].take(),
        _ => Value::Array(list),
    }
}

/// The text as a JSON string.
pub(super) fn json(text: &str) -> Value {
    Value::String(text.to_owned())
}

/// The text under `key`.
pub(super) fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str()
}

/// The elements of the list under `key`, if there is one.
pub(super) fn each<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> + Clone + use<'v> {
    value.get(key).and_then(Value::as_array).into_iter().flatten()
}

/// The value under `key`, unless it is missing or `null`.
pub(super) fn given<'v>(value: &'v Value, key: &str) -> Option<&'v Value> {
    value.get(key).filter(|v| !v.is_null())
}

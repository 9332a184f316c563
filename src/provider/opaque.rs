use std::borrow::Cow;
use std::sync::Arc;

use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use super::fields::Fields;
use super::note::Note;
use crate::message::{CallKind, Format, Part, ProviderCompaction, ToolCall};

/// Fields that may hold the input of a call of another kind, for readers of a transcript.
const INPUT_FIELDS: [&str; 7] = ["input", "arguments", "action", "actions", "operation", "code", "queries"];

/// A call that is neither a function nor a custom tool. Its item is kept unchanged.
pub(super) fn opaque_call(id: impl Into<String>, format: Format, raw: Arc<Value>) -> ToolCall {
    let body = raw.get("toolUse").unwrap_or(&raw); // the type of a Bedrock block is its only key
    let text = |key: &str| body.get(key).and_then(Value::as_str);
    let name = text("name").or_else(|| text("type")).unwrap_or("tool").to_owned();
    let input = INPUT_FIELDS.iter().find_map(|key| body.get(*key).filter(|v| !v.is_null()));
    let input = match input {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => String::new(),
    };
    ToolCall { kind: CallKind::Other { format, raw }, ..ToolCall::function(id, name, input) }
}

/// Whether `format` can express this call. Adds a note if the call is expressed differently or left out.
///
/// A call that the caller executes is always expressed, if necessary as a function, because its output needs it. A call
/// that another provider executed is left out.
pub(super) fn can_express(call: &ToolCall, format: Format, notes: &mut Vec<Note>) -> bool {
    let own = call.extras.came_in(format);
    if call.hosted && !own {
        notes.push(Note::new(format!(
            "the hosted call of `{}` is left out: another provider ran it",
            call.name
        )));
        return false;
    }
    let has_custom = matches!(format, Format::Messages | Format::OpenaiChat | Format::OpenaiResponses);
    let only = match &call.kind {
        CallKind::Other { format, .. } => format!("a kind that only `{}` has", format.as_str()),
        CallKind::Custom if !has_custom => "a custom tool".to_owned(),
        CallKind::Function | CallKind::Custom => return true,
    };
    notes.push(Note::new(format!("a call of `{}`, {only}, is written as a function call", call.name)));
    true
}

/// The arguments as JSON text: free text is wrapped as `{"input": …}`.
pub(super) fn json_arguments(call: &ToolCall) -> Cow<'_, str> {
    match call.kind {
        CallKind::Function => Cow::Borrowed(&call.input),
        CallKind::Custom | CallKind::Other { .. } => match serde_json::from_str::<Value>(&call.input) {
            Ok(Value::Object(_)) => Cow::Borrowed(&call.input),
            _ => Cow::Owned(json!({ "input": call.input.as_ref() }).to_string()),
        },
    }
}

/// Takes a JSON value as text. If converting the text back could change a number, the value also stays in the template.
pub(super) fn take_json(fields: &mut Fields, key: &str) -> Option<String> {
    let value = fields.take(key)?;
    let text = value.to_string();
    if holds_float(&value) {
        fields.restore(key, value);
    }
    Some(text)
}

fn holds_float(value: &Value) -> bool {
    match value {
        Value::Number(n) => n.is_f64(),
        Value::Array(list) => list.iter().any(holds_float),
        Value::Object(map) => map.values().any(holds_float),
        Value::Null | Value::Bool(_) | Value::String(_) => false,
    }
}

/// A call's arguments as a value: `null` if there are none, a string if they are not JSON. Integers that a JavaScript
/// number cannot represent exactly become strings, so that they do not change.
pub(super) fn json_input(call: &ToolCall, notes: &mut Vec<Note>) -> Value {
    let arguments = json_arguments(call);
    if arguments.trim().is_empty() {
        return Value::Null;
    }
    let as_text = || Value::String(arguments.to_string());
    // Quotation marks could make JSON of a text that is none.
    if serde_json::from_str::<IgnoredAny>(&arguments).is_err() {
        return as_text();
    }
    let exact = quote_large_integers(&arguments);
    let Ok(input) = serde_json::from_str(&exact) else {
        return as_text();
    };
    if matches!(exact, Cow::Owned(_)) {
        let what = format!("integers above 2^53 in the input of `{}` are written as strings", call.name);
        notes.push(Note::new(what));
    }
    input
}

/// A call's arguments as an object. `kept`: the value in its template, which is used if the arguments are still the
/// same.
pub(super) fn object_arguments(call: &ToolCall, kept: Option<&Value>, notes: &mut Vec<Note>) -> Value {
    if let Some(kept) = kept.filter(|kept| kept.to_string() == *call.input) {
        return kept.clone();
    }
    match json_input(call, notes) {
        Value::Object(map) => Value::Object(map),
        Value::Null => Value::Object(Map::new()),
        other => {
            notes.push(Note::new(format!(
                "the input of `{}` is not an object and is wrapped in one",
                call.name
            )));
            json!({ "input": other })
        }
    }
}

/// Whether a function call's input is not an object. APIs whose inputs are objects refuse it.
pub(super) fn has_non_object_input(call: &ToolCall) -> bool {
    matches!(call.kind, CallKind::Function) && !call.input.trim_start().starts_with('{')
}

/// Puts such an input into an object. If it is a string that contains the JSON of an object, this object is used.
pub(super) fn wrap_input(call: &mut ToolCall) {
    let input = match json_input(call, &mut Vec::new()) {
        Value::String(string) => match serde_json::from_str(&string) {
            Ok(Value::Object(map)) => Value::Object(map),
            _ => json!({ "input": string }),
        },
        Value::Null => json!({}),
        other => json!({ "input": other }),
    };
    call.input = input.to_string().into();
}

/// Puts integers that a JavaScript number cannot represent exactly into quotation marks. (A parsed number would no
/// longer have all digits of the largest ones.)
fn quote_large_integers(json: &str) -> Cow<'_, str> {
    let in_number = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E');
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = json[at..].find(|c: char| c == '"' || c == '-' || c.is_ascii_digit()) {
        let start = at + found;
        let rest = &json[start..];
        if rest.starts_with('"') {
            at = start + string_len(rest);
            continue;
        }
        let number = &rest[..rest.find(|c| !in_number(c)).unwrap_or(rest.len())];
        at = start + number.len();
        if is_large_integer(number) {
            out.push_str(&json[copied..start]);
            out.extend(["\"", number, "\""]);
            copied = at;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    out.push_str(&json[copied..]);
    Cow::Owned(out)
}

/// The length of the JSON string that a text begins with, or of the whole text if it does not end.
fn string_len(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 2)
}

fn is_large_integer(number: &str) -> bool {
    let digits = number.strip_prefix('-').unwrap_or(number);
    !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && digits.parse::<u128>().map_or(true, |n| n > MAX_SAFE_INTEGER)
}

/// `Number.MAX_SAFE_INTEGER`.
const MAX_SAFE_INTEGER: u128 = (1 << 53) - 1;

/// Expresses a part that only `format` knows in another format. Anthropic's own compaction replaces everything before
/// it, so its summary becomes a text. Everything else is left out.
pub(super) fn as_text(format: Format, raw: &Value, notes: &mut Vec<Note>) -> Option<Part> {
    let part = Part::Opaque { format, raw: raw.clone().into() };
    let summary = raw.get("content").and_then(Value::as_str);
    if let Some(summary) =
        summary.filter(|_| part.provider_compaction() == Some(ProviderCompaction::ReplacesAll))
    {
        notes.push(Note::new("the summary of a provider's own compaction is written as text"));
        return Some(Part::text(summary));
    }
    notes.push(Note::new(format!("a part that only `{}` supports is left out", format.as_str())));
    None
}

//! The texts of a message that are searched for facts.

use std::borrow::Cow;

use serde_json::Value;

use crate::message::{CallKind, Message, Part, ToolCall};

/// Every text of a message: its own text, its tool outputs, and the strings in the arguments of its calls, unescaped. Reasoning
/// is left out, because it is not a record of what happened.
pub fn texts(message: &Message) -> Vec<Cow<'_, str>> {
    texts_with(message, |_| true)
}

/// Like `texts`, but only with calls that are `wanted`.
pub fn texts_with(message: &Message, wanted: impl Fn(&ToolCall) -> bool) -> Vec<Cow<'_, str>> {
    named_texts(message, wanted).into_iter().map(|(_, text)| text).collect()
}

/// Like `texts_with`, with the name of the argument that holds each string of a call.
pub(super) fn named_texts(
    message: &Message,
    wanted: impl Fn(&ToolCall) -> bool,
) -> Vec<(Option<String>, Cow<'_, str>)> {
    let mut out = Vec::new();
    for part in &message.parts {
        match part {
            Part::Text { text, .. } | Part::Refusal { text, .. } => out.push((None, Cow::Borrowed(&**text))),
            Part::ToolOutput(output) => {
                let texts = output.content.iter().filter_map(Part::as_text_or_refusal);
                out.extend(texts.map(|text| (None, Cow::Borrowed(&**text))));
            }
            Part::ToolCall(call) if wanted(call) => arguments(call, &mut out),
            Part::ToolCall(_) | Part::Media(_) | Part::Reasoning(_) | Part::Opaque { .. } => {}
        }
    }
    out
}

/// What a call says: the strings in its arguments.
pub fn texts_of_call(call: &ToolCall) -> Vec<Cow<'_, str>> {
    let mut out = Vec::new();
    arguments(call, &mut out);
    out.into_iter().map(|(_, text)| text).collect()
}

/// The message's plain text, without a copy if it is a single text. Consecutive text parts are joined directly if the first ends with a
/// blank; otherwise each starts a new line.
pub fn message_text(message: &Message) -> Cow<'_, str> {
    let single = match message.parts.as_slice() {
        [Part::ToolOutput(output)] => output.content.as_slice(),
        parts => parts,
    };
    if let [Part::Text { text, .. }] = single {
        return Cow::Borrowed(text);
    }
    let joined = message
        .parts
        .windows(2)
        .any(|pair| matches!(pair, [Part::Text { text, .. }, Part::Text { .. }] if text.ends_with(' ')));
    if !joined {
        return Cow::Owned(message.plain_text());
    }
    let mut out = String::new();
    for part in &message.parts {
        if out.ends_with(' ')
            && let Part::Text { text, .. } = part
        {
            out.push_str(text);
        } else {
            part.push_plain_text(&mut out);
        }
    }
    Cow::Owned(out)
}

fn arguments<'a>(call: &'a ToolCall, out: &mut Vec<(Option<String>, Cow<'a, str>)>) {
    let parsed = match &call.kind {
        CallKind::Other { raw, .. } => Some(Value::clone(raw)),
        CallKind::Function => serde_json::from_str(&call.input).ok(),
        CallKind::Custom => None,
    };
    match parsed {
        Some(value) => out.extend(strings(value).into_iter().map(|(name, text)| (name, Cow::Owned(text)))),
        None => out.push((None, Cow::Borrowed(&*call.input))),
    }
}

/// The strings in a value, in order, with the names of their fields, without bookkeeping (ids, types).
fn strings(value: Value) -> Vec<(Option<String>, String)> {
    const BOOKKEEPING: [&str; 4] = ["id", "call_id", "type", "status"];
    let mut out = Vec::new();
    let mut next = vec![(None, value)];
    while let Some((name, value)) = next.pop() {
        match value {
            Value::String(text) => out.push((name, text)),
            Value::Array(list) => next.extend(list.into_iter().rev().map(|value| (None, value))),
            Value::Object(map) => {
                // An argument may be called `id` and hold something from the user, so only an item's own fields are left out.
                let item = map.contains_key("call_id");
                let kept = map.into_iter().filter(|(key, _)| !(item && BOOKKEEPING.contains(&key.as_str())));
                next.extend(
                    kept.map(|(key, value)| (Some(key), value)).collect::<Vec<_>>().into_iter().rev(),
                );
            }
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Role;

    #[test]
    fn arguments_are_unescaped_and_reasoning_is_skipped() {
        let call = ToolCall::function("c", "write", r#"{"path":"a.rs","lines":["x\nsrc/b.rs"]}"#);
        let message = Message::new(Role::Assistant, vec![Part::text("said"), Part::from(call)]);
        assert_eq!(texts(&message), ["said", "a.rs", "x\nsrc/b.rs"]);
        let broken = ToolCall::function("c", "write", r#"{"path":"a"#);
        assert_eq!(texts(&Message::new(Role::Assistant, vec![Part::from(broken)])), [r#"{"path":"a"#]);
    }
}

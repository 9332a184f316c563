//! The view as JavaScript's objects.

use std::borrow::Cow;
use std::sync::Arc;

use js_sys::Array;
use serde_json::Value;
use wasm_bindgen::prelude::*;

use super::inner::Inner;
use super::value::{set, to_js};
use crate::context::{Context, Form, Node, Slot, Snapshot};
use crate::message::{Format, Message, Part};
use crate::provider::{Provider, Written, provider, unlink_each};

/// The view in a format.
pub fn view_of(inner: &Inner, format: Format) -> Result<JsValue, JsValue> {
    let mut handles = inner.handles()?;
    let view = inner.read(|core| -> Result<JsValue, JsValue> {
        let context = core.context();
        let provider = provider(format);
        let (head, body) = split_head(context, provider);
        let head: Vec<&Message> = head.into_iter().map(|slot| &*slot.message).collect();
        let head = if head.is_empty() { None } else { provider.write_head(&head, &mut Vec::new()) };
        let has_ids = matches!(format, Format::OpenaiResponses | Format::AiSdk);
        let body = if has_ids { linked(context, body) } else { all(body) };
        let slots: Vec<(&Slot, &Node)> =
            body.iter().map(|slot| (&**slot, context.history.node(slot.node))).collect();
        let list = handles.list(&slots, format)?;
        with_head(provider, head, list)
    })??;
    inner.note_sent();
    Ok(view)
}

/// An earlier view as messages.
pub fn list_of(inner: &Inner, snapshot: &Snapshot) -> Result<JsValue, JsValue> {
    let mut handles = inner.handles()?;
    inner.read(|core| {
        let Context { history, view, .. } = core.context();
        let slots: Vec<(&Slot, &Node)> = view.slots_at(snapshot).map(|s| (s, history.node(s.node))).collect();
        handles.list(&slots, Format::Messages).map(JsValue::from)
    })?
}

/// What the format keeps apart, and the rest.
fn split_head<'a>(context: &'a Context, provider: &dyn Provider) -> (Vec<&'a Slot>, Vec<&'a Slot>) {
    let mut leading = true;
    context.view.slots().partition(|slot| {
        let is_head = provider.is_head(&slot.message, leading);
        leading = leading && is_head;
        is_head
    })
}

fn all(slots: Vec<&Slot>) -> Vec<Cow<'_, Slot>> {
    slots.into_iter().map(Cow::Borrowed).collect()
}

/// The slots, set right where a pass took reasoning off a message: what that reasoning made loses its ids.
fn linked<'a>(context: &'a Context, slots: Vec<&'a Slot>) -> Vec<Cow<'a, Slot>> {
    let thoughts = |m: &Message| m.parts.iter().filter(|p| matches!(p, Part::Reasoning(_))).count();
    let whole = |slot: &Slot| &*context.history.node(slot.node).message;
    if !slots.iter().any(|s| s.form != Form::Whole && thoughts(&s.message) < thoughts(whole(s))) {
        return all(slots);
    }
    let view = slots.iter().map(|s| Cow::Borrowed(&*s.message));
    let linked = unlink_each(slots.iter().map(|s| whole(s)), view);
    let changed = |(slot, message): (&'a Slot, Option<Cow<'a, Message>>)| match message? {
        Cow::Borrowed(_) => Some(Cow::Borrowed(slot)),
        Cow::Owned(message) => {
            let form = if slot.form == Form::Whole { Form::Unbound } else { slot.form };
            Some(Cow::Owned(Slot { message: Arc::new(message), form, ..slot.clone() }))
        }
    };
    slots.into_iter().zip(linked).filter_map(changed).collect()
}

/// The list, or the body that holds it where the format keeps something apart.
fn with_head(provider: &dyn Provider, head: Option<Value>, list: Array) -> Result<JsValue, JsValue> {
    let Value::Object(empty) = provider.body(Written { head, ..Written::default() }) else {
        return Ok(list.into());
    };
    let key = empty.iter().rfind(|(_, value)| value.is_array()).map(|(key, _)| key.clone());
    let body = to_js(&Value::Object(empty))?;
    if let Some(key) = key {
        set(&body, &key, &list)?;
    }
    Ok(body)
}

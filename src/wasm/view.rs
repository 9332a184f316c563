//! The view as JavaScript's objects.

use std::sync::Arc;

use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::inner::Inner;
use super::value::to_js;
use crate::context::{Context, Slot};
use crate::message::{Format, Message};
use crate::provider::provider;

/// The view in a format.
pub fn view_of(inner: &Inner, format: Format) -> Result<JsValue, JsValue> {
    let mut handles = inner.handles.borrow_mut();
    inner.read(|core| -> Result<JsValue, JsValue> {
        let context = core.context();
        if matches!(format, Format::Messages | Format::OpenaiResponses | Format::OpenaiChat) {
            let (head, body): (Vec<&Slot>, Vec<&Slot>) = split_head(context, format);
            let list = handles.list(body.into_iter().map(|s| (s, context.history.node(s.node))), format)?;
            let head: Vec<&Message> = head.into_iter().map(|s| &*s.message).collect();
            return match format {
                Format::OpenaiResponses => responses_body(&head, &list),
                _ => Ok(list.into()),
            };
        }
        let lowered: Vec<Arc<Message>> = context.lower();
        let lowered: Vec<&Message> = lowered.iter().map(|m| &**m).collect();
        to_js(&provider(format).body(provider(format).write(&lowered)))
    })?
}

/// Slots of an earlier view as messages.
pub fn list_of(inner: &Inner, slots: &[Slot]) -> Result<JsValue, JsValue> {
    let mut handles = inner.handles.borrow_mut();
    inner.read(|core| {
        let history = &core.context().history;
        handles.list(slots.iter().map(|s| (s, history.node(s.node))), Format::Messages).map(JsValue::from)
    })?
}

/// What the format keeps apart, and the rest.
fn split_head(context: &Context, format: Format) -> (Vec<&Slot>, Vec<&Slot>) {
    let provider = provider(format);
    let mut leading = true;
    context.view.slots().partition(|slot| {
        leading = leading && provider.is_head(&slot.message, leading);
        leading
    })
}

fn responses_body(head: &[&Message], input: &Array) -> Result<JsValue, JsValue> {
    let body = js_sys::Object::new();
    if let Some(instructions) = provider(Format::OpenaiResponses).write(head).head {
        super::value::set(&body, "instructions", &to_js(&instructions)?)?;
    }
    super::value::set(&body, "input", input)?;
    Ok(body.into())
}

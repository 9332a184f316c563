//! JavaScript objects of messages: those that were pushed go out again as they came, others are made once.

use std::collections::HashMap;
use std::sync::Arc;

use js_sys::{Array, Object};
use wasm_bindgen::prelude::*;

use super::value::{set, to_js};
use crate::context::{Form, Node, NodeIndex, Slot};
use crate::message::{Format, Message};
use crate::provider::{Calls, provider};

/// The objects that a message came in as.
struct Original {
    format: Format,
    objects: Vec<JsValue>,
}

/// Objects by message. A message that was pushed as it is (`===`) comes out as it is.
#[derive(Default)]
pub struct Handles {
    originals: HashMap<NodeIndex, Original>,
    /// Valid for as long as the view shows that very message.
    made: HashMap<(NodeIndex, Format), (Arc<Message>, Vec<JsValue>)>,
}

impl Handles {
    /// Remembers what the node was pushed as.
    pub fn keep(&mut self, node: NodeIndex, format: Format, objects: Vec<JsValue>) {
        self.originals.insert(node, Original { format, objects });
    }

    /// The view as a list of objects of a format in which every message stands in entries of its own.
    pub fn list<'a>(
        &mut self,
        slots: impl Iterator<Item = (&'a Slot, &'a Node)>,
        format: Format,
    ) -> Result<Array, JsValue> {
        let list = Array::new();
        let mut calls = Calls::default();
        for (slot, node) in slots {
            calls.add(&slot.message);
            for object in self.objects(slot.node, slot.form, &slot.message, node, format, &calls)? {
                list.push(&object);
            }
        }
        Ok(list)
    }

    /// The history as it was pushed.
    pub fn messages<'a>(
        &mut self,
        nodes: impl Iterator<Item = (NodeIndex, &'a Node)>,
    ) -> Result<Array, JsValue> {
        let list = Array::new();
        let mut calls = Calls::default();
        for (index, node) in nodes {
            calls.add(&node.message);
            for object in self.objects(index, Form::Whole, &node.message, node, Format::Messages, &calls)? {
                list.push(&object);
            }
        }
        Ok(list)
    }

    fn objects(
        &mut self,
        index: NodeIndex,
        form: Form,
        message: &Arc<Message>,
        node: &Node,
        format: Format,
        calls: &Calls<'_>,
    ) -> Result<Vec<JsValue>, JsValue> {
        let has_ref = message.tool_outputs().any(|o| o.output_ref.is_some());
        let original = self.originals.get(&index).filter(|o| o.format == format && form == Form::Whole);
        if let Some(original) = original
            && (format != Format::Messages || !has_ref)
        {
            return Ok(original.objects.clone());
        }
        if let Some((of, made)) = self.made.get(&(index, format))
            && Arc::ptr_eq(of, message)
        {
            return Ok(made.clone());
        }
        let made = match original {
            // The caller's own object, and where its full output lies.
            Some(original) => vec![with_ref(&original.objects[0], message)?],
            None => write(message, node, format, calls)?,
        };
        self.made.insert((index, format), (message.clone(), made.clone()));
        Ok(made)
    }
}

/// Writes a message anew, with its id.
fn write(message: &Message, node: &Node, format: Format, calls: &Calls<'_>) -> Result<Vec<JsValue>, JsValue> {
    let entries = if format == Format::Messages && message.meta.id.is_none() {
        let mut named = message.clone();
        named.meta.id = Some(node.id.to_string());
        provider(format).write_one(&named, calls)
    } else {
        provider(format).write_one(message, calls)
    };
    entries.iter().map(to_js).collect()
}

/// A copy of the caller's tool message that carries `output_ref`.
fn with_ref(original: &JsValue, message: &Message) -> Result<JsValue, JsValue> {
    let copy = Object::assign(&Object::new(), original.unchecked_ref());
    if let Some(output_ref) = message.tool_outputs().find_map(|o| o.output_ref.as_ref()) {
        set(&copy, "output_ref", &to_js(output_ref)?)?;
    }
    Ok(copy.into())
}

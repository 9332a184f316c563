//! JavaScript objects of messages: those that were pushed go out again as they came, others are made once.

use std::collections::HashMap;
use std::sync::Arc;

use js_sys::Array;
use serde_json::Value;
use wasm_bindgen::prelude::*;

use super::value::{copy_of, set, to_js};
use crate::context::{Form, Node, NodeIndex, Renumbering, Slot};
use crate::message::{Format, Message, Role};
use crate::provider::{Calls, Provider, provider};

/// The objects that messages came in as: several objects of one message, or one of several messages.
struct Original {
    format: Format,
    nodes: Vec<NodeIndex>,
    objects: Vec<JsValue>,
}

/// What was made of messages that stand in one entry.
struct Made {
    of: Vec<Arc<Message>>,
    objects: Vec<JsValue>,
}

/// Objects by the first message that stands in them. What was pushed comes out as it is (`===`).
#[derive(Default)]
pub struct Handles {
    originals: HashMap<NodeIndex, Original>,
    /// Valid for as long as the view shows those very messages.
    made: HashMap<(NodeIndex, Format), Made>,
}

impl Handles {
    /// Remembers what nodes were pushed as.
    pub fn keep(&mut self, format: Format, nodes: Vec<NodeIndex>, objects: Vec<JsValue>) {
        if let Some(first) = nodes.first().copied().filter(|_| !objects.is_empty()) {
            self.originals.insert(first, Original { format, nodes, objects });
        }
    }

    /// The objects of a branch of the conversation.
    pub fn branch(&self, new: &Renumbering) -> Self {
        let came_along = |original: &Original| {
            let nodes = original.nodes.iter().map(|n| new.of(*n)).collect::<Option<Vec<NodeIndex>>>()?;
            let first = *nodes.first()?;
            Some((first, Original { format: original.format, nodes, objects: original.objects.clone() }))
        };
        Self { originals: self.originals.values().filter_map(came_along).collect(), made: HashMap::new() }
    }

    /// The view as a list of a format's objects.
    pub fn list(&mut self, slots: &[(&Slot, &Node)], format: Format) -> Result<Array, JsValue> {
        let provider = provider(format);
        let list = Array::new();
        let mut calls = Calls::default();
        let mut rest = slots;
        let mut opened = false;
        while let Some(((first, _), behind)) = rest.split_first() {
            let mut messages: Vec<&Message> = vec![&first.message];
            for (slot, _) in behind {
                if !provider.joins(&messages, &slot.message) {
                    break;
                }
                messages.push(&slot.message);
            }
            let (run, after) = rest.split_at(messages.len());
            for (slot, _) in run {
                calls.add(&slot.message);
            }
            let objects = self.objects(run, provider, &calls)?;
            // What is empty is not written: the last word may stand before it.
            let is_last = after.iter().all(|(slot, _)| slot.message.is_empty());
            let set_right = if is_last { finished(run, provider, &calls) } else { None };
            let objects = match set_right {
                Some(items) => items.iter().map(to_js).collect::<Result<_, _>>()?,
                None => objects,
            };
            if !opened && !objects.is_empty() && !first.message.role.is_instruction() {
                opened = true;
                if let Some(opening) = provider.opening(first.message.role) {
                    list.push(&to_js(&opening)?);
                }
            }
            for object in &objects {
                list.push(object);
            }
            rest = after;
        }
        Ok(list)
    }

    /// The history as it was pushed.
    pub fn messages<'a>(
        &mut self,
        nodes: impl Iterator<Item = (NodeIndex, &'a Node)>,
    ) -> Result<Array, JsValue> {
        let whole = |(node, of): (NodeIndex, &'a Node)| {
            let slot = Slot {
                node,
                message: of.message.clone(),
                tally: of.tally,
                part: of.part(),
                form: Form::Whole,
            };
            (slot, of)
        };
        let slots: Vec<(Slot, &Node)> = nodes.map(whole).collect();
        let slots: Vec<(&Slot, &Node)> = slots.iter().map(|(slot, node)| (slot, *node)).collect();
        self.list(&slots, Format::Messages)
    }

    /// The objects of messages that stand in one entry, or of a single one.
    fn objects(
        &mut self,
        run: &[(&Slot, &Node)],
        provider: &dyn Provider,
        calls: &Calls<'_>,
    ) -> Result<Vec<JsValue>, JsValue> {
        let [(first, node), ..] = run else { return Ok(Vec::new()) };
        let format = provider.format();
        let is_original = |o: &&Original| {
            o.format == format
                && run.iter().all(|(slot, _)| slot.form == Form::Whole)
                && o.nodes.iter().eq(run.iter().map(|(slot, _)| &slot.node))
        };
        let original = self.originals.get(&first.node).filter(is_original);
        let has_ref = || first.message.tool_outputs().any(|o| o.output_ref.is_some());
        if let Some(original) = original
            && (format != Format::Messages || !has_ref())
        {
            return Ok(original.objects.clone());
        }
        if let Some(made) = self.made.get(&(first.node, format))
            && made.of.len() == run.len()
            && made.of.iter().zip(run).all(|(of, (slot, _))| Arc::ptr_eq(of, &slot.message))
        {
            return Ok(made.objects.clone());
        }
        let objects = match original {
            // The caller's own object, and where its full output lies.
            Some(original) => vec![with_ref(&original.objects[0], &first.message)?],
            None if format == Format::Messages => vec![named(&first.message, node, calls)?],
            None => {
                let run: Vec<&Message> = run.iter().map(|(slot, _)| &*slot.message).collect();
                let entries = provider.write_run(&run, calls, &mut Vec::new());
                entries.iter().map(to_js).collect::<Result<_, _>>()?
            }
        };
        let of = run.iter().map(|(slot, _)| slot.message.clone()).collect();
        self.made.insert((first.node, format), Made { of, objects: objects.clone() });
        Ok(objects)
    }
}

/// The last entries, where a list may not end with them as they are.
fn finished(run: &[(&Slot, &Node)], provider: &dyn Provider, calls: &Calls<'_>) -> Option<Vec<Value>> {
    let messages: Vec<&Message> = run.iter().map(|(slot, _)| &*slot.message).collect();
    if messages.last()?.role != Role::Assistant {
        return None;
    }
    let mut items = provider.write_run(&messages, calls, &mut Vec::new());
    let mut notes = Vec::new();
    provider.finish(&mut items, &mut notes);
    (!notes.is_empty()).then_some(items)
}

/// Writes one of the package's own messages anew, with its id.
fn named(message: &Message, node: &Node, calls: &Calls<'_>) -> Result<JsValue, JsValue> {
    let mut named = message.clone();
    named.meta.id.get_or_insert_with(|| node.id.to_string());
    let entries = provider(Format::Messages).write_one(&named, calls);
    entries.first().map_or(Ok(JsValue::UNDEFINED), to_js)
}

/// A copy of the caller's tool message that carries `output_ref`.
fn with_ref(original: &JsValue, message: &Message) -> Result<JsValue, JsValue> {
    let copy = copy_of(original)?;
    if let Some(output_ref) = message.tool_outputs().find_map(|o| o.output_ref.as_ref()) {
        set(&copy, "output_ref", &to_js(output_ref)?)?;
    }
    Ok(copy.into())
}

//! JavaScript objects of messages: those that were pushed go out again as they came, others are made once.

use std::collections::HashMap;
use std::sync::Arc;

use js_sys::{Array, Object};
use serde_json::Value;
use wasm_bindgen::prelude::*;

use super::list::{Entry, List, Slots};
use super::originals::{Original, Originals};
use super::value::{copy_of, entry_to_js, set, to_js};
use crate::context::{Form, Node, NodeIndex, Renumbering, Slot};
use crate::message::{Format, Message, Role, ToolCall};
use crate::provider::{Calls, Note, Provider, provider};

/// A message as it stands in a list, and the node that it is.
pub type Shown<'a> = (&'a Slot, &'a Node);

/// What was made of messages that stand in one entry.
struct Made {
    of: Vec<Arc<Message>>,
    objects: Vec<JsValue>,
    notes: Vec<Note>,
}

/// The objects of messages that stand in one entry, and what the format could not say of them.
#[derive(Default)]
pub struct Objects<'a> {
    pub objects: &'a [JsValue],
    pub notes: &'a [Note],
}

/// Objects by the first message that stands in them. What was pushed comes out as it is (`===`).
#[derive(Default)]
pub struct Handles {
    originals: Originals,
    /// Valid for as long as the view shows those very messages.
    made: HashMap<(NodeIndex, Format), Made>,
    /// The view's list in each format that was asked for, as it was then.
    pub lists: HashMap<Format, List>,
}

impl Handles {
    /// Remembers what nodes were pushed as.
    pub fn keep(&mut self, format: Format, nodes: Vec<NodeIndex>, objects: Vec<JsValue>) {
        if let Some(first) = nodes.first().copied().filter(|_| !objects.is_empty()) {
            self.originals.insert(first, Original::new(format, nodes, objects));
        }
    }

    /// The objects of a branch of the conversation.
    pub fn branch(&self, new: &Renumbering) -> Self {
        let mut branch = Self::default();
        for (first, original) in self.originals.iter() {
            let nodes = original.nodes(&first).iter().map(|n| new.of(*n)).collect::<Option<Vec<NodeIndex>>>();
            let Some((first, nodes)) = nodes.and_then(|nodes| Some((*nodes.first()?, nodes))) else {
                continue;
            };
            let objects = original.objects().to_vec();
            branch.originals.insert(first, Original::new(original.format(), nodes, objects));
        }
        branch
    }

    /// Whether these objects, if there are any, are the very ones that the nodes were pushed as.
    pub fn came_as(&self, nodes: &[NodeIndex], objects: &[JsValue]) -> bool {
        let Some(first) = nodes.first() else { return false };
        let same = |(one, other): (&JsValue, &JsValue)| Object::is(one, other);
        self.originals.get(*first).is_some_and(|original| {
            original.nodes(first) == nodes
                && original.objects().len() == objects.len()
                && original.objects().iter().zip(objects).all(same)
        })
    }

    /// What nodes were pushed as, without the objects: in what format, and which belong together.
    pub fn pushed_as(&self) -> Vec<(Format, Vec<NodeIndex>)> {
        let each =
            |(first, original): (NodeIndex, &Original)| (original.format(), original.nodes(&first).to_vec());
        self.originals.iter().map(each).collect()
    }

    /// Remembers what nodes of an earlier process were pushed as; their objects are gone with it.
    pub fn keep_without_objects(&mut self, pushed: Vec<(Format, Vec<NodeIndex>)>) {
        for (format, nodes) in pushed {
            if let Some(first) = nodes.first().copied() {
                self.originals.insert(first, Original::new(format, nodes, Vec::new()));
            }
        }
    }

    /// Lets go of the objects of nodes whose output lives in the store.
    pub fn forget(&mut self, gone: &[NodeIndex]) {
        for node in gone {
            self.originals.remove(*node);
            for format in Format::ALL {
                self.made.remove(&(*node, format));
            }
        }
    }

    /// The objects of nodes that were pushed by an earlier process, in the list that the caller has now.
    pub fn adopt(&mut self, format: Format, nodes: &[NodeIndex], objects: Vec<JsValue>) {
        let Some(first) = nodes.first() else { return };
        let same = |original: &Original| original.format() == format && original.nodes(first) == nodes;
        if self.originals.get(*first).is_some_and(same) {
            self.originals.insert(*first, Original::new(format, nodes.to_vec(), objects));
            self.lists.remove(&format);
        }
    }

    /// A list of a format's objects.
    pub fn list(&mut self, slots: &[Shown<'_>], format: Format) -> Result<Array, JsValue> {
        let mut list = List::default();
        list.extend(self, &|at| slots.get(at).copied(), provider(format))?;
        Ok(list.entries)
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
        let slots: Vec<Shown<'_>> = slots.iter().map(|(slot, node)| (slot, *node)).collect();
        self.list(&slots, Format::Messages)
    }

    /// The objects of messages that stand in one entry, or of a single one.
    pub fn objects(
        &mut self,
        run: &Entry<'_>,
        slots: Slots<'_>,
        provider: &dyn Provider,
    ) -> Result<Objects<'_>, JsValue> {
        let [(_, (first, node)), ..] = run[..] else { return Ok(Objects::default()) };
        let format = provider.format();
        let is_original = |o: &Original| {
            o.format() == format
                && run.iter().all(|(_, (slot, _))| slot.form == Form::Whole)
                && o.nodes(&first.node).iter().eq(run.iter().map(|(_, (slot, _))| &slot.node))
        };
        let has_ref = || first.message.tool_outputs().any(|o| o.output_ref.is_some());
        let original = self.originals.get(first.node).filter(|o| is_original(o));
        let as_pushed = original.map(Original::objects).filter(|objects| !objects.is_empty());
        if let Some(objects) = as_pushed.filter(|_| format != Format::Messages || !has_ref()) {
            return Ok(Objects { objects, notes: &[] });
        }
        let key = (first.node, format);
        let is_made = |made: &Made| {
            made.of.len() == run.len()
                && made.of.iter().zip(run).all(|(of, (_, (slot, _)))| Arc::ptr_eq(of, &slot.message))
        };
        if !self.made.get(&key).is_some_and(is_made) {
            let last = run.last().map_or(0, |(at, _)| *at);
            let find = |id: &str| find_call(slots, last, id);
            let calls = Calls::looked_up(&find);
            let pushed = original.map(|o| o.objects().first());
            let mut notes = Vec::new();
            let objects = match pushed {
                // The caller's own object, and where its full output lies.
                Some(Some(object)) => vec![with_ref(object, &first.message)?],
                // Pushed by an earlier process: as it came, which may be without an id.
                Some(None) if format == Format::Messages => vec![written(&first.message, &calls)?],
                None if format == Format::Messages => vec![named(&first.message, node, &calls)?],
                _ => {
                    let run: Vec<&Message> = run.iter().map(|(_, (slot, _))| &*slot.message).collect();
                    let entries = provider.write_run(&run, &calls, &mut notes);
                    entries.iter().map(entry_to_js).collect::<Result<_, _>>()?
                }
            };
            let of = run.iter().map(|(_, (slot, _))| slot.message.clone()).collect();
            self.made.insert(key, Made { of, objects, notes });
        }
        let Made { objects, notes, .. } = &self.made[&key];
        Ok(Objects { objects, notes })
    }
}

/// The newest call of this id up to position `last`: mostly a few places further up.
fn find_call<'a>(slots: Slots<'a>, last: usize, id: &str) -> Option<&'a ToolCall> {
    let mut before = (0..=last).rev().filter_map(slots);
    before.find_map(|(slot, _)| slot.message.tool_calls().rfind(|call| call.id == id))
}

/// The last entries, where a list may not end with them as they are, and what was done to them.
pub fn finished(
    run: &Entry<'_>,
    slots: Slots<'_>,
    provider: &dyn Provider,
) -> Option<(Vec<Value>, Vec<Note>)> {
    let messages: Vec<&Message> = run.iter().map(|(_, (slot, _))| &*slot.message).collect();
    if messages.last()?.role != Role::Assistant {
        return None;
    }
    let last = run.last()?.0;
    let find = |id: &str| find_call(slots, last, id);
    let mut items = provider.write_run(&messages, &Calls::looked_up(&find), &mut Vec::new());
    let mut notes = Vec::new();
    provider.finish(&mut items, &mut notes);
    (!notes.is_empty()).then_some((items, notes))
}

/// Writes one of the package's own messages anew, with its id.
fn named(message: &Message, node: &Node, calls: &Calls<'_>) -> Result<JsValue, JsValue> {
    let mut named = message.clone();
    named.meta.id.get_or_insert_with(|| node.id.to_string());
    written(&named, calls)
}

/// Writes one of the package's own messages anew.
fn written(message: &Message, calls: &Calls<'_>) -> Result<JsValue, JsValue> {
    let entries = provider(Format::Messages).write_one(message, calls);
    entries.first().map_or(Ok(JsValue::UNDEFINED), entry_to_js)
}

/// A copy of the caller's tool message that carries `output_ref`.
fn with_ref(original: &JsValue, message: &Message) -> Result<JsValue, JsValue> {
    let copy = copy_of(original)?;
    if let Some(output_ref) = message.tool_outputs().find_map(|o| o.output_ref.as_ref()) {
        set(&copy, "output_ref", &to_js(output_ref)?)?;
    }
    Ok(copy.into())
}

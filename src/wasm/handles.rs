//! JavaScript objects of messages: those that were pushed go out again as they came, others are made once.
//!
//! An object stands for the messages that were read from it, and goes out again where just these stand together, untouched.
//! What a pass changed, what came in another format, what has to be joined, and what the API would refuse is written anew, as a
//! copy: the caller's list keeps its objects, so that `sync` recognises it.

use std::sync::Arc;

use js_sys::{Array, Object};
use serde_json::Value;
use wasm_bindgen::prelude::*;

use super::batch::Batch;
use super::list::{Entry, List, Slots};
use super::maker::with_ref;
use super::originals::{Original, Originals};
use crate::context::{Form, Node, NodeIndex, NodeSet, Renumbering, Slot};
use crate::hashing::HashMap;
use crate::message::{Format, Message, Role, ToolCall};
use crate::provider::{Calls, Note, Provider, provider};
use crate::saved::MapEdit;

/// A message as it stands in a list, and the node that it is.
pub type Shown<'a> = (&'a Slot, &'a Node);

/// By the first message that stands in an entry, and the format.
pub type Key = (NodeIndex, Format);

/// What was made of messages that stand in one entry.
pub struct Made {
    of: Vec<Arc<Message>>,
    pub objects: Vec<JsValue>,
    notes: Vec<Note>,
}

/// The objects of messages that stand in one entry, and what the format could not say of them.
pub struct Objects<'a> {
    pub objects: &'a [JsValue],
    pub notes: &'a [Note],
}

/// Objects by the first message that stands in them. What was pushed comes out as it is (`===`).
#[derive(Default)]
pub struct Handles {
    originals: Originals,
    /// Valid for as long as the view shows those very messages.
    made: HashMap<Key, Made>,
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

    /// The same of one node, where it is the first of them.
    pub fn pushed(&self, first: NodeIndex) -> Option<(Format, Vec<NodeIndex>)> {
        self.originals.get(first).map(|original| (original.format(), original.nodes(&first).to_vec()))
    }

    /// Nodes of which something else is known than when the session was saved.
    pub fn changed(&self) -> &NodeSet {
        &self.originals.changed
    }

    /// All that is known is saved.
    pub fn mark_saved(&mut self) {
        self.originals.changed.clear();
    }

    /// Remembers what nodes of an earlier process were pushed as; their objects are gone with it.
    pub fn keep_without_objects(&mut self, pushed: Vec<(Format, Vec<NodeIndex>)>) {
        for (format, nodes) in pushed {
            if let Some(first) = nodes.first().copied() {
                self.originals.insert(first, Original::new(format, nodes, Vec::new()));
            }
        }
    }

    /// Another process went on: what it pushed has no objects here, and what was made of messages may not hold any more.
    pub fn put_pushed(&mut self, changes: MapEdit<NodeIndex, (Format, Vec<NodeIndex>)>) {
        let (gone, put) = changes.into_parts();
        for first in gone {
            self.originals.remove(first);
        }
        for (first, (format, nodes)) in put {
            self.originals.insert(first, Original::new(format, nodes, Vec::new()));
        }
        self.made.clear();
        self.lists.clear();
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

    /// Lets go of the object that an erased message came in, in which other messages may stand, too, and of all that was made of messages.
    pub fn erase(&mut self, node: NodeIndex) {
        if let Some(first) = self.originals.first_of(node)
            && let Some((format, nodes)) = self.pushed(first)
        {
            self.originals.insert(first, Original::new(format, nodes, Vec::new()));
        }
        self.made.clear();
        self.lists.clear();
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

    /// The objects of messages that came in again, written otherwise.
    pub fn renew(&mut self, format: Format, nodes: &[NodeIndex], objects: &[JsValue]) {
        let Some(first) = nodes.first() else { return };
        let same = |original: &Original| {
            original.format() == format && original.nodes(first) == nodes && !original.objects().is_empty()
        };
        if self.originals.get(*first).is_some_and(same) {
            self.originals.insert(*first, Original::new(format, nodes.to_vec(), objects.to_vec()));
        }
        self.made.remove(&(*first, format));
    }

    /// A list of a format's objects.
    pub fn list(&mut self, slots: &[Shown<'_>], format: Format) -> Result<Array, JsValue> {
        let mut list = List::default();
        list.renew(self, &|at| slots.get(at).copied(), provider(format), 0, slots.len())?;
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

    /// The objects of messages that stand in one entry, or of a single one, where they are there already.
    pub fn objects(&self, run: &Entry<'_>, format: Format) -> Option<Objects<'_>> {
        if let Some(objects) = self.as_pushed(run, format) {
            return Some(Objects { objects, notes: &[] });
        }
        let made = self.made.get(&(run.first()?.1.0.node, format))?;
        let same = made.of.len() == run.len()
            && made.of.iter().zip(run).all(|(of, (_, (slot, _)))| Arc::ptr_eq(of, &slot.message));
        same.then_some(Objects { objects: &made.objects, notes: &made.notes })
    }

    /// What they were pushed as, where that says all of it.
    fn as_pushed(&self, run: &Entry<'_>, format: Format) -> Option<&[JsValue]> {
        let (first, _) = run.first()?.1;
        let objects = self.original(run, format).map(Original::objects).filter(|list| !list.is_empty())?;
        let is_refused = |message: &Message| provider(format).mended(message, &mut Vec::new()).is_some();
        if run.iter().any(|(_, (slot, _))| is_refused(&slot.message)) {
            return None;
        }
        let has_ref = || first.message.tool_outputs().any(|o| o.output_ref.is_some());
        (format != Format::Messages || !has_ref()).then_some(objects)
    }

    /// What they were pushed as.
    fn original(&self, run: &Entry<'_>, format: Format) -> Option<&Original> {
        let (first, _) = run.first()?.1;
        self.originals.get(first.node).filter(|original| {
            original.format() == format
                && run.iter().all(|(_, (slot, _))| slot.form == Form::Whole)
                && original.nodes(&first.node).iter().eq(run.iter().map(|(_, (slot, _))| &slot.node))
        })
    }

    /// Makes the objects of messages that stand in one entry, with what waits in `batch` at the latest.
    pub fn make(
        &mut self,
        run: &Entry<'_>,
        slots: Slots<'_>,
        provider: &dyn Provider,
        batch: &mut Batch,
    ) -> Result<(), JsValue> {
        let Some((_, (first, node))) = run.first().copied() else { return Ok(()) };
        let format = provider.format();
        let key = (first.node, format);
        let of: Vec<Arc<Message>> = run.iter().map(|(_, (slot, _))| slot.message.clone()).collect();
        let pushed = self.original(run, format).map(|original| original.objects().first());
        let output_ref = first.message.tool_outputs().find_map(|o| o.output_ref.as_ref());
        let output_ref = output_ref.filter(|_| format == Format::Messages);
        if let (Some(Some(object)), Some(output_ref)) = (pushed, output_ref) {
            // The caller's own object, and where its full output lies.
            let objects = vec![with_ref(object, output_ref)?];
            self.made.insert(key, Made { of, objects, notes: Vec::new() });
            return Ok(());
        }
        let last = run.last().map_or(0, |(at, _)| *at);
        let find = |id: &str| find_call(slots, last, id);
        let calls = Calls::looked_up(&find);
        let mut notes = Vec::new();
        let entries = match pushed {
            // One of the package's own that is written anew has its id; as an earlier process pushed it, it may have none.
            None if format == Format::Messages => provider.write_one(&named(&first.message, node), &calls),
            _ => write(provider, &of, &calls, &mut notes),
        };
        batch.push(key, Made { of, objects: Vec::new(), notes }, entries);
        if batch.is_full() {
            self.take(batch)?;
        }
        Ok(())
    }

    /// Takes in what waits in a batch.
    pub fn take(&mut self, batch: &mut Batch) -> Result<(), JsValue> {
        self.made.extend(batch.made()?);
        Ok(())
    }
}

/// Writes messages that stand in one entry, without what the API refuses.
fn write(
    provider: &dyn Provider,
    run: &[Arc<Message>],
    calls: &Calls<'_>,
    notes: &mut Vec<Note>,
) -> Vec<Value> {
    let mended: Vec<Option<Message>> = run.iter().map(|message| provider.mended(message, notes)).collect();
    let sent = |(message, mended)| -> &Message { Option::as_ref(mended).unwrap_or(Arc::as_ref(message)) };
    let messages: Vec<&Message> = run.iter().zip(&mended).map(sent).collect();
    provider.write_run(&messages, calls, notes)
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
    let messages: Vec<Arc<Message>> = run.iter().map(|(_, (slot, _))| slot.message.clone()).collect();
    // What stands behind it in the entry says nothing.
    if messages.first()?.role != Role::Assistant {
        return None;
    }
    let last = run.last()?.0;
    let find = |id: &str| find_call(slots, last, id);
    let mut items = write(provider, &messages, &Calls::looked_up(&find), &mut Vec::new());
    let mut notes = Vec::new();
    provider.finish(&mut items, &mut notes);
    (!notes.is_empty()).then_some((items, notes))
}

/// One of the package's own messages with its id.
fn named(message: &Message, node: &Node) -> Message {
    let mut named = message.clone();
    named.meta.id.get_or_insert_with(|| node.id.to_string());
    named
}

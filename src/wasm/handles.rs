//! The JavaScript objects of messages: pushed ones are returned as they came, others are made once.
//!
//! An object belongs to the messages that were read from it, and is returned if exactly these form an entry, unchanged.
//! Messages that a pass changed, that came in another format, that have to be joined, or that the API would refuse are written as
//! new objects. The caller's objects are never changed, so that `sync` recognises them.

use std::sync::Arc;

use js_sys::{Array, Object};
use serde_json::Value;
use wasm_bindgen::prelude::*;

use super::batch::Batch;
use super::calls_of::CallsBefore;
use super::list::{Entry, List, Slots};
use super::maker::with_ref;
use super::originals::{Original, Originals};
use crate::context::{Form, Node, NodeIndex, Renumbering, Slot};
use crate::hashing::HashMap;
use crate::message::{Format, Message, Role};
use crate::provider::{Calls, Note, Provider, provider};
use crate::saved::MapEdit;

/// A message in the form that a list shows, and its node.
pub type Shown<'a> = (&'a Slot, &'a Node);

/// The first message of an entry, and the format.
pub type Key = (NodeIndex, Format);

/// How the messages of an entry were pushed, without the objects: in what format, and which of them together.
pub type PushedAs = (Format, Vec<NodeIndex>);

/// What was made from the messages of one entry.
pub struct WrittenObjects {
    of: Vec<Arc<Message>>,
    pub objects: Vec<JsValue>,
    notes: Vec<Note>,
}

/// The objects of one entry's messages, and what the format could not express.
pub struct Objects<'a> {
    pub objects: &'a [JsValue],
    pub notes: &'a [Note],
}

/// Objects, by the first message in them. What was pushed comes out as the same object (`===`).
#[derive(Default)]
pub struct Handles {
    originals: Originals,
    /// Each is valid as long as the view shows exactly these messages.
    made: HashMap<Key, WrittenObjects>,
    /// The view's list in each format that was requested, as of the last request.
    pub lists: HashMap<Format, List>,
}

impl Handles {
    /// Remembers the objects that nodes were pushed as.
    pub fn keep(&mut self, format: Format, nodes: Vec<NodeIndex>, objects: Vec<JsValue>) {
        if let Some(first) = nodes.first().copied().filter(|_| !objects.is_empty()) {
            self.originals.insert(first, Original::new(format, nodes, objects));
        }
    }

    /// The objects for a branch of the conversation.
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

    /// Whether these objects, if any, are the very ones that the nodes were pushed as.
    pub fn were_pushed_as(&self, nodes: &[NodeIndex], objects: &[JsValue]) -> bool {
        let Some(first) = nodes.first() else { return false };
        let same = |(one, other): (&JsValue, &JsValue)| Object::is(one, other);
        self.originals.get(*first).is_some_and(|original| {
            original.nodes(first) == nodes
                && original.objects().len() == objects.len()
                && original.objects().iter().zip(objects).all(same)
        })
    }

    /// How all nodes were pushed.
    pub fn all_pushed(&self) -> MapEdit<NodeIndex, PushedAs> {
        MapEdit::of(self.originals.iter().map(|(first, _)| first), |first| self.pushed(first))
    }

    /// The same for those of which that has changed since the session was saved.
    pub fn newly_pushed(&self) -> MapEdit<NodeIndex, PushedAs> {
        MapEdit::of(self.originals.changed.iter(), |first| self.pushed(first))
    }

    /// How the node that is first in an entry was pushed.
    pub fn pushed(&self, first: NodeIndex) -> Option<PushedAs> {
        self.originals.get(first).map(|original| (original.format(), original.nodes(&first).to_vec()))
    }

    /// Marks the current state as saved.
    pub fn mark_saved(&mut self) {
        self.originals.changed.clear();
    }

    /// Applies what another process pushed, or an earlier one. It has no objects here, and objects made from messages may no longer be right.
    pub fn put_pushed(&mut self, changes: MapEdit<NodeIndex, PushedAs>) {
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

    /// Drops the objects of nodes whose output is in the store.
    pub fn forget(&mut self, gone: &[NodeIndex]) {
        for node in gone {
            self.originals.remove(*node);
            for format in Format::ALL {
                self.made.remove(&(*node, format));
            }
        }
    }

    /// Drops the objects that erased messages came in (which may contain other messages too), and everything that was made from messages.
    pub fn erase(&mut self, erased: &[NodeIndex]) {
        for node in erased {
            if let Some(first) = self.originals.first_of(*node)
                && let Some((format, nodes)) = self.pushed(first)
            {
                self.originals.insert(first, Original::new(format, nodes, Vec::new()));
            }
        }
        self.made.clear();
        self.lists.clear();
    }

    /// Adopts the objects in the caller's current list for nodes that were pushed by an earlier process.
    pub fn adopt(&mut self, format: Format, nodes: &[NodeIndex], objects: Vec<JsValue>) {
        let Some(first) = nodes.first() else { return };
        let same = |original: &Original| original.format() == format && original.nodes(first) == nodes;
        if self.originals.get(*first).is_some_and(same) {
            self.originals.insert(*first, Original::new(format, nodes.to_vec(), objects));
            self.lists.remove(&format);
        }
    }

    /// Replaces the objects of messages that came again, written differently.
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

    /// Makes a list of a format's objects.
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

    /// The objects of one entry's messages (or of a single message), if they exist already.
    pub fn objects(&self, run: &Entry<'_>, format: Format) -> Option<Objects<'_>> {
        if let Some(objects) = self.as_pushed(run, format) {
            return Some(Objects { objects, notes: &[] });
        }
        let made = self.made.get(&(run.first()?.1.0.node, format))?;
        let same = made.of.len() == run.len()
            && made.of.iter().zip(run).all(|(of, (_, (slot, _)))| Arc::ptr_eq(of, &slot.message));
        same.then_some(Objects { objects: &made.objects, notes: &made.notes })
    }

    /// The objects they were pushed as, if these can be sent unchanged.
    fn as_pushed(&self, run: &Entry<'_>, format: Format) -> Option<&[JsValue]> {
        let (first, _) = run.first()?.1;
        let objects = self.original(run, format).map(Original::objects).filter(|list| !list.is_empty())?;
        let is_refused = |message: &Message| provider(format).corrected(message, &mut Vec::new()).is_some();
        if run.iter().any(|(_, (slot, _))| is_refused(&slot.message)) {
            return None;
        }
        let has_ref = || first.message.tool_outputs().any(|o| o.output_ref.is_some());
        (format != Format::Messages || !has_ref()).then_some(objects)
    }

    /// The entry that they were pushed as.
    fn original(&self, run: &Entry<'_>, format: Format) -> Option<&Original> {
        let (first, _) = run.first()?.1;
        self.originals.get(first.node).filter(|original| {
            original.format() == format
                && run.iter().all(|(_, (slot, _))| slot.form == Form::Whole)
                && original.nodes(&first.node).iter().eq(run.iter().map(|(_, (slot, _))| &slot.node))
        })
    }

    /// Makes the objects of one entry's messages. They may wait in `batch` until `take`.
    pub fn make<'a>(
        &mut self,
        run: &Entry<'_>,
        (slots, before): (Slots<'a>, &CallsBefore<'a>),
        provider: &dyn Provider,
        batch: &mut Batch,
    ) -> Result<(), JsValue> {
        let Some((_, (first, node))) = run.first().copied() else { return Ok(()) };
        let format = provider.format();
        let key = (first.node, format);
        let of: Vec<Arc<Message>> = run.iter().map(|(_, (slot, _))| slot.message.clone()).collect();
        let pushed = self.original(run, format).map(|original| original.objects().first());
        let output_ref = first.message.output_ref();
        let output_ref = output_ref.filter(|_| format == Format::Messages);
        if let (Some(Some(object)), Some(output_ref)) = (pushed, output_ref) {
            // A copy of the caller's own object, with the reference to its full output.
            let objects = vec![with_ref(object, output_ref)?];
            self.made.insert(key, WrittenObjects { of, objects, notes: Vec::new() });
            return Ok(());
        }
        let last = run.last().map_or(0, |(at, _)| *at);
        let find = |id: &str| before.find(slots, last, id);
        let calls = Calls::with_lookup(&find);
        let mut notes = Vec::new();
        let entries = match pushed {
            // One of our own messages that is rewritten gets its id. If an earlier process pushed it, it may have come without one.
            None if format == Format::Messages => provider.write_one(&named(&first.message, node), &calls),
            _ => write(provider, &of, &calls, &mut notes),
        };
        batch.push(key, WrittenObjects { of, objects: Vec::new(), notes }, entries);
        if batch.is_full() {
            self.take(batch)?;
        }
        Ok(())
    }

    /// Makes the objects that wait in a batch.
    pub fn take(&mut self, batch: &mut Batch) -> Result<(), JsValue> {
        self.made.extend(batch.made()?);
        Ok(())
    }
}

/// Writes the messages of one entry, without what the API would refuse.
fn write(
    provider: &dyn Provider,
    run: &[Arc<Message>],
    calls: &Calls<'_>,
    notes: &mut Vec<Note>,
) -> Vec<Value> {
    let corrected: Vec<Option<Message>> =
        run.iter().map(|message| provider.corrected(message, notes)).collect();
    let sent =
        |(message, corrected)| -> &Message { Option::as_ref(corrected).unwrap_or(Arc::as_ref(message)) };
    let messages: Vec<&Message> = run.iter().zip(&corrected).map(sent).collect();
    provider.write_run(&messages, calls, notes)
}

/// If the list may not end with these messages as they are: their changed entries, and notes of what was done.
pub fn finished(
    run: &Entry<'_>,
    slots: Slots<'_>,
    provider: &dyn Provider,
) -> Option<(Vec<Value>, Vec<Note>)> {
    let messages: Vec<Arc<Message>> = run.iter().map(|(_, (slot, _))| slot.message.clone()).collect();
    // The first message decides: those after it in the entry have no content.
    if messages.first()?.role != Role::Assistant {
        return None;
    }
    let last = run.last()?.0;
    let before = CallsBefore::default();
    let find = |id: &str| before.find(slots, last, id);
    let mut items = write(provider, &messages, &Calls::with_lookup(&find), &mut Vec::new());
    let mut notes = Vec::new();
    provider.finish(&mut items, &mut notes);
    (!notes.is_empty()).then_some((items, notes))
}

/// One of our own messages, with its id.
fn named(message: &Message, node: &Node) -> Message {
    let mut named = message.clone();
    named.meta.id.get_or_insert_with(|| node.id.to_string());
    named
}

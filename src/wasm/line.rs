//! The caller's list: what was pushed, entry by entry, as long as it was not rewritten.
//!
//! Each object is kept with its messages or, for a summary, with the messages that it stands for. A common beginning costs one
//! comparison per entry. What a rewrite removes leaves the view (`context/rewrite.rs`): folds over it are undone, its ids and
//! calls can be used again, and nothing leaves the history. If the list is not what was pushed, it may be a view that we
//! returned: then that view is the list from there on.

use std::cell::Cell;
use std::sync::Arc;

use js_sys::{Object, WeakRef};
use serde_json::Value;
use wasm_bindgen::prelude::*;

use super::calls_of::CallsOf;
use super::entries::Before;
use super::handles::Handles;
use super::packed::string_of;
use super::value::{get, json_of, stringified};
use crate::context::{CallRenamed, Context, History, NodeIndex, NodeSet, Renumbering};
use crate::error::ErrorCode;
use crate::message::{Format, Message, Role};
use crate::provider::{CallId, Calls, PendingRenames, Reading, parts_read, provider};
use crate::saved::checksum;
use crate::session::Session;

/// The key under which a view's tool message refers to its full output.
const OUTPUT_REF: &str = "output_ref";

/// Entries that were read together, and the nodes of their messages.
pub struct Stretch {
    /// The format of the objects.
    pub format: Format,
    /// The caller's own objects; empty if they are not known.
    pub objects: Vec<JsValue>,
    pub nodes: Vec<NodeIndex>,
    /// Other objects that are written as these were, held weakly: a list that still has them is recognised without reading them.
    pub recognised: Vec<WeakRef>,
    /// The number of entries.
    pub entries: usize,
    /// Checksums of the entries as JSON, if neither objects nor the history can reproduce them any more.
    pub sums: Vec<u64>,
    /// In addition, checksums of what a model reads of the entries.
    pub readings: Vec<u64>,
    /// The messages that the entries say, if these are not the nodes: for a summary, the messages behind it, however the view shows
    /// them now.
    pub stands_for: Option<Vec<NodeIndex>>,
    /// Whether writing its messages gives these objects; `None` until a snapshot needs to know.
    pub reproduces_objects: Cell<Option<bool>>,
    /// Its number in the saved state; 0 if its current state was not saved.
    pub number: Cell<u64>,
}

impl Stretch {
    /// A stretch of pushed objects. Without objects, it counts as one entry.
    pub fn of(format: Format, objects: Vec<JsValue>, nodes: Vec<NodeIndex>) -> Self {
        Self {
            format,
            entries: objects.len().max(1),
            objects,
            nodes,
            recognised: Vec::new(),
            sums: Vec::new(),
            readings: Vec::new(),
            stands_for: None,
            reproduces_objects: Cell::default(),
            number: Cell::default(),
        }
    }

    fn len(&self) -> usize {
        self.entries
    }

    /// Whether writing its messages, in the format they came in, gives the very objects they came as. Then nothing else has to be saved
    /// about the objects.
    pub fn reproduces_its_objects(&self, calls: &CallsOf<'_>) -> bool {
        self.reproduces_objects.get().unwrap_or_else(|| {
            let written = written(self, self.format, calls);
            let same = |(mut written, object): (Value, &JsValue)| {
                let read = json_of(self.format, object, ErrorCode::InvalidMessage);
                read.is_ok_and(|mut object| {
                    remove_unshared_ref(&mut written, &mut object);
                    written == object
                })
            };
            let reproduces =
                written.len() == self.objects.len() && written.into_iter().zip(&self.objects).all(same);
            self.reproduces_objects.set(Some(reproduces));
            reproduces
        })
    }

    /// The messages that the entries say.
    fn messages(&self) -> &[NodeIndex] {
        self.stands_for.as_deref().unwrap_or(&self.nodes)
    }
}

/// How much of a list equals what was pushed.
pub struct CommonPart {
    /// The instructions at the beginning.
    pub head: Head,
    /// How many stretches of the line the list still has, including the instructions.
    pub stretches: usize,
    /// Where the entries after those begin in the list.
    pub entries: usize,
    /// The first entry that differs; `None` if the list only continues.
    pub diverged_at: Option<usize>,
    /// Stretches with other objects that are written the same, with the position of each in the list.
    pub copied: Vec<(usize, usize)>,
    /// Stretches that say the same but are written differently, with the position of each in the list.
    pub rewritten: Vec<(usize, usize)>,
    /// Calls whose ids are different in the list.
    pub renamed: Vec<CallRenamed>,
    /// Those of them whose outputs are not in the common part.
    pub waiting: PendingRenames,
}

/// The instructions at the beginning of a line and of a list.
#[derive(Default)]
pub struct Head {
    /// Their number of stretches in the line.
    pub stretches: usize,
    /// Their number of entries in the list.
    pub entries: usize,
    /// Whether the list's instructions differ: then they replace the line's.
    pub is_other: bool,
}

/// How an entry compares with the one that was pushed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Likeness {
    /// A known object.
    Same,
    /// Another object, written the same.
    Copied,
    /// Written differently, but a model reads the same.
    Rewritten,
    Other,
}

/// What was pushed, in order.
#[derive(Default)]
pub struct Line(pub Vec<Stretch>);

impl Line {
    pub fn extend(&mut self, stretches: impl IntoIterator<Item = Stretch>) {
        self.0.extend(stretches);
    }

    /// What the first `stretches` end with: for Gemini the last message, or `all` of the answer and its outputs, because outputs may lack
    /// ids. For other formats the last entry, written from its messages, so that a restored session reads what follows in the same way.
    pub fn before(&self, stretches: usize, all: bool, format: Format, history: &History) -> Before {
        let mut known = self.0.get(..stretches).unwrap_or_default().iter().rev();
        if format != Format::Gemini {
            return Before::Entry(
                known.find_map(|stretch| items_of(stretch, format, &CallsOf::new(history)).pop()),
            );
        }
        let nodes = known.flat_map(|stretch| stretch.nodes.iter().rev());
        let mut is_behind = true; // behind the answer
        let belongs = |message: &&Arc<Message>| match message.role {
            Role::Tool => is_behind,
            role => {
                is_behind = false;
                role == Role::Assistant
            }
        };
        let messages = nodes.map(|node| &history.node(*node).message).take_while(belongs);
        let mut messages: Vec<Arc<Message>> =
            messages.take(if all { usize::MAX } else { 1 }).cloned().collect();
        messages.reverse();
        Before::Messages(messages)
    }

    /// How many parts of the last entry a model reads; 0 if its messages did not come as one entry.
    pub fn parts_of_last(&self, format: Format, history: &History) -> Result<usize, JsValue> {
        let Some(last) = self.0.last().filter(|last| last.entries == 1) else { return Ok(0) };
        let entries = match last.objects.first() {
            Some(object) => vec![json_of(format, object, ErrorCode::InvalidMessage)?],
            None => items_of(last, format, &CallsOf::new(history)),
        };
        Ok(entries.iter().map(|entry| parts_read(entry).len()).sum())
    }

    /// Makes these messages part of the last entry, which is `whole` now. Returns all its messages, unless others are written in it too.
    pub fn extend_last(
        &mut self,
        format: Format,
        whole: JsValue,
        nodes: &[NodeIndex],
    ) -> Option<Vec<NodeIndex>> {
        let last = self.0.pop()?;
        let all = [last.nodes, nodes.to_vec()].concat();
        let stands_for = last.stands_for.map(|messages| [messages, nodes.to_vec()].concat());
        let is_own = stands_for.is_none();
        self.0.push(Stretch { stands_for, ..Stretch::of(format, vec![whole], all.clone()) });
        is_own.then_some(all)
    }

    /// Removes the stretches from index `stretches` on.
    pub fn cut(&mut self, stretches: usize) {
        self.0.truncate(stretches);
    }

    /// Removes nodes that left the conversation. An entry that loses a part is known by its remaining messages from then on. A summary
    /// stays, unless nothing is left of what it stands for.
    pub fn forget(&mut self, gone: &NodeSet) {
        self.0.retain_mut(|stretch| {
            let (nodes, message_count) = (stretch.nodes.len(), stretch.messages().len());
            stretch.nodes.retain(|n| !gone.contains(n));
            if stretch.nodes.len() < nodes {
                stretch.objects.clear();
            }
            if let Some(stands_for) = &mut stretch.stands_for {
                stands_for.retain(|n| !gone.contains(n));
            }
            if (stretch.nodes.len(), stretch.messages().len()) != (nodes, message_count) {
                stretch.number.set(0);
            }
            !stretch.nodes.is_empty() && (message_count == 0 || !stretch.messages().is_empty())
        });
    }

    /// The list for a branch of the conversation.
    pub fn branch(&self, new: &Renumbering) -> Self {
        let came_along = |stretch: &Stretch| {
            let there = |of: &[NodeIndex]| of.iter().filter_map(|n| new.of(*n)).collect::<Vec<_>>();
            let nodes = there(&stretch.nodes);
            let whole = nodes.len() == stretch.nodes.len();
            let objects = if whole { stretch.objects.clone() } else { Vec::new() };
            let branch = Stretch {
                format: stretch.format,
                entries: stretch.entries,
                recognised: Vec::new(),
                sums: stretch.sums.clone(),
                readings: stretch.readings.clone(),
                stands_for: stretch.stands_for.as_deref().map(there),
                reproduces_objects: Cell::default(),
                number: Cell::default(),
                objects,
                nodes,
            };
            let is_left = stretch.messages().is_empty() || !branch.messages().is_empty();
            (!branch.nodes.is_empty() && is_left).then_some(branch)
        };
        Self(self.0.iter().filter_map(came_along).collect())
    }

    /// Keeps checksums of entries with these nodes, whose content is about to go. Entries of an earlier process, whose objects are not
    /// known, are written from their messages as they are now.
    pub fn keep_sums(&mut self, nodes: &NodeSet, handles: &Handles, history: &History) {
        let calls = CallsOf::new(history);
        let holds = |stretch: &&mut Stretch| stretch.nodes.iter().any(|n| nodes.contains(n));
        for stretch in self.0.iter_mut().filter(holds).filter(|stretch| stretch.sums.is_empty()) {
            let kept = if stretch.objects.is_empty() {
                let pushed = stretch.nodes.first().and_then(|first| handles.pushed(*first));
                Some(sums_of_messages(stretch, pushed.map_or(stretch.format, |(format, _)| format), &calls))
            } else {
                sums_of(stretch.format, &stretch.objects)
                    .map(|sums| (sums, readings_of(stretch.format, &stretch.objects).unwrap_or_default()))
            };
            let Some((sums, readings)) = kept.filter(|(sums, _)| !sums.is_empty()) else { continue };
            stretch.number.set(0);
            (stretch.sums, stretch.readings) = (sums, readings);
        }
    }

    /// Drops the objects of nodes whose output is in the store, and keeps checksums of them.
    pub fn drop_objects(&mut self, gone: &NodeSet) {
        if gone.is_empty() {
            return;
        }
        let holds = |stretch: &&mut Stretch| stretch.nodes.iter().any(|n| gone.contains(n));
        for stretch in self.0.iter_mut().filter(holds) {
            if let Some(sums) = sums_of(stretch.format, &stretch.objects) {
                stretch.number.set(0);
                stretch.sums = sums;
                stretch.readings = readings_of(stretch.format, &stretch.objects).unwrap_or_default();
                stretch.recognised = held_weakly(&stretch.objects);
                stretch.objects = Vec::new();
            }
        }
    }

    /// Replaces the objects of a stretch by entries that say the same but are written differently.
    pub fn renew(&mut self, stretch: usize, format: Format, entries: &[JsValue]) {
        let Some(stretch) = self.0.get_mut(stretch) else { return };
        stretch.number.set(0);
        if !stretch.objects.is_empty() {
            stretch.format = format;
            stretch.reproduces_objects.set(None);
            stretch.objects = entries.to_vec();
        } else if let Some(sums) = sums_of(stretch.format, entries).filter(|_| !stretch.sums.is_empty()) {
            stretch.sums = sums;
        }
    }

    /// The nodes of the first `stretches`.
    pub fn nodes_of(&self, stretches: usize) -> Vec<NodeIndex> {
        self.0[..stretches].iter().flat_map(|s| s.nodes.iter().copied()).collect()
    }

    /// The messages of the instructions at the beginning.
    pub fn instructions(&self, core: &Session) -> Vec<NodeIndex> {
        self.nodes_of(self.stretches_of_instructions(core))
    }

    fn stretches_of_instructions(&self, core: &Session) -> usize {
        let history = &core.context().history;
        let is_one = |node: &NodeIndex| history.node(*node).message.role.is_instruction();
        self.0.iter().take_while(|stretch| stretch.nodes.iter().all(is_one)).count()
    }

    /// Adopts the caller's objects for unchanged entries whose objects were not known. Returns the nodes and objects of those whose
    /// messages reproduce the objects.
    pub fn adopt(
        &mut self,
        format: Format,
        common: &CommonPart,
        list: &[JsValue],
    ) -> Vec<(Vec<NodeIndex>, Vec<JsValue>)> {
        // If the instructions differ, they will be replaced: their objects are not adopted.
        let (first, mut at) =
            if common.head.is_other { (common.head.stretches, common.head.entries) } else { (0, 0) };
        let mut adopted = Vec::new();
        for (n, stretch) in self.0.iter_mut().enumerate().take(common.stretches).skip(first) {
            let entries = list.get(at..at + stretch.len()).unwrap_or_default();
            if stretch.objects.is_empty() && stretch.sums.is_empty() && !entries.is_empty() {
                stretch.number.set(0);
                (stretch.format, stretch.objects) = (format, entries.to_vec());
                if common.rewritten.binary_search(&(n, at)).is_err() {
                    adopted.push((stretch.nodes.clone(), stretch.objects.clone()));
                }
            } else if common.copied.binary_search(&(n, at)).is_ok() {
                stretch.recognised = held_weakly(entries);
            }
            at += stretch.len();
        }
        adopted
    }

    /// The messages that the stretches from index `stretches` on say.
    pub fn messages_from(&self, stretches: usize) -> Vec<NodeIndex> {
        self.0[stretches..].iter().flat_map(|s| s.messages().iter().copied()).collect()
    }

    /// Messages after the first `stretches` that passes removed from the view, if the list never had them because it continues a view.
    pub fn dropped_after(&self, stretches: usize, context: &Context) -> Vec<NodeIndex> {
        let (stays, goes) = self.0.split_at(stretches);
        let nodes = |of: &[Stretch]| -> NodeSet {
            of.iter().flat_map(|s| s.nodes.iter().chain(s.messages())).copied().collect()
        };
        let goes = nodes(goes);
        let mut behind = context.dropped_behind(&nodes(stays));
        behind.retain(|node| !goes.contains(node));
        behind
    }

    /// Compares with a list, entry by entry: by reference, and if the object is not the same, by what a model reads. Instructions at the
    /// beginning of the list are its header, whether or not they are the same.
    pub fn common(&self, format: Format, list: &[JsValue], core: &Session) -> Result<CommonPart, JsValue> {
        let mut head = Head::default();
        if !self.0.is_empty() {
            head.stretches = self.stretches_of_instructions(core);
            head.entries = list.len() - behind_instructions(list).len();
            let known: usize = self.0[..head.stretches].iter().map(Stretch::len).sum();
            if head.stretches == self.0.len() {
                head.entries = head.entries.min(known); // nothing else was said yet: additional instructions are appended like anything new
            }
            head.is_other = known != head.entries;
        }
        let (mut copied, mut renewed) = (Vec::new(), Vec::new());
        let mut comparison = Comparison::new(format, core);
        let mut at = 0;
        if !head.is_other {
            for (n, stretch) in self.0[..head.stretches].iter().enumerate() {
                match comparison.compare_stretch(stretch, list, at)? {
                    (Likeness::Other, _) => head.is_other = true,
                    (Likeness::Rewritten, _) => renewed.push((n, at)),
                    (Likeness::Copied, _) => copied.push((n, at)),
                    (Likeness::Same, _) => {}
                }
                at += stretch.len();
            }
        }
        if head.is_other {
            copied.clear();
            renewed.clear();
        }
        let mut at = head.entries;
        let (mut stretches, mut diverged_at) = (self.0.len(), None);
        for (n, stretch) in self.0.iter().enumerate().skip(head.stretches) {
            match comparison.compare_stretch(stretch, list, at)? {
                (Likeness::Other, from) => {
                    (stretches, diverged_at) = (n, from);
                    break;
                }
                (Likeness::Rewritten, _) => renewed.push((n, at)),
                (Likeness::Copied, _) => copied.push((n, at)),
                (Likeness::Same, _) => {}
            }
            at += stretch.len();
        }
        let Comparison { renamed, waiting, .. } = comparison;
        Ok(CommonPart {
            head,
            stretches,
            entries: at,
            diverged_at,
            copied,
            rewritten: renewed,
            renamed,
            waiting,
        })
    }
}

/// The state of comparing a list with a line, from the beginning on.
struct Comparison<'c> {
    format: Format,
    calls: CallsOf<'c>,
    renamed: Vec<CallRenamed>,
    waiting: PendingRenames,
}

impl<'c> Comparison<'c> {
    fn new(format: Format, core: &'c Session) -> Self {
        let calls = CallsOf::new(&core.context().history);
        Self { format, calls, renamed: Vec::new(), waiting: PendingRenames::default() }
    }

    /// Whether the list has a stretch at its entry `at`, and the first entry that differs.
    fn compare_stretch(
        &mut self,
        stretch: &Stretch,
        list: &[JsValue],
        at: usize,
    ) -> Result<(Likeness, Option<usize>), JsValue> {
        let (before, waiting) = (self.renamed.len(), self.waiting.clone());
        let mut all = Likeness::Same;
        for i in 0..stretch.len() {
            let likeness = match list.get(at + i) {
                Some(_) => self.likeness(&list[at..=at + i], stretch)?,
                None => Likeness::Other,
            };
            if likeness == Likeness::Other {
                self.renamed.truncate(before);
                self.waiting = waiting;
                return Ok((Likeness::Other, Some(at + i)));
            }
            all = all.max(likeness);
        }
        Ok((all, None))
    }

    /// Compares the last entry of `list` with the one in the same position of the stretch. The entries before it are known to match.
    fn likeness(&mut self, list: &[JsValue], stretch: &Stretch) -> Result<Likeness, JsValue> {
        let (format, history) = (self.format, self.calls.history);
        let Some((given, before)) = list.split_last() else { return Ok(Likeness::Other) };
        let i = before.len();
        let read = |entry: &JsValue| json_of(format, entry, ErrorCode::InvalidMessage);
        let known = stretch.objects.get(i);
        let is_known = known.is_some_and(|known| Object::is(known, given))
            || stretch.recognised.get(i).is_some_and(|object| is_object(object, given));
        if is_known {
            return self.unchanged(given, Likeness::Same);
        }
        if let Some(sum) = stretch.sums.get(i).filter(|_| stretch.objects.is_empty()) {
            if sum_of(format, given) == Some(*sum) {
                return self.unchanged(given, Likeness::Copied);
            }
            if let Some(reading) = stretch.readings.get(i) {
                let mut entry = read(given)?;
                let mut now = Reading::of(format, &entry);
                if now.checksum() != *reading && remove_ref(&mut entry) {
                    now = Reading::of(format, &entry);
                }
                if now.checksum() == *reading {
                    let known = known_calls(stretch, before, format, &self.calls)?;
                    let known = known.get(..now.calls().len()).unwrap_or(now.calls());
                    return Ok(self.paired(stretch, known, &now));
                }
            }
            if stretch.nodes.iter().any(|node| history.is_away(*node)) {
                return Ok(Likeness::Other); // its content was replaced by a placeholder
            }
        }
        if known.is_some_and(|known| is_same(format, known, given)) {
            return self.unchanged(given, Likeness::Copied);
        }
        let entry = given;
        let mut given = read(entry)?;
        let now = Reading::of(format, &given);
        if let Some(known) = known {
            let known = Reading::of(format, &read(known)?);
            if known.reads_same(&now) {
                return Ok(self.paired(stretch, known.calls(), &now));
            }
        }
        let Some(mut written) = written(stretch, format, &self.calls).into_iter().nth(i) else {
            return Ok(Likeness::Other);
        };
        remove_unshared_ref(&mut written, &mut given);
        if written == given {
            return self.unchanged(entry, Likeness::Copied);
        }
        let (known, now) = (Reading::of(format, &written), Reading::of(format, &given));
        Ok(if known.reads_same(&now) { self.paired(stretch, known.calls(), &now) } else { Likeness::Other })
    }

    /// The result for an entry that is written as before: this likeness, unless its calls contradict those before it.
    fn unchanged(&mut self, entry: &JsValue, likeness: Likeness) -> Result<Likeness, JsValue> {
        if self.waiting.is_empty() {
            return Ok(likeness);
        }
        let now = Reading::of(self.format, &json_of(self.format, entry, ErrorCode::InvalidMessage)?);
        Ok(if self.waiting.pair(now.calls(), now.calls()) { likeness } else { Likeness::Other })
    }

    /// The result for an entry that a model reads as before: renewed, if its calls can be paired. Records calls with new ids.
    fn paired(&mut self, stretch: &Stretch, known: &[CallId], now: &Reading) -> Likeness {
        if !self.waiting.pair(known, now.calls()) {
            return Likeness::Other;
        }
        for ids in known.iter().zip(now.calls()) {
            let (CallId::Call(before), CallId::Call(now)) = ids else { continue };
            let makes_it = |node: &NodeIndex| {
                self.calls
                    .history
                    .node(*node)
                    .message
                    .tool_calls()
                    .any(|call| !call.hosted && call.id == *before)
            };
            if before != now
                && let Some(caller) = stretch.nodes.iter().copied().find(makes_it)
            {
                self.renamed.push(CallRenamed { caller, before: before.clone(), now: now.clone() });
            }
        }
        Likeness::Rewritten
    }
}

/// The call and output ids in the messages of a stretch, without those of the entries `before`.
fn known_calls(
    stretch: &Stretch,
    before: &[JsValue],
    format: Format,
    calls: &CallsOf<'_>,
) -> Result<Vec<CallId>, JsValue> {
    let mut known = Vec::new();
    for item in items_of(stretch, format, calls) {
        known.extend_from_slice(Reading::of(format, &item).calls());
    }
    let mut passed = 0;
    for entry in before {
        passed += Reading::of(format, &json_of(format, entry, ErrorCode::InvalidMessage)?).calls().len();
    }
    known.drain(..passed.min(known.len()));
    Ok(known)
}

/// Removes the reference to a full output if only one side has it: the engine adds it to views, the pushed list does not have it.
fn remove_unshared_ref(written: &mut Value, given: &mut Value) {
    if written.get(OUTPUT_REF).is_some() != given.get(OUTPUT_REF).is_some() {
        remove_ref(written);
        remove_ref(given);
    }
}

/// Removes the reference to a full output. Returns whether there was one.
fn remove_ref(entry: &mut Value) -> bool {
    entry.as_object_mut().is_some_and(|fields| fields.shift_remove(OUTPUT_REF).is_some())
}

/// The entries behind the instructions at the beginning of a list.
pub fn behind_instructions(list: &[JsValue]) -> &[JsValue] {
    &list[list.iter().take_while(|entry| is_instruction(entry)).count()..]
}

/// Whether an entry of a list is a system or developer message.
fn is_instruction(entry: &JsValue) -> bool {
    let role = get(entry, "role").ok().flatten().and_then(|role| role.as_string());
    role.is_some_and(|role| role == "system" || role == "developer")
}

/// Whether two entries are the same object, or have the same JSON.
fn is_same(format: Format, one: &JsValue, other: &JsValue) -> bool {
    Object::is(one, other) || text(format, one).is_some_and(|one| text(format, other) == Some(one))
}

/// Whether two entries are the same object, or a model reads the same in both; calls may have other ids as far as `renamed` allows.
pub fn reads_same(format: Format, one: &JsValue, other: &JsValue, renamed: &mut PendingRenames) -> bool {
    if renamed.is_empty() && is_same(format, one, other) {
        return true;
    }
    let read =
        |entry: &JsValue| Some(Reading::of(format, &json_of(format, entry, ErrorCode::InvalidMessage).ok()?));
    let pairs =
        |(one, other): (Reading, Reading)| one.reads_same(&other) && renamed.pair(one.calls(), other.calls());
    read(one).zip(read(other)).is_some_and(pairs)
}

/// Weak references to these; none if one is not an object.
fn held_weakly(entries: &[JsValue]) -> Vec<WeakRef> {
    let weak = |entry: &JsValue| entry.is_object().then(|| WeakRef::new(entry.unchecked_ref::<Object>()));
    entries.iter().map(weak).collect::<Option<_>>().unwrap_or_default()
}

fn is_object(held: &WeakRef, entry: &JsValue) -> bool {
    held.deref().is_some_and(|object| Object::is(&object, entry))
}

fn text(format: Format, value: &JsValue) -> Option<String> {
    stringified(value, Some(format)).ok().and_then(|text| string_of(&text))
}

/// Checksums of entries as JSON; `None` if there are no entries, or if one cannot be written as JSON.
pub fn sums_of(format: Format, entries: &[JsValue]) -> Option<Vec<u64>> {
    entries
        .iter()
        .map(|entry| sum_of(format, entry))
        .collect::<Option<Vec<u64>>>()
        .filter(|sums| !sums.is_empty())
}

/// Checksums of what a model reads of entries.
pub fn readings_of(format: Format, entries: &[JsValue]) -> Option<Vec<u64>> {
    let read = |entry: &JsValue| {
        let entry = json_of(format, entry, ErrorCode::InvalidMessage).ok()?;
        Some(Reading::of(format, &entry).checksum())
    };
    entries.iter().map(read).collect()
}

/// Both checksums of the entries of a stretch, written from its messages without references to full outputs, which pushed lists do not
/// have.
fn sums_of_messages(stretch: &Stretch, format: Format, calls: &CallsOf<'_>) -> (Vec<u64>, Vec<u64>) {
    let mut entries = written(stretch, format, calls);
    for entry in &mut entries {
        remove_ref(entry);
    }
    let sum = |entry: &Value| checksum(entry.to_string().as_bytes());
    let reading = |entry: &Value| Reading::of(format, entry).checksum();
    (entries.iter().map(sum).collect(), entries.iter().map(reading).collect())
}

/// Checksum of an entry as JSON.
fn sum_of(format: Format, entry: &JsValue) -> Option<u64> {
    text(format, entry).map(|text| checksum(text.as_bytes()))
}

/// The entries of a stretch, written from its messages; empty if their number differs.
fn written(stretch: &Stretch, format: Format, calls: &CallsOf<'_>) -> Vec<Value> {
    let items = items_of(stretch, format, calls);
    if items.len() == stretch.len() { items } else { Vec::new() }
}

/// The messages of a stretch, written in a format.
fn items_of(stretch: &Stretch, format: Format, calls: &CallsOf<'_>) -> Vec<Value> {
    let messages: Vec<&Message> = stretch.nodes.iter().map(|n| &*calls.history.node(*n).message).collect();
    let mut callers: Vec<NodeIndex> = stretch.nodes.iter().filter_map(|n| calls.history.caller(*n)).collect();
    callers.dedup();
    let find = |id: &str| callers.iter().rev().find_map(|caller| calls.find(*caller, id));
    let mut calls = Calls::with_lookup(&find);
    for message in &messages {
        calls.add(message);
    }
    provider(format).write_as_they_came(&messages, &calls)
}

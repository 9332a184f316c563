//! The list that the caller has: entry by entry what was pushed, as long as it has not been rewritten.

use std::collections::HashSet;

use js_sys::{JSON, Object};
use serde_json::Value;
use wasm_bindgen::prelude::*;

use super::value::json;
use crate::context::{NodeIndex, Renumbering};
use crate::error::ErrorCode;
use crate::message::{Format, Message};
use crate::provider::provider;
use crate::session::Session;

/// Entries that are the same messages, and the nodes that these are.
pub struct Stretch {
    /// The caller's own objects; none where they are not known: then they are one entry.
    pub objects: Vec<JsValue>,
    pub nodes: Vec<NodeIndex>,
}

impl Stretch {
    fn len(&self) -> usize {
        self.objects.len().max(1)
    }
}

/// How far a list is what was pushed.
pub struct Common {
    /// Stretches of the line that stand in the list as they were.
    pub stretches: usize,
    /// Their entries.
    pub entries: usize,
    /// The first entry that is not as it was; none where the list only goes on.
    pub diverged_at: Option<usize>,
}

/// What was pushed, in order.
#[derive(Default)]
pub struct Line(Vec<Stretch>);

impl Line {
    pub fn extend(&mut self, stretches: impl IntoIterator<Item = Stretch>) {
        self.0.extend(stretches);
    }

    /// The last entry as an object, where it is known.
    pub fn before(&self, stretches: usize) -> Option<&JsValue> {
        self.0.get(stretches.checked_sub(1)?)?.objects.last()
    }

    /// Forgets the stretches from `stretches` on, and gives their nodes.
    pub fn cut(&mut self, stretches: usize) -> Vec<NodeIndex> {
        self.0.split_off(stretches.min(self.0.len())).into_iter().flat_map(|s| s.nodes).collect()
    }

    /// Forgets nodes that left the conversation. An entry that loses a part is known by what is left of it.
    pub fn forget(&mut self, gone: &HashSet<NodeIndex>) {
        for stretch in &mut self.0 {
            let before = stretch.nodes.len();
            stretch.nodes.retain(|n| !gone.contains(n));
            if stretch.nodes.len() < before {
                stretch.objects.clear();
            }
        }
        self.0.retain(|stretch| !stretch.nodes.is_empty());
    }

    /// The list of a branch of the conversation.
    pub fn branch(&self, new: &Renumbering) -> Self {
        let came_along = |stretch: &Stretch| {
            let nodes: Vec<NodeIndex> = stretch.nodes.iter().filter_map(|n| new.of(*n)).collect();
            let whole = nodes.len() == stretch.nodes.len();
            let objects = if whole { stretch.objects.clone() } else { Vec::new() };
            (!nodes.is_empty()).then_some(Stretch { objects, nodes })
        };
        Self(self.0.iter().filter_map(came_along).collect())
    }

    /// The nodes of the stretches from `stretches` on.
    pub fn nodes_from(&self, stretches: usize) -> Vec<NodeIndex> {
        self.0[stretches..].iter().flat_map(|s| s.nodes.iter().copied()).collect()
    }

    /// Compares entry by entry: by reference, and by value where an object is not the same.
    pub fn common(&self, format: Format, list: &[JsValue], core: &Session) -> Result<Common, JsValue> {
        let mut at = 0;
        for (n, stretch) in self.0.iter().enumerate() {
            for i in 0..stretch.len() {
                let given = list.get(at + i);
                let same = match given {
                    Some(given) => is_entry(given, stretch, i, format, core)?,
                    None => false,
                };
                if !same {
                    return Ok(Common { stretches: n, entries: at, diverged_at: Some(at + i) });
                }
            }
            at += stretch.len();
        }
        Ok(Common { stretches: self.0.len(), entries: at, diverged_at: None })
    }
}

/// Whether `given` is entry `i` of the stretch.
fn is_entry(
    given: &JsValue,
    stretch: &Stretch,
    i: usize,
    format: Format,
    core: &Session,
) -> Result<bool, JsValue> {
    let known = stretch.objects.get(i);
    if let Some(known) = known {
        if Object::is(known, given) {
            return Ok(true);
        }
        let text =
            |value: &JsValue| JSON::stringify(value).ok().map(JsValue::from).and_then(|t| t.as_string());
        if text(known).is_some_and(|known| text(given) == Some(known)) {
            return Ok(true);
        }
    }
    let given = json(given, ErrorCode::InvalidMessage)?;
    if let Some(known) = known
        && json(known, ErrorCode::InvalidMessage)? == given
    {
        return Ok(true); // its keys stand in another order
    }
    Ok(stretch.len() == 1 && written(stretch, format, core).is_some_and(|written| written == given))
}

/// The entry that a stretch is in a format, where it is one.
fn written(stretch: &Stretch, format: Format, core: &Session) -> Option<Value> {
    let history = &core.context().history;
    let messages: Vec<&Message> = stretch.nodes.iter().map(|n| &*history.node(*n).message).collect();
    let items = provider(format).write(&messages).items;
    <[Value; 1]>::try_from(items).ok().map(|[item]| item)
}

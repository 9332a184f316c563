//! The objects that messages were pushed as.

use wasm_bindgen::prelude::*;

use crate::context::{NodeIndex, NodeSet};
use crate::growing::append;
use crate::message::Format;

/// The objects that messages came as: mostly one object for one message.
#[derive(Clone)]
pub enum Original {
    /// `None` if an earlier process pushed it.
    One(Format, Option<JsValue>),
    Several(Box<SharedOriginal>),
}

/// Several objects of one message, or one object of several messages.
#[derive(Clone)]
pub struct SharedOriginal {
    format: Format,
    nodes: Vec<NodeIndex>,
    objects: Vec<JsValue>,
}

impl Original {
    /// The original of these nodes.
    pub fn new(format: Format, nodes: Vec<NodeIndex>, mut objects: Vec<JsValue>) -> Self {
        if nodes.len() == 1 && objects.len() < 2 {
            return Self::One(format, objects.pop());
        }
        Self::Several(Box::new(SharedOriginal { format, nodes, objects }))
    }

    /// The objects' format.
    pub fn format(&self) -> Format {
        match self {
            Self::One(format, _) => *format,
            Self::Several(several) => several.format,
        }
    }

    /// Its nodes. `first` is the node under which it is stored.
    pub fn nodes<'a>(&'a self, first: &'a NodeIndex) -> &'a [NodeIndex] {
        match self {
            Self::One(..) => std::slice::from_ref(first),
            Self::Several(several) => &several.nodes,
        }
    }

    /// The objects; empty if an earlier process pushed them.
    pub fn objects(&self) -> &[JsValue] {
        match self {
            Self::One(_, object) => object.as_slice(),
            Self::Several(several) => &several.objects,
        }
    }
}

/// The originals of all messages, by the first node of each.
#[derive(Default)]
pub struct Originals {
    all: Vec<Option<Original>>,
    /// Nodes whose original has changed since the session was last saved.
    pub changed: NodeSet,
}

impl Originals {
    /// The original that begins with this node.
    pub fn get(&self, first: NodeIndex) -> Option<&Original> {
        self.all.get(first.get())?.as_ref()
    }

    /// Sets the original that begins with this node.
    pub fn insert(&mut self, first: NodeIndex, original: Original) {
        self.changed.insert(first);
        while self.all.len() <= first.get() {
            append(&mut self.all, None);
        }
        self.all[first.get()] = Some(original);
    }

    /// Removes the original that begins with this node.
    pub fn remove(&mut self, first: NodeIndex) {
        if let Some(place) = self.all.get_mut(first.get()) {
            self.changed.insert(first);
            *place = None;
        }
    }

    /// The first node of the original that this node is part of.
    pub fn first_of(&self, node: NodeIndex) -> Option<NodeIndex> {
        let known = &self.all[..self.all.len().min(node.get() + 1)];
        let at = known.iter().rposition(Option::is_some)?;
        let first = NodeIndex(at as u32);
        self.get(first)?.nodes(&first).contains(&node).then_some(first)
    }

    /// All originals, with their first nodes.
    pub fn iter(&self) -> impl Iterator<Item = (NodeIndex, &Original)> {
        let numbered = (0..).map(NodeIndex).zip(&self.all);
        numbered.filter_map(|(first, original)| Some((first, original.as_ref()?)))
    }
}

//! The objects that messages were pushed as.

use wasm_bindgen::prelude::*;

use crate::context::{NodeIndex, NodeSet};
use crate::growing::append;
use crate::message::Format;

/// The objects that messages came in as: mostly one of one message.
#[derive(Clone)]
pub enum Original {
    /// None where an earlier process pushed it.
    One(Format, Option<JsValue>),
    Several(Box<Several>),
}

/// Several objects of one message, or one of several messages.
#[derive(Clone)]
pub struct Several {
    format: Format,
    nodes: Vec<NodeIndex>,
    objects: Vec<JsValue>,
}

impl Original {
    /// What these nodes came in as.
    pub fn new(format: Format, nodes: Vec<NodeIndex>, mut objects: Vec<JsValue>) -> Self {
        if nodes.len() == 1 && objects.len() < 2 {
            return Self::One(format, objects.pop());
        }
        Self::Several(Box::new(Several { format, nodes, objects }))
    }

    /// The objects' format.
    pub fn format(&self) -> Format {
        match self {
            Self::One(format, _) => *format,
            Self::Several(several) => several.format,
        }
    }

    /// The nodes that it is, where it is known by the first.
    pub fn nodes<'a>(&'a self, first: &'a NodeIndex) -> &'a [NodeIndex] {
        match self {
            Self::One(..) => std::slice::from_ref(first),
            Self::Several(several) => &several.nodes,
        }
    }

    /// The objects: none where an earlier process pushed it.
    pub fn objects(&self) -> &[JsValue] {
        match self {
            Self::One(_, object) => object.as_slice(),
            Self::Several(several) => &several.objects,
        }
    }
}

/// What messages were pushed as, by the first node of each.
#[derive(Default)]
pub struct Originals {
    all: Vec<Option<Original>>,
    /// Nodes of which something else is known than when the session was last saved.
    pub changed: NodeSet,
}

impl Originals {
    /// What was pushed as the node and those behind it.
    pub fn get(&self, first: NodeIndex) -> Option<&Original> {
        self.all.get(first.get())?.as_ref()
    }

    /// Sets it.
    pub fn insert(&mut self, first: NodeIndex, original: Original) {
        self.changed.insert(first);
        while self.all.len() <= first.get() {
            append(&mut self.all, None);
        }
        self.all[first.get()] = Some(original);
    }

    /// Lets go of it.
    pub fn remove(&mut self, first: NodeIndex) {
        if let Some(place) = self.all.get_mut(first.get()) {
            self.changed.insert(first);
            *place = None;
        }
    }

    /// The first of the nodes that came in one object with this one.
    pub fn first_of(&self, node: NodeIndex) -> Option<NodeIndex> {
        let known = &self.all[..self.all.len().min(node.get() + 1)];
        let at = known.iter().rposition(Option::is_some)?;
        let first = NodeIndex(at as u32);
        self.get(first)?.nodes(&first).contains(&node).then_some(first)
    }

    /// All of them, by their first nodes.
    pub fn iter(&self) -> impl Iterator<Item = (NodeIndex, &Original)> {
        let numbered = (0..).map(NodeIndex).zip(&self.all);
        numbered.filter_map(|(first, original)| Some((first, original.as_ref()?)))
    }
}

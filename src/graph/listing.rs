use std::collections::HashSet;

use super::core::ContextGraph;
use super::edge::EdgeKind;
use super::node::Place;

/// A node, for the caller.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeInfo<'a> {
    /// Where it lies.
    pub place: Place,
    /// The summary that hides it, the innermost where folds were folded.
    pub compressed_by: Option<&'a str>,
    /// How many nodes had entered when it was hidden.
    pub compressed_at: Option<u32>,
}

/// An edge, for the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EdgeInfo<'a> {
    /// The id it leads from.
    pub from: &'a str,
    /// The id it leads to.
    pub to: &'a str,
    /// What it says.
    pub kind: EdgeKind,
    /// How many nodes had entered when a fold hid it.
    pub compressed_at: Option<u32>,
    /// A fold laid it, in place of one that it hid.
    pub relaid: bool,
}

impl ContextGraph {
    /// All nodes in the order in which they entered, hidden ones and summaries among them.
    pub fn nodes(&self) -> Vec<NodeInfo<'_>> {
        let mut folds =
            (0..self.folds.len() as u32).filter(|f| !self.fold_at(*f).members.is_empty()).peekable();
        let mut places = Vec::with_capacity(self.len());
        for node in 0..self.nodes.len() as u32 {
            places.push(Place::Node(node));
            while let Some(fold) = folds.next_if(|f| self.fold_at(*f).made_at <= node + 1) {
                places.push(Place::Fold(fold));
            }
        }
        places.into_iter().map(|place| self.info(place)).collect()
    }

    /// A place with what hides it.
    pub fn info(&self, place: Place) -> NodeInfo<'_> {
        let fold = self.folded_by(place).map(|f| self.fold_at(f));
        NodeInfo { place, compressed_by: fold.map(|f| &*f.id), compressed_at: fold.map(|f| f.made_at) }
    }

    /// What the caller, or a run, wrote down about a node.
    pub fn metadata(&self, place: Place) -> Option<&serde_json::Map<String, serde_json::Value>> {
        match place {
            Place::Node(n) => self.nodes[n as usize].metadata.as_ref(),
            Place::Fold(_) => None,
        }
    }

    /// All edges in the order in which they entered, hidden ones among them; then those that folds laid in their place, as they
    /// are seen now.
    pub fn edges(&self) -> Vec<EdgeInfo<'_>> {
        let mut all: Vec<EdgeInfo<'_>> = self
            .edges
            .iter()
            .map(|edge| {
                let ends = [edge.from, edge.to].map(|n| self.info(Place::Node(n)).compressed_at);
                EdgeInfo {
                    from: &self.nodes[edge.from as usize].id,
                    to: &self.nodes[edge.to as usize].id,
                    kind: edge.kind,
                    compressed_at: ends.into_iter().flatten().min(),
                    relaid: false,
                }
            })
            .collect();
        let mut once = HashSet::new();
        for (index, fold) in
            (0..).zip(&self.folds).filter(|(_, f)| !f.members.is_empty() && f.folded_by.is_none())
        {
            let this = Place::Fold(index);
            let top = |n: u32| self.top(Place::Node(n));
            let into =
                fold.inward.iter().map(|e| self.edges[*e as usize]).map(|e| (top(e.from), this, e.kind));
            // What leads into another fold is that one's inward edge.
            let out = fold.outward.iter().map(|e| self.edges[*e as usize]);
            let out =
                out.map(|e| (this, top(e.to), e.kind)).filter(|(_, to, _)| matches!(to, Place::Node(_)));
            for (from, to, kind) in into.chain(out).filter(|edge| once.insert(*edge)) {
                all.push(EdgeInfo {
                    from: self.id(from),
                    to: self.id(to),
                    kind,
                    compressed_at: None,
                    relaid: true,
                });
            }
        }
        all
    }
}

use super::core::ContextGraph;
use super::edge::EdgeKind;
use super::node::Place;
use crate::hashing::HashSet;

/// A node, as the caller sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeInfo<'a> {
    /// The node or summary that this is about.
    pub place: Place,
    /// The id of the summary that hides it; with nested folds, the innermost.
    pub compressed_by: Option<&'a str>,
    /// How many nodes the graph had when it was hidden.
    pub compressed_at: Option<u32>,
}

/// An edge, as the caller sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EdgeInfo<'a> {
    /// The id of the node it leads from.
    pub from: &'a str,
    /// The id of the node it leads to.
    pub to: &'a str,
    /// What it means.
    pub kind: EdgeKind,
    /// How many nodes the graph had when a fold first hid one of its ends.
    pub compressed_at: Option<u32>,
    /// Whether it is derived for a summary, in place of an edge that the fold hides.
    pub relaid: bool,
}

impl ContextGraph {
    /// All nodes in the order in which they were added, including hidden ones and summaries.
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

    /// A place, and what hides it.
    pub fn info(&self, place: Place) -> NodeInfo<'_> {
        let fold = self.folded_by(place).map(|f| self.fold_at(f));
        NodeInfo { place, compressed_by: fold.map(|f| &*f.id), compressed_at: fold.map(|f| f.made_at) }
    }

    /// What the caller or a run recorded about a node. Summaries have none.
    pub fn metadata(&self, place: Place) -> Option<&serde_json::Map<String, serde_json::Value>> {
        match place {
            Place::Node(n) => self.nodes[n as usize].metadata.as_ref(),
            Place::Fold(_) => None,
        }
    }

    /// All edges in the order in which they were added, including hidden ones; then the edges derived for the visible
    /// summaries.
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
        let mut once = HashSet::default();
        for (index, fold) in
            (0..).zip(&self.folds).filter(|(_, f)| !f.members.is_empty() && f.folded_by.is_none())
        {
            let this = Place::Fold(index);
            let top = |n: u32| self.top(Place::Node(n));
            let into =
                fold.inward.iter().map(|e| self.edges[*e as usize]).map(|e| (top(e.from), this, e.kind));
            // An edge into another fold is listed with that fold's inward edges.
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

use super::core::ContextGraph;
use super::node::Place;
use super::view::Gathering;
use crate::hashing::{HashMap, HashSet};

/// Which nodes of each lane are ancestors of a node, found without walking the lanes.
#[derive(Default)]
struct Ancestors {
    /// By lane: this many of its first nodes are ancestors.
    reach: HashMap<u32, u32>,
    /// Ancestors beyond that.
    nodes: HashSet<u32>,
    /// Folds that are ancestors.
    folds: HashSet<Place>,
    /// Ancestors whose own ancestors are still to be found.
    pending: Vec<u32>,
}

impl ContextGraph {
    /// Adds all pinned ancestors of `start` to the view. The cost grows with the number of pinned places and of edges from
    /// other lanes, not with the length of the lanes.
    pub(super) fn gather_pinned(&self, start: Place, gathering: &mut Gathering) {
        let mut ancestors = Ancestors::default();
        match start {
            Place::Node(n) => ancestors.pending.push(n),
            Place::Fold(_) => self.add_pinned(start, &mut ancestors, gathering),
        }
        while let Some(index) = ancestors.pending.pop() {
            gathering.looked_at += 1;
            let node = &self.nodes[index as usize];
            self.add_pinned_up_to(node.lane, node.reach, &mut ancestors, gathering);
            if node.position < ancestors.reach.get(&node.lane).copied().unwrap_or(0)
                || !ancestors.nodes.insert(index)
            {
                continue;
            }
            let seen = self.top(Place::Node(index));
            if self.node_type(seen).is_pinned() {
                self.add_pinned(seen, &mut ancestors, gathering);
            }
            let sources = node.incoming.iter().filter(|e| self.is_followed(**e));
            ancestors.pending.extend(sources.map(|e| self.edges[*e as usize].from));
        }
    }

    /// Adds the pinned places among the first `reach` nodes of a lane, except those added before.
    fn add_pinned_up_to(&self, lane: u32, reach: u32, ancestors: &mut Ancestors, gathering: &mut Gathering) {
        let done = ancestors.reach.get(&lane).copied().unwrap_or(0);
        if reach <= done {
            return;
        }
        ancestors.reach.insert(lane, reach);
        let lane = &self.lanes[lane as usize];
        let new = lane.pinned.starting_at(&done).take_while(|(position, _)| **position < reach);
        for place in new.map(|(_, place)| *place) {
            self.add_pinned(place, ancestors, gathering);
        }
        let from = lane.inflows.partition_point(|(position, _)| *position < done);
        let inflows = lane.inflows[from..].iter().take_while(|(position, _)| *position < reach);
        ancestors.pending.extend(inflows.map(|(_, source)| *source));
    }

    /// Adds a pinned place. The ancestors of any node in a fold are ancestors of its summary.
    fn add_pinned(&self, place: Place, ancestors: &mut Ancestors, gathering: &mut Gathering) {
        gathering.looked_at += 1;
        gathering.keep(place);
        if matches!(place, Place::Fold(_)) && ancestors.folds.insert(place) {
            let sources = self.into(place).filter(|e| self.is_followed(*e));
            ancestors.pending.extend(sources.map(|e| self.edges[e as usize].from));
        }
    }
}

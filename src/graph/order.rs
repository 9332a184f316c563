//! A topological order that is updated with each edge (Pearce and Kelly), so that cycles are found without a full search.
//!
//! An appended node comes last, so appending needs only one comparison per edge. An edge against the order costs as much as
//! there is between its ends.
//!
//! Why not petgraph: its `Acyclic` (0.8.3) keeps the same order, but searches recursively. On a lane of 100,000 nodes, an
//! edge from the end to the beginning overflows 8 MB of stack, and the module has 1 MB. It stores positions in a B-tree that
//! every append writes (140 to 570 ns for a node and its edge). Lanes, folds and bounded views would still be our own code,
//! with two sets of indexes to keep in step; petgraph would replace this file only.

use super::core::ContextGraph;
use crate::hashing::{HashMap, HashSet};

/// The position of each node in one topological order of the edges, the lanes and the [`Order::bind`] constraints.
///
/// Nothing visible depends on which of the possible orders it is. Graphs that look the same may differ in it.
#[derive(Debug, Clone, Default)]
pub(super) struct Order {
    position: Vec<u32>,
    later: HashMap<u32, Vec<u32>>,
    earlier: HashMap<u32, Vec<u32>>,
}

impl Order {
    /// Adds a new node at the end.
    pub(super) fn append(&mut self) {
        self.position.push(self.position.len() as u32);
    }

    /// Keeps `from` before `to` without an edge between them. The caller has checked this with `try_order`.
    pub(super) fn bind(&mut self, from: u32, to: u32) {
        self.later.entry(from).or_default().push(to);
        self.earlier.entry(to).or_default().push(from);
    }

    /// Removes one such constraint.
    pub(super) fn release(&mut self, from: u32, to: u32) {
        for (map, key, value) in [(&mut self.later, from, to), (&mut self.earlier, to, from)] {
            if let Some(list) = map.get_mut(&key) {
                if let Some(at) = list.iter().position(|v| *v == value) {
                    list.swap_remove(at);
                }
                if list.is_empty() {
                    map.remove(&key);
                }
            }
        }
    }

    fn position_of(&self, node: u32) -> u32 {
        self.position[node as usize]
    }
}

impl ContextGraph {
    /// Whether `from` can come before `to`. If it can, the order is changed to put it there. `false`: it would close a
    /// cycle.
    ///
    /// Costs one comparison if the order is right already, which it is for appended nodes. Otherwise costs as much as there
    /// is between the two.
    pub(super) fn try_order(&mut self, from: u32, to: u32) -> bool {
        let (low, high) = (self.order.position_of(to), self.order.position_of(from));
        if high < low {
            return true;
        }
        let ahead = self.reachable(to, Self::successors, |position| position <= high);
        if ahead.contains(&from) {
            return false;
        }
        let behind = self.reachable(from, Self::predecessors, |position| position >= low);
        // The ancestors of `from` go before the descendants of `to`. Both groups keep their order and share the positions
        // they had.
        let by_place = |mut nodes: Vec<u32>| {
            crate::sorting::sort_by_key(&mut nodes, |n| self.order.position_of(*n));
            nodes
        };
        let moved: Vec<u32> = by_place(behind).into_iter().chain(by_place(ahead)).collect();
        let mut places: Vec<u32> = moved.iter().map(|n| self.order.position_of(*n)).collect();
        crate::sorting::sort(&mut places);
        for (node, place) in moved.into_iter().zip(places) {
            self.order.position[node as usize] = place;
        }
        true
    }

    /// All nodes reachable from `start`, itself included, through nodes whose position is `within`.
    fn reachable<I: Iterator<Item = u32>>(
        &self,
        start: u32,
        next: impl Fn(&Self, u32) -> I,
        within: impl Fn(u32) -> bool,
    ) -> Vec<u32> {
        let mut seen = HashSet::from_iter([start]);
        let mut found = vec![start];
        let mut at = 0;
        while let Some(&node) = found.get(at) {
            at += 1;
            for neighbour in next(self, node) {
                if within(self.order.position_of(neighbour)) && seen.insert(neighbour) {
                    found.push(neighbour);
                }
            }
        }
        found
    }

    fn successors(&self, node: u32) -> impl Iterator<Item = u32> + use<> {
        let entry = &self.nodes[node as usize];
        let edges = entry.outgoing.iter().map(|e| self.edges[*e as usize].to);
        let lane = self.lanes[entry.lane as usize].nodes.get(entry.position as usize + 1).copied();
        let bound = self.order.later.get(&node).into_iter().flatten().copied();
        edges.chain(lane).chain(bound).collect::<Vec<_>>().into_iter()
    }

    fn predecessors(&self, node: u32) -> impl Iterator<Item = u32> + use<> {
        let entry = &self.nodes[node as usize];
        let edges = entry.incoming.iter().map(|e| self.edges[*e as usize].from);
        let before = entry.position.checked_sub(1);
        let lane = before.and_then(|p| self.lanes[entry.lane as usize].nodes.get(p as usize).copied());
        let bound = self.order.earlier.get(&node).into_iter().flatten().copied();
        edges.chain(lane).chain(bound).collect::<Vec<_>>().into_iter()
    }
}

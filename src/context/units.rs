//! The conversation divided into units that no pass may split.
//!
//! After a cut, the rest begins with a user message. What is dropped without a fold keeps its place, so that a later summary
//! can cover it, a pin can bring it back, and a late output finds its call.

use std::fmt::{self, Debug, Formatter};
use std::ops::{Deref, Range};

use super::core::Context;
use super::node::{NodeIndex, NodeSet};
use super::shared::Shared;
use super::slot::Slot;
use crate::message::{Dependency, KnownMessage, Part, Role, steps_of};

/// The position of a message that is not among the slots.
const NOT_AMONG_SLOTS: u32 = u32::MAX;

/// A step, or a message outside of any step: it stays or goes as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// Its nodes, in view order.
    pub nodes: Nodes,
    /// Its tokens in the view.
    pub tokens: u64,
    /// Tokens of those of its nodes that a pass took out.
    pub hidden_tokens: u64,
    /// What kind it is.
    pub kind: UnitKind,
    /// The role of its first message.
    pub role: Role,
    /// Whether it must stay: a call in it is being executed, it ends with reasoning, or it holds a pin or the provider's newest
    /// compaction. Also set for what that compaction already covers, so that it is not folded again.
    pub fixed: bool,
    /// Where it is.
    pub place: Place,
}

/// Adjacent nodes in the order of the view.
#[derive(Clone)]
pub struct Nodes {
    order: Shared<Vec<NodeIndex>>,
    range: Range<usize>,
}

impl Deref for Nodes {
    type Target = [NodeIndex];

    fn deref(&self) -> &[NodeIndex] {
        &self.order[self.range.clone()]
    }
}

impl PartialEq for Nodes {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Nodes {}

impl Debug for Nodes {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Debug::fmt(&**self, f)
    }
}

/// The kind of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitKind {
    /// A summary, or a message shown with one.
    Fold,
    /// A message that opens a turn.
    Request,
    /// A step with tool calls.
    Calls,
    /// Any other message or step.
    Other,
}

/// Whether the view shows a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The view shows it.
    Shown,
    /// The view shows it, but it is about to be removed.
    Removed,
    /// A pass has taken all of it out.
    Hidden,
}

impl Unit {
    /// Whether the view shows it and it may be removed.
    pub fn may_be_removed(&self) -> bool {
        !self.fixed && self.stays()
    }

    /// Whether it stays in the view.
    pub fn stays(&self) -> bool {
        self.place == Place::Shown
    }

    /// Whether it is about to be removed from the view.
    pub fn is_removed(&self) -> bool {
        self.place == Place::Removed
    }

    /// Marks it to be removed from the view.
    pub fn mark_removed(&mut self) {
        self.place = Place::Removed;
    }

    /// Whether it opens a turn.
    pub fn opens_turn(&self) -> bool {
        self.kind == UnitKind::Request
    }

    /// Whether it represents a fold.
    pub fn is_fold(&self) -> bool {
        self.kind == UnitKind::Fold
    }
}

impl Context {
    /// The view's body as units, in order, including what passes took out of it.
    pub fn units(&self) -> Vec<Unit> {
        self.units_from(0)
    }

    /// The same from body position `at` on, where a unit must begin.
    pub fn units_from(&self, at: usize) -> Vec<Unit> {
        let (before, slots) = self.view.with_dropped_from(at);
        let live: NodeSet = self.history.unanswered().into_iter().map(|(_, caller)| caller).collect();
        let hides = self.view.dropped_nodes().next().is_some();
        let is_hidden = |s: &&Slot| hides && self.view.dropped(s.node).is_some();
        let order = self.view.order();
        let compaction = self.newest_compaction();
        let covered = self.covered_by_compaction();
        let steps = steps_of(&self.linked_messages(&slots));
        // Whether the provider is still running one of its own tools in the last step, which then must stay.
        let served = steps.last().is_some_and(|step| {
            let open: NodeSet = self.history.open_server_calls().collect();
            slots[step.range.clone()].iter().any(|slot| open.contains(&slot.node))
        });
        // Or the item that the last reasoning led to is still to come (items may be pushed one by one).
        let unfinished =
            slots.last().is_some_and(|slot| matches!(slot.message.parts.last(), Some(Part::Reasoning(_))));
        let last = steps.len().wrapping_sub(1);
        steps
            .into_iter()
            .enumerate()
            .map(|(at, step)| {
                let range = step.range.start + before..step.range.end + before;
                let nodes = Nodes { order: order.clone(), range };
                let slots = &slots[step.range];
                let any = |test: &dyn Fn(&Slot) -> bool| slots.iter().any(|s| test(s));
                let tokens =
                    |hidden: bool| slots.iter().filter(|s| is_hidden(s) == hidden).map(|s| s.tokens()).sum();
                let is_hidden_whole = slots.iter().all(is_hidden);
                Unit {
                    nodes,
                    tokens: tokens(false),
                    hidden_tokens: tokens(true),
                    kind: if any(&|s| self.history.node(s.node).is_fold()) {
                        UnitKind::Fold
                    } else if any(&Slot::opens_turn) {
                        UnitKind::Request
                    } else if any(&Slot::has_calls) {
                        UnitKind::Calls
                    } else {
                        UnitKind::Other
                    },
                    role: slots.first().map_or(Role::User, |s| s.role()),
                    fixed: slots.iter().all(|s| covered.contains(&s.node))
                        || (served || unfinished) && at == last
                        || any(&|s| {
                            let node = s.node;
                            Some(node) == compaction || live.contains(&node) || self.history.node(node).pinned
                        }),
                    place: if is_hidden_whole { Place::Hidden } else { Place::Shown },
                }
            })
            .collect()
    }

    /// The messages of `slots` with what is already known about their calls, so that the messages themselves need not be
    /// read.
    pub fn linked_messages<'a>(&self, slots: &[&'a Slot]) -> Vec<KnownMessage<'a>> {
        let mut places = vec![NOT_AMONG_SLOTS; self.history.len()];
        for (slot, place) in slots.iter().zip(0..) {
            places[slot.node.get()] = place;
        }
        let place = |caller: NodeIndex| Some(places[caller.get()]).filter(|place| *place != NOT_AMONG_SLOTS);
        let linked = |slot: &&'a Slot| {
            let role = slot.role();
            let caller = (role == Role::Tool).then(|| self.history.caller(slot.node)).flatten();
            let caller = caller.and_then(place).map(|place| place as usize);
            // A pass may have removed the result of the call from the message.
            let led =
                self.history.depends_on(slot.node).filter(|_| slot.message.required_ids().next().is_some());
            let led = led.and_then(place).map_or(Dependency::None, |place| Dependency::On(place as usize));
            KnownMessage { role, calls: slot.has_calls(), message: &slot.message, caller, depends_on: led }
        };
        slots.iter().map(linked).collect()
    }
}

/// Providers want a conversation to begin with a user message, after any instructions. If the view would begin with an
/// assistant or tool message instead, the user message before it stays, if it fits into `room` tokens or if that unit must
/// stay. Otherwise that unit goes, too.
pub fn begin_with_user(units: &mut [Unit], mut room: u64) {
    let mut asked_before = None;
    let mut fold_before = None; // a summary in the user role will do if the unit behind it must stay
    for at in 0..units.len() {
        let unit = &units[at];
        match (unit.role, unit.place) {
            (Role::User, Place::Shown) => return,
            (Role::User, Place::Removed) if unit.is_fold() => fold_before = Some(at),
            (Role::User, Place::Removed) => asked_before = Some(at),
            (Role::Assistant | Role::Tool, Place::Shown) => {
                match asked_before.or(fold_before.filter(|_| unit.fixed)) {
                    Some(user) if unit.fixed || units[user].tokens <= room => {
                        units[user].place = Place::Shown;
                        return;
                    }
                    Some(_) => {
                        room += unit.tokens;
                        units[at].mark_removed();
                    }
                    None => return, // there is no user message before it: it came first already
                }
            }
            _ => {}
        }
    }
}

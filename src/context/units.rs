//! The conversation in pieces that no pass may split.
//!
//! What is left after a cut begins with a user message. What is dropped without a fold keeps its place beside the view, so that
//! a later summary can cover it, a pin can bring it back, and a late output finds its call.

use std::fmt::{self, Debug, Formatter};
use std::ops::{Deref, Range};

use super::core::Context;
use super::node::{NodeIndex, NodeSet};
use super::shared::Shared;
use super::view::Slot;
use crate::message::{Led, Role, Seen, steps_of};

/// A step, or a message that is part of none: it stays or goes as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// Its nodes, in view order.
    pub nodes: Nodes,
    /// What it takes in the view.
    pub tokens: u64,
    /// What those of its nodes took that a pass has left out.
    pub hidden_tokens: u64,
    /// What kind it is.
    pub kind: UnitKind,
    /// The role of its first message.
    pub speaker: Role,
    /// It may not go: a call in it is being executed, or it holds a pin or the provider's newest compaction. Nor may what that
    /// stands for be folded once more.
    pub fixed: bool,
    /// Where it is.
    pub place: Place,
}

/// Neighbours in the order of the view.
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

/// What a unit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitKind {
    /// A summary, or what stands with one.
    Fold,
    /// A message that opens a turn.
    Request,
    /// A step with tool calls.
    Calls,
    /// Any other message.
    Other,
}

/// Where a unit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the view.
    Shown,
    /// In the view, and about to leave it.
    Going,
    /// A pass has left out all of it.
    Hidden,
}

impl Unit {
    /// Whether it stands in the view and may go.
    pub fn may_go(&self) -> bool {
        !self.fixed && self.stays()
    }

    /// Whether it will stand in the view.
    pub fn stays(&self) -> bool {
        self.place == Place::Shown
    }

    /// Whether it is about to leave the view.
    pub fn goes(&self) -> bool {
        self.place == Place::Going
    }

    /// It leaves the view.
    pub fn go(&mut self) {
        self.place = Place::Going;
    }

    /// Whether it opens a turn.
    pub fn opens_turn(&self) -> bool {
        self.kind == UnitKind::Request
    }

    /// Whether it stands for a fold.
    pub fn is_fold(&self) -> bool {
        self.kind == UnitKind::Fold
    }
}

impl Context {
    /// The view's body as units, in order, with what passes left out of it.
    pub fn units(&self) -> Vec<Unit> {
        self.units_from(0)
    }

    /// The same from a body position on at which a unit begins.
    pub fn units_from(&self, at: usize) -> Vec<Unit> {
        let (before, slots) = self.view.with_dropped_from(at);
        let live: NodeSet = self.history.unanswered().into_iter().map(|(_, caller)| caller).collect();
        let hides = self.view.dropped_nodes().next().is_some();
        let is_hidden = |s: &&Slot| hides && self.view.dropped(s.node).is_some();
        let order = self.view.order();
        let compaction = self.compaction().map(|at| self.view.body()[at].node);
        let covered = self.covered_by_compaction();
        let steps = steps_of(&self.seen(&slots));
        // What a tool that the provider runs is still at: nothing but outputs of its own calls stands behind the call.
        let served = steps.last().is_some_and(|step| {
            let open: NodeSet = self.history.open_server_calls().collect();
            slots[step.range.clone()].iter().any(|slot| open.contains(&slot.node))
        });
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
                    speaker: slots.first().map_or(Role::User, |s| s.role()),
                    fixed: slots.iter().all(|s| covered.contains(&s.node))
                        || served && at == last
                        || any(&|s| {
                            let node = s.node;
                            Some(node) == compaction || live.contains(&node) || self.history.node(node).pinned
                        }),
                    place: if is_hidden_whole { Place::Hidden } else { Place::Shown },
                }
            })
            .collect()
    }
}

impl Context {
    /// Messages, as far as they need not be looked at: who made which call is known since they entered.
    pub fn seen<'a>(&self, slots: &[&'a Slot]) -> Vec<Seen<'a>> {
        let mut places = vec![NOWHERE; self.history.len()];
        for (slot, place) in slots.iter().zip(0..) {
            places[slot.node.get()] = place;
        }
        let place = |caller: NodeIndex| Some(places[caller.get()]).filter(|place| *place != NOWHERE);
        let seen = |slot: &&'a Slot| {
            let role = slot.role();
            let caller = (role == Role::Tool).then(|| self.history.caller(slot.node)).flatten();
            let caller = caller.and_then(place).map(|place| place as usize);
            // A pass may have taken what came of the call off the message.
            let led = self.history.led_by(slot.node).filter(|_| slot.message.led_by().next().is_some());
            let led = led.and_then(place).map_or(Led::Alone, |place| Led::By(place as usize));
            Seen { role, calls: slot.has_calls(), message: &slot.message, caller, led }
        };
        slots.iter().map(seen).collect()
    }
}

/// The place of a message that is not there.
const NOWHERE: u32 = u32::MAX;

/// Providers want a conversation to begin with the user, whatever instructions stand before: where something else would
/// stand first, the user's message before it stays, if there is room for it (`room`, in tokens) or what it led to may not
/// go. Otherwise that goes, too.
pub fn begin_with_user(units: &mut [Unit], mut room: u64) {
    let mut asked_before = None;
    let mut fold_before = None; // a summary in the user's place does, where what stands behind it may not go
    for at in 0..units.len() {
        let unit = &units[at];
        match (unit.speaker, unit.place) {
            (Role::User, Place::Shown) => return,
            (Role::User, Place::Going) if unit.is_fold() => fold_before = Some(at),
            (Role::User, Place::Going) => asked_before = Some(at),
            (Role::Assistant | Role::Tool, Place::Shown) => {
                match asked_before.or(fold_before.filter(|_| unit.fixed)) {
                    Some(asked) if unit.fixed || units[asked].tokens <= room => {
                        units[asked].place = Place::Shown;
                        return;
                    }
                    Some(_) => {
                        room += unit.tokens;
                        units[at].go();
                    }
                    None => return, // nobody asked before it: it stood first already
                }
            }
            _ => {}
        }
    }
}

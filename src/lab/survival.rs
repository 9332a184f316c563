use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::known::{Held, KnownFacts};
use super::retention::Retention;
use super::trail::Step;
use crate::message::Message;
use crate::tool_output::ToolOutputs;

/// Computes retention call by call. It keeps counts for each fact, so that a call costs only what changed since the call
/// before.
pub(super) struct Survival {
    facts: Vec<Standing>,
    tally: Tally,
    /// The number of answers whose facts have been counted as said.
    heard: usize,
    /// The messages of the view, by position.
    slots: Vec<Rc<Seen>>,
    /// Messages that were in views, by address. They are kept alive, so that no other message gets the same address.
    seen: HashMap<*const Message, (Arc<Message>, Rc<Seen>)>,
    /// The refs of the outputs in the order of their arrival, and the index of each in that order.
    refs: Vec<String>,
    arrivals: HashMap<String, usize>,
    /// How many outputs have arrived so far.
    arrived: usize,
    /// The outputs that messages refer to, by ref.
    named: HashMap<String, Named>,
}

/// An output that messages refer to.
struct Named {
    held: Rc<Held>,
    /// The index of its arrival. A reference before that opens nothing.
    arrival: usize,
    /// How many messages of the view refer to it.
    messages: u32,
}

/// The state of a fact.
#[derive(Debug, Clone, Copy, Default)]
struct Standing {
    is_rule: bool,
    was_said: bool,
    /// How many messages of the view contain it.
    in_view: u32,
    /// How many outputs that the view can open contain it.
    in_outputs: u32,
}

/// The number of facts that count for each share.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    said: u32,
    said_rules: u32,
    literal: u32,
    with_refs: u32,
    rules: u32,
}

/// A message as it was in a view: what it contains, and the outputs it refers to.
struct Seen {
    held: Rc<Held>,
    names: Vec<String>,
}

impl Survival {
    /// `outputs`: all outputs stored in the replay.
    pub fn new(known: &KnownFacts, outputs: &ToolOutputs) -> Self {
        let standing = |fact| Standing { is_rule: known.is_rule(fact), ..Standing::default() };
        Self {
            facts: (0..known.len() as u32).map(standing).collect(),
            tally: Tally::default(),
            heard: 0,
            slots: Vec::new(),
            seen: HashMap::new(),
            refs: outputs.iter().map(|output| output.id().to_owned()).collect(),
            arrivals: outputs.iter().enumerate().map(|(at, output)| (output.id().to_owned(), at)).collect(),
            arrived: 0,
            named: HashMap::new(),
        }
    }

    /// The shares of what was said so far that are in the next call's view, as defined by [`retention`](super::retention()).
    pub fn after(
        &mut self,
        step: &Step,
        messages: &[Message],
        known: &mut KnownFacts,
        outputs: &ToolOutputs,
    ) -> Retention {
        while self.heard <= step.answer {
            for fact in known.said_before(self.heard) {
                self.touch(*fact, |standing| standing.was_said = true);
            }
            self.heard += 1;
        }
        while self.arrived < step.outputs.min(self.refs.len()) {
            let named = self.named.get(&self.refs[self.arrived]).filter(|named| named.messages > 0);
            let held = named.map(|named| named.held.clone());
            self.open(held.as_deref(), |in_outputs| *in_outputs += 1);
            self.arrived += 1;
        }
        while self.slots.len() > step.len {
            let Some(gone) = self.slots.pop() else { break };
            self.take(&gone);
        }
        for (at, message) in &step.put {
            let seen = match self.seen.get(&Arc::as_ptr(message)) {
                Some((_, seen)) => seen.clone(),
                None => self.look_into(message, messages, known, outputs),
            };
            // Add the new message before the old one is removed, so that facts in both stay.
            self.give(&seen);
            match self.slots.get_mut(*at) {
                Some(slot) => {
                    let gone = std::mem::replace(slot, seen);
                    self.take(&gone);
                }
                None => self.slots.push(seen),
            }
        }
        self.tally.shares()
    }

    fn look_into(
        &mut self,
        message: &Arc<Message>,
        messages: &[Message],
        known: &mut KnownFacts,
        outputs: &ToolOutputs,
    ) -> Rc<Seen> {
        let held = known.held_by(messages, message);
        let mut names = Vec::new();
        for id in &held.refs {
            if !self.named.contains_key(id)
                && let Ok(output) = outputs.get(id)
            {
                let arrival = self.arrivals.get(id).copied().unwrap_or(usize::MAX);
                let held = known.held_by_output(messages, output);
                self.named.insert(id.clone(), Named { held, arrival, messages: 0 });
            }
            if self.named.contains_key(id) {
                names.push(id.clone());
            }
        }
        let seen = Rc::new(Seen { held, names });
        self.seen.insert(Arc::as_ptr(message), (message.clone(), seen.clone()));
        seen
    }

    /// Adds a message to the view.
    fn give(&mut self, seen: &Seen) {
        for fact in &seen.held.facts {
            self.touch(*fact, |standing| standing.in_view += 1);
        }
        for id in &seen.names {
            let Some(named) = self.named.get_mut(id) else { continue };
            named.messages += 1;
            let opens = named.messages == 1 && named.arrival < self.arrived;
            let held = opens.then(|| named.held.clone());
            self.open(held.as_deref(), |in_outputs| *in_outputs += 1);
        }
    }

    /// Removes a message from the view.
    fn take(&mut self, seen: &Seen) {
        for fact in &seen.held.facts {
            self.touch(*fact, |standing| standing.in_view -= 1);
        }
        for id in &seen.names {
            let Some(named) = self.named.get_mut(id) else { continue };
            named.messages -= 1;
            let closes = named.messages == 0 && named.arrival < self.arrived;
            let held = closes.then(|| named.held.clone());
            self.open(held.as_deref(), |in_outputs| *in_outputs -= 1);
        }
    }

    /// Counts the facts of an output that can be opened from now on, or no longer.
    fn open(&mut self, output: Option<&Held>, by: impl Fn(&mut u32)) {
        for fact in output.into_iter().flat_map(|held| &held.facts) {
            self.touch(*fact, |standing| by(&mut standing.in_outputs));
        }
    }

    fn touch(&mut self, fact: u32, change: impl FnOnce(&mut Standing)) {
        let standing = &mut self.facts[fact as usize];
        self.tally.count(standing, |figure| *figure -= 1);
        change(standing);
        self.tally.count(standing, |figure| *figure += 1);
    }
}

impl Tally {
    fn count(&mut self, fact: &Standing, by: impl Fn(&mut u32)) {
        let there = fact.in_view > 0;
        if !fact.was_said {
            return;
        }
        if fact.is_rule {
            by(&mut self.said_rules);
            if there {
                by(&mut self.rules);
            }
            return;
        }
        by(&mut self.said);
        if there {
            by(&mut self.literal);
        }
        if there || fact.in_outputs > 0 {
            by(&mut self.with_refs);
        }
    }

    fn shares(&self) -> Retention {
        let share = |kept: u32, said: u32| if said == 0 { 1.0 } else { f64::from(kept) / f64::from(said) };
        Retention {
            literal: share(self.literal, self.said),
            with_refs: share(self.with_refs, self.said),
            constraints: share(self.rules, self.said_rules),
        }
    }
}

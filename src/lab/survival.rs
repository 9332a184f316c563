use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::known::{Held, KnownFacts};
use super::retention::Retention;
use super::trail::Step;
use crate::message::Message;
use crate::tool_output::ToolOutputs;

/// Retention, call by call. What a view has is kept by fact, so that a call costs what stands otherwise than in the call before.
pub(super) struct Survival {
    facts: Vec<Standing>,
    tally: Tally,
    /// Answers whose facts have been said.
    heard: usize,
    /// The view.
    slots: Vec<Rc<Seen>>,
    /// Messages as they stood in views, by where they lie; they are kept, so that no other comes to lie there.
    seen: HashMap<*const Message, (Arc<Message>, Rc<Seen>)>,
    /// The outputs' refs in the order of their arrival, and their places in it.
    refs: Vec<String>,
    arrivals: HashMap<String, usize>,
    /// How many of them are there by now.
    arrived: usize,
    /// The outputs that messages name, by ref.
    named: HashMap<String, Named>,
}

/// An output that messages name.
struct Named {
    held: Rc<Held>,
    /// When it arrives: who names it before opens nothing.
    arrival: usize,
    /// Messages of the view that name it.
    messages: u32,
}

/// How a fact stands.
#[derive(Debug, Clone, Copy, Default)]
struct Standing {
    is_rule: bool,
    was_said: bool,
    /// Messages of the view that hold it.
    in_view: u32,
    /// Opened outputs that hold it.
    in_outputs: u32,
}

/// Facts that count for each of the shares.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    said: u32,
    said_rules: u32,
    literal: u32,
    with_refs: u32,
    rules: u32,
}

/// A message as it stood in a view: what it holds, and which outputs it names.
struct Seen {
    held: Rc<Held>,
    names: Vec<String>,
}

impl Survival {
    /// `outputs`: all that were stored in the replay.
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

    /// The shares of what was said so far that the next call's view still has: as [`retention`](super::retention()) has it.
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
            // First what comes, then what goes: what both hold stays.
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

    /// A message comes into the view.
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

    /// A message leaves the view.
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

    /// An output can be opened from now on, or can be no more.
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

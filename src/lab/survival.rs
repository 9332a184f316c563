use std::rc::Rc;
use std::sync::Arc;

use super::known::{Contents, KnownFacts};
use super::retention::Retention;
use super::trail::Step;
use crate::hashing::HashMap;
use crate::message::Message;
use crate::tool_output::ToolOutputs;

/// Computes retention call by call. It keeps counts for each fact, so that a call costs only what changed since the call
/// before.
pub(super) struct Survival {
    facts: Vec<FactState>,
    tally: Tally,
    /// The number of answers whose facts have been counted as said.
    answers_counted: usize,
    /// The messages of the view, by position.
    slots: Vec<Rc<ViewMessage>>,
    /// Messages that were in views, by address. They are kept alive, so that no other message gets the same address.
    known_messages: HashMap<*const Message, (Arc<Message>, Rc<ViewMessage>)>,
    /// The refs of the outputs in the order of their arrival, and the index of each in that order.
    refs: Vec<String>,
    arrivals: HashMap<String, usize>,
    /// How many outputs have arrived so far.
    arrived: usize,
    /// The outputs that messages refer to, by ref.
    referenced: HashMap<String, ReferencedOutput>,
}

/// An output that messages refer to.
struct ReferencedOutput {
    held: Rc<Contents>,
    /// The index of its arrival. A reference before that opens nothing.
    arrival: usize,
    /// How many messages of the view refer to it.
    messages: u32,
}

/// The state of a fact.
#[derive(Debug, Clone, Copy, Default)]
struct FactState {
    is_rule: bool,
    has_occurred: bool,
    /// How many messages of the view contain it.
    in_view: u32,
    /// How many outputs that the view can open contain it.
    in_outputs: u32,
}

/// The number of facts that count for each share.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    all_literals: u32,
    all_rules: u32,
    literal: u32,
    with_refs: u32,
    rules: u32,
}

/// A message as it was in a view: what it contains, and the outputs it refers to.
struct ViewMessage {
    held: Rc<Contents>,
    refs: Vec<String>,
}

impl Survival {
    /// `outputs`: all outputs stored in the replay.
    pub fn new(known: &KnownFacts, outputs: &ToolOutputs) -> Self {
        let state = |fact| FactState { is_rule: known.is_rule(fact), ..FactState::default() };
        Self {
            facts: (0..known.len() as u32).map(state).collect(),
            tally: Tally::default(),
            answers_counted: 0,
            slots: Vec::new(),
            known_messages: HashMap::default(),
            refs: outputs.iter().map(|output| output.id().to_owned()).collect(),
            arrivals: outputs.iter().enumerate().map(|(at, output)| (output.id().to_owned(), at)).collect(),
            arrived: 0,
            referenced: HashMap::default(),
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
        while self.answers_counted <= step.answer {
            for fact in known.new_facts_before(self.answers_counted) {
                self.update_fact(*fact, |state| state.has_occurred = true);
            }
            self.answers_counted += 1;
        }
        while self.arrived < step.outputs.min(self.refs.len()) {
            let named = self.referenced.get(&self.refs[self.arrived]).filter(|named| named.messages > 0);
            let held = named.map(|named| named.held.clone());
            self.count_output(held.as_deref(), |in_outputs| *in_outputs += 1);
            self.arrived += 1;
        }
        while self.slots.len() > step.len {
            let Some(gone) = self.slots.pop() else { break };
            self.remove_message(&gone);
        }
        for (at, message) in &step.put {
            let seen = match self.known_messages.get(&Arc::as_ptr(message)) {
                Some((_, seen)) => seen.clone(),
                None => self.examine(message, messages, known, outputs),
            };
            // Add the new message before the old one is removed, so that facts in both stay.
            self.add_message(&seen);
            match self.slots.get_mut(*at) {
                Some(slot) => {
                    let gone = std::mem::replace(slot, seen);
                    self.remove_message(&gone);
                }
                None => self.slots.push(seen),
            }
        }
        self.tally.shares()
    }

    fn examine(
        &mut self,
        message: &Arc<Message>,
        messages: &[Message],
        known: &mut KnownFacts,
        outputs: &ToolOutputs,
    ) -> Rc<ViewMessage> {
        let held = known.contents_of(messages, message);
        let mut names = Vec::new();
        for id in &held.refs {
            if !self.referenced.contains_key(id)
                && let Some(output) = outputs.loaded(id)
            {
                let arrival = self.arrivals.get(id).copied().unwrap_or(usize::MAX);
                let held = known.contents_of_output(messages, output);
                self.referenced.insert(id.clone(), ReferencedOutput { held, arrival, messages: 0 });
            }
            if self.referenced.contains_key(id) {
                names.push(id.clone());
            }
        }
        let seen = Rc::new(ViewMessage { held, refs: names });
        self.known_messages.insert(Arc::as_ptr(message), (message.clone(), seen.clone()));
        seen
    }

    /// Adds a message to the view.
    fn add_message(&mut self, seen: &ViewMessage) {
        for fact in &seen.held.facts {
            self.update_fact(*fact, |state| state.in_view += 1);
        }
        for id in &seen.refs {
            let Some(named) = self.referenced.get_mut(id) else { continue };
            named.messages += 1;
            let opens = named.messages == 1 && named.arrival < self.arrived;
            let held = opens.then(|| named.held.clone());
            self.count_output(held.as_deref(), |in_outputs| *in_outputs += 1);
        }
    }

    /// Removes a message from the view.
    fn remove_message(&mut self, seen: &ViewMessage) {
        for fact in &seen.held.facts {
            self.update_fact(*fact, |state| state.in_view -= 1);
        }
        for id in &seen.refs {
            let Some(named) = self.referenced.get_mut(id) else { continue };
            named.messages -= 1;
            let closes = named.messages == 0 && named.arrival < self.arrived;
            let held = closes.then(|| named.held.clone());
            self.count_output(held.as_deref(), |in_outputs| *in_outputs -= 1);
        }
    }

    /// Counts the facts of an output that can be opened from now on, or no longer.
    fn count_output(&mut self, output: Option<&Contents>, by: impl Fn(&mut u32)) {
        for fact in output.into_iter().flat_map(|held| &held.facts) {
            self.update_fact(*fact, |state| by(&mut state.in_outputs));
        }
    }

    fn update_fact(&mut self, fact: u32, change: impl FnOnce(&mut FactState)) {
        let state = &mut self.facts[fact as usize];
        self.tally.count(state, |figure| *figure -= 1);
        change(state);
        self.tally.count(state, |figure| *figure += 1);
    }
}

impl Tally {
    fn count(&mut self, fact: &FactState, by: impl Fn(&mut u32)) {
        let there = fact.in_view > 0;
        if !fact.has_occurred {
            return;
        }
        if fact.is_rule {
            by(&mut self.all_rules);
            if there {
                by(&mut self.rules);
            }
            return;
        }
        by(&mut self.all_literals);
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
            literal: share(self.literal, self.all_literals),
            with_refs: share(self.with_refs, self.all_literals),
            constraints: share(self.rules, self.all_rules),
        }
    }
}

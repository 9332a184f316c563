use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use super::retention::{Facts, Retention, facts, refs_in};
use crate::facts::{Needles, texts};
use crate::message::Message;

/// Retention, call by call: what each message holds is looked up once, however often it is sent.
pub(super) struct Survival<'a> {
    facts: &'a Facts,
    needles: Needles<'a>,
    /// Facts that have been said so far.
    said: BTreeSet<usize>,
    /// Messages as they stood in views, by where they lie; they are kept, so that no other comes to lie there.
    messages: HashMap<*const Message, (Arc<Message>, Held)>,
    /// The facts in the output that a ref opens.
    opened: BTreeMap<String, BTreeSet<usize>>,
}

/// What a message holds.
#[derive(Default)]
struct Held {
    facts: BTreeSet<usize>,
    refs: BTreeSet<String>,
}

/// Where the facts of these messages stand among `all`, the constraints behind the literals.
pub(super) fn said_in(messages: &[Message], all: &Facts) -> Vec<usize> {
    let said = facts(messages);
    let place = |of: &[String], fact: &String| of.binary_search(fact).ok();
    let literals = said.literals.iter().filter_map(|f| place(&all.literals, f));
    let rules = said.constraints.iter().filter_map(|f| place(&all.constraints, f));
    literals.chain(rules.map(|i| i + all.literals.len())).collect()
}

impl<'a> Survival<'a> {
    /// `facts`: those of the whole transcript.
    pub fn new(facts: &'a Facts) -> Self {
        Self {
            facts,
            needles: Needles::new(facts.literals.iter().chain(&facts.constraints).map(String::as_str)),
            said: BTreeSet::new(),
            messages: HashMap::new(),
            opened: BTreeMap::new(),
        }
    }

    /// These facts were said: they count from now on.
    pub fn hear(&mut self, said: &[usize]) {
        self.said.extend(said);
    }

    /// The shares of what was said so far that a view still has: as [`retention`](super::retention()) has it.
    pub fn shares(
        &mut self,
        view: &[Arc<Message>],
        mut opens_ref: impl FnMut(&str) -> Option<String>,
    ) -> Retention {
        let mut literal = vec![false; self.facts.literals.len() + self.facts.constraints.len()];
        let mut with_refs = literal.clone();
        for message in view {
            let (_, held) = self.messages.entry(Arc::as_ptr(message)).or_insert_with(|| {
                (message.clone(), look_into(message, &self.needles, &mut self.opened, &mut opens_ref))
            });
            held.facts.iter().for_each(|i| literal[*i] = true);
            let opened = held.refs.iter().filter_map(|r| self.opened.get(r)).flatten();
            held.facts.iter().chain(opened).for_each(|i| with_refs[*i] = true);
        }
        let (literals, all) = (self.facts.literals.len(), literal.len());
        let share = |there: &[bool], within: Range<usize>| {
            let said = self.said.range(within.clone()).count();
            let kept = self.said.range(within).filter(|i| there[**i]).count();
            if said == 0 { 1.0 } else { kept as f64 / said as f64 }
        };
        Retention {
            literal: share(&literal, 0..literals),
            with_refs: share(&with_refs, 0..literals),
            constraints: share(&literal, literals..all),
        }
    }
}

fn look_into(
    message: &Message,
    needles: &Needles<'_>,
    opened: &mut BTreeMap<String, BTreeSet<usize>>,
    opens_ref: &mut impl FnMut(&str) -> Option<String>,
) -> Held {
    let mut held = Held::default();
    for text in texts(message) {
        needles.find(&text, |i| {
            held.facts.insert(i);
        });
        for word in refs_in(&text) {
            if opened.contains_key(&*word) {
                held.refs.insert(word.into_owned());
            } else if let Some(full) = opens_ref(&word) {
                let mut inside = BTreeSet::new();
                needles.find(&full, |i| {
                    inside.insert(i);
                });
                opened.insert(word.clone().into_owned(), inside);
                held.refs.insert(word.into_owned());
            }
        }
    }
    held
}

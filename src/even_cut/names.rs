//! What marks list: rules and literal facts in the text left out that stand nowhere else in the view.

use std::fmt::{self, Write as _};

use super::text::Pieces;
use crate::context::{Form, NodeIndex, Slot};
use crate::facts::shorten::one_line;
use crate::facts::{ExtractedFacts, LiteralKind, MARK_LISTS, mark_lists, quoted, texts};
use crate::hashing::HashSet;
use crate::sorting::sort_by_key;
use crate::tokens::{Estimate, TokenCounter};

/// Which literal facts and which of the user's rules the view contains, tracked while it is being cut.
pub struct Names<'a> {
    facts: &'a ExtractedFacts,
    in_view: Vec<bool>,
    rules_in_view: HashSet<&'a str>,
    /// How many tokens all marks together may still spend on names.
    left: u64,
}

impl<'a> Names<'a> {
    /// For a view that is still empty, whose marks may list names of up to `tokens` tokens. `facts` must be complete.
    pub fn new(facts: &'a ExtractedFacts, tokens: u64) -> Self {
        let in_view = vec![false; facts.names.len()];
        Self { facts, in_view, rules_in_view: HashSet::default(), left: tokens }
    }

    /// Records what a message that stays whole contains.
    pub fn record_whole(&mut self, node: NodeIndex) {
        self.new_rules(node);
        for number in self.of(node) {
            self.record(*number);
        }
    }

    /// Records the names in a message that stays as it is in the view, cut or whole.
    pub fn record_as_shown(&mut self, slot: &Slot) {
        if slot.form != Form::Shortened {
            return self.record_whole(slot.node);
        }
        if self.left == 0 {
            return; // no budget left for names
        }
        let texts = texts(&slot.message);
        for number in self.of(slot.node) {
            if texts.iter().any(|text| text.contains(self.facts.names.text(*number))) {
                self.record(*number);
            }
        }
    }

    /// Takes tokens out of the budget for names.
    pub const fn spend(&mut self, tokens: u64) {
        self.left = self.left.saturating_sub(tokens);
    }

    /// The tokens of the names that a message's marks already list.
    pub fn tokens_listed_in(&self, slot: &Slot) -> u64 {
        if slot.form != Form::Shortened {
            return 0;
        }
        let (texts, names) = (texts(&slot.message), &self.facts.names);
        let listed: Vec<&str> = texts.iter().flat_map(|text| mark_lists(text)).collect();
        let is_listed = |number: &&u32| listed.iter().any(|listed| listed.contains(names.text(**number)));
        let listed = self.of(slot.node).iter().filter(is_listed);
        listed.map(|number| u64::from(names.cost(*number)) + 1).sum()
    }

    /// Roughly what the names of a message cost that are not recorded yet. Records them, so that each is counted once.
    pub fn cost(&mut self, node: NodeIndex) -> u64 {
        let mut cost = 0;
        for number in self.of(node) {
            if !self.in_view[*number as usize] {
                self.record(*number);
                cost += u64::from(self.facts.names.cost(*number)) + 1;
            }
        }
        cost
    }

    /// What a mark lists: those of the `rules` that its text no longer contains whole; the line that says how a command ended,
    /// if it was left out; and names that were left out and occur nowhere else in the view, most useful first. Names that
    /// the head or the tail still contains are recorded.
    pub(super) fn list_for_mark(&mut self, node: NodeIndex, rules: &[&str], pieces: Pieces<'_>) -> String {
        let mut listed = String::new();
        let mut list = |what: fmt::Arguments<'_>| {
            let before = if listed.is_empty() { MARK_LISTS } else { ", " };
            let _ = write!(listed, "{before}{what}");
        };
        for rule in rules_left_out(rules, pieces) {
            list(format_args!("{}", quoted(&rule)));
        }
        if let Some(line) = self.outcome_line(node).filter(|line| is_left_out(line, pieces)) {
            let cost = Estimate.count(line) + 2;
            if cost <= self.left {
                self.left -= cost;
                list(format_args!("{}", quoted(line)));
            }
        }
        if self.left == 0 {
            return listed; // no budget left for names
        }
        let names = &self.facts.names;
        let mut missing: Vec<u32> = Vec::new();
        for number in self.of(node).iter().copied() {
            if self.in_view[number as usize] {
                continue;
            }
            if pieces.keep(names.text(number)) {
                self.record(number);
            } else {
                missing.push(number);
            }
        }
        sort_by_key(&mut missing, |number| rank(names.kinds()[*number as usize], names.text(*number)));
        for number in missing {
            let cost = u64::from(names.cost(number)) + 1;
            // A huge text is searched only for names that would be listed.
            if self.in_view[number as usize]
                || cost > self.left
                || !pieces.left_out.contains(names.text(number))
            {
                continue;
            }
            self.left -= cost;
            self.record(number);
            list(format_args!("{}", names.text(number)));
        }
        listed
    }

    /// Records a name and the names contained in it.
    fn record(&mut self, number: u32) {
        self.in_view[number as usize] = true;
        for inner in self.facts.names.within(number) {
            self.in_view[*inner as usize] = true;
        }
    }

    /// The user's rules in a message that are not recorded yet, without those of pasted text. Records them.
    pub fn new_rules(&mut self, node: NodeIndex) -> Vec<&'a str> {
        let rules = self.facts.notes(node.get()).map_or(&[][..], |notes| &notes.rules);
        let rules = rules.iter().filter(|rule| rule.own).map(|rule| &*rule.text);
        rules.filter(|rule| self.rules_in_view.insert(rule)).collect()
    }

    /// The line of a command's output that says how the command ended.
    fn outcome_line(&self, node: NodeIndex) -> Option<&'a str> {
        self.facts.notes(node.get())?.answer.as_ref()?.outcome_line()
    }

    fn of(&self, node: NodeIndex) -> &'a [u32] {
        let known = node.get() < self.facts.len();
        if known { self.facts.literals(node.get()) } else { &[] }
    }
}

fn is_left_out(what: &str, pieces: Pieces<'_>) -> bool {
    !pieces.keep(what) && (pieces.left_out.contains(what) || pieces.left_out.contains(&quoted(what)))
}

/// The rules of a message that its text contains, but neither its head nor its tail contains whole.
fn rules_left_out(rules: &[&str], pieces: Pieces<'_>) -> Vec<String> {
    let mut left_out: Vec<String> = rules.iter().map(|rule| one_line(rule)).collect();
    if !left_out.is_empty() {
        let text = one_line(&[pieces.head, pieces.left_out, pieces.tail].concat());
        let (head, tail) = (one_line(pieces.head), one_line(pieces.tail));
        left_out.retain(|rule| {
            // An earlier mark quotes it.
            let in_mark = quoted(rule);
            let has = |text: &str| text.contains(rule) || text.contains(&in_mark);
            has(&text) && !has(&head) && !has(&tail)
        });
    }
    left_out
}

/// Sorts the names most likely to be needed first: error codes, full paths, addresses, then bare file names and ids.
fn rank(kind: LiteralKind, name: &str) -> u8 {
    match kind {
        LiteralKind::ErrorCode => 0,
        LiteralKind::Path if name.contains('/') => 1,
        LiteralKind::Url => 2,
        LiteralKind::Path => 3,
        LiteralKind::Id => 4,
    }
}

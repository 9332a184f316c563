//! The names that marks tell: literal facts of what is left out that stand nowhere else in the view.

use std::fmt::{self, Write as _};

use super::text::Pieces;
use crate::context::{Form, NodeIndex, Slot};
use crate::facts::shorten::one_line;
use crate::facts::{Drawn, LiteralKind, Strength, texts};
use crate::sorting::sort_by_key;
use crate::tokens::{Estimate, TokenCounter};

/// What a mark tells stands behind this, and so does a mark's number of tokens before it.
const TELLS: &str = "; in it: ";
const MARK_TELLS: &str = " left out; in it: ";

/// Which literal facts stand in a view, while it is being cut.
pub struct Names<'a> {
    drawn: &'a Drawn,
    stands: Vec<bool>,
    /// The tokens that all marks together may still tell.
    left: u64,
}

impl<'a> Names<'a> {
    /// Of a view in which nothing stands yet, and whose marks may tell names of so many tokens. The facts are settled.
    pub fn new(drawn: &'a Drawn, tokens: u64) -> Self {
        Self { drawn, stands: vec![false; drawn.names.len()], left: tokens }
    }

    /// Takes note of a message that stands whole.
    pub fn note_whole(&mut self, node: NodeIndex) {
        for number in self.of(node) {
            self.note(*number);
        }
    }

    /// Takes note of a message that stays as it stands, cut or whole.
    pub fn note_standing(&mut self, slot: &Slot) {
        if slot.form != Form::Shortened {
            return self.note_whole(slot.node);
        }
        if self.left == 0 {
            return; // no mark tells a name any more
        }
        let texts = texts(&slot.message);
        for number in self.of(slot.node) {
            if texts.iter().any(|text| text.contains(self.drawn.names.text(*number))) {
                self.note(*number);
            }
        }
    }

    /// Other marks may tell so many tokens less.
    pub const fn spend(&mut self, tokens: u64) {
        self.left = self.left.saturating_sub(tokens);
    }

    /// What the names take that a message's marks tell.
    pub fn told_in(&self, slot: &Slot) -> u64 {
        if slot.form != Form::Shortened {
            return 0;
        }
        let (texts, names) = (texts(&slot.message), &self.drawn.names);
        let marks = texts.iter().flat_map(|text| text.split(MARK_TELLS).skip(1));
        let told: Vec<&str> = marks.map(|rest| rest.split(" …]").next().unwrap_or(rest)).collect();
        let is_told = |number: &&u32| told.iter().any(|told| told.contains(names.text(**number)));
        let told = self.of(slot.node).iter().filter(is_told);
        told.map(|number| u64::from(names.cost(*number)) + 1).sum()
    }

    /// About what the names of a message cost that are not known to stand elsewhere: they are noted, so that each counts once.
    pub fn cost(&mut self, node: NodeIndex) -> u64 {
        let mut cost = 0;
        for number in self.of(node) {
            if !self.stands[*number as usize] {
                self.note(*number);
                cost += u64::from(self.drawn.names.cost(*number)) + 1;
            }
        }
        cost
    }

    /// What a mark tells: of the user's rules in a text those that do not stand whole in what is left of it; the line that says how a
    /// command ended, if it is left out; and the names in what is left out that stand nowhere else, best first. All other names of the text's are noted as standing.
    pub(super) fn told(&mut self, node: NodeIndex, pieces: Pieces<'_>) -> String {
        let mut told = String::new();
        let mut tell = |what: fmt::Arguments<'_>| {
            let before = if told.is_empty() { TELLS } else { ", " };
            let _ = write!(told, "{before}{what}");
        };
        for rule in rules_left_out(&self.rules(node), pieces) {
            tell(format_args!("\"{rule}\""));
        }
        if let Some(said) = self.said(node).filter(|said| is_left_out(said, pieces)) {
            let cost = Estimate.count(said) + 2;
            if cost <= self.left {
                self.left -= cost;
                tell(format_args!("\"{said}\""));
            }
        }
        if self.left == 0 {
            return told; // no mark tells a name any more
        }
        let names = &self.drawn.names;
        let mut missing: Vec<u32> = Vec::new();
        for number in self.of(node).iter().copied() {
            let name = names.text(number);
            if self.stands[number as usize] || missing.contains(&number) {
                continue;
            }
            if is_left_out(name, pieces) {
                missing.push(number);
            } else if pieces.stands(name) {
                self.note(number);
            }
        }
        sort_by_key(&mut missing, |number| rank(names.kinds()[*number as usize], names.text(*number)));
        for number in missing {
            let cost = u64::from(names.cost(number)) + 1;
            if self.stands[number as usize] || cost > self.left {
                continue;
            }
            self.left -= cost;
            self.note(number);
            tell(format_args!("{}", names.text(number)));
        }
        told
    }

    /// A name stands, and so do those that stand inside it.
    fn note(&mut self, number: u32) {
        self.stands[number as usize] = true;
        for inner in self.drawn.names.within(number) {
            self.stands[*inner as usize] = true;
        }
    }

    /// The user's rules in a message, as far as they are surely rules.
    pub fn rules(&self, node: NodeIndex) -> Vec<&'a str> {
        let rules = self.drawn.notes(node.get()).map_or(&[][..], |notes| &notes.rules);
        rules.iter().filter(|rule| rule.strength != Strength::Mention).map(|rule| &*rule.text).collect()
    }

    /// The line of a command's output that says how the command ended.
    fn said(&self, node: NodeIndex) -> Option<&'a str> {
        self.drawn.notes(node.get())?.answer.as_ref()?.said()
    }

    fn of(&self, node: NodeIndex) -> &'a [u32] {
        let known = node.get() < self.drawn.len();
        if known { self.drawn.literals(node.get()) } else { &[] }
    }
}

fn is_left_out(what: &str, pieces: Pieces<'_>) -> bool {
    !pieces.stands(what) && pieces.left_out.contains(what)
}

/// Those of a message's rules that a text had, and that its head and its tail do not have whole.
fn rules_left_out(rules: &[&str], pieces: Pieces<'_>) -> Vec<String> {
    let mut left_out: Vec<String> = rules.iter().map(|rule| one_line(rule)).collect();
    if !left_out.is_empty() {
        let text = one_line(&[pieces.head, pieces.left_out, pieces.tail].concat());
        let (head, tail) = (one_line(pieces.head), one_line(pieces.tail));
        left_out.retain(|rule| text.contains(rule) && !head.contains(rule) && !tail.contains(rule));
    }
    left_out
}

/// What is likely to be needed comes first: what failed, full paths, addresses, then bare names and ids.
fn rank(kind: LiteralKind, name: &str) -> u8 {
    match kind {
        LiteralKind::ErrorCode => 0,
        LiteralKind::Path if name.contains('/') => 1,
        LiteralKind::Url => 2,
        LiteralKind::Path => 3,
        LiteralKind::Id => 4,
    }
}

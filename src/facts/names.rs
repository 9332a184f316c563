//! Numbers literal facts, so that each text is stored once however often it occurs in a conversation.

use super::{LiteralKind, TextSet};
use crate::hashing::hash;
use crate::sorting::sort_texts;
use crate::tokens::{Estimate, TokenCounter};

/// An empty slot of the table.
const FREE: u32 = u32::MAX;

/// Literal facts, numbered in the order of their first occurrence.
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// All texts, concatenated.
    text: String,
    /// The end of each text.
    ends: Vec<u32>,
    kinds: Vec<LiteralKind>,
    /// The estimated tokens of each.
    costs: Vec<u32>,
    /// A hash table of their numbers. Its size is a power of two, and at most three quarters are used.
    table: Vec<u32>,
    /// The numbers of the facts at the last call of [`Names::index`], sorted by text.
    order: Vec<u32>,
    /// The facts inside each fact, concatenated.
    inner: Vec<u32>,
    /// For each number, its part of `inner`, as start and end.
    within: Vec<(u32, u32)>,
}

impl Names {
    /// The number of facts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The text of the fact with this number.
    pub fn text(&self, number: u32) -> &str {
        let at = number as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.text[start..self.ends[at] as usize]
    }

    /// The kinds of the facts, by number.
    pub fn kinds(&self) -> &[LiteralKind] {
        &self.kinds
    }

    /// The estimated tokens of the fact with this number.
    pub fn cost(&self, number: u32) -> u32 {
        self.costs[number as usize]
    }

    /// The number of a fact, if it is known.
    pub fn find(&self, text: &str) -> Option<u32> {
        if self.table.is_empty() {
            return None;
        }
        let number = self.table[self.place(text)];
        (number != FREE).then_some(number)
    }

    /// The number of a fact, which is added if it is new.
    pub fn number(&mut self, text: &str, kind: LiteralKind) -> u32 {
        if self.table.len() * 3 <= self.len() * 4 {
            self.grow();
        }
        let place = self.place(text);
        if self.table[place] != FREE {
            return self.table[place];
        }
        let number = self.ends.len() as u32;
        self.text.push_str(text);
        self.ends.push(self.text.len() as u32);
        self.kinds.push(kind);
        self.costs.push(Estimate.count(text) as u32);
        self.table[place] = number;
        number
    }

    /// Sorts the facts and determines which contain which. Required before [`Names::sorted`] and [`Names::within`].
    pub fn index(&mut self) {
        if self.is_indexed() {
            return;
        }
        let mut new: Vec<u32> = (self.order.len() as u32..self.len() as u32).collect();
        sort_texts(&mut new, &|number| self.text(number));
        self.order = self.merged(&self.order, &new);
        let mut inner = Vec::new();
        let mut within = vec![(0, 0); self.len()];
        let needles = TextSet::of_sorted(self.order.iter().map(|n| (self.text(*n), *n as usize)).collect());
        needles.find_each_other(|outer, found| {
            let (start, end) = &mut within[outer];
            if *start == *end {
                *start = inner.len() as u32;
            }
            inner.push(found as u32);
            *end = inner.len() as u32;
        });
        (self.inner, self.within) = (inner, within);
    }

    /// Whether no facts were added since [`Names::index`].
    pub fn is_indexed(&self) -> bool {
        self.order.len() == self.len()
    }

    /// The facts' numbers, sorted by text. Requires [`Names::index`].
    pub fn sorted(&self) -> &[u32] {
        &self.order
    }

    /// The facts that a fact contains as whole words, once per occurrence. Requires [`Names::index`].
    pub fn within(&self, number: u32) -> &[u32] {
        let (start, end) = self.within[number as usize];
        &self.inner[start as usize..end as usize]
    }

    /// Merges two sorted lists of numbers.
    fn merged(&self, one: &[u32], other: &[u32]) -> Vec<u32> {
        let mut merged = Vec::with_capacity(one.len() + other.len());
        let mut one = one.iter().copied().peekable();
        for number in other {
            while let Some(before) = one.next_if(|n| self.text(*n) < self.text(*number)) {
                merged.push(before);
            }
            merged.push(*number);
        }
        merged.extend(one);
        merged
    }

    /// The slot of a fact in the table, or the free slot for it.
    fn place(&self, text: &str) -> usize {
        let mask = self.table.len() - 1;
        let mut at = hash(text.as_bytes()) as usize & mask;
        while self.table[at] != FREE && self.text(self.table[at]) != text {
            at = (at + 1) & mask;
        }
        at
    }

    fn grow(&mut self) {
        self.table = vec![FREE; (self.table.len() * 2).max(16)];
        let mask = self.table.len() - 1;
        for number in 0..self.len() as u32 {
            let mut at = hash(self.text(number).as_bytes()) as usize & mask;
            while self.table[at] != FREE {
                at = (at + 1) & mask;
            }
            self.table[at] = number;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_name_has_one_number(texts in prop::collection::vec("[a-c/家]{1,5}", 0..200)) {
            let mut names = Names::default();
            let numbers: Vec<u32> = texts.iter().map(|t| names.number(t, LiteralKind::Path)).collect();
            for (text, number) in texts.iter().zip(numbers) {
                prop_assert_eq!(names.text(number), text);
                prop_assert_eq!(names.find(text), Some(number));
            }
            let mut distinct = texts;
            distinct.sort();
            distinct.dedup();
            prop_assert_eq!(names.len(), distinct.len());
            prop_assert_eq!(names.find("never"), None);
        }

        #[test]
        fn names_are_sorted_in_any_insertion_order(
            first in prop::collection::vec("[ab/é]{1,20}", 0..60), then in prop::collection::vec("[ab/é]{1,20}", 0..60)
        ) {
            let mut names = Names::default();
            for texts in [&first, &then] {
                for text in texts {
                    names.number(text, LiteralKind::Path);
                }
                names.index();
                let sorted: Vec<&str> = names.sorted().iter().map(|n| names.text(*n)).collect();
                let expected: BTreeSet<&str> = first.iter().chain(&then).map(String::as_str).filter(|t| names.find(t).is_some()).collect();
                prop_assert_eq!(sorted, expected.into_iter().collect::<Vec<_>>());
                for outer in 0..names.len() as u32 {
                    let mut within = BTreeSet::from([outer]);
                    within.extend(names.within(outer));
                    let mut found = BTreeSet::new();
                    let all = (0..names.len() as u32).map(|n| names.text(n));
                    TextSet::new(all).find(names.text(outer), |inner| { found.insert(inner as u32); });
                    prop_assert_eq!(within, found);
                }
            }
        }
    }
}

use std::cmp::Reverse;

use super::carried::{Carried, Rule};
use super::choose::Choices;
use super::open::Open;
use super::said::Said;
use super::stays::Stays;
use crate::facts::{Strength, TextSet};
use crate::sorting::sort_by_key;

/// The facts that the rest of the view does not contain.
pub(super) struct Missing<'a> {
    pub carried: &'a Carried,
    /// Best first.
    pub rules: Vec<Ruled<'a>>,
    pub open: Vec<String>,
    pub asked: Vec<&'a str>,
    /// Best first, including those that the view contains; see `said_shown`.
    pub said: &'a [Said],
    pub said_sought: TextSet<'a>,
    pub said_shown: Vec<bool>,
    pub literals: Choices<'a>,
    /// Refs of outputs, in the outputs' order.
    pub refs: TextSet<'a>,
    /// Which refs the view already contains.
    pub shown_refs: Vec<bool>,
}

/// A constraint.
pub(super) struct Ruled<'a> {
    pub text: &'a str,
    /// When it was last said.
    pub last: u64,
    /// Said by the user directly, not in pasted text, whose lines have no room reserved.
    pub own: bool,
    /// It is a rule, and not just a sentence that contains a rule's words, or fenced text.
    pub is_rule: bool,
}

impl<'a> Missing<'a> {
    /// The facts of `carried`, with these literal facts, that `stays` does not contain.
    pub fn of(carried: &'a Carried, literals: Choices<'a>, stays: &Stays<'_>) -> Self {
        let mut rules: Vec<_> = carried.rules.iter().collect();
        sort_by_key(&mut rules, |(_, r)| (Reverse((r.explicit, r.strength)), r.first));
        let as_told = |(text, r): (&'a String, &Rule)| {
            let own = r.explicit || r.strength > Strength::Mention;
            let is_rule = r.strength > Strength::Mention || !r.explicit;
            Ruled { text, last: r.last, own, is_rule }
        };
        let rules = rules.into_iter().map(as_told).collect();
        let asked = carried.asked.iter().map(String::as_str).collect();
        let said_sought = TextSet::new(carried.said.iter().map(|said| said.text.as_str()));
        let refs = TextSet::new(carried.outputs.iter().map(|o| o.ref_id.as_str()));
        Self {
            carried,
            rules: absent(rules, |rules, found| {
                stays.find_ruled(&rules.iter().map(|rule| rule.text).collect::<Vec<_>>(), found);
            }),
            open: absent(carried.open.lines(), |open, found| {
                stays.find_said(&TextSet::new(open.iter().map(|line| Open::said(line))), found);
            }),
            asked: absent(asked, |asked, found| stays.find_ruled(asked, found)),
            said: &carried.said,
            said_shown: shown(carried.said.len(), |found| stays.find_nearby(&said_sought, found)),
            said_sought,
            literals,
            shown_refs: shown(carried.outputs.len(), |found| stays.find_written(&refs, found)),
            refs,
        }
    }
}

/// For each of `len` indices, whether it is found.
fn shown(len: usize, find: impl FnOnce(&mut dyn FnMut(usize))) -> Vec<bool> {
    let mut shown = vec![false; len];
    find(&mut |i| shown[i] = true);
    shown
}

/// The items of a list that are not found.
fn absent<T>(list: Vec<T>, find: impl FnOnce(&[T], &mut dyn FnMut(usize))) -> Vec<T> {
    let shown = shown(list.len(), |found| find(&list, found));
    list.into_iter().zip(shown).filter(|(_, shown)| !shown).map(|(one, _)| one).collect()
}

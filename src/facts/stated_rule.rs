//! Rules of the user, as notes and ledgers hold them.

use super::marks::quotes;
use super::{Constraint, constraints, unwrapped};

/// A longer sentence, in bytes, was pasted rather than written.
const LONGEST_RULE: usize = 600;
/// A message with more constraints is a paste, a specification or a log, whose lines are hardly the user's own.
const MAX_RULES: usize = 12;
/// A list may have more: a project's rules are a page at most.
const LONGEST_LIST: usize = 64;

/// A constraint, verbatim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatedRule {
    /// The sentence.
    pub text: String,
    /// The user said it, and not only a text that the user pasted.
    pub own: bool,
}

impl StatedRule {
    /// A rule that a record lists, or that a mark quotes.
    pub(super) fn recorded(text: String) -> Self {
        Self { text, own: true }
    }
}

/// The rules in texts that were said together.
pub(super) fn stated_rules(texts: &[&str]) -> Vec<StatedRule> {
    let all: Vec<Constraint<'_>> = texts.iter().flat_map(|text| constraints(text)).collect();
    let is_list = all.len() <= LONGEST_LIST && all.iter().all(|found| found.listed);
    let is_written = all.len() <= MAX_RULES || is_list;
    let rule = |found: Constraint<'_>| {
        let own = is_written && !found.fenced && found.text.len() <= LONGEST_RULE;
        StatedRule { text: unwrapped(found.text).into_owned(), own }
    };
    all.into_iter().map(rule).collect()
}

/// The rules that the marks of a text quote, because they stood in what an even cut left out. Marks also quote how commands ended.
pub(super) fn quoted_rules(text: &str) -> Vec<StatedRule> {
    quotes(text).filter(|quote| !constraints(quote).is_empty()).map(StatedRule::recorded).collect()
}

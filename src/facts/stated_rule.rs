//! Rules of the user, as notes and ledgers hold them.

use super::marks::quotes;
use super::{Constraint, Strength, constraints, unwrapped};

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
    /// How certain it is that the sentence is a constraint.
    pub strength: Strength,
    /// It contains one of the words that define a rule, and the message does not have too many constraints.
    pub explicit: bool,
}

/// The rules in texts that were said together.
pub(super) fn stated_rules(texts: &[&str]) -> Vec<StatedRule> {
    let all: Vec<Constraint<'_>> = texts.iter().flat_map(|text| constraints(text)).collect();
    let crowd = all.len() > MAX_RULES;
    let is_list = all.len() <= LONGEST_LIST && all.iter().all(|found| found.listed);
    let rule = |found: Constraint<'_>| {
        let pasted = crowd && !is_list || found.fenced || found.text.len() > LONGEST_RULE;
        // The rules of a long list come after those that were said by themselves, because the list may be pasted.
        let most = if crowd { Strength::Wish } else { Strength::Rule };
        let strength = if pasted { Strength::Mention } else { found.strength.min(most) };
        StatedRule { text: unwrapped(found.text).into_owned(), strength, explicit: found.explicit && !crowd }
    };
    all.into_iter().map(rule).collect()
}

/// A rule that a record lists, or that a mark quotes.
pub(super) fn recorded_rule(text: &str) -> StatedRule {
    let strength =
        constraints(text).first().map_or(Strength::Wish, |found| found.strength.max(Strength::Wish));
    StatedRule { text: text.to_owned(), strength, explicit: true }
}

/// The rules that the marks of a text quote, because they stood in what an even cut left out. Marks also quote how commands ended.
pub(super) fn quoted_rules(text: &str) -> Vec<StatedRule> {
    quotes(text).filter(|quote| !constraints(quote).is_empty()).map(|quote| recorded_rule(&quote)).collect()
}

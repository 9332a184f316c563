//! The user's rules in the record of an earlier compaction. In the session that made the record, they are carried along; but a caller may
//! pass the messages that `compactMessages` returned to the next call.

use std::borrow::Cow;

use super::notes::StatedRule;
use super::{Strength, constraints};
use crate::message::{ItemType, Message, Role};

/// The heading of the carry-over ledger at the end of a summary. The ledger is not only about the folded messages: it also lists what messages
/// behind them no longer show.
pub const LEDGER_HEADING: &str = "## Said and seen, word for word";

/// The same, and the earlier headings that saved summaries may have.
pub const LEDGER_HEADINGS: [&str; 3] = [
    LEDGER_HEADING,
    "## From these messages, word for word",
    "## Carried over from what was folded (data, word for word)",
];

/// The heading of the user's rules in a ledger.
pub const RULES_TITLE: &str = "Rules that hold";

/// The heading of the user's rules in the built-in summary.
const CONSTRAINTS_HEADING: &str = "## Constraints";

/// What stands between the size of what an even cut left out and the list of what was in it.
pub const MARK_LISTS: &str = " left out; in it: ";

/// The beginning and the end of a mark.
const MARK_BEGINS: &str = "[… ";
const MARK_ENDS: &str = " …]";

/// Whether rules in a ledger of this message are the user's. A model or a tool may write anything that looks like a ledger.
pub fn may_record_rules(message: &Message) -> bool {
    matches!(message.role, Role::User | Role::System) || message.item_type() == ItemType::CompactionSummary
}

/// The rules of a record: those that its ledger lists, those in the section of the built-in summary that has them where no ledger found room,
/// and those that its marks quote, because they stood in what an even cut left out.
pub(super) fn recorded_rules(text: &str) -> Vec<StatedRule> {
    let lines = text.lines().skip_while(|line| !LEDGER_HEADINGS.contains(&line.trim_end()));
    let is_title = |line: &str| line.strip_suffix(':') == Some(RULES_TITLE);
    let listed = lines.skip_while(|line| !is_title(line)).skip(1).map_while(|line| line.strip_prefix("- "));
    let section = text.lines().skip_while(|line| line.trim_end() != CONSTRAINTS_HEADING).skip(1);
    let section = section.map_while(|line| line.strip_prefix("- "));
    let marks = text.split(MARK_LISTS).skip(1);
    let quoted = marks.flat_map(|rest| quotes(rest.split(MARK_ENDS).next().unwrap_or(rest)));
    listed
        .chain(section.filter(|line| !constraints(line).is_empty()))
        .chain(quoted)
        .map(recorded_rule)
        .collect()
}

/// A text without the marks that list something: what they quote is not said there.
pub(super) fn without_marks(text: &str) -> Cow<'_, str> {
    let mut parts = text.split(MARK_LISTS);
    let Some(mut before) = parts.next().filter(|before| before.len() < text.len()) else {
        return Cow::Borrowed(text);
    };
    let mut left = String::with_capacity(text.len());
    for rest in parts {
        left.push_str(before.rsplit_once(MARK_BEGINS).map_or(before, |(said, _)| said));
        before = rest.split_once(MARK_ENDS).map_or("", |(_, said)| said);
    }
    left.push_str(before);
    Cow::Owned(left)
}

/// The texts in quotes at the beginning of a mark's list.
fn quotes(mut list: &str) -> Vec<&str> {
    let mut found = Vec::new();
    while let Some(quoted) = list.strip_prefix('"') {
        let (text, rest) = quoted.split_once("\", ").unwrap_or((quoted.trim_end_matches('"'), ""));
        found.push(text);
        list = rest;
    }
    found
}

fn recorded_rule(text: &str) -> StatedRule {
    let strength =
        constraints(text).first().map_or(Strength::Wish, |found| found.strength.max(Strength::Wish));
    StatedRule { text: text.to_owned(), strength, explicit: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_of_a_record_and_nothing_else() {
        let text = format!(
            "[Record of 3 earlier messages]\n\n## Constraints\n- Always ask first.\n- Blue\n\n{LEDGER_HEADING}\n{RULES_TITLE}:\n- Never push.\n- In English, please.\nTask:\n- Never mind.\n\n[End of the record]"
        );
        let texts: Vec<String> = recorded_rules(&text).into_iter().map(|rule| rule.text).collect();
        assert_eq!(texts, ["Never push.", "In English, please.", "Always ask first."]);
        assert!(recorded_rules(&format!("{RULES_TITLE}:\n- Never push.")).is_empty());
        assert!(recorded_rules(LEDGER_HEADING).is_empty());
        let cut = format!(
            "{LEDGER_HEADING}\n[… 42 tokens{MARK_LISTS}\"Never push.\", \"Ask first.\", src/a.rs …]\nTask:\n- \"Go\""
        );
        let texts: Vec<String> = recorded_rules(&cut).into_iter().map(|rule| rule.text).collect();
        assert_eq!(texts, ["Never push.", "Ask first."]);
        let said = format!("Go on.\n[… 42 tokens{MARK_LISTS}\"Never push.\" …]\nAnd so on.");
        assert_eq!(without_marks(&said), "Go on.\n\nAnd so on.");
        assert_eq!(without_marks("Go on."), "Go on.");
    }
}

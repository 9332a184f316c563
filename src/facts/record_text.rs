//! The text of a record: what a compaction puts in the place of messages. Where it begins and ends, where its ledger stands, and the user's
//! rules in it. In the session that made a record, the rules are carried along; but a caller may pass the messages that `compactMessages`
//! returned to the next call.

use super::notes::StatedRule;
use super::{Strength, constraints};
use crate::message::{ItemType, Message, Part, Role};

/// The start of the frame's first line, by which code that takes a summary apart recognises it.
pub const RECORD_BEGINS: &str = "[Record of ";

/// The end of the frame around a summary, unless the caller sets another.
pub const RECORD_ENDS: &str = "[End of the record]";

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

/// What stands before ids in a ledger.
pub const IDS_TITLE: &str = "Ids";

/// The heading of the user's rules in the built-in summary.
const CONSTRAINTS_HEADING: &str = "## Constraints";

/// What stands between the size of what an even cut left out and the list of what was in it.
pub const MARK_LISTS: &str = " left out; in it: ";

/// The beginning and the end of a mark.
const MARK_BEGINS: &str = "[… ";
const MARK_ENDS: &str = " …]";

/// Whether a pushed message is the record of a conversation that was compacted elsewhere: it is marked as a summary, or begins like a record.
pub fn is_record(message: &Message) -> bool {
    let begins =
        || message.parts.first().and_then(Part::as_text).is_some_and(|text| text.starts_with(RECORD_BEGINS));
    is_marked(message) || message.role != Role::Tool && begins()
}

/// Whether a pushed message is a record whose rules are the user's. The assistant may write anything that looks like a record.
pub fn records_rules(message: &Message) -> bool {
    is_record(message) && (message.role != Role::Assistant || is_marked(message))
}

fn is_marked(message: &Message) -> bool {
    message.item_type() == ItemType::CompactionSummary
}

/// Splits a summary into its own text and the ledger appended to it.
pub fn without_ledger(summary: &str) -> (&str, Option<&str>) {
    match LEDGER_HEADINGS.iter().filter_map(|heading| summary.find(heading)).min() {
        Some(at) => {
            let ledger = &summary[at..];
            let end = ledger.rfind(RECORD_ENDS).map_or(ledger, |end| &ledger[..end]);
            (summary[..at].trim_end(), Some(end.trim_end()))
        }
        None => (summary, None),
    }
}

/// The rules of a record: those that its ledger lists, and those in the section of the built-in summary that has them where no ledger found
/// room.
pub(super) fn recorded_rules(text: &str) -> Vec<StatedRule> {
    let lines = text.lines().skip_while(|line| !LEDGER_HEADINGS.contains(&line.trim_end()));
    let is_title = |line: &str| line.strip_suffix(':') == Some(RULES_TITLE);
    let listed = lines.skip_while(|line| !is_title(line)).skip(1).map_while(|line| line.strip_prefix("- "));
    let section = text.lines().skip_while(|line| line.trim_end() != CONSTRAINTS_HEADING).skip(1);
    let section = section.map_while(|line| line.strip_prefix("- "));
    listed.chain(section.filter(|line| !constraints(line).is_empty())).map(recorded_rule).collect()
}

/// The rules that marks quote, because they stood in what an even cut left out of this text.
pub(super) fn quoted_rules(text: &str) -> Vec<StatedRule> {
    let marks = text.split(MARK_LISTS).skip(1);
    let quoted = marks.flat_map(|rest| quotes(rest.split(MARK_ENDS).next().unwrap_or(rest)));
    quoted.map(recorded_rule).collect()
}

/// What a line quotes of the text that was left out there, if it is a mark.
pub(super) fn quoted_lines(line: &str) -> Option<Vec<&str>> {
    let mark = line.strip_prefix(MARK_BEGINS)?.strip_suffix(MARK_ENDS)?;
    Some(mark.split_once(MARK_LISTS).map_or_else(Vec::new, |(_, list)| quotes(list)))
}

/// The pieces of a text between the marks that stand where something was left out of it, with their byte offsets.
pub(super) fn between_marks(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut next = Some(0);
    std::iter::from_fn(move || {
        let at = next?;
        let rest = &text[at..];
        let mark = rest.find(MARK_BEGINS).and_then(|mark| Some((mark, mark + rest[mark..].find(MARK_ENDS)?)));
        next = mark.map(|(_, end)| at + end + MARK_ENDS.len());
        Some((at, mark.map_or(rest, |(mark, _)| &rest[..mark])))
    })
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
        let texts: Vec<String> = quoted_rules(&cut).into_iter().map(|rule| rule.text).collect();
        assert_eq!(texts, ["Never push.", "Ask first."]);
    }

    #[test]
    fn only_a_record_records_rules() {
        let record = format!("{RECORD_BEGINS}3 earlier messages]");
        let spec = "Build this.\n\n## Constraints\n- Fields must not be empty.";
        let said = |role, text: &str| records_rules(&Message::text(role, text));
        assert!(said(Role::User, &record) && said(Role::System, &record));
        assert!(!said(Role::Assistant, &record) && !said(Role::Tool, &record) && !said(Role::User, spec));
        let mut marked = Message::text(Role::Assistant, spec);
        marked.meta.item_type = Some(ItemType::CompactionSummary);
        assert!(records_rules(&marked));
    }
}

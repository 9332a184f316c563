//! The text of a record: what a compaction puts in the place of messages. Where it begins and ends, where its ledger stands, and the user's
//! rules in it. In the session that made a record, the rules are carried along; but a caller may pass the messages that `compactMessages`
//! returned to the next call.

use super::constraints;
use super::stated_rule::StatedRule;
use crate::message::{ItemType, Message, Part, Role};

/// The start of the frame's first line, by which code that takes a summary apart recognises it.
pub const RECORD_BEGINS: &str = "[Record of ";

/// The end of the frame around a summary, unless the caller sets another.
pub const RECORD_ENDS: &str = "[End of the record]";

/// What stands for it where somebody quotes it.
const QUOTED_END: &str = "(End of the record)";

/// A text that may stand in a record: what it quotes does not end the record.
pub fn inside_record(text: String) -> String {
    if text.contains(RECORD_ENDS) { text.replace(RECORD_ENDS, QUOTED_END) } else { text }
}

/// The heading of the carry-over ledger at the end of a summary. The ledger is not only about the folded messages: it also lists what messages
/// behind them no longer show.
pub const LEDGER_HEADING: &str = "## Said and seen, word for word";

/// The same, and the earlier headings that saved summaries may have.
pub const LEDGER_HEADINGS: [&str; 3] = [
    LEDGER_HEADING,
    "## From these messages, word for word",
    "## Carried over from what was folded (data, word for word)",
];

/// What stands before the newest request in a record, if no later one stays in the view, and before the one in whose turn the messages behind
/// the record begin.
pub const LATEST: &str = "Latest: ";
pub const ANSWERED_BELOW: &str = "Answered below: ";

/// The heading of what the user said.
pub const RULES_TITLE: &str = "The user's words, in order (done or not; later ones take precedence)";

/// What stands before ids in a ledger.
pub const IDS_TITLE: &str = "Ids";

/// The heading of the user's rules in the built-in summary.
pub const CONSTRAINTS_HEADING: &str = "## Constraints";

/// What follows the number of messages in the first line of a record.
pub const EARLIER_MESSAGES: &str = " earlier message";

/// What follows that in a record that tells nothing else of them.
pub const LEFT_OUT: &str = " left out here";

/// Whether a pushed message is the record of a conversation that was compacted elsewhere: it is marked as a summary, or begins like a record.
pub fn is_record(message: &Message) -> bool {
    is_marked(message) || message.role != Role::Tool && begins_like_record(message)
}

/// Whether a pushed message is a record whose rules are the user's. The assistant, a memory or a skill may hold anything that looks like a record.
pub fn records_rules(message: &Message) -> bool {
    let is_instructive = matches!(message.item_type(), ItemType::UserMessage | ItemType::SystemPrompt);
    is_marked(message) || is_instructive && begins_like_record(message)
}

/// How many messages a record tells of; 0 if it does not say so, or is none.
pub fn recorded_messages(message: &Message) -> usize {
    counted(message).filter(|_| is_record(message)).map_or(0, |messages| messages as usize)
}

/// What a message says behind its record: some formats join the record and the user's next words. All of it if it is no record.
pub(super) fn behind_record<'a>(message: &Message, text: &'a str) -> &'a str {
    if is_record(message) { text.split_once(RECORD_ENDS).map_or("", |(_, said)| said) } else { text }
}

fn is_marked(message: &Message) -> bool {
    message.item_type() == ItemType::CompactionSummary
}

fn begins_like_record(message: &Message) -> bool {
    counted(message).is_some()
}

/// The number in a record's first line. A record that tells nothing else is only that line.
fn counted(message: &Message) -> Option<u32> {
    let text = message.parts.first().and_then(Part::as_text)?;
    let is_alone = !text.starts_with(RECORD_BEGINS);
    let rest = text.strip_prefix(if is_alone { "[" } else { RECORD_BEGINS })?;
    let (number, rest) = rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count());
    let rest = rest.strip_prefix(EARLIER_MESSAGES)?;
    let is_only_line =
        || message.parts.len() == 1 && rest.contains(LEFT_OUT) && rest.find(']') == Some(rest.len() - 1);
    if is_alone && !is_only_line() { None } else { number.parse().ok() }
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

/// The rules of a record: those of the user's words that its ledger lists, and those in the section of the built-in summary that has them where no ledger found
/// room.
pub fn recorded_rules(text: &str) -> Vec<StatedRule> {
    let listed = listed_words(text);
    let section = entries(text.lines().skip_while(|line| line.trim_end() != CONSTRAINTS_HEADING).skip(1));
    let entries = listed.iter().chain(&section);
    entries
        .flat_map(|entry| constraints(entry))
        .map(|rule| StatedRule::recorded(rule.text.to_owned()))
        .collect()
}

/// A call that changed something in another service, as a record tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedCall {
    /// The entry without its count.
    pub line: String,
    /// How often it was made.
    pub times: u64,
}

/// What stands before the number of entries that a list of a record has no room for.
pub const MORE: &str = "… and ";

/// How many calls a record had no room for: the last line of their list says so.
pub fn calls_left_out(text: &str) -> u64 {
    let mut lines = text.lines().filter_map(|line| line.strip_prefix("- ")).peekable();
    let mut left_out = 0;
    while let Some(entry) = lines.next() {
        if is_call(entry)
            && let Some(next) = lines.peek()
        {
            let more = next.strip_prefix(MORE).and_then(|more| more.strip_suffix(" more"));
            left_out += more.and_then(|more| more.parse::<u32>().ok()).map_or(0, u64::from);
        }
    }
    left_out
}

/// The calls that a record tells.
pub fn recorded_calls(text: &str) -> Vec<RecordedCall> {
    let entries = text.lines().filter_map(|line| line.strip_prefix("- ")).filter(|entry| is_call(entry));
    entries
        .map(|entry| {
            let (line, times) = split_count(entry);
            RecordedCall { line: line.to_owned(), times }
        })
        .collect()
}

/// Splits `text (×3)` into text and 3.
pub fn split_count(text: &str) -> (&str, u64) {
    let counted = text.strip_suffix(')').and_then(|text| text.rsplit_once(" (×"));
    let counted = counted.and_then(|(text, count)| Some((text, count.parse::<u32>().ok()?)));
    counted.map_or((text, 1), |(text, count)| (text, count.into()))
}

/// Whether an entry of a record tells a call and its answer, and not a command.
pub fn is_call(entry: &str) -> bool {
    entry.starts_with('`') && entry.contains(")` → ")
}

/// What the user said, as a record tells it: its list, and what stands behind it in the same message.
pub fn recorded_words(text: &str) -> Vec<String> {
    let mut words = listed_words(text);
    let behind = text.split_once(RECORD_ENDS).filter(|_| text.starts_with(RECORD_BEGINS));
    let behind = behind.map_or("", |(_, behind)| behind.trim());
    words.extend(Some(behind.to_owned()).filter(|behind| !behind.is_empty()));
    words
}

fn listed_words(text: &str) -> Vec<String> {
    let lines = text.lines().skip_while(|line| !LEDGER_HEADINGS.contains(&line.trim_end()));
    let is_title = |line: &str| line.strip_suffix(':') == Some(RULES_TITLE);
    let entries = entries(lines.skip_while(|line| !is_title(line)).skip(1));
    entries.iter().map(|entry| without_label(entry).to_owned()).collect()
}

/// What the user said, in an entry of a record.
pub fn without_label(entry: &str) -> &str {
    [LATEST, ANSWERED_BELOW].iter().find_map(|label| entry.strip_prefix(label)).unwrap_or(entry)
}

/// The entries of a list, each with the lines that are indented below it.
fn entries<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut entries: Vec<String> = Vec::new();
    for line in lines {
        if let Some(entry) = line.strip_prefix("- ") {
            entries.push(entry.to_owned());
        } else if let Some((more, entry)) = line.strip_prefix("  ").zip(entries.last_mut()) {
            entry.extend(["\n  ", more]); // a rule in a list is written like this
        } else {
            break;
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_of_a_record_and_nothing_else() {
        let text = format!(
            "[Record of 3 earlier messages]\n\n## Constraints\n- Always ask first.\n- Blue\n\n{LEDGER_HEADING}\n{RULES_TITLE}:\n- Always check:\n  - the tests\n- Never push.\n- Answered below: In English, please.\nStill open:\n- Fix the bug. Never touch it, please.\n\n[End of the record]"
        );
        let texts: Vec<String> = recorded_rules(&text).into_iter().map(|rule| rule.text).collect();
        assert_eq!(
            texts,
            ["Always check:\n  - the tests", "Never push.", "In English, please.", "Always ask first.",]
        );
        assert!(recorded_rules(&format!("{RULES_TITLE}:\n- Never push.")).is_empty());
        assert!(recorded_rules(LEDGER_HEADING).is_empty());
    }

    #[test]
    fn a_record_is_known_by_its_first_line() {
        let of = |text: &str| recorded_messages(&Message::text(Role::User, text));
        assert_eq!(of("[Record of 12 earlier messages, written by the program]\n\nAll of it."), 12);
        assert_eq!(
            of("[1 earlier message left out here; the tool search_history finds what is missing here]"),
            1
        );
        for said in
            ["[Record of the meeting]", "[2 earlier messages left out here]\nFix it.", "[2 earlier messages]"]
        {
            assert!(!is_record(&Message::text(Role::User, said)), "{said}");
        }
        assert_eq!(recorded_messages(&Message::text(Role::Tool, "[Record of 12 earlier messages]")), 0);
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
        let mut memory = Message::text(Role::User, record);
        memory.meta.item_type = Some(ItemType::Memory);
        assert!(!records_rules(&memory));
    }
}

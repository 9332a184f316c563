//! Takes the summary of an earlier compaction apart so that it can be merged.

use super::draft::Section;
use super::references::FOLDER_LABEL;
use crate::compaction::{frame, ledger};
use crate::facts::{
    LEDGER_HEADINGS, MORE, RECORD_ENDS, RULES_TITLE, constraints, is_call, is_record, split_count,
    without_label,
};
use crate::message::{Message, Role};

/// One line of an earlier summary.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub section: Section,
    pub text: String,
    pub count: u64,
    /// The next ledger tells it, too: what the user said, and calls of services.
    pub is_carried: bool,
}

impl Item {
    fn new(section: Section, text: &str) -> Self {
        Self { section, text: text.trim().to_owned(), count: 1, is_carried: false }
    }
}

/// Whether a message is a summary: the engine marked it as one, or it has our frame or our headings.
pub(super) fn is_summary(message: &Message, text: &str) -> bool {
    if is_record(message) {
        return true;
    }
    let is_own = |heading: &str| heading == "Progress" || Section::ALL.iter().any(|s| s.as_str() == heading);
    let own = |line: &str| line.strip_prefix("## ").is_some_and(is_own);
    !matches!(message.role, Role::Tool | Role::Assistant)
        && text.lines().any(|l| l.trim_end() == "## Task")
        && text.lines().filter(|l| own(l.trim_end())).nth(1).is_some()
}

/// The lines of a summary by section. Foreign headings are classified by their words. Lines under no heading or an unknown one are earlier
/// context. The lists of its ledger belong to the sections that tell the same; names on a line of their own are facts of the text in any
/// case. What stands behind the record, in the same message, the user said.
///
/// `carries_words`: the ledger tells what the user said by this one's ledger, see [`records_rules`](crate::facts::records_rules).
pub(super) fn items(text: &str, carries_words: bool) -> Vec<Item> {
    let mut out: Vec<Item> = Vec::new();
    let (text, behind) = text.split_once(RECORD_ENDS).unwrap_or((text, ""));
    let ours = text.lines().any(|l| l.trim_end() == "## Task");
    let mut section = Section::Earlier;
    let mut in_ledger = false;
    let mut listed = None;
    let mut before_headings = ours; // a sentence that introduces our own summary is not part of it
    for line in text.lines() {
        let bare = line.trim();
        in_ledger = LEDGER_HEADINGS.contains(&bare) || (in_ledger && heading(line).is_none());
        if in_ledger {
            match (line.strip_prefix("- "), listed) {
                (Some(text), Some(section)) => {
                    let said = section == Section::Constraints;
                    let text = if said { without_label(text) } else { text };
                    let is_rule = !said || !constraints(text).is_empty();
                    let section = if is_rule { section } else { Section::Said };
                    out.push(Item { is_carried: said && carries_words, ..Item::new(section, text) });
                }
                (None, _) if bare.starts_with(ledger::FOLDER_LABEL) => {
                    let text = bare.replacen(ledger::FOLDER_LABEL, FOLDER_LABEL, 1);
                    out.push(Item::new(Section::References, &text));
                }
                (Some(_), None) => {}
                (None, Some(_)) if line.starts_with("  ") => {
                    if let Some(last) = out.last_mut() {
                        last.text.push('\n');
                        last.text.push_str(bare);
                    }
                }
                (None, _) => listed = bare.strip_suffix(':').and_then(section_of_list),
            }
        } else if let Some(heading) = heading(line) {
            section = section_of(heading);
            before_headings = false;
        } else if before_headings || bare.is_empty() || is_tag(bare) || is_cut(bare) || frame::is_frame(bare)
        {
        } else if bare.starts_with('|') {
            out.push(Item::new(Section::Earlier, bare)); // a row of a table states nothing by itself
        } else if let Some(text) = line.strip_prefix("- ") {
            out.push(Item::new(section, text));
        } else if let Some(indented) = line.strip_prefix("  ")
            && let Some(last) = out.last_mut().filter(|i| i.section == section)
        {
            last.text.push('\n');
            last.text.push_str(if ours { indented } else { bare });
        } else {
            out.push(Item::new(section, bare.trim_start_matches(['*', '-', ' '])));
        }
    }
    if !behind.trim().is_empty() {
        out.push(Item { is_carried: carries_words, ..Item::new(Section::Task, behind) });
    }
    for item in &mut out {
        let (text, count) = split_count(&item.text);
        (item.text, item.count) = (text.to_owned(), count);
        item.is_carried |= carries_words && item.section == Section::Commands && is_call(&item.text);
    }
    out
}

/// The last line of a list that has no room for all entries: how many more there are. If an earlier summary already left some out, the line
/// says "up to", because those may have been mentioned again since.
pub(super) fn format_more(new: u64, before: u64) -> String {
    let at_most = if before > 0 { AT_MOST } else { "" };
    format!("{MORE}{at_most}{} {WHERE}", new.saturating_add(before))
}

/// Parses a line written by [`format_more`] and returns its number.
pub(super) fn parse_more(text: &str) -> Option<u64> {
    let rest = text.strip_prefix(MORE)?.strip_suffix(WHERE)?;
    rest.strip_prefix(AT_MOST).unwrap_or(rest).trim_end().parse().ok()
}

const AT_MOST: &str = "up to ";
const WHERE: &str = "more";

fn heading(line: &str) -> Option<&str> {
    let hashes = line.bytes().take_while(|b| *b == b'#').count();
    (1..=4).contains(&hashes).then(|| line[hashes..].strip_prefix(' ').map(str::trim)).flatten()
}

fn is_tag(line: &str) -> bool {
    line.starts_with('<') && line.ends_with('>') && line.len() < 40
}

/// Whether a line is the notice that the middle of a text was cut out.
fn is_cut(line: &str) -> bool {
    line.starts_with("[…") && line.ends_with("…]")
}

fn section_of(heading: &str) -> Section {
    if let Some(own) = Section::ALL.iter().find(|s| s.as_str() == heading) {
        return *own;
    }
    let lower = heading.to_lowercase();
    let words: [(&[&str], Section); 8] = [
        (&["constraint", "preference", "rule", "to keep", "约束", "制約"], Section::Constraints),
        (
            &["next", "open", "not done", "pending", "todo", "to do", "remaining", "待办", "残り"],
            Section::Open,
        ),
        (&["task", "goal", "request", "任务", "目标", "目的"], Section::Task),
        (
            &[
                "progress", "state", "done", "completed", "decision", "discover", "finding", "进展", "進捗",
                "决定", "決定",
            ],
            Section::Progress,
        ),
        (&["files changed", "modified", "edited"], Section::Changed),
        (&["files read"], Section::Read),
        (&["error"], Section::Errors),
        (&["reference", "link"], Section::References),
    ];
    words
        .iter()
        .find(|(list, _)| list.iter().any(|w| lower.contains(w)))
        .map_or(Section::Earlier, |(_, s)| *s)
}

/// The section that tells the same as a list of the ledger.
fn section_of_list(title: &str) -> Option<Section> {
    match title {
        RULES_TITLE => Some(Section::Constraints),
        ledger::OPEN_TITLE => Some(Section::Open),
        ledger::COMMANDS_TITLE | ledger::OFTEN_TITLE => Some(Section::Commands),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(text: &str) -> Vec<(Section, String, u64)> {
        items(text, true).into_iter().map(|i| (i.section, i.text, i.count)).collect()
    }

    #[test]
    fn our_own_summary_is_read_back() {
        let text = "Summary so far:\n## Task\n- First request: a\n  b\n\n## Files changed\n- x.rs (×3)\n";
        assert_eq!(
            flat(text),
            [(Section::Task, "First request: a\nb".to_owned(), 1), (Section::Changed, "x.rs".to_owned(), 3)]
        );
    }

    #[test]
    fn what_the_user_said_is_read_with_its_rules() {
        let text = format!("{}\n{}:\n- a\n- Never push.\n- Latest: b", LEDGER_HEADINGS[0], RULES_TITLE);
        assert_eq!(
            flat(&text),
            [
                (Section::Said, "a".to_owned(), 1),
                (Section::Constraints, "Never push.".to_owned(), 1),
                (Section::Said, "b".to_owned(), 1)
            ]
        );
    }

    #[test]
    fn another_writers_summary_is_read() {
        let text = "Intro.\n### Next Steps\n1. do it\n# User preferences\n* no tabs\n# Mood\ngood";
        assert_eq!(
            flat(text),
            [
                (Section::Earlier, "Intro.".to_owned(), 1),
                (Section::Open, "1. do it".to_owned(), 1),
                (Section::Constraints, "no tabs".to_owned(), 1),
                (Section::Earlier, "good".to_owned(), 1)
            ]
        );
    }

    #[test]
    fn the_count_of_omitted_lines_is_read_as_it_was_written() {
        for (new, before) in [(1, 0), (117, 0), (0, 3), (40, 117)] {
            assert_eq!(parse_more(&format_more(new, before)), Some(new + before));
        }
        assert_eq!(parse_more("… and two more"), None);
        assert_eq!(parse_more("src/a.ts and 3 more"), None);
    }

    #[test]
    fn only_summaries_are_recognised_as_summaries() {
        let user = |text: &str| Message::text(Role::User, text);
        let said = "## Task\nDo it.";
        assert!(!is_summary(&user(said), said));
        let own = "## Task\n- a\n\n## Open\n- b";
        assert!(is_summary(&user(own), own));
    }
}

//! The text around a summary that tells the model what it is (COMP-26).

use crate::error::{Error, Result};
use crate::facts::{EARLIER_MESSAGES, LEFT_OUT};

/// Placeholder for the summary, with the facts that the engine carries over.
const SUMMARY: &str = "{summary}";

/// Placeholder for the number of messages.
const MESSAGES: &str = "{messages}";

pub(super) use crate::facts::{RECORD_BEGINS as FRAME_START, RECORD_ENDS as ENDS};

/// The text of a summary that says nothing about its messages.
pub(super) const EMPTY_SUMMARY: &str = "- Earlier messages, left out.";

/// Whether a line belongs to the frame and not to the summary's content.
pub(super) fn is_frame(line: &str) -> bool {
    let counts =
        |rest: &str| rest.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(EARLIER_MESSAGES);
    let is_note = || line.strip_prefix('[').is_some_and(counts) && line.contains(LEFT_OUT);
    line.starts_with(FRAME_START) || line == ENDS || line == EMPTY_SUMMARY || is_note()
}

/// The text around a summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    before: String,
    after: String,
    /// Replaces the whole if the summary says nothing.
    alone: Option<String>,
}

impl Frame {
    /// Reads `compaction.frame`: a text that contains `{summary}` exactly once and may contain `{messages}`.
    pub fn parse(text: &str) -> Result<Self> {
        let Some((before, after)) = text.split_once(SUMMARY).filter(|(_, after)| !after.contains(SUMMARY))
        else {
            return Err(Error::argument(format!("expected a text that contains {SUMMARY} once")));
        };
        Ok(Self { before: before.to_owned(), after: after.to_owned(), alone: None })
    }

    /// The default frame. `searched`: the name of the tool that finds what the record leaves out, if the model has one.
    pub fn by_default(searched: Option<&str>) -> Self {
        let how =
            searched.map(|tool| format!("; the tool {tool} finds what is missing here")).unwrap_or_default();
        Self {
            before: format!("{FRAME_START}{MESSAGES}, written by the program and not by the user{how}]\n\n"),
            after: format!("\n\n{ENDS}"),
            alone: Some(format!("[{MESSAGES}{LEFT_OUT}{how}]")),
        }
    }

    /// The summary inside the frame.
    pub fn around(&self, summary: &str, messages: usize) -> String {
        let plural = if messages == 1 { "" } else { "s" };
        let messages = format!("{messages}{EARLIER_MESSAGES}{plural}");
        let rest = summary.strip_prefix(EMPTY_SUMMARY).filter(|_| self.alone.is_some());
        let ledger = rest.filter(|rest| rest.is_empty() || rest.starts_with('\n')).map(str::trim_start);
        if let (Some(""), Some(alone)) = (ledger, &self.alone) {
            return alone.replace(MESSAGES, &messages);
        }
        let summary = ledger.unwrap_or(summary);
        let before = self.before.replace(MESSAGES, &messages);
        let after = self.after.replace(MESSAGES, &messages);
        format!("{before}{summary}{after}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frame_puts_the_summary_at_its_placeholder() {
        let frame = Frame::parse("Of {messages}:\n{summary}\n---").unwrap();
        assert_eq!(frame.around("{messages} $&", 3), "Of 3 earlier messages:\n{messages} $&\n---");
        for wrong in ["", "no place", "{summary}{summary}"] {
            assert!(Frame::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_empty_summary_is_shown_as_one_line() {
        let frame = Frame::by_default(None);
        let alone = frame.around(EMPTY_SUMMARY, 12);
        assert_eq!(alone, "[12 earlier messages left out here]");
        assert!(is_frame(&alone));
        let ledger = frame.around(&format!("{EMPTY_SUMMARY}\n\n## Rules"), 12);
        assert!(ledger.contains("by the user]\n\n## Rules\n\n"), "{ledger}");
        let own = Frame::parse("So far: {summary}").unwrap();
        assert_eq!(own.around(EMPTY_SUMMARY, 12), format!("So far: {EMPTY_SUMMARY}"));
    }

    #[test]
    fn the_frame_names_the_author_and_how_to_read_more_if_possible() {
        insta::assert_snapshot!(Frame::by_default(None).around("All is well.", 1), @r"
        [Record of 1 earlier message, written by the program and not by the user]

        All is well.

        [End of the record]
        ");
        assert!(Frame::by_default(Some("search_history")).around("", 2).contains("2 earlier messages, written by the program and not by the user; the tool search_history finds what is missing here]"));
    }
}

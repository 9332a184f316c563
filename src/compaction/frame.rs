//! The text around a summary that tells the model what it is (COMP-26).

use crate::context::{Context, NodeIndex};
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

/// Placeholder for what is said of the messages that came after the user message behind the record.
const FOLLOWED: &str = "{followed}";

/// The text around a summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    before: String,
    after: String,
    /// Replaces the whole if the summary says nothing.
    alone: Option<String>,
}

/// The messages that a record stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recorded {
    /// How many there are.
    pub messages: usize,
    /// How many of them came after the user message that stands directly behind the record: a record comes first in the view, also if the
    /// request that was worked on stays.
    pub followed: usize,
}

impl Recorded {
    /// Those of a summary of `members`, including those under earlier summaries.
    pub fn of(context: &Context, members: &[NodeIndex]) -> Self {
        let [messages, followed] = context.messages_under(members);
        Self { messages, followed }
    }

    fn messages(self) -> String {
        let plural = if self.messages == 1 { "" } else { "s" };
        format!("{}{EARLIER_MESSAGES}{plural}", self.messages)
    }

    fn followed(self) -> String {
        const BELOW: &str = "followed the user message below";
        match self.followed {
            0 => String::new(),
            all if all >= self.messages => format!(", which {BELOW}"),
            some => format!(", of which the last {some} {BELOW}"),
        }
    }
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
            before: format!(
                "{FRAME_START}{MESSAGES}{FOLLOWED}, written by the program and not by the user{how}]\n\n"
            ),
            after: format!("\n\n{ENDS}"),
            alone: Some(format!("[{MESSAGES}{LEFT_OUT}{FOLLOWED}{how}]")),
        }
    }

    /// The summary inside the frame.
    pub fn around(&self, summary: &str, recorded: Recorded) -> String {
        let fill = |text: &str| {
            let text = text.replace(MESSAGES, &recorded.messages());
            if self.alone.is_some() { text.replace(FOLLOWED, &recorded.followed()) } else { text }
        };
        let rest = summary.strip_prefix(EMPTY_SUMMARY).filter(|_| self.alone.is_some());
        let ledger = rest.filter(|rest| rest.is_empty() || rest.starts_with('\n')).map(str::trim_start);
        if let (Some(""), Some(alone)) = (ledger, &self.alone) {
            return fill(alone);
        }
        let summary = ledger.unwrap_or(summary);
        format!("{}{summary}{}", fill(&self.before), fill(&self.after))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn earlier(messages: usize) -> Recorded {
        Recorded { messages, followed: 0 }
    }

    #[test]
    fn the_frame_puts_the_summary_at_its_placeholder() {
        let frame = Frame::parse("Of {messages}:\n{summary}\n---").unwrap();
        assert_eq!(frame.around("{messages} $&", earlier(3)), "Of 3 earlier messages:\n{messages} $&\n---");
        for wrong in ["", "no place", "{summary}{summary}"] {
            assert!(Frame::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_empty_summary_is_shown_as_one_line() {
        let frame = Frame::by_default(None);
        let alone = frame.around(EMPTY_SUMMARY, earlier(12));
        assert_eq!(alone, "[12 earlier messages left out here]");
        assert!(is_frame(&alone));
        let ledger = frame.around(&format!("{EMPTY_SUMMARY}\n\n## Rules"), earlier(12));
        assert!(ledger.contains("by the user]\n\n## Rules\n\n"), "{ledger}");
        let own = Frame::parse("So far: {summary}").unwrap();
        assert_eq!(own.around(EMPTY_SUMMARY, earlier(12)), format!("So far: {EMPTY_SUMMARY}"));
    }

    #[test]
    fn the_frame_names_the_author_and_how_to_read_more_if_possible() {
        insta::assert_snapshot!(Frame::by_default(None).around("All is well.", earlier(1)), @r"
        [Record of 1 earlier message, written by the program and not by the user]

        All is well.

        [End of the record]
        ");
        assert!(Frame::by_default(Some("search_history")).around("", earlier(2)).contains("2 earlier messages, written by the program and not by the user; the tool search_history finds what is missing here]"));
    }

    #[test]
    fn the_frame_says_which_messages_came_after_the_request_behind_it() {
        let first_line = |messages, followed| {
            let text = Frame::by_default(None).around("Work.", Recorded { messages, followed });
            text.lines().next().unwrap_or_default().to_owned()
        };
        assert_eq!(
            first_line(12, 12),
            "[Record of 12 earlier messages, which followed the user message below, written by the program and not by the user]"
        );
        assert_eq!(
            first_line(479, 12),
            "[Record of 479 earlier messages, of which the last 12 followed the user message below, written by the program and not by the user]"
        );
        let alone = Frame::by_default(None).around(EMPTY_SUMMARY, Recorded { messages: 2, followed: 2 });
        assert_eq!(alone, "[2 earlier messages left out here, which followed the user message below]");
        assert!(is_frame(&alone));
        let own = Frame::parse("{messages}{followed}: {summary}").unwrap();
        assert_eq!(own.around("x", Recorded { messages: 2, followed: 1 }), "2 earlier messages{followed}: x");
    }
}

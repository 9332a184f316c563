//! Where the carry-over ledger stands in the text of a summary.

pub use crate::facts::{LEDGER_HEADING, LEDGER_HEADINGS};
use crate::message::{ItemType, Message, Part, Role};

/// The start of the frame's first line, by which code that takes a summary apart recognises it.
pub const RECORD_BEGINS: &str = "[Record of ";

/// The end of the frame around a summary, unless the caller sets another.
pub const RECORD_ENDS: &str = "[End of the record]";

/// Whether a message is the record of a conversation that was compacted elsewhere: it is marked as a summary, or begins like a record.
pub fn is_record(message: &Message) -> bool {
    let begins =
        || message.parts.first().and_then(Part::as_text).is_some_and(|text| text.starts_with(RECORD_BEGINS));
    message.item_type() == ItemType::CompactionSummary || message.role != Role::Tool && begins()
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

//! Where the carry-over ledger stands in the text of a summary.

pub use crate::facts::{LEDGER_HEADING, LEDGER_HEADINGS};

/// The end of the frame around a summary, unless the caller sets another.
pub const RECORD_ENDS: &str = "[End of the record]";

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

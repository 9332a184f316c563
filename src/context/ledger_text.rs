//! Where the carry-over ledger stands in the text of a summary.

/// The heading of the carry-over ledger at the end of a summary. The ledger is not only about the folded messages: it also lists what messages
/// behind them no longer show.
pub const LEDGER_HEADING: &str = "## Said and seen, word for word";

/// The same, and the earlier headings that saved summaries may have.
pub const LEDGER_HEADINGS: [&str; 3] = [
    LEDGER_HEADING,
    "## From these messages, word for word",
    "## Carried over from what was folded (data, word for word)",
];

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

//! JSON lines: one JSON value per line.

use super::members::failed;
use super::scan::{Document, Kind};
use super::write::{self, Level, MAX_FAILED, omitted};

/// The values of the lines, if there are at least two and each is an object or a list. Blank lines are ignored.
pub(super) fn parse(text: &str) -> Option<Vec<Document<'_>>> {
    let written = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let documents: Option<Vec<_>> = written
        .map(|line| Document::parse(line).filter(|d| matches!(d.kind(0), Kind::Object | Kind::Array)))
        .collect();
    documents.filter(|d| d.len() > 1)
}

/// All lines, shortened if possible; `None` if no line can be shortened.
pub(super) fn each(documents: &[Document<'_>], level: &Level) -> Option<String> {
    let mut any = false;
    let lines: Vec<String> = documents
        .iter()
        .map(|document| {
            let shorter = shorter_line(document, level);
            any |= shorter.is_some();
            shorter.unwrap_or_else(|| document.raw(0).to_owned())
        })
        .collect();
    any.then(|| lines.join("\n"))
}

/// The first two lines, the last two, and lines between them that report a failure; separate lines say how many are
/// left out. `None` if there are at most four.
pub(super) fn ends(documents: &[Document<'_>], level: &Level) -> Option<String> {
    let mut rows: Vec<String> = Vec::new();
    let is_failed = |at: usize| failed(&documents[at], 0);
    for span in write::kept_spans(documents.len(), MAX_FAILED, is_failed)? {
        rows.push(match span {
            write::Span::Kept(at) => {
                shorter_line(&documents[at], level).unwrap_or_else(|| documents[at].raw(0).to_owned())
            }
            write::Span::Omitted { count, failed } => {
                format!("{{\"omitted\":{},\"compressed\":true}}", omitted(count, failed))
            }
        });
    }
    Some(rows.join("\n"))
}

fn shorter_line(document: &Document<'_>, level: &Level) -> Option<String> {
    write::document(document, level).filter(|line| line.len() < document.raw(0).len())
}

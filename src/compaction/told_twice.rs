//! A request that both the summary and its ledger tell is told once: whole, and in its place in the summary.

use crate::facts::shorten;

const TASK: &str = "## Task\n";
const LEDGER_TASK: &str = "Task:";
const LATEST: &str = "Latest: ";

/// Replaces requests that the summary tells shortened by the ledger's longer lines, which the ledger then loses. Returns the summary and the
/// ledger.
pub(super) fn tell_requests_once(summary: &str, ledger: &str) -> (String, String) {
    let (mut summary, mut ledger) = (summary.to_owned(), ledger.to_owned());
    for line in requests(&ledger) {
        let words = line.strip_prefix("- ").unwrap_or(&line);
        let words = words.strip_prefix(LATEST).unwrap_or(words);
        let Some((entry, label)) = shortened_entry(&summary, words) else { continue };
        summary = summary.replacen(&entry, &format!("{label}{words}"), 1);
        ledger = without_line(&ledger, &line);
        if requests(&ledger).is_empty() {
            ledger = without_line(&ledger, LEDGER_TASK);
        }
    }
    if !ledger.contains('\n') {
        ledger.clear(); // only the heading is left
    }
    (summary, ledger)
}

/// The text without the first line that is the same as `line`.
fn without_line(text: &str, line: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    if let Some(at) = lines.iter().position(|one| *one == line) {
        lines.remove(at);
    }
    lines.join("\n")
}

/// The lines of the ledger's requests.
fn requests(ledger: &str) -> Vec<String> {
    let behind = ledger.split_once(&format!("\n{LEDGER_TASK}\n")).map_or("", |(_, behind)| behind);
    behind.lines().take_while(|line| line.starts_with("- ")).map(str::to_owned).collect()
}

/// The entry of the summary's task that shortens these words, and its label.
fn shortened_entry(summary: &str, words: &str) -> Option<(String, String)> {
    let section = &summary[summary.find(TASK)? + TASK.len()..];
    let section = section.split("\n#").next()?.trim_end();
    section.strip_prefix("- ")?.split("\n- ").find_map(|entry| {
        let (label, request) = entry.split_once(": ")?;
        let (head, tail) = shorten::parts(&shorten::whole_line(request))?;
        let is_shorter =
            words.starts_with(&head) && words[head.len()..].contains(&tail) && request.len() < words.len();
        is_shorter.then(|| (entry.to_owned(), format!("{label}: ")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUMMARY: &str = "## Task\n- First request: Move the […]\n  the tests.\n- Last request in this record: Go on with it.\n\n## Open\n- x";

    #[test]
    fn a_shortened_request_is_told_whole_and_once() {
        let ledger = "## Heading\nRules that hold:\n- No mocks.\nTask:\n- Move the parser into a crate with the tests.\nIds: #1";
        let (summary, ledger) = tell_requests_once(SUMMARY, ledger);
        assert_eq!(
            summary,
            "## Task\n- First request: Move the parser into a crate with the tests.\n- Last request in this record: Go on with it.\n\n## Open\n- x"
        );
        assert_eq!(ledger, "## Heading\nRules that hold:\n- No mocks.\nIds: #1");
        let only = "## Heading\nTask:\n- Move the parser into a crate with the tests.";
        assert_eq!(tell_requests_once(SUMMARY, only).1, "");
    }

    #[test]
    fn other_requests_stay_in_the_ledger() {
        let ledger = "## Heading\nTask:\n- Move the parser elsewhere.\n- Latest: Go on.";
        assert_eq!(tell_requests_once(SUMMARY, ledger), (SUMMARY.to_owned(), ledger.to_owned()));
        let both = "## Heading\nTask:\n- Move the parser, then the tests.\n- Latest: Then rest.";
        assert_eq!(tell_requests_once(SUMMARY, both).1, "## Heading\nTask:\n- Latest: Then rest.");
    }
}

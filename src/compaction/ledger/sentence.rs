//! Finds a rule in a text as a sentence of its own: "Never push on Fridays" does not contain the rule "Never push".

use crate::facts::words::words;

/// Characters that end a sentence.
const ENDS: [char; 8] = ['.', '!', '?', ';', '。', '\u{FF01}', '\u{FF1F}', '\u{FF1B}'];

/// Characters that may precede a sentence in a list or after a label.
const OPENS: [char; 6] = [':', '\u{FF1A}', '-', '*', '•', '\n'];

/// First words of sentences that refer to the sentence before.
const POINTING: [&str; 14] = [
    "that", "this", "it", "these", "those", "they", "them", "also", "except", "das", "dies", "es", "cela",
    "eso",
];

/// Whether `text` contains `sentence` as a sentence of its own, including in a list or on a line of its own.
pub(super) fn contains_sentence(text: &str, sentence: &str) -> bool {
    places(text, sentence).next().is_some()
}

/// Like `contains_sentence`, but only among other sentences: a line after a colon may be a quote, and a line followed by another may continue there.
/// Listing a rule once more costs only a few tokens.
pub(super) fn contains_separate_sentence(text: &str, sentence: &str) -> bool {
    places(text, sentence).any(|at| {
        let behind = &text[at + sentence.len()..];
        let before = text[..at].trim_end().chars().next_back();
        let begins = before.is_none_or(|c| ENDS.contains(&c) || c == ']');
        let goes_on = behind.trim_start_matches([' ', '\t']).starts_with('\n') && !sentence.ends_with(ENDS);
        begins
            && (!goes_on
                || behind.trim_start_matches([' ', '\t']).starts_with("\n\n")
                || behind.trim().is_empty())
    })
}

/// The list under a summary's heading for constraints, if that section contains nothing else.
pub(super) fn constraints(summary: &str) -> Option<&str> {
    const HEADING: &str = "## Constraints\n";
    let at = summary.find(HEADING).filter(|at| *at == 0 || summary[..*at].ends_with('\n'))?;
    let section = &summary[at + HEADING.len()..];
    let section = &section[..section.find("\n#").unwrap_or(section.len())];
    let is_list =
        section.lines().all(|line| line.is_empty() || line.starts_with("- ") || line.starts_with("  "));
    is_list.then_some(section)
}

/// `text` without `sentence` and its list mark, if it occurs as a sentence of its own and no sentence after it refers to it.
pub(super) fn without(text: &str, sentence: &str) -> Option<String> {
    let mut out = String::new();
    let mut from = 0;
    for at in places(text, sentence) {
        let end = at + sentence.len();
        let end =
            end + text.get(end..)?.chars().next().filter(|c| ENDS.contains(c)).map_or(0, char::len_utf8);
        let next = words(text.get(end..)?).next();
        if at < from || next.is_some_and(|word| POINTING.contains(&word.to_lowercase().as_str())) {
            continue;
        }
        let before = text.get(from..at)?.trim_end_matches(' ');
        let unmarked = without_mark(before);
        out.push_str(unmarked.unwrap_or(before).trim_end_matches(' '));
        // The last entry of a list is gone.
        if unmarked.is_some() && !begins_with_mark(text.get(end..)?) {
            out.truncate(without_lead_in(&out).len());
        }
        from = end;
    }
    out.push_str(text.get(from..)?);
    (from > 0).then_some(out)
}

/// A text without what leads on to nothing at its end: "Keep to these rules:".
fn without_lead_in(text: &str) -> &str {
    let Some(before) = text.trim_end().strip_suffix([':', '\u{FF1A}']) else { return text };
    let end = before.char_indices().rfind(|(_, c)| ENDS.contains(c) || *c == '\n');
    &before[..end.map_or(0, |(at, c)| at + c.len_utf8())]
}

/// A text without the mark of a list's entry that it ends with: "Rules: 1.". A number behind a word is none: "Do step 2.".
fn without_mark(before: &str) -> Option<&str> {
    if let Some(rest) = before.strip_suffix(['-', '*', '•']) {
        return Some(rest).filter(|rest| rest.is_empty() || rest.ends_with([' ', '\n']));
    }
    let rest = before.strip_suffix(['.', ')'])?;
    let unnumbered = rest.trim_end_matches(|c: char| c.is_ascii_digit());
    let ends = unnumbered.trim_end_matches([' ', '\t']).chars().next_back();
    let begins = ends.is_none_or(|c| ENDS.contains(&c) || OPENS.contains(&c));
    (begins && (1..=2).contains(&(rest.len() - unnumbered.len()))).then_some(unnumbered)
}

/// Whether a text begins with the mark of a list's next entry.
fn begins_with_mark(behind: &str) -> bool {
    let behind = behind.trim_start();
    let mark = behind.split(' ').next().unwrap_or_default();
    let number = mark.strip_suffix(['.', ')']).unwrap_or_default();
    ["-", "*", "•"].contains(&mark)
        || (1..=2).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit())
}

fn places<'a>(text: &'a str, sentence: &'a str) -> impl Iterator<Item = usize> {
    text.match_indices(sentence).map(|(at, _)| at).filter(move |at| {
        let head = text[..*at].trim_end_matches([' ', '\t']);
        let before = head.chars().next_back();
        let is_entry = before == Some(')') && without_mark(head).is_some();
        let begins = is_entry || before.is_none_or(|c| ENDS.contains(&c) || OPENS.contains(&c) || c == ']');
        let behind = &text[at + sentence.len()..];
        let next = behind.trim_start_matches([' ', '\t']).chars().next();
        let is_closed = sentence.ends_with(ENDS) && !behind.starts_with(|c: char| c.is_ascii_alphanumeric());
        // A list on one line: "1. Never push 2. Use tabs".
        let goes_on = || without_mark(head).is_some() && begins_with_mark(behind);
        begins && (is_closed || next.is_none_or(|c| ENDS.contains(&c) || c == '\n') || goes_on())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_found_only_as_a_separate_sentence() {
        for text in [
            "Never push", "Fix it. Never push.", "1. Never push; run the tests",
            "Fix it.\n\nNever push\n\nThanks", "你好。Never push。",
        ] {
            assert!(contains_separate_sentence(text, "Never push"), "{text}");
        }
        for text in [
            "Never push on Sundays, CI does; rename the script.",
            "The sentence \"Never push\" in README is wrong.",
            "Never pushing is fine",
            "we Never push",
            "Never push, unless I say so.",
            "Translate this line of their README: Never push",
            "Delete these lines:\n- Never push\n- Use tabs",
            "They wrote this. Never push\nunless you are brave",
        ] {
            assert!(!contains_separate_sentence(text, "Never push"), "{text}");
        }
        assert!(contains_separate_sentence("Ask first. Never push. Then go on", "Never push."));
    }

    #[test]
    fn entries_of_a_list_are_removed_with_their_marks() {
        for text in [
            "1. Never push. 2. Use tabs.", "1. Never push 2. Use tabs", "1) Never push 2) Use tabs",
            "- Never push - Use tabs", "1. Never push\n2. Use tabs", "* Never push\n* Use tabs",
        ] {
            let rest = without(&without(text, "Never push").unwrap(), "Use tabs").unwrap();
            assert_eq!(rest.trim(), "", "{text}");
        }
        assert_eq!(without("1. Look at it 2. Never push 3. Fix it", "Never push"), None);
    }

    #[test]
    fn what_leads_on_to_nothing_is_removed() {
        assert_eq!(without_lead_in("Fix it. Keep to these rules:"), "Fix it.");
        assert_eq!(without_lead_in("Keep to these rules:"), "");
        assert_eq!(without_lead_in("Fix it: now"), "Fix it: now");
        let text = "Keep to this:\n1. Never push\n2. Use tabs\n\nFix it.";
        let rest = without(text, "Never push").unwrap();
        assert_eq!(rest, "Keep to this:\n\n2. Use tabs\n\nFix it.");
        assert_eq!(without(&rest, "Use tabs").unwrap().trim(), "Fix it.");
        assert_eq!(without("Translate this: Never push", "Never push").as_deref(), Some("Translate this:"));
    }

    #[test]
    fn only_whole_sentences_are_removed() {
        assert_eq!(
            without("Build it.\n- Never push.\n- Use tabs.", "Never push.").as_deref(),
            Some("Build it.\n\n- Use tabs.")
        );
        assert_eq!(
            without("Fix it. Never push. Then rest.", "Never push").as_deref(),
            Some("Fix it. Then rest.")
        );
        assert_eq!(without("Latest: Never push", "Never push").as_deref(), Some("Latest:"));
        assert_eq!(without("Do step 2. Never push.", "Never push.").as_deref(), Some("Do step 2."));
        assert_eq!(without("Fix it. Never push. That also holds for tags.", "Never push"), None);
        assert_eq!(without("Fix the only tests that fail", "only tests"), None);
        assert_eq!(without("A client that has no mocks in it", "no mocks"), None);
    }
}

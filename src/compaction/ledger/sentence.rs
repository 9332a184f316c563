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
        let unmarked = before.strip_suffix(['-', '*', '•']);
        let unmarked = unmarked.filter(|before| before.is_empty() || before.ends_with([' ', '\n']));
        out.push_str(unmarked.map_or(before, |before| before.trim_end_matches(' ')));
        from = end;
    }
    out.push_str(text.get(from..)?);
    (from > 0).then_some(out)
}

fn places<'a>(text: &'a str, sentence: &'a str) -> impl Iterator<Item = usize> {
    text.match_indices(sentence).map(|(at, _)| at).filter(move |at| {
        let before = text[..*at].trim_end_matches([' ', '\t']).chars().next_back();
        let begins = before.is_none_or(|c| ENDS.contains(&c) || OPENS.contains(&c) || c == ']');
        let behind = &text[at + sentence.len()..];
        let next = behind.trim_start_matches([' ', '\t']).chars().next();
        let is_closed = sentence.ends_with(ENDS) && !behind.starts_with(|c: char| c.is_ascii_alphanumeric());
        begins && (is_closed || next.is_none_or(|c| ENDS.contains(&c) || c == '\n'))
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
        assert_eq!(without("Fix it. Never push. That also holds for tags.", "Never push"), None);
        assert_eq!(without("Fix the only tests that fail", "only tests"), None);
        assert_eq!(without("A client that has no mocks in it", "no mocks"), None);
    }
}

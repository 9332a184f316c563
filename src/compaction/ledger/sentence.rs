//! Whether a rule stands in a text as a sentence of its own: "Never push" says less than "Never push on Fridays".

/// What ends a sentence.
const ENDS: [char; 9] = ['.', '!', '?', ';', '。', '\u{FF01}', '\u{FF1F}', '\u{FF1B}', '\n'];

/// What may stand before one, beside the end of another.
const OPENS: [char; 5] = [':', '\u{FF1A}', '-', '*', '•'];

/// It stands there so.
pub(super) fn stands_whole(text: &str, sentence: &str) -> bool {
    places(text, sentence).next().is_some()
}

/// A text without it, where it stands there so.
pub(super) fn without(text: &str, sentence: &str) -> Option<String> {
    let mut out = String::new();
    let mut from = 0;
    for at in places(text, sentence) {
        out.push_str(text.get(from..at)?);
        from = at + sentence.len();
        from += text.get(from..)?.chars().next().filter(|c| ENDS.contains(c)).map_or(0, char::len_utf8);
    }
    out.push_str(text.get(from..)?);
    (from > 0).then_some(out)
}

fn places<'a>(text: &'a str, sentence: &'a str) -> impl Iterator<Item = usize> {
    text.match_indices(sentence).map(|(at, _)| at).filter(move |at| {
        let before = text[..*at].trim_end_matches([' ', '\t']).chars().next_back();
        let begins = before.is_none_or(|c| ENDS.contains(&c) || OPENS.contains(&c));
        let behind = &text[at + sentence.len()..];
        let next = behind.trim_start_matches([' ', '\t']).chars().next();
        let is_closed = sentence.ends_with(ENDS) && !behind.starts_with(|c: char| c.is_ascii_alphanumeric());
        begins && (is_closed || next.is_none_or(|c| ENDS.contains(&c)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_stands_where_it_is_a_sentence() {
        for text in [
            "Never push",
            "Fix it. Never push.",
            "Rules:\n- Never push\n- Run the tests",
            "1. Never push; run the tests",
            "你好。Never push。",
        ] {
            assert!(stands_whole(text, "Never push"), "{text}");
        }
        for text in [
            "Never push on Sundays, CI does; rename the script.",
            "The sentence \"Never push\" in README is wrong.",
            "Never pushing is fine",
            "we Never push",
            "Never push, unless I say so.",
        ] {
            assert!(!stands_whole(text, "Never push"), "{text}");
        }
        assert!(stands_whole("Ask first. Never push. Then go on", "Never push."));
    }

    #[test]
    fn only_whole_sentences_are_taken_out() {
        assert_eq!(
            without("Fix it. Never push. Then rest.", "Never push").as_deref(),
            Some("Fix it.  Then rest.")
        );
        assert_eq!(without("Latest: Never push", "Never push").as_deref(), Some("Latest: "));
        assert_eq!(without("Fix the only tests that fail", "only tests"), None);
        assert_eq!(without("A client that has no mocks in it", "no mocks"), None);
    }
}

//! Cuts texts between words, so that half an id is not read as an id.

use super::cut::{prefix_bytes, suffix_bytes};
use crate::script::is_cjk;

/// The longest beginning of `text` with at most `max` bytes that ends with a word. If that would be less than half of it, it
/// ends inside a word, but not inside a grapheme cluster.
pub fn first_words(text: &str, max: usize) -> &str {
    let head = prefix_bytes(text, max);
    if head.len() == text.len() {
        return head;
    }
    let ends_word = |end: &usize| {
        let (head, rest) = text.split_at(*end);
        rest.starts_with(char::is_whitespace) || splits_text_without_blanks(head, rest)
    };
    let mut ends = (head.len() / 2..=head.len()).rev().filter(|end| text.is_char_boundary(*end));
    ends.find(ends_word).map_or(head, |end| prefix_bytes(text, end))
}

/// The longest end of `text` with at most `max` bytes that begins with a word, in the same way.
pub fn last_words(text: &str, max: usize) -> &str {
    let tail = suffix_bytes(text, max);
    if tail.len() == text.len() {
        return tail;
    }
    let begins_word = |start: &usize| {
        let (rest, tail) = text.split_at(*start);
        rest.ends_with(char::is_whitespace) || splits_text_without_blanks(rest, tail)
    };
    let start = text.len() - tail.len();
    let mut starts = (start..=text.len() - tail.len() / 2).filter(|start| text.is_char_boundary(*start));
    starts.find(begins_word).map_or(tail, |start| suffix_bytes(text, text.len() - start))
}

/// Whether a cut between these texts is inside a word.
pub fn splits_word(before: &str, after: &str) -> bool {
    !before.is_empty()
        && !after.is_empty()
        && !before.ends_with(char::is_whitespace)
        && !after.starts_with(char::is_whitespace)
        && !splits_text_without_blanks(before, after)
}

/// Scripts without blanks are cut between characters.
fn splits_text_without_blanks(before: &str, after: &str) -> bool {
    before.ends_with(is_cjk) || after.starts_with(is_cjk)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_cut_is_between_words_unless_that_takes_more_than_half() {
        let path = "(Open file: /testbed/reproduce.py)";
        assert_eq!(first_words(path, 22), "(Open file:");
        assert_eq!(last_words(path, 15), "d/reproduce.py)");
        assert!(splits_word("/testbe", "d/reproduce.py)"));
        assert_eq!(last_words("cat /testbed/reproduce.py || echo failed", 20), "|| echo failed");
        assert_eq!(first_words("日本語のテキスト", 10), "日本語");
        assert_eq!(last_words("日本語のテキスト", 10), "キスト");
        assert_eq!((first_words("a b", 9), last_words("a b", 9), first_words("a b", 0)), ("a b", "a b", ""));
    }

    proptest! {
        #[test]
        fn pieces_have_at_least_half_of_what_they_may_have(text in "[a日👍🏽é\r\n ]{0,200}", max in 0usize..300) {
            let (head, tail) = (first_words(&text, max), last_words(&text, max));
            prop_assert!(text.starts_with(head) && text.ends_with(tail));
            prop_assert!(head.len() <= max && tail.len() <= max);
            let least = prefix_bytes(&text, max).len() / 2;
            prop_assert!(head.len() + 8 >= least && tail.len() + 8 >= suffix_bytes(&text, max).len() / 2);
        }
    }
}

//! Splits a text into head, middle and tail.

use crate::tool_output::{prefix_bytes, suffix_bytes};

/// The head's share of what is kept, in hundredths: the beginning of a text says more than its end.
const HEAD: usize = 60;

/// A cut moves to the end of a line, or else of a word, if the head or the tail loses at most this share of its length, in
/// hundredths.
const NEAR: usize = 30;

/// A text in three pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pieces<'a> {
    pub head: &'a str,
    pub left_out: &'a str,
    pub tail: &'a str,
}

impl Pieces<'_> {
    /// Whether the head or the tail contains `what`.
    pub fn keep(self, what: &str) -> bool {
        self.head.contains(what) || self.tail.contains(what)
    }
}

/// Splits a text so that head and tail together take at most `bytes`. They are cut at a line end if one is near, otherwise
/// between words, so that half an id is not read as an id, and never inside a character as the reader sees it (grapheme cluster).
pub(super) fn pieces(text: &str, bytes: usize) -> Pieces<'_> {
    let bytes = bytes.min(text.len());
    let head = to_word_end(prefix_bytes(text, bytes * HEAD / 100), text);
    let rest = &text[head.len()..];
    let tail = from_word_start(suffix_bytes(rest, bytes - head.len()), rest);
    Pieces { head, left_out: &rest[..rest.len() - tail.len()], tail }
}

/// The beginning `head` of `text`, up to the end of its last line or word.
fn to_word_end<'a>(head: &'a str, text: &str) -> &'a str {
    let is_near = |end: &usize| head.len() - end <= head.len() * NEAR / 100;
    let line = head.rfind('\n').map(|end| end + 1).filter(is_near);
    let ends_word = text[head.len()..].starts_with(char::is_whitespace);
    let word = || head.rfind(char::is_whitespace).filter(|end| !ends_word && is_near(end));
    line.or_else(word).map_or(head, |end| &head[..end])
}

/// The end `tail` of `text`, from the beginning of its first line or word.
fn from_word_start<'a>(tail: &'a str, text: &str) -> &'a str {
    let is_near = |start: &usize| *start <= tail.len() * NEAR / 100;
    let line = tail.find('\n').map(|start| start + 1).filter(is_near);
    let starts_word = text[..text.len() - tail.len()].ends_with(char::is_whitespace);
    let space = || tail.char_indices().find(|(_, char)| char.is_whitespace());
    let word =
        || space().map(|(at, char)| at + char.len_utf8()).filter(|start| !starts_word && is_near(start));
    line.or_else(word).map_or(tail, |start| &tail[start..])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pieces_end_at_a_nearby_line_or_word() {
        let text = "one two\nthree four five six seven eight nine ten eleven\ntwelve\n";
        let Pieces { head, tail, .. } = pieces(text, 17);
        assert_eq!((head, tail), ("one two\n", "twelve\n"));
        let Pieces { head, .. } = pieces("no line ends in this text at all, wherever it is cut", 20);
        assert_eq!(head, "no line ends");
        let Pieces { head, tail, .. } = pieces("error: it failed, to rerun pass cargo test", 33);
        assert_eq!((head, tail), ("error: it failed,", "pass cargo test"));
    }

    proptest! {
        #[test]
        fn the_pieces_together_are_the_text(text in "[a日👍🏽é\r\n ]{0,200}", bytes in 0usize..300) {
            let Pieces { head, left_out, tail } = pieces(&text, bytes);
            prop_assert_eq!([head, left_out, tail].concat(), text.clone());
            prop_assert!(head.len() + tail.len() <= bytes);
        }
    }
}

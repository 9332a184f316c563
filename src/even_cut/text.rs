//! Splits a text into head, middle and tail.

use crate::tool_output::{prefix_bytes, suffix_bytes};

/// The head's share of what is kept, in hundredths: the beginning of a text says more than its end.
const HEAD: usize = 60;

/// A cut moves to a line end if the head or the tail loses at most this share of its length, in hundredths.
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

/// Splits a text so that head and tail together take at most `bytes`. They are cut at a line end if one is near, and never
/// inside a character as the reader sees it (grapheme cluster).
pub(super) fn pieces(text: &str, bytes: usize) -> Pieces<'_> {
    let bytes = bytes.min(text.len());
    let for_head = bytes * HEAD / 100;
    let head = to_line_end(prefix_bytes(text, for_head));
    let rest = &text[head.len()..];
    let tail = from_line_start(suffix_bytes(rest, bytes - for_head));
    Pieces { head, left_out: &rest[..rest.len() - tail.len()], tail }
}

fn to_line_end(head: &str) -> &str {
    let end = head.rfind('\n').filter(|end| head.len() - end <= head.len() * NEAR / 100);
    end.map_or(head, |end| &head[..=end])
}

fn from_line_start(tail: &str) -> &str {
    let start = tail.find('\n').filter(|start| *start <= tail.len() * NEAR / 100);
    start.map_or(tail, |start| &tail[start + 1..])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn they_end_at_a_line_where_one_is_near() {
        let text = "one two\nthree four five six seven eight nine ten eleven\ntwelve\n";
        let Pieces { head, tail, .. } = pieces(text, 17);
        assert_eq!((head, tail), ("one two\n", "twelve\n"));
        let Pieces { head, .. } = pieces("no line ends in this text at all, wherever it is cut", 20);
        assert_eq!(head, "no line ends");
    }

    proptest! {
        #[test]
        fn together_they_are_the_text(text in "[a日👍🏽é\r\n ]{0,200}", bytes in 0usize..300) {
            let Pieces { head, left_out, tail } = pieces(&text, bytes);
            prop_assert_eq!([head, left_out, tail].concat(), text.clone());
            prop_assert!(head.len() + tail.len() <= bytes);
        }
    }
}

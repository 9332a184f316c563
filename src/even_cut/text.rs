//! Splits a text into head, middle and tail.

use crate::tool_output::{first_words, last_words, prefix_bytes, splits_word, suffix_bytes};

/// The head's share of what is kept, in hundredths: the beginning of a text says more than its end.
pub(super) const HEAD: usize = 60;

/// A cut moves to the end of a line if the head or the tail loses at most this share of its length, in hundredths.
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

    /// Head and tail with a mark between them, on a line of its own. Only if a word was cut, the mark stands directly
    /// beside it, so that half an id is not read as an id.
    pub fn around(self, mark: &str) -> String {
        let Self { head, left_out, tail } = self;
        let is_apart = head.is_empty() || head.ends_with('\n') || splits_word(head, left_out);
        let before = if is_apart { "" } else { "\n" };
        let behind = if tail.is_empty() || splits_word(left_out, tail) { "" } else { "\n" };
        [head, before, mark, behind, tail].concat()
    }
}

/// Splits a text so that head and tail together take at most `bytes`. They are cut at a line end if one is near, otherwise
/// between words, so that half an id is not read as an id. A word that takes half of its piece is cut; the mark then stands
/// directly beside it.
pub(super) fn pieces(text: &str, bytes: usize) -> Pieces<'_> {
    let bytes = bytes.min(text.len());
    let head = head(text, bytes * HEAD / 100);
    let rest = &text[head.len()..];
    let tail = tail(rest, bytes - head.len());
    Pieces { head, left_out: &rest[..rest.len() - tail.len()], tail }
}

/// The same for a text that was cut before, with marks from `marked.0` to `marked.1`: they are left out, and so is more on both sides of them.
pub(super) fn pieces_around(text: &str, marked: (usize, usize), bytes: usize) -> Pieces<'_> {
    let (before, behind) = (&text[..marked.0], &text[marked.1..]);
    let head_bytes = bytes * HEAD / 100;
    let head = if before.len() <= head_bytes { before } else { head(before, head_bytes) };
    let tail_bytes = bytes.saturating_sub(head.len());
    let tail = if behind.len() <= tail_bytes { behind } else { tail(behind, tail_bytes) };
    Pieces { head, left_out: &text[head.len()..text.len() - tail.len()], tail }
}

/// The beginning of a text, up to the end of a line or a word.
pub(super) fn head(text: &str, bytes: usize) -> &str {
    let head = prefix_bytes(text, bytes);
    let rest = text[head.len()..].find('\n').unwrap_or(text.len() - head.len());
    let line = head
        .rfind('\n')
        .map(|end| end + 1)
        .filter(|end| ends_at(head, head.len() - end, rest, &head[..*end]));
    line.map_or_else(|| first_words(text, bytes), |end| &head[..end])
}

/// The end of a text, from the beginning of a line or a word.
pub(super) fn tail(text: &str, bytes: usize) -> &str {
    let tail = suffix_bytes(text, bytes);
    let before = &text[..text.len() - tail.len()];
    let rest = before.len() - before.rfind('\n').map_or(0, |end| end + 1);
    let line =
        tail.find('\n').map(|start| start + 1).filter(|start| ends_at(tail, *start, rest, &tail[*start..]));
    line.map_or_else(|| last_words(text, bytes), |start| &tail[start..])
}

/// Whether a piece leaves out the part of a line in it: it loses little by that, or else the line is short enough for the piece, such as the
/// row of a table, and would be told with a part of its values. `rest`: the part of the line that is not in the piece.
fn ends_at(piece: &str, part: usize, rest: usize, kept: &str) -> bool {
    let is_near = part <= piece.len() * NEAR / 100;
    is_near || (part + rest <= piece.len() && kept.contains(char::is_alphanumeric))
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
        let path = "(Open file: /testbed/reproduce.py) now exits with status 1";
        assert_eq!(super::tail(path, 40), "now exits with status 1");
    }

    #[test]
    fn a_row_is_not_cut() {
        let table = "week | n | ret\n-----+---+------\n2026-W10 | 2052 | 0.3353\n2026-W11 | 2377 | 0.4150\n(2 rows)\n";
        let Pieces { head, tail, .. } = pieces(table, 70);
        assert_eq!(
            (head, tail),
            ("week | n | ret\n-----+---+------\n", "2026-W11 | 2377 | 0.4150\n(2 rows)\n")
        );
    }

    #[test]
    fn a_mark_stands_beside_a_word_that_was_cut() {
        let cut = |text: &str, bytes| pieces(text, bytes).around("[…]");
        assert_eq!(cut("one two three four five six", 20), "one two\n[…]\nfour five six");
        assert_eq!(cut("one\ntwo three four five\nsix", 9), "one\n[…]\nsix");
        let path = "/srv/app/src/parser/grammar/expressions/literals.rs";
        assert_eq!(cut(path, 20), "/srv/app/src[…]erals.rs");
        assert_eq!(cut("テキストを短くします", 18), "テキス\n[…]\nします");
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

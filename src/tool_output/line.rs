//! One line as it stands in an answer: cut where it is too long, and marked there.

use std::borrow::Cow;

use super::cut::{cluster_boundary, prefix_bytes, prefix_chars};

/// Room for the longest mark of a cut.
const MARK_BYTES: usize = 48;

/// `line` within `max_chars` code points and `max_bytes` bytes; a cut line ends with a mark that says how much more
/// there is. The mark counts into the bytes, not into the code points.
pub(super) fn cut_line(line: &str, max_chars: usize, max_bytes: usize) -> Cow<'_, str> {
    let kept = prefix_chars(line, max_chars).unwrap_or(line);
    if kept.len() == line.len() && line.len() <= max_bytes {
        return Cow::Borrowed(line);
    }
    if max_bytes < 2 * MARK_BYTES {
        let mark = if max_bytes < '…'.len_utf8() { "" } else { "…" };
        return Cow::Owned(format!("{}{mark}", prefix_bytes(kept, max_bytes - mark.len())));
    }
    let kept = prefix_bytes(kept, max_bytes - MARK_BYTES);
    Cow::Owned(format!("{kept}… [+{} characters]", line[kept.len()..].chars().count()))
}

/// As [`cut_line`], but what is shown of a long line is a piece around the byte `at`.
pub(super) fn cut_line_around(line: &str, at: usize, max_chars: usize, max_bytes: usize) -> Cow<'_, str> {
    let at = line.floor_char_boundary(at);
    let near_start = line[..at].chars().count() < max_chars / 2 && at < max_bytes / 2;
    if near_start || (line.len() <= max_bytes && prefix_chars(line, max_chars).is_none()) {
        return cut_line(line, max_chars, max_bytes);
    }
    let before = (max_chars.min(max_bytes) / 8).max(1);
    let start = line[..at].char_indices().rev().nth(before - 1).map_or(0, |(i, _)| i);
    let start = cluster_boundary(line, start);
    let head = '…'.len_utf8();
    let piece = cut_line(&line[start..], max_chars, max_bytes.saturating_sub(head));
    if max_bytes < head { piece } else { Cow::Owned(format!("…{piece}")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_cut_line_says_how_much_more_there_is() {
        assert_eq!(cut_line("short", 5, 5), "short");
        assert_eq!(cut_line(&"x".repeat(30), 10, 200), "xxxxxxxxxx… [+20 characters]");
        assert_eq!(cut_line("日本語", 9, 8), "日…");
        assert_eq!(cut_line("日本語", 9, 2), "");
    }

    #[test]
    fn a_piece_is_shown_around_its_match() {
        let line = format!("{}needle{}", "a".repeat(1000), "b".repeat(1000));
        let shown = cut_line_around(&line, 1000, 40, 200);
        assert_eq!(shown, format!("…{}needle{}… [+971 characters]", "a".repeat(5), "b".repeat(29)));
    }

    proptest! {
        #[test]
        fn bytes_are_never_exceeded(
            line in "[a日é👍🏽]{0,200}", at in 0usize..800, chars in 1usize..100, bytes in 0usize..400,
        ) {
            prop_assert!(cut_line(&line, chars, bytes).len() <= bytes);
            prop_assert!(cut_line_around(&line, at.min(line.len()), chars, bytes).len() <= bytes);
        }
    }
}

//! Cuts and marks lines of an answer that are too long.

use std::borrow::Cow;

use super::cut::{cluster_boundary, prefix_bytes, prefix_chars};
use super::long_text::Line;

/// The maximum bytes of the mark of a cut.
const MARK_BYTES: usize = 48;

/// Bytes after a cut that can influence its position.
const LOOK_AHEAD: usize = 256;

/// `line` cut to `max_chars` code points and `max_bytes` bytes. A cut line ends with a mark that says how much is left
/// out. The mark counts as bytes, but not as code points.
pub(super) fn cut_line<'l>(line: &'l Line<'_>, max_chars: usize, max_bytes: usize) -> Cow<'l, str> {
    let head = line.between(0, max_bytes_of(max_chars, max_bytes).saturating_add(LOOK_AHEAD));
    match cut(&head, line.chars_from(head.len()), max_chars, max_bytes) {
        None => head,
        Some(shorter) => Cow::Owned(shorter),
    }
}

/// Like [`cut_line`], but shows the part of a long line around the byte `at`.
pub(super) fn cut_line_around<'l>(
    line: &'l Line<'_>,
    at: usize,
    max_chars: usize,
    max_bytes: usize,
) -> Cow<'l, str> {
    // Enough of the line to know how it is cut there: text further away cannot change it.
    let most = max_bytes_of(max_chars, max_bytes).saturating_add(LOOK_AHEAD);
    let from = line.floor(at.saturating_sub(most));
    let near = line.between(from, at.saturating_add(most));
    let behind = line.chars_from((from + near.len()).min(line.len()));
    let at = near.floor_char_boundary(at - from);
    let near_start = from == 0 && near[..at].chars().count() < max_chars / 2 && at < max_bytes / 2;
    if near_start || (line.len() <= max_bytes && prefix_chars(&near, max_chars).is_none()) {
        return cut_line(line, max_chars, max_bytes);
    }
    let before = (max_chars.min(max_bytes) / 8).max(1);
    let start = near[..at].char_indices().rev().nth(before - 1).map_or(0, |(i, _)| i);
    let start = cluster_boundary(&near, start);
    let head = '…'.len_utf8();
    let rest = &near[start..];
    let piece = cut(rest, behind, max_chars, max_bytes.saturating_sub(head));
    let piece = piece.as_deref().unwrap_or(rest);
    Cow::Owned(if max_bytes < head { piece.to_owned() } else { format!("…{piece}") })
}

/// The maximum bytes that can be within both limits.
fn max_bytes_of(max_chars: usize, max_bytes: usize) -> usize {
    max_chars.saturating_mul(4).min(max_bytes)
}

/// `head` cut to the limits; `None` if nothing is cut. `beyond`: the number of characters after it.
fn cut(head: &str, beyond: u64, max_chars: usize, max_bytes: usize) -> Option<String> {
    let kept = prefix_chars(head, max_chars).unwrap_or(head);
    if kept.len() == head.len() && head.len() <= max_bytes && beyond == 0 {
        return None;
    }
    if max_bytes < 2 * MARK_BYTES {
        let mark = if max_bytes < '…'.len_utf8() { "" } else { "…" };
        return Some(format!("{}{mark}", prefix_bytes(kept, max_bytes - mark.len())));
    }
    let kept = prefix_bytes(kept, max_bytes - MARK_BYTES);
    let more = head[kept.len()..].chars().count() as u64 + beyond;
    Some(format!("{kept}… [+{more} characters]"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_cut_line_says_how_many_characters_follow() {
        let of = |text: &str, chars, bytes| cut_line(&Line::of_text(text), chars, bytes).into_owned();
        assert_eq!(of("short", 5, 5), "short");
        assert_eq!(of(&"x".repeat(30), 10, 200), "xxxxxxxxxx… [+20 characters]");
        assert_eq!(of("日本語", 9, 8), "日…");
        assert_eq!(of("日本語", 9, 2), "");
        assert_eq!(of(&"日".repeat(1_000_000), 2, 200), "日日… [+999998 characters]");
    }

    #[test]
    fn a_line_is_cut_around_its_match() {
        let line = format!("{}needle{}", "a".repeat(1000), "b".repeat(1000));
        let line = Line::of_text(&line);
        let shown = cut_line_around(&line, 1000, 40, 200);
        assert_eq!(shown, format!("…{}needle{}… [+971 characters]", "a".repeat(5), "b".repeat(29)));
    }

    proptest! {
        #[test]
        fn the_byte_limit_is_never_exceeded(
            line in "[a日é👍🏽]{0,200}", at in 0usize..800, chars in 1usize..100, bytes in 0usize..400,
        ) {
            let line = Line::of_text(&line);
            prop_assert!(cut_line(&line, chars, bytes).len() <= bytes);
            prop_assert!(cut_line_around(&line, at.min(line.len()), chars, bytes).len() <= bytes);
        }
    }
}

//! Cutting text without splitting a code point or a grapheme cluster (INV-5).

use unicode_segmentation::GraphemeCursor;

/// A grapheme cluster of more code points than this may be split: no real text has clusters that long.
const MAX_CLUSTER_BYTES: usize = 64;

/// The longest beginning of `text` with at most `max` bytes that ends between grapheme clusters.
///
/// Only looks at the text near the cut.
pub fn prefix_bytes(text: &str, max: usize) -> &str {
    if text.len() <= max {
        return text;
    }
    &text[..cluster_boundary(text, text.floor_char_boundary(max))]
}

/// The longest beginning of `text` with at most `max` code points that ends between grapheme clusters.
/// `None` if that is the whole text.
pub fn prefix_chars(text: &str, max: usize) -> Option<&str> {
    if text.len() <= max {
        return None;
    }
    let (at, _) = text.char_indices().nth(max)?;
    Some(&text[..cluster_boundary(text, at)])
}

/// The longest end of `text` with at most `max` bytes that begins between grapheme clusters.
pub fn suffix_bytes(text: &str, max: usize) -> &str {
    if text.len() <= max {
        return text;
    }
    &text[next_cluster_boundary(text, text.ceil_char_boundary(text.len() - max))..]
}

/// The longest end of `text` with at most `max` code points that begins between grapheme clusters.
/// `None` if that is the whole text.
pub fn suffix_chars(text: &str, max: usize) -> Option<&str> {
    if text.len() <= max {
        return None;
    }
    let at = match max.checked_sub(1) {
        None => text.len(),
        Some(before) => text.char_indices().rev().nth(before)?.0,
    };
    (at > 0).then(|| &text[next_cluster_boundary(text, at)..])
}

/// `at`, or the start of the cluster that a cut at `at` would split. `at` is a char boundary.
pub(super) fn cluster_boundary(text: &str, at: usize) -> usize {
    if is_boundary(text, at) {
        return at;
    }
    let mut starts = text[..at].char_indices().rev().take(MAX_CLUSTER_BYTES).map(|(i, _)| i);
    starts.find(|&i| is_boundary(text, i)).unwrap_or(at)
}

/// `at`, or the end of the cluster that a cut at `at` would split. `at` is a char boundary.
fn next_cluster_boundary(text: &str, at: usize) -> usize {
    if is_boundary(text, at) {
        return at;
    }
    let mut ends = text[at..].char_indices().take(MAX_CLUSTER_BYTES).map(|(i, c)| at + i + c.len_utf8());
    ends.find(|&i| is_boundary(text, i)).unwrap_or(at)
}

fn is_boundary(text: &str, at: usize) -> bool {
    // The cursor is given the whole text, so it always has an answer.
    plain_ascii_cut(text, at)
        || GraphemeCursor::new(at, text.len(), true).is_boundary(text, 0).unwrap_or(true)
}

/// Two adjacent ASCII characters may be separated, unless they are CR LF.
fn plain_ascii_cut(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    match (at.checked_sub(1).and_then(|i| bytes.get(i)), bytes.get(at)) {
        (Some(before), Some(after)) => {
            before.is_ascii() && after.is_ascii() && (*before, *after) != (b'\r', b'\n')
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use unicode_segmentation::UnicodeSegmentation;

    const FAMILY: &str = "👨‍👩‍👧‍👦";

    #[test]
    fn a_grapheme_cluster_stays_whole() {
        let text = format!("ab{FAMILY}c");
        assert_eq!(prefix_chars(&text, 5), Some("ab"));
        assert_eq!(prefix_chars(&text, 9), Some(&text[..text.len() - 1]));
        assert_eq!(prefix_chars(&text, 10), None);
        assert_eq!(prefix_bytes(&text, 10), "ab");
        assert_eq!(prefix_bytes("a\r\nb", 2), "a");
        assert_eq!(prefix_bytes("🇯🇵🇩🇪🇫🇷", 12), "🇯🇵");
        assert_eq!(prefix_bytes("日本", 4), "日");
        assert_eq!(prefix_bytes("日本", 0), "");
    }

    #[test]
    fn an_oversized_cluster_is_split_rather_than_lost() {
        let zalgo = format!("a{}", "\u{301}".repeat(100_000));
        assert_eq!(prefix_chars(&zalgo, 50_000).map(|p| p.chars().count()), Some(50_000));
    }

    fn scripts() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("a"),
            Just("\r\n"),
            Just("é"),
            Just("e\u{301}"),
            Just(FAMILY),
            Just("🇯🇵"),
            Just("한"),
            Just("ᄒ"),
            Just("ᅡ"),
            Just("क्षि"),
            Just("\u{200d}"),
            Just("👍🏽"),
            Just("日"),
            Just("\u{600}"),
            Just("\0"),
        ];
        prop::collection::vec(piece, 0..40).prop_map(|p| p.concat())
    }

    proptest! {
        #[test]
        fn a_cut_keeps_as_much_as_fits_between_clusters(text in scripts(), max in 0usize..120) {
            let ends: Vec<usize> = text.grapheme_indices(true).map(|(i, _)| i).chain([text.len()]).collect();
            let clusters_short = text.graphemes(true).all(|g| g.chars().count() <= MAX_CLUSTER_BYTES);
            prop_assume!(clusters_short);
            let by_bytes = prefix_bytes(&text, max).len();
            prop_assert_eq!(Some(by_bytes), ends.iter().copied().rfind(|&e| e <= max));
            let last = suffix_bytes(&text, max);
            prop_assert_eq!(Some(text.len() - last.len()), ends.iter().copied().find(|&e| text.len() - e <= max));
            let last = suffix_chars(&text, max).unwrap_or(&text);
            let start = ends.iter().copied().find(|&e| text[e..].chars().count() <= max);
            prop_assert_eq!(Some(text.len() - last.len()), start);
            let by_chars = prefix_chars(&text, max).unwrap_or(&text).len();
            prop_assert_eq!(Some(by_chars), ends.iter().copied().rfind(|&e| text[..e].chars().count() <= max));
        }
    }
}

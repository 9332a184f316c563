//! Decodes strings of JSON text, and writes shortened ones.

use std::fmt::Write as _;

use super::super::cut::{prefix_chars, suffix_chars};
use super::super::words::{first_words, last_words, splits_word};

/// The maximum length of the mark of a cut, in characters.
const MARK_CHARS: usize = 32;

/// A piece of fewer bytes is only the beginning of its string.
const LEAST_WITH_TAIL: usize = 64;

/// Shortens a string to `max` characters, if it has more: its beginning, the number of characters left out, and its
/// end, in quotation marks. Grapheme clusters of up to 64 code points are not split.
pub(super) fn shortened(raw: &str, max: usize) -> Option<String> {
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    if inner.len() <= max {
        return None; // a string never has more characters than its escaped form has bytes
    }
    let text = decode(inner);
    let chars = text.chars().count();
    if chars <= max {
        return None;
    }
    let room = max.saturating_sub(MARK_CHARS);
    let tail = room / 4;
    let head = prefix_chars(&text, room - tail)?;
    let tail = suffix_chars(&text, tail)?;
    let left_out = chars - head.chars().count() - tail.chars().count();
    Some(quoted(&format!("{head}…[+{left_out} characters]…{tail}")))
}

/// The beginning and the end of a string in about `bytes` bytes, as a JSON string. A short piece is only a beginning. It is
/// cut between words; a mark directly beside a word shows that the word was cut.
pub(super) fn cut_string(raw: &str, bytes: usize) -> String {
    let text = decode(raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"')).unwrap_or(raw));
    let tail = if bytes < LEAST_WITH_TAIL { 0 } else { bytes / 4 };
    let head = first_words(&text, bytes - tail);
    let rest = &text[head.len()..];
    let tail = last_words(rest, tail);
    let left_out = &rest[..rest.len() - tail.len()];
    let blank =
        |before: &str, after: &str| if splits_word(before, after) || after.is_empty() { "" } else { " " };
    quoted(
        &[head.trim_end(), blank(head, left_out), "[…]", blank(left_out, tail), tail.trim_start()].concat(),
    )
}

/// The text as a JSON string, with quotation marks.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c)); // writing to a String cannot fail
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Decodes the inside of a JSON string; an unpaired surrogate becomes U+FFFD.
pub(super) fn decode(inner: &str) -> String {
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(escape) = rest.chars().next() else { break };
        rest = &rest[escape.len_utf8()..];
        match escape {
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            't' => out.push('\t'),
            'u' => {
                let high = unit(rest).unwrap_or(0xFFFD);
                rest = rest.get(4..).unwrap_or_default();
                let low = rest.strip_prefix("\\u").and_then(unit);
                match (high, low) {
                    (0xD800..=0xDBFF, Some(low @ 0xDC00..=0xDFFF)) => {
                        let point = 0x1_0000 + (u32::from(high - 0xD800) << 10) + u32::from(low - 0xDC00);
                        out.push(char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER));
                        rest = &rest[6..];
                    }
                    _ => out.push(char::from_u32(high.into()).unwrap_or(char::REPLACEMENT_CHARACTER)),
                }
            }
            same => out.push(same),
        }
    }
    out.push_str(rest);
    out
}

fn unit(digits: &str) -> Option<u16> {
    u16::from_str_radix(digits.get(..4)?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_long_string_keeps_its_beginning_and_end() {
        let raw = quoted(&format!("{}{}", "a".repeat(100), "z".repeat(100)));
        let short = shortened(&raw, 64).unwrap();
        assert_eq!(short, format!("\"{}…[+168 characters]…{}\"", "a".repeat(24), "z".repeat(8)));
        assert_eq!(shortened(&raw, 200), None);
        assert_eq!(shortened(r#""\u65e5\u672c""#, 2), None);
    }

    #[test]
    fn a_string_is_cut_between_words() {
        let cut = |text: &str, bytes| cut_string(&quoted(text), bytes);
        assert_eq!(
            cut("Found three files in the folder, none of them with tests", 24),
            r#""Found three files in the […]""#
        );
        assert_eq!(cut(&"/srv/app".repeat(9), 20), r#""/srv/app/srv/app/srv[…]""#);
        assert_eq!(
            cut(&"line of it\n".repeat(9), 64),
            r#""line of it\nline of it\nline of it\nline of it\nline […] it\nline of it\n""#
        );
    }

    #[test]
    fn no_escape_and_no_cluster_is_split() {
        let raw = format!("\"{}\"", r"\ud83d\udc4d\n".repeat(100));
        let short = shortened(&raw, 50).unwrap();
        assert_eq!(short, r#""👍\n👍\n👍\n👍\n👍\n👍\n👍\n…[+182 characters]…👍\n👍\n""#);
        assert_eq!(decode(r"a\ud800b\udc00\ud800\u0041\/"), "a\u{fffd}b\u{fffd}\u{fffd}A/");
    }

    proptest! {
        #[test]
        fn strings_are_read_like_serde_and_fit_the_limit(text in "\\PC{0,90}|[\u{0}-\u{20}\"\\\\/👍é]{0,90}", max in 40usize..80) {
            let raw = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(decode(&raw[1..raw.len() - 1]), text.as_str());
            prop_assert_eq!(serde_json::from_str::<String>(&quoted(&text)).unwrap(), text.as_str());
            match shortened(&raw, max) {
                None => prop_assert!(text.chars().count() <= max),
                Some(short) => {
                    let shown: String = serde_json::from_str(&short).unwrap();
                    prop_assert!(shown.chars().count() <= max);
                }
            }
        }
    }
}

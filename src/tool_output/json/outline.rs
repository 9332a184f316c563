use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::scan::{Document, Kind};
use super::strings::shortened;
use crate::sorting::sort;

/// A longer string (in bytes) may be shortened. Shorter ones, which are mostly ids and states, are kept whole or left
/// out.
const SHORT_BYTES: usize = 64;

/// Replaces values that are left out.
const LEFT_OUT: &str = "…";

/// Shortened JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    /// What is kept, without white space between values. A `…` replaces values that are left out.
    pub text: String,
    /// Whether nothing but white space is left out.
    pub is_whole: bool,
}

/// Shortens JSON to about `bytes` bytes. Values near the top are preferred to nested ones, and the beginning of a list
/// to its rest. The remaining bytes are shared by the long strings, which keep their beginning and end.
///
/// `None` if the text is not a JSON object or list.
pub fn outline(text: &str, bytes: usize) -> Option<Outline> {
    if !text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    let document = Document::parse(text)?;
    let (chosen, left) = choose(&document, bytes);
    let long = chosen.iter().filter(|node| cost(&document, **node) > SHORT_BYTES).count();
    Some(write(&document, &chosen, SHORT_BYTES + left / long.max(1)))
}

/// The values to keep, in the order of the text, and the number of bytes left.
fn choose(document: &Document<'_>, bytes: usize) -> (Vec<usize>, usize) {
    const TOP: u64 = u64::MAX;
    let mut left = bytes;
    let mut chosen = Vec::new();
    let mut next = BinaryHeap::from([(TOP, Reverse(0))]);
    while let Some((height, Reverse(node))) = next.pop() {
        let least = cost(document, node).min(SHORT_BYTES + document.key(node).len());
        let Some(rest) = left.checked_sub(least) else { continue };
        left = rest;
        chosen.push(node);
        let is_list = document.kind(node) == Kind::Array;
        // Each item of a list counts as one deeper than the item before it.
        for (before, child) in document.children(node).take(left).enumerate() {
            let is_deeper = matches!(document.kind(child), Kind::Array | Kind::Object);
            let depth = 1 + usize::from(is_deeper) + if is_list { before } else { 0 };
            next.push((height - depth as u64, Reverse(child)));
        }
    }
    sort(&mut chosen);
    (chosen, left)
}

/// The bytes of a value with its name and punctuation; for an object or a list, those of an empty one.
fn cost(document: &Document<'_>, node: usize) -> usize {
    let value = match document.kind(node) {
        Kind::Object | Kind::Array => "{}".len(),
        Kind::Text | Kind::Other => document.raw(node).len(),
    };
    document.key(node).len() + value + ":,".len()
}

/// Writes the chosen values, with at most `chars` characters for each string.
fn write(document: &Document<'_>, chosen: &[usize], chars: usize) -> Outline {
    let mut out = String::new();
    let mut is_whole = chosen.len() == document.end(0);
    // The open objects and lists, each with the value that would come next if none were left out.
    let mut open: Vec<(usize, usize)> = Vec::new();
    for &node in chosen {
        while open.last().is_some_and(|(around, _)| node >= document.end(*around)) {
            close(document, &mut open, &mut out);
        }
        if let Some((around, next)) = open.last_mut() {
            out.push_str(if *next > *around + 1 { "," } else { "" });
            if node > *next {
                out.push_str(LEFT_OUT);
                out.push(',');
            }
            *next = document.end(node);
        }
        let (key, raw) = (document.key(node), document.raw(node));
        out.push_str(key);
        out.push_str(if key.is_empty() { "" } else { ":" });
        match document.kind(node) {
            Kind::Object | Kind::Array => {
                out.push_str(&raw[..1]);
                open.push((node, node + 1));
            }
            Kind::Text => {
                let shorter = shortened(raw, chars);
                is_whole &= shorter.is_none();
                out.push_str(shorter.as_deref().unwrap_or(raw));
            }
            Kind::Other => out.push_str(raw),
        }
    }
    while !open.is_empty() {
        close(document, &mut open, &mut out);
    }
    Outline { text: out, is_whole }
}

fn close(document: &Document<'_>, open: &mut Vec<(usize, usize)>, out: &mut String) {
    let Some((node, next)) = open.pop() else { return };
    if next < document.end(node) {
        out.push_str(if next > node + 1 { "," } else { "" });
        out.push_str(LEFT_OUT);
    }
    out.push_str(if document.kind(node) == Kind::Object { "}" } else { "]" });
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BOOKING: &str = r#"{"id": "UM3OG5", "user": {"id": "omar_1241", "born": null}, "flights": [
        {"number": "HAT113", "price": 120}, {"number": "HAT282", "price": 80}], "cabin": "economy", "paid": true}"#;

    #[test]
    fn top_level_members_come_first() {
        let of = |bytes| outline(BOOKING, bytes).unwrap().text;
        assert_eq!(of(30), r#"{"id":"UM3OG5",…,"paid":true}"#);
        assert_eq!(of(75), r#"{"id":"UM3OG5","user":{…},"flights":[{…},…],"cabin":"economy","paid":true}"#);
        assert_eq!(
            of(140),
            r#"{"id":"UM3OG5","user":{"id":"omar_1241","born":null},"flights":[{"number":"HAT113","price":120},{…}],"cabin":"economy","paid":true}"#
        );
        let all: serde_json::Value = serde_json::from_str(BOOKING).unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&of(400)).unwrap(), all);
        assert_eq!([140, 400].map(|bytes| outline(BOOKING, bytes).unwrap().is_whole), [false, true]);
    }

    #[test]
    fn long_strings_share_the_remaining_room() {
        let text = serde_json::json!({ "exit": 1, "out": "line\n".repeat(200) }).to_string();
        insta::assert_snapshot!(outline(&text, 120).unwrap().text, @r#"{"exit":1,"out":"line\nline\nline\nline\nline\nline\nline\nline\nline\nline\nlin…[+930 characters]…e\nline\nline\nline\n"}"#);
    }

    #[test]
    fn only_objects_and_lists_have_an_outline() {
        for text in ["", "1", "\"a\"", "{", "[1] and more", "text"] {
            assert_eq!(outline(text, 100), None, "{text}");
        }
        assert_eq!(outline("[1, 2, 3]", 0).unwrap().text, "");
    }

    #[test]
    fn deep_nesting_does_not_overflow_the_stack() {
        let deep = 100_000;
        let text = format!("{}{}", "[".repeat(deep), "]".repeat(deep));
        assert_eq!(outline(&text, text.len() * 4).unwrap().text, text);
    }

    proptest! {
        #[test]
        fn the_outline_is_about_as_long_as_allowed(values in prop::collection::vec("[a-z日\"\\\\]{0,90}", 0..12), bytes in 0usize..600) {
            let text = serde_json::json!({ "list": values, "more": { "values": values } }).to_string();
            let out = outline(&text, bytes).unwrap().text;
            prop_assert!(out.len() <= bytes * 2 + 40, "{} of {bytes}: {out}", out.len());
        }
    }
}

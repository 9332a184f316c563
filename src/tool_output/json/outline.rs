use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::members::{failed, reports_failure};
use super::scan::{Document, GAP, Kind};
use super::strings::cut_string;
use crate::sorting::sort;

/// The least piece of a long string, in bytes, if there is much room. With less room it is [`SHARE`] of it, but at least
/// [`LEAST_BYTES`].
const SHORT_BYTES: usize = 64;

/// The least piece if there is little room.
const LEAST_BYTES: usize = 24;

/// The share of the room.
const SHARE: usize = 4;

/// A string is cut only if that leaves out this many bytes, several times the length of a mark. Shorter ones, which are mostly
/// ids and states, are kept whole or left out.
const LEAST_LEFT_OUT: usize = 32;

/// The same for a string without blanks. That is mostly a path or an address, of which a piece says nothing.
const LEAST_LEFT_OUT_OF_WORD: usize = 128;

/// An object with at most so many members, none of which has members, is as good as one value: a time with its zone.
const FEW_MEMBERS: usize = 2;

/// Shortened JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    /// What is kept, without white space between values. A `…` replaces values that are left out.
    pub text: String,
    /// Whether nothing but white space is left out.
    pub is_whole: bool,
}

/// Shortens JSON to about `bytes` bytes. Values near the top are preferred to nested ones, what reports a failure to its neighbours, and
/// the beginning of a list to its rest. The remaining bytes are shared by the long strings, which keep their beginning and end.
///
/// `None` if the text is not a JSON object or list, or the outline of one.
pub fn outline(text: &str, bytes: usize) -> Option<Outline> {
    if !text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    let document = Document::parse_with_gaps(text)?;
    let least = (bytes / SHARE).clamp(LEAST_BYTES, SHORT_BYTES);
    let (chosen, left) = choose(&document, bytes, least);
    let rooms = share_out(&document, &chosen, least, left);
    Some(write(&document, &chosen, &rooms))
}

/// The values to keep, in the order of the text, and the number of bytes left. Long strings count as `least` bytes.
fn choose(document: &Document<'_>, bytes: usize, least: usize) -> (Vec<usize>, usize) {
    const TOP: u64 = u64::MAX;
    let mut left = bytes;
    let mut chosen = Vec::new();
    // Each value with whether it is all or nothing.
    let mut next = BinaryHeap::from([(TOP, Reverse(0), false)]);
    while let Some((height, Reverse(node), is_one)) = next.pop() {
        let all = cost(document, node);
        let takes = if is_one {
            document.key(node).len() + document.raw(node).len() + ":,".len()
        } else if is_cut(document, node, least) {
            all - document.raw(node).len() + least
        } else {
            all
        };
        let Some(rest) = left.checked_sub(takes) else {
            if is_one {
                next.push((height - 1, Reverse(node), false));
            }
            continue;
        };
        left = rest;
        chosen.push(node);
        // A value that is not chosen leaves a gap in any case.
        let children = document.children(node).filter(|child| document.raw(*child) != GAP);
        if is_one {
            chosen.extend(document.children(node));
        } else if document.kind(node) == Kind::Array {
            // Each item of a list counts as one deeper than the item before it. One in a hundred may have failed, and that one matters.
            let (first, rest): (Vec<usize>, Vec<usize>) = children.partition(|item| failed(document, *item));
            for (before, child) in first.into_iter().chain(rest).take(left).enumerate() {
                let depth = 1 + before + usize::from(has_members(document, child));
                next.push((height - depth as u64, Reverse(child), false));
            }
        } else {
            for child in children.take(left) {
                let is_one = is_one_value(document, child, least);
                let is_deeper = has_members(document, child) && !is_one;
                let depth = usize::from(!reports_failure(document, child)) + usize::from(is_deeper);
                next.push((height - depth as u64, Reverse(child), is_one));
            }
        }
    }
    sort(&mut chosen);
    (chosen, left)
}

fn has_members(document: &Document<'_>, node: usize) -> bool {
    matches!(document.kind(node), Kind::Array | Kind::Object)
}

/// Whether an object has few members, each a short value.
fn is_one_value(document: &Document<'_>, node: usize, least: usize) -> bool {
    document.kind(node) == Kind::Object
        && (1..=FEW_MEMBERS).contains(&document.len(node))
        && !document
            .children(node)
            .any(|member| has_members(document, member) || is_cut(document, member, least))
}

/// Whether a value is a string that is cut if it has room for this many bytes.
fn is_cut(document: &Document<'_>, node: usize, bytes: usize) -> bool {
    if document.kind(node) != Kind::Text {
        return false;
    }
    let raw = document.raw(node);
    let least = if raw.contains(' ') { LEAST_LEFT_OUT } else { LEAST_LEFT_OUT_OF_WORD };
    raw.len() > bytes + least
}

/// The room of each chosen value: `least` bytes for a long string, and its share of the bytes left; `None` for what stays whole.
fn share_out(document: &Document<'_>, chosen: &[usize], least: usize, mut left: usize) -> Vec<Option<usize>> {
    let mut long = chosen.iter().filter(|node| is_cut(document, **node, least)).count();
    let room = |node: &usize| {
        let is_long = is_cut(document, *node, least);
        let share = left / long.max(1);
        let cut = is_cut(document, *node, least + share).then_some(least + share);
        if is_long {
            long -= 1;
            left = left.saturating_sub(cut.unwrap_or(document.raw(*node).len()) - least);
        }
        cut
    };
    chosen.iter().map(room).collect()
}

/// The bytes of a value with its name and punctuation; for an object or a list, those of an empty one.
fn cost(document: &Document<'_>, node: usize) -> usize {
    let value = match document.kind(node) {
        Kind::Object | Kind::Array => "{}".len(),
        Kind::Text | Kind::Other => document.raw(node).len(),
    };
    document.key(node).len() + value + ":,".len()
}

/// Writes the chosen values, each string with its room.
fn write(document: &Document<'_>, chosen: &[usize], rooms: &[Option<usize>]) -> Outline {
    let mut out = String::new();
    let mut is_whole = chosen.len() == document.end(0);
    // The open objects and lists, each with the value that would come next if none were left out.
    let mut open: Vec<(usize, usize)> = Vec::new();
    for (&node, room) in chosen.iter().zip(rooms) {
        while open.last().is_some_and(|(around, _)| node >= document.end(*around)) {
            close(document, &mut open, &mut out);
        }
        if let Some((around, next)) = open.last_mut() {
            out.push_str(if *next > *around + 1 { "," } else { "" });
            if node > *next {
                out.push_str(GAP);
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
            Kind::Text | Kind::Other => match room {
                Some(room) => {
                    is_whole = false;
                    out.push_str(&cut_string(raw, *room));
                }
                None => out.push_str(raw),
            },
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
        out.push_str(GAP);
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
        assert_eq!(of(75), r#"{"id":"UM3OG5","user":{"id":"omar_1241","born":null},…,"paid":true}"#);
        assert_eq!(
            of(140),
            r#"{"id":"UM3OG5","user":{"id":"omar_1241","born":null},"flights":[{"number":"HAT113","price":120},{…}],"cabin":"economy","paid":true}"#
        );
        let all: serde_json::Value = serde_json::from_str(BOOKING).unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&of(400)).unwrap(), all);
        assert_eq!([140, 400].map(|bytes| outline(BOOKING, bytes).unwrap().is_whole), [false, true]);
    }

    #[test]
    fn what_failed_comes_first() {
        let job = |n: usize| {
            let conclusion = if n == 3 { "failure" } else { "success" };
            serde_json::json!({ "id": 100 + n, "name": format!("test {n}"), "status": "completed", "conclusion": conclusion })
        };
        let text =
            serde_json::json!({ "total_count": 5, "jobs": (0..5).map(job).collect::<Vec<_>>() }).to_string();
        assert_eq!(
            outline(&text, 110).unwrap().text,
            r#"{"total_count":5,"jobs":[{…},…,{"id":103,"name":"test 3","status":"completed","conclusion":"failure"},…]}"#
        );
    }

    #[test]
    fn an_outline_has_an_outline() {
        let once = outline(BOOKING, 140).unwrap().text;
        assert_eq!(outline(&once, once.len() + 40).unwrap(), Outline { text: once.clone(), is_whole: false });
        for bytes in 20..140 {
            let twice = outline(&once, bytes).unwrap().text;
            assert!(twice.len() <= once.len() && !twice.contains("…,…"), "{bytes}: {twice}");
            assert!(Document::parse_with_gaps(&twice).is_some() || twice.is_empty(), "{bytes}: {twice}");
        }
    }

    #[test]
    fn a_small_object_is_as_good_as_a_value() {
        let zone = "Europe/Zurich";
        let at = |time: &str| serde_json::json!({ "dateTime": time, "timeZone": zone });
        let text = serde_json::json!({ "id": "ev_7", "start": at("2026-10-16T10:00"), "end": at("2026-10-16T11:00"), "etag": "3249130457" });
        assert_eq!(
            outline(&text.to_string(), 90).unwrap().text,
            r#"{"id":"ev_7","start":{"dateTime":"2026-10-16T10:00","timeZone":"Europe/Zurich"},…}"#
        );
    }

    #[test]
    fn long_strings_share_the_remaining_room() {
        let text = serde_json::json!({ "exit": 1, "out": "line\n".repeat(200) }).to_string();
        insta::assert_snapshot!(outline(&text, 120).unwrap().text, @r#"{"exit":1,"out":"line\nline\nline\nline\nline\nline\nline\nline\nline\nline\nline\nline\nline\nline\nline […] line\nline\nline\nline\nline\n"}"#);
    }

    #[test]
    fn paths_are_whole_or_left_out_and_with_little_room_long_strings_are_short() {
        let path = "https://raw.githubusercontent.com/SchemaStore/schemastore/master/src/schemas/json/tsconfig-schema.json";
        let text = serde_json::json!({ "url": path, "status": 200 }).to_string();
        assert_eq!(outline(&text, 90).unwrap().text, r#"{…,"status":200}"#);
        assert_eq!(outline(&text, 130).unwrap().text, text);
        let said =
            "Found three files in the folder, none of which has a test of its own or is mentioned elsewhere";
        let text =
            serde_json::json!([{ "type": "text", "text": said, "success": true }, { "type": "last of two" }])
                .to_string();
        assert_eq!(
            outline(&text, 90).unwrap().text,
            r#"[{"type":"text","text":"Found three files in the folder, none of […]","success":true},{…}]"#
        );
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
            prop_assert!(out.len() <= bytes * 2 + 40 + LEAST_LEFT_OUT_OF_WORD, "{} of {bytes}: {out}", out.len());
        }
    }
}

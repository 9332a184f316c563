//! Parses JSON text into a flat list of positions. Values are checked but not converted; there is no recursion, so any
//! depth is possible.

use std::ops::Range;

/// Stands for values that were left out.
pub(super) const GAP: &str = "…";

/// The type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Object,
    Array,
    Text,
    /// A number, `true`, `false` or `null`, or a gap.
    Other,
}

/// One value.
#[derive(Debug)]
struct Node {
    kind: Kind,
    at: Range<usize>,
    /// The member's name, including quotation marks.
    key: Option<Range<usize>>,
    /// The number of values directly in it.
    len: usize,
    /// The first node after everything in it.
    next: usize,
}

/// A text that is one JSON value. Nodes are numbered in the order of the text; 0 is the whole value.
#[derive(Debug)]
pub(super) struct Document<'a> {
    text: &'a str,
    nodes: Vec<Node>,
}

impl<'a> Document<'a> {
    /// `None` if the text is not JSON (RFC 8259).
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        Self::scan(Scanner { bytes: text.as_bytes(), at: 0, has_gaps: false }, text)
    }

    /// The same, where [`GAP`] may stand for values and members that were left out.
    pub(super) fn parse_with_gaps(text: &'a str) -> Option<Self> {
        Self::scan(Scanner { bytes: text.as_bytes(), at: 0, has_gaps: true }, text)
    }

    fn scan(mut scanner: Scanner<'a>, text: &'a str) -> Option<Self> {
        let mut nodes: Vec<Node> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let mut key = None;
        loop {
            scanner.skip_blanks();
            let start = scanner.at;
            let kind = scanner.begin_value()?;
            let index = nodes.len();
            nodes.push(Node { kind, at: start..scanner.at, key: key.take(), len: 0, next: index + 1 });
            if matches!(kind, Kind::Object | Kind::Array) {
                scanner.skip_blanks();
                if scanner.eat(closing(kind)) {
                    nodes[index].at.end = scanner.at;
                } else {
                    key = scanner.key_in(kind)?;
                    open.push(index);
                    continue;
                }
            }
            // A value is complete, and possibly the values around it as well.
            loop {
                scanner.skip_blanks();
                let Some(&around) = open.last() else {
                    return (scanner.at == text.len()).then_some(Self { text, nodes });
                };
                nodes[around].len += 1;
                let kind = nodes[around].kind;
                if scanner.eat(b',') {
                    scanner.skip_blanks();
                    key = scanner.key_in(kind)?;
                    break;
                }
                if !scanner.eat(closing(kind)) {
                    return None;
                }
                nodes[around].at.end = scanner.at;
                nodes[around].next = nodes.len();
                open.pop();
            }
        }
    }

    pub(super) fn kind(&self, node: usize) -> Kind {
        self.nodes[node].kind
    }

    /// The number of values directly in it.
    pub(super) fn len(&self, node: usize) -> usize {
        self.nodes[node].len
    }

    /// The first node after everything in it.
    pub(super) fn end(&self, node: usize) -> usize {
        self.nodes[node].next
    }

    /// The value as it is written.
    pub(super) fn raw(&self, node: usize) -> &'a str {
        &self.text[self.nodes[node].at.clone()]
    }

    /// The member's name as it is written, including quotation marks; empty in a list.
    pub(super) fn key(&self, node: usize) -> &'a str {
        self.nodes[node].key.clone().map_or("", |key| &self.text[key])
    }

    /// The positions of its strings, including quotation marks, in order. Names of members are not included.
    pub(super) fn texts(&self) -> impl Iterator<Item = Range<usize>> {
        self.nodes.iter().filter(|node| node.kind == Kind::Text).map(|node| node.at.clone())
    }

    /// The values directly in it, in order.
    pub(super) fn children(&self, node: usize) -> impl Iterator<Item = usize> {
        let first = (self.nodes[node].len > 0).then_some(node + 1);
        let end = self.nodes[node].next;
        std::iter::successors(first, move |&at| Some(self.nodes[at].next).filter(|&next| next < end))
    }
}

fn closing(kind: Kind) -> u8 {
    if kind == Kind::Object { b'}' } else { b']' }
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    has_gaps: bool,
}

impl Scanner<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Reads a value, or the bracket that opens an object or a list.
    fn begin_value(&mut self) -> Option<Kind> {
        match self.peek()? {
            b'{' => {
                self.at += 1;
                Some(Kind::Object)
            }
            b'[' => {
                self.at += 1;
                Some(Kind::Array)
            }
            b'"' => self.string().map(|()| Kind::Text),
            b'-' | b'0'..=b'9' => self.number().map(|()| Kind::Other),
            _ => {
                let rest = &self.bytes[self.at..];
                let gap = if self.has_gaps { GAP.as_bytes() } else { b"null" };
                let word =
                    [&b"true"[..], b"false", b"null", gap].into_iter().find(|w| rest.starts_with(w))?;
                self.at += word.len();
                Some(Kind::Other)
            }
        }
    }

    /// Reads the name and colon of the next member of an object; reads nothing in a list.
    #[allow(clippy::option_option, reason = "no JSON, or no name where none belongs")]
    fn key_in(&mut self, kind: Kind) -> Option<Option<Range<usize>>> {
        if kind == Kind::Array || self.has_gaps && self.bytes[self.at..].starts_with(GAP.as_bytes()) {
            return Some(None);
        }
        let start = self.at;
        self.string()?;
        let key = start..self.at;
        self.skip_blanks();
        self.eat(b':').then_some(Some(key))
    }

    fn string(&mut self) -> Option<()> {
        if !self.eat(b'"') {
            return None;
        }
        loop {
            let byte = self.peek()?;
            self.at += 1;
            match byte {
                b'"' => return Some(()),
                0..=0x1f => return None,
                b'\\' => {
                    let escape = self.peek()?;
                    self.at += 1;
                    match escape {
                        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {}
                        b'u' => {
                            let digits = self.bytes.get(self.at..self.at + 4)?;
                            if !digits.iter().all(u8::is_ascii_hexdigit) {
                                return None;
                            }
                            self.at += 4;
                        }
                        _ => return None,
                    }
                }
                _ => {}
            }
        }
    }

    fn number(&mut self) -> Option<()> {
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _ = self.eat(b'+') || self.eat(b'-');
            self.digits()?;
        }
        Some(())
    }

    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde::de::IgnoredAny;

    #[test]
    fn invalid_json_is_refused() {
        let bad = [
            "", " ", "{", "[1,]", "{\"a\"}", "{\"a\":}", "{a:1}", "01", "1.", ".5", "-", "+1", "1e", "tru",
            "nul", "NaN", "\"\n\"", "\"\\x\"", "\"\\u12g4\"", "\"a", "1 2", "[1}", "{\"a\":1]", "{,}", "[,]",
            "\u{feff}1", "'a'", "{\"a\":1,}", "]", "//x\n1",
        ];
        for text in bad {
            assert!(Document::parse(text).is_none(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn it_accepts_the_same_json_as_serde(pieces in prop::collection::vec(
            prop::sample::select(vec![
                "{", "}", "[", "]", ",", ":", "\"a\"", "\"\\u00e9\"", "1", "-2.50", "1e9", "true", "null", " ", "\n", "0", "\"", "\\",
            ]), 0..9,
        )) {
            let text = pieces.concat();
            prop_assert_eq!(Document::parse(&text).is_some(), serde_json::from_str::<IgnoredAny>(&text).is_ok(), "{}", text);
        }
    }
}

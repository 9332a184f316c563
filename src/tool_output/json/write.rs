//! Writes a document in a shorter form. A stack of what is left to write replaces recursion, so that any depth is
//! possible.

use std::borrow::Cow;

use super::members::{MemberKind, failed, kind_of_member, reports_failure};
use super::scan::{Document, Kind};
use super::strings::shortened;
use crate::hashing::HashSet;

/// How much is kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Level {
    /// Characters of a string.
    pub(super) string_chars: usize,
    /// Values of a list that are kept, unless all are objects.
    pub(super) list: usize,
    /// Members of an object that are kept, besides those that are always kept.
    pub(super) members: usize,
}

/// How many items are kept at each end of a list. A list with more than twice as many loses its middle.
const ENDS: usize = 2;

/// The maximum number of items that are kept because they report a failure.
pub(super) const MAX_FAILED: usize = 8;

/// The maximum characters of an id or an error text.
const KEPT_CHARS: usize = 1000;

/// A part of a list that lost its middle.
pub(super) enum Span {
    /// The value at this position is kept.
    Kept(usize),
    /// `count` values are left out, of which `failed` report a failure.
    Omitted { count: usize, failed: usize },
}

/// Which of a list's `len` values are kept; `None` if all of them are.
pub(super) fn kept_spans(
    len: usize,
    most_failed: usize,
    is_failed: impl Fn(usize) -> bool,
) -> Option<Vec<Span>> {
    if len <= 2 * ENDS {
        return None;
    }
    let mut spans: Vec<Span> = (0..ENDS).map(Span::Kept).collect();
    let mut kept_failed = 0;
    for at in ENDS..len - ENDS {
        let this_failed = is_failed(at);
        if this_failed && kept_failed < most_failed {
            kept_failed += 1;
            spans.push(Span::Kept(at));
        } else if let Some(Span::Omitted { count, failed }) = spans.last_mut() {
            *count += 1;
            *failed += usize::from(this_failed);
        } else {
            spans.push(Span::Omitted { count: 1, failed: usize::from(this_failed) });
        }
    }
    spans.extend((len - ENDS..len).map(Span::Kept));
    Some(spans)
}

/// The JSON string that replaces items of a list.
pub(super) fn omitted(count: usize, failed: usize) -> String {
    if failed == 0 {
        format!("\"... ({count} items omitted)\"")
    } else {
        format!("\"... ({count} items omitted, {failed} of them failed)\"")
    }
}

/// The document as an object with the mark that it is compressed; `None` for a number, `true`, `false` and `null`.
pub(super) fn document(document: &Document<'_>, level: &Level) -> Option<String> {
    let mut writer = Writer { document, level, out: String::new(), pending: Vec::new() };
    match document.kind(0) {
        Kind::Object => writer.object(0, CutPolicy::None, true),
        Kind::Array | Kind::Text => {
            let is_list = document.kind(0) == Kind::Array;
            let cut = is_list.then(|| writer.cut_list(0)).flatten();
            let name = match (&cut, is_list) {
                (Some(_), _) => "{\"items_preview\":",
                (None, true) => "{\"items\":",
                (None, false) => "{\"value\":",
            };
            writer.pending.push(Pending::Raw(Cow::Borrowed(",\"compressed\":true}")));
            match cut {
                Some(cut) => writer.push_pending([Pending::Cut(cut)]),
                None => writer.push_pending([Pending::Value(0, CutPolicy::None)]),
            }
            writer.out.push_str(name);
        }
        Kind::Other => return None,
    }
    writer.run();
    Some(writer.out)
}

/// How carefully the strings of a value are cut.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CutPolicy {
    None,
    /// An id, or the content of an error.
    Kept,
}

/// A list that loses its middle.
struct Cut {
    values: Vec<usize>,
    spans: Vec<Span>,
    /// All values are objects, and each is reduced to the members that identify it.
    reduce: bool,
}

enum Pending<'a> {
    Raw(Cow<'a, str>),
    Value(usize, CutPolicy),
    Item(usize),
    Cut(Cut),
}

struct Writer<'d, 'a> {
    document: &'d Document<'a>,
    level: &'d Level,
    out: String,
    /// What is left to write. The last element is written next.
    pending: Vec<Pending<'a>>,
}

impl<'a> Writer<'_, 'a> {
    fn run(&mut self) {
        while let Some(todo) = self.pending.pop() {
            match todo {
                Pending::Raw(text) => self.out.push_str(&text),
                Pending::Value(node, care) => self.value(node, care),
                Pending::Item(node) => self.item(node),
                Pending::Cut(cut) => self.cut(&cut),
            }
        }
    }

    /// Pushes elements so that they are written in this order.
    fn push_pending(&mut self, todo: impl IntoIterator<Item = Pending<'a>, IntoIter: DoubleEndedIterator>) {
        self.pending.extend(todo.into_iter().rev());
    }

    fn value(&mut self, node: usize, care: CutPolicy) {
        match self.document.kind(node) {
            Kind::Object => self.object(node, care, false),
            Kind::Array => match self.cut_list(node) {
                Some(cut) => self.cut(&cut),
                None => self.list(self.document.children(node).map(|n| Pending::Value(n, care)).collect()),
            },
            Kind::Text => {
                let max = if care == CutPolicy::Kept { KEPT_CHARS } else { self.level.string_chars };
                let raw = self.document.raw(node);
                self.out.push_str(shortened(raw, max).as_deref().unwrap_or(raw));
            }
            Kind::Other => self.out.push_str(self.document.raw(node)),
        }
    }

    fn list(&mut self, values: Vec<Pending<'a>>) {
        self.out.push('[');
        let mut todo = Vec::with_capacity(2 * values.len() + 1);
        for value in values {
            if !todo.is_empty() {
                todo.push(Pending::Raw(Cow::Borrowed(",")));
            }
            todo.push(value);
        }
        todo.push(Pending::Raw(Cow::Borrowed("]")));
        self.push_pending(todo);
    }

    fn cut(&mut self, cut: &Cut) {
        let values = cut.spans.iter().map(|span| match *span {
            Span::Kept(at) if cut.reduce => Pending::Item(cut.values[at]),
            Span::Kept(at) => Pending::Value(cut.values[at], CutPolicy::None),
            Span::Omitted { count, failed } => Pending::Raw(Cow::Owned(omitted(count, failed))),
        });
        self.list(values.collect());
    }

    /// What is kept of this list; `None` if it does not lose its middle.
    fn cut_list(&self, list: usize) -> Option<Cut> {
        if self.document.len(list) <= 2 * ENDS {
            return None;
        }
        let values: Vec<usize> = self.document.children(list).collect();
        let reduce = values.iter().all(|v| self.document.kind(*v) == Kind::Object);
        if !reduce && values.len() <= self.level.list {
            return None;
        }
        let spans = kept_spans(values.len(), MAX_FAILED, |at| failed(self.document, values[at]))?;
        Some(Cut { values, spans, reduce })
    }

    /// Writes an item of a list that lost its middle: the members that identify it or report a failure. An item without
    /// identifying members is written like any other object.
    fn item(&mut self, item: usize) {
        let document = self.document;
        let known = |m: &usize| kind_of_member(document.key(*m)) == MemberKind::Identity;
        if !document.children(item).any(|m| known(&m)) {
            return self.object(item, CutPolicy::None, false);
        }
        let members = document.children(item).filter(|m| known(m) || reports_failure(document, *m));
        let members = members.map(|m| self.member(m, CutPolicy::None)).collect();
        self.members(members, false);
    }

    fn object(&mut self, object: usize, care: CutPolicy, mark: bool) {
        let document = self.document;
        let mut names: Option<HashSet<&str>> = None;
        let mut members: Vec<Vec<Pending<'a>>> = Vec::new();
        let mut cut: Vec<Vec<Pending<'a>>> = Vec::new();
        let mut plain = 0;
        let (mut left_out, mut kept_failed) = (0, 0);
        for member in document.children(object) {
            let name = document.key(member);
            let failed = kept_failed < MAX_FAILED && failed(document, member);
            kept_failed += usize::from(failed);
            let stays =
                failed || kind_of_member(name) != MemberKind::Plain || reports_failure(document, member);
            plain += usize::from(!stays);
            if !stays && plain > self.level.members {
                left_out += 1;
                continue;
            }
            if document.kind(member) == Kind::Array
                && let Some(shorter) = self.cut_list(member)
            {
                let names =
                    names.get_or_insert_with(|| document.children(object).map(|m| document.key(m)).collect());
                cut.push(vec![Pending::Raw(preview_name(name, names)), Pending::Cut(shorter)]);
            } else if mark && name == MARK {
                // The tool's own value is kept under another name, unless it is the same as ours.
                if document.raw(member) != "true" {
                    members.push(vec![
                        Pending::Raw(Cow::Borrowed("\"compressed_original\":")),
                        Pending::Value(member, care),
                    ]);
                }
            } else {
                members.push(self.member(member, care));
            }
        }
        members.append(&mut cut);
        if left_out > 0 {
            let text = format!("\"...\":\"({left_out} members omitted)\"");
            members.push(vec![Pending::Raw(Cow::Owned(text))]);
        }
        self.members(members, mark);
    }

    /// A member's name and value. Much is kept of errors and ids.
    fn member(&self, member: usize, care: CutPolicy) -> Vec<Pending<'a>> {
        let name = self.document.key(member);
        let care = match kind_of_member(name) {
            MemberKind::Error | MemberKind::Id => CutPolicy::Kept,
            MemberKind::Identity if name.eq_ignore_ascii_case("\"id\"") => CutPolicy::Kept,
            _ => care,
        };
        vec![
            Pending::Raw(Cow::Borrowed(name)),
            Pending::Raw(Cow::Borrowed(":")),
            Pending::Value(member, care),
        ]
    }

    fn members(&mut self, members: Vec<Vec<Pending<'a>>>, mark: bool) {
        self.out.push('{');
        let mut todo: Vec<Pending<'a>> = Vec::new();
        for member in members {
            if !todo.is_empty() {
                todo.push(Pending::Raw(Cow::Borrowed(",")));
            }
            todo.extend(member);
        }
        if mark {
            let comma = if todo.is_empty() { "" } else { "," };
            todo.push(Pending::Raw(Cow::Owned(format!("{comma}{MARK}:true"))));
        }
        todo.push(Pending::Raw(Cow::Borrowed("}")));
        self.push_pending(todo);
    }
}

/// The name of the mark, as it is written.
const MARK: &str = "\"compressed\"";

/// The name, with a colon, of a list that lost its middle. It is a new name because the content is different, unless
/// the new name is taken or the old one already says it.
fn preview_name<'a>(name: &'a str, names: &HashSet<&str>) -> Cow<'a, str> {
    let bare = name.strip_suffix('"').unwrap_or(name);
    let preview = format!("{bare}_preview\"");
    if bare.ends_with("_preview") || names.contains(preview.as_str()) {
        return Cow::Owned(format!("{name}:"));
    }
    Cow::Owned(format!("{preview}:"))
}

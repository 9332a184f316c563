//! Facts that must survive letter by letter.

use super::paths::{self, Whole};
use super::{blanks, bytes, wide, word};
use crate::saved::saved;

/// The kind of a literal fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LiteralKind {
    /// A file's or folder's path, or a file's bare name with a well-known extension.
    Path,
    /// A URL with its scheme.
    Url,
    /// A UUID, a hash, a prefixed id, an issue number, a booking reference.
    Id,
    /// An error code: `E0308`, `TS2345`, `ENOENT`, `HTTP 404`.
    ErrorCode,
}

saved!(
    enum LiteralKind {
        Path,
        Url,
        Id,
        ErrorCode,
    }
);

/// One occurrence of a literal fact in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Literal<'a> {
    /// Its kind.
    pub kind: LiteralKind,
    /// Its text.
    pub text: &'a str,
    /// Its byte offset in the searched text.
    pub at: usize,
}

/// Longer words, in bytes, are data (base64, minified code) and not names.
const LONGEST_WORD: usize = 256;

/// How far from others, in bytes, a colour may stand.
const NEAR: usize = 256;

/// Longer URLs, in bytes, carry data.
const LONGEST_URL: usize = 2048;

/// The literal facts of `text`, in order, one per occurrence.
///
/// Chinese and Japanese characters end a word, because there are no blanks around words there.
pub fn literals(text: &str) -> Vec<Literal<'_>> {
    let mut out = Vec::new();
    each_literal(text, &mut |literal| out.push(literal));
    out
}

/// Like `literals`, but calls `found` for each.
pub(super) fn each_literal<'a>(text: &'a str, report: &mut dyn FnMut(Literal<'a>)) {
    let found = &mut |literal: Literal<'a>| {
        if !is_cut(text, &literal) && !text[..literal.at].ends_with("#!") {
            report(literal);
        }
    };
    let bytes = text.as_bytes();
    let is_json = text.trim_start().starts_with(['{', '[']);
    let (mut at, mut floor) = (0, 0);
    while at < bytes.len() {
        let mut seen = bytes::CLASS[usize::from(bytes[at])];
        if seen == 0 {
            // In JSON, `\nsrc/a.rs` begins a line, and the `n` is not part of the path.
            if bytes[at] == b'\\' && is_json && matches!(bytes.get(at + 1), Some(b'n' | b'r' | b't' | b'\\'))
            {
                at += 1;
                floor = at + 1;
            }
            at += 1;
            continue;
        }
        if seen == bytes::HASH {
            let len = issue_number(bytes, at);
            if let Some(len) = len {
                floor = at + len;
                found(Literal { kind: LiteralKind::Id, text: &text[at..floor], at });
            }
            at += len.unwrap_or(1);
            continue;
        }
        let (ascii, marks) = bytes::run(&bytes[at..]);
        seen = marks;
        let mut end = at + ascii;
        let next = bytes.get(end).copied().unwrap_or(0);
        if !next.is_ascii() {
            let run = word::run_len(&text[at..]);
            if run == 0 {
                at += text[at..].chars().next().map_or(1, char::len_utf8);
                continue;
            }
            end = at + run;
        } else if seen == bytes::PLAIN && next != b':' && ascii < bytes::LONGEST_PLAIN {
            at = end; // most words of a text
            continue;
        }
        at = literal_at(text, &mut floor, at, end, found);
    }
}

/// Whether a mark that says that something was left out stands directly beside it, so that only a part of it is here.
fn is_cut(text: &str, literal: &Literal<'_>) -> bool {
    let (before, behind) = (&text[..literal.at], &text[literal.at + literal.text.len()..]);
    before.ends_with("…]")
        || behind.starts_with("[…")
        || (literal.text.ends_with('[') && behind.starts_with('…'))
}

/// Reports the facts in the word `at..end` and in what it begins. Returns where to continue.
///
/// `floor`: text before it belongs to facts already found, so no path may begin there.
fn literal_at<'a>(
    text: &'a str,
    floor: &mut usize,
    at: usize,
    end: usize,
    found: &mut dyn FnMut(Literal<'a>),
) -> usize {
    if let Some((start, len)) = url(text, at, end).or_else(|| remote(text, at, end)) {
        *floor = start + len;
        if len <= LONGEST_URL {
            let url = word::trim_url(&text[start..start + len]);
            found(Literal { kind: LiteralKind::Url, text: url, at: start });
        }
        return start + len;
    }
    if let Some(len) = drive_path(text, at, end) {
        *floor = at + len;
        let path = text[at..at + len].trim_end_matches(['.', '\\']);
        found(Literal { kind: LiteralKind::Path, text: path, at });
        return at + len;
    }
    let issue = issue_number(text.as_bytes(), end);
    if let Some(len) = issue.filter(|_| text[at..end].bytes().filter(|b| *b == b'/').count() == 1) {
        *floor = end + len;
        found(Literal { kind: LiteralKind::Id, text: &text[at..end + len], at });
        return end + len;
    }
    if let Some(end) = blanks::path_end(text, at, end).filter(|end| word::is_path(&text[at..*end])) {
        *floor = end;
        found(Literal { kind: LiteralKind::Path, text: &text[at..end], at });
        return end;
    }
    if is_relative_to_its_file(text, at, end) {
        *floor = end;
        return end;
    }
    let is_piece = match paths::whole(text, *floor, at, end) {
        Whole::Path(start, end) => {
            *floor = end;
            found(Literal { kind: LiteralKind::Path, text: &text[start..end], at: start });
            return end;
        }
        Whole::Word => blanks::begins_name(&text[..at]),
        Whole::NoPath => true,
    };
    if end - at <= LONGEST_WORD {
        in_word(text, at, end, is_piece, &mut |literal| {
            *floor = literal.at + literal.text.len();
            found(literal);
        });
    }
    end
}

/// The facts in one word: the whole word if it is a path and not part of something else, or otherwise the ids and codes in it.
fn in_word<'a>(text: &'a str, at: usize, end: usize, is_piece: bool, found: &mut dyn FnMut(Literal<'a>)) {
    let (start, whole) = word::trimmed(text, at, end);
    let (run, marks) = bytes::run(whole.as_bytes());
    if run == whole.len() && marks == bytes::PLAIN && run < bytes::LONGEST_PLAIN {
        return;
    }
    if word::is_definition(&text[at..end]) {
        return;
    }
    if !is_piece && word::is_path(whole) {
        if !word::is_code(whole, &text[end..]) && !word::may_be_list(whole) {
            found(Literal { kind: LiteralKind::Path, text: whole, at: start });
        }
        return;
    }
    if whole == "HTTP" || whole.starts_with("HTTP/") {
        if let Some(len) = http_status(&text[start + whole.len()..]) {
            let text = &text[start..start + whole.len() + len];
            found(Literal { kind: LiteralKind::ErrorCode, text, at: start });
        }
        return;
    }
    let mut from = start;
    for piece in whole.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-')) {
        let kind = if word::is_error_code(piece) {
            Some(LiteralKind::ErrorCode)
        } else if word::is_id(piece) {
            Some(LiteralKind::Id)
        } else {
            None
        };
        if let Some(kind) = kind {
            found(Literal { kind, text: piece, at: from });
        }
        from += piece.len();
        from += text[from..end].chars().next().map_or(0, char::len_utf8);
    }
}

/// Whether code names another file relative to its own: `from "./config.js"`, `require('../shell')`. Apart from that file, the path says
/// nothing.
fn is_relative_to_its_file(text: &str, at: usize, end: usize) -> bool {
    let bytes = text.as_bytes();
    let is_relative = text[at..end].starts_with("./") || text[at..end].starts_with("../");
    let Some(open) = at.checked_sub(1).filter(|_| is_relative) else { return false };
    if !matches!(bytes[open], b'"' | b'\'') || bytes.get(end) != Some(&bytes[open]) {
        return false;
    }
    let before = &text[..open];
    let before = before.strip_suffix('(').unwrap_or_else(|| before.trim_end_matches(' '));
    // Prose also quotes paths, so only the words by which code loads a file count.
    ["from", "import", "require"].iter().any(|word| {
        before.strip_suffix(word).is_some_and(|rest| !rest.ends_with(|c: char| c.is_ascii_alphanumeric()))
    })
}

/// The length of an issue number like `#123` at this byte, if there is one with nothing attached to it.
fn issue_number(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'#') {
        return None;
    }
    let digits = bytes[at + 1..].iter().take(8).take_while(|b| b.is_ascii_digit()).count();
    let attached = bytes.get(at + 1 + digits).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    let is_number = (1..=7).contains(&digits) && !attached && bytes[at + 1] != b'0';
    (is_number && !is_colour(bytes, at, at + 1 + digits)).then_some(1 + digits)
}

/// Whether `#` and six digits are a colour: a grey, or between quotes, or the value of a style, or near a colour with letters.
fn is_colour(bytes: &[u8], at: usize, end: usize) -> bool {
    let is_grey = |six: &[u8]| six[..2] == six[2..4] && six[2..4] == six[4..];
    let is_quoted = || at > 0 && matches!(bytes[at - 1], b'"' | b'\'' | b'`');
    let is_value = || bytes.get(end) == Some(&b';');
    let near = &bytes[at.saturating_sub(NEAR)..bytes.len().min(end + NEAR)];
    let is_hex = |behind: &[u8]| {
        let six = behind.iter().take_while(|b| b.is_ascii_alphanumeric()).count() == 6;
        six && behind[..6].iter().all(u8::is_ascii_hexdigit) && !behind[..6].iter().all(u8::is_ascii_digit)
    };
    let is_among_colours = || near.split(|b| *b == b'#').skip(1).any(is_hex);
    end - at == 7 && (is_grey(&bytes[at + 1..end]) || is_quoted() || is_value() || is_among_colours())
}

/// The start and length of a URL whose scheme ends the word `at..end`.
fn url(text: &str, at: usize, end: usize) -> Option<(usize, usize)> {
    let rest = text[end..].strip_prefix("://")?;
    let word = &text[at..end];
    let scheme = word.len() - word.bytes().rev().take_while(u8::is_ascii_alphanumeric).count();
    let scheme = scheme + word.as_bytes()[scheme..].iter().take_while(|b| b.is_ascii_digit()).count();
    if word.len() - scheme < 2 || !rest.starts_with(|c: char| c.is_alphanumeric() || c == '/' || c == '[') {
        return None;
    }
    let len = wide::url_len(rest, text[..at + scheme].ends_with(wide::is_wide));
    (len > 0).then_some((at + scheme, end - at - scheme + 3 + len))
}

/// The start and length of a remote like `git@github.com:a/b.git` whose part before the colon ends the word `at..end`.
fn remote(text: &str, at: usize, end: usize) -> Option<(usize, usize)> {
    let rest = text[end..].strip_prefix(':').filter(|rest| !rest.starts_with(':'))?;
    let (user, host) = text[at..end].rsplit_once('@')?;
    let is_name = |name: &str| !name.is_empty() && !name.contains(['/', '@', '+', '~']) && name.is_ascii();
    let len = rest.find(|c: char| !word::is_part(c)).unwrap_or(rest.len());
    let path = &rest[..len];
    let is_path = path.contains('/') && !path.contains("//") && path.contains(|c: char| c.is_alphabetic());
    (is_name(user) && is_name(host) && host.contains('.') && is_path).then_some((at, end - at + 1 + len))
}

/// The length of a path like `C:\dir\file.txt` at this word, if the word is a drive letter.
fn drive_path(text: &str, at: usize, end: usize) -> Option<usize> {
    let drive = end - at == 1 && text.as_bytes()[at].is_ascii_alphabetic();
    let rest = text[end..].strip_prefix(":\\").filter(|_| drive)?;
    let is_part = |c: char| word::is_part(c) || c == '\\' || wide::is_wide(c);
    let len = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
    let run = &text[end + 1..end + 2 + len];
    let is_sentence = run.contains(wide::is_wide) && len <= LONGEST_WORD;
    let len = if is_sentence { wide::path_in(run, &['\\', '/'], true)?.1.checked_sub(1)? } else { len };
    (len > 1 && len <= LONGEST_WORD).then_some(3 + len)
}

/// The length of ` 404` after `HTTP`, for client and server errors.
fn http_status(rest: &str) -> Option<usize> {
    let digits = rest.strip_prefix(' ')?.as_bytes();
    let error = matches!(digits.first(), Some(b'4' | b'5')) && digits.len() >= 3;
    let three = error && digits[1].is_ascii_digit() && digits[2].is_ascii_digit();
    (three && !digits.get(3).is_some_and(u8::is_ascii_alphanumeric)).then_some(4)
}

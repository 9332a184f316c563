//! Facts that must survive letter by letter.

use super::paths::{self, Whole};
use super::{bytes, wide, word};
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
pub(super) fn each_literal<'a>(text: &'a str, found: &mut dyn FnMut(Literal<'a>)) {
    let bytes = text.as_bytes();
    let (mut at, mut floor) = (0, 0);
    while at < bytes.len() {
        let mut seen = bytes::CLASS[usize::from(bytes[at])];
        if seen == 0 {
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
        Whole::Word => false,
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
        if !word::is_code(whole, &text[end..]) {
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
    // `#008800` is a colour.
    ((1..=7).contains(&digits) && !attached && bytes[at + 1] != b'0').then_some(1 + digits)
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

#[cfg(test)]
mod tests {
    use super::LiteralKind::{ErrorCode, Id, Path, Url};
    use super::*;

    fn of(text: &str) -> Vec<(LiteralKind, &str)> {
        literals(text)
            .into_iter()
            .inspect(|l| assert_eq!(&text[l.at..l.at + l.text.len()], l.text))
            .map(|l| (l.kind, l.text))
            .collect()
    }

    #[test]
    fn paths_with_an_extension_or_two_slashes() {
        assert_eq!(
            of("See src/main.rs:12:5, ./a/b and (../x.toml); `/usr/local/bin`. ~/.ssh/config"),
            [
                (Path, "src/main.rs"),
                (Path, "./a/b"),
                (Path, "../x.toml"),
                (Path, "/usr/local/bin"),
                (Path, "~/.ssh/config")
            ]
        );
        assert_eq!(of("edit Cargo.toml and main.rs."), [(Path, "Cargo.toml"), (Path, "main.rs")]);
        assert_eq!(of("@packages/agent/src/main.ts?"), [(Path, "packages/agent/src/main.ts")]);
        assert_eq!(of("import '@/lib/utils'"), [(Path, "@/lib/utils")]);
        assert_eq!(of(r"open C:\Users\me\a.txt now"), [(Path, r"C:\Users\me\a.txt")]);
    }

    #[test]
    fn a_scoped_module_keeps_its_name() {
        assert_eq!(of("from \"@repo/ui/components/label\""), [(Path, "@repo/ui/components/label")]);
        assert_eq!(of("import '@sinclair/typebox/compiler'"), [(Path, "@sinclair/typebox/compiler")]);
    }

    #[test]
    fn a_path_that_code_names_relative_to_its_file_is_not_a_fact() {
        assert_eq!(
            of(
                "import { a } from \"./config.js\";\nexport * from '../x/y.js'; import './style.css'\nconst s = require(\"../shell.js\");"
            ),
            []
        );
        assert_eq!(
            of("{\"path\":\"./src/a.ts\", \"all\": [\"./b/c.ts\"]} run ./x.sh, see \"./d.md\""),
            [(Path, "./src/a.ts"), (Path, "./b/c.ts"), (Path, "./x.sh"), (Path, "./d.md")]
        );
    }

    #[test]
    fn a_diff_header_names_the_file() {
        let diff = "diff --git a/src/a.rs b/src/a.rs\nindex 1..2\n--- a/src/a.rs\n+++ b/src/a.rs\n a/b/c";
        let file = (Path, "src/a.rs");
        assert_eq!(of(diff), [file, file, file, file, (Path, "a/b/c")]);
    }

    #[test]
    fn non_paths_are_ignored() {
        assert_eq!(
            of("and/or, 12/05/2024, 3/4, a / b, // comment, e.g. this.thing, 1.2.3, //, ..., </b>"),
            []
        );
        assert_eq!(of("I/O TCP/IP km/h"), []);
    }

    #[test]
    fn compiler_flags_are_stripped_and_macro_definitions_ignored() {
        assert_eq!(
            of(
                "cc -DHAVE_UINT128_T -UABC_123456 -I./Include/internal/mimalloc -L/root/lib -I../x main.c -o- -DX=/etc/a.conf"
            ),
            [
                (Path, "./Include/internal/mimalloc"),
                (Path, "/root/lib"),
                (Path, "main.c"),
                (Path, "/etc/a.conf")
            ]
        );
        assert_eq!(
            of("- src/a.rs --toolu_019tYDrbzifrra2"),
            [(Path, "src/a.rs"), (Id, "toolu_019tYDrbzifrra2")]
        );
    }

    #[test]
    fn attributes_and_calls_are_not_files() {
        assert_eq!(
            of("self.bin = open(f); s.html = 3; this.db cls.log(x) self.proto.bin r.json() console.log"),
            []
        );
        assert_eq!(
            of("a.html, main.ts(12,5): x.py = 3? selfish.py self/this.rs f(setup.py) notes.md (old)"),
            [
                (Path, "a.html"),
                (Path, "main.ts"),
                (Path, "selfish.py"),
                (Path, "self/this.rs"),
                (Path, "setup.py"),
                (Path, "notes.md")
            ]
        );
    }

    #[test]
    fn urls_end_where_prose_continues() {
        assert_eq!(
            of("(see https://example.org/a_(b)?q=1#x). \"http://localhost:3000/\", ws://h/p"),
            [(Url, "https://example.org/a_(b)?q=1#x"), (Url, "http://localhost:3000/"), (Url, "ws://h/p")]
        );
        assert_eq!(of("请看https://example.org/文档。然后"), [(Url, "https://example.org/")]);
        assert_eq!(of("a:// b http:// c"), []);
    }

    #[test]
    fn ids_of_every_kind() {
        assert_eq!(
            of("123e4567-e89b-12d3-a456-426614174000 commit 94ff0b0, toolu_019tYDrbzifrra2 #42 a/b#7"),
            [
                (Id, "123e4567-e89b-12d3-a456-426614174000"),
                (Id, "94ff0b0"),
                (Id, "toolu_019tYDrbzifrra2"),
                (Id, "#42"),
                (Id, "a/b#7")
            ]
        );
        assert_eq!(of("abc1..94ff0b0 sha256:0123456789abcdef"), [(Id, "94ff0b0"), (Id, "0123456789abcdef")]);
        assert_eq!(of("deadbeef 1234567 call_3_1 utf-8 #000cc #123456789 foo_bar_baz c# a#b #008800"), []);
    }

    #[test]
    fn references_and_numbered_names_are_ids() {
        assert_eq!(
            of("FQ8APE, reservation 1N99U6 (GV1N64) of yara_garcia_1905, 预订号OBUT9V。"),
            [(Id, "FQ8APE"), (Id, "1N99U6"), (Id, "GV1N64"), (Id, "yara_garcia_1905"), (Id, "OBUT9V")]
        );
        assert_eq!(
            of(
                "SHA256 UTF16 ES2020 ISO8601 I18N 1080P 300MB W3C H264 BASE64 #8ABEB7 FF00AA U+1F600 UINT8_MAX X2_Y3Z_A"
            ),
            []
        );
        assert_eq!(of("OAUTH2 HAT003 test_case_12 section_2024 utf_8859 MAX_VALUE_1 hxdubj7x"), []);
    }

    #[test]
    fn error_codes() {
        assert_eq!(
            of("error[E0308]: x; TS2345: y; ENOENT, HTTP 404 and HTTP/1.1 503 but HTTP 200, EXPORT, E12"),
            [
                (ErrorCode, "E0308"),
                (ErrorCode, "TS2345"),
                (ErrorCode, "ENOENT"),
                (ErrorCode, "HTTP 404"),
                (ErrorCode, "HTTP/1.1 503")
            ]
        );
    }

    #[test]
    fn words_in_chinese_and_japanese_text() {
        assert_eq!(
            of("请修改src/main.rs文件,然后运行。エラーE0308が出た。"),
            [(Path, "src/main.rs"), (ErrorCode, "E0308")]
        );
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_searched(text in "[a-c1/.:#_ \\-\\\\家é👩‍👩‍👧]{0,40}|\\PC{0,60}|(https?://|HTTP |[A-Z]:\\\\|/|\\.){0,12}") {
            for l in literals(&text) {
                proptest::prop_assert_eq!(&text[l.at..l.at + l.text.len()], l.text);
                proptest::prop_assert!(!l.text.is_empty());
            }
        }
    }
}

//! Classifies a single word: a path, an id, an error code.

use super::codes;
use crate::script::is_cjk;

/// Extensions by which a bare name is recognised as a file's. Without such a list, `this.thing` would be one.
const EXTENSIONS: [&str; 88] = [
    "astro", "avif", "bash", "bat", "bin", "bmp", "c", "cc", "cfg", "cjs", "conf", "cpp", "cs", "css", "csv",
    "cts", "dart", "db", "diff", "doc", "docx", "env", "ex", "exs", "gif", "go", "gradle", "graphql", "h",
    "hpp", "hs", "htm", "html", "ini", "ipynb", "java", "jpeg", "jpg", "js", "json", "jsonc", "jsonl", "jsx",
    "kt", "less", "lock", "log", "lua", "md", "mdx", "mjs", "mts", "ndjson", "pdf", "php", "pl", "png",
    "proto", "ps1", "py", "pyi", "r", "rb", "rs", "rst", "sass", "scala", "scss", "sh", "snap", "sql",
    "sqlite", "svelte", "svg", "swift", "tar", "toml", "ts", "tsv", "tsx", "txt", "vue", "wasm", "webp",
    "xlsx", "xml", "yaml", "yml",
];

/// Names of system errors. A list, because `EXPORT` and `ERROR` have the same form.
const ERRNO: [&str; 46] = [
    "E2BIG", "EACCES", "EADDRINUSE", "EADDRNOTAVAIL", "EAGAIN", "EAI_AGAIN", "EBADF", "EBUSY", "ECANCELED",
    "ECHILD", "ECONNABORTED", "ECONNREFUSED", "ECONNRESET", "EDEADLK", "EEXIST", "EFAULT", "EFBIG",
    "EHOSTUNREACH", "EINTR", "EINVAL", "EIO", "EISDIR", "ELOOP", "EMFILE", "EMLINK", "EMSGSIZE",
    "ENAMETOOLONG", "ENETUNREACH", "ENFILE", "ENOBUFS", "ENODEV", "ENOENT", "ENOEXEC", "ENOMEM", "ENOSPC",
    "ENOSYS", "ENOTCONN", "ENOTDIR", "ENOTEMPTY", "ENOTFOUND", "ENOTSUP", "EPERM", "EPIPE", "EROFS",
    "ERESOLVE", "ETIMEDOUT",
];

/// Whether a character may be part of a path or an id.
pub(super) fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || matches!(c, '_' | '-' | '.' | '/' | '~' | '@' | '+')
        || (!c.is_ascii() && (c.is_alphanumeric() || is_mark(c)) && !is_cjk(c))
}

/// An accent or vowel sign that follows its letter, as in file names of some systems.
fn is_mark(c: char) -> bool {
    matches!(u32::from(c), 0x0300..=0x036F | 0x0591..=0x05C7 | 0x064B..=0x0652 | 0x093C | 0x094D | 0x09CD | 0x0E47..=0x0E4E)
}

/// Whether a character may be part of a URL, for scripts with blanks between words.
pub(super) fn is_url_part(c: char) -> bool {
    if !c.is_ascii() {
        return is_part(c);
    }
    c.is_ascii_graphic() && !matches!(c, '"' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}')
}

/// The length, in bytes, of the run of [`is_part`] characters at the start of `text`.
pub(super) fn run_len(text: &str) -> usize {
    text.find(|c: char| !is_part(c)).unwrap_or(text.len())
}

/// Where the word `text[at..end]` begins, and the word, without surrounding punctuation and without a flag that a path is attached to
/// (`-I./include`).
pub(super) fn trimmed(text: &str, at: usize, end: usize) -> (usize, &str) {
    let word = text[at..end].trim_end_matches(['.', '-', '+', '@', '~']);
    if let [b'-', b'A'..=b'Z', b'.' | b'/' | b'~', ..] = word.as_bytes() {
        return without_dot(text, at + 2, at + word.len());
    }
    // `@src/a.rs` in a sentence mentions a file, `"@scope/name"` is a module, and `@/lib` is an import alias of some projects.
    let body = word.trim_start_matches(['-', '+']);
    let is_quoted = text[..at].ends_with(['"', '\'', '`']);
    let mentions = |rest: &&str| !is_quoted && !rest.starts_with('/') && has_known_extension(rest);
    let body = body.strip_prefix('@').filter(mentions).unwrap_or(body);
    let body = without_side(body, text, at);
    without_dot(text, at + word.len() - body.len(), at + word.len())
}

/// Where the path `text[at..end]` begins, and the path, without `./`: with or without, it is the same file.
pub(super) fn without_dot(text: &str, at: usize, end: usize) -> (usize, &str) {
    let mut rest = &text[at..end];
    while let Some(inner) = rest.strip_prefix("./").filter(|inner| !inner.starts_with('/')) {
        rest = inner;
    }
    (end - rest.len(), rest)
}

/// At most so many bytes come before a path in the header of a diff: the other path. A line may be a megabyte long.
const LONGEST_HEAD: usize = 300;

/// A path in the header of a diff without its side: `a/src/x.rs` and `b/src/x.rs` are the file `src/x.rs`.
fn without_side<'a>(path: &'a str, text: &str, at: usize) -> &'a str {
    let Some(rest) = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")) else { return path };
    let before = &text[text.floor_char_boundary(at.saturating_sub(LONGEST_HEAD))..at];
    let line = match before.rfind('\n') {
        Some(end) => &before[end + 1..],
        None if before.len() == at => before,
        None => return path,
    };
    let is_head = ["--- ", "+++ ", "diff --git "].contains(&line) || line.starts_with("diff --git a/");
    if is_head { rest } else { path }
}

/// A URL without the punctuation after it. A closing bracket stays if it was opened inside.
pub(super) fn trim_url(url: &str) -> &str {
    let mut balance: i64 = url.bytes().map(|b| i64::from(b == b'(') - i64::from(b == b')')).sum();
    let mut end = url.len();
    while let Some(last) = url[..end].bytes().last() {
        match last {
            b'.' | b',' | b';' | b':' | b'!' | b'?' | b'\'' | b'*' | b']' => {}
            b')' if balance < 0 => balance += 1,
            _ => break,
        }
        end -= 1;
    }
    &url[..end]
}

/// Whether a word is an absolute or relative path with an extension or two slashes, or a bare file name.
pub(super) fn is_path(word: &str) -> bool {
    if !word.bytes().any(|b| b == b'/' || b == b'.') {
        return false;
    }
    let mut segments = word.split('/').filter(|s| !s.is_empty());
    let named = segments.clone().any(|s| s.chars().any(char::is_alphabetic));
    if !named || word.contains("//") {
        return false;
    }
    let slashes = word.bytes().filter(|b| *b == b'/').count();
    let last = segments.next_back().unwrap_or("");
    match slashes {
        0 => bare_file(last),
        1 => extension(last).is_some() && !word.starts_with("./."),
        _ => true,
    }
}

/// Whether nothing but its slashes makes a word in a text a path: `grep/find/ls` is more often a list of words than a folder, and a folder
/// that matters has files, whose paths name it.
pub(super) fn may_be_list(word: &str) -> bool {
    let is_letter = |c: char| c.is_alphabetic() || c == '/';
    word.starts_with(char::is_alphabetic)
        && word.ends_with(char::is_alphabetic)
        && word.chars().all(is_letter)
}

/// Whether a word is a compiler's flag like `-DHAVE_UINT128_T` or `-UNAME`.
pub(super) fn is_definition(word: &str) -> bool {
    let name = word.strip_prefix("-D").or_else(|| word.strip_prefix("-U"));
    name.is_some_and(|name| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))
}

/// Whether what looks like a bare file name is code, judged by itself or by the text after it: `self.bin`, `console.log`, `s.html = 3`,
/// `answer.json()`.
pub(super) fn is_code(word: &str, behind: &str) -> bool {
    const CODE: [&str; 6] =
        ["console.log", "process.env", "import.meta.env", "Math.log", "math.log", "np.log"];
    const OWNERS: [&str; 3] = ["self", "this", "cls"];
    let Some((owner, _)) = word.split_once('.').filter(|_| !word.contains('/')) else { return false };
    let mut next = behind.chars();
    // `main.ts(12,5)` is a position in a file.
    let is_called = next.next() == Some('(') && !next.next().is_some_and(|c| c.is_ascii_digit());
    let is_set = owner.len() == 1 && behind.trim_start_matches(' ').starts_with('=');
    is_called || is_set || OWNERS.contains(&owner) || CODE.contains(&word)
}

fn bare_file(name: &str) -> bool {
    // A one-letter extension may just as well be a method or an initial.
    let plain = name.split('.').next().is_some_and(|stem| stem.len() > 1);
    extension(name).is_some_and(|e| is_known_extension(e) && (e.len() > 1 || plain))
}

/// Whether this is a file extension, in upper or lower case.
pub(super) fn is_known_extension(extension: &str) -> bool {
    EXTENSIONS.binary_search(&extension.to_ascii_lowercase().as_str()).is_ok()
}

/// Whether a path ends in a known extension of two letters or more.
pub(super) fn has_known_extension(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(stem, e)| !stem.is_empty() && e.len() > 1 && is_known_extension(e))
}

fn extension(name: &str) -> Option<&str> {
    let (stem, extension) = name.rsplit_once('.')?;
    let shaped = (1..=12).contains(&extension.len()) && extension.bytes().all(|b| b.is_ascii_alphanumeric());
    let spoken = extension.bytes().any(|b| b.is_ascii_alphabetic());
    (!stem.is_empty() && shaped && spoken).then_some(extension)
}

/// Whether a word is a UUID, a hash, a reference, or a name with a long enough tail of letters and digits.
pub(super) fn is_id(word: &str) -> bool {
    is_uuid(word)
        || word.bytes().any(|b| b.is_ascii_digit())
            && (is_hash(word)
                || is_prefixed(word)
                || codes::is_numbered(word)
                || codes::is_reference(word)
                || codes::is_numbered_name(word))
}

fn is_uuid(word: &str) -> bool {
    word.len() == 36
        && word.bytes().enumerate().all(|(i, b)| match i {
            8 | 13 | 18 | 23 => b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}

fn is_hash(word: &str) -> bool {
    (7..=64).contains(&word.len())
        && word.bytes().all(|b| b.is_ascii_hexdigit())
        && word.bytes().any(|b| b.is_ascii_digit())
        && word.bytes().any(|b| b.is_ascii_alphabetic())
}

/// `name_…` or `name-…`, where a part after a separator has six or more letters and digits, at least two of them digits.
fn is_prefixed(word: &str) -> bool {
    let is_word = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_lowercase());
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.split(['_', '-']).skip(1).any(|tail| {
            tail.len() >= 6
                && tail.bytes().all(|b| b.is_ascii_alphanumeric())
                && tail.bytes().filter(u8::is_ascii_digit).count() >= 2
                && !is_word(tail.trim_start_matches(|c: char| c.is_ascii_digit())) // `256color`
        })
}

/// `E0308`, `TS2345`, `ENOENT`.
pub(super) fn is_error_code(word: &str) -> bool {
    let digits = |s: &str, range: std::ops::RangeInclusive<usize>| {
        range.contains(&s.len()) && s.bytes().all(|b| b.is_ascii_digit())
    };
    match word.as_bytes().first() {
        Some(b'T') => word.strip_prefix("TS").is_some_and(|d| digits(d, 4..=5)),
        Some(b'E') => digits(&word[1..], 4..=4) || ERRNO.contains(&word) || codes::is_named_error(word),
        Some(b'O') => codes::is_named_error(word),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_extension_makes_a_path() {
        let mut sorted = EXTENSIONS;
        sorted.sort_unstable();
        for e in sorted {
            assert!(is_path(&format!("ab.{e}")), "{e}");
        }
    }
}

//! Regular expressions in the syntax of Rust's `regex` without `\p{…}`, in time linear in the text.
//!
//! Uses only the simplest engine of `regex-automata`: `regex` brings several engines, all of which a web page would download.

mod scan;

use std::sync::Mutex;

pub use scan::{Progress, Scan, Searchable};

use regex_automata::nfa::thompson::pikevm::{Cache, PikeVM};
use regex_automata::nfa::thompson::{Compiler, Config};
use regex_automata::util::{captures, syntax};

/// Bytes that a compiled pattern may take: enough for any that a person writes.
const MAX_COMPILED_BYTES: usize = 1 << 20;

/// The end of a syntax error: what is supported. Tables of Unicode properties would make the download much larger.
const SYNTAX_HINT: &str = r"the syntax is that of Rust's `regex`, with no look-around, no backreferences and no `\p{…}` (`\w` has the letters of all scripts)";

/// Longer patterns, in bytes, are not even parsed: parsing takes many times as much memory, which WebAssembly never gives back.
const MAX_PATTERN_BYTES: usize = 2_000;

/// Bytes that a literal search text may have.
const MAX_TEXT_BYTES: usize = 1_000;

/// How a pattern is matched.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Ignore case: `(?i)`.
    pub ignore_case: bool,
    /// `^` and `$` match at lines: `(?m)`.
    pub multi_line: bool,
    /// `.` matches `\n`: `(?s)`.
    pub dot_matches_new_line: bool,
}

/// A compiled regular expression.
#[derive(Debug)]
pub struct Pattern {
    engine: PikeVM,
    /// The bytes that a match can begin with; `None` if a match can be empty.
    first_bytes: Option<Box<[bool; 256]>>,
    /// The engine's working memory, kept for the next search.
    cache: Mutex<Option<Cache>>,
}

/// A match with its named groups.
pub struct Captures<'t> {
    text: &'t str,
    groups: captures::Captures,
}

impl Pattern {
    /// Compiles `pattern`.
    ///
    /// # Errors
    /// What is wrong with the pattern, and where.
    pub fn new(pattern: &str, options: Options) -> Result<Self, String> {
        if pattern.len() > MAX_PATTERN_BYTES {
            return Err(format!(
                "it has {} bytes, but a pattern may have at most {MAX_PATTERN_BYTES}; use a shorter one",
                pattern.len()
            ));
        }
        Self::compiled(pattern, options)
    }

    /// Compiles a pattern that matches any of these texts literally.
    ///
    /// # Errors
    /// If one of the texts is too long.
    pub fn of_texts(texts: &[&str], ignore_case: bool) -> Result<Self, String> {
        if let Some(long) = texts.iter().find(|text| text.len() > MAX_TEXT_BYTES) {
            return Err(format!(
                "it has {} bytes, but the limit is {MAX_TEXT_BYTES}; search for a part of it",
                long.len()
            ));
        }
        let escaped: Vec<String> = texts.iter().map(|text| escape(text)).collect();
        Self::compiled(&escaped.join("|"), Options { ignore_case, ..Options::default() })
    }

    fn compiled(pattern: &str, options: Options) -> Result<Self, String> {
        let syntax = syntax::Config::new()
            .case_insensitive(options.ignore_case)
            .multi_line(options.multi_line)
            .dot_matches_new_line(options.dot_matches_new_line);
        let tree =
            syntax::parse_with(pattern, &syntax).map_err(|e| format!("{SYNTAX_HINT}: {}", error_text(&e)))?;
        let engine = Compiler::new()
            .configure(Config::new().nfa_size_limit(Some(MAX_COMPILED_BYTES)))
            .build_from_hir(&tree)
            .and_then(PikeVM::new_from_nfa)
            .map_err(|_| {
                format!(
                    "its compiled form exceeds the limit of {MAX_COMPILED_BYTES} bytes; repeat less, or smaller parts"
                )
            })?;
        let begins = scan::first_bytes(engine.get_nfa());
        Ok(Self { engine, first_bytes: begins, cache: Mutex::new(None) })
    }

    /// Whether the pattern matches anywhere.
    pub fn is_match(&self, text: &str) -> bool {
        self.with_cache(|engine, cache| engine.is_match(cache, text))
    }

    #[cfg(test)]
    fn by_engine(&self, text: &str, from: usize) -> Option<std::ops::Range<usize>> {
        let input = regex_automata::Input::new(text).range(from..);
        self.with_cache(|engine, cache| Some(engine.find_iter(cache, input).next()?.range()))
    }

    #[cfg(test)]
    pub(crate) fn find(&self, text: &str) -> Option<std::ops::Range<usize>> {
        match Scan::default().resume(self, &text, &mut { u64::MAX }) {
            Progress::Found(found) => Some(found),
            Progress::NotFound | Progress::Paused => None,
        }
    }

    /// The first match, with its groups.
    pub fn captures<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        let mut groups = self.engine.create_captures();
        self.with_cache(|engine, cache| engine.captures(cache, text, &mut groups));
        groups.is_match().then_some(Captures { text, groups })
    }

    fn with_cache<T>(&self, search: impl FnOnce(&PikeVM, &mut Cache) -> T) -> T {
        let kept = self.cache.lock().ok().and_then(|mut kept| kept.take());
        let mut cache = kept.unwrap_or_else(|| self.engine.create_cache());
        let found = search(&self.engine, &mut cache);
        if let Ok(mut kept) = self.cache.lock() {
            *kept = Some(cache);
        }
        found
    }
}

impl<'t> Captures<'t> {
    /// What a named group matched.
    pub fn name(&self, name: &str) -> Option<&'t str> {
        self.text.get(self.groups.get_group_by_name(name)?.range())
    }
}

/// Characters of a pattern that an error message shows.
const SHOWN_CHARS: usize = 40;

/// What is wrong, and where; never the whole pattern.
fn error_text(error: &regex_syntax::Error) -> String {
    let (what, pattern, span) = match error {
        regex_syntax::Error::Parse(error) => (error.kind().to_string(), error.pattern(), error.span()),
        regex_syntax::Error::Translate(error) => (error.kind().to_string(), error.pattern(), error.span()),
        _ => return "it cannot be parsed".to_owned(),
    };
    let from = pattern.floor_char_boundary(span.start.offset);
    let shown: String = pattern[from..].chars().take(SHOWN_CHARS).collect();
    let more = if from + shown.len() < pattern.len() { "…" } else { "" };
    format!("{what}, at character {} (`{shown}{more}`)", pattern[..from].chars().count() + 1)
}

/// `text` as a pattern that matches exactly this text.
fn escape(text: &str) -> String {
    regex_syntax::escape(text)
}

//! Regular expressions in the syntax of Rust's `regex`, but for `\p{…}`, in time linear in the text.
//!
//! `regex-automata`'s simplest engine, by itself: `regex` brings a choice among several, which a page would download.

mod scan;

use std::sync::Mutex;

pub use scan::{Came, Scan, Searched};

use regex_automata::nfa::thompson::pikevm::{Cache, PikeVM};
use regex_automata::nfa::thompson::{Compiler, Config};
use regex_automata::util::{captures, syntax};

/// Bytes that a compiled pattern may take: enough for any that a person writes.
const MOST_BYTES: usize = 1 << 20;

/// What can be said, for who said something else: tables of Unicode's properties would be much to download.
const SYNTAX: &str = r"the syntax is that of Rust's `regex`, with no look-around, no backreferences and no `\p{…}` (`\w` has the letters of all scripts)";

/// Bytes that a pattern may have before it is read at all: reading takes memory many times as large, and memory is never given back.
const MOST_PATTERN: usize = 2_000;

/// Bytes of a text that is looked for letter by letter.
const MOST_TEXT: usize = 1_000;

/// How a pattern is read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Upper and lower case are alike: `(?i)`.
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
    /// The bytes that a match can begin with; none where it can be empty.
    begins: Option<Box<[bool; 256]>>,
    /// What a search works in, kept for the next one.
    kept: Mutex<Option<Cache>>,
}

/// Where a pattern and its named groups match.
pub struct Captures<'t> {
    text: &'t str,
    groups: captures::Captures,
}

impl Pattern {
    /// Compiles `pattern`.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn new(pattern: &str, options: Options) -> Result<Self, String> {
        if pattern.len() > MOST_PATTERN {
            return Err(format!(
                "it has {} bytes, and a pattern may have {MOST_PATTERN}; look for less of it",
                pattern.len()
            ));
        }
        Self::compiled(pattern, options)
    }

    /// What matches one of these texts, letter by letter.
    ///
    /// # Errors
    /// That one is too long.
    pub fn of_texts(texts: &[&str], ignore_case: bool) -> Result<Self, String> {
        if let Some(long) = texts.iter().find(|text| text.len() > MOST_TEXT) {
            return Err(format!(
                "it has {} bytes, and {MOST_TEXT} can be looked for; look for a part of it",
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
        let tree = syntax::parse_with(pattern, &syntax).map_err(|e| format!("{SYNTAX}: {}", told(&e)))?;
        let engine = Compiler::new()
            .configure(Config::new().nfa_size_limit(Some(MOST_BYTES)))
            .build_from_hir(&tree)
            .and_then(PikeVM::new_from_nfa)
            .map_err(|_| {
                format!("it is over the size limit of {MOST_BYTES} bytes; make what it repeats smaller")
            })?;
        let begins = scan::first_bytes(engine.get_nfa());
        Ok(Self { engine, begins, kept: Mutex::new(None) })
    }

    /// Whether it matches anywhere.
    pub fn is_match(&self, text: &str) -> bool {
        self.working(|engine, cache| engine.is_match(cache, text))
    }

    #[cfg(test)]
    fn by_engine(&self, text: &str, from: usize) -> Option<std::ops::Range<usize>> {
        let input = regex_automata::Input::new(text).range(from..);
        self.working(|engine, cache| Some(engine.find_iter(cache, input).next()?.range()))
    }

    #[cfg(test)]
    pub(crate) fn find(&self, text: &str) -> Option<std::ops::Range<usize>> {
        match Scan::new(0).go_on(self, text, &mut { u64::MAX }) {
            Came::To(found) => Some(found),
            Came::Through | Came::Halfway => None,
        }
    }

    /// The first match, with its groups.
    pub fn captures<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        let mut groups = self.engine.create_captures();
        self.working(|engine, cache| engine.captures(cache, text, &mut groups));
        groups.is_match().then_some(Captures { text, groups })
    }

    fn working<T>(&self, search: impl FnOnce(&PikeVM, &mut Cache) -> T) -> T {
        let kept = self.kept.lock().ok().and_then(|mut kept| kept.take());
        let mut cache = kept.unwrap_or_else(|| self.engine.create_cache());
        let found = search(&self.engine, &mut cache);
        if let Ok(mut kept) = self.kept.lock() {
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

/// Characters of a pattern that an error shows.
const SHOWN: usize = 40;

/// What is wrong, and where it begins; never the whole of a pattern.
fn told(error: &regex_syntax::Error) -> String {
    let (what, pattern, span) = match error {
        regex_syntax::Error::Parse(error) => (error.kind().to_string(), error.pattern(), error.span()),
        regex_syntax::Error::Translate(error) => (error.kind().to_string(), error.pattern(), error.span()),
        _ => return "it cannot be read".to_owned(),
    };
    let from = pattern.floor_char_boundary(span.start.offset);
    let shown: String = pattern[from..].chars().take(SHOWN).collect();
    let more = if from + shown.len() < pattern.len() { "…" } else { "" };
    format!("{what}, at character {} (`{shown}{more}`)", pattern[..from].chars().count() + 1)
}

/// `text` as a pattern that matches just it.
fn escape(text: &str) -> String {
    regex_syntax::escape(text)
}

//! Regular expressions in the syntax of Rust's `regex`, but for `\p{…}`, in time linear in the text.
//!
//! `regex-automata`'s simplest engine, by itself: `regex` brings a choice among several, which a page would download.

mod cost;

use std::ops::Range;
use std::sync::Mutex;

use regex_automata::Input;
use regex_automata::nfa::thompson::pikevm::{Cache, PikeVM};
use regex_automata::nfa::thompson::{Compiler, Config};
use regex_automata::util::{captures, syntax};

/// Bytes that a compiled pattern may take: enough for any that a person writes.
const MOST_BYTES: usize = 1 << 20;

/// What can be said, for who said something else: tables of Unicode's properties would be much to download.
const SYNTAX: &str = r"the syntax is that of Rust's `regex`, with no look-around, no backreferences and no `\p{…}` (`\w` has the letters of all scripts)";

/// Steps that a search may take at worst: the text's bytes, times the places of the pattern that a text can stand at at once.
/// Some ten seconds.
const MOST_STEPS: u64 = 500_000_000;

/// A pattern of so few places is searched in any text.
const FEW_PLACES: u64 = 16;

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
    /// The places of it that a text can stand at at once.
    places: u64,
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
        let syntax = syntax::Config::new()
            .case_insensitive(options.ignore_case)
            .multi_line(options.multi_line)
            .dot_matches_new_line(options.dot_matches_new_line);
        let tree = syntax::parse_with(pattern, &syntax).map_err(|e| format!("{SYNTAX}: {e}"))?;
        let engine = Compiler::new()
            .configure(Config::new().nfa_size_limit(Some(MOST_BYTES)))
            .build_from_hir(&tree)
            .and_then(PikeVM::new_from_nfa)
            .map_err(|_| {
                format!("it is over the size limit of {MOST_BYTES} bytes; make what it repeats smaller")
            })?;
        Ok(Self { engine, places: cost::places(&tree), kept: Mutex::new(None) })
    }

    /// Refuses a search that could take too long, before it begins: whether it does is seen in pattern and length alone.
    ///
    /// # Errors
    /// That, and what to do.
    pub fn refuse_costly(&self, bytes: impl FnOnce() -> u64) -> Result<(), String> {
        if self.places <= FEW_PLACES {
            return Ok(());
        }
        let bytes = bytes();
        let steps = self.places.saturating_mul(bytes);
        if steps <= MOST_STEPS {
            return Ok(());
        }
        Err(format!(
            "in {bytes} bytes it could take {steps} steps, and {MOST_STEPS} are allowed; make what it repeats smaller (a text can stand at {} places of it at once, and {} are allowed here)",
            self.places,
            (MOST_STEPS / bytes.max(1)).max(FEW_PLACES)
        ))
    }

    /// Whether it matches anywhere.
    pub fn is_match(&self, text: &str) -> bool {
        self.working(|engine, cache| engine.is_match(cache, text))
    }

    /// The first match that begins at `from` or later; what stands before counts for `^` and `\b`.
    pub fn find_at(&self, text: &str, from: usize) -> Option<Range<usize>> {
        let input = Input::new(text).range(from..);
        self.working(|engine, cache| Some(engine.find_iter(cache, input).next()?.range()))
    }

    /// The first match.
    pub fn find(&self, text: &str) -> Option<Range<usize>> {
        self.find_at(text, 0)
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

/// `text` as a pattern that matches just it.
pub fn escape(text: &str) -> String {
    regex_syntax::escape(text)
}

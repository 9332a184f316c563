//! Regular expressions in the syntax of Rust's `regex`, in time linear in the text.
//!
//! The parser is `regex-syntax`'s; what its tree means is worked out here ([`program`]), and searched with all threads at
//! once ([`search`]). The crates that do it faster bring tables for case and classes and several engines, a sixth of all that
//! a page would download; a search of ours goes through a few megabytes at most. Left out, as with `regex` built without its
//! tables: `\p{…}`.

mod class;
mod perl;
mod program;
mod search;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::Mutex;

use program::Program;
use search::Threads;

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

/// Bytes that a compiled pattern may take: enough for any that a person writes, too few to stall a search.
const MOST_BYTES: usize = 1 << 20;

/// A compiled regular expression.
pub struct Pattern {
    program: Program,
    /// What a search works in, kept for the next one.
    threads: Mutex<Option<Box<Threads>>>,
}

/// Where a pattern and its named groups match.
pub struct Captures<'p, 't> {
    program: &'p Program,
    text: &'t str,
    slots: Vec<usize>,
}

impl Pattern {
    /// Compiles `pattern`.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn new(pattern: &str, options: Options) -> Result<Self, String> {
        let ast = regex_syntax::ast::parse::Parser::new().parse(pattern).map_err(|e| e.to_string())?;
        Ok(Self { program: Program::new(&ast, pattern, options, MOST_BYTES)?, threads: Mutex::new(None) })
    }

    /// Whether it matches anywhere.
    pub fn is_match(&self, text: &str) -> bool {
        self.slots(text, 0, 0).is_some()
    }

    /// The first match.
    pub fn find(&self, text: &str) -> Option<Range<usize>> {
        self.find_at(text, 0)
    }

    /// The first match that begins at `from` or later; what stands before counts for `^` and `\b`.
    pub fn find_at(&self, text: &str, from: usize) -> Option<Range<usize>> {
        self.slots(text, from, 2).map(|slots| slots[0]..slots[1])
    }

    /// All matches that do not overlap.
    pub fn find_iter<'p>(&'p self, text: &'p str) -> impl Iterator<Item = Range<usize>> + use<'p> {
        let (mut from, mut last) = (0, None);
        std::iter::from_fn(move || {
            loop {
                let found = self.find_at(text, from)?;
                from = found.end;
                if found.is_empty() && last == Some(found.end) {
                    from += text[from..].chars().next()?.len_utf8(); // an empty match right behind another is none
                    continue;
                }
                last = Some(found.end);
                return Some(found);
            }
        })
    }

    /// The first match, with its groups.
    pub fn captures<'p, 't>(&'p self, text: &'t str) -> Option<Captures<'p, 't>> {
        let slots = self.slots(text, 0, self.program.slots)?;
        Some(Captures { program: &self.program, text, slots })
    }

    fn slots(&self, text: &str, from: usize, slots: usize) -> Option<Vec<usize>> {
        let from = self.program.skip(text, from)?;
        let kept = self.threads.lock().ok().and_then(|mut kept| kept.take());
        let mut threads = kept.unwrap_or_default();
        let found = threads.search(&self.program, text, from, slots);
        if let Ok(mut kept) = self.threads.lock() {
            *kept = Some(threads);
        }
        found
    }
}

impl std::fmt::Debug for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pattern")
    }
}

impl<'t> Captures<'_, 't> {
    /// What a named group matched.
    pub fn name(&self, name: &str) -> Option<&'t str> {
        let (_, group) = self.program.names.iter().find(|(own, _)| own == name)?;
        let (start, end) = (*self.slots.get(2 * group)?, *self.slots.get(2 * group + 1)?);
        self.text.get(start..end)
    }
}

/// `text` as a pattern that matches just it.
pub fn escape(text: &str) -> String {
    regex_syntax::escape(text)
}

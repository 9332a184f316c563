//! The regular expressions of `tokenizer.json` files, matched in time linear in the text.
//!
//! The files are written for Oniguruma, which supports look-ahead. The only look-ahead in known files is `\s+(?!\S)`: white
//! space except for the last character before a word. It is matched as `\s+`, and the end is corrected afterwards. Anything
//! else that is not a regular language is refused.

use std::cell::RefCell;

use regex_automata::Input;
use regex_automata::hybrid::dfa;
use regex_automata::hybrid::regex::{Cache, Regex};
use regex_automata::nfa::thompson;
use regex_automata::util::syntax;
use regex_syntax::hir::Look;

use crate::error::{Error, Result};

/// A regular expression, compiled alternative by alternative. Of the crate's engines only the lazy DFA is used, to keep the
/// module small. It needs no other one beside it, because there is no look-around.
pub struct Expression {
    regex: Regex,
    /// The states of the DFA that were needed so far.
    cache: RefCell<Cache>,
    /// Which alternatives are `\s+(?!\S)`.
    before_words: Vec<bool>,
}

/// The only look-ahead that is supported.
const BEFORE_WORD: &str = r"\s+(?!\S)";
/// The only case-insensitive group that is supported.
const CONTRACTIONS: &str = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
/// The same with its cases written out, for which no table of cases is needed. The long s is an s, as for Oniguruma.
const BOTH_CASES: &str = "(?:'[sSſ]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])";

impl Expression {
    /// Compiles a pattern of a file, which is written for Oniguruma.
    pub fn of_file(pattern: &str) -> Result<Self> {
        let read = as_oniguruma_reads(pattern);
        read.and_then(|read| Self::compiled(&read)).map_err(|why| unsupported(pattern, &why))
    }

    /// Compiles a pattern.
    pub fn new(pattern: &str) -> Result<Self> {
        Self::compiled(pattern).map_err(|why| unsupported(pattern, &why))
    }

    /// Compiles a pattern, or says why it cannot.
    fn compiled(pattern: &str) -> std::result::Result<Self, String> {
        let alternatives = alternatives(pattern)?;
        let mut before_words = Vec::new();
        let mut parts = Vec::new();
        for (at, alternative) in alternatives.iter().enumerate() {
            let is_before_word = *alternative == BEFORE_WORD;
            // If it fails because there is only one white space before a word, the next alternative must match that one.
            if is_before_word && !matches!(alternatives.get(at + 1), Some(&(r"\s+" | r"\s"))) {
                return Err(format!("`{BEFORE_WORD}` must come right before `\\s+`"));
            }
            let written = alternative.replace(CONTRACTIONS, BOTH_CASES);
            if written.contains("(?i") {
                return Err("case-insensitive groups".into());
            }
            before_words.push(is_before_word);
            parts.push(if is_before_word { r"\s+".into() } else { written });
        }
        for part in &parts {
            let hir = regex_syntax::parse(part).map_err(|e| first_line(&e.to_string()))?;
            let properties = hir.properties();
            if properties.minimum_len() == Some(0) || properties.minimum_len().is_none() {
                return Err("it can match the empty text, or never matches".into());
            }
            if properties.look_set().iter().any(|_: Look| true) {
                return Err("it uses anchors or look-around".into());
            }
        }
        let regex = Regex::builder()
            .thompson(thompson::Config::new().nfa_size_limit(Some(16 << 20)))
            .dfa(dfa::Config::new().cache_capacity(4 << 20).skip_cache_capacity_check(true))
            .syntax(syntax::Config::new().nest_limit(64))
            .build_many(&parts)
            .map_err(|_| "it is too large")?;
        let cache = RefCell::new(regex.create_cache());
        Ok(Self { regex, cache, before_words })
    }

    /// The next match at or after `from`.
    pub fn next(&self, text: &str, from: usize) -> Option<(usize, usize)> {
        // It fails for bytes or numbers of states that it was told to stop at. It was told none.
        let found =
            self.regex.try_search(&mut self.cache.borrow_mut(), &Input::new(text).range(from..)).ok()??;
        let (start, end) = (found.start(), found.end());
        if end < text.len() && self.before_words.get(found.pattern().as_usize()) == Some(&true) {
            // A word follows: the match is all but the last character. If there is only one character, the next alternative
            // matches it.
            let spaces = text.get(start..end).unwrap_or_default();
            let last = spaces.chars().next_back().map_or(0, char::len_utf8);
            if last < end - start {
                return Some((start, end - last));
            }
        }
        Some((start, end))
    }
}

/// The error that quotes a pattern as the file has it.
fn unsupported(pattern: &str, why: &str) -> Error {
    Error::unsupported(format!("the pattern {pattern:.200?}: {why}"))
}

fn first_line(message: &str) -> String {
    message.lines().last().unwrap_or_default().trim().to_owned()
}

/// Word characters in a class: those of `regex-syntax` without the two joiners.
const WORD: &str = r"[\w--[\x{200C}\x{200D}]]";
/// Word characters outside of a class, where Oniguruma takes six numerals for some as well.
const LONE_WORD: &str = r"[[\w--[\x{200C}\x{200D}]]²³¹¼½¾]";

/// Writes out `\w` and `\W`, which are other characters for `regex-syntax`. Refuses `[:alpha:]` and its like, which are
/// ASCII only there.
fn as_oniguruma_reads(pattern: &str) -> std::result::Result<String, String> {
    let mut out = String::with_capacity(pattern.len());
    let mut class = 0_usize;
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('w') => out.push_str(if class > 0 { WORD } else { LONE_WORD }),
                Some('W') => {
                    out.push_str("[^");
                    out.push_str(if class > 0 { WORD } else { LONE_WORD });
                    out.push(']');
                }
                escaped => out.extend(std::iter::once(c).chain(escaped)),
            },
            '[' if class > 0 && chars.peek() == Some(&':') => {
                return Err("a class such as `[:alpha:]`, which means more to Oniguruma".into());
            }
            _ => {
                class = match c {
                    '[' => class + 1,
                    ']' => class.saturating_sub(1),
                    _ => class,
                };
                out.push(c);
            }
        }
    }
    Ok(out)
}

/// The alternatives of a pattern. Refuses what `regex-syntax` reads differently from Oniguruma.
fn alternatives(pattern: &str) -> std::result::Result<Vec<&str>, String> {
    let (mut parts, mut start, mut depth, mut class) = (Vec::new(), 0, 0_usize, 0_usize);
    // Whether the character before was a repetition.
    let mut repeated = false;
    let mut chars = pattern.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let was_repeated = std::mem::take(&mut repeated);
        match c {
            '\\' if matches!(chars.next(), Some((_, 'p' | 'P')))
                && matches!(chars.peek(), Some((_, '{'))) =>
            {
                chars.by_ref().find(|&(_, c)| c == '}');
            }
            '[' => class += 1,
            ']' => class = class.saturating_sub(1),
            _ if class > 0 => {}
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '+' if was_repeated => return Err("a possessive repetition".into()),
            '+' | '*' | '?' | '}' => repeated = true,
            '^' | '$' | '.' => return Err(format!("`{c}`, which means another thing to Oniguruma")),
            '|' if depth == 0 => {
                parts.push(pattern.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(pattern.get(start..).unwrap_or_default());
    Ok(parts)
}

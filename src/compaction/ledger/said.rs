//! What else the user said. A sentence that no word marks as a rule may be one all the same, in any language: where there is
//! room, it stays.

use std::collections::BTreeSet;

use super::asked::folded_turns;
use crate::compaction::Redact;
use crate::context::{Context, NodeIndex};
use crate::error::Result;
use crate::facts::{is_cjk, sentences, unwrapped};
use crate::sorting::sort_by_key;

/// So many messages are looked at from either end: a fold costs no more, however long the session is.
const MANY: usize = 100;

/// A longer message is a paste, or is told by its facts.
const LONGEST_MESSAGE: usize = 800;

/// Sentences that are shorter say "go on"; longer ones describe.
const SHORTEST: usize = 10;
const LONGEST: usize = 160;

/// The fewest words, and the fewest characters in scripts that set no blanks between words.
const LEAST_WORDS: usize = 3;
const LEAST_CHARACTERS: usize = 4;

/// A sentence of the user's, and when it was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Said {
    pub text: String,
    pub at: (NodeIndex, usize),
}

/// How likely a sentence is a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Likely {
    /// It says something of its own.
    General,
    /// It names a path or the like, and is about that.
    AboutOneThing,
    /// It differs from one before by its numbers alone.
    Again,
}

/// Sentences of the user's in what is folded, the likeliest first, and of these the newest, the oldest, the newest but one and
/// so on. Fails where `redact` does.
pub(super) fn said(context: &Context, members: &[NodeIndex], redact: Option<&Redact>) -> Result<Vec<Said>> {
    let newest = folded_turns(context, members, true).take(MANY);
    let oldest = folded_turns(context, members, false).take(MANY);
    let mut seen = BTreeSet::new();
    let (mut texts, mut kinds) = (BTreeSet::new(), BTreeSet::new());
    let mut out = Vec::new();
    for index in newest.zip(oldest).flat_map(|(newest, oldest)| [newest, oldest]) {
        if !seen.insert(index) {
            continue;
        }
        let message = &context.history.node(index).message;
        let text = match redact {
            Some(redact) => redact.message(message)?.plain_text(),
            None => message.plain_text(),
        };
        if text.len() > LONGEST_MESSAGE {
            continue;
        }
        let all = sentences(&text);
        for (place, sentence) in all.iter().enumerate().filter(|(_, s)| !s.fenced && says_something(s.text)) {
            if !texts.insert(sentence.text.to_owned()) {
                continue;
            }
            let likely = match sentence.text {
                text if !kinds.insert(kind(text)) => Likely::Again,
                text if names_something(text) => Likely::AboutOneThing,
                _ => Likely::General,
            };
            out.push((likely, Said { text: unwrapped(sentence.text).into_owned(), at: (index, place) }));
        }
    }
    sort_by_key(&mut out, |(likely, _)| *likely);
    Ok(out.into_iter().map(|(_, said)| said).collect())
}

fn says_something(sentence: &str) -> bool {
    let has_words = sentence.chars().filter(|c| is_cjk(*c)).take(LEAST_CHARACTERS).count()
        == LEAST_CHARACTERS
        || sentence.split_whitespace().filter(|w| w.contains(char::is_alphabetic)).take(LEAST_WORDS).count()
            == LEAST_WORDS;
    let is_code = sentence.contains(['{', '}', '<', '>', '|', '=', '`']) && !sentence.contains(". ");
    (SHORTEST..=LONGEST).contains(&sentence.len()) && has_words && !is_code
}

/// It holds what looks like a path, a name in code, or an address.
fn names_something(sentence: &str) -> bool {
    let goes_on = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphanumeric());
    sentence.contains(['/', '\\', '_', '#', '@']) || sentence.split('.').skip(1).any(goes_on)
}

/// A sentence without its numbers.
fn kind(sentence: &str) -> String {
    let mut out = String::with_capacity(sentence.len());
    for c in sentence.chars() {
        match c {
            _ if !c.is_ascii_digit() => out.extend(c.to_lowercase()),
            _ if !out.ends_with('#') => out.push('#'),
            _ => {}
        }
    }
    out
}

//! Added tokens: texts that are found before anything else is done.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::rc::Rc;

use crate::multi_search::MultiSearch;
use crate::settings::{Added, Settings};

/// Finds the added tokens of one kind: those searched for in the original text, or those searched for in the normalized
/// text.
pub struct Finder {
    settings: Rc<Settings>,
    /// The text to search for, if it is not the token's own text, and the token's index.
    texts: Vec<(Option<String>, usize)>,
    beginnings: Beginnings,
    /// Built for the first text that contains the beginning of a token.
    automaton: OnceCell<Option<MultiSearch>>,
    /// Special tokens count as plain text.
    special_as_text: bool,
}

/// A stretch of text: an added token with its id, or the text between two.
pub type Stretch = (Option<u32>, usize, usize);

impl Finder {
    /// A finder of the tokens that are `normalized` or not, each with the text to search for; `None` if there are none.
    pub fn new<'a>(
        settings: &'a Rc<Settings>,
        special_as_text: bool,
        normalized: bool,
        sought_as: impl Fn(&'a str) -> Cow<'a, str>,
    ) -> Option<Self> {
        let counts = |token: &Added| token.normalized == normalized && !(special_as_text && token.special);
        let any = settings.added_tokens.iter().any(counts);
        any.then(|| Self::of(settings, special_as_text, normalized, &sought_as))
    }

    // Not inlined: a WebAssembly engine compiles a function when it is first called, and many files do not need this one.
    #[inline(never)]
    fn of<'a>(
        settings: &'a Rc<Settings>,
        special_as_text: bool,
        normalized: bool,
        sought_as: &dyn Fn(&'a str) -> Cow<'a, str>,
    ) -> Self {
        let tokens = || settings.added_tokens.iter().filter(move |token| token.normalized == normalized);
        let mut beginnings = Beginnings::default();
        let mut texts = Vec::with_capacity(tokens().count());
        for (at, token) in settings.added_tokens.iter().enumerate() {
            if token.normalized == normalized {
                let text = sought_as(settings.text_of(token));
                if !text.is_empty() {
                    beginnings.add(text.as_bytes());
                    texts.push((if let Cow::Owned(text) = text { Some(text) } else { None }, at));
                }
            }
        }
        let settings = settings.clone();
        Self { settings, texts, beginnings, automaton: OnceCell::new(), special_as_text }
    }

    /// The next token at or after `from`: the token, its start and its end.
    fn next(&self, text: &str, from: usize) -> Option<(&Added, usize, usize)> {
        let from = self.beginnings.first(text.as_bytes(), from)?;
        let token = |at: usize| self.settings.added_tokens.get(at);
        // The size of the texts was limited when the file was read, so the automaton cannot become too large.
        let make = || {
            let as_is = |at: usize| token(at).map(|token| self.settings.text_of(token)).unwrap_or_default();
            MultiSearch::new(
                self.texts.iter().map(|(text, at)| text.as_deref().unwrap_or_else(|| as_is(*at))),
            )
        };
        let (which, start, end) = self.automaton.get_or_init(make).as_ref()?.find(text.as_bytes(), from)?;
        let &(_, at) = self.texts.get(which)?;
        Some((token(at)?, start, end))
    }

    /// Calls `each` for all stretches of `text`, in order, until it returns `false`.
    pub fn split(&self, text: &str, mut each: impl FnMut(Stretch) -> bool) -> bool {
        let (mut from, mut at) = (0, 0);
        // The end of the white space examined last. A run of white space with many tokens in it is read only once.
        let mut white_until = 0;
        while let Some((token, mut start, mut end)) = self.next(text, at) {
            at = end;
            if self.special_as_text && token.special {
                continue;
            }
            let (before, after) =
                (text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
            if token.single_word
                && (before.chars().next_back().is_some_and(is_word)
                    || after.chars().next().is_some_and(is_word))
            {
                continue;
            }
            if token.lstrip {
                let before = text.get(from..start).unwrap_or_default();
                start = from + before.trim_end_matches(char::is_whitespace).len();
            }
            if token.rstrip {
                if end >= white_until {
                    white_until = text.len() - after.trim_start_matches(char::is_whitespace).len();
                }
                end = white_until;
            }
            if from < start && !each((None, from, start)) {
                return false;
            }
            if !each((Some(token.id), start, end)) {
                return false;
            }
            from = end;
        }
        from >= text.len() || each((None, from, text.len()))
    }
}

/// The first two bytes of the tokens. Most texts contain none of them, or only late.
struct Beginnings {
    /// One bit for each pair of bytes.
    pairs: Vec<u64>,
    /// The first byte of all tokens, if it is the same, such as `<`.
    first: First,
}

/// The first byte that all tokens have in common.
#[derive(Clone, Copy, PartialEq)]
enum First {
    Unknown,
    Is(u8),
    Differs,
}

impl Default for Beginnings {
    fn default() -> Self {
        Self { pairs: vec![0; 1 << 10], first: First::Unknown }
    }
}

impl Beginnings {
    fn add(&mut self, token: &[u8]) {
        let first = token.first().copied().unwrap_or_default();
        self.first = match self.first {
            First::Unknown => First::Is(first),
            known if known == First::Is(first) => known,
            _ => First::Differs,
        };
        let seconds = match token.get(1) {
            Some(&second) => second..=second,
            None => 0..=255,
        };
        for second in seconds {
            let (word, bit) = Self::place(first, second);
            if let Some(word) = self.pairs.get_mut(word) {
                *word |= bit;
            }
        }
    }

    const fn place(first: u8, second: u8) -> (usize, u64) {
        ((first as usize) << 2 | second as usize >> 6, 1 << (second & 63))
    }

    fn has(&self, first: u8, second: u8) -> bool {
        let (word, bit) = Self::place(first, second);
        self.pairs.get(word).is_some_and(|word| word & bit != 0)
    }

    /// The first position at or after `from` where a token may begin.
    fn first(&self, text: &[u8], from: usize) -> Option<usize> {
        let rest = text.get(from..)?;
        let found = if let First::Is(byte) = self.first {
            let second = |at: usize| rest.get(at + 1).copied();
            memchr::memchr_iter(byte, rest)
                .find(|&at| second(at).is_some_and(|second| self.has(byte, second)))
        } else {
            rest.windows(2).position(|pair| self.has(pair[0], pair[1]))
        };
        // A token of a single byte at the end; such tokens have a bit for every second byte.
        let last = || rest.last().filter(|&&last| self.has(last, 0)).map(|_| rest.len() - 1);
        found.or_else(last).map(|at| from + at)
    }
}

fn is_word(c: char) -> bool {
    regex_syntax::try_is_word_character(c).unwrap_or_else(|_| c.is_alphanumeric())
}

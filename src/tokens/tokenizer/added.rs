//! Added tokens: texts that are found before anything else is done.

use aho_corasick::{AhoCorasick, MatchKind};

use crate::error::{Error, Result};
use crate::settings::Added;

/// The added tokens of one kind: those that are sought in the text as it came, or as it was normalized.
pub struct Finder {
    automaton: AhoCorasick,
    tokens: Vec<Added>,
    /// Special tokens count as the text that they are.
    special_as_text: bool,
}

/// A stretch of text: an added token by its id, or what stands between two.
pub type Stretch = (Option<u32>, usize, usize);

impl Finder {
    /// Of these tokens, each with the text that it is sought as; `None` of none.
    pub fn new(tokens: Vec<(String, Added)>, special_as_text: bool) -> Result<Option<Self>> {
        let (texts, tokens): (Vec<String>, Vec<Added>) =
            tokens.into_iter().filter(|(text, _)| !text.is_empty()).unzip();
        if tokens.is_empty() || special_as_text && tokens.iter().all(|token| token.special) {
            return Ok(None);
        }
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(texts)
            .map_err(|e| Error::unsupported(format!("added tokens that are too many or too long: {e}")))?;
        Ok(Some(Self { automaton, tokens, special_as_text }))
    }

    /// Calls `each` for all of `text`, in order, until it says that it is enough.
    pub fn split(&self, text: &str, mut each: impl FnMut(Stretch) -> bool) -> bool {
        let mut from = 0;
        for found in self.automaton.find_iter(text) {
            let Some(token) = self.tokens.get(found.pattern().as_usize()) else { continue };
            let (mut start, mut end) = (found.start(), found.end());
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
                start = before.trim_end_matches(char::is_whitespace).len().max(from);
            }
            if token.rstrip {
                end += after.len() - after.trim_start_matches(char::is_whitespace).len();
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

fn is_word(c: char) -> bool {
    regex_syntax::try_is_word_character(c).unwrap_or_else(|_| c.is_alphanumeric())
}

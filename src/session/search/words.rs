//! The single words of a query: looked for when its text is hardly anywhere.

use std::cmp::Reverse;
use std::ops::Range;

use super::FEW_HITS;
use crate::pattern::{Options, Pattern};
use crate::script::is_cjk;
use crate::sorting::sort_by_key;

/// The words that are looked for, at most; the first ones.
pub const MAX_WORDS: usize = 16;
/// Hits that are shown for words, at most.
const MAX_HITS: usize = 10;

#[derive(Debug)]
pub struct Words {
    pub pattern: Pattern,
    /// Each word in lower case with its number; in several spellings, it has one number.
    forms: Vec<(usize, String)>,
    pub is_one: bool,
}

/// A place of the history that has some of the words.
#[derive(Debug)]
pub struct WordsAt {
    pub at: usize,
    pub is_said: bool,
    /// Which words, as bits.
    pub words: u16,
    /// Where the most of them stand together: the number of the text, and where it is there.
    pub text: usize,
    pub span: Range<usize>,
}

impl Words {
    /// The words of a text in several spellings; `None` if it has none.
    pub fn of(queries: &[&str], ignore_case: bool) -> Option<Self> {
        let mut forms: Vec<(usize, String)> = Vec::new();
        for query in queries {
            let words = query.split_whitespace().map(|word| word.trim_matches(is_punctuation));
            for (number, word) in words.filter(|word| !word.is_empty()).take(MAX_WORDS).enumerate() {
                // A plural is looked for by its singular, because the beginning of a word is enough.
                let plural = word
                    .strip_suffix(['s', 'S'])
                    .filter(|stem| stem.len() > 2 && !stem.ends_with(['s', 'S']));
                let word = plural.unwrap_or(word);
                if forms.iter().all(|(_, known)| known != word) {
                    forms.push((number, word.to_owned()));
                }
            }
        }
        // Where two words begin alike, the longer one is matched, and the shorter one is in it.
        sort_by_key(&mut forms, |(_, word)| Reverse(word.len()));
        let each = forms.iter().map(|(_, word)| {
            let begins = if word.starts_with(begins_anywhere) { "" } else { r"(?:\b|_)" };
            let ends = if word.ends_with(|c: char| c.is_ascii_digit()) { r"\b" } else { "" };
            format!("{begins}{}{ends}", regex_syntax::escape(word))
        });
        let pattern = each.collect::<Vec<_>>().join("|");
        for (_, word) in &mut forms {
            *word = word.to_lowercase();
        }
        let options = Options { ignore_case, ..Options::default() };
        let pattern = Pattern::new(&pattern, options).ok().filter(|_| !forms.is_empty())?;
        let is_one = forms.iter().all(|(number, _)| *number == 0);
        Some(Self { pattern, forms, is_one })
    }

    /// Which words a match is, as bits.
    pub fn which(&self, matched: &str) -> u16 {
        let matched = matched.to_lowercase();
        let matched = matched.trim_start_matches('_');
        let is = self.forms.iter().filter(|(_, word)| matched.starts_with(&**word));
        is.fold(0, |bits, (number, _)| bits | 1 << number)
    }

    /// The places to show, the best first: those with all words, and if that is not enough, those with the most of the rarest words.
    pub fn ranked(&self, mut all: Vec<WordsAt>, shown: usize, max_hits: usize) -> Vec<WordsAt> {
        let mut weights = [0; MAX_WORDS];
        for (number, _) in &self.forms {
            let having = all.iter().filter(|place| place.words >> number & 1 == 1).count();
            weights[*number] = (16 * all.len()).checked_div(having).map_or(0, usize::ilog2); // 0: nobody has it
        }
        let weight = |words: u16| -> u32 {
            weights.iter().enumerate().filter(|(number, _)| words >> number & 1 == 1).map(|(_, w)| w).sum()
        };
        let whole = weight(u16::MAX);
        sort_by_key(&mut all, |place| Reverse((weight(place.words), place.is_said, place.at)));
        let complete = all.iter().take_while(|place| weight(place.words) == whole).count();
        if shown + complete >= FEW_HITS {
            all.truncate(complete);
        }
        all.retain(|place| 3 * weight(place.words) >= whole);
        all.truncate(MAX_HITS.min(max_hits - shown));
        all
    }
}

/// Of ASCII, of Latin-1, and the general and the Chinese punctuation; no accents, which may be characters of their own.
const fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation()
        || matches!(c, '\u{a1}'..='\u{bf}' | '\u{2000}'..='\u{206f}' | '\u{3000}'..='\u{303f}')
}

/// Whether a word with this beginning is also found behind a letter.
fn begins_anywhere(c: char) -> bool {
    is_cjk(c) || !c.is_alphanumeric()
}

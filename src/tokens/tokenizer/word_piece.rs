//! `WordPiece`: takes the longest token that a word begins with, then the longest one of the rest, and so on.

use crate::settings::Settings;
use crate::vocab::Vocab;

/// A model that takes the longest token first.
pub struct WordPiece {
    unknown: Option<u32>,
    /// Precedes a token that continues a word.
    prefix: String,
    /// Longer words become the unknown token.
    most_chars: usize,
    found: Vec<u32>,
    /// A buffer for the prefix and a part of a word.
    part: String,
}

impl WordPiece {
    pub fn new(vocab: &Vocab, settings: &Settings, most_chars: usize) -> Self {
        let unknown = settings.unk_token.as_deref().and_then(|token| vocab.get(token));
        let (found, part) = (Vec::new(), String::new());
        Self { unknown, prefix: settings.prefix.clone(), most_chars, found, part }
    }

    /// Calls `each` with the places of the tokens of `word`, and returns its result.
    pub fn tokens(&mut self, vocab: &Vocab, word: &str, mut each: impl FnMut(&[u32]) -> bool) -> bool {
        self.found.clear();
        if word.chars().nth(self.most_chars).is_some() || self.find(vocab, word).is_none() {
            self.found.clear();
            self.found.extend(self.unknown);
        }
        each(&self.found)
    }

    fn find(&mut self, vocab: &Vocab, word: &str) -> Option<()> {
        let mut rest = word;
        while !rest.is_empty() {
            let prefix = if rest.len() == word.len() { "" } else { self.prefix.as_str() };
            self.part.clear();
            self.part.push_str(prefix);
            self.part.push_str(rest);
            let token = loop {
                if self.part.len() == prefix.len() {
                    return None;
                }
                match vocab.get(&self.part) {
                    Some(token) => break token,
                    None => self.part.pop(),
                };
            };
            self.found.push(token);
            rest = rest.get(self.part.len() - prefix.len()..)?;
        }
        Some(())
    }
}

//! What was found in one message so far, and the state of the search in it.

use std::ops::Range;

use super::words::{MAX_WORDS, Words, WordsAt};
use crate::pattern::{Pattern, Progress, Scan, Searchable};

/// Matches that are shown per message.
const MAX_PER_MESSAGE: usize = 3;
/// The bytes between a match and the next one that is shown for itself.
const APART_BYTES: usize = 100;
/// Words within so many bytes stand together.
const TOGETHER_BYTES: usize = 300;

#[derive(Debug, Default)]
pub struct Found {
    /// Each match: the number of the text, and where it is there. Of words, the place where the most stand together.
    pub places: Vec<(usize, Range<usize>)>,
    /// The number of its texts that are done.
    pub texts: usize,
    scan: Scan,
    /// The words that were found, as bits: anywhere, and together at the place.
    words: u16,
    together: u16,
    /// The end of the last match of each word in this text, and its beginning.
    last: [(usize, usize); MAX_WORDS],
}

impl Found {
    /// Looks for a pattern in the next text. Returns whether the text is done.
    pub fn find(&mut self, pattern: &Pattern, text: &dyn Searchable, steps: &mut u64) -> bool {
        while self.places.len() < MAX_PER_MESSAGE {
            let found = match self.scan.resume(pattern, text, steps) {
                Progress::Paused => return false,
                Progress::NotFound => break,
                Progress::Found(found) => found,
            };
            let end = found.end + APART_BYTES;
            self.places.push((self.texts, found));
            if end >= text.bytes() {
                break;
            }
            self.scan.restart(text.floor(end));
        }
        self.next_text();
        true
    }

    /// Looks for words in the next text. Returns whether the text is done.
    pub fn find_words(&mut self, words: &Words, text: &dyn Searchable, steps: &mut u64) -> bool {
        loop {
            let found = match self.scan.resume(&words.pattern, text, steps) {
                Progress::Paused => return false,
                Progress::NotFound => break,
                Progress::Found(found) => found,
            };
            self.scan.restart(found.end);
            let mut span = found.clone();
            let is = words.which(&text.piece(found.clone()));
            let mut together = 0_u16;
            for (word, last) in self.last.iter_mut().enumerate() {
                if is >> word & 1 == 1 {
                    *last = (found.end, found.start);
                }
                if last.0 > 0 && last.1 + TOGETHER_BYTES >= found.end {
                    together |= 1 << word;
                    span.start = span.start.min(last.1);
                }
            }
            self.words |= is;
            if together.count_ones() > self.together.count_ones() {
                self.together = together;
                self.places = vec![(self.texts, span)];
            }
        }
        self.next_text();
        true
    }

    fn next_text(&mut self) {
        self.scan = Scan::default();
        self.last = Default::default();
        self.texts += 1;
    }

    /// The words at a place of the history. What was said counts as a whole; of an output, only what stands together does.
    pub fn words_at(self, at: usize, is_said: bool) -> Option<WordsAt> {
        let (text, span) = self.places.into_iter().next()?;
        Some(WordsAt { at, is_said, words: if is_said { self.words } else { self.together }, text, span })
    }
}

//! Recognises rules by patterns, in languages with spaces between words.

use super::rule_words::{LANGUAGES, Pattern, Says, TONGUES, Tongue, folded, patterns_at};
use super::ruled::{Ruled, Strength};
use crate::sorting::sort_by_key;

/// The most words of a short sentence.
const SHORT: usize = 6;
/// How far `..` reaches, in words.
const FEW: usize = 6;
/// In an order, "always" may be at most this many words after the verb.
const NEAR: usize = 10;

/// A sentence with more words, such as a minified file on one line, is not a rule.
const MOST_WORDS: usize = 80;

/// The rule that a sentence lays down in any of the languages. A question is not a rule.
pub(super) fn ruled(sentence: &str) -> Option<Ruled> {
    if sentence.ends_with('?') {
        return None;
    }
    let mut folded = folded(sentence);
    if folded.contains("il te plait") || folded.contains("il vous plait") {
        // Becomes one word, because "il" and "vous" would otherwise be taken for the speaker of a report.
        folded = folded.replace("s'il te plait", "stp").replace("s'il vous plait", "svp");
    }
    let words = words(&folded);
    if words.len() > MOST_WORDS {
        return None;
    }
    let mut patterns = Vec::new();
    for word in &words {
        patterns_at(word.text, &mut |pattern| patterns.push(pattern));
    }
    let mut said: Option<(usize, Said<'_>)> = None;
    let mut best = None;
    sort_by_key(&mut patterns, |pattern| (pattern.tongue, pattern.text));
    patterns.dedup_by_key(|pattern| (pattern.tongue, pattern.text));
    for pattern in patterns {
        let said = match said.take() {
            Some((tongue, read)) if tongue == pattern.tongue => said.insert((tongue, read)),
            _ => said.insert((pattern.tongue, Said::of(&words, TONGUES[pattern.tongue]))),
        };
        let Some(ruled) = said.1.ruled(pattern) else { continue };
        if said.1.reports() {
            return None;
        }
        best = best.max(Some(ruled));
    }
    best
}

/// Whether a sentence refers to something named in the sentence before, in one of the languages given by their `bits`.
pub(super) fn points_back(sentence: &str, bits: u32) -> bool {
    let folded = folded(sentence);
    let words = words(&folded);
    let tongues = TONGUES.into_iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1);
    words.len() <= FEW + SHORT
        && tongues.into_iter().any(|(_, tongue)| Said::of(&words, tongue).points_back())
}

/// The position of a word in its clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Inside,
    /// After a comma.
    Behind,
    /// At the beginning of a clause.
    First,
}

#[derive(Debug, Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    place: Place,
}

/// The words of a sentence, also split at apostrophes.
fn words(folded: &str) -> Vec<Word<'_>> {
    let mut out = Vec::new();
    let mut place = Place::First;
    let mut start = None;
    for (at, c) in folded.char_indices().chain([(folded.len(), ' ')]) {
        if c.is_alphanumeric() {
            start.get_or_insert(at);
            continue;
        }
        if let Some(start) = start.take() {
            out.push(Word { text: &folded[start..at], place });
            place = Place::Inside;
        }
        place = place.max(match c {
            ':' | ';' | '(' | '[' | '—' | '–' | '!' | '\n' => Place::First,
            ',' => Place::Behind,
            _ => Place::Inside,
        });
    }
    out
}

fn is_among(word: &str, list: &str) -> bool {
    list.split(' ').any(|one| one == word)
}

/// A sentence as one of the languages reads it.
struct Said<'a> {
    tongue: &'static Tongue,
    words: Vec<Word<'a>>,
}

impl<'a> Said<'a> {
    /// Reads the words. A word after softeners at the start of a clause counts as the start.
    fn of(words: &[Word<'a>], tongue: &'static Tongue) -> Self {
        let mut open = Place::Inside;
        let mut words = words.to_vec();
        for word in &mut words {
            word.place = word.place.max(open);
            open = if is_among(word.text, tongue.softeners) { word.place } else { Place::Inside };
        }
        Self { tongue, words }
    }

    /// The rule that a pattern of this language finds in the sentence.
    fn ruled(&self, pattern: Pattern) -> Option<Ruled> {
        // In English, explicit sentences are recognised by their words alone.
        let explicit = pattern.tongue > 0;
        let rule = Ruled { strength: Strength::Rule, explicit };
        let wish = Ruled { strength: Strength::Wish, explicit: false };
        match pattern.says {
            Says::Rule => self.finds(pattern.text, |_| true).then_some(rule),
            Says::Modal => self.finds(pattern.text, |at| !self.is_someones(at)).then_some(rule),
            Says::Wish => self.finds(pattern.text, |_| true).then_some(wish),
            Says::Bound => self.order().or_else(|| self.bars().then_some(wish)),
        }
    }

    fn is_someones(&self, at: usize) -> bool {
        let beside = &self.words[at.saturating_sub(2)..self.words.len().min(at + 3)];
        beside.iter().any(|word| is_among(word.text, self.tongue.speakers))
    }

    fn reports(&self) -> bool {
        self.finds_any(self.tongue.reports)
    }

    fn points_back(&self) -> bool {
        self.finds_any(self.tongue.pointing)
    }

    fn finds_any(&self, patterns: &str) -> bool {
        let mut patterns = patterns.split(',').map(str::trim);
        patterns.any(|pattern| !pattern.is_empty() && self.finds(pattern, |_| true))
    }

    /// "Always answer …", "only use …": an order with a word that makes it a rule.
    fn order(&self) -> Option<Ruled> {
        let Tongue { always, only, subordinating, .. } = self.tongue;
        let mut found = None;
        for (at, _) in self.words.iter().enumerate().filter(|(_, word)| word.place == Place::First) {
            let clause = self.clause(at, NEAR);
            let (first, behind) = (&self.words[at], &self.words[at + 1..clause]);
            let bound = |word: &Word<'_>| {
                let rules = is_among(word.text, always);
                let strength = if rules { Strength::Rule } else { Strength::Wish };
                (rules || is_among(word.text, only)).then_some(Ruled { strength, explicit: true })
            };
            let here = if self.orders(first.text) {
                behind.iter().take_while(|word| !is_among(word.text, subordinating)).filter_map(bound).max()
            } else {
                bound(first).filter(|first| {
                    first.strength == Strength::Wish
                        && behind.first().is_some_and(|word| self.orders(word.text))
                })
            };
            found = found.max(here);
        }
        found
    }

    /// "No new dependencies": a short sentence that rules something out.
    fn bars(&self) -> bool {
        let Tongue { bars, small_talk, .. } = self.tongue;
        let mut behind = self.words.iter().skip_while(|word| is_among(word.text, self.tongue.softeners));
        let first = behind.next().is_some_and(|word| is_among(word.text, bars));
        first
            && behind.clone().count() < SHORT
            && behind.clone().next().is_some()
            && !behind.any(|word| is_among(word.text, small_talk))
    }

    /// The end of the clause around a word, but at most `most` words after it.
    fn clause(&self, at: usize, most: usize) -> usize {
        let end = self.words.len().min(at + 1 + most);
        (at + 1..end).find(|at| self.words[*at].place != Place::Inside).unwrap_or(end)
    }

    fn orders(&self, word: &str) -> bool {
        self.is_form(word, self.tongue.orders)
    }

    fn is_form(&self, word: &str, forms: &str) -> bool {
        forms.split(' ').any(|form| self.fits(word, form))
            && !self.tongue.except.split(' ').any(|form| self.fits(word, form))
    }

    fn fits(&self, word: &str, form: &str) -> bool {
        match form.as_bytes() {
            [] => false,
            [b'*', ..] => word.len() > form.len() && word.ends_with(&form[1..]),
            [.., b'*'] => word.starts_with(&form[..form.len() - 1]),
            [.., b'+'] => word
                .strip_prefix(&form[..form.len() - 1])
                .is_some_and(|end| end.is_empty() || is_among(end, self.tongue.endings)),
            _ => word == form,
        }
    }

    /// Whether a pattern occurs in the sentence, starting at a word that is `allowed`.
    fn finds(&self, pattern: &str, allowed: impl Fn(usize) -> bool) -> bool {
        (0..self.words.len()).any(|at| self.goes_on(at, pattern) && allowed(at))
    }

    /// Whether a pattern matches from this word on.
    fn goes_on(&self, at: usize, pattern: &str) -> bool {
        let (element, rest) = pattern.split_once(' ').unwrap_or((pattern, ""));
        let word = self.words.get(at);
        let matches = match element.strip_prefix('=').unwrap_or(element) {
            "" => return true,
            "$" => return word.is_none(),
            "^" => return word.is_some_and(|word| word.place == Place::First) && self.goes_on(at, rest),
            "~" => return word.is_some_and(|word| word.place != Place::Inside) && self.goes_on(at, rest),
            ".." => return (at..self.clause(at.saturating_sub(1), FEW)).any(|at| self.goes_on(at, rest)),
            "..." => return (at..self.words.len()).any(|at| self.goes_on(at, rest)),
            "_" => word.is_some(),
            "%" => word.is_some_and(|word| self.orders(word.text)),
            "!" => word.is_some_and(|word| self.is_form(word.text, self.tongue.bans)),
            "#" => word.is_some_and(|word| is_among(word.text, LANGUAGES)),
            form => word.is_some_and(|word| self.fits(word.text, form)),
        };
        matches && self.goes_on(at + 1, rest)
    }
}

#[cfg(test)]
mod tests;

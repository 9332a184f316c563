use super::literal::literals;
use crate::hashing::hash;
use crate::script::is_cjk;
use crate::sorting::sort_by;

/// The fewest letters of a word that tells something by itself; shorter ones mostly hold a sentence together.
const TELLING: usize = 4;

/// The signs of figures: two sentences with an amount each may be about the same, one with an amount and one with a share are not.
const SIGNS: [char; 5] = ['%', '€', '$', '£', '¥'];

/// What a text says without the texts around it: the words and names that tell what it is about, and its figures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// Hashes of the words, in order and without repetition.
    about: Vec<u64>,
    /// How many of them are pairs of characters, each of which is in two pairs.
    pairs: usize,
    /// The number of figures.
    pub figures: usize,
    /// Whether it has a name that can be looked up.
    pub names: bool,
}

impl Content {
    /// What a text says. In scripts without blanks, two characters count as a word.
    pub fn of(text: &str) -> Self {
        let mut about: Vec<u64> = SIGNS
            .iter()
            .filter(|sign| text.contains(**sign))
            .map(|sign| u64::from(u32::from(*sign)))
            .collect();
        let (mut pairs, mut figures) = (0, 0);
        for word in text.split_whitespace() {
            let is_code = word.contains(['#', '`']);
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            if word.contains(is_cjk) {
                let chars: Vec<char> = word.chars().collect();
                pairs += chars.len() - 1;
                about.extend(chars.windows(2).map(|two| hash(String::from_iter(two).as_bytes())));
            } else if word.starts_with(|c: char| c.is_ascii_digit()) && !word.contains(char::is_alphabetic) {
                figures += usize::from(!is_code);
            } else if word.chars().count() >= TELLING
                || word.chars().filter(|c| !c.is_lowercase()).count() > 1
            {
                about.push(hash(word.to_lowercase().as_bytes()));
            }
        }
        sort_by(&mut about, u64::cmp);
        about.dedup();
        Self { about, pairs, figures, names: !literals(text).is_empty() }
    }

    /// How much it says: words and figures.
    pub fn size(&self) -> usize {
        self.about.len().saturating_sub(self.pairs / 2) + self.figures
    }

    /// Whether most of the words of one are in the other, so that the later one replaces the earlier one.
    pub fn is_about_the_same(&self, other: &Self) -> bool {
        let shared = self.about.iter().filter(|word| other.about.binary_search(word).is_ok()).count();
        shared >= 3 && shared * 5 >= self.about.len().min(other.about.len()) * 3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_figure_replaces_an_earlier_one_of_the_same() {
        let same = |a: &str, b: &str| Content::of(a).is_about_the_same(&Content::of(b));
        assert!(same(
            "DE and AT: 45.9 % before, 39.2 % after, 6.7 points.",
            "Now 45.1 % before, 38.3 % after, 6.8 points."
        ));
        assert!(!same(
            "Median: 71.20 € before, 64.80 € after.",
            "Now 45.1 % before, 38.3 % after, 6.8 points."
        ));
        assert!(!same("Section 2 is saved.", "Section 3 is saved."));
        assert!(!same("Store 211 lost a third of its drivers.", "The import failed for 21 hours."));
    }

    #[test]
    fn an_assent_says_nothing() {
        assert_eq!(Content::of("Good. Understood.").size(), 2);
        assert!(Content::of("With 35 days: 55,800 in W11, a loss of 10.9 %.").size() > 5);
    }
}

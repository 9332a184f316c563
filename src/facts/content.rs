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
    /// Hashes of what tells one thing from another of its kind: names, codes, and numbers of things ("Section 2"), in order.
    marks: Vec<u64>,
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
        let literals = literals(text);
        let mut marks: Vec<u64> = literals.iter().map(|literal| hash(literal.text.as_bytes())).collect();
        let mut is_kind = false;
        for word in text.split_whitespace() {
            let is_code = word.contains(['#', '`']);
            let is_number_of_kind = std::mem::replace(&mut is_kind, may_be_numbered(word));
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            let has = |is: fn(char) -> bool| word.contains(is);
            let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
            let is_mixed = has(char::is_alphabetic) && has(|c| c.is_ascii_digit());
            if is_code || is_mixed || is_number && is_number_of_kind {
                marks.push(hash(word.to_lowercase().as_bytes()));
            }
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
        sort_by(&mut marks, u64::cmp);
        Self { about, pairs, figures, names: !literals.is_empty(), marks }
    }

    /// How much it says: words and figures.
    pub fn size(&self) -> usize {
        self.about.len().saturating_sub(self.pairs / 2) + self.figures
    }

    /// Whether this replaces an earlier statement: all words of one of the two are in the other, and this one names all that the earlier one
    /// names.
    pub fn replaces(&self, earlier: &Self) -> bool {
        let is_in = |list: &[u64], hash: &u64| list.binary_search(hash).is_ok();
        let shared = self.about.iter().filter(|word| is_in(&earlier.about, word)).count();
        shared >= 3
            && shared == self.about.len().min(earlier.about.len())
            && earlier.marks.iter().all(|mark| is_in(&self.marks, mark))
    }
}

/// Whether a number behind this word says which one is meant: "Section 2", not "Now 2".
fn may_be_numbered(word: &str) -> bool {
    word.chars().count() >= TELLING
        && word.starts_with(char::is_uppercase)
        && word.chars().all(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_figure_replaces_an_earlier_one_of_the_same() {
        let same = |a: &str, b: &str| Content::of(b).replaces(&Content::of(a));
        assert!(same(
            "DE and AT: 45.9 % before, 39.2 % after, 6.7 points.",
            "Now 45.1 % before, 38.3 % after, 6.8 points."
        ));
        assert!(!same(
            "Median: 71.20 € before, 64.80 € after.",
            "Now 45.1 % before, 38.3 % after, 6.8 points."
        ));
        assert!(!same("Section 2 is saved.", "Section 3 is saved."));
        assert!(same("The service ledger has 12 replicas.", "The service ledger has 10 replicas now."));
        assert!(!same("Store 211 lost a third of its drivers.", "The import failed for 21 hours."));
    }

    #[test]
    fn what_is_about_something_else_replaces_nothing() {
        for (one, other) in [
            ("Fixed the null check in `src/a.rs`.", "Fixed the null check in `src/b.rs`."),
            (
                "I booked the flight HAT113 from Zurich to Berlin.",
                "I booked the flight HAT227 from Berlin to Zurich.",
            ),
            ("Order #W123 was cancelled and refunded.", "Order #W456 was cancelled and refunded."),
            ("Migration 41 is deployed to the cluster.", "Migration 42 is deployed to the cluster."),
            (
                "Because of audits, admins keep the right to delete.",
                "Because of audits, users do not keep the right to delete.",
            ),
            ("我已经修复了登录模块的缓存问题。", "我已经修复了支付模块的缓存问题。"),
        ] {
            assert!(!Content::of(other).replaces(&Content::of(one)), "{one} {other}");
        }
    }

    #[test]
    fn an_assent_says_nothing() {
        assert_eq!(Content::of("Good. Understood.").size(), 2);
        assert!(Content::of("With 35 days: 55,800 in W11, a loss of 10.9 %.").size() > 5);
    }
}

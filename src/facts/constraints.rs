use super::sentences::{Sentence, sentences};
use super::word::is_cjk;
use crate::saved::saved;

/// How surely a sentence lays down a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// It holds one of the words, though hardly as a rule ("I don't know", "is this only for tests?").
    Mention,
    /// A wish: "make sure", "prefer", "avoid", "only".
    Wish,
    /// A rule: "never", "always", "must", "do not".
    Rule,
}

saved!(
    enum Strength {
        Mention,
        Wish,
        Rule,
    }
);

/// A sentence of a user message that tells the agent what it must or must not do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Constraint<'a> {
    /// The sentence, word for word.
    pub text: &'a str,
    /// How surely it is one.
    pub strength: Strength,
    /// It holds one of the defining words (never, always, must, don't, only and their Chinese and Japanese kin).
    pub explicit: bool,
    /// It stands inside a code fence: more likely pasted than said.
    pub fenced: bool,
}

const RULES: [&str; 4] = ["never", "always", "must", "mustn't"];
const NEGATIONS: [&str; 3] = ["don't", "dont", "do not"];
const WISHES: [&str; 11] = [
    "make sure",
    "ensure",
    "avoid",
    "prefer",
    "preferably",
    "at most",
    "at least",
    "no more than",
    "keep",
    "stick to",
    "under no circumstances",
];
const CJK_RULES: [&str; 24] = [
    "必须",
    "必須",
    "不要",
    "禁止",
    "不得",
    "不能",
    "不可",
    "务必",
    "務必",
    "千万别",
    "绝不",
    "总是",
    "切勿",
    "しないで",
    "ないでください",
    "触らないで",
    "必ず",
    "してはいけ",
    "してはなら",
    "なければなら",
    "するな",
    "絶対に",
    "反드시",
    "하지 마",
];
const CJK_WISHES: [&str; 13] = [
    "始终",
    "始終",
    "常に",
    "ないこと",
    "只",
    "のみ",
    "だけ",
    "请勿",
    "別",
    "别",
    "尽量",
    "できるだけ",
    "避けて",
];
const CJK_EXPLICIT: [&str; 8] = ["必须", "必須", "不要", "只", "禁止", "しないで", "必ず", "のみ"];

/// Words before "don't" that make it a statement about someone.
const SUBJECTS: [&str; 11] = ["i", "we", "they", "it", "that", "which", "who", "if", "why", "things", "you"];
/// Verbs that make "I don't …" a wish after all.
const WANTING: [&str; 4] = ["want", "need", "like", "wanna"];

/// The constraints in a user message, in order.
pub fn constraints(text: &str) -> Vec<Constraint<'_>> {
    if may_rule(text) { sentences(text).into_iter().filter_map(constraint).collect() } else { Vec::new() }
}

/// First words of all phrases that make a rule or a wish.
const FIRST_WORDS: [&str; 17] = [
    "never",
    "always",
    "must",
    "mustn't",
    "don't",
    "dont",
    "do",
    "only",
    "make",
    "ensure",
    "avoid",
    "prefer",
    "preferably",
    "at",
    "no",
    "keep",
    "stick",
];

/// False where no word of a text can be part of a rule: a look at the beginning of each word, most often.
fn may_rule(text: &str) -> bool {
    const FIRST: [u8; 9] = *b"namdoepks";
    if !text.is_ascii() {
        return true;
    }
    let in_word = |b: u8| b.is_ascii_alphanumeric() || b == b'\'';
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !in_word(bytes[at]) {
            at += 1;
            continue;
        }
        let len = bytes[at..].iter().position(|b| !in_word(*b)).unwrap_or(bytes.len() - at);
        let word = &text[at..at + len];
        let first = bytes[at].to_ascii_lowercase();
        let may = (first == b'u' && word.eq_ignore_ascii_case("under"))
            || (FIRST.contains(&first)
                && len <= 10
                && FIRST_WORDS.iter().any(|w| word.eq_ignore_ascii_case(w)));
        if may {
            return true;
        }
        at += len;
    }
    false
}

fn constraint(sentence: Sentence<'_>) -> Option<Constraint<'_>> {
    let Sentence { text, fenced } = sentence;
    if !may_rule(text) {
        return None;
    }
    let cjk = text.chars().any(is_cjk);
    let cjk_explicit = cjk && CJK_EXPLICIT.iter().any(|w| text.contains(w));
    let lower = text.to_lowercase().replace('’', "'");
    let words: Vec<&str> =
        lower.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|w| !w.is_empty()).collect();
    let has = |list: &[&str]| list.iter().any(|phrase| holds(&words, phrase));
    let explicit = cjk_explicit || has(&RULES) || has(&NEGATIONS) || has(&["only"]);
    let question = text.ends_with(['?', '\u{FF1F}']);
    let guess = words.windows(2).any(|w| w == ["there", "must"]);
    let ruled = (has(&RULES) && !guess) || orders_not(&words);
    let strength = if ruled || (cjk && CJK_RULES.iter().any(|w| text.contains(w))) {
        Strength::Rule
    } else if has(&WISHES) || has(&["only"]) || (cjk && CJK_WISHES.iter().any(|w| text.contains(w))) {
        Strength::Wish
    } else if explicit {
        Strength::Mention
    } else {
        return None;
    };
    let strength = if question { strength.min(Strength::Wish) } else { strength };
    let strength = if question && !cjk && strength == Strength::Wish { Strength::Mention } else { strength };
    (explicit || strength == Strength::Wish || strength == Strength::Rule).then_some(Constraint {
        text,
        strength,
        explicit,
        fenced,
    })
}

/// "don't" as an order rather than a statement about someone.
fn orders_not(words: &[&str]) -> bool {
    words.iter().enumerate().any(|(i, word)| {
        let after = match *word {
            "don't" | "dont" => words.get(i + 1),
            "do" if words.get(i + 1) == Some(&"not") => words.get(i + 2),
            _ => return false,
        };
        let stated = i > 0 && SUBJECTS.contains(&words[i - 1]);
        !stated || after.is_some_and(|verb| WANTING.contains(verb) && words[i - 1] != "you")
    })
}

fn holds(words: &[&str], phrase: &str) -> bool {
    let wanted: Vec<&str> = phrase.split(' ').collect();
    words.windows(wanted.len()).any(|w| w == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> Vec<&str> {
        constraints(text).into_iter().filter(|c| c.strength == Strength::Rule).map(|c| c.text).collect()
    }

    #[test]
    fn rules_in_three_languages() {
        assert_eq!(
            rules("Hello. Never push to main! Please don’t touch tests. It MUST build. I don't want mocks."),
            ["Never push to main!", "Please don’t touch tests.", "It MUST build.", "I don't want mocks."]
        );
        assert_eq!(
            rules("你好。必须用 pnpm。不要改 package.json。"),
            ["必须用 pnpm。", "不要改 package.json。"]
        );
        assert_eq!(
            rules("mainには push しないで。必ずテストを書く。"),
            ["mainには push しないで。", "必ずテストを書く。"]
        );
        assert_eq!(
            rules("切勿删除日志。コメントを残さなければならない。"),
            ["切勿删除日志。", "コメントを残さなければならない。"]
        );
    }

    #[test]
    fn what_may_be_a_statement_as_well_is_a_wish() {
        for text in ["请始终先运行测试。", "常に日本語で答えてください。", "eval は使わないこと。"]
        {
            let found: Vec<Strength> = constraints(text).iter().map(|c| c.strength).collect();
            assert_eq!(found, [Strength::Wish], "{text}");
        }
    }

    #[test]
    fn statements_with_the_same_words_are_mentions() {
        let of = |text| constraints(text).first().map(|c| (c.strength, c.explicit));
        assert_eq!(of("I don't know."), Some((Strength::Mention, true)));
        assert_eq!(of("Why must it be global?"), Some((Strength::Mention, true)));
        assert_eq!(of("There must be a way."), Some((Strength::Mention, true)));
        assert_eq!(of("Only the header."), Some((Strength::Wish, true)));
        assert_eq!(of("Make sure it builds."), Some((Strength::Wish, false)));
        assert_eq!(of("只改文档。"), Some((Strength::Wish, true)));
        assert_eq!(of("The mustard is nevertheless good."), None);
    }

    #[test]
    fn code_is_marked() {
        let found = constraints("```\n// must be sorted\n```\nAlways sort.");
        assert_eq!(found.iter().map(|c| c.fenced).collect::<Vec<_>>(), [true, false]);
    }
}

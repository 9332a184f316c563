//! Rules in English, Chinese, Japanese and Korean, recognised by words.

use super::rule_words::{
    BOUNDS, CJK_EXPLICIT, CJK_REVOKING, CJK_RULES, CJK_WISHES, FORBIDDING, NEGATIONS, NOT_REVOKING, REVOKING,
    RULES, SUBJECTS, WANTING, WISHES,
};
use super::strength::{RuleClass, Strength};
use super::word::is_cjk;
use super::words::{lowered, words_with_apostrophes};

/// Classifies a sentence by its English, Chinese, Japanese and Korean words.
pub(super) fn classify_rule(text: &str) -> Option<RuleClass> {
    let cjk = text.chars().any(is_cjk);
    let cjk_explicit = cjk && CJK_EXPLICIT.iter().any(|w| text.contains(w));
    let lower = lowered(text);
    let words: Vec<&str> = words_with_apostrophes(&lower).collect();
    let begins = words.iter().fold(0, |all, word| all | beginning(word));
    let has = |list: &[&str]| {
        list.iter().any(|phrase| begins & beginning(phrase) != 0 && contains_phrase(&words, phrase))
    };
    let revokes =
        (has(REVOKING) && !has(NOT_REVOKING)) || (cjk && CJK_REVOKING.iter().any(|w| text.contains(w)));
    let explicit = revokes || cjk_explicit || has(&RULES) || has(&NEGATIONS) || has(&["only"]);
    let question = text.ends_with(['?', '\u{FF1F}']);
    let is_rule = (has(&RULES) && !guesses_or_reports(&words)) || is_prohibition(&words) || has(FORBIDDING);
    let cjk_says = |list: &[&str]| cjk && list.iter().any(|w| text.contains(w));
    let strength = if is_rule || revokes || cjk_says(CJK_RULES) {
        Strength::Rule
    } else if wishes(&words, begins)
        || limits_by_only(&lower, &words)
        || leaves_alone(&words)
        || rules_something_out(text, &words)
        || chooses_or_limits(&lower, &words)
        || (cjk
            && ((cjk_says(CJK_WISHES) && !text.contains("我会") && !text.contains("我會"))
                || is_japanese_prohibition(text)
                || says_when_or_how(text)))
    {
        Strength::Wish
    } else if explicit {
        Strength::Mention
    } else {
        return None;
    };
    let strength = if question { strength.min(Strength::Wish) } else { strength };
    let strength = if question && !cjk && strength == Strength::Wish { Strength::Mention } else { strength };
    let is_any = explicit || strength > Strength::Mention;
    is_any.then_some(RuleClass { strength, explicit })
}

/// "I must have left it", "there must be a way", "that should never happen": these contain a rule's words but set no rule.
fn guesses_or_reports(words: &[&str]) -> bool {
    const BEFORE: [&str; 3] = ["there", "i", "we've"];
    let guesses = |w: &[&str]| w[1] == "must" && BEFORE.contains(&w[0]);
    let is_report = words.ends_with(&["should", "never", "happen"]);
    is_report || words.windows(2).any(guesses)
}

/// Whether a word makes the sentence a wish. What speakers say about themselves does not count: "I'll make sure to find it".
fn wishes(words: &[&str], begins: u64) -> bool {
    const SELF: [&str; 4] = ["i", "i'll", "i'd", "i've"];
    const CARING: [&str; 3] = ["make sure", "be sure to", "ensure"];
    /// How many words before it are searched for the speaker.
    const NEAR: usize = 6;
    let is_there = |phrase: &&&str| begins & beginning(phrase) != 0 && contains_phrase(words, phrase);
    let own = |phrase: &str| {
        let first = phrase.split(' ').next();
        let Some(at) = words.iter().position(|word| Some(*word) == first) else { return false };
        let before = &words[at.saturating_sub(NEAR)..at];
        before.iter().any(|word| SELF.contains(word)) && !before.contains(&"you")
    };
    WISHES.iter().filter(is_there).any(|phrase| !CARING.contains(phrase) || !own(phrase))
}

/// Whether "only" limits something instead of describing it, as in "there's only one file left", "it now stops and only shows the first".
fn limits_by_only(lower: &str, words: &[&str]) -> bool {
    const DESCRIPTION_BEFORE: [&str; 40] = [
        "there's", "is", "was", "are", "were", "has", "have", "had", "now", "it", "that", "which", "who",
        "they", "he", "she", "i", "we", "the", "where", "it's", "that's", "isn't", "wasn't", "aren't", "not",
        "if", "this", "an", "a", "my", "i've", "we've", "i'm", "been", "currently", "still", "does", "did",
        "because",
    ];
    let joined = |at: usize| {
        lower.as_bytes().get(at.wrapping_sub(1)) == Some(&b'-') || lower.as_bytes().get(at + 4) == Some(&b'-')
    };
    // Inside a hyphenated word it is part of a name.
    if !lower.match_indices("only").any(|(at, _)| !joined(at)) {
        return false;
    }
    words.iter().enumerate().any(|(at, word)| {
        let Some(before) = at.checked_sub(1).and_then(|before| words.get(before)) else {
            return *word == "only";
        };
        let next = words.get(at + 1);
        let wanted = next.is_some_and(|next| WANTING.contains(next));
        let shows =
            *before == "and" && next.is_some_and(|next| next.ends_with('s') && words.contains(&"now"));
        *word == "only" && !shows && (wanted || !DESCRIPTION_BEFORE.contains(before))
    })
}

/// Whether "don't" is an order and not a statement about somebody.
fn is_prohibition(words: &[&str]) -> bool {
    /// "I still don't have it": the subject comes before these words.
    const BETWEEN: [&str; 4] = ["still", "really", "also", "actually"];
    words.iter().enumerate().any(|(i, word)| {
        let after = match *word {
            "don't" | "dont" => words.get(i + 1),
            "do" if words.get(i + 1) == Some(&"not") => words.get(i + 2),
            _ => return false,
        };
        let subject = words[..i].iter().rev().find(|word| !BETWEEN.contains(word));
        let stated = subject.is_some_and(|subject| SUBJECTS.contains(subject));
        !stated || after.is_some_and(|verb| WANTING.contains(verb) && subject != Some(&"you"))
    })
}

/// "Leave the tests as they are" and similar sentences.
fn leaves_alone(words: &[&str]) -> bool {
    let Some(at) = words.iter().position(|w| *w == "leave") else { return false };
    let behind = &words[at + 1..];
    ["alone", "untouched", "unchanged", "as is", "as it is", "as they are", "out"]
        .iter()
        .any(|p| contains_phrase(behind, p))
}

/// "Stop adding comments", "No new dependencies": short sentences that rule something out.
fn rules_something_out(text: &str, words: &[&str]) -> bool {
    const SMALL_TALK: [&str; 29] = [
        "problem", "problems", "worries", "idea", "need", "thanks", "rush", "one", "longer", "way", "doubt",
        "wait", "i", "it", // and Spanish words for how things are:
        "funciona", "hay", "se", "me", "es", "está", "entiendo", "puedo", "hace", "usa", "sé", "veo",
        "tengo", "quiero", "importa",
    ];
    match words {
        ["stop", doing, ..] => doing.ends_with("ing"),
        ["no", what, rest @ ..] => {
            words.len() <= 8
                && !is_report(what, rest)
                && text.as_bytes().get(2) == Some(&b' ')
                && !SMALL_TALK.contains(what)
                && !SUBJECTS.contains(what)
        }
        _ => false,
    }
}

/// "No tests failed", "No errors now": reports, which rule nothing out.
fn is_report(what: &str, behind: &[&str]) -> bool {
    const REPORT_WORDS: [&str; 20] = [
        "are", "broke", "changed", "did", "exist", "exists", "fail", "failed", "fails", "found", "had",
        "happened", "has", "have", "is", "occurred", "passed", "was", "were", "left",
    ];
    const TROUBLE: [&str; 12] = [
        "bugs", "conflicts", "crashes", "error", "errors", "failure", "failures", "issues", "regressions",
        "warning", "warnings", "luck",
    ];
    const BY_NOW: [&str; 6] = ["now", "anymore", "here", "yet", "so", "this"];
    let of_it = |word: &&&str| matches!(**word, "that" | "which" | "who");
    let verb = behind.iter().position(|word| REPORT_WORDS.contains(word)).filter(|at| *at < 3);
    verb.is_some_and(|at| behind[..at].iter().find(of_it).is_none())
        || (TROUBLE.contains(&what) && behind.first().is_some_and(|next| BY_NOW.contains(next)))
}

/// "Use tabs, not blanks", "Budget: 200 EUR".
fn chooses_or_limits(lower: &str, words: &[&str]) -> bool {
    let bare: &[&str] = match words {
        ["the" | "my" | "our" | "please", rest @ ..] => rest,
        all => all,
    };
    match bare {
        ["use", rest @ ..] | [_, "use", rest @ ..] | [_, _, "use", rest @ ..]
            if !bare[..bare.len() - rest.len()].iter().any(|word| SUBJECTS.contains(word)) =>
        {
            rest.iter().any(|w| matches!(*w, "not" | "instead" | "rather" | "no"))
        }
        [first, rest @ ..] if BOUNDS.contains(first) => {
            let behind = lower.split_once(first).map_or("", |(_, behind)| behind).trim_start();
            let has_value =
                behind.strip_prefix([':', '\u{FF1A}']).is_some_and(|value| !value.trim().is_empty());
            has_value || matches!(rest.first(), Some(&("is" | "are")))
        }
        _ => false,
    }
}

/// 「触るな」, 「増やさないで」, 「しないように」: endings of Japanese sentences that say what not to do.
fn is_japanese_prohibition(text: &str) -> bool {
    let sentence = text.trim_end_matches(|c: char| !c.is_alphanumeric()).trim_end_matches(['ね', 'よ']);
    [
        "ないで", "ないように", "ないようお願いします", "すんな", "るな", "すな", "くな", "むな", "つな",
        "ぶな", "ぐな", "使うな", "言うな",
    ]
    .iter()
    .any(|end| sentence.ends_with(end))
}

/// 「提交前先跑测试」, 「注释用英文」, 「デプロイ前に聞いて」, 「コミットメッセージは日本語で」: short sentences that say what must be done before something else, or in which
/// language.
fn says_when_or_how(text: &str) -> bool {
    const LONG: usize = 24;
    const REPORT_WORDS: [&str; 7] = ["了", "我", "报错", "報錯", "崩溃", "失败", "错误"];
    let sentence = text.trim_end_matches(|c: char| !c.is_alphanumeric());
    if sentence.ends_with("前问我") || sentence.ends_with("前問我") {
        return true;
    }
    let is_report = REPORT_WORDS.iter().any(|word| text.contains(word)) && !text.contains("先问我");
    if !is_report
        && text.chars().count() <= LONG
        && ["前先", "前请先", "前請先", "后先", "後先"].iter().any(|when| text.contains(when))
    {
        return true;
    }
    let asked =
        ["お願いします", "ください", "下さい", "ね"].iter().find_map(|end| sentence.strip_suffix(end));
    let asked = asked.unwrap_or(sentence);
    let first = ["聞いて", "確認して", "相談して", "知らせて", "テストして", "テストを実行して"];
    (text.contains("前に") && first.iter().any(|end| asked.ends_with(end)))
        || (text.contains('は') && asked.ends_with("語で"))
        || (!is_report && ["用中文", "用英文", "用英语"].iter().any(|end| sentence.ends_with(end)))
}

/// One bit of 64 for the first letters of a phrase or word. Most phrases begin like no word of a sentence and can be skipped.
fn beginning(phrase: &str) -> u64 {
    let (first, second) = match phrase.as_bytes() {
        [first, b' ', ..] | [first] => (*first, 0),
        [first, second, ..] => (*first, *second),
        [] => return 0,
    };
    1 << ((first.wrapping_mul(7) ^ second) % 64)
}

fn contains_phrase(words: &[&str], phrase: &str) -> bool {
    let first = phrase.split(' ').next();
    let matches_at = |at: usize| {
        let mut behind = words[at..].iter();
        phrase.split(' ').all(|wanted| behind.next() == Some(&wanted))
    };
    words.iter().enumerate().any(|(at, word)| Some(*word) == first && matches_at(at))
}

/// Whether a sentence refers to something named in the sentence before.
pub(super) fn points_back(sentence: &str) -> bool {
    const MANY: usize = 12;
    const PRONOUNS: [&str; 4] = ["it", "them", "they", "its"];
    const DEMONSTRATIVES: [&str; 4] = ["this", "that", "these", "those"];
    /// Words after "this" if it does not belong to a noun.
    const BEHIND: [&str; 22] = [
        "again", "anymore", "ever", "yet", "now", "here", "please", "in", "on", "at", "to", "for", "from",
        "by", "with", "without", "if", "when", "unless", "until", "or", "and",
    ];
    const CJK: [&str; 9] = ["它", "牠", "这样", "這樣", "那样", "那樣", "それ", "これ", "그것"];
    if sentence.contains(is_cjk) && CJK.iter().any(|w| sentence.contains(w)) {
        return true;
    }
    let lower = lowered(sentence);
    let words: Vec<&str> = words_with_apostrophes(&lower).collect();
    words.len() <= MANY
        && words.iter().enumerate().any(|(at, word)| {
            PRONOUNS.contains(word)
                || (at > 0
                    && DEMONSTRATIVES.contains(word)
                    && words.get(at + 1).is_none_or(|next| BEHIND.contains(next)))
        })
}

//! Rules in English, Chinese, Japanese and Korean, recognised by words.

use super::clause::{Clause, DETERMINERS, PREPOSITIONS, clauses, is_past};
use super::questions::asks;
use super::rule_words::{
    BOUNDS, CJK_EXPLICIT, CJK_REVOKING, CJK_RULES, CJK_WISHES, NEGATIONS, NOT_REVOKING, REVOKING, RULES,
    SUBJECTS,
};
use super::strength::{RuleClass, Strength};
use super::words::{is_listed, lowered, words_with_apostrophes};
use crate::script::is_cjk;

/// Classifies a sentence by its English, Chinese, Japanese and Korean words.
pub(super) fn classify_rule(text: &str) -> Option<RuleClass> {
    let cjk = text.chars().any(is_cjk);
    let cjk_explicit = cjk && CJK_EXPLICIT.iter().any(|w| text.contains(w));
    let lower = without_names(&lowered(text));
    let words: Vec<&str> = words_with_apostrophes(&lower).collect();
    let has = |list: &[&str]| list.iter().any(|phrase| contains_phrase(&words, phrase));
    let cjk_says = |list: &[&str]| cjk && list.iter().any(|w| text.contains(w));
    let revokes = (has(REVOKING) && !has(NOT_REVOKING)) || cjk_says(CJK_REVOKING);
    let explicit = revokes || cjk_explicit || has(&RULES) || has(&NEGATIONS) || has(&["only"]);
    // "Can you please stop adding comments?" and "don't push, ok?" ask for no answer.
    let asks_for = |two: &[&str]| matches!(two, ["please", "never" | "always" | "don't" | "stop" | "only"]);
    let agreed = words.last().is_some_and(|word| matches!(*word, "ok" | "okay"));
    let question = text.ends_with(['?', '\u{FF1F}']) && !(agreed || words.windows(2).any(asks_for));
    let is_error = is_error(&lower);
    let told = is_error || asks(&words, question);
    let clauses = if is_error { Vec::new() } else { clauses(&lower, question) };
    let rules_out = |clause: &Clause<'_>| rules_something_out(clause).then_some(Strength::Wish);
    let set = clauses.iter().filter_map(|clause| clause.strength().max(rules_out(clause))).max();
    let strength = if (revokes && !told) || cjk_says(CJK_RULES) || set == Some(Strength::Rule) {
        Strength::Rule
    } else if set.is_some()
        || (!told && (leaves_alone(&words) || chooses_or_limits(&lower, &words)))
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

/// The text without "only" in names such as "read-only" and "only-if-cached".
fn without_names(lower: &str) -> String {
    let word = |c: char| c.is_alphanumeric();
    let names = lower.match_indices("only").map(|(at, _)| at).filter(|at| {
        let (before, behind) = (&lower[..*at], &lower[at + "only".len()..]);
        (before.ends_with('-') && !behind.starts_with(word))
            || (behind.starts_with('-') && !before.ends_with(word))
    });
    let mut out = String::new();
    let mut copied = 0;
    for at in names {
        out.push_str(&lower[copied..at]);
        copied = at + "only".len();
    }
    out.push_str(&lower[copied..]);
    out
}

/// Whether a line was pasted from a program or what it printed: "// …", "Error: …", "Syntax error: …", "error TS2322: …",
/// "error[E0382]: …". "On error: …" and "Error handling: …" say when a rule holds.
pub(super) fn is_error(lower: &str) -> bool {
    let mut words = lower.split_whitespace();
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let has_code = || second.ends_with(':') && second.contains(|c: char| c.is_ascii_digit() || c == '[');
    let names_when = || is_listed(first, PREPOSITIONS) || is_listed(first, DETERMINERS);
    let label = first.split('[').next().unwrap_or_default();
    (first.ends_with(':') && label.trim_end_matches(':').ends_with("error"))
        || (first.ends_with("error") && has_code())
        || (second == "error:" && !names_when())
        || lower.starts_with("//")
}

/// "Leave the tests as they are" and similar sentences.
fn leaves_alone(words: &[&str]) -> bool {
    let Some(at) = words.iter().position(|w| *w == "leave") else { return false };
    let behind = &words[at + 1..];
    ["alone", "untouched", "unchanged", "as is", "as it is", "as they are", "out"]
        .iter()
        .any(|p| contains_phrase(behind, p))
}

/// "Stop adding comments", "No new dependencies", "I fly direct, no layovers": short clauses that rule something out. Behind another clause
/// it is of several things, because "it ran, no error" is a report.
fn rules_something_out(clause: &Clause<'_>) -> bool {
    const SMALL_TALK: &str =
        "problem problems worries idea clue luck need thanks rush one longer way doubt wait i it";
    /// Words behind a Spanish "no" that say how things are.
    const SPANISH: &str = "funciona hay se me te es está entiendo puedo hace usa sé veo tengo quiero pasa";
    match &clause.words[..] {
        ["stop", doing, ..] => doing.ends_with("ing"),
        ["no" | "absolutely", "no", what, rest @ ..] | ["no", what, rest @ ..] => {
            rest.len() <= 6
                && (clause.after != "," || rest.last().unwrap_or(what).ends_with('s'))
                && !is_report(what, rest, !clause.after.is_empty())
                && ![SMALL_TALK, SPANISH, SUBJECTS].iter().any(|list| is_listed(what, list))
        }
        _ => false,
    }
}

/// "No tests failed", "No errors now": reports, which rule nothing out.
fn is_report(what: &str, behind: &[&str], concludes: bool) -> bool {
    const ASKED: &str = "needed required allowed wanted";
    const REPORT_WORDS: &str = "are is has have broke exist exists fail fails pending";
    const TROUBLE: &str =
        "bugs conflicts crashes error errors failure failures issues regressions warning warnings";
    const BY_NOW: &str = "now anymore here yet so this";
    let of_it = |word: &&&str| matches!(**word, "that" | "which" | "who");
    let reports = |word: &&str| is_listed(word, REPORT_WORDS) || (is_past(word) && !is_listed(word, ASKED));
    behind.iter().take(3).take_while(|word| !of_it(word)).any(reports)
        || behind.ends_with(&["at", "all"])
        || (is_listed(what, TROUBLE) && behind.first().map_or(concludes, |next| is_listed(next, BY_NOW)))
}

/// "Use tabs, not blanks", "Budget: 200 EUR".
fn chooses_or_limits(lower: &str, words: &[&str]) -> bool {
    let bare: &[&str] = match words {
        ["the" | "my" | "our" | "please", rest @ ..] => rest,
        all => all,
    };
    match bare {
        ["use", rest @ ..] | [_, "use", rest @ ..] | [_, _, "use", rest @ ..]
            if !bare[..bare.len() - rest.len()].iter().any(|word| is_listed(word, SUBJECTS)) =>
        {
            // "Use the other one instead" is said once.
            let instead = contains_phrase(rest, "instead of") || !rest.contains(&"the");
            rest.iter().any(|w| matches!(*w, "not" | "rather" | "no") || (*w == "instead" && instead))
        }
        [first, rest @ ..] if BOUNDS.contains(first) => {
            let behind = lower.split_once(first).map_or("", |(_, behind)| behind).trim_start();
            let has_value =
                behind.strip_prefix([':', '\u{FF1A}']).is_some_and(|value| !value.trim().is_empty());
            has_value
                || (matches!(rest.first(), Some(&("is" | "are")))
                    && (rest.len() > 3 || lower.contains(|c: char| c.is_ascii_digit())))
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

fn contains_phrase(words: &[&str], phrase: &str) -> bool {
    let begins = |at: usize| phrase.split(' ').zip(at..).all(|(wanted, at)| words.get(at) == Some(&wanted));
    (0..words.len()).any(begins)
}

/// Whether a sentence refers to something named in the sentence before.
pub(super) fn points_back(sentence: &str) -> bool {
    const MANY: usize = 12;
    const PRONOUNS: &str = "it them they its";
    const DEMONSTRATIVES: &str = "this that these those";
    /// Words after "this" if it does not belong to a noun.
    const BEHIND: &str = "again anymore ever yet now here please in on at to for from by with without if when unless until or \
        and";
    const CJK: [&str; 9] = ["它", "牠", "这样", "這樣", "那样", "那樣", "それ", "これ", "그것"];
    if sentence.contains(is_cjk) && CJK.iter().any(|w| sentence.contains(w)) {
        return true;
    }
    let lower = lowered(sentence);
    let words: Vec<&str> = words_with_apostrophes(&lower).collect();
    words.len() <= MANY
        && words.iter().enumerate().any(|(at, word)| {
            is_listed(word, PRONOUNS)
                || (at > 0
                    && is_listed(word, DEMONSTRATIVES)
                    && words.get(at + 1).is_none_or(|next| is_listed(next, BEHIND)))
        })
}

//! Rules in English, recognised by words.

use super::clause::{Clause, DETERMINERS, PREPOSITIONS, clauses, is_past};
use super::questions::asks;
use super::rule_words::{BOUNDS, FORBIDDING, NOT_REVOKING, REVOKING, SUBJECTS, WISHES};
use super::words::{is_listed, lowered, words_with_apostrophes};

/// Whether a sentence lays down a rule, by its English words. A question does not, nor does a line that a program printed.
pub(super) fn sets_rule(text: &str) -> bool {
    let lower = without_names(&lowered(text));
    let words: Vec<&str> = words_with_apostrophes(&lower).collect();
    // "Can you please stop adding comments?" and "don't push, ok?" ask for no answer.
    let asks_for = |two: &[&str]| matches!(two, ["please", "never" | "always" | "don't" | "stop" | "only"]);
    let agreed = words.last().is_some_and(|word| matches!(*word, "ok" | "okay"));
    let is_question = text.ends_with('?') && !(agreed || words.windows(2).any(asks_for));
    if is_question || is_error(&lower) {
        return false;
    }
    let has = |list: &[&str]| list.iter().any(|phrase| contains_phrase(&words, phrase));
    let revokes = || has(REVOKING) && !has(NOT_REVOKING);
    let begins = words.iter().fold(0, |all, word| all | beginning(word));
    !asks(&words, false) && (revokes() || leaves_alone(&words) || chooses_or_limits(&lower, &words))
        || clauses(&lower, false).iter().any(|clause| clause_sets_rule(clause, begins))
}

fn clause_sets_rule(clause: &Clause<'_>, begins: u64) -> bool {
    let may_have = |phrase: &&&str| begins & beginning(phrase) != 0;
    let has =
        |list: &[&str]| list.iter().filter(may_have).any(|phrase| contains_phrase(&clause.words, phrase));
    has(FORBIDDING) && !clause.depends() && !clause.words.contains(&"was")
        || has(WISHES)
        || rules_something_out(clause)
        || clause.sets_rule()
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
            let has_number = lower.contains(|c: char| c.is_ascii_digit());
            let is_set = matches!(rest.first(), Some(&("is" | "are"))) && (rest.len() > 3 || has_number);
            let is_moved = ["moved to", "changed to"].iter().any(|set| contains_phrase(rest, set));
            has_value || is_set || is_moved && has_number
        }
        _ => false,
    }
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
    const PRONOUNS: &str = "it them they its that's this's";
    const DEMONSTRATIVES: &str = "this that these those";
    /// Words after "this" if it does not belong to a noun.
    const BEHIND: &str = "again anymore ever yet now here please in on at to for from by with without if when unless until or \
        and";
    /// The same at the beginning of a sentence that judges: "That works for me."
    const JUDGING: &str = "is was are were sounds looks works seems feels";
    let lower = lowered(sentence);
    let words: Vec<&str> = words_with_apostrophes(&lower).collect();
    words.len() <= MANY
        && words.iter().enumerate().any(|(at, word)| {
            is_listed(word, PRONOUNS)
                || is_listed(word, DEMONSTRATIVES)
                    && words
                        .get(at + 1)
                        .is_none_or(|next| is_listed(next, if at == 0 { JUDGING } else { BEHIND }))
        })
}

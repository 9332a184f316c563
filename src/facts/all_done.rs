//! Recognises sentences that end all open work: "All done.", "Both tasks are complete; nothing is left."

use super::phrases::Phrases;
use super::sentences::sentences;
use super::words::{is_listed, lowered, words_with_apostrophes};

/// The only words in a clause that says so.
const ALLOWED_WORDS: &str = "all both everything nothing and now so yes great perfect ok okay good that's they they're we \
    we're are is was were am have has had been with that these those the of to do them us it done complete completed \
    finished tasks task items steps boxes todos points work left remains remaining more else open there here myself \
    already too today i";

/// Words for the amount of work.
const QUANTITIES: [&str; 3] = ["all", "both", "everything"];

/// Words for being done.
const DONE: [&str; 4] = ["done", "complete", "completed", "finished"];

/// Words of conditions and exceptions, which such a sentence does not contain.
const UNLESS: &str = "if once when until unless before after not except but apart besides";

const CJK: [&str; 5] = ["すべて完了", "全て完了", "全部完成", "都完成了", "모두 완료"];

/// Words that make these a condition, a wish, a question or a negation.
const CJK_UNLESS: [&str; 15] = [
    "ない", "ません", "たら", "れば", "まで", "したい", "ください", "後", "后", "没", "未", "不", "吗",
    "如果", "请",
];

/// Whether a text says that all work is done. Questions, negations and conditions do not count.
pub fn says_all_done(text: &str) -> bool {
    let ends_all = |sentence: &str| {
        let lower = lowered(sentence);
        !lower.contains(['?', '\u{FF1F}']) && (all_done_in_words(&lower) || all_done_in_cjk(&lower))
    };
    MENTIONS.any_in(text) && sentences(text).iter().any(|s| s.is_said() && ends_all(s.text))
}

/// Such a sentence contains one of these; most texts contain none.
static MENTIONS: Phrases<10> =
    Phrases::of([DONE[0], DONE[1], DONE[3], "left", "remain", CJK[0], CJK[1], CJK[2], CJK[3], CJK[4]]);

fn all_done_in_words(lower: &str) -> bool {
    let all: Vec<&str> = words_with_apostrophes(lower).collect();
    let is_bound = |word: &&str| is_listed(word, UNLESS) || word.ends_with("n't");
    !all.iter().any(is_bound) && lower.split([',', ';', '—', '–', '!', ':']).any(is_all_done_clause)
}

fn is_all_done_clause(clause: &str) -> bool {
    let said: Vec<&str> = words_with_apostrophes(clause).collect();
    let at = |ones: &[&str]| said.iter().position(|word| ones.contains(word));
    let before =
        |first: Option<usize>, then: Option<usize>| first.is_some_and(|f| then.is_some_and(|t| f < t));
    let ends = before(at(&QUANTITIES), at(&DONE))
        || before(at(&["nothing"]), at(&["left", "remains", "remaining"]))
        || said.starts_with(&["nothing", "to", "do"]);
    ends && said.iter().all(|word| is_listed(word, ALLOWED_WORDS))
}

fn all_done_in_cjk(text: &str) -> bool {
    CJK.iter().any(|words| text.contains(words)) && !CJK_UNLESS.iter().any(|words| text.contains(words))
}

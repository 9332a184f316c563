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
    MENTIONS.any_in(text) && sentences(text).iter().any(|s| !s.fenced && ends_all(s.text))
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

#[cfg(test)]
mod tests {
    use super::says_all_done;

    #[test]
    fn a_statement_that_all_is_done_is_recognised() {
        for text in [
            "All done.",
            "Both are done.",
            "great, both done",
            "Yes, all finished.",
            "All tasks are complete.",
            "Everything is finished.",
            "Nothing is left.",
            "I did both of those myself, nothing left to do there.",
            "Added login and logout; both are complete.",
            "The parser is mended. Both tasks are complete; nothing is left.",
            "すべて完了しました。",
            "全部完成了。",
        ] {
            assert!(says_all_done(text), "{text}");
        }
    }

    #[test]
    fn a_question_a_condition_and_an_exception_do_not_say_all_is_done() {
        for text in [
            "Is everything done?", "Not all done.", "All tasks are not complete.", "They aren't all done.",
            "Once all tasks are complete, deploy.", "Tell me when everything is done.",
            "All done except the docs.", "Both done, but the docs are left.", "All tests are done.",
            "All done with the parser.", "Make sure all tasks are complete.", "I want everything done.",
            "Nothing is left of the cache.", "すべて完了したら教えて。", "全部完成了吗", "请全部完成",
            "```\nAll done.\n```",
        ] {
            assert!(!says_all_done(text), "{text}");
        }
    }
}

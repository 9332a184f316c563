use super::rule_words::may_contain_rule;
use super::sentences::{
    LONGEST_WRAPPED, Sentence, is_entry, is_fence, may_continue, sentences, starts_new_block,
};
use super::words::lowered;
use super::{cjk_rules, keywords, rule_patterns};
use crate::script::is_cjk;

/// How an exception to the rule before it begins.
const EXCEPTIONS: &str = "except |unless |exception:|the only exception|only exception|one exception|the exception is|exceptions: |\
    ausnahme:|ausnahmen:|einzige ausnahme|die einzige ausnahme|ausgenommen|außer |es sei denn|sauf |exception :|seule exception|\
    la seule exception|à moins |excepto |única excepción|la única excepción|excepción:|salvo que |salvo si |a menos que |tranne |eccetto |\
    eccezione:|unica eccezione|l'unica eccezione|a meno che |exceto |exceção:|única exceção|a única exceção|a não ser |исключение:|\
    единственное исключение|кроме случаев|除非|例外:|例外：|唯一的例外|唯一例外|ただし|例外は|단,|예외는|예외:";

/// A sentence of a user message that says what the agent must or must not do, or that takes this back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Constraint<'a> {
    /// The sentence, verbatim. It includes a list that follows it, and the sentence before it if it only refers to that.
    pub text: &'a str,
    /// It is inside a code fence or a quotation, so it was more likely pasted than written.
    pub fenced: bool,
    /// It begins an entry of a list.
    pub listed: bool,
}

/// The constraints in a user message, in order.
pub fn constraints(text: &str) -> Vec<Constraint<'_>> {
    let mut out: Vec<Constraint<'_>> = Vec::new();
    if !may_contain_rule(text) {
        return out;
    }
    let all = sentences(text);
    // The start and end of the last constraint found.
    let mut newest = (0, 0);
    for (i, sentence) in all.iter().enumerate() {
        if sentence.at < newest.1 {
            continue; // it is part of the previous constraint's list
        }
        if !sets_rule(sentence.text) {
            continue;
        }
        let mut end = sentence.end();
        if !sentence.fenced {
            end = with_list(text, sentence.at, end);
            let next = all.get(i + 1).filter(|next| next.at >= end);
            let exception = next.filter(|next| next.is_said() && is_exception(next.text));
            end = exception.map_or(end, Sentence::end);
        }
        let before = all[..i].last().filter(|before| !before.fenced && sentence.is_said());
        let pointed =
            before.filter(|before| points_back(sentence.text) && end - before.at <= LONGEST_WRAPPED);
        let begin = match pointed {
            // The sentence that it refers to is itself a rule. The two are joined if the result is not too long.
            Some(pointed) if pointed.at < newest.1 && end - newest.0 <= LONGEST_WRAPPED => newest.0,
            Some(pointed) if pointed.at >= newest.1 => pointed.at,
            _ => sentence.at,
        };
        if begin < newest.1 {
            out.pop();
        }
        out.push(Constraint {
            text: &text[begin..end],
            fenced: sentence.fenced,
            listed: pointed.filter(|_| begin < sentence.at).unwrap_or(sentence).listed,
        });
        newest = (begin, end);
    }
    out
}

/// Whether a sentence limits the one before: "The only exception is Anna."
fn is_exception(sentence: &str) -> bool {
    let lower = lowered(sentence);
    EXCEPTIONS.split('|').any(|begins| lower.starts_with(begins))
}

/// The end of a sentence including the list after it, if the sentence ends in a colon or the list directly follows it.
fn with_list(text: &str, start: usize, end: usize) -> usize {
    let rest = text[end..].trim_start_matches([' ', '\t', '*', '_', '\r']);
    let announced = text[start..end].trim_end_matches(['*', '_']).ends_with([':', '\u{FF1A}']);
    let finished = text[start..end].ends_with(['.', '!', '?', '。', '\u{FF01}', '\u{FF1F}']);
    if !rest.starts_with('\n') || (finished && !announced) {
        return end;
    }
    let own = &text[text[..start].rfind('\n').map_or(0, |at| at + 1)..start];
    let depth = own.len() - own.trim_start().len();
    let of_a_list = is_entry(&format!("{}x", own.trim_start()));
    let mut taken = end;
    let mut at = text.len() - rest.len() + 1;
    // The start of the list entry that the last line belongs to.
    let mut entry_at = end;
    // Lines without list marks directly below a colon.
    let mut plain = announced && !of_a_list;
    for whole in text[at..].split_inclusive('\n') {
        let line = whole.trim();
        let entry = is_entry(line) && (!of_a_list || whole.len() - whole.trim_start().len() > depth);
        plain &= !starts_new_block(line) && !line.is_empty();
        let below = entry || plain || (taken > end && may_continue(text[entry_at..taken].trim_start(), line));
        at += whole.len();
        if line.is_empty() && announced && taken == end {
            continue;
        }
        let line_end = at - (whole.len() - whole.trim_end().len());
        if line.is_empty() || is_fence(line) || !below || line_end - start > LONGEST_WRAPPED {
            break;
        }
        if entry || plain {
            entry_at = taken;
        }
        taken = line_end;
    }
    taken
}

/// "Do not touch it.": the sentence before says what must not be touched.
pub(super) fn points_back(sentence: &str) -> bool {
    sentence.len() <= 160
        && (rule_patterns::points_back(sentence)
            || keywords::points_back(sentence)
            || cjk_rules::points_back(sentence))
}

/// Whether a sentence says what the agent must or must not do, or takes that back.
fn sets_rule(text: &str) -> bool {
    // A line of JSON was pasted.
    if ["\":\"", "\"},", "\"}"].iter().any(|mark| text.contains(mark)) {
        return false;
    }
    may_contain_rule(text)
        && (keywords::sets_rule(text)
            || rule_patterns::sets_rule(text)
            || text.contains(is_cjk) && cjk_rules::sets_rule(text))
}

#[cfg(test)]
mod tests {
    use super::super::rule_words::{BOUNDS, FORBIDDING, REVOKING, WISHES};
    use super::*;
    use crate::corpus::{agrees, rows};

    #[test]
    fn every_sentence_is_classified() {
        agrees(include_str!("constraints.tsv"), |text| match constraints(text)[..] {
            [] => "-",
            [found] if found.text != text => "in part",
            [_] => "R",
            _ => "several",
        });
    }

    /// Sentences as users write them, judged as a whole: no grammar is right about each of them.
    #[test]
    fn what_is_told_as_a_rule_is_one_and_few_rules_are_missed() {
        let (mut rules, mut right, mut wrong) = (0, 0, Vec::new());
        let (mut missed, all) = (Vec::new(), rows(include_str!("said.tsv")));
        for (verdict, text) in all.iter().filter(|(verdict, _)| *verdict != "either") {
            let rule = (*verdict == "rule").then(|| text.split('*').nth(1).unwrap_or(text));
            let message = text.replace('*', "");
            let told = constraints(&message).into_iter();
            // A small part of a rule does not tell it.
            let (own, others): (Vec<_>, Vec<_>) = told.map(|c| c.text.to_owned()).partition(|told| {
                rule.is_some_and(|rule| {
                    told.contains(rule) || (rule.contains(told.as_str()) && 2 * told.len() > rule.len())
                })
            });
            rules += usize::from(rule.is_some());
            right += usize::from(!own.is_empty());
            missed.extend(rule.filter(|_| own.is_empty()).map(|rule| format!("missed: {rule}")));
            wrong.extend(others.into_iter().map(|text| format!("told: {text}")));
        }
        let precision = right as f64 / (right + wrong.len()) as f64;
        let recall = right as f64 / rules as f64;
        let (wrong, missed) = (wrong.join("\n"), missed.join("\n"));
        let figures = format!("precision {precision:.3}, recall {recall:.3}\n{wrong}\n{missed}");
        assert!(precision >= 0.9 && recall >= 0.9, "{figures}");
    }

    /// In quadratic time this test would run for hours.
    #[test]
    fn long_messages_without_an_end_of_a_sentence_take_linear_time() {
        const BYTES: usize = 200_000;
        for (start, repeated) in [
            ("run ", "only works "),
            ("the ", "only if "),
            ("x ", "we don't "),
            ("x ", "you must never always "),
            ("", "just don't just "),
            ("how ", "and never "),
            ("says ", "\" 5\" "),
            ("what ", "so that it never is "),
        ] {
            let message = format!("{start}{}", repeated.repeat(BYTES / repeated.len()));
            assert!(constraints(&message).len() <= 1, "{repeated}");
        }
        for sentence in ["Never ab. ", "不要删除。"] {
            assert!(constraints(&sentence.repeat(BYTES / sentence.len())).len() > 1);
        }
        let late = format!("{}{}", "x ".repeat(BYTES / 4), "we don't ".repeat(BYTES / 18));
        assert!(constraints(&late).len() <= 1);
    }

    #[test]
    fn a_rule_of_several_sentences_or_lines_is_found_whole_among_others() {
        let list = rows(include_str!("constraints.tsv"));
        for (_, whole) in list.iter().filter(|(verdict, text)| *verdict != "-" && text.contains('\n')) {
            let among = format!("Hello there, this is the task\n\n{whole}\n\nThanks");
            assert_eq!(constraints(&among).iter().map(|c| c.text).collect::<Vec<_>>(), [whole]);
        }
        let long = format!("You must do this:\n{}", "- one of so many steps\n".repeat(100));
        assert!(constraints(&long)[0].text.len() <= LONGEST_WRAPPED);
        let steps = "- one of so many steps\n".repeat(24);
        let two = format!("You must do this:\n{steps}- The core stays.\nDo not touch it.");
        assert_eq!(constraints(&two).len(), 2, "too long to be one");
    }

    #[test]
    fn an_exception_comes_with_its_rule_and_nothing_else_does() {
        for rest in [
            "Please refund order ORD-12345.",
            "Außerdem geht der Login nicht.",
            "3 tests are failing.",
            "An exception is thrown.",
            "Кроме того, сервер не отвечает.",
            "但是登录页面打不开了。",
            "\nException in thread main",
            "\n- Exception handling is done",
        ] {
            assert_eq!(constraints(&format!("Never email Bob. {rest}"))[0].text, "Never email Bob.");
        }
        let inside = "Note (all good. Never deploy. Use tabs.)";
        assert_eq!(constraints(inside)[0].text, inside);
    }

    #[test]
    fn every_phrase_passes_the_quick_check() {
        for phrase in FORBIDDING.iter().chain(WISHES).chain(REVOKING).chain(BOUNDS) {
            assert!(may_contain_rule(phrase), "{phrase}");
        }
        for text in ["leave it alone", "stop adding comments", "no comments", "use a, not b"] {
            assert!(may_contain_rule(text), "{text}");
        }
    }

    #[test]
    fn code_is_marked() {
        let found = constraints("```\nit must be sorted\n```\nAlways sort.");
        assert_eq!(found.iter().map(|c| c.fenced).collect::<Vec<_>>(), [true, false]);
        let found = constraints("The log says:\n> warning: never use --force\nWhat is wrong? Never push.");
        assert_eq!(found.iter().map(|c| c.fenced).collect::<Vec<_>>(), [true, false]);
    }
}

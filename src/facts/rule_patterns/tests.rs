use super::super::constraints;
use super::super::rule_words::{WORD_RULES_BIT, rule_languages};
use super::*;
use crate::corpus::agrees;

#[test]
fn every_sentence_is_classified() {
    agrees(include_str!("sentences.tsv"), |text| match constraints(text)[..] {
        [] => "-",
        [found] if found.text != text => "in part",
        [_] => "R",
        _ => "several",
    });
}

#[test]
fn every_pattern_is_searched_for_by_its_marked_word() {
    for (at, language) in LANGUAGES.iter().enumerate() {
        for pattern in [language.rules, language.modals].into_iter().flat_map(|list| list.split(',')) {
            let pattern = pattern.trim();
            let marked: Vec<&str> = pattern.split(' ').filter_map(|word| word.strip_prefix('=')).collect();
            assert_eq!(marked.len(), usize::from(!pattern.is_empty()), "{pattern}");
            for word in marked.into_iter().flat_map(|marked| marked.split('|')) {
                let word = if word == "#" { "deutsch" } else { word };
                assert!(rule_languages(word) >> at & 1 == 1, "{pattern}");
                let mut found = false;
                patterns_at(word, &mut |p| found |= p.text == pattern && p.language == at);
                assert!(found && !word.contains(['*', '+', '%', '!']), "{pattern}");
            }
        }
    }
}

#[test]
fn trigger_words_match_with_or_without_accents_and_after_an_apostrophe() {
    for (text, language) in
        [("Réponds TOUJOURS", 2), ("n’utilise PAS", 2), ("SÓLO", 3), ("fu\u{308}r, künftig", 1)]
    {
        assert!(rule_languages(text) >> language & 1 == 1, "{text}");
    }
    assert_eq!(rule_languages("don't") & WORD_RULES_BIT, WORD_RULES_BIT);
    assert_eq!(rule_languages("don’t") & WORD_RULES_BIT, WORD_RULES_BIT);
    assert_eq!(rule_languages("The mustard tastes of neverland."), 0);
}

proptest::proptest! {
    #[test]
    fn any_text_can_be_classified(text in "\\PC{0,60}|([a-zäéñ'’,.: ]|nie|no|non|ne|не|always|immer|=|#|%){0,40}") {
        // `rule_languages` must not miss a rule.
        let found = sets_rule(&text);
        proptest::prop_assert!(!found || rule_languages(&text) & (WORD_RULES_BIT - 1) != 0);
    }
}

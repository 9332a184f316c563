use super::super::constraints;
use super::super::rule_words::may_contain_rule;
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
                assert!(may_contain_rule(word), "{pattern}");
                let mut found = false;
                patterns_at(word, &mut |p| found |= p.text == pattern && p.language == at);
                assert!(found && !word.contains(['*', '+', '%', '!']), "{pattern}");
            }
        }
    }
}

#[test]
fn trigger_words_match_with_or_without_accents_and_after_an_apostrophe() {
    for text in ["Réponds TOUJOURS", "n’utilise PAS", "SÓLO", "fu\u{308}r, künftig", "don't", "don’t"]
    {
        assert!(may_contain_rule(text), "{text}");
    }
    assert!(!may_contain_rule("The mustard tastes of neverland."));
}

proptest::proptest! {
    #[test]
    fn any_text_can_be_classified(text in "\\PC{0,60}|([a-zäéñ'’,.: ]|nie|no|non|ne|не|always|immer|=|#|%){0,40}") {
        // The quick check must not miss a rule.
        proptest::prop_assert!(!sets_rule(&text) || may_contain_rule(&text));
    }
}

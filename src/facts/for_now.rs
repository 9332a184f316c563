//! Rules that hold for the moment only.

use super::{cjk_rules, rule_patterns};
use crate::script::is_cjk;

/// Whether what a rule asks for is over soon: "Don't fix it yet", "only this time", "heute nicht".
pub fn holds_for_now(sentence: &str) -> bool {
    if sentence.contains(is_cjk) {
        return cjk_rules::holds_for_now(sentence);
    }
    rule_patterns::contains_any(sentence, |language| language.for_now)
        && !rule_patterns::contains_any(sentence, |language| language.lasting)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::agrees;

    #[test]
    fn every_sentence_is_classified() {
        agrees(include_str!("for_now.tsv"), |text| if holds_for_now(text) { "yes" } else { "no" });
    }
}

//! Rules that hold for the moment only.

use super::rule_patterns;
use crate::script::is_cjk;

/// Patterns of what is over soon, in seven languages, as [`super::rule_words::Language`] has them.
const FOR_NOW: &str = "don t .. yet, dont .. yet, do not .. yet, ^ this time, this time $, this time ~, just this once, for now $, \
    for now ~, for this one $, noch nicht $, noch nicht ~, diesmal, dieses mal, ausnahmsweise, vorerst, cette fois, pour l instant, \
    pour le moment, pas encore $, pas encore ~, esta vez, por ahora, todavia $, todavia ~, stavolta, questa volta, per ora, \
    desta vez, por enquanto, на|в этот раз, ^ пока не";
/// The same in scripts without blanks between words.
const CJK: [&str; 10] =
    ["这次", "這次", "这一次", "先别", "先別", "暂时", "今回は", "今回だけ", "이번에는", "이번만"];

/// Patterns of what lasts all the same: "don't use parts that are not tested yet".
const LASTING: &str = "never|always|every|each, that|which .. yet, nie|niemals|immer, jed*, jamais|toujours|chaque, \
    nunca|siempre|cada, mai|sempre|ogni, никогда|всегда";
const QUOTES: [char; 6] = ['"', '“', '„', '«', '「', '`'];

/// Whether what a rule asks for is over soon: "Don't fix it yet", "only this time".
pub fn holds_for_now(sentence: &str) -> bool {
    if sentence.contains(QUOTES) {
        return false; // the words may be quoted
    }
    if sentence.contains(is_cjk) {
        return CJK.iter().any(|words| sentence.contains(words));
    }
    let matches = |patterns: &'static str| rule_patterns::contains_any(sentence, |_| patterns);
    matches(FOR_NOW) && !matches(LASTING)
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

//! Recognises sentences that tell a later reader nothing: thanks, apologies, assent, what somebody lacks or has forgotten.

use super::cjk_rules;
use super::rule_patterns;
use super::rule_words::folded;
use super::words::{is_listed, words};
use crate::script::is_cjk;

/// Words of thanks and apologies, folded.
const COURTESY: &str = "thanks thank sorry apologize apologise apologies appreciate appreciated welcome \
    danke dank dankeschoen entschuldigung entschuldige entschuldigen verzeihung leid \
    merci desole desolee pardon excuse excusez gracias perdon disculpa disculpe siento \
    grazie scusa scusi scusate dispiace obrigado obrigada desculpe desculpa perdao \
    спасибо благодарю извините извини простите прости";

/// Words that agree, refuse, or ask to go on, folded.
const ASSENT: &str = "yes yeah yep no nope ok okay sure continue go proceed next great right alright fine perfect correct \
    ja nein gut genau richtig weiter prima passt oui non continuez parfait accord si vale claro perfecto correcto \
    continua sigue va bene certo perfetto giusto sim nao certo perfeito да нет хорошо ладно верно давай";

/// The same in scripts without blanks between words.
const CJK: [&str; 22] = [
    "谢谢", "謝謝", "抱歉", "对不起", "對不起", "不好意思", "好的", "可以", "没问题", "沒問題", "继续",
    "繼續", "ありがと", "すみません", "申し訳", "ごめん", "はい", "了解", "続けて", "감사", "고마", "죄송",
];

/// Longer sentences, in words, say more than thanks.
const COURTEOUS: usize = 8;
/// An answer that begins with an assent and is no longer says no more than "go on".
const ASSENTING: usize = 7;
/// A sentence with an assent in it that is no longer is nothing but that.
const SHORT: usize = 4;
/// The same, in characters, for scripts without blanks between words.
const SHORT_CJK: usize = 12;

/// Whether a word only agrees, refuses, thanks, or asks to go on.
pub fn is_assent(word: &str) -> bool {
    let folded = folded(word);
    is_listed(&folded, ASSENT) || is_listed(&folded, COURTESY)
}

/// Words that refuse, folded.
const REFUSALS: &str = "no nope nein non nao nee нет";

/// Whether an answer only agrees: "yes, go on", "好的".
pub fn agrees(answer: &str) -> bool {
    if answer.contains(is_cjk) {
        return is_courtesy(answer);
    }
    let folded = folded(answer);
    let words: Vec<&str> = words(&folded).collect();
    words.len() < SHORT
        && words.first().is_none_or(|first| !is_listed(first, REFUSALS) && is_listed(first, ASSENT))
}

/// Whether a sentence has a word of thanks or of an apology.
pub fn thanks(sentence: &str) -> bool {
    let folded = folded(sentence);
    words(&folded).any(|word| is_listed(word, COURTESY))
}

/// Whether a sentence is only thanks, an apology or an assent.
pub fn is_courtesy(sentence: &str) -> bool {
    if sentence.contains(is_cjk) {
        let said = sentence.chars().filter(|c| c.is_alphanumeric()).count();
        return said <= SHORT_CJK && CJK.iter().any(|words| sentence.contains(words));
    }
    let folded = folded(sentence);
    let words: Vec<&str> = words(&folded).collect();
    let is_assent = |word: &&str| is_listed(word, ASSENT);
    // "OK, you can deploy now" takes back what was forbidden before.
    let permits = |two: &[&str]| matches!(two, ["you", "can" | "may"] | ["are", "fine" | "ok" | "okay"]);
    if words.windows(2).any(permits) {
        return false;
    }
    (words.len() <= COURTEOUS && words.iter().any(|word| is_listed(word, COURTESY)))
        || (words.len() <= ASSENTING && words.first().is_some_and(is_assent))
        || (words.len() <= SHORT && words.iter().any(is_assent))
}

/// Whether a speaker says what they lack, do not know or have forgotten.
pub fn says_what_is_lacking(sentence: &str) -> bool {
    if sentence.contains(is_cjk) {
        return cjk_rules::says_what_is_lacking(sentence);
    }
    rule_patterns::contains_any(sentence, |language| language.lacking)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::agrees;

    #[test]
    fn courtesy_in_ten_languages() {
        agrees(include_str!("courtesy.tsv"), |text| if is_courtesy(text) { "yes" } else { "no" });
    }

    #[test]
    fn what_is_lacking_in_ten_languages() {
        agrees(include_str!("lacking.tsv"), |text| if says_what_is_lacking(text) { "yes" } else { "no" });
    }
}

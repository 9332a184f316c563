use super::content::Content;
use super::literal::literals;
use super::words::lowered;
use crate::script::is_cjk;

/// A sentence of the assistant that is worth keeping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statement {
    /// Whether it says that something is finished, and not what was found or decided.
    pub is_done: bool,
    /// How much it is worth: more for stronger words and for specific names.
    pub weight: u32,
}

/// What phrases are worth, highest first; the phrases are separated by `|`, and a blank in one counts.
type Phrases = &'static [(u32, &'static str)];

/// What was found out, such as a cause or a fact, or decided.
const FOUND: Phrases = &[
    (5, "root cause|the cause|原因|decided|决定|決定|ことにし"),
    (
        4,
        "found that|turns out|the problem is|the issue is|caused by|failed because|going with|chose|\
         发现|發現|问题是|问题在于|改用|判明|問題は|分かっ|方針|採用",
    ),
    (
        3,
        "the bug|the reason|discovered|confirmed|didn't work|not possible|instead of|rather than|because|\
         the fix|recommend|trade-off|而不是|因为|わかりました|ためです|代わりに",
    ),
    (
        2,
        "this means|i see the problem|doesn't work|does not work|is missing|is never|so i |so we |therefore|\
         we should|the plan|approach|solution|won't|说明|因此|所以|方案|なので",
    ),
    (1, "is only"),
];
/// What was finished.
const DONE: Phrases = &[
    (4, "released|published|tests pass|deployed"),
    (
        3,
        "fixed|implemented|committed|merged|completed|checks pass|all pass|resolved|booked|\
         cancelled|refactored|完成|已修复|修好|完了|修正しました|通りました",
    ),
    (
        2,
        "added|created|updated|removed|renamed|moved|complete|successfully|passes|works|done|\
         已经|已添加|通过|追加しました|作成しました",
    ),
    (1, "しました"),
];
/// Beginnings of narration, which the tool calls show better.
const NARRATION: [&str; 18] = [
    "let me", "now let me", "let's see", "now i", "first, let", "first we ", "first i ", "i'll start",
    "i need to", "now add", "now update", "i'll check", "i'll look", "next, let", "让我", "我来", "では",
    "まず",
];
/// Says what a change is expected to bring, which nobody has seen yet: "both should now look alike".
const EXPECTATION: &str = "should now";

/// Words with which the assistant speaks to the user instead of about the work: requests, offers, thanks.
const TO_THE_USER: [&str; 18] = [
    "please", "let me know", "feel free", "would you like", "i can help", "i can assist", "here to help",
    "here to assist", "thank you", "i'll need your", "i will need your", "i need your", "happy to help",
    "apologize", "ください", "下さい", "ましょうか", "，请",
];
/// Beginnings of such sentences: conditions and questions.
const TO_THE_USER_FIRST: [&str; 16] = [
    "if you", "once you", "once i have", "when you", "would you", "could you", "can you", "do you",
    "are you", "sorry", "如果", "请", "請", "谢谢", "もし", "よろしければ",
];
/// What a sentence that begins with "once" says if it is about the future: "Once that's done, we can go on."
const FUTURE: [&str; 4] = [" can ", " will ", " could ", "'ll "];
/// A word that only looks like one of these beginnings: a request of a program.
const REQUEST: [&str; 2] = ["请求", "請求"];

/// Classifies a sentence; `None` for small talk, narration, and what asks something of the user.
pub fn statement(sentence: &str) -> Option<Statement> {
    if sentence.len() < 8 || sentence.ends_with(['?', '\u{FF1F}']) {
        return None;
    }
    let lower = lowered(sentence);
    let is_future = || lower.starts_with("once ") && FUTURE.iter().any(|word| lower.contains(word));
    if speaks_to_user(&lower) || is_future() {
        return None;
    }
    let (found, done) = (strongest(&lower, FOUND), strongest(&lower, DONE));
    let strength = found.max(done);
    let figures = Content::of(sentence).figures.min(3) as u32;
    if strength == 0 && figures == 0 {
        return None;
    }
    let is_done = done > found;
    if !is_done && holds(&lower, EXPECTATION) {
        return None;
    }
    if (narrates(&lower) && strength < 4)
        || sentence.trim_end_matches(['*', '_']).ends_with([':', '\u{FF1A}'])
    {
        return None;
    }
    let specific = literals(sentence).len() + sentence.matches('`').count() / 2;
    let bare = specific == 0 && sentence.chars().map(|c| if is_cjk(c) { 3 } else { 1 }).sum::<usize>() < 24;
    let weight = strength + 2 * specific.min(3) as u32 + figures;
    // A sentence with only weak words gains little from the names in it.
    let weight = if strength <= 1 { weight.min(2 + strength) } else { weight };
    // Headings, exclamations and a mere "Updated." state nothing.
    (!bare).then_some(Statement { is_done, weight })
}

/// Whether a sentence only announces a call, which shows it better.
pub fn narrates(sentence: &str) -> bool {
    let lower = lowered(sentence);
    NARRATION.iter().any(|beginning| lower.starts_with(beginning))
}

/// Whether a sentence asks, offers, thanks, or announces what comes next, so that it says nothing by itself.
pub fn only_leads_on(sentence: &str) -> bool {
    sentence.ends_with(['?', '\u{FF1F}', ':', '\u{FF1A}']) || speaks_to_user(&lowered(sentence))
}

fn speaks_to_user(lower: &str) -> bool {
    let begins = |list: &[&str]| list.iter().any(|words| lower.starts_with(words));
    TO_THE_USER.iter().any(|words| holds(lower, words)) || (begins(&TO_THE_USER_FIRST) && !begins(&REQUEST))
}

fn strongest(lower: &str, phrases: Phrases) -> u32 {
    let said = phrases.iter().find(|(_, list)| list.split('|').any(|phrase| holds(lower, phrase)));
    said.map_or(0, |(weight, _)| *weight)
}

/// Whether the phrase occurs as whole words. Scripts without blanks have no word boundaries.
fn holds(lower: &str, phrase: &str) -> bool {
    lower.match_indices(phrase).any(|(at, _)| {
        let letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && !is_cjk(c));
        let spaced = !phrase.contains(is_cjk);
        let end = &lower[at + phrase.len()..];
        !(spaced
            && (letter(lower[..at].chars().next_back())
                || (!phrase.ends_with(' ') && letter(end.chars().next()))))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specific_statements_weigh_more() {
        let weight = |text| statement(text).unwrap().weight;
        assert!(
            weight("Fixed `a()` in src/b.rs, 12 lines.")
                > weight("Fixed the thing that was mentioned before.")
        );
    }
}

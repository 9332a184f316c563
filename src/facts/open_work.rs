use super::phrases::Phrases;
use super::sentences::{Sentence, is_entry, is_fence, sentences, unmarked};
use super::statements::{only_leads_on, statement};
use super::words::words;

/// An entry of a Markdown checklist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checkbox<'a> {
    /// The text of the entry.
    pub text: &'a str,
    /// Whether the box is ticked.
    pub done: bool,
}

const OPEN_BOXES: [char; 4] = ['☐', '⬜', '□', '◻'];
const TICKED_BOXES: [char; 4] = ['☑', '✅', '✔', '☒'];

/// The checklist entries in a text, in order, without those in code: a template has boxes that nobody ticked.
pub fn checkboxes(text: &str) -> Vec<Checkbox<'_>> {
    let drawn =
        || !text.is_ascii() && text.contains(|c| OPEN_BOXES.contains(&c) || TICKED_BOXES.contains(&c));
    if !text.contains('[') && !text.contains("~~") && !drawn() {
        return Vec::new();
    }
    let mut fenced = false;
    let is_said = |line: &&str| {
        let is_fence = is_fence(line);
        fenced ^= is_fence;
        !fenced && !is_fence
    };
    text.lines().map(str::trim).filter(is_said).filter_map(checkbox).collect()
}

fn checkbox(line: &str) -> Option<Checkbox<'_>> {
    let body = unmarked(line);
    let (text, done) = if let Some(text) = body.strip_prefix(OPEN_BOXES) {
        (text, false)
    } else if let Some(text) = body.strip_prefix(TICKED_BOXES) {
        (text, true)
    } else if let Some(text) = struck_out(body) {
        (text, true)
    } else {
        let (mark, text) = body.strip_prefix('[').filter(|_| is_entry(line))?.split_once(']')?;
        match mark {
            "x" | "X" | "✓" | "✔" => (text, true),
            " " | "" | "~" | "/" | "-" => match struck_out(text.trim()) {
                Some(text) => (text, true),
                None => (text, false),
            },
            _ => return None,
        }
    };
    let text = text.trim_start_matches('\u{FE0F}').trim();
    (!text.is_empty()).then_some(Checkbox { text, done })
}

/// The text between strike-through marks: `~~Fix the parser~~`.
fn struck_out(text: &str) -> Option<&str> {
    text.strip_prefix("~~")?.strip_suffix("~~").filter(|text| !text.contains("~~"))
}

/// A shorter text is the beginning of too many others.
const FEWEST_WORDS: usize = 3;

/// Whether `longer` begins with all the words of `beginning` (at least three) and continues, but not with another task.
pub fn continues(longer: &str, beginning: &str) -> bool {
    const MORE: [&str; 4] = ["and", "then", "und", "or"];
    let mut words = words_of(longer);
    let mut begun = 0;
    let goes_on = words_of(beginning).all(|word| {
        begun += 1;
        words.next().as_deref() == Some(word.as_str())
    });
    goes_on && begun >= FEWEST_WORDS && words.next().is_some_and(|next| !MORE.contains(&next.as_str()))
}

fn words_of(text: &str) -> impl Iterator<Item = String> {
    words(text).map(str::to_lowercase)
}

/// Whether a ticked entry is this open one, in the same words or followed by a remark: "the docs (done in abc1234)". Emphasis, punctuation
/// and case are ignored.
pub fn ticks(ticked: &str, open: &str) -> bool {
    let mut open = open.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).peekable();
    if open.peek().is_none() {
        return false;
    }
    for (at, c) in ticked.char_indices().filter(|(_, c)| c.is_alphanumeric()) {
        if open.peek().is_none() {
            let before = ticked[..at].trim_end_matches([' ', '*', '_', '`', '~', '"']);
            return before.ends_with(|c: char| !c.is_alphanumeric());
        }
        if c.to_lowercase().any(|c| open.next() != Some(c)) {
            return false;
        }
    }
    open.peek().is_none()
}

/// The question at the end of a text, which its speaker waits to have answered.
pub fn final_question(text: &str) -> Option<&str> {
    const MARKS: [char; 3] = ['?', '\u{FF1F}', '؟'];
    if !text.contains(MARKS) {
        return None;
    }
    let all = sentences(text);
    let tail = all.iter().rev().take(3).filter(|s| s.is_said());
    tail.map(|s| s.text)
        .find(|s| s.trim_end_matches(['"', ')', '*', '」', '\u{FF09}']).ends_with(['?', '\u{FF1F}']))
}

/// A question of fewer words asks about the sentence before.
const ASKING_WORDS: usize = 3;

/// The question at the end of a text, with the sentence before if it is only "OK?".
pub fn whole_final_question(text: &str) -> Option<&str> {
    let question = final_question(text)?;
    if question.split_whitespace().count() >= ASKING_WORDS {
        return Some(question);
    }
    let all = sentences(text);
    let at = all.iter().rposition(|sentence| sentence.text == question)?;
    let before = at.checked_sub(1).map(|before| all[before]).filter(Sentence::is_said);
    Some(before.map_or(question, |before| &text[before.at..all[at].end()]))
}

/// Whether a question is addressed to the user and not rhetorical.
pub fn is_question_to_user(question: &str) -> bool {
    const WORDS: [&str; 14] = [
        "shall i", "shall we", "should i", "should we", "may i", "can i", "do you", "would you", "could you",
        "can you", "want me", "ok to", "okay to", "prefer",
    ];
    const CJK: [&str; 7] = ["吗", "嗎", "要不要", "ますか", "でしょうか", "ですか", "까요"];
    let lower = question.to_lowercase();
    WORDS.iter().chain(&CJK).any(|words| lower.contains(words))
}

const HEADS: [&str; 14] = [
    "next step", "next:", "next up", "remaining", "todo", "to do", "to-do", "still to do", "left to do",
    "待办", "下一步", "次のステップ", "残り", "未完了",
];
/// Every text that names open work contains one of these: what the headings begin with, where they contain none of the words, and then the
/// words.
const MENTIONED: [&str; 26] = [
    "next:", "next up", "to do", "to-do", "次のステップ", "残り", "未完了", "still need", "still to be",
    "remains to", "remaining", "todo", "not yet", "left to do", "next step", "next, i", "next i",
    "follow-up", "待办", "还需要", "还没", "接下来", "下一步", "次に", "まだ", "残って",
];
const WORDS: &[&str] = MENTIONED.split_at(7).1;
static MENTIONS: Phrases<26> = Phrases::of(MENTIONED);

/// The work that a text names as still to be done: sentences that say so, and lists under headings that do.
pub fn intentions(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    if !MENTIONS.any_in(text) {
        return out;
    }
    let mut listing = false;
    let mut fenced = false;
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.starts_with("```") {
            fenced = !fenced;
        }
        if fenced || trimmed.is_empty() {
            continue;
        }
        let body = unmarked(trimmed);
        let marked = body.len() < trimmed.len() && !trimmed.starts_with(['#', '>']);
        let plain = body.trim_matches(['*', '_', ' ']);
        if checkbox(trimmed).is_some() {
            continue;
        }
        if listing && marked {
            out.push(body);
            continue;
        }
        let lower = plain.to_lowercase();
        let heads = HEADS.iter().any(|h| lower.starts_with(h));
        listing = heads && (trimmed.starts_with(['#', '*']) || plain.ends_with([':', '\u{FF1A}']) || marked);
        let alone = listing && plain.chars().count() < 40 && plain.ends_with([':', '\u{FF1A}']);
        if !(alone || (listing && trimmed.starts_with('#'))) {
            out.extend(
                sentences(trimmed).into_iter().filter(|s| s.is_said() && says_open(s.text)).map(|s| s.text),
            );
        }
    }
    out
}

/// Whether a sentence only gives a figure: "Remaining balance: $201", "you have $201 remaining".
fn is_amount(sentence: &str) -> bool {
    if sentence.split(" remaining").any(|before| before.ends_with(|c: char| c.is_ascii_digit())) {
        return true;
    }
    let value = sentence.rsplit_once([':', '\u{FF1A}']).map_or("", |(_, value)| value);
    value.contains(|c: char| c.is_ascii_digit()) && !value.contains(char::is_alphabetic)
}

fn says_open(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let says = WORDS.iter().any(|w| lower.contains(w)) && !only_leads_on(sentence) && !is_amount(sentence);
    says && statement(sentence).is_none_or(|s| !s.is_done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_ticked_in_other_words_is_recognised() {
        for ticked in
            ["write the docs", "**Write the docs**", "write the docs (done in abc1234)", "`write` the docs ✓"]
        {
            assert!(ticks(ticked, "write the docs"), "{ticked}");
        }
        assert!(!ticks("write the tests", "write the docs") && !ticks("add tests for it", "add tests"));
        assert!(!ticks("x", "- ") && ticks("发布\u{FF08}已完成\u{FF09}", "发布"));
        assert!(!ticks("write", "write the docs"));
    }
}

//! What else the user said. Messages are told whole: a sentence taken out of one may not say what "it" is, and the next one may take it
//! back. In any language, a sentence may be a rule without a word that marks it.

use std::borrow::Cow;

use super::asked::{AskedRequest, folded_turns};
use crate::compaction::Redact;
use crate::context::{Context, ERASED, NodeIndex, NodeSet};
use crate::error::Result;
use crate::facts::shorten::{both_ends_within, marked_line, one_line};
use crate::facts::words::words;
use crate::facts::{
    ExtractedFacts, LONGEST_REMARKED, Says, TextSet, agrees, is_written, says, sentences, thanks,
    whole_final_question, without_numbers,
};
use crate::hashing::hash;
use crate::message::Message;
use crate::script::is_cjk;
use crate::sorting::{sort, sort_by_key};
use crate::tool_output::first_words;

/// At most this many messages are read from either end, so that the cost of a fold does not grow with the session.
const MANY: usize = 100;

/// A word that more messages have says little about what one is about.
const RARE: usize = 3;
/// Two messages that share so many rare words are about the same, and so are two with the same quantity: "12 pages". A name, such as
/// `created_at`, is as good as two words.
const SHARED: usize = 3;

/// What has more words or, in bytes, is longer is no mere answer, and a question that is longer is not told.
const ANSWER_WORDS: usize = 5;
const LONGEST_ANSWER: usize = 60;
const LONGEST_QUESTION: usize = 200;

/// What has no more words says nothing without the message before it.
const FEW_WORDS: usize = 2;

/// Longer messages, in bytes, lose their middle: what was pasted. What the user wrote may have `LONGEST_REMARKED`.
const LONGEST_PASTED: usize = 240;

/// Of a longer message, about so many bytes at its ends are read.
const LONGEST_READ: usize = 2_000;

/// What the user said in a message, and in the next ones if only this one explains them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UserRemark {
    /// One for each message, in order.
    pub lines: Vec<SaidLine>,
}

/// A line that tells a message of the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SaidLine {
    pub at: NodeIndex,
    pub text: String,
}

/// The user's messages of a fold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct UserWords {
    /// First what a later reader needs most.
    pub remarks: Vec<UserRemark>,
    /// The last message that says a rule, for each rule, if there is one.
    pub rules: Vec<Option<NodeIndex>>,
}

/// How much a later reader needs a message, most first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Need {
    /// It is about the same as an earlier one, which would mislead without it: "Correction: it gives up after 11 attempts, not 7."
    Later,
    /// It says a rule, which is told in any case, and may mislead without the rest: "No ibuprofen for her. Only paracetamol."
    Rule,
    /// It makes a general statement, which may be a rule.
    General,
    /// Only the message before it explains it, which is not told: "It was the new checkout."
    Vague,
    /// It names a path or the like and is about that.
    AboutOneThing,
    /// It only agrees, or it differs from an earlier one only by its numbers.
    Again,
}

/// One of the user's messages.
struct Said {
    at: NodeIndex,
    text: String,
    says: Says,
    has_rules: bool,
    /// A hash that is the same for messages that differ only by their numbers.
    kind: u64,
}

/// What the user said in the folded messages besides what was `asked`, first what a later reader needs most, others alternately: newest,
/// oldest, second newest, and so on; and where these `rules` were said. Fails if `redact` does.
pub(super) fn user_words<'r>(
    context: &Context,
    facts: &ExtractedFacts,
    members: &[NodeIndex],
    asked: &[AskedRequest],
    rules: impl Iterator<Item = &'r String>,
    redact: Option<&Redact>,
) -> Result<UserWords> {
    let newest = folded_turns(context, members, true).take(MANY);
    let oldest = folded_turns(context, members, false).take(MANY);
    let mut seen = NodeSet::default();
    let mut all: Vec<Said> = Vec::with_capacity(2 * MANY);
    for at in newest.zip(oldest).flat_map(|(newest, oldest)| [newest, oldest]) {
        if !seen.insert(at) {
            continue;
        }
        let message = &context.history.node(at).message;
        let notes = facts.notes(at.get());
        let has_rules = notes.is_some_and(|notes| !notes.rules.is_empty());
        let text = plain_text(message, redact)?;
        let says = match redact {
            Some(_) => says(&text),
            None => notes.map_or(Says::Nothing, |notes| notes.says),
        };
        let kind = hash(without_numbers(&ends_of(&text)).as_bytes());
        all.push(Said { at, text, says, has_rules, kind });
    }
    let later = later_ones(&all);
    let mut out: Vec<(Need, UserRemark)> = Vec::new();
    let mut vague = Vec::new();
    for (number, said) in all.iter().enumerate() {
        if asked.iter().any(|request| request.at == said.at) {
            continue;
        }
        let Some((need, line)) = said.told(context, redact)? else { continue };
        let is_new = all.iter().all(|other| other.kind != said.kind || other.at <= said.at);
        if !is_new && line.ends_with(['?', '\u{FF1F}']) {
            continue; // answered, like the one that it repeats with another number
        }
        let need = match need {
            Need::Vague if !is_new => continue,
            Need::Vague => {
                vague.push(SaidLine { at: said.at, text: line });
                continue;
            }
            _ if !is_new || need == Need::Again => Need::Again,
            _ if later[number] => Need::Later,
            need => need,
        };
        out.push((need, UserRemark { lines: vec![SaidLine { at: said.at, text: line }] }));
    }
    sort_by_key(&mut vague, |line: &SaidLine| line.at);
    for line in vague {
        add_vague(&mut out, &all, asked, line);
    }
    sort_by_key(&mut out, |(need, _)| *need);
    let rules: Vec<String> = rules.map(|rule| one_line(rule)).collect();
    let mut places = vec![None; rules.len()];
    let sought = TextSet::new(rules);
    for said in all.iter().filter(|said| said.has_rules || redact.is_some()) {
        sought.find(&one_line(&said.text), |rule| places[rule] = places[rule].max(Some(said.at)));
    }
    Ok(UserWords { remarks: out.into_iter().map(|(_, remark)| remark).collect(), rules: places })
}

/// Adds a message that only the one before it explains: to that one, so that neither is told without the other.
fn add_vague(out: &mut Vec<(Need, UserRemark)>, all: &[Said], asked: &[AskedRequest], line: SaidLine) {
    let before = all.iter().filter(|said| said.at < line.at).max_by_key(|said| said.at);
    let told = before.and_then(|before| {
        out.iter_mut().find(|(_, remark)| remark.lines.iter().any(|told| told.at == before.at))
    });
    let requested = before.filter(|before| asked.iter().any(|request| request.at == before.at));
    if let Some((_, remark)) = told {
        remark.lines.push(line);
    } else if let Some(request) = requested {
        // The task tells it, but in another list.
        let text = both_ends_within(&entry(&request.text), LONGEST_REMARKED);
        out.push((Need::Later, UserRemark { lines: vec![SaidLine { at: request.at, text }, line] }));
    } else if words(&line.text).nth(FEW_WORDS).is_some() || line.text.contains(is_cjk) {
        // The rules of the message before it are told in any case.
        let need = if before.is_some_and(|before| before.has_rules) { Need::Later } else { Need::Vague };
        out.push((need, UserRemark { lines: vec![line] }));
    }
}

impl Said {
    /// The line that tells it, if it says anything, and how much a later reader needs it.
    fn told(&self, context: &Context, redact: Option<&Redact>) -> Result<Option<(Need, String)>> {
        if self.text == ERASED {
            return Ok(None);
        }
        let line = entry(&self.text);
        if let Some(question) = self.question(context, redact)? {
            // Of a rule that only agrees, the rules tell nothing.
            let need = if agrees(&line) && !self.has_rules { Need::Again } else { Need::General };
            return Ok(Some((need, format!("{line} (asked: {question})"))));
        }
        let need = match self.says {
            Says::Nothing => return Ok(None),
            Says::Back => Need::Vague,
            _ if self.has_rules => Need::Rule,
            Says::Something => Need::General,
            Says::OfOneThing => Need::AboutOneThing,
        };
        let longest =
            if line.len() <= LONGEST_PASTED || is_written(&line) { LONGEST_REMARKED } else { LONGEST_PASTED };
        let is_long = line.len() > longest;
        Ok(Some((need, if is_long { both_ends_within(&line, longest) } else { line })))
    }

    /// The assistant's question that it answers, if it begins with an answer that says nothing by itself: "No!".
    fn question(&self, context: &Context, redact: Option<&Redact>) -> Result<Option<String>> {
        let is_short = |answer: &str| {
            words(answer).nth(ANSWER_WORDS).is_none()
                && (1..=LONGEST_ANSWER).contains(&answer.len())
                && !answer.contains(['\n', '?', '\u{FF1F}', '؟'])
                && !thanks(answer)
        };
        let answer = self.text.trim();
        let begins =
            || sentences(answer).first().is_some_and(|first| agrees(first.text) && is_short(first.text));
        let is_answer = if matches!(self.says, Says::Nothing | Says::Back) {
            is_short(answer)
        } else {
            answer.len() <= LONGEST_PASTED && begins()
        };
        let before = is_answer.then(|| context.history.answer_before(self.at)).flatten();
        let Some(before) = before else { return Ok(None) };
        let text = plain_text(&context.history.node(before).message, redact)?;
        let question = whole_final_question(end_of(&text, 4 * LONGEST_QUESTION));
        Ok(question.filter(|question| question.len() <= LONGEST_QUESTION).map(one_line))
    }
}

/// What a message says. Fails if `redact` does.
pub(super) fn plain_text(message: &Message, redact: Option<&Redact>) -> Result<String> {
    Ok(match redact {
        Some(redact) => redact.message(message)?.plain_text(),
        None => message.plain_text(),
    })
}

/// A text as an entry of a list, with its line breaks unless it was cut before.
fn entry(text: &str) -> String {
    let text = ends_of(text);
    let line = marked_line(&text);
    if line != one_line(&text) {
        return line;
    }
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join("\n  ")
}

/// A text, or both ends of a long one, which loses its middle in any case.
fn ends_of(text: &str) -> Cow<'_, str> {
    if text.len() <= 2 * LONGEST_READ {
        return text.into();
    }
    format!("{}\n{}", first_words(text, LONGEST_READ), end_of(text, LONGEST_READ)).into()
}

/// The end of a text, of about this many bytes.
fn end_of(text: &str, bytes: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(bytes))..]
}

/// Whether each message is about the same as one before it: both have words that few others have, or the same quantity.
fn later_ones(all: &[Said]) -> Vec<bool> {
    let mut said: Vec<(u64, usize)> = Vec::new();
    for (number, message) in all.iter().enumerate() {
        let text = ends_of(&message.text);
        let mut before: Option<&str> = None;
        for word in words(&text) {
            if word.len() > 2 {
                said.push((hash(word.to_lowercase().as_bytes()), number));
            }
            if let Some(count) = before.filter(|count| count.bytes().all(|byte| byte.is_ascii_digit())) {
                let quantity = format!("{count} {}", word.to_lowercase());
                said.extend(
                    (0..SHARED).map(|times| (hash(format!("{times} {quantity}").as_bytes()), number)),
                );
            }
            before = Some(word);
        }
        let names = text.split_whitespace().map(|name| name.trim_matches(|c: char| !c.is_alphanumeric()));
        for name in names.filter(|name| name.contains(['_', '/'])) {
            said.extend((1..SHARED).map(|times| (hash(format!("{times} {name}").as_bytes()), number)));
        }
    }
    sort(&mut said);
    said.dedup();
    let mut shared = Vec::new();
    for with in said.chunk_by(|(word, _), (next, _)| word == next).filter(|with| with.len() <= RARE) {
        let pairs = with.iter().flat_map(|(_, one)| with.iter().map(move |(_, other)| (*one, *other)));
        shared.extend(pairs.filter(|(one, other)| all[*one].at > all[*other].at));
    }
    sort(&mut shared);
    let same = shared.chunk_by(|pair, next| pair == next).filter(|same| same.len() >= SHARED);
    let mut later = vec![false; all.len()];
    same.for_each(|same| later[same[0].0] = true);
    later
}

//! The user's other remarks. In any language, a sentence may be a rule without a word that marks it, so such sentences are kept if there is
//! room.

use std::borrow::Cow;

use super::asked::folded_turns;
use crate::compaction::Redact;
use crate::context::{Context, ERASED, NodeIndex, NodeSet};
use crate::error::Result;
use crate::facts::shorten::one_line;
use crate::facts::words::words;
use crate::facts::{ExtractedFacts, Remark, agrees, remarks, thanks, whole_final_question, without_numbers};
use crate::hashing::{HashSet, hash};
use crate::sorting::{sort, sort_by_key};

/// At most this many messages are read from either end, so that the cost of a fold does not grow with the session.
const MANY: usize = 100;

/// A word that more sentences have says little about what one is about.
const RARE: usize = 3;
/// Two sentences that share so many rare words are about the same.
const SHARED: usize = 3;

/// What has more words or, in bytes, is longer is no mere answer, and a question that is longer is not told.
const ANSWER_WORDS: usize = 5;
const LONGEST_ANSWER: usize = 60;
const LONGEST_QUESTION: usize = 200;

/// A sentence of the user, and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UserRemark {
    pub text: String,
    pub at: (NodeIndex, usize),
}

/// How much a later reader needs a sentence, most first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Need {
    /// It is about the same as an earlier one, which would mislead without it: "Correction: it gives up after 11 attempts, not 7."
    Later,
    /// It makes a general statement, which may be a rule.
    General,
    /// It names a path or the like and is about that.
    AboutOneThing,
    /// It only agrees, or differs from an earlier one only by its numbers.
    Again,
}

/// The user's sentences in the folded messages, those first that a later reader needs most. Others alternate: newest, oldest, second
/// newest, and so on. Fails if `redact` does.
pub(super) fn user_remarks(
    context: &Context,
    facts: &ExtractedFacts,
    members: &[NodeIndex],
    redact: Option<&Redact>,
) -> Result<Vec<UserRemark>> {
    let newest = folded_turns(context, members, true).take(MANY);
    let oldest = folded_turns(context, members, false).take(MANY);
    let mut seen = NodeSet::default();
    let mut messages: Vec<(NodeIndex, String, Cow<'_, [Remark]>)> = Vec::with_capacity(2 * MANY);
    for index in newest.zip(oldest).flat_map(|(newest, oldest)| [newest, oldest]) {
        if !seen.insert(index) {
            continue;
        }
        let message = &context.history.node(index).message;
        if let Some(redact) = redact {
            let text = redact.message(message)?.plain_text();
            let remarks = remarks(&text).into();
            messages.push((index, text, remarks));
        } else {
            messages.push((index, message.plain_text(), facts.remarks(index.get()).into()));
        }
    }
    let (mut texts, mut kinds) = (HashSet::default(), HashSet::default());
    let mut out = Vec::new();
    for (index, text, remarks) in &messages {
        let mut add = |need: Need, kind: u64, text: &str, at: usize| {
            if texts.insert(text.to_owned()) {
                let need = if kinds.insert(kind) { need } else { Need::Again };
                out.push((need, UserRemark { text: one_line(text), at: (*index, at) }));
            }
        };
        for remark in remarks.iter() {
            let need = if remark.about_one_thing { Need::AboutOneThing } else { Need::General };
            add(need, remark.kind, remark.text(text), remark.at());
        }
        if remarks.is_empty()
            && let Some((need, answer)) = answer_to_question(context, *index, text, redact)?
        {
            add(need, hash(without_numbers(&answer).as_bytes()), &answer, 0);
        }
    }
    for later in later_ones(&out) {
        let need = &mut out[later].0;
        if *need != Need::Again {
            *need = Need::Later;
        }
    }
    sort_by_key(&mut out, |(need, _)| *need);
    Ok(out.into_iter().map(|(_, remark)| remark).collect())
}

/// An answer of a few words, with the question that it answers: "No! (asked: Shall I delete the old table?)". What says something by
/// itself needs no question.
fn answer_to_question(
    context: &Context,
    index: NodeIndex,
    answer: &str,
    redact: Option<&Redact>,
) -> Result<Option<(Need, String)>> {
    let answer = answer.trim();
    let is_short = words(answer).nth(ANSWER_WORDS).is_none()
        && (1..=LONGEST_ANSWER).contains(&answer.len())
        && !answer.contains(['\n', '?', '\u{FF1F}', '؟']);
    if !is_short || answer == ERASED || thanks(answer) {
        return Ok(None);
    }
    let Some(before) = context.history.answer_before(index) else { return Ok(None) };
    let message = &context.history.node(before).message;
    let text = match redact {
        Some(redact) => redact.message(message)?.plain_text(),
        None => message.plain_text(),
    };
    let question = whole_final_question(end_of(&text, 4 * LONGEST_QUESTION))
        .filter(|question| question.len() <= LONGEST_QUESTION);
    let need = if agrees(answer) { Need::Again } else { Need::General };
    Ok(question.map(|question| (need, format!("{answer} (asked: {})", one_line(question)))))
}

/// The end of a text, of about this many bytes.
fn end_of(text: &str, bytes: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(bytes))..]
}

/// The sentences that are about the same as one that was said before: both have words that few other sentences have.
fn later_ones(all: &[(Need, UserRemark)]) -> Vec<usize> {
    let words_of = |(at, (_, remark)): (usize, &(Need, UserRemark))| {
        let long = words(&remark.text).filter(|word| word.len() > 2);
        long.map(|word| (hash(word.to_lowercase().as_bytes()), at)).collect::<Vec<_>>()
    };
    let mut said: Vec<(u64, usize)> = all.iter().enumerate().flat_map(words_of).collect();
    sort(&mut said);
    said.dedup();
    let mut shared = Vec::new();
    for with in said.chunk_by(|(word, _), (next, _)| word == next).filter(|with| with.len() <= RARE) {
        let pairs = with.iter().flat_map(|(_, one)| with.iter().map(move |(_, other)| (*one, *other)));
        shared.extend(pairs.filter(|(one, other)| all[*one].1.at.0 > all[*other].1.at.0));
    }
    sort(&mut shared);
    let same = shared.chunk_by(|pair, next| pair == next).filter(|same| same.len() >= SHARED);
    same.map(|same| same[0].0).collect()
}

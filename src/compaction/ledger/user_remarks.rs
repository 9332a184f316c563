//! The user's other remarks. In any language, a sentence may be a rule without a word that marks it, so such sentences are kept if there is
//! room.

use std::borrow::Cow;

use super::asked::folded_turns;
use crate::compaction::Redact;
use crate::context::{Context, NodeIndex, NodeSet};
use crate::error::Result;
use crate::facts::shorten::one_line;
use crate::facts::words::words;
use crate::facts::{ExtractedFacts, Remark, remarks, whole_final_question};
use crate::hashing::{HashSet, hash};
use crate::sorting::{sort, sort_by_key};

/// At most this many messages are read from either end, so that the cost of a fold does not grow with the session.
const MANY: usize = 100;

/// Of sentences that differ only by their numbers, no more are listed.
const ALIKE: usize = 3;

/// A word that more sentences have says little about what one is about.
const RARE: usize = 3;
/// Two sentences that share so many rare words are about the same.
const SHARED: usize = 3;

/// What is longer, in bytes, is no mere answer, and a question that is longer is not told.
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
    /// It differs from an earlier one only by its numbers.
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
    let mut texts = HashSet::default();
    let mut kinds = Vec::new();
    let mut out = Vec::new();
    for (index, text, remarks) in &messages {
        if let Some(answer) = answer_to_question(context, *index, text, redact)? {
            out.push((Need::General, UserRemark { text: answer, at: (*index, 0) }));
            continue;
        }
        for remark in remarks.iter() {
            let text = remark.text(text);
            if !texts.insert(text) {
                continue;
            }
            let alike = kinds.iter().filter(|kind| **kind == remark.kind).count();
            kinds.push(remark.kind);
            let need = match remark {
                _ if alike >= ALIKE => continue,
                _ if alike > 0 => Need::Again,
                remark if remark.about_one_thing => Need::AboutOneThing,
                _ => Need::General,
            };
            out.push((need, UserRemark { text: one_line(text), at: (*index, remark.at()) }));
        }
    }
    for later in later_ones(&out) {
        out[later].0 = Need::Later;
    }
    sort_by_key(&mut out, |(need, _)| *need);
    Ok(out.into_iter().map(|(_, remark)| remark).collect())
}

/// The user's short answer with the question that it answers: "No! (asked: Shall I delete the old table?)".
fn answer_to_question(
    context: &Context,
    index: NodeIndex,
    answer: &str,
    redact: Option<&Redact>,
) -> Result<Option<String>> {
    let answer = answer.trim();
    if answer.is_empty() || answer.len() > LONGEST_ANSWER || answer.contains(['\n', '?', '？']) {
        return Ok(None);
    }
    let Some(before) = context.history.answer_before(index) else { return Ok(None) };
    let message = &context.history.node(before).message;
    let text = match redact {
        Some(redact) => redact.message(message)?.plain_text(),
        None => message.plain_text(),
    };
    let question = whole_final_question(&text).filter(|question| question.len() <= LONGEST_QUESTION);
    Ok(question.map(|question| format!("{answer} (asked: {})", one_line(question))))
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

//! What else the user said. Messages are told whole: a sentence taken out of one may not say what "it" is, and the next one may take it
//! back. In any language, a sentence may be a rule without a word that marks it.

use std::borrow::Cow;

use super::asked::{AskedRequest, folded_turns, recorded, text_of};
use super::said::{Place, SaidLine};
use crate::compaction::Redact;
use crate::context::{Context, ERASED, NodeIndex};
use crate::error::Result;
use crate::facts::shorten::one_line;
use crate::facts::words::words;
use crate::facts::{
    ExtractedFacts, SHARED, Says, TextSet, Told, UserText, agrees, constraints, sentences, thanks,
    whole_final_question,
};
use crate::hashing::HashMap;
use crate::message::Message;
use crate::script::is_cjk;
use crate::sorting::{sort, sort_by_key};

/// At most this many messages are read from either end, so that the cost of a fold does not grow with the session.
const MANY: usize = 100;

/// A word that more messages have says little about what one is about.
const RARE: usize = 3;

/// What has more words or, in bytes, is longer is no mere answer, and a question that is longer is not told.
const ANSWER_WORDS: usize = 5;
const LONGEST_ANSWER: usize = 60;
const LONGEST_QUESTION: usize = 200;

/// A longer message, in bytes, is no mere answer even if it begins with one.
const LONGEST_ANSWERING: usize = 240;

/// What has no more words says nothing without the message before it.
const FEW_WORDS: usize = 2;

/// What the user said in a message, and in the next ones if only this one explains them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UserRemark {
    /// One for each message, in order.
    pub lines: Vec<SaidLine>,
    /// The earlier message that is about the same: without this remark, it would mislead.
    pub after: Option<Place>,
}

/// The user's messages of a fold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct UserWords {
    /// First what a later reader needs most.
    pub remarks: Vec<UserRemark>,
    /// Where each rule was last said, if that is known.
    pub rules: Vec<Option<Place>>,
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
struct Said<'a> {
    at: Place,
    /// What it tells, and the hash of its kind.
    told: Cow<'a, Told>,
    says: Says,
    kind: u64,
    /// The message, if it is told whole.
    text: Option<String>,
    has_rules: bool,
    /// It is the entry of a record.
    is_recorded: bool,
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
    let mut all: Vec<Said<'_>> = Vec::with_capacity(2 * MANY);
    all.extend(recorded(context, members, redact)?.into_iter().map(|(at, text)| Said::recorded(at, text)));
    let turns = |from_end| folded_turns(context, members, from_end).take(MANY);
    let mut turns: Vec<NodeIndex> = turns(false).chain(turns(true)).collect();
    sort(&mut turns);
    turns.dedup();
    for at in turns {
        let has_rules = facts.notes(at.get()).is_some_and(|notes| !notes.rules.is_empty());
        let message = &context.history.node(at).message;
        all.extend(match redact {
            Some(redact) => Some(Said::in_redacted(at, &redact.message(message)?, has_rules)),
            None => facts.said(at.get()).map(|said| Said::known(at, message, said, has_rules)),
        });
    }
    let later = later_ones(&all);
    let mut out: Vec<(Need, UserRemark)> = Vec::new();
    let mut vague = Vec::new();
    let last = all.len().saturating_sub(1);
    for number in (0..all.len()).map(|turn| if turn % 2 == 0 { last - turn / 2 } else { turn / 2 }) {
        let said = &all[number];
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
            _ if later[number].is_some() => Need::Later,
            need => need,
        };
        let after = later[number].map(|earlier| all[earlier].at);
        out.push((need, UserRemark { lines: vec![SaidLine { at: said.at, text: line }], after }));
    }
    sort_by_key(&mut vague, |line: &SaidLine| line.at);
    for line in vague {
        add_vague(&mut out, &all, asked, line);
    }
    without_repeats(&mut out);
    sort_by_key(&mut out, |(need, _)| *need);
    let rules: Vec<String> = rules.map(|rule| one_line(rule)).collect();
    let rules = places_of(context, &rules, &all, redact.is_some());
    Ok(UserWords { remarks: out.into_iter().map(|(_, remark)| remark).collect(), rules })
}

/// The last of these messages that says each of these rules. Messages are read from the newest on, until all are found.
fn places_of(context: &Context, rules: &[String], all: &[Said<'_>], is_redacted: bool) -> Vec<Option<Place>> {
    let mut places = vec![None; rules.len()];
    let mut missing = rules.len();
    let sought = TextSet::new(rules);
    for said in all.iter().rev().filter(|said| said.has_rules || is_redacted) {
        if missing == 0 {
            break;
        }
        let long = || context.history.node(said.at.message).message.said_text();
        let text = said.text.as_deref().map_or_else(|| Cow::Owned(long()), Cow::Borrowed);
        sought.find(&one_line(&text), |rule| {
            if places[rule].is_none() {
                places[rule] = Some(said.at);
                missing -= 1;
            }
        });
    }
    places
}

/// Removes what was said again word for word: the last time is told.
fn without_repeats(out: &mut Vec<(Need, UserRemark)>) {
    let mut last: HashMap<String, Place> = HashMap::default();
    for line in out.iter().flat_map(|(_, remark)| &remark.lines) {
        let at = last.entry(line.text.clone()).or_insert(line.at);
        *at = line.at.max(*at);
    }
    out.retain(|(_, remark)| remark.lines.iter().any(|line| last.get(&line.text) == Some(&line.at)));
}

/// Adds a message that only the one before it explains: to that one, so that neither is told without the other.
fn add_vague(out: &mut Vec<(Need, UserRemark)>, all: &[Said<'_>], asked: &[AskedRequest], line: SaidLine) {
    let before = all.iter().rfind(|said| said.at < line.at);
    let told = before.and_then(|before| {
        out.iter_mut().find(|(_, remark)| remark.lines.iter().any(|told| told.at == before.at))
    });
    let is_requested = before.is_some_and(|before| asked.iter().any(|request| request.at == before.at));
    if let Some((_, remark)) = told {
        remark.lines.push(line);
    } else if is_requested {
        out.push((Need::Later, UserRemark { lines: vec![line], after: None }));
    } else if words(&line.text).nth(FEW_WORDS).is_some() || line.text.contains(is_cjk) {
        // The rules of the message before it are told in any case.
        let need = if before.is_some_and(|before| before.has_rules) { Need::Later } else { Need::Vague };
        out.push((need, UserRemark { lines: vec![line], after: None }));
    }
}

impl<'a> Said<'a> {
    fn known(at: NodeIndex, message: &Message, said: &'a UserText, has_rules: bool) -> Self {
        let text = said.part.is_none().then(|| message.said_text());
        let all = || Cow::Owned(Told::all_of(text.as_deref().unwrap_or_default()));
        let told = said.part.as_deref().map_or_else(all, Cow::Borrowed);
        let at = Place::of(at);
        let (says, kind) = (said.says, said.kind_of_ends);
        Self { at, told, says, kind, text, has_rules, is_recorded: false }
    }

    fn in_redacted(at: NodeIndex, message: &Message, has_rules: bool) -> Self {
        Self::of_text(Place::of(at), message.said_text(), has_rules, false)
    }

    /// What the user said, as a record tells it.
    fn recorded(at: Place, text: String) -> Self {
        let has_rules = !constraints(&text).is_empty();
        Self::of_text(at, text, has_rules, true)
    }

    fn of_text(at: Place, text: String, has_rules: bool, is_recorded: bool) -> Self {
        let said = UserText::of(&text);
        let told = Cow::Owned(said.part.map_or_else(|| Told::all_of(&text), |part| *part));
        let (says, kind) = (said.says, said.kind_of_ends);
        Self { at, told, says, kind, text: Some(text), has_rules, is_recorded }
    }

    /// The line that tells it, if it says anything, and how much a later reader needs it.
    fn told(&self, context: &Context, redact: Option<&Redact>) -> Result<Option<(Need, String)>> {
        let line = &self.told.line;
        if let Some(text) = self.text.as_ref().filter(|_| !self.is_recorded) {
            if text == ERASED {
                return Ok(None);
            }
            if let Some(question) = self.question(text, context, redact)? {
                // Of a rule that only agrees, the rules tell nothing.
                let need = if agrees(line) && !self.has_rules { Need::Again } else { Need::General };
                return Ok(Some((need, format!("{line} (asked: {question})"))));
            }
        }
        let need = match self.says {
            Says::Nothing if !self.is_recorded => return Ok(None),
            Says::Back => Need::Vague,
            _ if self.has_rules => Need::Rule,
            Says::OfOneThing => Need::AboutOneThing,
            Says::Nothing | Says::Something => Need::General,
        };
        Ok(Some((need, line.clone())))
    }

    /// The assistant's question that it answers, if it begins with an answer that says nothing by itself: "No!".
    fn question(&self, text: &str, context: &Context, redact: Option<&Redact>) -> Result<Option<String>> {
        let is_short = |answer: &str| {
            words(answer).nth(ANSWER_WORDS).is_none()
                && (1..=LONGEST_ANSWER).contains(&answer.len())
                && !answer.contains(['\n', '?', '\u{FF1F}', '؟'])
                && !thanks(answer)
        };
        let answer = text.trim();
        let begins =
            || sentences(answer).first().is_some_and(|first| agrees(first.text) && is_short(first.text));
        let is_answer = if matches!(self.says, Says::Nothing | Says::Back) {
            is_short(answer)
        } else {
            answer.len() <= LONGEST_ANSWERING && begins()
        };
        let before = is_answer.then(|| context.history.answer_before(self.at.message)).flatten();
        let Some(before) = before else { return Ok(None) };
        let text = text_of(context, before, redact)?;
        let question = whole_final_question(end_of(&text, 4 * LONGEST_QUESTION));
        Ok(question.filter(|question| question.len() <= LONGEST_QUESTION).map(one_line))
    }
}

/// The end of a text, of about this many bytes.
fn end_of(text: &str, bytes: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(bytes))..]
}

/// For each message, one before it that is about the same: both have words that few others have, or the same quantity.
fn later_ones(all: &[Said<'_>]) -> Vec<Option<usize>> {
    let words = |(number, said): (usize, &'_ Said<'_>)| {
        said.told.about.iter().map(move |word| (*word, number)).collect::<Vec<_>>()
    };
    let mut said: Vec<(u64, usize)> = all.iter().enumerate().flat_map(words).collect();
    said.sort_unstable();
    said.dedup();
    let mut shared = Vec::new();
    for with in said.chunk_by(|(word, _), (next, _)| word == next).filter(|with| with.len() <= RARE) {
        let pairs = with.iter().flat_map(|(_, one)| with.iter().map(move |(_, other)| (*one, *other)));
        shared.extend(pairs.filter(|(one, other)| all[*one].at > all[*other].at));
    }
    sort(&mut shared);
    let same = shared.chunk_by(|pair, next| pair == next).filter(|same| same.len() >= SHARED);
    let mut later = vec![None; all.len()];
    same.for_each(|same| later[same[0].0] = Some(same[0].1));
    later
}

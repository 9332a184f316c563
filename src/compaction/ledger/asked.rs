//! The user's requests, which must survive a fold even if its summary does not mention them.

use super::said::Place;
use crate::compaction::Redact;
use crate::context::{Context, NodeIndex, NodeKind};
use crate::error::Result;
use crate::facts::words::{is_listed, words};
use crate::facts::{
    ANSWERED_BELOW, ExtractedFacts, LATEST, LEAST_WORDS, LONGEST_REMARKED, asks_for, entry, first_sentence,
    is_courtesy, is_record, is_written, only_names_what_to_read, recorded_words, records_rules,
    says_what_is_lacking, sentences, shorten,
};
use crate::hashing::HashSet;
use crate::script::is_cjk;

/// Requests that are clearly longer, in bytes, lose their middle: what the user wrote, such as a specification, and what was pasted.
const LONGEST_WRITTEN: usize = 4_000;
const LONGEST_PASTED: usize = 400;

/// What is longer, in bytes, and still no request, is a paste.
const FEW_WORDS: usize = 100;

/// The first word of a greeting.
const GREETING: &str = "hi hello hey hallo bonjour salut hola ciao ola привет";

/// After this many further requests that differ by more than their numbers, of the `MANY` newest, the user has moved on from the first one.
const OUTDATED: usize = 20;
const MANY: usize = 100;

/// Then at most this many of the latest are told besides, of those among this many messages that are clearly no mere answers.
const RECENT: usize = 2;
const AMONG: usize = 8;

/// Which of the user's requests it is. The first ones find room first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Which {
    /// The newest, if no later one stays in the view.
    Latest,
    /// The one in whose turn the messages behind the record begin.
    AnsweredBelow,
    First,
    /// Another one among the newest.
    Lately,
}

impl Which {
    /// What its line begins with. The place in the list says the rest.
    const fn label(self) -> &'static str {
        match self {
            Self::First | Self::Lately => "",
            Self::Latest => LATEST,
            Self::AnsweredBelow => ANSWERED_BELOW,
        }
    }

    /// Without it, an agent cannot go on.
    pub fn is_needed(self) -> bool {
        self <= Self::First
    }
}

/// A request of the user, as the ledger lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AskedRequest {
    pub which: Which,
    /// The request on one line.
    pub text: String,
    /// The same with its line breaks.
    pub lines: String,
    pub at: Place,
    /// About how many bytes of it are told at most.
    longest: usize,
}

impl AskedRequest {
    fn new(which: Which, at: Place, request: String) -> Self {
        let longest = if is_written(&request) { LONGEST_WRITTEN } else { LONGEST_PASTED };
        Self { which, text: shorten::whole_line(&request), lines: request, at, longest }
    }

    /// Whether somebody wrote it, at some length.
    pub fn is_specification(&self) -> bool {
        self.longest == LONGEST_WRITTEN && self.text.len() > LONGEST_PASTED
    }

    /// The entry that tells all of it; `None` if it is too long.
    pub fn whole(&self) -> Option<String> {
        let is_short = self.text.len() <= shorten::at_most(self.longest);
        is_short.then(|| format!("{}{}", self.which.label(), entry(&self.lines)))
    }

    /// The line with these words of the request, of at most about `most` bytes.
    pub fn line(&self, words: &str, most: usize) -> String {
        let is_short = |words: &str| words.len() <= most.min(shorten::at_most(self.longest));
        let from = if is_short(words) { 0 } else { Self::first_that_says_something(words) };
        let words = &words[from..];
        let limit = most.min(self.longest);
        let told = if is_short(words) {
            words.to_owned()
        } else if limit < LONGEST_PASTED {
            shorten::beginning_within(words, limit)
        } else {
            shorten::both_ends_within(words, limit)
        };
        format!("{}{told}", self.which.label())
    }

    /// Where the first sentence begins that neither greets nor only names what is to be read.
    fn first_that_says_something(request: &str) -> usize {
        let says = |sentence: &str| {
            let first = words(sentence).next().map(str::to_lowercase).unwrap_or_default();
            let greets = is_listed(&first, GREETING) && words(sentence).nth(2).is_none();
            sentence.contains(is_cjk)
                || !(greets || is_courtesy(sentence) || only_names_what_to_read(sentence))
        };
        first_sentence(request, |sentence| says(sentence.text)).map_or(0, |sentence| sentence.at)
    }
}

/// The first folded request, and the latest if no later one stays in the view or if its answer does. If the user has moved on since the
/// first one, some of the latest in its place. In order. Fails if `redact` does.
pub(super) fn asked(
    context: &Context,
    members: &[NodeIndex],
    staying: &[NodeIndex],
    redact: Option<&Redact>,
) -> Result<Vec<AskedRequest>> {
    let facts = &*context.facts();
    let is_last = !staying.iter().any(|index| is_request(context, facts, *index));
    let recorded = recorded(context, members, redact)?;
    let newest = folded_turns(context, members, true).next();
    let before = newest.or(recorded.last().map(|(at, _)| at.message));
    let goes_on = before.is_some_and(|before| goes_on_behind(context, before, staying));
    let newest_is = if goes_on { Which::AnsweredBelow } else { Which::Latest };
    let latest = match newest.filter(|newest| goes_on && says_a_few_words(context, *newest)) {
        None if goes_on || is_last => {
            // "Yes" goes on with the request before it, but which of several it belongs to is not known.
            let two =
                |found: &NodeIndex| folded_turns(context, members, true).take(2).any(|turn| turn == *found);
            found(context, facts, members, true).filter(|found| !goes_on || two(found))
        }
        newest => newest,
    };
    let of = |index: NodeIndex, which| request_in(context, index, which, redact);
    if !recorded.is_empty() {
        let ends = newest.is_none() && (goes_on || is_last);
        let mut out = requests_in_records(&recorded, ends.then_some(newest_is));
        out.extend(latest.map(|latest| of(latest, newest_is)).transpose()?);
        return Ok(out);
    }
    // If no message asks for much, the first one of a few words ("Fix tests") still says what the conversation is about.
    let few_words = |index: &NodeIndex| {
        let text = context.history.node(*index).message.said_text();
        let is_word = |word: &&str| word.chars().all(char::is_alphabetic);
        text.len() <= FEW_WORDS && words(&text).filter(is_word).nth(1).is_some()
    };
    let first = found(context, facts, members, false)
        .or_else(|| folded_turns(context, members, false).take(LEAST_WORDS).find(few_words));
    let Some(first) = first else { return Ok(Vec::new()) };
    let folded_since = folded_turns(context, members, true).take_while(|index| *index != first);
    let since =
        folded_since.chain(staying.iter().copied()).filter(|index| is_request(context, facts, *index));
    let since: Vec<NodeIndex> = since.take(MANY).collect();
    // "And part 7?" goes on with what "And part 6?" went on with.
    let text = |index: &NodeIndex| context.history.node(*index).message.said_text();
    let kind = |index: &NodeIndex| facts.said(index.get()).map(|said| said.kind);
    let kinds: HashSet<u64> = since.iter().filter_map(kind).collect();
    let mut out = Vec::new();
    if kinds.len() < OUTDATED {
        out.push(of(first, Which::First)?);
    } else {
        // A long one, such as a specification, is hardly a step on the way.
        if text(&first).len() > LONGEST_REMARKED {
            out.push(of(first, Which::First)?);
        }
        let others = folded_turns(context, members, true).take(AMONG).take_while(|index| *index != first);
        let others = others.filter(|index| Some(*index) != latest && asks_for_much(context, *index));
        let mut others: Vec<NodeIndex> = others.take(RECENT).collect();
        others.reverse();
        for index in others {
            out.push(of(index, Which::Lately)?);
        }
    }
    if let Some(latest) = latest.filter(|index| *index != first) {
        out.push(of(latest, newest_is)?);
    }
    Ok(out)
}

/// The first of the words that records tell, unless the user has moved on since, and the last if it is the `newest` request.
fn requests_in_records(recorded: &[(Place, String)], newest: Option<Which>) -> Vec<AskedRequest> {
    let [(at, first), since @ ..] = recorded else { return Vec::new() };
    // A long one, such as a specification, is hardly a step on the way.
    let is_first = since.len() < OUTDATED || first.len() > LONGEST_REMARKED;
    let first = is_first.then(|| AskedRequest::new(Which::First, *at, first.clone()));
    let last =
        newest.zip(since.last()).map(|(which, (at, last))| AskedRequest::new(which, *at, last.clone()));
    first.into_iter().chain(last).collect()
}

/// Whether the messages that stay behind this folded user message begin with steps of its turn.
fn goes_on_behind(context: &Context, user: NodeIndex, staying: &[NodeIndex]) -> bool {
    first_behind(context, user, staying).is_some_and(|index| !opens_turn(context, index))
}

/// Whether the messages that stay behind the folded ones begin with a few words of the user.
pub(super) fn begins_with_short_answer(
    context: &Context,
    members: &[NodeIndex],
    staying: &[NodeIndex],
) -> bool {
    let messages = members.iter().filter(|index| context.history.node(**index).kind == NodeKind::Message);
    let first = messages.max().and_then(|last| first_behind(context, *last, staying));
    let first = first.filter(|index| opens_turn(context, *index));
    first.is_some_and(|index| context.history.node(index).message.said_text().len() <= FEW_WORDS)
}

/// The first message behind this one that stays.
fn first_behind(context: &Context, last: NodeIndex, staying: &[NodeIndex]) -> Option<NodeIndex> {
    let mut behind = staying.iter().copied().filter(|index| *index > last);
    behind.find(|index| {
        let node = context.history.node(*index);
        node.kind == NodeKind::Message && !node.message.role.is_instruction()
    })
}

/// What the records of earlier conversations tell of the user's words, if the folded messages begin with any. Fails if `redact` does.
pub(super) fn recorded(
    context: &Context,
    members: &[NodeIndex],
    redact: Option<&Redact>,
) -> Result<Vec<(Place, String)>> {
    let mut out = Vec::new();
    for message in folded_records(context, members) {
        let words = recorded_words(&text_of(context, message, redact)?);
        out.extend((0..).zip(words).map(|(entry, text)| (Place { message, entry }, text)));
    }
    Ok(out)
}

/// The first or, `from_end`, the last request in the folded messages, including earlier folds. The last one is no mere answer: "I don't
/// remember it, sorry."
fn found(
    context: &Context,
    facts: &ExtractedFacts,
    members: &[NodeIndex],
    from_end: bool,
) -> Option<NodeIndex> {
    let answers = |index: NodeIndex| only_answers(&context.history.node(index).message.said_text());
    folded_turns(context, members, from_end)
        .find(|index| asks(facts, *index) && !(from_end && answers(*index)))
}

/// Whether every sentence of a short text thanks, apologizes, agrees, or says what the user lacks.
fn only_answers(text: &str) -> bool {
    text.len() <= LONGEST_PASTED
        && sentences(text).iter().all(|said| is_courtesy(said.text) || says_what_is_lacking(said.text))
}

/// The user's folded messages, including those of earlier folds, in order or, `from_end`, in reverse.
pub(super) fn folded_turns(
    context: &Context,
    members: &[NodeIndex],
    from_end: bool,
) -> impl Iterator<Item = NodeIndex> {
    folded_messages(context, members, from_end).filter(|index| opens_turn(context, *index))
}

/// The records of earlier conversations that the folded messages begin with.
fn folded_records(context: &Context, members: &[NodeIndex]) -> impl Iterator<Item = NodeIndex> {
    let message = |index: &NodeIndex| &context.history.node(*index).message;
    let said = folded_messages(context, members, false).filter(move |at| !message(at).role.is_instruction());
    said.take_while(move |index| is_record(message(index))).filter(move |index| records_rules(message(index)))
}

/// The folded messages, including those of earlier folds, in order or, `from_end`, in reverse.
fn folded_messages(
    context: &Context,
    members: &[NodeIndex],
    from_end: bool,
) -> impl Iterator<Item = NodeIndex> {
    let in_turn = move |members: &[NodeIndex]| -> Vec<NodeIndex> {
        // `next` is popped from its end.
        if from_end { members.to_vec() } else { members.iter().rev().copied().collect() }
    };
    let mut next = in_turn(members);
    std::iter::from_fn(move || {
        while let Some(index) = next.pop() {
            if context.history.node(index).kind == NodeKind::Summary {
                let fold = context.folds.iter().find(|fold| fold.summary == index);
                next.extend(fold.map(|fold| in_turn(&fold.members)).unwrap_or_default());
            } else if context.history.node(index).kind == NodeKind::Message {
                return Some(index);
            }
        }
        None
    })
}

/// Whether the user asks for something in this message.
fn is_request(context: &Context, facts: &ExtractedFacts, index: NodeIndex) -> bool {
    opens_turn(context, index) && asks(facts, index)
}

fn asks(facts: &ExtractedFacts, index: NodeIndex) -> bool {
    facts.said(index.get()).is_some_and(|said| said.asks)
}

/// Whether the user says more than "go on", even if it is only an assent: "ok, this looks good, start with it".
fn says_a_few_words(context: &Context, index: NodeIndex) -> bool {
    let text = context.history.node(index).message.said_text();
    text.contains(is_cjk) || words(&text).nth(LEAST_WORDS - 1).is_some()
}

/// Whether the user says so much that it is hardly a mere answer.
fn asks_for_much(context: &Context, index: NodeIndex) -> bool {
    let text = context.history.node(index).message.said_text();
    asks_for(&text, 2) && !only_answers(&text)
}

fn opens_turn(context: &Context, index: NodeIndex) -> bool {
    let node = context.history.node(index);
    node.kind == NodeKind::Message
        && node.message.opens_turn()
        && !context.results.contains(&index)
        && !is_record(&node.message)
}

/// The text of a message. Fails if `redact` does.
pub(super) fn text_of(context: &Context, at: NodeIndex, redact: Option<&Redact>) -> Result<String> {
    let message = &context.history.node(at).message;
    Ok(match redact {
        Some(redact) => redact.message(message)?.said_text(),
        None => message.said_text(),
    })
}

fn request_in(
    context: &Context,
    at: NodeIndex,
    which: Which,
    redact: Option<&Redact>,
) -> Result<AskedRequest> {
    Ok(AskedRequest::new(which, Place::of(at), text_of(context, at, redact)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_request_is_told_from_its_first_sentence_that_says_something() {
        let words = "Hi there! Read @src/shop/main.ts and @src/shop/cart/items.ts in full. The cart is one large file and should become several. Tell me how.";
        let request = AskedRequest::new(Which::Latest, Place::of(NodeIndex(0)), words.to_owned());
        assert_eq!(
            request.line(words, 100),
            "Latest: The cart is one large file and should become several. Tell me how."
        );
        assert_eq!(request.line(words, 200), format!("Latest: {words}"));
        let further = "ok, read @packages/shop/src/cart/items.ts @packages/shop/src/cart/totals.ts in full. i feel like this is one big mess. I want a plan that says how to untangle it, file by file. The tests of the other packages, the docs and the command line may stay as they are for now.";
        assert_eq!(
            request.line(further, 240),
            "Latest: i feel like this is one big mess. I want a plan that says how to untangle it, file by file. The tests of the other packages, the docs and the command line may stay as they are for now."
        );
        assert_eq!(
            request.line(further, 120),
            "Latest: i feel like this is one big mess. I want a plan that says how to untangle it, file by file. […]"
        );
        for order in [
            "Refactor everything.",
            "Delete src/shop/main.ts, please.",
            "请把解析器移到单独的包里。",
            "はい、変えてください。",
        ] {
            let words = format!("{order} {}", "The log of the last run has no errors. ".repeat(9));
            assert!(request.line(&words, 100).starts_with(&format!("Latest: {order}")), "{order}");
        }
    }

    #[test]
    fn what_only_answers_is_not_the_latest_request() {
        for text in ["I don't remember the reservation ID, sorry.", "Thanks a lot! I don't have it with me."]
        {
            assert!(asks_for(text, 1) && only_answers(text), "{text}");
        }
        for text in ["I don't remember the ID. Can you look it up by name?", "Delete the old menu, please."] {
            assert!(!only_answers(text), "{text}");
        }
    }

    #[test]
    fn a_mere_yes_is_not_a_request() {
        let pasted = "'/tmp/shots/Shot 1.png'\n➜ shop git:(main) ✗ echo $TERM of this\nxterm";
        for text in ["", "continue", "ok", "yes, please go on", "and now?", "続けて", "q12", pasted] {
            assert!(!asks_for(text, 1), "{text}");
        }
        for text in [
            "Fix the login bug.",
            "パーサーのバグを直してください。",
            "go and fix the parser of the billing service",
        ] {
            assert!(asks_for(text, 1), "{text}");
        }
    }
}

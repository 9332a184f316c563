//! The user's other remarks. In any language, a sentence may be a rule without a word that marks it, so such sentences are kept if there is
//! room.

use std::borrow::Cow;

use super::asked::folded_turns;
use crate::compaction::Redact;
use crate::context::{Context, NodeIndex, NodeSet};
use crate::error::Result;
use crate::facts::shorten::one_line;
use crate::facts::{ExtractedFacts, Remark, remarks};
use crate::hashing::HashSet;
use crate::sorting::sort_by_key;

/// At most this many messages are read from either end, so that the cost of a fold does not grow with the session.
const MANY: usize = 100;

/// A sentence of the user, and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UserRemark {
    pub text: String,
    pub at: (NodeIndex, usize),
}

/// How likely a sentence is a rule, most likely first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Likely {
    /// It makes a general statement.
    General,
    /// It names a path or the like and is about that.
    AboutOneThing,
    /// It differs from an earlier one only by its numbers.
    Again,
}

/// The user's sentences in the folded messages, most likely rules first. Sentences of equal likelihood alternate: newest, oldest, second
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
        for remark in remarks.iter() {
            let text = remark.text(text);
            if !texts.insert(text) {
                continue;
            }
            let likely = match remark {
                remark if !kinds.insert(remark.kind) => Likely::Again,
                remark if remark.about_one_thing => Likely::AboutOneThing,
                _ => Likely::General,
            };
            out.push((likely, UserRemark { text: one_line(text), at: (*index, remark.at()) }));
        }
    }
    sort_by_key(&mut out, |(likely, _)| *likely);
    Ok(out.into_iter().map(|(_, remark)| remark).collect())
}

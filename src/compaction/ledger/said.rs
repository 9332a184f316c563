//! What else the user said. A sentence may be a rule although no word marks it, in any language: if there is room, it
//! stays.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::asked::folded_turns;
use crate::compaction::Redact;
use crate::context::{Context, NodeIndex};
use crate::error::Result;
use crate::facts::{Drawn, Remark, remarks, unwrapped};
use crate::hashing::HashSet;
use crate::sorting::sort_by_key;

/// So many messages are looked at from either end: a fold costs no more, however long the session is.
const MANY: usize = 100;

/// A sentence of the user's, and when it was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Said {
    pub text: String,
    pub at: (NodeIndex, usize),
}

/// How likely a sentence is a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Likely {
    /// It says something of its own.
    General,
    /// It names a path or the like, and is about that.
    AboutOneThing,
    /// It differs from one before by its numbers alone.
    Again,
}

/// Sentences of the user's in what is folded, the likeliest first, and of these the newest, the oldest, the newest but one and
/// so on. Fails where `redact` does.
pub(super) fn said(
    context: &Context,
    facts: &Drawn,
    members: &[NodeIndex],
    redact: Option<&Redact>,
) -> Result<Vec<Said>> {
    let newest = folded_turns(context, members, true).take(MANY);
    let oldest = folded_turns(context, members, false).take(MANY);
    let mut seen = BTreeSet::new();
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
            out.push((likely, Said { text: unwrapped(text).into_owned(), at: (*index, remark.at()) }));
        }
    }
    sort_by_key(&mut out, |(likely, _)| *likely);
    Ok(out.into_iter().map(|(_, said)| said).collect())
}

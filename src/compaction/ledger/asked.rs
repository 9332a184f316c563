//! The user's requests, which must survive a fold even if its summary does not mention them.

use crate::compaction::Redact;
use crate::context::{Context, Node, NodeIndex, NodeKind};
use crate::error::Result;
use crate::facts::{is_cjk, shorten};

/// Longer requests, in bytes, lose their middle, and the line names the message that holds them whole.
const LONGEST: usize = 400;

/// A text with fewer words is not a request of its own.
const LEAST_WORDS: usize = 4;

/// The same limit, in characters, for scripts without blanks between words.
const LEAST_CHARACTERS: usize = 8;

/// The label of the latest request.
pub(super) const LATEST: &str = "Latest: ";

/// A short message that begins with one of these says no more than "go on".
const GO_ON: [&str; 12] =
    ["continue", "go", "yes", "no", "ok", "okay", "thanks", "thank", "proceed", "next", "great", "sure"];

/// The first folded request, and the latest if no later one stays in the view. Fails if `redact` does.
pub(super) fn asked(
    context: &Context,
    members: &[NodeIndex],
    staying: &[NodeIndex],
    redact: Option<&Redact>,
) -> Result<Vec<String>> {
    let Some(first) = found(context, members, false) else { return Ok(Vec::new()) };
    let is_last = !staying.iter().any(|index| is_request(context, *index));
    let latest = is_last.then(|| found(context, members, true)).flatten().filter(|index| *index != first);
    let mut out = vec![listed_request(context.history.node(first), redact)?];
    if let Some(latest) = latest {
        out.push(format!("{LATEST}{}", listed_request(context.history.node(latest), redact)?));
    }
    Ok(out)
}

/// The first or, `from_end`, the last request in the folded messages, including earlier folds.
fn found(context: &Context, members: &[NodeIndex], from_end: bool) -> Option<NodeIndex> {
    folded_turns(context, members, from_end)
        .find(|index| asks_for_something(&context.history.node(*index).message.plain_text()))
}

/// The user's folded messages, including those of earlier folds, in order or, `from_end`, in reverse.
pub(super) fn folded_turns(
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
            } else if opens_turn(context, index) {
                return Some(index);
            }
        }
        None
    })
}

/// Whether the user asks for something in this message.
fn is_request(context: &Context, index: NodeIndex) -> bool {
    opens_turn(context, index) && asks_for_something(&context.history.node(index).message.plain_text())
}

fn opens_turn(context: &Context, index: NodeIndex) -> bool {
    let node = context.history.node(index);
    node.kind == NodeKind::Message && node.message.opens_turn() && !context.results.contains(&index)
}

fn asks_for_something(text: &str) -> bool {
    if text.chars().filter(|c| is_cjk(*c)).take(LEAST_CHARACTERS).count() == LEAST_CHARACTERS {
        return true;
    }
    let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_assent = words.next().is_some_and(|word| GO_ON.contains(&word.to_lowercase().as_str()));
    let more = words.take(2 * LEAST_WORDS).count();
    more + 1 >= if is_assent { 2 * LEAST_WORDS } else { LEAST_WORDS }
}

fn listed_request(node: &Node, redact: Option<&Redact>) -> Result<String> {
    let text = match redact {
        Some(redact) => redact.message(&node.message)?.plain_text(),
        None => node.message.plain_text(),
    };
    let line = shorten::line(&text, LONGEST);
    Ok(if text.len() > LONGEST { format!("{line} (message {})", node.id) } else { line })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mere_yes_is_not_a_request() {
        for text in ["", "continue", "ok", "yes, please go on", "and now?", "続けて", "q12"] {
            assert!(!asks_for_something(text), "{text}");
        }
        for text in [
            "Fix the login bug.",
            "パーサーのバグを直してください。",
            "go and fix the parser of the billing service",
        ] {
            assert!(asks_for_something(text), "{text}");
        }
    }
}

//! Removes thinking that newer Anthropic models bind to everything before it (PROV-3b).

use std::borrow::Cow;

use super::note::{Note, note_lost_fields};
use crate::message::{Format, Message, Part, Reasoning, Role};

/// Notes what a format cannot keep of reasoning that did not come in it: all fields but the `kept` ones.
pub(super) fn note_lost(reasoning: &Reasoning, format: Format, kept: &[&str], notes: &mut Vec<Note>) {
    let given = [
        ("text", reasoning.text.as_deref().is_some_and(|text| !text.is_empty())),
        ("summary", !reasoning.summary.is_empty()),
        ("signature", reasoning.signature.is_some()),
        ("encrypted", reasoning.encrypted.is_some()),
        ("id", reasoning.id.is_some()),
    ];
    if !reasoning.extras.came_in(format) {
        note_lost_fields("reasoning", &given, kept, notes);
    }
}

/// Models that refuse a thinking block if anything before it was edited.
/// Source: Anthropic's documentation on preserved thinking, 2026-08.
const BINDING: [&str; 7] =
    ["fable-5-1", "fable-5-2", "mythos-5-1", "mythos-5-2", "opus-5-5", "sonnet-5-5", "haiku-5-5"];

/// Whether a model binds its thinking to everything before it.
pub fn binds_thinking(model: &str) -> bool {
    let name = model.to_ascii_lowercase().replace('.', "-");
    name.contains("claude") && BINDING.iter().any(|binding| name.contains(binding))
}

/// A view without the thinking that its provider would refuse.
#[derive(Debug, Clone, PartialEq)]
pub struct WithoutBoundThinking<'a> {
    /// The view. Messages that lost nothing are not copied.
    pub view: Vec<Cow<'a, Message>>,
    /// The indexes of messages that lost thinking, in the view that was passed in.
    pub dropped: Vec<usize>,
}

/// Drops every signed thinking block of `view` after the first position where the view differs from `history`. A
/// message that consisted only of thinking is dropped. Everything before that position is unchanged.
pub fn drop_bound_thinking<'a>(
    history: impl IntoIterator<Item = &'a Message>,
    view: impl IntoIterator<Item = Cow<'a, Message>>,
) -> WithoutBoundThinking<'a> {
    let mut history = history.into_iter();
    let mut untouched = true;
    let mut out = WithoutBoundThinking { view: Vec::new(), dropped: Vec::new() };
    for (i, message) in view.into_iter().enumerate() {
        let same = |old: &Message| std::ptr::eq(old, message.as_ref()) || *old == *message;
        untouched = untouched && history.next().is_some_and(same);
        if untouched || message.role != Role::Assistant || !message.parts.iter().any(Part::is_bound_thinking)
        {
            out.view.push(message);
            continue;
        }
        out.dropped.push(i);
        let mut message = message.into_owned();
        message.parts.retain(|part| !part.is_bound_thinking());
        if !message.parts.is_empty() {
            out.view.push(Cow::Owned(message));
        }
    }
    out
}

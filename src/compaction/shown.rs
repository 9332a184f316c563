//! The part of the conversation that a request for a summary shows.

use std::borrow::Cow;
use std::sync::Arc;

use super::layout::Layout;
use super::plan::FoldPlan;
use super::quoted::Quoted;
use super::request_options::RequestOptions;
use super::scope::RequestScope;
use crate::context::{Context, NodeSet, Slot};
use crate::error::Result;
use crate::hashing::HashSet;
use crate::message::{KnownMessage, Message, Part, Role, open_calls_of};
use crate::provider::unlink_each;
use crate::tool_output::{HeadTail, truncate_head_tail};

/// The origin of a message in a request.
#[derive(Clone, Copy)]
pub struct ShownSlot<'a> {
    /// The summary will replace it.
    pub folded: bool,
    slot: &'a Slot,
}

impl ShownSlot<'_> {
    /// The tokens of the quoted message. The view's count is used if the message is unchanged.
    pub fn tokens(&self, message: &Quoted, context: &Context) -> u64 {
        if self.is_whole(message) {
            self.slot.tokens()
        } else {
            message.tokens(|message| context.count(message))
        }
    }

    /// Whether the message is known to contain nothing like a tag, without looking at its text.
    pub fn is_inert(&self, message: &Quoted, context: &Context) -> bool {
        self.is_whole(message) && context.has_no_tags(self.slot)
    }

    /// A quick description of the quoted message that avoids looking at its parts where possible.
    fn outline<'m>(&self, message: &'m Quoted) -> KnownMessage<'m> {
        let calls = self.slot.has_calls() || !self.is_whole(message);
        KnownMessage { calls, ..KnownMessage::of(message.original()) }
    }

    /// Whether the quoted message is the view's message, unchanged.
    pub fn is_whole(&self, message: &Quoted) -> bool {
        message.quotes(&self.slot.message)
    }
}

/// The messages that the request shows, and which of them the summary will replace.
pub fn conversation<'a>(
    context: &'a Context,
    plan: &FoldPlan,
    scope: RequestScope,
    options: &RequestOptions<'_>,
) -> Result<Vec<(ShownSlot<'a>, Quoted)>> {
    let folded: NodeSet = plan.members.iter().copied().collect();
    let len = match scope {
        RequestScope::Whole => sent_or_folded_len(context, &folded, options),
        RequestScope::Beginning => beginning(context, &folded),
        RequestScope::FoldedOnly | RequestScope::NoOutputs => 0,
    };
    let mut count = 0;
    let mut shown = |s: &Slot| {
        let in_view = context.view.dropped(s.node).is_none();
        count += usize::from(in_view);
        in_view && count <= len
    };
    let mut slots: Vec<(ShownSlot<'a>, Quoted)> = context
        .view
        .with_dropped()
        .into_iter()
        .map(|s| (folded.contains(&s.node), s))
        .filter(|(folded, s)| shown(s) || *folded)
        .map(|(folded, slot)| {
            // Its outputs are included, and no provider accepts them without the calls.
            let calling = if folded { context.with_calls(slot) } else { None };
            let message = match (scope, calling) {
                (_, Some(message)) => Quoted::whole(message),
                (RequestScope::NoOutputs, None) if slot.role() == Role::Tool => {
                    Quoted::without_output(&slot.message)
                }
                (RequestScope::Whole | RequestScope::Beginning | RequestScope::FoldedOnly, None)
                    if folded && plan.layout == Layout::SystemSummary =>
                {
                    Quoted::whole(with_short_output(slot))
                }
                _ => Quoted::whole(slot.message.clone()),
            };
            (ShownSlot { folded, slot }, message)
        })
        .collect();
    drop_unanswered_calls(context, &mut slots);
    if let Some(redact) = options.redact {
        for (_, message) in &mut slots {
            *message = Quoted::whole(Arc::new(redact.message(&message.message())?));
        }
        slots.retain(|(_, message)| !message.original().is_empty());
    }
    if context.history.has_reasoning() {
        if options.drops_bound_thinking && !options.continues {
            drop_bound_thinking(&mut slots);
        }
        slots = unlinked(context, &slots);
    }
    if !slots.iter().any(|(from, _)| from.folded) {
        // For example if there is only reasoning: given nothing to summarise, a summariser answers something else.
        let slot = context.view.with_dropped().into_iter().find(|s| folded.contains(&s.node));
        let note = Message::text(Role::User, "[nothing that may be shown]");
        slots.extend(slot.map(|slot| (ShownSlot { folded: true, slot }, Quoted::whole(Arc::new(note)))));
    }
    Ok(slots)
}

/// The number of messages in the view's body up to the last folded one.
pub fn beginning(context: &Context, folded: &NodeSet) -> usize {
    context.view.body().iter().rposition(|slot| folded.contains(&slot.node)).map_or(0, |last| last + 1)
}

/// The number of messages of the view's body in a request that continues from it: all that were sent and all that are folded.
pub fn sent_or_folded_len(context: &Context, folded: &NodeSet, options: &RequestOptions<'_>) -> usize {
    let body = context.view.body();
    let Some(sent) = options.sent.filter(|_| options.continues) else { return body.len() };
    let is_sent_along = |slot: &Slot| slot.node.get() < sent || folded.contains(&slot.node);
    let Some(last) = body.iter().rposition(is_sent_along) else { return body.len() };
    // A call's outputs are sent with it.
    let outputs = body[last + 1..].iter().take_while(|slot| slot.role() == Role::Tool).count();
    last + 1 + outputs
}

/// Drops reasoning that its provider ties to the tools and the text before it. The request is sent without the tools and often without that
/// text, so the provider would refuse it (PROV-3b).
fn drop_bound_thinking<T>(slots: &mut Vec<(T, Quoted)>) {
    for (_, quoted) in
        slots.iter_mut().filter(|(_, m)| m.original().parts.iter().any(Part::is_bound_thinking))
    {
        let mut message = Message::clone(quoted.original());
        message.parts.retain(|part| !part.is_bound_thinking());
        *quoted = Quoted::whole(Arc::new(message));
    }
    slots.retain(|(_, message)| !message.original().is_empty());
}

/// If reasoning or what it produced is missing, its counterpart is dropped too, or loses its id (PROV-3).
fn unlinked<T: Copy>(context: &Context, slots: &[(T, Quoted)]) -> Vec<(T, Quoted)> {
    let history = context.view.with_dropped().into_iter().map(|s| &*context.history.node(s.node).message);
    let view: Vec<Cow<'_, Message>> = slots.iter().map(|(_, m)| Cow::Borrowed(m.original())).collect();
    let linked = unlink_each(history, view);
    let shared = |(message, (from, whole)): (Option<Cow<'_, Message>>, &(T, Quoted))| {
        let message = match message? {
            Cow::Borrowed(_) => whole.clone(),
            Cow::Owned(message) => Quoted::whole(Arc::new(message)),
        };
        Some((*from, message))
    };
    linked.into_iter().zip(slots).filter_map(shared).collect()
}

/// The length of tool outputs in what the ladder document calls a short transcript: head and tail of a long output.
const SHORT: HeadTail = HeadTail { max: 2_000, head: 1_200, tail: 400 };

fn with_short_output(slot: &Slot) -> Arc<Message> {
    if slot.message.role != Role::Tool {
        return slot.message.clone();
    }
    let mut message = slot.message.clone();
    for output in Arc::make_mut(&mut message).tool_outputs_mut() {
        for part in &mut output.content {
            if let Part::Text { text, .. } = part
                && let Some(short) = truncate_head_tail(text, &SHORT)
            {
                *text = short.into();
            }
        }
    }
    message
}

/// Whether every call here has its output, as far as can be told without looking at the messages.
fn all_answered(context: &Context, messages: &[(ShownSlot<'_>, Quoted)]) -> bool {
    let mut waiting = vec![0; context.history.len()];
    let mut callers = 0;
    for (from, message) in messages {
        let node = from.slot.node;
        if from.slot.role() == Role::Tool {
            let Some(calls) = context.history.caller(node).map(|caller| &mut waiting[caller.get()]) else {
                return false;
            };
            match *calls {
                0 => return false,
                1 => callers -= 1,
                _ => {}
            }
            *calls -= 1;
        } else if from.slot.has_calls() || !from.is_whole(message) {
            let calls = context.history.calls(node);
            callers += usize::from(calls > 0);
            waiting[node.get()] = calls;
        }
    }
    callers == 0
}

/// The ids of calls that no output answers.
fn open_in(messages: &[(ShownSlot<'_>, Quoted)]) -> HashSet<String> {
    let outlines: Vec<KnownMessage<'_>> =
        messages.iter().map(|(from, message)| from.outline(message)).collect();
    open_calls_of(&outlines).into_iter().map(str::to_owned).collect()
}

/// Removes unanswered calls, because providers refuse calls without outputs and the request ends with a user message. A message that is
/// empty then is dropped (COMP-4).
fn drop_unanswered_calls(context: &Context, messages: &mut Vec<(ShownSlot<'_>, Quoted)>) {
    if all_answered(context, messages) {
        debug_assert!(open_in(messages).is_empty());
        return;
    }
    let open = open_in(messages);
    if open.is_empty() {
        return;
    }
    let mut left: HashSet<String> = open;
    for at in (0..messages.len()).rev() {
        if !messages[at].1.original().tool_calls().any(|c| left.contains(&c.id)) {
            continue;
        }
        let mut message = Message::clone(messages[at].1.original());
        message.parts.retain(|p| !matches!(p, Part::ToolCall(c) if left.remove(&c.id)));
        drop_trailing_reasoning(&mut message);
        if message.parts.is_empty() {
            messages.remove(at);
        } else {
            messages[at].1 = Quoted::whole(Arc::new(message));
        }
    }
}

/// Reasoning is dropped together with what it produced (PROV-3).
fn drop_trailing_reasoning(message: &mut Message) {
    while matches!(message.parts.last(), Some(Part::Reasoning(_))) {
        message.parts.pop();
    }
}

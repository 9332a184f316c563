//! The one request that the engine makes: the request for a summary.
//!
//! The messages are written only when somebody reads them (`request.messages`): for a long conversation they take megabytes, and many
//! callbacks want another format (`request.as`). For messages that are quoted unchanged, the request's tokens are the view's own counts.
//!
//! If the same model writes the summary, the request continues from the view: the entries that were sent, the header, the tools, and then
//! the instruction. If that does not fit, it is the view up to the last folded message, which the provider's cache also has. It cannot
//! continue from the view if messages had to be changed: redacted, with tags made inert, or without unanswered calls. For Anthropic it has
//! no `tool_choice`, because changing that empties the cache; an answer that calls a tool is rejected and asked for again.

use std::sync::Arc;

use super::chunks::Chunks;
use super::config::Style;
use super::layout::Layout;
use super::plan::FoldPlan;
use super::quoted::Quoted;
use super::request_options::{Reason, RequestOptions};
use super::scope::RequestScope;
use super::shown::{ShownSlot, beginning, conversation, sent_or_folded_len};
use super::{Profile, prompts, tags, transcript};
use crate::context::{Context, NodeIndex, NodeSet, PartName, Slot, Tally, View};
use crate::error::Result;
use crate::message::{Message, Role};

/// A request for a summary: plain data, no tools (COMP-3).
#[derive(Debug, Clone)]
pub struct SummaryRequest {
    /// The summariser's model; `None`: the session's.
    pub model: Option<String>,
    /// The header's text.
    pub system: Option<String>,
    messages: Arc<Vec<Quoted>>,
    folded: Arc<Vec<Quoted>>,
    /// Positions in `messages` of those that stay in the view unchanged.
    pub kept: Vec<usize>,
    /// How the conversation appears in `messages`.
    pub style: Style,
    /// Set if the messages are the view's own and the tools are sent along, so that the provider's prompt cache covers all but the
    /// instruction. Says where that view ended.
    pub continues: Option<ViewEnd>,
    /// How many of that view's messages the request includes.
    pub view_messages: usize,
    /// The model can open the refs of tool outputs, so the summary may name them.
    pub names_refs: bool,
    /// How much of the view it includes.
    pub scope: RequestScope,
    /// Why the summary is asked for.
    pub reason: Reason,
    /// Tokens of the whole request.
    pub input_tokens: u64,
    /// What kind of summary is asked for.
    pub profile: Profile,
    /// The most tokens that the answer may take, if the profile sets a limit: never more than the summariser's model allows.
    pub max_tokens: Option<u64>,
    /// The most tokens that the instructions ask for.
    pub aim_tokens: Option<u64>,
}

/// Where a view ends. It changes when messages are pushed or rewound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ViewEnd {
    messages: usize,
    last: Option<NodeIndex>,
}

impl ViewEnd {
    /// The end of `view` now.
    pub fn of(view: &View) -> Self {
        Self { messages: view.len(), last: view.body().last().map(|slot| slot.node) }
    }
}

impl SummaryRequest {
    /// The messages, followed by one user message with the instructions.
    pub fn messages(&self) -> Vec<Arc<Message>> {
        self.messages.iter().map(Quoted::message).collect()
    }

    /// The messages that the summary will replace.
    pub fn folded(&self) -> Vec<Arc<Message>> {
        self.folded.iter().map(Quoted::message).collect()
    }

    /// The note for the report if the profile's `max_tokens` was lowered (COMP-22).
    pub fn lowered(&self) -> Option<String> {
        let (asked, allowed) = (self.profile.max_tokens()?, self.max_tokens?);
        let why = || {
            format!("max_tokens was lowered from {asked} to {allowed}, the maximum of the summariser's model")
        };
        (allowed < asked).then(why)
    }
}

/// Builds the request for a summary of what `plan` folds. Fails if the redaction fails.
pub fn request(context: &Context, plan: &FoldPlan, options: &RequestOptions<'_>) -> Result<SummaryRequest> {
    match options.chunks {
        Some(chunks) => about_piece(context, chunks, options, plan),
        None => about_view(context, plan, options),
    }
}

/// A lower bound of the tokens of a request of this size, without looking at any message.
pub fn least_tokens(context: &Context, plan: &FoldPlan, options: &RequestOptions<'_>) -> u64 {
    if options.redact.is_some() {
        return 0;
    }
    let style = options.config.style.unwrap_or_else(|| plan.layout.style());
    let shows_outputs = style == Style::Messages && plan.layout != Layout::SystemSummary;
    match options.scope {
        RequestScope::Beginning | RequestScope::FoldedOnly if shows_outputs => {
            return least_of_folded(context, plan);
        }
        RequestScope::Beginning | RequestScope::FoldedOnly | RequestScope::NoOutputs => return 0,
        RequestScope::Whole => {}
    }
    let body = context.view.body();
    let until = sent_or_folded_len(context, &plan.members.iter().copied().collect(), options);
    let new: u64 = body[until..].iter().map(Slot::tokens).sum();
    let parts = context.view.tokens_by_part().into_iter();
    let stay = parts.filter(|(part, ..)| match part {
        PartName::Reasoning | PartName::ToolCalls | PartName::Tools => false,
        PartName::ToolOutputs => shows_outputs,
        _ => true,
    });
    stay.map(|(_, tokens, _)| tokens).sum::<u64>().saturating_sub(new)
}

/// A lower bound for the folded messages of the view: whatever else a request leaves out, it includes tool outputs and texts without
/// reasoning. Their messages' frames count too, except for messages with calls, which may be dropped.
fn least_of_folded(context: &Context, plan: &FoldPlan) -> u64 {
    let folded: NodeSet = plan.members.iter().copied().collect();
    let slots = context.view.body().iter().filter(|slot| folded.contains(&slot.node));
    let frame = context.counter.rules().frames.message(Role::Assistant);
    let stays = |tally: &Tally| match (tally.reasoning(), tally.calls()) {
        (0, 0) => tally.text() + tally.outputs(),
        (0, _) => tally.text().saturating_sub(frame) + tally.outputs(),
        _ => tally.outputs(),
    };
    slots.map(|slot| stays(&slot.tally)).sum()
}

/// Cuts the conversation that `plan` folds into pieces, each of which fits a request of at most `window` tokens.
pub fn chunks(
    context: &Context,
    plan: &FoldPlan,
    options: &RequestOptions<'_>,
    window: u64,
) -> Result<Chunks> {
    let slots = conversation(context, plan, RequestScope::NoOutputs, options)?;
    let lines =
        slots.iter().filter(|(from, _)| from.folded).map(|(_, m)| transcript::line(&m.message())).collect();
    let room = room_of_piece(context, plan, options, window)?;
    Ok(Chunks::new(lines, room, &*context.counter))
}

/// Tokens of a piece in a request of at most `window` tokens.
pub fn room_of_piece(
    context: &Context,
    plan: &FoldPlan,
    options: &RequestOptions<'_>,
    window: u64,
) -> Result<u64> {
    let frame = context.counter.count(&options.instruction(plan)?).max(context.counter.count(prompts::CHUNK));
    // An eighth is left for the answer.
    Ok((window - window / 8).saturating_sub(frame + FENCE_TOKENS))
}

/// Tokens of the fence and the message around a piece.
const FENCE_TOKENS: u64 = 32;

fn about_piece(
    context: &Context,
    chunks: &Chunks,
    options: &RequestOptions<'_>,
    plan: &FoldPlan,
) -> Result<SummaryRequest> {
    let asked = if chunks.in_pieces() { Profile::Default } else { plan.profile };
    let piece = tags::fence(&chunks.piece());
    let instruction =
        if chunks.in_pieces() { options.chunk_instruction() } else { options.instruction(plan)? };
    let message = Message::text(Role::User, format!("{piece}\n\n{instruction}"));
    let input_tokens = context.count(&message);
    let messages = Arc::new(vec![Quoted::whole(Arc::new(message))]);
    let first = chunks.in_pieces() && options.reason != Reason::Retry;
    let reason = if first { Reason::Chunk } else { options.reason };
    Ok(SummaryRequest {
        model: options.config.model.clone(),
        system: None,
        input_tokens,
        folded: messages.clone(),
        messages,
        kept: Vec::new(),
        style: Style::Transcript,
        continues: None,
        view_messages: 0,
        names_refs: context.wording.names_refs(),
        scope: RequestScope::NoOutputs,
        reason,
        profile: asked,
        max_tokens: options.max_tokens(asked),
        aim_tokens: if chunks.in_pieces() {
            Some(options.within_output(chunks.share()))
        } else {
            options.summary_size(plan)
        },
    })
}

/// Whether the request shows the view, or its beginning, message by message and unchanged.
fn is_view(
    context: &Context,
    plan: &FoldPlan,
    options: &RequestOptions<'_>,
    slots: &[(ShownSlot<'_>, Quoted)],
) -> bool {
    let messages = match options.scope {
        RequestScope::Whole => sent_or_folded_len(context, &plan.members.iter().copied().collect(), options),
        RequestScope::Beginning => beginning(context, &plan.members.iter().copied().collect()),
        RequestScope::FoldedOnly | RequestScope::NoOutputs => return false,
    };
    slots.len() == messages && slots.iter().all(|(from, message)| from.is_whole(message))
}

fn about_view(context: &Context, plan: &FoldPlan, options: &RequestOptions<'_>) -> Result<SummaryRequest> {
    let mut slots = conversation(context, plan, options.scope, options)?;
    let style = options.config.style.unwrap_or_else(|| plan.layout.style());
    if style == Style::Messages {
        for (_, message) in slots.iter_mut().filter(|(from, message)| !from.is_inert(message, context)) {
            message.make_inert(); // a transcript is neutralised as a whole
        }
    }
    if options.continues && !(style == Style::Messages && is_view(context, plan, options, &slots)) {
        return about_view(context, plan, &RequestOptions { continues: false, ..options.clone() });
    }
    let folded: Vec<Quoted> = slots.iter().filter(|(from, _)| from.folded).map(|(_, m)| m.clone()).collect();
    let shown = slots.len();
    let kept = (0..slots.len()).filter(|i| !slots[*i].0.folded).collect();
    let as_messages = || slots.iter().map(|(from, message)| from.tokens(message, context)).sum::<u64>();
    let as_messages_tokens = if style == Style::Messages { as_messages() } else { 0 };
    let mut messages: Vec<Quoted> = slots.into_iter().map(|(_, m)| m).collect();
    let instruction = options.instruction(plan)?;
    let (last, kept) = match style {
        Style::Messages => (Message::text(Role::User, instruction), kept),
        Style::Transcript => {
            let text = transcript::render(messages.drain(..).map(|m| m.message()), &instruction);
            (Message::text(Role::User, text), Vec::new())
        }
    };
    let instruction_tokens = context.count(&last);
    messages.push(Quoted::whole(Arc::new(last)));
    let header = context.view.header().iter().map(|s| s.message.plain_text());
    let system = header.map(|text| options.redact.map_or_else(|| Ok(text.clone()), |r| r.text(&text)));
    let system: Vec<String> = system.collect::<Result<_>>()?;
    let header_tokens: u64 = context.view.header().iter().map(Slot::tokens).sum();
    let before =
        as_messages_tokens + if options.continues { context.view.fixed_tokens() } else { header_tokens };
    let input_tokens = before + instruction_tokens;
    Ok(SummaryRequest {
        model: options.config.model.clone(),
        system: (!system.is_empty()).then(|| system.join("\n\n")),
        messages: Arc::new(messages),
        folded: Arc::new(folded),
        kept,
        style,
        continues: options.continues.then(|| ViewEnd::of(&context.view)),
        view_messages: context.view.before_body() + shown,
        names_refs: context.wording.names_refs(),
        scope: options.scope,
        reason: options.reason,
        input_tokens,
        profile: plan.profile,
        max_tokens: options.max_tokens(plan.profile),
        aim_tokens: options.summary_size(plan),
    })
}

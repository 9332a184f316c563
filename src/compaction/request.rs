//! The one question that the engine asks: the request for a summary.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use super::chunks::Chunks;
use super::config::{CompactionConfig, Style};
use super::layout::Layout;
use super::plan::FoldPlan;
use super::quoted::Quoted;
use super::redact::Redact;
use super::{Profile, prompts, tags, transcript};
use crate::context::{Context, NodeSet, PartName, Slot, Tally};
use crate::error::Result;
use crate::message::{Message, Part, Role, Seen, open_calls_of};
use crate::provider::unlink_each;
use crate::tokens::MESSAGE_OVERHEAD;
use crate::tool_output::{HeadTail, truncate_head_tail};

/// Why a summary is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The view reached its threshold.
    Threshold,
    /// `compact()` was called.
    Manual,
    /// A pass of the ladder.
    Ladder,
    /// The answer before was refused.
    Retry,
    /// The conversation is larger than the summariser's window: this is about a part of it.
    Chunk,
    /// The provider refused a request as too long.
    Recover,
}

impl Reason {
    /// The name in `SummaryRequest.reason`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Threshold => "threshold",
            Self::Manual => "manual",
            Self::Ladder => "ladder",
            Self::Retry => "retry",
            Self::Chunk => "chunk",
            Self::Recover => "recover",
        }
    }
}

/// A request for a summary: plain data, no tools (COMP-3).
#[derive(Debug, Clone)]
pub struct SummaryRequest {
    /// The summariser's model; `None`: the caller's own.
    pub model: Option<String>,
    /// The header's text.
    pub system: Option<String>,
    messages: Arc<Vec<Quoted>>,
    folded: Arc<Vec<Quoted>>,
    /// Positions in `messages` of those that stay in the view as they are.
    pub kept: Vec<usize>,
    /// In what shape the conversation stands in `messages`.
    pub style: Style,
    /// Why it is asked.
    pub reason: Reason,
    /// Tokens of it all.
    pub input_tokens: u64,
    /// What the summary is to be.
    pub profile: Profile,
    /// Tokens that the answer may take, where the profile says so: never more than the summariser's model allows.
    pub max_tokens: Option<u64>,
    /// The tokens that the instructions ask for at most.
    pub aim_tokens: Option<u64>,
}

impl SummaryRequest {
    /// The messages, then one user message with the instructions.
    pub fn messages(&self) -> Vec<Arc<Message>> {
        self.messages.iter().map(Quoted::message).collect()
    }

    /// Those of the messages that the summary will stand for.
    pub fn folded(&self) -> Vec<Arc<Message>> {
        self.folded.iter().map(Quoted::message).collect()
    }

    /// What the report says where the profile's `max_tokens` was lowered (COMP-22).
    pub fn lowered(&self) -> Option<String> {
        let (asked, allowed) = (self.profile.max_tokens()?, self.max_tokens?);
        let why = || {
            format!("max_tokens was lowered from {asked} to the {allowed} that the summariser's model allows")
        };
        (allowed < asked).then(why)
    }
}

/// How far a request has been made smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Size {
    /// The whole view, as the specification asks: the provider's prompt cache serves most of it.
    Whole,
    /// Only what is folded.
    FoldedOnly,
    /// Only what is folded, tool outputs as placeholders.
    NoOutputs,
}

impl Size {
    /// The next smaller one.
    pub const fn smaller(self) -> Option<Self> {
        match self {
            Self::Whole => Some(Self::FoldedOnly),
            Self::FoldedOnly => Some(Self::NoOutputs),
            Self::NoOutputs => None,
        }
    }
}

/// What goes into a request beside the conversation.
#[derive(Debug, Clone)]
pub struct Ask<'a> {
    /// The configuration.
    pub config: &'a CompactionConfig,
    /// The caller's words for this compaction.
    pub instructions: Option<&'a str>,
    /// Why it is asked.
    pub reason: Reason,
    /// Why the answer before was refused.
    pub refused: Option<&'a str>,
    /// How small it must be.
    pub size: Size,
    /// The conversation in pieces, where not even the smallest size fits.
    pub chunks: Option<&'a Chunks>,
    /// Sees what goes to the summariser.
    pub redact: Option<&'a Redact>,
    /// The language to write in; the conversation's own where `None`.
    pub language: Option<&'a str>,
    /// The provider binds thinking to what stands before it: none goes along.
    pub drops_bound_thinking: bool,
    /// The largest output of the summariser's model, where it is known.
    pub most_output: Option<u64>,
}

impl Ask<'_> {
    fn max_tokens(&self, profile: Profile) -> Option<u64> {
        profile.max_tokens().map(|asked| self.within_output(asked))
    }

    /// So many tokens, or as many as the summariser's model writes.
    fn within_output(&self, tokens: u64) -> u64 {
        self.most_output.map_or(tokens, |most| tokens.min(most))
    }
}

/// Builds the request for a summary of what `plan` folds. Fails where the redaction does.
pub fn request(context: &Context, plan: &FoldPlan, ask: &Ask<'_>) -> Result<SummaryRequest> {
    match ask.chunks {
        Some(chunks) => about_piece(context, chunks, ask, plan),
        None => about_view(context, plan, ask),
    }
}

/// Fewer tokens than any request of this size has, without a look at a message.
pub fn least_tokens(context: &Context, plan: &FoldPlan, ask: &Ask<'_>) -> u64 {
    if ask.redact.is_some() {
        return 0;
    }
    let style = ask.config.style.unwrap_or_else(|| plan.layout.style());
    let shows_outputs = style == Style::Messages && plan.layout != Layout::SystemSummary;
    match ask.size {
        Size::FoldedOnly if shows_outputs => return least_of_folded(context, plan),
        Size::FoldedOnly | Size::NoOutputs => return 0,
        Size::Whole => {}
    }
    let parts = context.view.tokens_by_part().into_iter();
    let stay = parts.filter(|(part, ..)| match part {
        PartName::Reasoning | PartName::ToolCalls | PartName::Tools => false,
        PartName::ToolOutputs => shows_outputs,
        _ => true,
    });
    stay.map(|(_, tokens, _)| tokens).sum()
}

/// Whatever else a request leaves out of what is folded and stands in the view, outputs it has, and texts that no reasoning
/// goes with; their messages' frames too, but for those of calls, which may go.
fn least_of_folded(context: &Context, plan: &FoldPlan) -> u64 {
    let folded: NodeSet = plan.members.iter().copied().collect();
    let slots = context.view.body().iter().filter(|slot| folded.contains(&slot.node));
    let stays = |tally: &Tally| match (tally.reasoning(), tally.calls()) {
        (0, 0) => tally.text() + tally.outputs(),
        (0, _) => tally.text().saturating_sub(MESSAGE_OVERHEAD) + tally.outputs(),
        _ => tally.outputs(),
    };
    slots.map(|slot| stays(&slot.tally)).sum()
}

/// The conversation that `plan` folds, cut into pieces that a request of at most `window` tokens can be about.
pub fn chunks(context: &Context, plan: &FoldPlan, ask: &Ask<'_>, window: u64) -> Result<Chunks> {
    let slots = conversation(context, plan, Size::NoOutputs, ask)?;
    let lines =
        slots.iter().filter(|(from, _)| from.folded).map(|(_, m)| transcript::line(&m.message())).collect();
    let room = room_of_piece(context, plan, ask, window)?;
    Ok(Chunks::new(lines, room, &*context.counter))
}

/// Tokens of a piece that a request of at most `window` tokens can be about.
pub fn room_of_piece(context: &Context, plan: &FoldPlan, ask: &Ask<'_>, window: u64) -> Result<u64> {
    let frame = context.counter.count(&instruction(ask, plan)?).max(context.counter.count(prompts::CHUNK));
    // An eighth is left for the answer.
    Ok((window - window / 8).saturating_sub(frame + FENCE_TOKENS))
}

/// The size that is asked for: the room that the plan left, and no more than the answer may have.
fn size(ask: &Ask<'_>, plan: &FoldPlan) -> Option<u64> {
    let room = plan.room.map(|room| ask.within_output(room));
    [room, ask.max_tokens(plan.profile)].into_iter().flatten().min()
}

/// What the fence and the message around a piece take.
const FENCE_TOKENS: u64 = 32;

fn about_piece(context: &Context, chunks: &Chunks, ask: &Ask<'_>, plan: &FoldPlan) -> Result<SummaryRequest> {
    let asked = if chunks.in_pieces() { Profile::Default } else { plan.profile };
    let piece = tags::fence(&chunks.piece());
    let instruction = if chunks.in_pieces() { chunk_instruction(ask) } else { instruction(ask, plan)? };
    let message = Message::text(Role::User, format!("{piece}\n\n{instruction}"));
    let input_tokens = context.count(&message);
    let messages = Arc::new(vec![Quoted::whole(Arc::new(message))]);
    let first = chunks.in_pieces() && ask.reason != Reason::Retry;
    let reason = if first { Reason::Chunk } else { ask.reason };
    Ok(SummaryRequest {
        model: ask.config.model.clone(),
        system: None,
        input_tokens,
        folded: messages.clone(),
        messages,
        kept: Vec::new(),
        style: Style::Transcript,
        reason,
        profile: asked,
        max_tokens: ask.max_tokens(asked),
        aim_tokens: if chunks.in_pieces() {
            Some(ask.within_output(chunks.share()))
        } else {
            size(ask, plan)
        },
    })
}

/// Where a message of a request comes from.
#[derive(Clone, Copy)]
struct From<'a> {
    /// The summary will stand for it.
    folded: bool,
    slot: &'a Slot,
}

impl From<'_> {
    /// The tokens of what is left of it: known, where that is all of it.
    fn tokens(&self, message: &Quoted, context: &Context) -> u64 {
        if self.is_whole(message) {
            self.slot.tokens()
        } else {
            message.tokens(|message| context.count(message))
        }
    }

    /// What is left of it, as far as it need not be looked at.
    fn seen<'m>(&self, message: &'m Quoted) -> Seen<'m> {
        let calls = self.slot.has_calls() || !self.is_whole(message);
        Seen { role: self.slot.role(), calls, message: message.of() }
    }

    fn is_whole(&self, message: &Quoted) -> bool {
        message.is(&self.slot.message)
    }
}

/// What the request shows of the conversation, and which of it the summary will stand for.
fn conversation<'a>(
    context: &'a Context,
    plan: &FoldPlan,
    size: Size,
    ask: &Ask<'_>,
) -> Result<Vec<(From<'a>, Quoted)>> {
    let folded: NodeSet = plan.members.iter().copied().collect();
    let shown = |s: &Slot| context.view.dropped(s.node).is_none();
    let mut slots: Vec<(From<'a>, Quoted)> = context
        .view
        .with_dropped()
        .into_iter()
        .map(|s| (folded.contains(&s.node), s))
        .filter(|(folded, s)| *folded || (size == Size::Whole && shown(s)))
        .map(|(folded, slot)| {
            // Its outputs go along, and no provider takes them without the calls.
            let calling = if folded { context.with_calls(slot) } else { None };
            let message = match (size, calling) {
                (_, Some(message)) => Quoted::whole(message),
                (Size::NoOutputs, None) if slot.role() == Role::Tool => Quoted::without_output(&slot.message),
                (Size::Whole | Size::FoldedOnly, None) if folded && plan.layout == Layout::SystemSummary => {
                    Quoted::whole(with_short_output(slot))
                }
                _ => Quoted::whole(slot.message.clone()),
            };
            (From { folded, slot }, message)
        })
        .collect();
    drop_unanswered_calls(&mut slots);
    if let Some(redact) = ask.redact {
        for (_, message) in &mut slots {
            *message = Quoted::whole(Arc::new(redact.message(&message.message())?));
        }
        slots.retain(|(_, message)| !message.of().is_empty());
    }
    if context.history.has_reasoning() {
        if ask.drops_bound_thinking {
            drop_bound_thinking(&mut slots);
        }
        slots = unlinked(context, &slots);
    }
    if !slots.iter().any(|(from, _)| from.folded) {
        // Reasoning and what is bound to it, say: a summariser that is asked about nothing answers something else.
        let slot = context.view.with_dropped().into_iter().find(|s| folded.contains(&s.node));
        let note = Message::text(Role::User, "[nothing that may be shown]");
        slots.extend(slot.map(|slot| (From { folded: true, slot }, Quoted::whole(Arc::new(note)))));
    }
    Ok(slots)
}

/// A request for a summary comes without the tools, and often without what stood before: thinking that its provider binds
/// to these would be refused (PROV-3b).
fn drop_bound_thinking<T>(slots: &mut Vec<(T, Quoted)>) {
    let is_bound = |part: &Part| matches!(part, Part::Reasoning(r) if r.signature.is_some());
    for (_, quoted) in slots.iter_mut().filter(|(_, m)| m.of().parts.iter().any(is_bound)) {
        let mut message = Message::clone(quoted.of());
        message.parts.retain(|part| !is_bound(part));
        *quoted = Quoted::whole(Arc::new(message));
    }
    slots.retain(|(_, message)| !message.of().is_empty());
}

/// What lost its other half goes, or loses its id: reasoning, and what it produced (PROV-3).
fn unlinked<T: Copy>(context: &Context, slots: &[(T, Quoted)]) -> Vec<(T, Quoted)> {
    let history = context.view.with_dropped().into_iter().map(|s| &*context.history.node(s.node).message);
    let view: Vec<Cow<'_, Message>> = slots.iter().map(|(_, m)| Cow::Borrowed(m.of())).collect();
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

fn about_view(context: &Context, plan: &FoldPlan, ask: &Ask<'_>) -> Result<SummaryRequest> {
    let mut slots = conversation(context, plan, ask.size, ask)?;
    let style = ask.config.style.unwrap_or_else(|| plan.layout.style());
    if style == Style::Messages {
        for (_, message) in &mut slots {
            message.make_inert(); // a transcript is neutralised as a whole
        }
    }
    let folded: Vec<Quoted> = slots.iter().filter(|(from, _)| from.folded).map(|(_, m)| m.clone()).collect();
    let kept = (0..slots.len()).filter(|i| !slots[*i].0.folded).collect();
    let as_messages = || slots.iter().map(|(from, message)| from.tokens(message, context)).sum::<u64>();
    let told = if style == Style::Messages { as_messages() } else { 0 };
    let mut messages: Vec<Quoted> = slots.into_iter().map(|(_, m)| m).collect();
    let instruction = instruction(ask, plan)?;
    let (last, kept) = match style {
        Style::Messages => (Message::text(Role::User, instruction), kept),
        Style::Transcript => {
            let text = transcript::render(messages.drain(..).map(|m| m.message()), &instruction);
            (Message::text(Role::User, text), Vec::new())
        }
    };
    let told = told + context.count(&last);
    messages.push(Quoted::whole(Arc::new(last)));
    let header = context.view.header().iter().map(|s| s.message.plain_text());
    let system = header.map(|text| ask.redact.map_or_else(|| Ok(text.clone()), |r| r.text(&text)));
    let system: Vec<String> = system.collect::<Result<_>>()?;
    let header_tokens: u64 = context.view.header().iter().map(Slot::tokens).sum();
    let input_tokens = header_tokens + told;
    Ok(SummaryRequest {
        model: ask.config.model.clone(),
        system: (!system.is_empty()).then(|| system.join("\n\n")),
        messages: Arc::new(messages),
        folded: Arc::new(folded),
        kept,
        style,
        reason: ask.reason,
        input_tokens,
        profile: plan.profile,
        max_tokens: ask.max_tokens(plan.profile),
        aim_tokens: size(ask, plan),
    })
}

fn chunk_instruction(ask: &Ask<'_>) -> String {
    prompts::Instructions {
        summary_prompt: Some(prompts::CHUNK.trim_end()),
        summary_directives: &ask.refused.map(refusal).into_iter().collect::<Vec<_>>(),
        language: ask.language,
        ..prompts::Instructions::default()
    }
    .compose()
}

fn refusal(refused: &str) -> String {
    format!("Your answer before this one could not be used: {refused}. Mind that now.")
}

fn instruction(ask: &Ask<'_>, plan: &FoldPlan) -> Result<String> {
    let config = ask.config;
    let mut directives = config.summary_directives.clone();
    if let Some(said) = ask.instructions {
        directives.push(ask.redact.map_or_else(|| Ok(said.to_owned()), |r| r.text(said))?);
    }
    directives.extend(ask.refused.map(refusal));
    let instructions = prompts::Instructions {
        profile: plan.profile,
        summary_prompt: config.summary_prompt.as_deref(),
        summary_directives: &directives,
        retain_prompt: config.retain_prompt.as_deref(),
        retain_directives: &config.retain_directives,
        language: ask.language,
        size: size(ask, plan),
    };
    Ok(instructions.compose())
}

/// What the ladder document calls a short transcript: the two ends of a long output.
const SHORT: HeadTail = HeadTail { max: 2_000, head: 1_200, tail: 400 };

fn with_short_output(slot: &Slot) -> Arc<Message> {
    if slot.message.role != Role::Tool {
        return slot.message.clone();
    }
    let mut message = slot.message.clone();
    for part in &mut Arc::make_mut(&mut message).parts {
        let Part::ToolOutput(output) = part else { continue };
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

/// A provider refuses calls without outputs, and the request ends with a user message: calls that nothing answers leave
/// their message, and a message that has nothing else to say leaves the request (COMP-4).
fn drop_unanswered_calls(messages: &mut Vec<(From<'_>, Quoted)>) {
    let seen: Vec<Seen<'_>> = messages.iter().map(|(from, message)| from.seen(message)).collect();
    let open: HashSet<String> = open_calls_of(&seen).into_iter().map(str::to_owned).collect();
    if open.is_empty() {
        return;
    }
    let mut left: HashSet<String> = open;
    for at in (0..messages.len()).rev() {
        if !messages[at].1.of().tool_calls().any(|c| left.contains(&c.id)) {
            continue;
        }
        let mut message = Message::clone(messages[at].1.of());
        message.parts.retain(|p| !matches!(p, Part::ToolCall(c) if left.remove(&c.id)));
        drop_trailing_reasoning(&mut message);
        if message.parts.is_empty() {
            messages.remove(at);
        } else {
            messages[at].1 = Quoted::whole(Arc::new(message));
        }
    }
}

/// Reasoning goes together with what it produced (PROV-3).
fn drop_trailing_reasoning(message: &mut Message) {
    while matches!(message.parts.last(), Some(Part::Reasoning(_))) {
        message.parts.pop();
    }
}

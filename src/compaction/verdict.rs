//! Decides whether an answer is a summary that may replace the folded messages.
//!
//! It must not be empty, cut off, a refusal, a tool call, a service's error, or larger than what it replaces, and its model must have
//! finished normally (`finish` lists the words for that). It must have exactly one summary element, because one of two could be quoted from
//! a page.

use std::borrow::Cow;

use super::accepted::Accepted;
use super::frame::EMPTY_SUMMARY;
use super::layout::engine_message;
use super::ledger::{self, AlreadyShown, Budget, CarriedFacts, OmittedFacts, Room};
use super::plan::FoldPlan;
use super::{Profile, Redact, finish, no_summary, tags};
use crate::context::{Context, Form, NodeIndex, NodeKind, NodeSet, Slot};
use crate::error::{Error, ErrorCode};
use crate::facts::{LEDGER_HEADINGS, RULES_TITLE, inside_record};
use crate::message::{Message, ProviderSummary, Role};
use crate::tokens::{Method, TokenCounter, TokenUsage};

/// The callback's answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// The text, including its tags.
    pub text: String,
    /// Why the model stopped, in the provider's words.
    pub finish_reason: Option<String>,
    /// The tokens that the call used.
    pub usage: Option<TokenUsage>,
    /// The built-in summariser wrote it, and writes it again if less is folded in the end.
    pub built_in: bool,
    /// A summary in the provider's own format, which replaces the text for that provider.
    pub by_provider: Option<ProviderSummary>,
}

/// The facts that a summary must carry over (COMP-11), and the room for them.
#[derive(Debug, Clone, Copy)]
pub struct LedgerTerms<'a> {
    /// The facts of the folded messages and of everything folded before.
    pub carried: &'a CarriedFacts,
    /// Tokens that the ledger may take.
    pub budget: Budget,
    /// Target of the compaction, in tokens of the view; out of reach if no window is known.
    pub target: u64,
    /// The most tokens that the view may have.
    pub limit: u64,
    /// Redacts what goes into the ledger (COMP-21).
    pub redact: Option<&'a Redact>,
}

/// Judges an answer (COMP-10): not empty, not cut off, smaller than what it replaces. Appends the facts that it does not mention (COMP-11).
pub fn judge(
    context: &Context,
    plan: &FoldPlan,
    answer: &Answer,
    wants_retain: bool,
    terms: &LedgerTerms<'_>,
) -> Result<Accepted, Error> {
    let tagged = whole(answer, plan.profile)?;
    let text = inside_record(without_ledger_headings(tagged.summary.unwrap_or_default()));
    let summary = engine_message(Role::User, text.trim());
    let given = tagged
        .retain
        .as_deref()
        .map(str::trim)
        .filter(|t| !t.is_empty())
        .map(|t| engine_message(Role::User, t));
    let carried_over = given.is_none();
    // Text that an earlier answer retained is never lost, only replaced (COMP-3).
    let retain = given.or_else(|| earlier_retain(context, plan));

    let tokens = fold_tokens(context, plan, retain.as_ref(), &summary);
    if tokens >= plan.must_be_smaller_than() {
        let (new, old) = (tokens, plan.must_be_smaller_than());
        let why = format!("the summary takes {new} tokens but would replace only {old}: it must be shorter");
        return Err(Error::new(ErrorCode::SummaryNotSmaller, why));
    }
    if let Some(room) = plan.max_after.map(|limit| room_below(context, plan, limit))
        && (LEAST_SUMMARY..tokens).contains(&room)
    {
        let why = format!(
            "the summary takes {tokens} tokens, but only {room} would keep the view below its target: it must be shorter"
        );
        return Err(Error::new(ErrorCode::SummaryNotSmaller, why));
    }
    let mut notes = Vec::new();
    if tagged.form == tags::Form::Untagged {
        notes.push("the answer had no <summary> tags; its whole text was used");
    }
    match (&retain, carried_over) {
        (Some(_), true) => notes.push("the answer had no <retain> section; the earlier one is kept"),
        (None, _) if wants_retain => notes.push("the answer had no <retain> section"),
        _ => {}
    }
    let (summary, ledger_tokens, omitted) = with_ledger(context, plan, summary, retain.as_ref(), terms)?;
    let fallback = (!notes.is_empty()).then(|| notes.join("; "));
    let tokens = tokens + ledger_tokens;
    let by_provider = match &answer.by_provider {
        Some(given) => Some((
            given.clone(),
            provider_ledger(context, plan, answer, (&text, &summary), retain.as_ref(), terms)?,
        )),
        None => None,
    };
    Ok(Accepted { text, summary, retain, tokens, by_provider, ledger_tokens, omitted, fallback })
}

/// The ledger that goes beside a summary in the provider's own format. If the provider's text is known, it is the ledger at the end of our
/// summary; otherwise it is a full ledger, as for an empty summary.
fn provider_ledger(
    context: &Context,
    plan: &FoldPlan,
    answer: &Answer,
    (words, summary): (&str, &Message),
    retain: Option<&Message>,
    terms: &LedgerTerms<'_>,
) -> Result<Option<Message>, Error> {
    let ledger = if !answer.built_in {
        summary.plain_text().strip_prefix(words.trim()).map(|ledger| ledger.trim_start().to_owned())
    } else if terms.budget.is_none() {
        None
    } else {
        ledger_of(context, plan, &engine_message(Role::User, ""), retain, terms, false, &*context.counter)?.0
    };
    Ok(ledger.filter(|ledger| !ledger.is_empty()).map(|ledger| engine_message(Role::User, &ledger)))
}

/// Removes ledger headings from a summary, so that its own lines are not taken for a ledger.
fn without_ledger_headings(text: String) -> String {
    let is_ours =
        |line: &str| LEDGER_HEADINGS.contains(&line.trim()) || line.trim() == format!("{RULES_TITLE}:");
    if !text.lines().any(is_ours) {
        return text;
    }
    text.lines().filter(|line| !is_ours(line)).collect::<Vec<_>>().join("\n")
}

/// With no more room than this no summary would fit, so the smallest view is best.
const LEAST_SUMMARY: u64 = 64;

/// Tokens left for the fold's messages in a view of at most `limit` tokens.
fn room_below(context: &Context, plan: &FoldPlan, limit: u64) -> u64 {
    limit.saturating_sub(context.view.tokens().saturating_sub(plan.tokens))
}

/// Tokens of the messages that would replace the fold.
fn fold_tokens(context: &Context, plan: &FoldPlan, retain: Option<&Message>, summary: &Message) -> u64 {
    let made = plan.messages(retain.cloned(), summary.clone(), plan.recorded(context));
    made.tokens(|message| context.count(message))
}

/// The summary as it is measured if a ledger may follow. A summary that says nothing gets a different frame in that case.
fn with_room_for_ledger(summary: &Message) -> Cow<'_, Message> {
    let text = summary.plain_text();
    if text != EMPTY_SUMMARY {
        return Cow::Borrowed(summary);
    }
    Cow::Owned(engine_message(summary.role, &format!("{text}\n\n-")))
}

/// Returns the summary in an answer, or an error if it is cut off or empty.
pub fn text_of(answer: &Answer) -> Result<String, Error> {
    Ok(whole(answer, Profile::Default)?.summary.unwrap_or_default())
}

fn whole(answer: &Answer, profile: Profile) -> Result<tags::Tagged, Error> {
    if let Some(reason) = answer.finish_reason.as_deref() {
        finish::check(reason)?;
    }
    let mut tagged = tags::extract(&answer.text);
    tagged.summary = Some(profile.accept(&answer.text)?);
    if profile != Profile::Default {
        tagged.form = tags::Form::Tagged;
        return Ok(tagged);
    }
    no_summary::refuse(&tagged)?;
    Ok(tagged)
}

/// Appends the ledger to the summary. The ledger takes at most half of what the fold saves (INV-8) and keeps the view at the compaction's
/// target. The user's constraints may take all that the fold saves, by default more than the budget. If they find no room beside the
/// messages that stay, those messages will be cut to make room.
fn with_ledger(
    context: &Context,
    plan: &FoldPlan,
    summary: Message,
    retain: Option<&Message>,
    terms: &LedgerTerms<'_>,
) -> Result<(Message, u64, OmittedFacts), Error> {
    if terms.budget.is_none() {
        return Ok((summary, 0, OmittedFacts::default()));
    }
    let tokens = fold_tokens(context, plan, retain, &summary);
    let after = plan.after(context, tokens);
    let is_cut = after >= terms.limit;
    let (mut ledger, mut omitted) =
        ledger_of(context, plan, &summary, retain, terms, is_cut, &*context.counter)?;
    if omitted.rules > 0 && !is_cut {
        let roomier = ledger_of(context, plan, &summary, retain, terms, true, &*context.counter)?;
        if roomier.1.rules < omitted.rules {
            (ledger, omitted) = roomier;
        }
    }
    let in_summary = InSummary { context, plan, retain, summary: &summary, tokens };
    let gain = plan.must_be_smaller_than().saturating_sub(tokens);
    if ledger.as_deref().is_some_and(|ledger| in_summary.count(ledger) >= gain) {
        (ledger, omitted) = ledger_of(context, plan, &summary, retain, terms, is_cut, &in_summary)?;
    }
    let fits = ledger.as_ref().map(|ledger| (in_summary.with(ledger), in_summary.count(ledger)));
    if let Some((whole, added)) = fits.filter(|(_, added)| *added < gain) {
        return Ok((whole, added, omitted));
    }
    if ledger.is_some() {
        // Nothing of it is written after all.
        let none = LedgerTerms { budget: Budget::NONE, ..*terms };
        omitted = ledger_of(context, plan, &summary, retain, &none, is_cut, &*context.counter)?.1;
    }
    Ok((summary, 0, omitted))
}

/// Counts a ledger as part of its summary: alone, it may have fewer tokens, because counters for some models judge a text as a whole.
struct InSummary<'a> {
    context: &'a Context,
    plan: &'a FoldPlan,
    retain: Option<&'a Message>,
    summary: &'a Message,
    /// The tokens of the fold without a ledger.
    tokens: u64,
}

impl InSummary<'_> {
    fn with(&self, ledger: &str) -> Message {
        engine_message(Role::User, &format!("{}\n\n{ledger}", self.summary.plain_text()))
    }
}

impl TokenCounter for InSummary<'_> {
    fn count(&self, ledger: &str) -> u64 {
        fold_tokens(self.context, self.plan, self.retain, &self.with(ledger)).saturating_sub(self.tokens)
    }

    fn method(&self) -> Method {
        self.context.counter.method()
    }
}

/// The ledger of a fold, and what it had to leave out. `cut`: the messages that stay are too large and will be cut to make room, so facts
/// in them do not count as present, except in those that stay word for word.
fn ledger_of(
    context: &Context,
    plan: &FoldPlan,
    summary: &Message,
    retain: Option<&Message>,
    terms: &LedgerTerms<'_>,
    cut: bool,
    counter: &dyn TokenCounter,
) -> Result<(Option<String>, OmittedFacts), Error> {
    let budget = terms.budget;
    let tokens = fold_tokens(context, plan, retain, &with_room_for_ledger(summary));
    let gain = plan.must_be_smaller_than().saturating_sub(tokens);
    let after = plan.after(context, tokens);
    let folded: NodeSet = plan.members.iter().copied().collect();
    let cut_evenly: NodeSet = plan.cut.iter().flat_map(|cut| cut.nodes.iter().copied()).collect();
    let staying_tokens = if cut { tokens + least_tokens(context, &folded, terms.limit) } else { after };
    let limit_room = terms.limit.saturating_sub(staying_tokens);
    let below_target = terms.target.min(plan.max_after.unwrap_or(u64::MAX)).saturating_sub(after);
    let beyond_target = if plan.max_after.is_some() { 0 } else { limit_room / 2 };
    let target_room = below_target.max(beyond_target);
    // The even cut leaves the steps their part of what the rules leave below the limit. With two thirds of it for rules, the view is still
    // below its threshold.
    let rules_room = below_target.max(limit_room - limit_room / 3).max(budget.tokens).min(limit_room);
    // If no message is cut evenly, nothing else fills the room that is left below the target.
    let is_free = budget.rules == u64::MAX && cut_evenly.is_empty();
    let facts = if is_free { budget.tokens.max(below_target) } else { budget.tokens };
    let room = Room {
        all: budget.tokens.max(budget.rules).min(gain / 2).min(target_room).min(limit_room),
        rules: budget.rules.min(rules_room).min(gain.saturating_sub(1)),
        facts,
        names: if is_free { facts } else { budget.names },
        shared: budget.tokens,
    };
    let verbatim: NodeSet = verbatim(context, terms.limit).map(|slot| slot.node).collect();
    let is_cut = |node: NodeIndex| (cut && !verbatim.contains(&node)) || cut_evenly.contains(&node);
    let carried = ledger::adjusted_to_view(context, &plan.members, terms.carried, &is_cut, terms.redact)?;
    let body = context.view.body().iter().filter(|s| !is_cut(s.node) && !folded.contains(&s.node));
    let (fixed, body): (Vec<&Slot>, Vec<&Slot>) = body.partition(|s| is_fixed(context, s));
    let (whole, edited): (Vec<&Slot>, Vec<&Slot>) = body.into_iter().partition(|s| s.form == Form::Whole);
    let is_from_summariser =
        |s: &&Slot| matches!(context.history.node(s.node).kind, NodeKind::Summary | NodeKind::Retain);
    let (summaries, fixed): (Vec<&Slot>, Vec<&Slot>) = fixed.into_iter().partition(is_from_summariser);
    let fixed_messages = context.view.header().iter().chain(fixed).map(|s| &*s.message);
    let summaries = summaries.into_iter().map(|s| &*s.message);
    let shown = AlreadyShown::of(fixed_messages).and_summaries(summaries.chain([summary]).chain(retain));
    let shown = shown.and_edited(edited.iter().map(|s| &*s.message).collect());
    let shown = shown.and_whole(context, &whole.iter().map(|s| s.node).collect::<Vec<_>>());
    let shown = shown.with_calls(context, terms.redact);
    let (ledger, omitted) = ledger::write(&carried, &shown, room, counter);
    Ok((ledger.map(|(text, _)| text), omitted))
}

/// Messages that no pass changes: the engine's own, and pinned ones.
fn is_fixed(context: &Context, slot: &Slot) -> bool {
    let node = context.history.node(slot.node);
    slot.form == Form::Whole
        && (node.pinned || matches!(node.kind, NodeKind::Summary | NodeKind::Retain | NodeKind::Pin))
}

/// Whether the view can keep the limit with a fold that takes `tokens`: cut as planned, or else by the last resort.
pub fn can_fit(context: &Context, plan: &FoldPlan, tokens: u64, limit: u64) -> bool {
    let folded: NodeSet = plan.members.iter().copied().collect();
    plan.after(context, tokens) <= limit || tokens + least_tokens(context, &folded, limit) <= limit
}

/// Approximate least tokens of the messages that stay, once everything that may be cut is cut (COMP-19, INV-11).
fn least_tokens(context: &Context, folded: &NodeSet, limit: u64) -> u64 {
    const CUT: u64 = 160;
    let verbatim: NodeSet = verbatim(context, limit).map(|slot| slot.node).collect();
    let kept = context.view.body().iter().filter(|s| !folded.contains(&s.node));
    let least =
        kept.map(|slot| if verbatim.contains(&slot.node) { slot.tokens() } else { slot.tokens().min(CUT) });
    context.view.fixed_tokens() + least.sum::<u64>()
}

/// The messages that stay word for word even if everything else is cut: pinned ones, and the newest user message, unless it alone exceeds
/// the limit.
fn verbatim(context: &Context, limit: u64) -> impl Iterator<Item = &Slot> {
    let body = context.view.body();
    let newest = body.iter().rposition(|s| s.message.opens_turn());
    body.iter().enumerate().filter_map(move |(at, slot)| {
        let stays = context.history.node(slot.node).pinned || (Some(at) == newest && slot.tokens() <= limit);
        stays.then_some(slot)
    })
}

/// The retained text that the fold would remove from the view.
fn earlier_retain(context: &Context, plan: &FoldPlan) -> Option<Message> {
    let mut newest_first = plan.members.iter().rev().map(|m| context.history.node(*m));
    newest_first.find(|n| n.kind == NodeKind::Retain).map(|n| Message::clone(&n.message))
}

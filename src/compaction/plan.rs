//! Decides which part of the view a compaction folds and which part stays.

use std::ops::Range;

use super::accepted::Accepted;
use super::config::SummaryRole;
use super::frame::{EMPTY_SUMMARY, Recorded};
use super::layout::{Layout, engine_message};
use super::ledger::Budget;
use super::{Frame, Profile, ledger};
use crate::config::size;
use crate::context::{Context, FoldMessages, NodeIndex, NodeKind, NodeSet, Place, Unit, begin_with_user};
use crate::even_cut::{Names, Share, Steps};
use crate::message::{Message, Role};
use crate::sorting::sort_by_key;

/// What a compaction would fold.
#[derive(Debug, Clone, PartialEq)]
pub struct FoldPlan {
    /// The nodes to fold, in view order, including earlier summaries.
    pub members: Vec<NodeIndex>,
    /// Their tokens in the view.
    pub tokens: u64,
    /// The tokens of those nodes that passes had already left out of the view.
    pub hidden_tokens: u64,
    /// Also fold what passes left out of the view. The summary then has to be smaller than `tokens + hidden_tokens`; otherwise smaller than
    /// `tokens`.
    pub hidden_too: bool,
    /// Tokens of the nodes that are not earlier summaries.
    pub new_tokens: u64,
    /// A retained turn was cut at a step boundary (COMP-7b).
    pub cut_within_turn: bool,
    /// How the fold appears in the view.
    pub layout: Layout,
    /// What kind of summary is asked for.
    pub profile: Profile,
    /// The summary's role, if the caller set one.
    pub role: Option<SummaryRole>,
    /// The tokens left for the summary, if there is a target.
    pub room: Option<u64>,
    /// The most tokens that the view should have after the fold, if that can be reached.
    pub max_after: Option<u64>,
    /// Set if the messages that stay behind the fold are cut evenly.
    pub cut: Option<CutBehind>,
    /// The text around the summary, if the summary is a message of its own.
    pub frame: Option<Frame>,
}

/// How an even cut shortens the messages that stay behind a fold.
#[derive(Debug, Clone, PartialEq)]
pub struct CutBehind {
    /// Approximate tokens of everything that stays, cut to the smallest level.
    pub tokens: u64,
    /// The nodes that are cut.
    pub nodes: Vec<NodeIndex>,
    /// The token target of the view.
    pub target: u64,
    /// How the room is shared: how much of it is for whole steps.
    pub share: Share,
    /// Nodes that are folded in any case, because the caller named them.
    pub named: Vec<NodeIndex>,
}

impl FoldPlan {
    /// The same plan for these units; `None` if none of them is new.
    pub(super) fn of_units(self, context: &Context, folded: &[&Unit]) -> Option<Self> {
        let is_new = |u: &&&Unit| u.nodes.iter().any(|n| context.history.node(*n).kind == NodeKind::Message);
        let tokens = |u: &Unit| u.tokens + if self.hidden_too { u.hidden_tokens } else { 0 };
        let new: Vec<&&Unit> = folded.iter().filter(is_new).collect();
        (!new.is_empty()).then(|| Self {
            members: folded.iter().flat_map(|u| u.nodes.iter().copied()).collect(),
            tokens: folded.iter().map(|u| u.tokens).sum(),
            hidden_tokens: folded.iter().map(|u| u.hidden_tokens).sum(),
            new_tokens: new.iter().map(|u| tokens(u)).sum(),
            ..self
        })
    }

    /// The tokens that the summary must stay below.
    pub fn must_be_smaller_than(&self) -> u64 {
        self.tokens + if self.hidden_too { self.hidden_tokens } else { 0 }
    }

    /// The tokens of the user's rules in messages that are folded for the first time.
    pub fn tokens_of_rules(&self, context: &Context) -> u64 {
        let facts = context.facts();
        let mut names = Names::new(&facts, 0);
        let new = self.members.iter().filter(|node| context.history.node(**node).kind == NodeKind::Message);
        new.flat_map(|node| names.new_rules(*node)).map(|rule| context.counter.count(rule)).sum()
    }

    /// The view's tokens if the folded nodes are replaced by messages of `summary_tokens` tokens and the rest is cut as planned.
    pub fn after(&self, context: &Context, summary_tokens: u64) -> u64 {
        let rest = || context.view.tokens().saturating_sub(self.tokens);
        self.cut.as_ref().map_or_else(rest, |cut| cut.tokens) + summary_tokens
    }

    /// Shrinks the plan now that the summary's size is known. The newest planned messages stay if a view within `marks` (target, limit) has
    /// room for them and if the fold still saves more than the summary and its ledger take. `None` if everything is folded as planned.
    pub fn keep_newest_that_fit(
        mut self,
        context: &Context,
        summary: &Accepted,
        marks: (u64, u64),
    ) -> Option<Self> {
        let cut = self.cut.as_mut()?;
        let steps = Steps::of(context);
        let mut units = steps.units().to_vec();
        let folded: NodeSet = self.members.iter().copied().collect();
        let is_member: Vec<bool> =
            units.iter().map(|unit| unit.nodes.iter().any(|node| folded.contains(node))).collect();
        let target = cut.target.min(steps.target(marks.0, marks.1)).saturating_sub(summary.tokens);
        let staying = steps.staying(context, target, cut.share, |at| !is_member[at]);
        for at in (0..units.len()).filter(|at| is_member[*at] && units[*at].stays()).collect::<Vec<_>>() {
            units[at].mark_removed();
        }
        let is_new = |at: &usize| is_member[*at] && !units[*at].is_fold();
        let new: Vec<usize> = (0..units.len()).rev().filter(is_new).collect();
        let (mut rest, mut folds) = (self.tokens, new.len());
        let is_named = |at: usize| steps.units()[at].nodes.iter().any(|node| cut.named.contains(node));
        for at in new.into_iter().filter(|at| staying.stays[*at] && !is_named(*at)) {
            rest = rest.saturating_sub(units[at].tokens);
            if rest <= summary.tokens + summary.ledger_tokens || folds == 1 {
                break;
            }
            folds -= 1;
            units[at].place = Place::Shown;
        }
        if self.layout.with_role(self.role).needs_user_behind() {
            begin_with_user(&mut units, 0);
        }
        let stays = |at: &usize| units[*at].stays();
        let nodes = |at: usize| units[at].nodes.iter().copied();
        let back: Vec<usize> = (0..units.len()).filter(|at| is_member[*at] && stays(at)).collect();
        let all = back.iter().copied().flat_map(nodes).collect::<NodeSet>();
        self.members.retain(|node| !all.contains(node));
        for unit in back.iter().map(|at| &units[*at]) {
            self.tokens = self.tokens.saturating_sub(unit.tokens);
            self.hidden_tokens = self.hidden_tokens.saturating_sub(unit.hidden_tokens);
            self.new_tokens = self.new_tokens.saturating_sub(unit.tokens);
        }
        cut.nodes = (0..units.len()).filter(|at| staying.cut[*at] && stays(at)).flat_map(nodes).collect();
        cut.tokens = staying.tokens;
        (!back.is_empty()).then_some(self)
    }

    /// The summary size to ask for, in tokens.
    pub fn size(&self) -> Option<u64> {
        [self.room, self.profile.max_tokens()].into_iter().flatten().min()
    }

    /// The messages that the summary replaces, including those under earlier summaries.
    pub fn recorded(&self, context: &Context) -> Recorded {
        Recorded::of(context, &self.members)
    }

    /// The messages that replace the fold.
    pub fn messages(&self, retain: Option<Message>, summary: Message, recorded: Recorded) -> FoldMessages {
        let frame = self.frame.as_ref().map(|frame| (frame, recorded));
        let ask = if self.profile == Profile::Default { Layout::ASK } else { self.profile.prompt() };
        self.layout.with_role(self.role).messages(retain, summary, ask, frame)
    }
}

/// The share of the view that is left for a summary when steps are cut evenly. A view for one call has less, because it is as good only
/// with more steps; in a conversation that goes on, what the assistant found and did is needed for longer than its steps are there.
const EVEN_SHARE: f64 = 0.12;
const EVEN_SHARE_OF_ONE_CALL: f64 = 0.07;

/// Approximate tokens of the frame's text around a summary.
const FRAME: u64 = 24;

/// The same of what it says if the newest user message stays and steps behind it are folded.
const FOLLOWED: u64 = 8;

/// Whether steps follow the newest user message.
fn turn_goes_on(context: &Context) -> bool {
    context.view.body().last().is_some_and(|slot| !slot.message.opens_turn())
}

/// The least room for a summary of several lines, in tokens.
pub const LEAST_SUMMARY: u64 = 32;

/// How much of the conversation's end stays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Keep {
    /// Turns that stay whole (COMP-7).
    pub turns: u64,
    /// Token target of the view after the fold, if there is one.
    pub target: Option<u64>,
    /// The most tokens that the view may have.
    pub limit: u64,
    /// If the retained turns alone exceed the target, the oldest of them lose their earlier steps (COMP-7b).
    pub cut_within_turn: bool,
    /// Tokens that the fold's carry-over ledger may take.
    pub ledger: Budget,
    /// Keep as much as the target has room for, instead of the last turns alone (PASS-14).
    pub fill: bool,
    /// Fold what passes left out of the view as well.
    pub hidden_too: bool,
    /// With less room than this no summary is written: one line says how many messages were left out.
    pub min_summary_room: u64,
    /// Tokens to leave for the summary; `None`: a quarter of the target, or 12 % of it for an even cut (7 % if it is for one call), from 32 to 2,000.
    pub summary: Option<u64>,
    /// The summary's role, if the caller set one.
    pub role: Option<SummaryRole>,
    /// Cut what stays evenly, giving whole steps this share of the room; fold only what does not fit then (COMP-25).
    pub even: Option<Share>,
}

impl Keep {
    /// Tokens to leave for the summary in a view of `target` tokens.
    fn room(&self, target: u64) -> u64 {
        self.summary.unwrap_or_else(|| self.share(target).clamp(LEAST_SUMMARY, 2_000))
    }

    fn share(&self, target: u64) -> u64 {
        let share = match self.even {
            Some(_) if self.fill => EVEN_SHARE_OF_ONE_CALL,
            Some(_) => EVEN_SHARE,
            None => 0.25,
        };
        (target as f64 * share) as u64
    }

    /// For an even cut: the summary's size, and the tokens to leave for the summary with its frame. `has_facts`: the ledger will have
    /// entries.
    fn even_room(&self, context: &Context, room: u64, has_facts: bool) -> (u64, u64) {
        if self.share(room) < self.min_summary_room {
            let followed = if turn_goes_on(context) { 100 } else { 0 };
            let recorded = Recorded { messages: 100, followed };
            let text = Frame::by_default(None).around(if has_facts { "-" } else { EMPTY_SUMMARY }, recorded);
            // The ledger's size is an estimate, and without a summary it has no spare room.
            let slack = if has_facts { 12 } else { 0 };
            return (0, context.count(&engine_message(Role::User, &text)) + slack);
        }
        let followed = if turn_goes_on(context) { FOLLOWED } else { 0 };
        (self.room(room), self.room(room) + FRAME + followed)
    }

    /// Keep the last `turns` turns, cut if they exceed the target.
    pub const fn last(turns: u64, target: Option<u64>) -> Self {
        Self {
            turns,
            target,
            limit: u64::MAX,
            cut_within_turn: true,
            ledger: Budget::NONE,
            fill: false,
            hidden_too: false,
            min_summary_room: 0,
            summary: None,
            role: None,
            even: None,
        }
    }
}

/// Plans a fold of everything except what `keep` asks for. `None` if there is nothing to fold.
///
/// Never folded: the newest user message, steps with a call that is still being executed, steps with a pinned message,
/// and the newest step of a turn that is cut.
pub fn plan(context: &Context, keep: Keep, layout: Layout) -> Option<FoldPlan> {
    if let (Some(share), Some(target)) = (keep.even, keep.target) {
        return plan_even(context, keep, layout, share, target);
    }
    let (hidden, shown): (Vec<_>, Vec<_>) =
        context.units().into_iter().enumerate().partition(|(_, unit)| unit.place == Place::Hidden);
    let (places, mut units): (Vec<usize>, Vec<Unit>) = shown.into_iter().unzip();
    let turns = turns(&units);
    let kept_turns = &turns[turns.len().saturating_sub(size(keep.turns))..];
    let keep_from = kept_turns.first().copied().unwrap_or(units.len());
    let newest_user = units.iter().rposition(Unit::opens_turn);
    let first = if keep.fill { 0 } else { keep_from };
    for (i, unit) in units.iter_mut().enumerate().take(first) {
        if !unit.fixed && Some(i) != newest_user {
            unit.mark_removed();
        }
    }
    let starts = std::iter::once(first).chain(turns.iter().copied().filter(|turn| *turn > first));
    let ends = turns.iter().copied().filter(|turn| *turn > first).chain([units.len()]);
    let turns: Vec<Range<usize>> = starts.zip(ends).map(|(start, end)| start..end).collect();
    if let Some(target) = keep.target.filter(|_| keep.fill || keep.cut_within_turn) {
        let facts = ledger::tokens_needed(context, keep.ledger, target, &[]);
        let room = target.saturating_sub(context.view.fixed_tokens() + keep.room(target) + facts);
        fold_oldest(&mut units, &turns, keep_from, room);
    }
    let cut_within_turn = turns.into_iter().any(|turn| stays_in_part(&units[turn]));
    if layout.with_role(keep.role).needs_user_behind() {
        begin_with_user(&mut units, 0);
    }
    let mut folded: Vec<(usize, &Unit)> =
        places.into_iter().zip(&units).filter(|(_, u)| u.is_removed()).collect();
    if keep.hidden_too {
        folded.extend(hidden.iter().filter(|(_, u)| !u.fixed).map(|(place, u)| (*place, u)));
        sort_by_key(&mut folded, |(place, _)| *place);
    }
    let folded: Vec<&Unit> = folded.into_iter().map(|(_, unit)| unit).collect();
    let plan = planned(context, keep, layout, &folded)?;
    Some(FoldPlan { cut_within_turn, ..plan })
}

/// Plans a fold of what does not fit even if all that stays, except the newest steps, is cut to the smallest level (COMP-25).
fn plan_even(context: &Context, keep: Keep, layout: Layout, share: Share, target: u64) -> Option<FoldPlan> {
    let steps = Steps::of(context);
    let target = steps.target(target, keep.limit);
    if steps.cut(context, target, share).is_some() {
        return None;
    }
    let room = target.saturating_sub(steps.fixed());
    // In a session that goes on, the steps that are whole now will be folded later, and their facts will need room then.
    let whole = if keep.fill { steps.fixed_nodes() } else { Vec::new() };
    let facts = ledger::tokens_needed(context, keep.ledger, room, &whole);
    let (summary, with_frame) = keep.even_room(context, room, facts > 0);
    let reserve = with_frame + facts;
    let share = Share { names: 0, ..share }; // the ledger already lists the names
    let mut units = steps.units().to_vec();
    let turns = turns(&units);
    let kept_turns = &turns[turns.len().saturating_sub(size(keep.turns))..];
    let is_asked = |at: usize| steps.units()[at].opens_turn() && kept_turns.contains(&at);
    let staying = steps.staying(context, target.saturating_sub(reserve), share, is_asked);
    let oldest_whole = units
        .iter()
        .position(Unit::opens_turn)
        .map_or(0, |first| kept_turns.first().copied().unwrap_or(first));
    for (at, unit) in units.iter_mut().enumerate() {
        let stays = staying.stays[at] && !unit.is_fold();
        if !stays && !unit.fixed && unit.stays() {
            unit.mark_removed();
        }
    }
    if layout.with_role(keep.role).needs_user_behind() {
        begin_with_user(&mut units, 0);
    }
    let cut_within_turn = units[oldest_whole.min(units.len())..].iter().any(Unit::is_removed);
    let folded: Vec<&Unit> = units.iter().filter(|unit| unit.is_removed()).collect();
    let cut = units.iter().enumerate().filter(|(at, unit)| unit.stays() && staying.cut[*at]);
    let cut = cut.flat_map(|(_, unit)| unit.nodes.iter().copied()).collect();
    let plan = planned(context, keep, layout, &folded)?;
    Some(FoldPlan {
        cut_within_turn,
        room: Some(summary),
        cut: Some(CutBehind { tokens: staying.tokens, nodes: cut, target, share, named: Vec::new() }),
        ..plan
    })
}

/// The positions where turns begin. A conversation without user messages is one turn.
fn turns(units: &[Unit]) -> Vec<usize> {
    let mut turns: Vec<usize> = (0..units.len()).filter(|i| units[*i].opens_turn()).collect();
    if turns.is_empty() {
        turns.push(0);
    }
    turns
}

/// The plan that folds these units; `None` if none of them is new.
fn planned(context: &Context, keep: Keep, layout: Layout, folded: &[&Unit]) -> Option<FoldPlan> {
    let plan = FoldPlan {
        members: Vec::new(),
        tokens: 0,
        hidden_tokens: 0,
        hidden_too: keep.hidden_too,
        new_tokens: 0,
        cut_within_turn: false,
        layout,
        profile: Profile::Default,
        role: keep.role,
        room: keep.target.map(|target| keep.room(target)),
        max_after: None,
        cut: None,
        frame: None,
    };
    plan.of_units(context, folded)
}

/// Folds the oldest steps of these turns until what stays has room, and a turn's user message once all its steps are folded. The user messages
/// of the turns from `keep_from` on stay.
fn fold_oldest(units: &mut [Unit], turns: &[Range<usize>], keep_from: usize, room: u64) {
    let mut tokens: u64 = units.iter().filter(|u| !u.is_removed()).map(|u| u.tokens).sum();
    // The newest message stays, and if it is an instruction, so does the newest other one: a view of nothing but instructions is useless.
    let newest = units.iter().rposition(|u| !u.role.is_instruction()).unwrap_or(0);
    let newest_user = units.iter().rposition(Unit::opens_turn);
    let last = units.len().saturating_sub(1);
    for turn in turns {
        let steps = turn.clone().filter(|i| !units[*i].opens_turn());
        for i in steps.chain(turn.clone()).collect::<Vec<_>>() {
            let is_request = units[i].opens_turn();
            if tokens <= room && !(is_request && is_answered_by_fold(&units[turn.clone()])) {
                return;
            }
            let is_asked = Some(i) == newest_user || (is_request && i >= keep_from);
            if !(units[i].fixed || units[i].is_removed() || i == newest || i == last || is_asked) {
                units[i].mark_removed();
                tokens = tokens.saturating_sub(units[i].tokens);
            }
        }
    }
}

/// Whether a turn was cut at a step boundary.
fn stays_in_part(turn: &[Unit]) -> bool {
    turn.iter().any(Unit::is_removed) && turn.iter().any(|unit| !unit.is_removed() && !unit.fixed)
}

/// Whether everything after a turn's user message is folded. Left alone, that message would look unanswered.
fn is_answered_by_fold(turn: &[Unit]) -> bool {
    let mut steps = turn.iter().filter(|u| !u.opens_turn()).peekable();
    steps.peek().is_some() && steps.all(Unit::is_removed)
}

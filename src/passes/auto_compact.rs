use super::options::options;
use super::pass::{Aim, Outcome, Pass};
use crate::compaction::{FoldPlan, Layout, Profile};
use crate::config::size;
use crate::context::{Context, NodeKind, Place, Unit, begin_with_user, is_instruction};
use crate::error::Result;
use crate::message::{ItemType, Message};

/// Earlier summaries are folded into the next one once together they take more than one part in this many of the view's
/// limit.
const SUMMARIES: u64 = 4;

/// No summary is requested for fewer tokens than this.
const LEAST: u64 = 64;

options! {
    /// Folds the turns that [`ShrinkTurns`](super::ShrinkTurns) left out (PASS-5): finished turns without instructions. Earlier
    /// summaries are folded with them once they are large. The summary is a system message `<summary>…</summary>`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct AutoCompact {
        /// If false, what was left out gets no summary.
        "enabled": bool => enabled: bool = true,
    }
}

/// What to fold: what passes have left out, and everything before the last `keep_turns` turns (`None`: nothing of the view).
fn plan(context: &Context, aim: &Aim, keep_turns: Option<u64>) -> Option<FoldPlan> {
    let mut units = context.units();
    let first_message = |unit: &Unit| unit.nodes.first().map(|n| &context.history.node(*n).message);
    let requests: Vec<usize> =
        (0..units.len()).filter(|at| units[*at].stays() && units[*at].opens_turn()).collect();
    let newest_user = requests.last().copied();
    let keep_from = keep_turns.map_or(0, |keep| {
        let kept = &requests[requests.len().saturating_sub(size(keep))..];
        kept.first().copied().unwrap_or(if requests.is_empty() { 0 } else { units.len() })
    });
    let of_a_turn = |unit: &Unit| {
        let is_conversation =
            |message: &Message| !is_instruction(message) && message.item_type() != ItemType::Memory;
        !unit.fixed && !unit.is_fold() && first_message(unit).is_some_and(|message| is_conversation(message))
    };
    for (at, unit) in units.iter_mut().enumerate().take(keep_from) {
        if unit.stays() && of_a_turn(unit) && Some(at) != newest_user {
            unit.mark_removed();
        }
    }
    if Layout::SystemSummary.with_role(aim.summary_role).needs_user_behind() {
        begin_with_user(&mut units, 0);
    }
    let removed_or_hidden =
        |unit: &&Unit| unit.is_removed() || (unit.place == Place::Hidden && of_a_turn(unit));
    let new: Vec<&Unit> = units.iter().filter(removed_or_hidden).collect();
    let taken = |unit: &Unit| unit.tokens + unit.hidden_tokens;
    let new_tokens = new.iter().map(|u| taken(u)).sum::<u64>();
    if new_tokens < LEAST.min(aim.target / 20).max(1) {
        return None;
    }
    let earlier: Vec<&Unit> = units.iter().filter(|u| u.is_fold() && u.stays() && !u.fixed).collect();
    let too_many = earlier.iter().map(|u| u.tokens).sum::<u64>() > aim.limit / SUMMARIES;
    let folded: Vec<&Unit> = earlier.into_iter().filter(|_| too_many).chain(new).collect();
    let members: Vec<_> = folded.iter().flat_map(|u| u.nodes.iter().copied()).collect();
    let is_new = |n| context.history.node(n).kind == NodeKind::Message;
    members.iter().any(|n| is_new(*n)).then(|| FoldPlan {
        tokens: folded.iter().map(|u| u.tokens).sum(),
        hidden_tokens: folded.iter().map(|u| u.hidden_tokens).sum(),
        members,
        hidden_too: true,
        new_tokens,
        cut_within_turn: false,
        layout: Layout::SystemSummary,
        profile: Profile::Default,
        role: aim.summary_role,
        room: None,
        cut: None,
        frame: None,
        max_after: None,
    })
}

impl Pass for AutoCompact {
    fn name(&self) -> &'static str {
        "auto_compact"
    }

    fn wants(&self, context: &Context, aim: &Aim) -> bool {
        self.enabled && aim.auto && context.view.dropped_tokens() > 0 && context.view.tokens() <= aim.limit
    }

    fn run(&self, context: &mut Context, aim: &Aim) -> Result<Outcome> {
        Ok(plan(context, aim, None).map_or(Outcome::Unchanged, |plan| Outcome::Fold(Box::new(plan))))
    }

    fn fold(&self, context: &Context, aim: &Aim, _: bool) -> Option<FoldPlan> {
        plan(context, aim, Some(aim.keep_turns))
    }

    fn layout(&self) -> Option<Layout> {
        Some(Layout::SystemSummary)
    }
}

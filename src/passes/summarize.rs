use serde_json::{Value, json};

use super::options::Options;
use super::pass::{Aim, Outcome, Pass};
use crate::compaction::{FoldPlan, Keep, Layout, Profile, plan};
use crate::config::Keys;
use crate::context::{Context, Slot};
use crate::error::Result;
use crate::even_cut::Share;
use crate::hashing::HashSet;

/// Folds everything but the last turns into a summary (COMP-7). If a single turn is too long, its earlier steps are folded
/// (COMP-7b).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summarize {
    /// How many turns stay whole; `None`: `compaction.retainLastTurns`.
    pub keep_turns: Option<u64>,
    /// Where the summary appears in the view.
    pub layout: Layout,
    /// What the summary should contain.
    pub profile: Profile,
    /// A summary is due above this many tokens; `None`: from limit × `thresholdRatio` on.
    pub threshold_tokens: Option<u64>,
    /// Retained turns stay as they are, however large; otherwise a turn that is too large is folded in part. With
    /// [`Layout::AskAnswerSteps`], a turn is folded in part only if folding the turns before it is not enough or no longer
    /// possible.
    pub whole_turns: bool,
    /// A pass behind it cuts what stays, so only what does not fit even then is folded.
    pub cut_behind: bool,
}

impl Summarize {
    fn plan(&self, context: &Context, aim: &Aim, by_hand: bool) -> Option<FoldPlan> {
        let turns = match self.layout {
            Layout::Replace => 0,
            _ => self.keep_turns.unwrap_or(aim.keep_turns),
        };
        let fill = aim.fill && self.layout != Layout::Replace;
        let ledger = aim.ledger.budget(context, aim.target, aim.limit);
        let hidden_too = self.layout == Layout::Replace;
        let cut_within_turn = !self.whole_turns;
        let role = aim.summary_role;
        let is_even = self.cut_behind && !by_hand && self.layout != Layout::Replace;
        let target = if is_even { aim.target_after_fold } else { aim.target };
        let target = (target < u64::MAX).then_some(target);
        let even =
            is_even.then(|| Share { verbatim: aim.recent_ratio, names: ledger.tokens, ..Share::default() });
        // With any other layout or profile, a sentence on its own would look like somebody's words.
        let is_framed =
            self.profile == Profile::Default && self.layout.with_role(role) == Layout::RetainSummaryTurns;
        let keep = Keep {
            cut_within_turn,
            ledger,
            fill,
            hidden_too,
            min_summary_room: if is_framed { aim.min_summary_room } else { 0 },
            role,
            even,
            limit: aim.limit,
            ..Keep::last(turns, target)
        };
        let whole = Keep { cut_within_turn: false, ..keep };
        let whole_first = self.layout == Layout::AskAnswerSteps && !fill;
        let whole = whole_first.then(|| plan(context, whole, self.layout)).flatten();
        let plan =
            whole.filter(|p| rest(context, p) <= aim.limit).or_else(|| plan(context, keep, self.layout));
        plan.map(|plan| FoldPlan { profile: self.profile, ..plan })
    }
}

/// The view's tokens without what would be folded.
fn rest(context: &Context, plan: &FoldPlan) -> u64 {
    let folded: HashSet<_> = plan.members.iter().collect();
    let folded_tokens: u64 =
        context.view.body().iter().filter(|s| folded.contains(&s.node)).map(Slot::tokens).sum();
    context.view.tokens().saturating_sub(folded_tokens)
}

impl Options for Summarize {
    fn options(&self) -> Value {
        let mut options = json!({
            "layout": self.layout.as_str(),
            "profile": self.profile.as_str(),
            "cutWithinTurn": !self.whole_turns,
        });
        let key = if self.layout == Layout::AskAnswerSteps { "keepSteps" } else { "keepTurns" };
        for (key, value) in [(key, self.keep_turns), ("thresholdTokens", self.threshold_tokens)] {
            if let Some(value) = value {
                options[key] = value.into();
            }
        }
        options
    }

    fn read(keys: &mut Keys<'_>) -> Result<Box<dyn Pass>> {
        let turns = keys.u64_in("keepTurns", ..)?;
        let steps = keys.u64_in("keepSteps", ..)?;
        if turns.is_some() && steps.is_some() {
            return Err(keys.error("keepSteps", "means the same as `keepTurns`; set only one of them"));
        }
        let layout = keys.one_of("layout", &Layout::OPTIONS)?.and_then(Layout::parse).unwrap_or_default();
        if layout == Layout::Replace && turns.or(steps).is_some_and(|n| n > 0) {
            let key = if turns.is_some() { "keepTurns" } else { "keepSteps" };
            return Err(keys.error(key, "the layout \"replace\" keeps no turns; leave it out"));
        }
        Ok(Box::new(Self {
            keep_turns: turns.or(steps),
            layout,
            profile: keys.one_of("profile", &Profile::NAMES)?.and_then(Profile::parse).unwrap_or_default(),
            threshold_tokens: keys.u64_in("thresholdTokens", 1..)?,
            whole_turns: keys.bool("cutWithinTurn")? == Some(false),
            cut_behind: false,
        }))
    }
}

impl Pass for Summarize {
    fn name(&self) -> &'static str {
        "summarize"
    }

    fn wants(&self, context: &Context, aim: &Aim) -> bool {
        let threshold =
            self.threshold_tokens.map_or(aim.threshold, |own| aim.as_counted(own).max(aim.threshold));
        let tokens = context.view.tokens();
        aim.auto && aim.may_fold_automatically(tokens) && Aim { threshold, ..*aim }.is_due(tokens)
    }

    fn run(&self, context: &mut Context, aim: &Aim) -> Result<Outcome> {
        let plan = self.plan(context, aim, false).filter(|plan| aim.is_worth(context, plan));
        Ok(plan.map_or(Outcome::Unchanged, |plan| Outcome::Fold(Box::new(plan))))
    }

    fn fold(&self, context: &Context, aim: &Aim, by_hand: bool) -> Option<FoldPlan> {
        self.plan(context, aim, by_hand)
    }

    fn layout(&self) -> Option<Layout> {
        Some(self.layout)
    }

    fn set_neighbours(&mut self, _: &[Box<dyn Pass>], behind: &[Box<dyn Pass>]) {
        self.cut_behind = behind.iter().any(|pass| pass.cuts_evenly());
    }

    fn threshold(&self) -> Option<u64> {
        self.threshold_tokens.map(|tokens| tokens.saturating_add(1))
    }
}

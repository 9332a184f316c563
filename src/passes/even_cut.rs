use super::options::Options;
use super::pass::{Aim, Outcome, Pass};
use crate::context::{Context, Form, Slot};
use crate::error::Result;
use crate::even_cut::{Cut, Level, Names, Share, Steps, can_be_cut, cut_slot, uncut};
use crate::sorting::sort_by_key;

/// How many levels are tried: sizes are estimated first, and counted only once the texts are cut.
const TRIES: u32 = 4;

/// A view is full enough once it takes this share of its target.
const FULL: f64 = 0.97;

/// Keeps older steps in the view with their long texts cut to one level (COMP-25): the largest level with which the view
/// stays within its target. The newest steps stay whole. Cut texts come back when there is room again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EvenCut;

impl Options for EvenCut {}

impl Pass for EvenCut {
    fn name(&self) -> &'static str {
        "even_cut"
    }

    fn wants(&self, context: &Context, aim: &Aim) -> bool {
        is_due(context, aim) || context.view.is_cut_for_less(aim.target)
    }

    fn run(&self, context: &mut Context, aim: &Aim) -> Result<Outcome> {
        // If the view need not become smaller and no fold made room, cut texts may come back, but nothing else is cut.
        let (is_due, is_new) = (is_due(context, aim), context.view.is_recut_requested());
        let cuts = is_due || is_new;
        let is_sent = is_due && !is_new && !aim.is_cold && !aim.fill;
        let mut steps = if is_sent { Steps::as_sent(context) } else { Steps::of(context) };
        let before = context.view.tokens();
        let current = if cuts { 0 } else { before };
        let target = if is_new { aim.target_after_fold } else { aim.target };
        let target = steps.target(target, aim.limit).max(current);
        // The ledgers of folds and the names in marks share one budget.
        let carried: u64 = context.view.body().iter().map(|slot| slot.tally.ledger()).sum();
        let names = aim.ledger.budget(context, aim.target, aim.limit).names.saturating_sub(carried);
        let share = Share { verbatim: aim.recent_ratio, names, ..Share::default() };
        let least = |whole| Cut { whole, level: Level::LEAST };
        // A fold is planned by estimates. If they were slightly off, fewer steps stay whole, and as well where texts come back but not all
        // steps that would be whole have room. Otherwise the newest steps stay whole as far as there is room even if not even the smallest
        // level fits: a fold follows once enough is new.
        let may_cut_more = is_new || !cuts;
        let fewer_whole =
            || may_cut_more.then(|| steps.cut_with_fewer_whole(context, target, share)).flatten();
        let cut = steps.cut(context, target, share).or_else(fewer_whole);
        let mut cut = cut.unwrap_or_else(|| least(steps.newest_whole(target, share)));
        let mut shown = within(context, &steps, &cut, names, (target, aim.limit));
        // If the view is still too large, only what has to stay whole stays whole; everything else is cut again to the
        // smallest level.
        if shown.tokens > aim.limit {
            steps.forget_what_was_sent();
            cut = least((0..steps.units().len()).map(|at| steps.is_fixed(at)).collect());
            shown = within(context, &steps, &cut, names, (target, aim.limit));
        }
        let over = shown.tokens.saturating_sub(target);
        if over > 0
            && !cuts
            && let Some(fewer) = steps.cut_with_fewer_whole(context, target.saturating_sub(over), share)
        {
            shown = within(context, &steps, &fewer, names, (target, aim.limit));
        }
        if shown.tokens > target {
            shown.leave_out_what_grows(context, &steps);
        }
        bring_back(context, &steps, &mut shown, target);
        if !cuts && shown.tokens < current {
            shown.slots.clear();
        }
        let level = shown.level.tokens();
        let (changed, remain_cut) = show(context, shown);
        let items = changed.iter().map(|slot| slot.node).collect();
        if is_new {
            context.remember_before_fold(changed);
        }
        context.view.set_cut_to(remain_cut.then_some(aim.target));
        let why = match (context.view.tokens() > before, remain_cut) {
            (false, _) => format!("in older steps, texts over {level} tokens keep only their head and tail"),
            (true, true) => {
                format!("there is room again: in older steps, only texts over {level} tokens are still cut")
            }
            (true, false) => "there is room again: no text of older steps is cut any more".to_owned(),
        };
        Ok(Outcome::changed(items, why))
    }

    fn cuts_evenly(&self) -> bool {
        true
    }
}

/// Whether the view has to become smaller, unless it is at rest because the user undid a fold by hand.
fn is_due(context: &Context, aim: &Aim) -> bool {
    let tokens = context.view.tokens();
    aim.is_due(tokens) && aim.may_fold_automatically(tokens)
}

/// A view's body at one level.
struct Shown {
    /// The level that texts are cut to.
    level: Level,
    /// The slots that differ from the view's, with their body positions, including those that become whole again.
    slots: Vec<(usize, Slot)>,
    tokens: u64,
}

impl Shown {
    /// A message that was already cut shorter than any level would cut it stays that way if there is no room for more.
    fn leave_out_what_grows(&mut self, context: &Context, steps: &Steps) {
        let body = context.view.body();
        self.slots.retain(|(at, slot)| {
            let current = body[*at].tokens();
            let grows = slot.tokens() > current && !steps.opening_body().contains(at);
            self.tokens -= if grows { slot.tokens() - current } else { 0 };
            !grows
        });
    }
}

/// The view with as many of the `names` tokens of names as fit.
fn within(context: &Context, steps: &Steps, cut: &Cut, names: u64, (target, limit): (u64, u64)) -> Shown {
    let mut shown = best(context, steps, cut, names, target);
    for fewer in [names.saturating_sub(2 * shown.tokens.saturating_sub(limit)), 0] {
        if shown.tokens > limit && fewer < names {
            shown = best(context, steps, cut, fewer, target);
        }
    }
    shown
}

/// The view at the level whose counted tokens come nearest to the target without exceeding it.
fn best(context: &Context, steps: &Steps, cut: &Cut, names: u64, target: u64) -> Shown {
    let facts = context.facts();
    let (mut level, mut fitting, mut too_long) = (cut.level, None, None);
    let mut best: Option<Shown> = None;
    for _ in 0..TRIES {
        let mut recorded = Names::new(&facts, names);
        let shown = at_level(context, steps, &cut.whole, level, &mut recorded);
        let (tokens, fits) = (shown.tokens, shown.tokens <= target);
        let is_better = best.as_ref().is_none_or(|best| {
            if fits { best.tokens > target || tokens > best.tokens } else { tokens < best.tokens }
        });
        let nothing_is_cut = shown.slots.iter().all(|(_, slot)| slot.form != Form::Shortened);
        if is_better {
            best = Some(shown);
        }
        *(if fits { &mut fitting } else { &mut too_long }) = Some(level);
        let is_full = fits && tokens as f64 >= target as f64 * FULL;
        let next = steps.corrected_level(&cut.whole, level, tokens, target);
        let is_tried = fitting.is_some_and(|fits| next <= fits) || too_long.is_some_and(|long| next >= long);
        if is_full || nothing_is_cut || is_tried {
            break;
        }
        level = next;
    }
    best.unwrap_or(Shown { level, slots: Vec::new(), tokens: context.view.tokens() })
}

/// Brings back messages that have to stay and were cut as a last resort, newest first, while there is room.
fn bring_back(context: &Context, steps: &Steps, shown: &mut Shown, target: u64) {
    for at in (0..steps.units().len()).rev().filter(|at| steps.is_fixed(*at)) {
        for place in steps.body(at).rev() {
            let current = &context.view.body()[place];
            let is_fold = context.history.node(current.node).is_fold();
            let may_come_back = is_fold || can_be_cut(context, current);
            let Some(whole) = uncut(context, current).filter(|_| may_come_back) else { continue };
            let tokens = shown.tokens.saturating_sub(current.tokens()) + whole.tokens();
            if tokens <= target {
                shown.tokens = tokens;
                shown.slots.push((place, whole));
            }
        }
    }
    sort_by_key(&mut shown.slots, |(place, _)| std::cmp::Reverse(*place));
}

fn at_level(context: &Context, steps: &Steps, whole: &[bool], level: Level, names: &mut Names<'_>) -> Shown {
    let body = context.view.body();
    steps.record_whole(context, whole, names);
    steps.record_cut(context, whole, level, names);
    let mut shown = Shown { level, slots: Vec::new(), tokens: context.view.fixed_tokens() };
    for at in (0..whole.len()).rev() {
        for place in steps.body(at).rev() {
            let current = &body[place];
            let stays = steps.is_fixed(at) || !whole[at] && steps.keeps_earlier_cut(at, level);
            let other = if stays || !can_be_cut(context, current) {
                None
            } else {
                let back = uncut(context, current);
                let opens_turn = steps.opens_running_turn(at);
                let uncut = back.as_ref().unwrap_or(current);
                let cut = (!whole[at]).then(|| cut_slot(context, uncut, level, opens_turn, names));
                cut.flatten().or(back)
            };
            shown.tokens += other.as_ref().unwrap_or(current).tokens();
            shown.slots.extend(other.map(|slot| (place, slot)));
        }
    }
    shown
}

/// Applies it to the view. Returns the messages that changed, as they were, and whether anything is cut.
fn show(context: &mut Context, shown: Shown) -> (Vec<Slot>, bool) {
    let mut before = Vec::new();
    for (at, slot) in shown.slots.into_iter().rev() {
        let current = &context.view.body()[at];
        if current.form == slot.form && *current.message == *slot.message {
            continue;
        }
        before.push(current.clone());
        if slot.form == Form::Shortened {
            let of = context.history.node(slot.node).tally.total();
            context.note_left_out(slot.node, format!("cut to {} of {of} tokens", slot.tokens()), None);
        }
        context.view.replace(at, slot.message, slot.tally, slot.form);
    }
    let is_cut = |slot: &Slot| slot.form == Form::Shortened && !context.history.is_away(slot.node);
    (before, context.view.body().iter().any(is_cut))
}

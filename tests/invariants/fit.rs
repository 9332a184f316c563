//! INV-3, INV-7 and INV-8: a prepared view fits, preparing again does nothing, and a compaction makes the view smaller.

use contextfold::ErrorCode;
use contextfold::session::{Decision, Fit, NodeIndex, NodeKind};

use super::generate::Op;
use super::world::{Came, Frozen, Happened, World};

pub fn a_prepared_view_fits(world: &mut World, happened: &Happened) {
    match &happened.came {
        Came::Done { report, prepared: true, .. } => {
            if let Some(most) = World::most(report) {
                assert!(world.session.tokens() <= most, "{} tokens, at most {most}", world.session.tokens());
            }
        }
        Came::Refused { error, .. } if !matches!(happened.op, Op::Broken(_)) => {
            let report = world.session.report().expect("a run that failed has a report");
            let known = [
                ErrorCode::BudgetImpossible,
                ErrorCode::ContextWindowExceeded,
                ErrorCode::SummaryEmpty,
                ErrorCode::SummaryTruncated,
                ErrorCode::SummaryNotSmaller,
                ErrorCode::SummaryInvalid,
                ErrorCode::SummaryFailed,
                ErrorCode::StalePlan,
                ErrorCode::Aborted,
            ];
            assert!(known.contains(&error.code()), "{error}");
            let in_a_row = matches!(happened.op, Op::TooMany(_))
                || matches!(happened.op, Op::Recover { .. }) && error.message().contains("in a row");
            if !in_a_row
                && matches!(error.code(), ErrorCode::BudgetImpossible | ErrorCode::ContextWindowExceeded)
            {
                let most = World::most(report).expect("nothing is enforced without a limit");
                assert!(happened.before.tokens > most, "{error}");
            }
        }
        _ => {}
    }
}

pub fn preparing_again_changes_nothing(world: &mut World, happened: &Happened) {
    if !matches!(happened.came, Came::Done { prepared: true, .. }) {
        return;
    }
    // A copy, because the original would apply a background summary that has become ready.
    let mut session = world.session.clone();
    let before = Frozen::of(&session);
    match session.prepare() {
        Ok(Fit::Done(report)) => {
            assert!(report.decisions.is_empty(), "{:?}", report.decisions);
            assert!(report.left_out.is_empty(), "{:?}", report.left_out);
            assert_eq!(report.tokens_before, report.tokens_after);
            assert_eq!(report.stable_prefix_tokens, report.tokens_after);
        }
        Ok(Fit::NeedsSummary(_)) => panic!("it asks for a summary again, without a new message"),
        Err(error) => panic!("{error}"),
    }
    assert!(before == Frozen::of(&session));
}

fn brings_back(decision: &Decision) -> bool {
    matches!(&*decision.pass, "even_cut" | "bring_back") && decision.tokens_after > decision.tokens_before
}

pub fn a_compaction_makes_smaller(world: &mut World, happened: &Happened) {
    let Came::Done { report, prepared, pushed_meanwhile } = &happened.came else { return };
    // A rolling summary may cover messages that had already left the view. Then the view grows by the summary, which is smaller than
    // the messages it covers.
    // The same holds for messages that shrinking dropped before a summary was requested.
    let covers_hidden = |pass: &str| ["rolling_summary", "auto_compact"].contains(&pass);
    let folding = world.session.config().ladder.passes().iter().find(|p| p.folds()).map(|p| p.name());
    let has_folds = !world.session.context().folds.is_empty();
    let by_hand =
        !prepared && folding.is_some_and(covers_hidden) && !report.decisions.is_empty() && has_folds;
    let rolls = by_hand || report.decisions.iter().any(|d| covers_hidden(&d.pass) && !d.items.is_empty());
    // A rewind while a later summary was pending may have removed all of them.
    if let Some(state) = world.session.context().summary_state(false).filter(|_| rolls) {
        // Placeholders for missing outputs were part of it.
        let context = world.session.context();
        let stood_in: u64 = context
            .folds
            .iter()
            .flat_map(|f| &f.members)
            .map(|n| context.history.node(*n))
            .filter(|n| n.kind == NodeKind::StandIn)
            .map(|n| n.tally.total())
            .sum();
        // A cut output's notice may take more than was cut off: each long line is cut, however little that saves (CACHE-3).
        let altered = context.folds.iter().flat_map(|f| &f.altered).map(|placed| &placed.slot);
        let notices: u64 = altered
            .map(|slot| slot.tokens().saturating_sub(context.history.node(slot.node).tally.total()))
            .sum();
        // A pin may have taken messages out of a summary that is now folded unchanged.
        let total = |n: &NodeIndex| context.history.node(*n).tally.total();
        let members: u64 = context.folds.last().map_or(0, |f| f.members.iter().map(total).sum());
        let most = members.max(state.original_tokens + stood_in + notices);
        assert!(state.summary_tokens < most, "{state:?}");
    }
    // A summary that replaces the conversation also covers messages that passes left out of the view.
    let context = world.session.context();
    let covers_more = |d: &Decision| {
        let fold = context.fold_infos().into_iter().rfind(|f| !d.items.is_empty() && d.items == f.items);
        let pushed = |id: &String| context.history.node(context.history.require(id).unwrap()).tally.total();
        d.pass == "summarize"
            && d.tokens_after >= d.tokens_before
            && fold
                .is_some_and(|f| f.tokens_folded <= f.tokens && f.tokens < f.items.iter().map(pushed).sum())
    };
    let rolls = rolls || report.decisions.iter().any(covers_more);
    for decision in report.decisions.iter().filter(|d| !by_hand && !covers_hidden(&d.pass) && !covers_more(d))
    {
        // Cut messages are whole again if a fold has made room for them.
        if brings_back(decision) {
            let fits = World::most(report).is_none_or(|most| decision.tokens_after <= most);
            // Later passes remove again what still does not fit.
            assert!(fits || decision.pass == "bring_back", "{decision:?}");
            continue;
        }
        assert!(decision.tokens_after <= decision.tokens_before, "{decision:?}");
        // A failed summary changes nothing, and the run continued without it.
        let failed = decision.items.is_empty() && decision.why.contains("SUMMARY_");
        let dropped = decision.why.contains("was dropped");
        if decision.pass == "summarize" && !failed && !dropped {
            assert!(
                decision.tokens_after < decision.tokens_before && !decision.items.is_empty(),
                "{decision:?}"
            );
        }
    }
    if rolls || report.decisions.iter().any(brings_back) {
        return;
    }
    if !pushed_meanwhile {
        assert!(world.session.tokens() <= happened.before.tokens);
    }
    // The same holds for context parts that were set while a summary was pending.
    let grew = report.decisions.iter().any(|d| d.tokens_before > report.tokens_before);
    assert!(report.tokens_after <= report.tokens_before || *pushed_meanwhile || grew, "{report:?}");
}

#[test]
fn inv_3_a_prepared_view_fits_or_an_error_says_why() {
    super::always(a_prepared_view_fits);
}

#[test]
fn inv_7_preparing_again_changes_nothing() {
    super::always(preparing_again_changes_nothing);
}

#[test]
fn inv_8_a_compaction_makes_the_view_smaller() {
    super::always(a_compaction_makes_smaller);
}

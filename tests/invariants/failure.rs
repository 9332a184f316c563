//! INV-4: a failed operation leaves the session unchanged; a run that waits for a summary has changed nothing yet.

use contextfold::session::Decision;

use super::generate::Op;
use super::world::{Came, Frozen, Happened, World};

/// Whether a failed run had already accepted a summary and says so in its report.
fn put_in_a_fold(world: &World, happened: &Happened) -> bool {
    let context = world.session.context();
    let newest = context.fold_infos().pop().map(|fold| fold.items);
    let told = |d: &Decision| newest.as_ref().is_some_and(|items| d.items == *items);
    context.folds != happened.before.folds
        && world.session.report().is_some_and(|r| r.decisions.iter().any(told))
}

pub fn failures_change_nothing(world: &mut World, happened: &Happened) {
    if matches!(happened.op, Op::TooMany(_)) {
        return; // the learnt limit stays, and what is too large leaves at once
    }
    let same = match &happened.came {
        // a ladder with two folding passes: the first summary was accepted
        Came::Asked => happened.before.folds == world.session.context().folds,
        // the summary was accepted; a later step failed
        Came::Refused { .. } => !put_in_a_fold(world, happened),
        _ => false,
    };
    if !same {
        return;
    }
    let mut after = Frozen::of(&world.session);
    if matches!(happened.op, Op::Recover { .. }) {
        after.should_compact = happened.before.should_compact; // the learnt limit stays
    }
    assert_eq!(happened.before.view, after.view);
    assert!(happened.before == after, "before: {:?}\nafter: {after:?}", happened.before);
}

#[test]
fn inv_4_a_failed_operation_changes_nothing() {
    super::always(failures_change_nothing);
}

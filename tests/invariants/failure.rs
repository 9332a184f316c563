//! INV-4: what fails leaves the session as it was; what waits for a summary has changed nothing yet.

use contextfold::context::Decision;

use super::generate::Op;
use super::world::{Came, Frozen, Happened, World};

/// A run that failed accepted a summary before, and its report says so.
fn put_in_a_fold(world: &World, happened: &Happened) -> bool {
    let context = world.session.context();
    let newest = context.fold_infos().pop().map(|fold| fold.items);
    let told = |d: &Decision| newest.as_ref().is_some_and(|items| d.items == *items);
    context.folds != happened.before.folds
        && world.session.report().is_some_and(|r| r.decisions.iter().any(told))
}

pub fn failures_change_nothing(world: &mut World, happened: &Happened) {
    if matches!(happened.op, Op::TooMany(_)) {
        return; // what it teaches holds, and what is too much leaves at once
    }
    let same = match &happened.came {
        // a ladder with two passes that fold: the first summary was good
        Came::Asked => happened.before.folds == world.session.context().folds,
        // the summary was good; what failed is what came after it
        Came::Refused { .. } => !put_in_a_fold(world, happened),
        _ => false,
    };
    if !same {
        return;
    }
    let mut after = Frozen::of(&world.session);
    if matches!(happened.op, Op::Recover { .. }) {
        after.should_compact = happened.before.should_compact; // what a refusal teaches holds
    }
    assert_eq!(happened.before.view, after.view);
    assert!(happened.before == after, "before: {:?}\nafter: {after:?}", happened.before);
}

#[test]
fn inv_4_a_failed_operation_changes_nothing() {
    super::always(failures_change_nothing);
}

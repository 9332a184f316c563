//! INV-4: what fails leaves the session as it was; what waits for a summary has changed nothing yet.

use contextfold::ErrorCode;

use super::generate::Op;
use super::world::{Came, Frozen, Happened, World};

pub fn failures_change_nothing(world: &mut World, happened: &Happened) {
    let same = match &happened.came {
        // a ladder with two passes that fold: the first summary was good
        Came::Asked => happened.before.folds == world.session.context().folds,
        // the summary was good; what failed is what came after it
        Came::Refused { error, .. } => {
            error.code() != ErrorCode::ContextWindowExceeded
                || happened.before.folds == world.session.context().folds
        }
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
fn inv_4_what_fails_changes_nothing() {
    super::always(failures_change_nothing);
}

//! INV-4: what fails leaves the session as it was; what waits for a summary has changed nothing yet.

use contextfold::ErrorCode;

use super::world::{Came, Frozen, Happened, World};

fn failures_change_nothing(world: &mut World, happened: &Happened) {
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
    let after = Frozen::of(&world.session);
    assert_eq!(happened.before.view, after.view);
    assert!(happened.before == after, "before: {:?}\nafter: {after:?}", happened.before);
}

#[test]
fn inv_4_what_fails_changes_nothing() {
    super::always(failures_change_nothing);
}

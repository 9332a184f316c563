//! Options that change during a script: each invariant holds under the current options (COMP-22).

use super::generate::{Op, Script, script_with_options};
use super::world::{self, Came, Frozen, Happened, World};
use super::{account, fit, shape};

fn always(check: impl Fn(&mut World, &Happened)) {
    let property = |script: Script| {
        world::run(&script, &check);
        Ok(())
    };
    let mut runner = proptest::test_runner::TestRunner::new(super::config());
    if let Err(failed) = runner.run(&script_with_options(), property) {
        panic!("{failed}");
    }
}

#[test]
fn tokens_add_up_after_a_recount() {
    always(account::tokens_add_up);
}

#[test]
fn nothing_is_lost_and_every_change_is_reported() {
    always(|world, happened| {
        account::nothing_is_lost(world, happened);
        account::what_is_not_whole_had_a_line(world, happened);
    });
}

#[test]
fn views_stay_valid_and_header_and_newest_user_message_stay() {
    always(|world, happened| {
        shape::views_are_valid(world, happened);
        shape::header_and_newest_user_are_there(world, happened);
    });
}

#[test]
fn a_prepared_view_fits_the_current_limit() {
    always(|world, happened| {
        if matches!(happened.op, Op::SetOptions(_)) {
            return;
        }
        if let Came::Done { report, .. } = &happened.came {
            assert_eq!(report.limit, world.session.config().limit);
        }
        fit::a_prepared_view_fits(world, happened);
        fit::preparing_again_changes_nothing(world, happened);
    });
}

#[test]
fn refused_options_change_nothing_and_accepted_ones_apply_at_once() {
    always(|world, happened| {
        let Op::SetOptions(changes) = &happened.op else { return };
        let config = world.session.config();
        if matches!(happened.came, Came::Refused { .. }) {
            assert!(Frozen::of(&world.session) == happened.before);
        } else if let Some(ladder) = changes.get("ladder") {
            assert_eq!(config.ladder.name, ladder.as_str());
        } else if let Some(window) = changes.get("contextWindow") {
            assert_eq!(config.window, window.as_u64());
        }
    });
}

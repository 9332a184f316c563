//! Every operation at every await of every kind of fold, in every order, with every kind of answer.

use serde_json::{Value, json};

use super::explorer::{Choices, explore};
use super::world::{ANSWERS, Goal, OPERATIONS, World};

/// A path's goal and the options of its session.
struct Setup {
    goal: Goal,
    options: Value,
}

/// The size of a path.
#[derive(Clone, Copy)]
struct Bounds {
    operations: usize,
    /// The number of awaits, from the first on, at which operations happen.
    awaits: usize,
    /// The number of unusable answers; after them, good answers end the path.
    most_bad: usize,
}

/// One path: at each await some operations, then an answer.
fn path(choices: &mut Choices, setup: &Setup, bounds: Bounds) {
    let Bounds { mut operations, mut awaits, most_bad } = bounds;
    let mut world = World::new(&setup.options);
    world.begin(setup.goal);
    let mut planned = matches!(setup.goal, Goal::Plan);
    assert!(planned || world.waits() > 0, "it must ask");
    let mut bad = 0;
    while planned || world.waits() > 0 {
        while operations > 0 && awaits > 0 {
            let operation = choices.choose(OPERATIONS.len() + 1);
            if operation == OPERATIONS.len() {
                break;
            }
            operations -= 1;
            world.operate(operation);
            if choices.is_new() {
                world.check();
            }
        }
        awaits = awaits.saturating_sub(1);
        if std::mem::take(&mut planned) {
            world.apply();
        } else {
            let newest = world.waits() > 1 && choices.choose(2) == 1;
            let answer = if bad < most_bad { choices.choose(ANSWERS.len()) } else { 0 };
            bad += usize::from(answer != 0);
            world.answer(newest, answer, choices.is_new());
        }
        if choices.is_new() {
            world.check();
        }
    }
    world.end();
    world.check();
}

/// All paths of up to `most` operations. Paths of two have both at the first await, and good answers. If `CONTEXTFOLD_DEPTH` sets
/// the number of operations, they happen at all awaits, with one unusable answer.
fn paths(name: &str, setup: &Setup, most: usize) {
    let depth: Option<usize> = std::env::var("CONTEXTFOLD_DEPTH").ok().and_then(|n| n.parse().ok());
    let mut all = 0;
    for operations in 0..=depth.unwrap_or(most) {
        let (awaits, most_bad) = match operations {
            0 => (0, 3),
            1 => (usize::MAX, 1),
            _ if depth.is_some() => (usize::MAX, 1),
            _ => (1, 0),
        };
        let bounds = Bounds { operations, awaits, most_bad };
        let paths = explore(|choices| {
            let run = std::panic::AssertUnwindSafe(|| path(choices, setup, bounds));
            if let Err(thrown) = std::panic::catch_unwind(run) {
                println!("{name}: {:?}", choices.taken());
                std::panic::resume_unwind(thrown);
            }
        });
        println!("{name}: {paths} paths of {operations} operations");
        all += paths;
    }
    assert!(all > 500, "{all} paths");
}

fn small() -> Value {
    json!({ "maxAttempts": 2, "ledgerTokens": 60 })
}

#[test]
fn nothing_is_lost_in_any_order_during_a_compaction() {
    let options = json!({ "contextWindow": 100_000, "safetyMargin": 0, "compaction": small() });
    paths("compact", &Setup { goal: Goal::Compact, options }, 2);
}

#[test]
fn nothing_is_lost_in_any_order_during_a_prepare() {
    let options = json!({ "contextWindow": 330, "safetyMargin": 0, "compaction": small() });
    paths("prepare", &Setup { goal: Goal::Prepare, options }, 2);
}

#[test]
fn nothing_is_lost_in_any_order_with_the_extractive_fallback() {
    let options = json!({
        "contextWindow": 330, "safetyMargin": 0, "toolOutputCache": { "contextBudgetTokens": 200 },
        "compaction": { "maxAttempts": 1, "onFailure": "extractive" }
    });
    paths("prepare, with a stand-in", &Setup { goal: Goal::Prepare, options }, 1);
}

#[test]
fn nothing_is_lost_in_any_order_during_a_background_summary() {
    let options = json!({
        "contextWindow": 900, "safetyMargin": 0,
        "compaction": { "maxAttempts": 2, "ledgerTokens": 60, "background": { "atRatio": 0.4 } }
    });
    paths("background", &Setup { goal: Goal::Background, options }, 2);
}

#[test]
fn nothing_is_lost_in_any_order_between_a_plan_and_its_summary() {
    let options = json!({ "contextWindow": 100_000, "safetyMargin": 0, "compaction": small() });
    paths("plan", &Setup { goal: Goal::Plan, options }, 2);
}

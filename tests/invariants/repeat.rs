//! INV-6: the same script gives the same bytes.

use contextfold::message::{Format, Message};
use contextfold::provider::provider;

use super::generate::Script;
use super::world::{self, Came};

/// Everything that a session returns, operation by operation.
fn transcript(script: &Script) -> Vec<String> {
    let mut out = Vec::new();
    let mut world = world::run(script, |world, happened| {
        let view = world.session.context().view_messages();
        let view: Vec<&Message> = view.iter().map(|m| &**m).collect();
        let came = match &happened.came {
            Came::Nothing => "nothing".to_owned(),
            Came::Taken => "taken".to_owned(),
            Came::Asked => format!("{:?}", world.requests().collect::<Vec<_>>()),
            Came::Done { report, .. } => format!("{report:?}"),
            Came::Refused { error, .. } => format!("{error} {:?}", world.session.report()),
        };
        out.push(came);
        out.push(format!("{:?}", provider(Format::Messages).write(&view)));
        out.push(format!("{:?} {:?}", world.session.context().items(), world.session.context().fold_infos()));
    });
    out.push(format!("{:?}", world.session.take_events()));
    out
}

#[test]
fn inv_6_the_same_script_gives_the_same_results() {
    let property = |script: Script| {
        let (once, twice) = (transcript(&script), transcript(&script));
        for (a, b) in once.iter().zip(&twice) {
            assert_eq!(a, b);
        }
        Ok(())
    };
    if let Err(failed) =
        proptest::test_runner::TestRunner::new(super::config()).run(&super::generate::script(), property)
    {
        panic!("{failed}");
    }
}

//! API-5: a session restored from a snapshot continues like the saved one.

use contextfold::ErrorCode;
use contextfold::session::Session;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{TestCaseError, TestRunner};

use super::generate::{Op, Script, script};
use super::world::{Frozen, World};

fn restored(bytes: &[u8], script: &Script) -> contextfold::Result<Session> {
    Session::restore(bytes, None, |_| Ok(script.counting.counter())).map(|restored| restored.session)
}

pub fn check<T: std::fmt::Debug>(
    strategy: impl Strategy<Value = T>,
    property: impl Fn(T) -> Result<(), TestCaseError>,
) {
    if let Err(failed) = TestRunner::new(super::config()).run(&strategy, property) {
        panic!("{failed}");
    }
}

#[test]
fn a_restored_session_continues_like_the_saved_one() {
    check((script(), any::<Index>()), |(script, at)| {
        let (before, after) = script.ops.split_at(at.index(script.ops.len()));
        let (mut saved, mut again) = (World::new(&script), World::new(&script));
        for op in before {
            saved.step(op);
            again.step(op);
        }
        // Pending requests belong to the saved session, and a restored branch does not know its parent.
        saved.forget_all();
        again.forget_all();
        let bytes = saved.session.snapshot(b"host");
        let restored = Session::restore(&bytes, None, |_| Ok(script.counting.counter())).unwrap();
        prop_assert_eq!(restored.host, [b"host".to_vec()]);
        prop_assert!(!restored.counted_otherwise);
        again.session = restored.session;
        prop_assert!(again.session.snapshot(b"host") == bytes, "the same session, other bytes");
        prop_assert_eq!(Frozen::of(&saved.session), Frozen::of(&again.session));
        for op in after {
            // The report of a failed run is not in a snapshot. After a return to the parent, the report is the parent's.
            let goes_back = matches!(op, Op::Merge { .. });
            let told = [&saved, &again].map(|world| world.session.report().cloned());
            saved.step(op);
            again.step(op);
            prop_assert_eq!(Frozen::of(&saved.session), Frozen::of(&again.session), "after {:?}", op);
            let tell = [&saved, &again].map(|world| world.session.report().cloned());
            prop_assert!(goes_back || tell == told || tell[0] == tell[1], "after {:?}: {:?}", op, tell);
            prop_assert!(saved.session.snapshot(b"") == again.session.snapshot(b""), "after {:?}", op);
        }
        Ok(())
    });
}

#[test]
fn damaged_bytes_are_refused() {
    check((script(), any::<Index>(), any::<u8>(), any::<bool>()), |(script, at, with, cut)| {
        let world = super::world::run(&script, |_, _| {});
        let mut bytes = world.session.snapshot(b"");
        let at = at.index(bytes.len());
        if cut {
            bytes.truncate(at);
        } else if bytes[at] == with {
            return Ok(());
        } else {
            bytes[at] = with;
        }
        let Err(error) = restored(&bytes, &script) else { panic!("taken for a session") };
        prop_assert!(
            matches!(error.code(), ErrorCode::SnapshotInvalid | ErrorCode::SnapshotTooNew),
            "{}",
            error
        );
        Ok(())
    });
}

/// The first line describes the rest. Bytes that look like a snapshot but are invalid give an error or a session.
#[test]
fn invalid_content_with_a_valid_checksum_never_panics() {
    let changes = prop::collection::vec((any::<Index>(), any::<u8>()), 1..4);
    check((script(), changes), |(script, changes)| {
        let world = super::world::run(&script, |_, _| {});
        let bytes = world.session.snapshot(b"");
        let body = bytes.iter().position(|b| *b == b'\n').unwrap() + 1;
        let mut body = bytes[body..].to_vec();
        for (at, with) in changes {
            let at = at.index(body.len());
            body[at] = with;
        }
        let bytes = contextfold::session::SESSION.framed(&body);
        if let Ok(mut session) = restored(&bytes, &script) {
            session.context().items();
            session.context().fold_infos();
            session.context().summary_state(false);
            let again = session.snapshot(b"");
            restored(&again, &script).unwrap();
            let _ = session.prepare();
        }
        Ok(())
    });
}

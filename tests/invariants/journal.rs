//! A session is its snapshot and the records of its journal: replayed, they give what was saved.

use contextfold::compaction::Redact;
use contextfold::saved::Records;
use contextfold::session::{Restored, Session};
use contextfold::tokens::Counter;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestCaseError;

use super::generate::{Op, Script, script_with_options, wild};
use super::restore::check;
use super::world::{Frozen, World};

const BEGIN: u64 = 7_000;

/// A snapshot, and the records behind it.
pub struct Journal {
    snapshot: Vec<u8>,
    position: u64,
    records: Vec<u8>,
}

impl Journal {
    pub fn begin(session: &mut Session) -> Self {
        let snapshot = session.snapshot(b"");
        session.begin_journal(BEGIN);
        Self { snapshot, position: BEGIN, records: Vec::new() }
    }

    /// Appends what is new.
    pub fn save(&mut self, session: &mut Session) {
        let position = session.journal_position(BEGIN, |_| Vec::new());
        let new = session.records_since(self.position).expect("the newest record is kept");
        assert_eq!(new.is_empty(), position == self.position);
        self.records.extend(new);
        self.position = position;
    }

    pub fn replay(&self, redact: Option<Redact>, counter: &Counter) -> contextfold::Result<Restored> {
        let records = Records::read(&self.records)?;
        assert!(!records.torn);
        let counter = |_: &str| Ok(counter.clone());
        Session::restore_with(&self.snapshot, Some(BEGIN), &records.whole, redact, counter)
    }
}

/// Whether the world may go on with another session then, whose journal begins anew.
fn may_be_another(op: &Op) -> bool {
    matches!(op, Op::Fork(_) | Op::Merge { .. } | Op::SaveAndLoad)
}

fn replays(script: &Script, at: Index) -> Result<(), TestCaseError> {
    let (before, after) = script.ops.split_at(at.index(script.ops.len()));
    let mut world = World::new(script);
    for op in before {
        world.step(op);
    }
    let mut journal = Journal::begin(&mut world.session);
    // A view that was only looked at makes no record: the next one tells of it.
    let mut looked = false;
    for op in after {
        world.step(op);
        if may_be_another(op) {
            journal = Journal::begin(&mut world.session);
            looked = false;
            continue;
        }
        let before = journal.position;
        journal.save(&mut world.session);
        looked = (looked || matches!(op, Op::Read)) && journal.position == before;
        let replayed = journal.replay(world.redact.clone(), &world.counter);
        let replayed = replayed.map_err(|error| TestCaseError::fail(format!("after {op:?}: {error}")))?;
        prop_assert_eq!(replayed.session.saved_position(), journal.position);
        prop_assert_eq!(Frozen::of(&replayed.session), Frozen::of(&world.session), "after {:?}", op);
        let same = replayed.session.content() == world.session.content();
        prop_assert!(same || looked, "other content after {:?}", op);
    }
    Ok(())
}

#[test]
fn a_replayed_journal_gives_the_session_that_was_saved() {
    check((script_with_options(), any::<Index>()), |(script, at)| replays(&script, at));
    check((wild(), any::<Index>()), |(script, at)| replays(&script, at));
}

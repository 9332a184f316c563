//! A session is its snapshot plus the records of its journal: replaying them gives the saved session.

use contextfold::session::{Records, Redact, Restored, Session};
use contextfold::tokens::Counter;
use proptest::prelude::*;
use proptest::sample::Index;

use super::generate::{Op, Script, script_with_options, wild};
use super::restore::check;
use super::world::{Frozen, World};

const BEGIN: u64 = 7_000;

/// A snapshot, and the records after it.
pub struct Journal {
    snapshot: Vec<u8>,
    position: u64,
    records: Vec<u8>,
}

impl Journal {
    pub fn begin(session: &mut Session) -> Self {
        let snapshot = session.snapshot(b"");
        session.begin_journal(BEGIN, 0);
        Self { snapshot, position: BEGIN, records: Vec::new() }
    }

    /// Appends the changes.
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

/// Whether the operation may switch to another session, whose journal starts anew.
fn may_be_another(op: &Op) -> bool {
    matches!(op, Op::Fork(_) | Op::Merge { .. } | Op::SaveAndLoad)
}

/// Saves the changes after each operation, and sometimes replays the whole journal.
pub struct Watch {
    journal: Journal,
    saves: usize,
    every: usize,
    /// A view was only read, or a function set, which writes no record: the next record includes it.
    looked: bool,
}

impl Watch {
    /// Replays after every `every` operations.
    pub fn new(world: &mut World, every: usize) -> Self {
        Self { journal: Journal::begin(&mut world.session), saves: 0, every, looked: false }
    }

    pub fn after(&mut self, world: &mut World, op: &Op) {
        if may_be_another(op) {
            (self.journal, self.looked) = (Journal::begin(&mut world.session), false);
            return;
        }
        let before = self.journal.position;
        self.journal.save(&mut world.session);
        let is_told_later = matches!(op, Op::Read | Op::Redact { .. });
        self.looked = (self.looked || is_told_later) && self.journal.position == before;
        self.saves += 1;
        if self.saves.is_multiple_of(self.every) {
            self.replay(world, op);
        }
    }

    pub fn replay(&self, world: &World, op: &Op) {
        let replayed = self.journal.replay(world.redact.clone(), &world.counter);
        let replayed = replayed.unwrap_or_else(|error| panic!("no replay after {op:?}: {error}")).session;
        assert_eq!(replayed.saved_position(), self.journal.position);
        assert!(Frozen::of(&replayed) == Frozen::of(&world.session), "replayed otherwise after {op:?}");
        let same = replayed.content() == world.session.content();
        assert!(same || self.looked, "other content is replayed after {op:?}");
    }
}

fn replays(script: &Script, at: Index) {
    let (before, after) = script.ops.split_at(at.index(script.ops.len()));
    let mut world = World::new(script);
    for op in before {
        world.step(op);
    }
    let mut watch = Watch::new(&mut world, 1);
    for op in after {
        world.step(op);
        watch.after(&mut world, op);
    }
}

#[test]
fn replaying_a_journal_gives_the_saved_session() {
    let holds = |(script, at): (Script, Index)| {
        replays(&script, at);
        Ok(())
    };
    check((script_with_options(), any::<Index>()), holds);
    check((wild(), any::<Index>()), holds);
}

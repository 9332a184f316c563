use super::run::Pending;
use crate::compaction::Answer;
use crate::saved::saved;

/// How many new messages must come before the next try after a first failure, or if no fold would have saved enough. Each
/// further failure doubles this.
const PAUSE_MESSAGES: usize = 8;

/// The pause is doubled at most this often.
const MAX_DOUBLINGS: u32 = 4;

/// The state of the background summary.
#[derive(Default)]
pub(super) struct Background {
    pub state: State,
    pub failures: u32,
    /// No new try before the history has this many entries.
    pub pause_until: usize,
}

/// How far the background summary has come.
#[derive(Default)]
pub(super) enum State {
    #[default]
    Idle,
    Asked,
    /// An accepted answer, with the run that asked for it.
    Ready(Box<(Pending, Answer)>),
}

saved!(struct Background { failures, pause_until } fresh { state: State::Idle });

/// A copy of a session starts idle: the answer goes to the session that asked.
impl Clone for Background {
    fn clone(&self) -> Self {
        Self { state: State::Idle, ..*self }
    }
}

impl Background {
    pub fn is_asked(&self) -> bool {
        matches!(self.state, State::Asked)
    }

    pub fn is_ready(&self) -> bool {
        matches!(self.state, State::Ready(_))
    }

    /// Some fold was put in: earlier failures no longer count.
    pub fn folded(&mut self) {
        (self.failures, self.pause_until) = (0, 0);
    }

    pub fn pause(&mut self, now: usize) {
        self.state = State::Idle;
        self.pause_until = now + (PAUSE_MESSAGES << self.failures.saturating_sub(1).min(MAX_DOUBLINGS));
    }

    pub fn fail(&mut self, now: usize) {
        self.failures = self.failures.saturating_add(1);
        self.pause(now);
    }
}

//! Everything that a session holds. Two sessions with equal fingerprints behave the same and are saved as the same bytes.

use std::fmt::{self, Debug, Formatter, Write};

use contextfold::session::Session;

/// A session's state. Events and the report of a failed run are not state.
#[derive(PartialEq)]
pub struct Fingerprint {
    /// History, view, folds, outputs, and the state that later runs depend on.
    pub text: String,
    /// The snapshot, byte by byte.
    pub bytes: Vec<u8>,
}

impl Debug for Fingerprint {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}snapshot {}", self.text, self.bytes.escape_ascii())
    }
}

pub fn fingerprint(session: &Session) -> Fingerprint {
    Fingerprint { text: text_of(session), bytes: session.snapshot(b"") }
}

fn text_of(session: &Session) -> String {
    let context = session.context();
    let mut out = String::new();
    let mut line = |text: String| writeln!(out, "{text}").unwrap();
    for node in context.history.nodes() {
        line(format!("{node:?}"));
    }
    line(format!("open {:?}", context.history.unanswered()));
    for slot in context.view.slots() {
        line(format!("{slot:?}"));
    }
    let dropped: Vec<_> = context.view.dropped_nodes().map(|n| context.view.dropped(n)).collect();
    line(format!("dropped {dropped:?}"));
    for fold in &context.folds {
        line(format!("{fold:?}"));
    }
    for output in context.outputs.iter() {
        line(format!("{} {:?}", output.id(), output.parts()));
    }
    line(format!("{:?} {:?}", context.left_out, context.pointers));
    line(format!("{} {} {:?}", session.tokens(), context.view.fixed_tokens(), session.config()));
    line(format!("{} {:?}", session.should_compact(), context.summary_state(false)));
    out
}

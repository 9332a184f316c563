//! All that a session holds, as text: two that are the same answer the same from then on.

use std::fmt::Write;

use contextfold::session::Session;

/// History, view, folds, outputs, and what the next run goes by. Events and the last report are news, not state.
pub fn fingerprint(session: &Session) -> String {
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

use std::fmt::Write as _;

use crate::error::{Error, ErrorCode};

/// An error lists at most this many ids; the rest are only counted.
const NAMED: usize = 10;

/// A `GRAPH_CONSTRAINT` error: the ids, then `what` is wrong with them.
pub(super) fn constraint_error<S: AsRef<str>>(ids: &[S], what: &str) -> Error {
    let mut message = String::new();
    for (i, id) in ids.iter().take(NAMED).enumerate() {
        let gap = if i == 0 { "" } else { ", " };
        let written = write!(message, "{gap}`{}`", id.as_ref());
        debug_assert!(written.is_ok(), "writing to a string cannot fail");
    }
    if ids.len() > NAMED {
        let written = write!(message, " and {} more", ids.len() - NAMED);
        debug_assert!(written.is_ok(), "writing to a string cannot fail");
    }
    message.push_str(": ");
    message.push_str(what);
    Error::new(ErrorCode::GraphConstraint, message)
}

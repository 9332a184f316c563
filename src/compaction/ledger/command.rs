use std::fmt::Write as _;

use super::carried::Ran;
use crate::compaction::facts::{Action, Deed, Status, essence, only_looks, without_directory};
use crate::compaction::shorten;

/// Longer commands are scripts.
const LONGEST_COMMAND: usize = 120;
/// Longer errors are their own report.
const LONGEST_ERROR: usize = 120;

/// The command that an action ran, and what it is about: a later run of the same replaces it. `None` where it ran none,
/// only looked, or is not answered yet.
pub(super) fn ran(action: &Action<'_>, ref_id: Option<&str>, at: u64) -> Option<(String, Ran)> {
    let command = action.command.as_deref().filter(|_| action.deed == Deed::Run)?;
    let outcome = action.outcome.as_ref()?;
    let command = without_directory(command);
    if only_looks(command) {
        return None;
    }
    let failed = outcome.status == Status::Failed;
    let mut line = format!("`{}` → ", shorten::line(command, LONGEST_COMMAND).replace('`', "'"));
    let _ = match (outcome.tests, failed) {
        (Some((passed, failed)), _) => write!(line, "{passed} passed, {failed} failed"),
        (None, true) => write!(line, "failed"),
        (None, false) => write!(line, "ok"),
    };
    if let Some(error) = outcome.error.as_deref().filter(|_| failed) {
        let _ = write!(line, ": {}", shorten::line(error, LONGEST_ERROR));
    }
    if let Some(ref_id) = ref_id {
        let _ = write!(line, " ({ref_id})");
    }
    Some((shorten::line(essence(command), LONGEST_COMMAND), Ran { line, failed, last: at }))
}

//! Removes what the API refuses because of its position.

use serde_json::Value;

use super::work::{Change, Work};
use crate::provider::find_list::outside_list;
use crate::provider::position::{CACHE_MARKS, PositionChecker, mark_key, marks_of};

/// Removes the same as a view does. `input`: the body, whose header and tools may have cache marks.
pub(super) fn repair(work: &mut Work, input: &Value) {
    let key = mark_key(work.format);
    let room = CACHE_MARKS.saturating_sub(outside_list(input).map(|block| marks_of(block, key)).sum());
    let mut checker = PositionChecker::with_marks(work.format, room);
    checker.update(0, work.entries.len(), |at| work.entries.get(at).map(|entry| &entry.message));
    for (at, removals) in checker.removals_from(0) {
        let Some(entry) = work.entries.get_mut(at) else { continue };
        entry.message = removals.apply(&entry.message, work.format);
        let broken = removals.broken_rules();
        work.changes.extend(broken.map(|(rule, what)| Change::new(entry.from.start, rule, what)));
    }
}

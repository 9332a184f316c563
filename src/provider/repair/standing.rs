//! Removes what the API refuses because of its position.

use serde_json::Value;

use super::work::{Change, Work};
use crate::provider::held::apart;
use crate::provider::standing::{CACHE_MARKS, Standing, mark_key, marks_of};

/// Removes the same as a view does. `input`: the body, whose header and tools may have cache marks.
pub(super) fn mend(work: &mut Work, input: &Value) {
    let key = mark_key(work.format);
    let room = CACHE_MARKS.saturating_sub(apart(input).map(|block| marks_of(block, key)).sum());
    let mut standing = Standing::with_marks(work.format, room);
    standing.update(0, work.entries.len(), |at| work.entries.get(at).map(|entry| &entry.message));
    for (at, lost) in standing.lost_from(0) {
        let Some(entry) = work.entries.get_mut(at) else { continue };
        entry.message = lost.taken_off(&entry.message, work.format);
        let changes =
            lost.told().map(|(rule, what)| Change { index: entry.from.start, rule, what: what.to_owned() });
        work.changes.extend(changes);
    }
}

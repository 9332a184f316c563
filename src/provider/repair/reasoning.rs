//! Ids of items that stand twice.

use std::collections::HashSet;

use super::Work;
use crate::provider::item_ids;

/// Of two items with one id the second loses it, or goes where it cannot stand without: what answers it is an orphan then.
pub(super) fn duplicate_ids(work: &mut Work) {
    let mut seen: HashSet<String> = HashSet::new();
    let mut changes = Vec::new();
    for entry in &mut work.entries {
        let index = entry.from.start;
        let parts = std::mem::take(&mut entry.message.parts);
        entry.message.parts = parts
            .into_iter()
            .filter_map(|part| {
                let id = item_ids::any_id(&part);
                let Some(id) = id.filter(|id| !seen.insert(id.clone())) else { return Some(part) };
                let bare = item_ids::without_item_id(part);
                let kept = item_ids::any_id(&bare).is_none();
                let what = if kept { "lost its id" } else { "was taken out" };
                changes.push((index, format!("the second item with the id {id} {what}")));
                kept.then_some(bare)
            })
            .collect();
    }
    for (index, what) in changes {
        work.changed(index, "R-dup-id", what);
    }
}

//! Repairs reasoning: duplicate ids of items, and calls without reasoning that a provider requires.

use super::work::{Change, Entry, Work};
use crate::hashing::HashSet;
use crate::message::Part;
use crate::provider::check::dialect::{Dialect, ReasoningRule};
use crate::provider::item_ids;
use crate::provider::openai_chat::{has_reasoning_field, no_reasoning};

/// If two items have the same id, the second loses it, or is removed if it is invalid without an id. Its output is an
/// orphan then.
pub(super) fn duplicate_ids(work: &mut Work) {
    let mut seen: HashSet<String> = HashSet::default();
    for entry in &mut work.entries {
        let parts = std::mem::take(&mut entry.message.parts);
        entry.message.parts = parts
            .into_iter()
            .filter_map(|part| {
                let id = item_ids::any_id(&part);
                let Some(id) = id.filter(|id| !seen.insert(id.clone())) else { return Some(part) };
                let bare = item_ids::without_item_id(part);
                let kept = item_ids::any_id(&bare).is_none();
                let what = if kept { "lost its id" } else { "was removed" };
                let what = format!("the second item with the id {id} {what}");
                work.changes.push(Change::new(entry.from.start, "R-dup-id", what));
                kept.then_some(bare)
            })
            .collect();
    }
}

/// If some answers have reasoning and the provider refuses calls without it, marks these calls as having none.
pub(super) fn add_required(work: &mut Work, dialect: &Dialect) {
    let ReasoningRule::Required(field) = dialect.reasoning else { return };
    let thinks = |entry: &Entry| entry.message.parts.iter().any(has_reasoning_text);
    if !work.entries.iter().any(thinks) {
        return;
    }
    for entry in &mut work.entries {
        let has_field = entry.message.parts.iter().any(has_reasoning_field);
        if entry.message.tool_calls().next().is_some() && !has_field {
            entry.message.parts.insert(0, no_reasoning(field));
            let what = format!("an empty `{field}` was inserted");
            work.changes.push(Change::new(entry.from.start, "C-reasoning-missing", what));
        }
    }
}

fn has_reasoning_text(part: &Part) -> bool {
    has_reasoning_field(part)
        && matches!(part, Part::Reasoning(r) if r.text.as_ref().is_some_and(|text| !text.is_empty()))
}

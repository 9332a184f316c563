//! Reasoning items that lost what must follow them, and ids that stand twice.

use std::collections::HashSet;

use super::Work;
use crate::message::{Format, Part, Role};
use crate::provider::item_ids;
use crate::provider::openai_responses::kinds;

pub(super) fn mend(work: &mut Work) {
    duplicate_ids(work);
    tails(work);
}

/// Of two items with one id the second loses it, or goes where it cannot stand without.
fn duplicate_ids(work: &mut Work) {
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

/// Reasoning that nothing of the model's follows goes.
fn tails(work: &mut Work) {
    let mut changes = Vec::new();
    let mut follows = false; // something of the model's, in the assistant messages right behind
    for entry in work.entries.iter_mut().rev() {
        if entry.message.role != Role::Assistant {
            follows = false;
            continue;
        }
        let keep = entry.message.parts.iter().rposition(is_made).map_or(0, |n| n + 1);
        let behind = entry.message.parts.len() - keep;
        if !follows && behind > 0 {
            let mut rest = entry.message.parts.split_off(keep);
            rest.retain(|part| !matches!(part, Part::Reasoning(_))); // what is not understood stays
            if rest.len() < behind {
                changes.push(entry.from.start);
            }
            entry.message.parts.extend(rest);
        }
        follows |= keep > 0;
    }
    for index in changes.into_iter().rev() {
        work.changed(index, "R-reasoning-tail", "reasoning that nothing follows was taken out");
    }
}

/// Whether reasoning may stand before it, as [`check`](crate::provider::check) has it.
fn is_made(part: &Part) -> bool {
    match part {
        Part::Reasoning(_) => false,
        Part::Opaque { format: Format::OpenaiResponses, raw } => {
            raw.as_object().is_some_and(kinds::is_model_made)
        }
        _ => true,
    }
}

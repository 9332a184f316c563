//! Reasoning items that lost what must follow them, and ids that stand twice.

use std::collections::HashSet;

use super::Work;
use crate::message::{Format, Part, Role};
use crate::provider::item_ids;
use crate::provider::openai_responses::kinds;

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

/// Reasoning goes where what follows it, further reasoning left out, is nothing of the model's. Before an item that is not
/// known it stays: the model may have made that.
pub(super) fn tails(work: &mut Work) {
    let mut changes = Vec::new();
    let mut is_led_to = false; // what stands right behind is of the model's
    for entry in work.entries.iter_mut().rev() {
        if entry.message.role != Role::Assistant {
            is_led_to =
                matches!(entry.message.parts.as_slice(), [part @ Part::Opaque { .. }] if may_be_made(part));
            continue;
        }
        let parts = std::mem::take(&mut entry.message.parts);
        let before = parts.len();
        let mut kept = Vec::with_capacity(before);
        for part in parts.into_iter().rev() {
            let is_reasoning = matches!(part, Part::Reasoning(_));
            if is_reasoning && !is_led_to {
                continue;
            }
            is_led_to = is_reasoning || may_be_made(&part);
            kept.push(part);
        }
        kept.reverse();
        if kept.len() < before {
            changes.push(entry.from.start);
        }
        entry.message.parts = kept;
    }
    for index in changes.into_iter().rev() {
        work.changed(
            index,
            "R-reasoning-tail",
            "reasoning that nothing of the model's follows was taken out",
        );
    }
}

/// Whether reasoning may stand before it, as [`check`](crate::provider::check) has it.
fn may_be_made(part: &Part) -> bool {
    match part {
        Part::Opaque { format: Format::OpenaiResponses, raw } => {
            raw.as_object().is_some_and(|item| kinds::is_model_made(item) || kinds::is_unknown(item))
        }
        _ => true,
    }
}

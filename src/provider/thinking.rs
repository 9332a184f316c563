//! Reasoning between formats, and the models that bind their thinking to everything before it (PROV-3b).

use super::note::{Note, note_lost_fields};
use crate::message::{Format, Reasoning};

/// Notes what a format cannot keep of reasoning that did not come in it: all fields but the `kept` ones.
pub(super) fn note_lost(reasoning: &Reasoning, format: Format, kept: &[&str], notes: &mut Vec<Note>) {
    let given = [
        ("text", reasoning.text.as_deref().is_some_and(|text| !text.is_empty())),
        ("summary", !reasoning.summary.is_empty()),
        ("signature", reasoning.signature.is_some()),
        ("encrypted", reasoning.encrypted.is_some()),
        ("id", reasoning.id.is_some()),
    ];
    if !reasoning.extras.came_in(format) {
        note_lost_fields("reasoning", &given, kept, notes);
    }
}

/// Models that refuse a thinking block if anything before it was edited.
/// Source: Anthropic's documentation on preserved thinking, 2026-08.
const BINDING: [&str; 7] =
    ["fable-5-1", "fable-5-2", "mythos-5-1", "mythos-5-2", "opus-5-5", "sonnet-5-5", "haiku-5-5"];

/// Whether a model binds its thinking to everything before it.
pub fn binds_thinking(model: &str) -> bool {
    let name = model.to_ascii_lowercase().replace('.', "-");
    name.contains("claude") && BINDING.iter().any(|binding| name.contains(binding))
}

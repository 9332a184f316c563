//! The notice that replaces a middle that was cut out, and the ref in it that opens the full text.

use crate::context::{Context, NodeIndex, Slot};
use crate::error::Result;
use crate::message::{Part, Text};
use crate::tool_output::{prefix_bytes, suffix_bytes};

/// Head and tail of a text, `bytes` in total, with a notice between them that says where the rest is.
pub(super) fn without_middle(text: &str, bytes: usize, ref_id: Option<&str>) -> String {
    let head = prefix_bytes(text, bytes / 2);
    let tail = suffix_bytes(&text[head.len()..], bytes - bytes / 2);
    let left_out = text[head.len()..text.len() - tail.len()].chars().count();
    format!("{head}\n{}\n{tail}", notice(left_out, ref_id))
}

pub(super) fn notice(left_out: usize, ref_id: Option<&str>) -> String {
    let how = ref_id
        .map(|id| format!("; the full text: tool_output_cache({{ ref_id: \"{id}\" }})"))
        .unwrap_or_default();
    format!("[… {left_out} characters left out{how} …]")
}

/// The ref for a notice in a slot's message: that of the tool output that the text is in, or of a copy of the text. `None` if the tool
/// output cache is off, or the model cannot open refs.
pub(super) fn opener(context: &mut Context, slot: &Slot, text: &Text) -> Result<Option<String>> {
    let known = slot.message.output_ref().filter(|known| context.outputs.contains(&known.id));
    match known.filter(|_| names_refs(context)) {
        Some(known) => Ok(Some(known.id.clone())),
        None => stored(context, slot.node, text),
    }
}

/// The same, always of a copy.
pub(super) fn stored(context: &mut Context, node: NodeIndex, text: &Text) -> Result<Option<String>> {
    names_refs(context).then(|| context.store_copy(node, Part::text(text.clone()))).transpose()
}

fn names_refs(context: &Context) -> bool {
    context.output_config.enabled && context.wording.names_refs()
}

//! The notice that replaces a middle that was cut out, and the ref in it that opens the full text.

use crate::context::{Context, NodeIndex};
use crate::error::Result;
use crate::message::{Part, Text};
use crate::tool_output::{Output, prefix_bytes, suffix_bytes};

/// The ref in a notice of `shown` that opens `full`.
pub(super) fn named_ref(context: &Context, shown: &str, full: &Text) -> Option<String> {
    let ids = shown.split("ref_id: ").skip(1).map(|rest| {
        let rest = rest.trim_start_matches(['\\', '"']);
        &rest[..rest.find(['\\', '"']).unwrap_or(rest.len())]
    });
    let opens = |id: &&str| {
        let stored = context.outputs.loaded(id).map(Output::parts);
        stored.is_some_and(|parts| parts == [Part::text(full.clone())])
    };
    ids.filter(|id| !id.is_empty()).find(opens).map(str::to_owned)
}

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

/// Stores a text of a node that is about to be cut. Returns the ref that opens it; `None` if the tool output cache is off, or the model
/// cannot open refs.
pub(super) fn stored(context: &mut Context, node: NodeIndex, text: &Text) -> Result<Option<String>> {
    let is_on = context.output_config.enabled && context.wording.names_refs();
    is_on.then(|| context.store_copy(node, Part::text(text.clone()))).transpose()
}

/// For a text that begins with a notice: the notice's ref, and what follows the notice.
pub(super) fn behind_notice(text: &str) -> Option<(&str, &str)> {
    let (left_out, rest) = text.strip_prefix("[… ")?.split_once(' ')?;
    let rest = rest.strip_prefix("characters left out; the full text: tool_output_cache({ ref_id: \"")?;
    let (ref_id, tail) = rest.split_once('"')?;
    let is_count = left_out.bytes().all(|b| b.is_ascii_digit());
    tail.strip_prefix(" }) …]").filter(|_| is_count).map(|tail| (ref_id, tail))
}

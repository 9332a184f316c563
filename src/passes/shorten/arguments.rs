//! Cuts the arguments of tool calls as the very last resort. What was JSON remains JSON (INV-12).

use std::sync::Arc;

use serde_json::json;

use super::notice::{notice, stored, without_middle};
use crate::context::{Context, Form, NodeIndex, Tally};
use crate::error::Result;
use crate::message::{CallKind, Message, Part, Text, ToolCall};
use crate::tool_output::Json;

/// Shorter arguments stay whole: a notice would take as much.
const SHORT: usize = 256;

/// Strings lose their middle down to this many bytes. If that is not enough, the arguments are replaced as a whole.
const LEAST_STRING: usize = 48;

/// Cuts the longest strings in the arguments of the message at `at`, so that the message takes about `goal` tokens. Returns
/// the refs of the full arguments; empty if the message did not become smaller.
pub(super) fn cut(context: &mut Context, at: usize, goal: u64) -> Result<Vec<Option<String>>> {
    let slot = context.view.body()[at].clone();
    let whole = context.history.node(slot.node).message.clone();
    let mut calls: Vec<Full> = Vec::new();
    for (part, call) in slot.message.parts.iter().enumerate().filter_map(|(i, p)| Some((i, cuttable(p)?))) {
        let Some(original) = whole.tool_calls().find(|c| c.id == call.id) else { continue };
        if original.input.len() > SHORT {
            let of_function = call.kind == CallKind::Function;
            calls.push(Full { part, input: original.input.clone(), of_function });
        }
    }
    let Some(longest) = calls.iter().map(|c| c.input.len()).max() else { return Ok(Vec::new()) };
    let mut bytes = Some(longest);
    loop {
        bytes = bytes.map(|bytes| bytes / 4 * 3).filter(|bytes| *bytes >= LEAST_STRING);
        let mut message = Message::clone(&slot.message);
        let mut refs = Vec::new();
        for call in &calls {
            let is_cut = |p: &Part| matches!(p, Part::ToolCall(c) if c.input != call.input);
            let was_cut = message.parts.get(call.part).is_some_and(is_cut);
            // Arguments that were cut before are cut from the full arguments again, and never become longer.
            let Some((input, ref_id)) = call.shorter(context, slot.node, bytes)? else { continue };
            if let Some(Part::ToolCall(shown)) = message.parts.get_mut(call.part)
                && (!was_cut || input.len() < shown.input.len())
            {
                shown.input = input.into();
                refs.push(ref_id);
            }
        }
        let tally = Tally::of(&message, &*context.counter);
        if tally.total() <= goal || bytes.is_none() {
            if refs.is_empty() || tally.total() >= slot.tokens() {
                return Ok(Vec::new());
            }
            context.view.replace(at, Arc::new(message), tally, Form::Shortened);
            return Ok(refs);
        }
    }
}

/// The part's call if its arguments may be cut: not one that the provider runs, nor one that is sent back as the raw item it
/// came as.
fn cuttable(part: &Part) -> Option<&ToolCall> {
    match part {
        Part::ToolCall(call) if !call.hosted && !matches!(call.kind, CallKind::Other { .. }) => Some(call),
        _ => None,
    }
}

/// Full arguments.
struct Full {
    /// The position of their call in the message.
    part: usize,
    input: Text,
    /// The arguments of a function have to be JSON, even if they were not.
    of_function: bool,
}

impl Full {
    /// The arguments with no string above `bytes`, or replaced as a whole (`bytes` is `None`), and the ref that opens them in full; `None`
    /// if that does not make them shorter.
    fn shorter(
        &self,
        context: &mut Context,
        node: NodeIndex,
        bytes: Option<usize>,
    ) -> Result<Option<(String, Option<String>)>> {
        let parsed = Json::parse(&self.input);
        let enough = bytes.is_none_or(|bytes| match &parsed {
            Some(json) => json.strings().any(|s| is_longer(&s, bytes)),
            None => is_longer(&self.input, bytes),
        });
        if !enough {
            return Ok(None);
        }
        let ref_id = stored(context, node, &self.input)?;
        let all = notice(self.input.chars().count(), ref_id.as_deref());
        let shorter = match (&parsed, bytes) {
            (Some(json), Some(bytes)) => json.with_strings(|text| {
                is_longer(text, bytes).then(|| without_middle(text, bytes, ref_id.as_deref()))
            }),
            (None, _) if !self.of_function => all,
            _ => json!({ "left_out": all }).to_string(),
        };
        Ok((shorter.len() < self.input.len()).then_some((shorter, ref_id)))
    }
}

/// Whether a text is so much longer than `bytes` that it becomes shorter even with a notice in its middle.
fn is_longer(text: &str, bytes: usize) -> bool {
    text.len() > bytes + SHORT / 2
}

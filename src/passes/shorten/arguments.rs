//! The arguments of tool calls, cut as the very last resort: what was JSON is JSON afterwards (INV-12).

use std::sync::Arc;

use serde_json::json;

use super::notice::{named_ref, notice, stored, without_middle};
use crate::context::{Context, Form, Tally};
use crate::error::Result;
use crate::message::{CallKind, Message, Part, Text, ToolCall};
use crate::tool_output::Json;

/// Shorter arguments stay whole: a notice would take as much.
const SHORT: usize = 256;

/// Strings lose their middle down to so many bytes; what must be smaller yet is replaced whole.
const LEAST_STRING: usize = 48;

/// What opens a text that was cut: nothing where the cache is off.
#[derive(Debug, Clone)]
struct Opener(Option<String>);

/// Cuts the longest strings in the arguments of the message at `at`, so that the message takes about `goal` tokens.
/// Gives the refs of the full arguments; none where that made nothing smaller.
pub(super) fn cut(context: &mut Context, at: usize, goal: u64) -> Result<Vec<Option<String>>> {
    let slot = context.view.body()[at].clone();
    let whole = context.history.node(slot.node).message.clone();
    let mut calls: Vec<Full> = Vec::new();
    for (part, call) in slot.message.parts.iter().enumerate().filter_map(|(i, p)| Some((i, cuttable(p)?))) {
        let Some(came) = whole.tool_calls().find(|c| c.id == call.id) else { continue };
        if came.input.len() > SHORT {
            let ref_id = named_ref(context, &call.input, &came.input).map(|id| Opener(Some(id)));
            let of_function = call.kind == CallKind::Function;
            calls.push(Full { part, input: came.input.clone(), of_function, ref_id });
        }
    }
    let Some(longest) = calls.iter().map(|c| c.input.len()).max() else { return Ok(Vec::new()) };
    let mut bytes = Some(longest);
    loop {
        bytes = bytes.map(|bytes| bytes / 4 * 3).filter(|bytes| *bytes >= LEAST_STRING);
        let mut message = Message::clone(&slot.message);
        let mut refs = Vec::new();
        for call in &mut calls {
            let is_cut = |p: &Part| matches!(p, Part::ToolCall(c) if c.input != call.input);
            let was_cut = message.parts.get(call.part).is_some_and(is_cut);
            // Those that were cut before are cut from the full arguments again, and never come out larger.
            let Some(input) = call.shorter(context, bytes)? else { continue };
            if let Some(Part::ToolCall(shown)) = message.parts.get_mut(call.part)
                && (!was_cut || input.len() < shown.input.len())
            {
                shown.input = input.into();
                refs.extend(call.ref_id.clone().map(|opener| opener.0));
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

/// A call whose arguments are ours to cut: not one that the provider runs, and not one that is sent as its item came.
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
    /// They are to be JSON, whatever they are.
    of_function: bool,
    /// What opens them, once they are stored; nothing does where the cache is off.
    ref_id: Option<Opener>,
}

impl Full {
    /// The arguments with no string above `bytes`, or replaced whole; `None` where that makes them no shorter.
    fn shorter(&mut self, context: &mut Context, bytes: Option<usize>) -> Result<Option<String>> {
        let parsed = Json::parse(&self.input);
        let enough = bytes.is_none_or(|bytes| match &parsed {
            Some(json) => json.strings().any(|s| is_longer(&s, bytes)),
            None => is_longer(&self.input, bytes),
        });
        if !enough {
            return Ok(None);
        }
        let opener = match &self.ref_id {
            Some(known) => known.clone(),
            None => Opener(stored(context, &self.input)?),
        };
        self.ref_id = Some(opener.clone());
        let ref_id = opener.0;
        let all = notice(self.input.chars().count(), ref_id.as_deref());
        let shorter = match (&parsed, bytes) {
            (Some(json), Some(bytes)) => json.with_strings(|text| {
                is_longer(text, bytes).then(|| without_middle(text, bytes, ref_id.as_deref()))
            }),
            (None, _) if !self.of_function => all,
            _ => json!({ "left_out": all }).to_string(),
        };
        Ok((shorter.len() < self.input.len()).then_some(shorter))
    }
}

/// Whether a text is so much longer that a notice in its middle makes it shorter.
fn is_longer(text: &str, bytes: usize) -> bool {
    text.len() > bytes + SHORT / 2
}

//! Placeholders: what the view shows for a tool output whose content is stored elsewhere.

use std::sync::Arc;

use super::core::Context;
use super::node::{NodeIndex, NodeKind, NodeSet};
use super::slot::{Form, Slot};
use super::tally::Tally;
use super::wording::{PlaceholderWriter, Trimmed, plain_placeholder};
use crate::error::Result;
use crate::message::{Message, Part, ToolCall, ToolOutput};
use crate::tool_output;

/// Replaces an ephemeral output that no ref opens.
const EMPTIED: [&str; 2] = ["[tool output removed; newer ones have come]", "[removed]"];

/// The same for an output that is shorter than these texts.
const NOTHING: &str = "-";

impl Context {
    /// The error of the host's placeholder function, if there was one since this was last called.
    pub fn take_placeholder_error(&mut self) -> Option<String> {
        self.placeholder_writer.as_ref().and_then(PlaceholderWriter::take_error)
    }

    /// The text that replaces an output of a node; `id` is the ref that opens it.
    fn placeholder_text(&self, node: NodeIndex, output: &ToolOutput, id: Option<&str>) -> String {
        let whole = self.history.node(node);
        let call = self.call_of(node, output);
        let tokens = whole.tally.outputs() / whole.message.tool_outputs().count().max(1) as u64;
        let output_ref = id.filter(|_| self.wording.names_refs());
        let trimmed = Trimmed { output_ref, call, tokens };
        let given = self.placeholder_writer.as_ref().and_then(|writer| writer.text(&trimmed));
        given.unwrap_or_else(|| self.wording.placeholder(&trimmed))
    }

    fn call_of(&self, node: NodeIndex, output: &ToolOutput) -> Option<&ToolCall> {
        let caller = &self.history.node(self.history.caller(node)?).message;
        caller.tool_calls().find(|call| call.id == output.call_id)
    }

    /// The call whose output a ref opens.
    pub fn call_of_ref(&self, id: &str) -> Option<&ToolCall> {
        let opens = |output: &&ToolOutput| output.output_ref.as_ref().is_some_and(|it| it.id == id);
        let mut nodes = self.history.nodes().iter().enumerate().rev();
        nodes.find_map(|(at, node)| {
            let output = node.message.tool_outputs().find(opens)?;
            self.call_of(NodeIndex(at as u32), output)
        })
    }

    /// Replaces the tool output at body position `at` with a placeholder. False if that would not make it smaller, if it is
    /// pinned, or if no ref opens it.
    pub fn make_placeholder(&mut self, at: usize) -> bool {
        self.show_placeholder(at, true)
    }

    /// The same; without `by_ref`, even if no ref opens it (the cache may be off): the history still has it.
    pub(super) fn show_placeholder(&mut self, at: usize, by_ref: bool) -> bool {
        let Some((message, tally)) = self.placeholder_for(at, by_ref) else { return false };
        self.view.replace(at, Arc::new(message), tally, Form::Placeholder);
        true
    }

    /// The placeholder for the tool output at body position `at`; `None` if it may not become one. With `by_ref`, only if a
    /// ref opens it.
    pub(super) fn placeholder_for(&self, at: usize, by_ref: bool) -> Option<(Message, Tally)> {
        let slot = &self.view.body()[at];
        let node = self.history.node(slot.node);
        if node.kind != NodeKind::Message || node.pinned || slot.form == Form::Placeholder {
            return None;
        }
        if self.keeps_output(slot.node) {
            return None;
        }
        let mut message = Message::clone(&slot.message);
        let mut changed = false;
        for output in message.tool_outputs_mut() {
            // Answers of the cache's own tools can be read again with the ref that they were called with.
            let carried = output.output_ref.as_ref().map(|r| r.id.clone());
            let id = carried.or_else(|| self.ref_asked_for(at, &output.call_id));
            let id = id.filter(|id| self.outputs.contains(id));
            if id.is_some() || !by_ref {
                let text = self.placeholder_text(slot.node, output, id.as_deref());
                output.content = vec![Part::text(text)];
                changed = true;
            }
        }
        let tally = self.tally_of(&message);
        (changed && tally.total() < slot.tokens()).then_some((message, tally))
    }

    /// Removes the content of the tool output at body position `at`: leaves a placeholder if a ref opens it, otherwise a
    /// short note. False if it is pinned or already a placeholder.
    pub fn empty_output(&mut self, at: usize) -> bool {
        if self.make_placeholder(at) {
            return true;
        }
        let slot = &self.view.body()[at];
        if self.history.node(slot.node).pinned || slot.form == Form::Placeholder {
            return false;
        }
        let max = slot.tokens();
        EMPTIED.iter().any(|text| self.show_output_text(at, text, Form::Placeholder))
            || self.show_text_within(at, NOTHING, Form::Placeholder, max)
    }

    /// Replaces a system message that holds a tool output with a placeholder; stores its text if the cache is on. False if
    /// that would not make it smaller.
    pub fn make_text_placeholder(&mut self, at: usize) -> Result<bool> {
        if self.text_placeholder_tokens(at).is_none() {
            return Ok(false);
        }
        let slot = &self.view.body()[at];
        let (node, mut message) = (slot.node, Message::clone(&slot.message));
        let is_on = self.output_config.enabled;
        let stored = is_on.then(|| self.store_copy(node, Part::text(message.plain_text()))).transpose()?;
        let named = stored.filter(|_| self.wording.names_refs());
        message.parts = vec![Part::text(plain_placeholder(named.as_deref()))];
        let tally = self.tally_of(&message);
        self.view.replace(at, Arc::new(message), tally, Form::Placeholder);
        Ok(true)
    }

    /// Roughly the tokens of the placeholder for the system message at body position `at`; `None` if it may not become one.
    pub(super) fn text_placeholder_tokens(&self, at: usize) -> Option<u64> {
        let slot = &self.view.body()[at];
        let least = Message::text(slot.message.role, tool_output::placeholder("toolout_0"));
        let least = self.count(&least);
        let may = !self.history.node(slot.node).pinned && slot.form != Form::Placeholder;
        (may && least < slot.tokens()).then_some(least)
    }

    /// Replaces the tool output at body position `at` with a pointer to the identical one in `target`. False if that would
    /// not make it smaller, or if no ref opens it.
    pub fn point_to(&mut self, at: usize, target: NodeIndex) -> bool {
        let slot = &self.view.body()[at];
        let node = slot.node;
        let output_ref = slot.message.output_ref();
        let Some(id) = output_ref.map(|r| r.id.clone()).filter(|id| self.outputs.contains(id)) else {
            return false;
        };
        if self.history.node(node).pinned {
            return false;
        }
        let there = self.history.node(target).message.output_ref();
        let text = if self.wording.names_refs() {
            let same = there.map(|r| format!(", ref={}", r.id)).unwrap_or_default();
            format!("[the same output stands further down{same}; ref={id}]")
        } else {
            "[the same output stands further down]".to_owned()
        };
        let shown = self.show_output_text(at, &text, Form::Pointer);
        if shown {
            self.pointers.push((node, target));
        }
        shown
    }

    /// A pointer is valid only while its target is in the view: all others become placeholders.
    pub fn replace_stale_pointers(&mut self) {
        if self.pointers.is_empty() {
            return;
        }
        let whole: NodeSet = self
            .view
            .body()
            .iter()
            .filter(|s| matches!(s.form, Form::Whole | Form::Cut))
            .map(|s| s.node)
            .collect();
        let pointers = std::mem::take(&mut self.pointers);
        let (kept, lost): (Vec<_>, Vec<_>) =
            pointers.into_iter().partition(|(_, target)| whole.contains(target));
        self.pointers = kept;
        for (node, _) in lost {
            let is_pointer = |s: &Slot| s.node == node && s.form == Form::Pointer;
            // A placeholder that names the call may be longer than the pointer; then a plain one has to do.
            if let Some(at) = self.view.body().iter().position(is_pointer)
                && !self.make_placeholder(at)
            {
                self.show_output_text(at, tool_output::PLACEHOLDER, Form::Placeholder);
            }
        }
    }

    /// Shortens each text of the tool output at body position `at` with `shorter`, starting from the output as it was
    /// pushed. False if that would not make it smaller, or if it is pinned. If no ref opens the output yet (the cache may be
    /// off), it is stored under a new one.
    ///
    /// # Errors
    /// The cache's error if the output cannot be stored.
    pub fn shorten_output(
        &mut self,
        at: usize,
        form: Form,
        shorter: impl Fn(&str) -> Option<String>,
    ) -> Result<bool> {
        let slot = &self.view.body()[at];
        let index = slot.node;
        let node = self.history.node(index);
        if node.pinned || node.kind != NodeKind::Message || self.keeps_output(index) {
            return Ok(false);
        }
        let whole = node.message.clone();
        let mut message = Message::clone(&whole);
        let mut changed = false;
        for output in message.tool_outputs_mut() {
            for part in &mut output.content {
                if let Part::Text { text, .. } = part
                    && let Some(less) = shorter(text)
                {
                    *text = less.into();
                    changed = true;
                }
            }
        }
        let tally = self.tally_of(&message);
        if !changed || tally.total() >= slot.tokens() {
            return Ok(false);
        }
        let shown = slot.message.clone();
        let outputs = shown.tool_outputs().zip(whole.tool_outputs());
        let own = message.tool_outputs_mut();
        for (own, (shown, whole)) in own.zip(outputs) {
            let known = shown.output_ref.clone().filter(|r| self.outputs.contains(&r.id));
            own.output_ref = Some(if let Some(known) = known {
                known
            } else {
                let stored = self.store_output(whole)?;
                self.outputs.note_copy(&stored.id, index.0);
                stored.into()
            });
        }
        self.view.replace(at, Arc::new(message), tally, form);
        Ok(true)
    }

    /// Replaces the text of the tool output at body position `at`. False if that would not make it smaller.
    fn show_output_text(&mut self, at: usize, text: &str, form: Form) -> bool {
        let smaller = self.view.body()[at].tokens().saturating_sub(1);
        self.show_text_within(at, text, form, smaller)
    }

    /// The same, if the result takes at most `max` tokens.
    fn show_text_within(&mut self, at: usize, text: &str, form: Form, max: u64) -> bool {
        let slot = &self.view.body()[at];
        if self.keeps_output(slot.node) {
            return false;
        }
        let mut message = Message::clone(&slot.message);
        for part in &mut message.parts {
            if let Part::ToolOutput(output) = part {
                output.content = vec![Part::text(text)];
            }
        }
        let tally = self.tally_of(&message);
        if tally.total() > max {
            return false;
        }
        self.view.replace(at, Arc::new(message), tally, form);
        true
    }

    /// The ref in the arguments of the call `call_id` of a cache tool, before body position `at`.
    fn ref_asked_for(&self, at: usize, call_id: &str) -> Option<String> {
        let mut calls = self.view.body()[..at].iter().rev().flat_map(|s| s.message.tool_calls());
        let call = calls.find(|c| c.id == call_id).filter(|c| tool_output::is_cache_tool(&c.name))?;
        let arguments: serde_json::Value = serde_json::from_str(&call.input).ok()?;
        arguments.get("ref_id")?.as_str().map(str::to_owned)
    }
}

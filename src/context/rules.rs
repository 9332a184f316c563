//! Rules for the outputs of single tools (`toolOutputCache.tools`).

use super::core::Context;
use super::node::NodeIndex;
use super::slot::Form;
use crate::message::{Part, Role};
use crate::tokens::count_part;
use crate::tool_output::{self, MIN_MESSAGE_BYTES, ToolOutputCacheConfig, ToolRule};

/// How many times an output is cut at most until it has no more tokens than allowed.
const TRIES: usize = 4;

impl Context {
    /// The rule for the output of a call.
    pub(super) fn rule_of(&self, caller: Option<NodeIndex>, call_id: &str) -> Option<ToolRule> {
        let rules = &self.output_config.tools;
        if rules.is_empty() {
            return None;
        }
        rules.of(&self.history.call_of(caller?, call_id)?.name)
    }

    fn has_rule(&self, node: NodeIndex, rule: ToolRule) -> bool {
        if self.output_config.tools.is_empty() {
            return false;
        }
        let caller = self.history.caller(node);
        let mut outputs = self.history.node(node).message.tool_outputs();
        outputs.any(|output| self.rule_of(caller, &output.call_id) == Some(rule))
    }

    /// The limits of single tools among these outputs, as text to append; empty if there are none.
    pub(super) fn tool_limits(&self, nodes: impl Iterator<Item = NodeIndex>) -> String {
        let mut limits = String::new();
        for node in nodes {
            let caller = self.history.caller(node);
            for output in self.history.node(node).message.tool_outputs() {
                let Some(ToolRule::MaxTokens { max_tokens }) = self.rule_of(caller, &output.call_id) else {
                    continue;
                };
                let mut calls = caller.iter().flat_map(|by| self.history.node(*by).message.tool_calls());
                let name = calls.find(|call| call.id == output.call_id).map_or("", |call| &call.name);
                let own = format!("; outputs of `{name}` to {max_tokens} tokens");
                if !limits.contains(&own) {
                    limits.push_str(&own);
                }
            }
        }
        limits
    }

    /// Whether no pass may shorten this tool message.
    pub fn keeps_output(&self, node: NodeIndex) -> bool {
        self.has_rule(node, ToolRule::Keep)
    }

    /// The body positions of outputs that are trimmed before all others, oldest first; never the newest output.
    pub fn first_outputs(&self) -> Vec<usize> {
        if !self.output_config.tools.any_first() {
            return Vec::new();
        }
        let body = self.view.body();
        let newest = body.iter().rposition(|slot| slot.message.role == Role::Tool).unwrap_or(0);
        let may_go = |at: &usize| {
            let slot = &body[*at];
            slot.message.role == Role::Tool
                && slot.form != Form::Placeholder
                && self.has_rule(slot.node, ToolRule::First)
        };
        (0..newest).filter(may_go).collect()
    }

    /// An output cut to the limits for outputs in the view; `None` if it may stay as it is.
    pub(super) fn bounded(&self, content: &[Part], rule: Option<ToolRule>, id: &str) -> Option<Vec<Part>> {
        let config = &self.output_config;
        let mut shown = tool_output::view(content, config, id);
        let Some(ToolRule::MaxTokens { max_tokens }) = rule.filter(|_| config.enabled) else { return shown };
        for _ in 0..TRIES {
            let current = shown.as_deref().unwrap_or(content);
            let tokens: u64 = current.iter().map(|part| count_part(part, &*self.counter)).sum();
            let bytes: u64 = current.iter().map(text_bytes).sum();
            if tokens <= max_tokens || bytes <= MIN_MESSAGE_BYTES {
                break;
            }
            let share = bytes as f64 * max_tokens as f64 / tokens as f64;
            let max_message_bytes = ((share * 0.97) as u64).max(MIN_MESSAGE_BYTES);
            shown = tool_output::view(
                content,
                &ToolOutputCacheConfig { max_message_bytes, ..config.clone() },
                id,
            );
        }
        shown
    }
}

fn text_bytes(part: &Part) -> u64 {
    part.as_text().map_or(0, |text| text.len() as u64)
}

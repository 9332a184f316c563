//! Tool outputs that pruning replaced with placeholders, and how they come back: a smaller view always starts from the
//! untrimmed one.

use super::core::Context;
use super::node::NodeIndex;
use super::slot::Form;
use crate::error::Result;
use crate::message::{Message, Role};

/// What a report says about a pruned output.
pub const PRUNED: &str = "an older turn's tool output became a placeholder";

impl Context {
    /// Replaces the tool outputs at these body positions with placeholders, in order, until the view has at most `enough`
    /// tokens: tool messages, and system messages that hold an output. Returns the nodes that became placeholders.
    ///
    /// # Errors
    /// The cache's error if a text cannot be stored.
    pub fn prune(&mut self, positions: &[usize], enough: u64) -> Result<Vec<NodeIndex>> {
        let mut pruned = Vec::new();
        for at in positions.iter().copied() {
            if self.view.tokens() <= enough {
                break;
            }
            let before = self.view.body()[at].clone();
            let done = match before.message.role {
                Role::Tool => self.show_placeholder(at, false),
                _ => self.make_text_placeholder(at)?,
            };
            if done {
                pruned.push(before.node);
                self.view.pruned.insert(before.node, before);
            }
        }
        self.note_trimmed(&pruned, PRUNED);
        Ok(pruned)
    }

    /// Undoes pruning for messages in the view, and removes its lines from this run's report. The budget of tool outputs is
    /// enforced again afterwards.
    pub fn restore_pruned(&mut self) {
        if self.view.pruned.is_empty() {
            return;
        }
        let pruned = std::mem::take(&mut self.view.pruned);
        for at in 0..self.view.body().len() {
            let slot = &self.view.body()[at];
            let Some(before) = pruned.get(&slot.node).filter(|_| slot.form == Form::Placeholder) else {
                continue;
            };
            let before = before.clone();
            self.view.replace(at, before.message, before.tally, before.form);
        }
        let back = |id: &str| self.history.find(id).is_some_and(|node| pruned.contains_key(&node));
        self.left_out.retain(|line| line.why != PRUNED || !back(&line.id));
        if self.output_config.enabled {
            self.view.list_trimmable();
            self.trim_outputs_to(self.output_budget);
        }
    }

    /// How many tokens a placeholder for the tool output at body position `at` would save; 0 if it would not become one.
    pub fn prunable_tokens(&self, at: usize) -> u64 {
        let slot = &self.view.body()[at];
        let placeholder = match slot.message.role {
            Role::Tool => self.placeholder_for(at, false).map(|(_, tally)| tally.total()),
            _ => self.text_placeholder_tokens(at),
        };
        placeholder.map_or(0, |tokens| slot.tokens().saturating_sub(tokens))
    }
}

/// Whether a message is an instruction, not a tool's output in a system message.
pub fn is_instruction(message: &Message) -> bool {
    message.role.is_instruction() && !message.is_output_note()
}

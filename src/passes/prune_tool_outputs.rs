use serde_json::{Value, json};

use super::pass::{Aim, Outcome, Pass};
use crate::config::{Keys, size};
use crate::context::{Context, Form, Slot};
use crate::error::Result;
use crate::message::Role;

/// Replaces the tool outputs of older turns with placeholders, oldest first (PASS-3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PruneToolOutputs {
    /// How many of the newest turns keep their outputs.
    pub protect_turns: u64,
    /// It does nothing if the outputs take fewer tokens than this. The cost to the prompt cache is reported with its
    /// decision.
    pub min_reclaim_tokens: u64,
}

impl Default for PruneToolOutputs {
    fn default() -> Self {
        Self { protect_turns: 2, min_reclaim_tokens: 0 }
    }
}

impl PruneToolOutputs {
    pub(super) fn read(keys: &mut Keys<'_>) -> Result<Box<dyn Pass>> {
        let d = Self::default();
        Ok(Box::new(Self {
            protect_turns: keys.u64_in("protectTurns", ..)?.unwrap_or(d.protect_turns),
            min_reclaim_tokens: keys.u64_in("minReclaimTokens", ..)?.unwrap_or(d.min_reclaim_tokens),
        }))
    }

    /// Body positions of the tool outputs that may be pruned, oldest first.
    pub(super) fn prunable(self, context: &Context) -> impl Iterator<Item = usize> {
        let body = context.view.body();
        let mut turns = body.iter().enumerate().rev().filter(|(_, s)| s.message.opens_turn());
        let protected = match self.protect_turns.checked_sub(1) {
            None => body.len(),
            Some(newest) => turns.nth(size(newest)).map_or(0, |(at, _)| at),
        };
        (0..protected).filter(|at| is_output(&body[*at]))
    }

    pub(super) fn why(self) -> String {
        format!("tool outputs before the last {} turns became placeholders", self.protect_turns)
    }
}

impl Pass for PruneToolOutputs {
    fn name(&self) -> &'static str {
        "prune_tool_outputs"
    }

    fn options(&self) -> Value {
        json!({ "protectTurns": self.protect_turns, "minReclaimTokens": self.min_reclaim_tokens })
    }

    fn wants(&self, context: &Context, aim: &Aim) -> bool {
        aim.is_due(context.view.tokens())
    }

    fn run(&self, context: &mut Context, aim: &Aim) -> Result<Outcome> {
        let prunable: Vec<usize> = self.prunable(context).collect();
        let body = context.view.body();
        let reclaimable: u64 = prunable.iter().map(|at| body[*at].tokens()).sum();
        if reclaimable < self.min_reclaim_tokens {
            return Ok(Outcome::Unchanged);
        }
        let items = context.prune(&prunable, aim.target)?;
        Ok(Outcome::changed(items, self.why()))
    }

    fn prunes(&self) -> Option<PruneToolOutputs> {
        Some(*self)
    }
}

/// A tool output, or a system message that holds one.
fn is_output(slot: &Slot) -> bool {
    slot.form != Form::Placeholder && (slot.message.role == Role::Tool || slot.message.is_output_note())
}

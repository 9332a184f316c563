use super::options::options;
use super::pass::{Aim, Outcome, Pass};
use crate::config::size;
use crate::context::{Context, Form, Slot};
use crate::error::Result;
use crate::message::Role;

options! {
    /// Replaces the tool outputs of older turns with placeholders, oldest first (PASS-3).
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct PruneToolOutputs {
        /// How many of the newest turns keep their outputs.
        "protectTurns": u64_in(..) => protect_turns: u64 = 2,
        /// It does nothing if the outputs take fewer tokens than this. The cost to the prompt cache is reported with its
        /// decision.
        "minReclaimTokens": u64_in(..) => min_reclaim_tokens: u64 = 0,
    }
}

impl PruneToolOutputs {
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
}

/// A tool output, or a system message that holds one.
fn is_output(slot: &Slot) -> bool {
    slot.form != Form::Placeholder && (slot.message.role == Role::Tool || slot.message.is_output_note())
}

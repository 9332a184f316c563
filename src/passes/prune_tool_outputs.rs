use serde_json::{Value, json};

use super::pass::{Aim, Outcome, Pass};
use crate::config::{Keys, size};
use crate::context::{Context, Form, NodeIndex, Slot};
use crate::error::Result;
use crate::message::Role;

const WHY: &str = "an older turn's tool output; its ref opens it";

/// Makes placeholders of the tool outputs of older turns, oldest first (PASS-3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PruneToolOutputs {
    /// The newest turns whose outputs stay.
    pub protect_turns: u64,
    /// It does nothing for less than this: each time the provider's prompt cache is lost from there on (PASS-10).
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
        let body = context.view.body();
        let mut turns = body.iter().enumerate().rev().filter(|(_, s)| s.message.opens_turn());
        let protected = match self.protect_turns.checked_sub(1) {
            None => body.len(),
            Some(newest) => turns.nth(size(newest)).map_or(0, |(at, _)| at),
        };
        let prunable: Vec<usize> = (0..protected).filter(|at| is_output(&body[*at])).collect();
        let reclaimable: u64 = prunable.iter().map(|at| body[*at].tokens()).sum();
        if reclaimable < self.min_reclaim_tokens {
            return Ok(Outcome::Unchanged);
        }
        let mut items: Vec<NodeIndex> = Vec::new();
        for at in prunable {
            if context.view.tokens() <= aim.low {
                break;
            }
            let pruned = match context.view.body()[at].message.role {
                Role::Tool => context.make_placeholder(at),
                _ => context.make_text_placeholder(at)?,
            };
            if pruned {
                items.push(context.view.body()[at].node);
            }
        }
        for item in &items {
            context.note_left_out(*item, WHY, None);
        }
        context.emit_trimmed(&items, WHY);
        let turns = self.protect_turns;
        Ok(Outcome::changed(items, format!("tool outputs before the last {turns} turns became placeholders")))
    }
}

/// A tool output, or a system message that holds one.
fn is_output(slot: &Slot) -> bool {
    slot.form != Form::Placeholder
        && match slot.message.role {
            Role::Tool => true,
            Role::System => slot.message.plain_text().starts_with("[tool:"),
            _ => false,
        }
}

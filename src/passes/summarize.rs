use super::{Aim, Outcome, Pass};
use crate::compaction::{Keep, plan};
use crate::context::Context;
use crate::error::Result;

/// Folds everything but the last turns into a summary (COMP-7), and the earlier steps of a turn that is too long
/// (COMP-7b).
#[derive(Debug, Clone, Copy)]
pub struct Summarize {
    /// Turns that stay whole.
    pub keep_turns: u64,
    /// Fill the target, instead of keeping the last turns alone.
    pub fill: bool,
}

impl Pass for Summarize {
    fn name(&self) -> &'static str {
        "summarize"
    }

    fn run(&self, context: &mut Context, aim: &Aim) -> Result<Outcome> {
        let tokens = context.view.tokens();
        if tokens < aim.threshold && tokens <= aim.most {
            return Ok(Outcome::Unchanged);
        }
        let plan = plan(context, Keep { turns: self.keep_turns, target: Some(aim.low), fill: self.fill });
        Ok(plan.filter(|p| aim.worth(p, tokens)).map_or(Outcome::Unchanged, Outcome::Fold))
    }
}

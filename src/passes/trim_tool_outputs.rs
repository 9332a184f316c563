use super::options::options;
use super::pass::{Aim, Outcome, Pass};
use crate::context::{Context, LOW_RATIO, OutputBudget};
use crate::error::Result;

options! {
    /// Replaces the oldest tool outputs with placeholders if together they exceed their budget (CACHE-4, PASS-9).
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct TrimToolOutputs {
        /// The budget in tokens; `None`: that of `toolOutputCache`.
        "budgetTokens": u64_or_null(..) => budget_tokens: Option<u64> = None,
        /// A trim goes down to this share of the budget, so that trims are rare: each one invalidates the prompt cache from
        /// there on.
        "lowRatio": number_in(0.0..=1.0) => low_ratio: f64 = LOW_RATIO,
        /// Whether it does nothing while a fold is near, which would take the oldest outputs anyway.
        "waitForFold": bool => waits_for_fold: bool = true,
        besides {
            /// Whether a pass behind it folds.
            fold_behind: bool = false,
        }
    }
}

impl TrimToolOutputs {
    /// Whether it leaves a view alone that will soon be folded.
    pub fn waits(&self) -> bool {
        self.waits_for_fold && self.fold_behind
    }

    fn budget(&self, context: &Context) -> OutputBudget {
        self.budget_tokens.map_or(context.output_budget, |tokens| OutputBudget::new(tokens, self.low_ratio))
    }
}

impl Pass for TrimToolOutputs {
    fn name(&self) -> &'static str {
        "trim_tool_outputs"
    }

    fn wants(&self, context: &Context, aim: &Aim) -> bool {
        context.output_config.enabled
            && context.view.can_trim()
            && context.view.output_tokens() > self.budget(context).limit
            && !(self.waits() && aim.fold_near().contains(&context.view.tokens()))
    }

    fn run(&self, context: &mut Context, _: &Aim) -> Result<Outcome> {
        let budget = self.budget(context);
        let items = context.trim_outputs_to(budget);
        Ok(Outcome::changed(items, budget.why()))
    }

    fn set_neighbours(&mut self, _: &[Box<dyn Pass>], behind: &[Box<dyn Pass>]) {
        self.fold_behind = behind.iter().any(|pass| pass.folds());
    }

    fn budgets(&self, context: &Context, _: &Aim) -> Vec<(&'static str, u64)> {
        if context.output_config.enabled {
            vec![("tool_outputs", self.budget(context).limit)]
        } else {
            Vec::new()
        }
    }
}

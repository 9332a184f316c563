use serde_json::{Value, json};

use super::pass::{Aim, Outcome, Pass};
use crate::config::Keys;
use crate::context::{Context, LOW_RATIO, OutputBudget};
use crate::error::Result;

/// Replaces the oldest tool outputs with placeholders if together they exceed their budget (CACHE-4, PASS-9).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrimToolOutputs {
    /// The budget in tokens; `None`: that of `toolOutputCache`.
    pub budget_tokens: Option<u64>,
    /// A trim goes down to this share of the budget, so that trims are rare: each one invalidates the prompt cache from
    /// there on.
    pub low_ratio: f64,
    /// Whether it does nothing while a fold is near, which would take the oldest outputs anyway.
    pub waits_for_fold: bool,
    /// Whether a pass behind it folds.
    pub(super) fold_behind: bool,
}

impl Default for TrimToolOutputs {
    fn default() -> Self {
        Self { budget_tokens: None, low_ratio: LOW_RATIO, waits_for_fold: true, fold_behind: false }
    }
}

impl TrimToolOutputs {
    pub(super) fn read(keys: &mut Keys<'_>) -> Result<Box<dyn Pass>> {
        let d = Self::default();
        Ok(Box::new(Self {
            budget_tokens: keys.or_null("budgetTokens", |k, key| k.u64_in(key, ..))?.flatten(),
            low_ratio: keys.number_in("lowRatio", 0.0..=1.0)?.unwrap_or(d.low_ratio),
            waits_for_fold: keys.bool("waitForFold")?.unwrap_or(d.waits_for_fold),
            ..d
        }))
    }

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

    fn options(&self) -> Value {
        json!({
            "budgetTokens": self.budget_tokens,
            "lowRatio": self.low_ratio,
            "waitForFold": self.waits_for_fold,
        })
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

    fn trims(&self) -> Option<Self> {
        Some(*self)
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

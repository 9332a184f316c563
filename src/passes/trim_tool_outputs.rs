use serde_json::{Value, json};

use super::pass::{Aim, Outcome, Pass};
use crate::config::Keys;
use crate::context::Context;
use crate::error::Result;

/// Makes placeholders of the oldest tool outputs until all of them are within their budget (CACHE-4, PASS-9).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TrimToolOutputs {
    /// The budget in tokens; `None`: that of `toolOutputCache`.
    pub budget_tokens: Option<u64>,
}

impl TrimToolOutputs {
    pub(super) fn read(keys: &mut Keys<'_>) -> Result<Box<dyn Pass>> {
        Ok(Box::new(Self {
            budget_tokens: keys.or_null("budgetTokens", |k, key| k.u64_in(key, ..))?.flatten(),
        }))
    }

    fn budget(&self, context: &Context) -> u64 {
        self.budget_tokens.unwrap_or(context.output_budget)
    }
}

impl Pass for TrimToolOutputs {
    fn name(&self) -> &'static str {
        "trim_tool_outputs"
    }

    fn options(&self) -> Value {
        json!({ "budgetTokens": self.budget_tokens })
    }

    fn wants(&self, context: &Context, _: &Aim) -> bool {
        context.output_config.enabled
            && context.view.can_trim()
            && context.view.output_tokens() > self.budget(context)
    }

    fn run(&self, context: &mut Context, _: &Aim) -> Result<Outcome> {
        let budget = self.budget(context);
        let items = context.trim_outputs_to(budget);
        Ok(Outcome::changed(
            items,
            format!("all tool outputs may have {budget} tokens: the oldest became placeholders"),
        ))
    }

    fn budgets(&self, context: &Context, _: &Aim) -> Vec<(&'static str, u64)> {
        if context.output_config.enabled { vec![("tool_outputs", self.budget(context))] } else { Vec::new() }
    }
}

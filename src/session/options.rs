//! Changes options while a session goes on.
//!
//! Options are kept as they were given (`SessionConfig::given`). A change is merged into them and all of them are read again, so a
//! changed option means the same as if it had been given at construction.

use super::config::SessionConfig;
use super::refusals::Refusals;
use super::state::{Session, counter_for};
use crate::tokens::{Counter, count_tools};

impl Session {
    /// Replaces the options, and the counter if one is given. Limit, threshold and counts are judged anew at once (COMP-22). A run
    /// that waits for a summary goes on with the new options; if the ladder changed, the run is stale.
    ///
    /// Counts stay the same with another model, unless its provider counts images or tools by another rule. What was learnt from
    /// reported usage belongs to one model, and is used again when that model comes back.
    pub fn set_options(&mut self, config: SessionConfig, counter: Option<Counter>) {
        let (low, budget) = (self.aim(false).target, self.context.output_budget.limit);
        let before = std::mem::replace(&mut self.config, config);
        let model = self.config.model.as_deref();
        let is_new_counter = counter.is_some();
        if let Some(counter) = counter {
            self.counting.counter = counter;
        }
        self.counting.accuracy.change(model, !self.config.uncalibrated, is_new_counter);
        if before.model.as_deref() != model {
            self.counting.usage = None; // another model counts differently
            self.runs.refusals = Refusals::default();
        }
        let counter = counter_for(model, self.counting.counter.clone());
        if is_new_counter || counter.rules() != self.context.counter.rules() {
            let tools = (!self.prompt.tools.is_empty()).then(|| count_tools(&self.tools(), &*counter));
            self.context.recount(counter, tools);
        } else {
            self.context.counter = counter;
        }
        self.context.set_output_config(self.config.tool_output_cache.clone(), self.config.output_budget());
        self.context.set_media_budget(self.config.media);
        if before.ladder != self.config.ladder {
            self.runs.revision += 1;
            self.runs.stale_before = self.runs.revision;
            self.context.set_merging(self.config.ladder.builds_from_turns());
        }
        if self.aim(false).target > low.saturating_add(low / 10) || self.context.output_budget.limit > budget
        {
            self.context.view.expect_room();
        }
        self.update_wording();
        self.drop_bound_thinking(&[]);
        self.drop_unwanted_background();
        self.runs.prepared_at = None;
    }
}

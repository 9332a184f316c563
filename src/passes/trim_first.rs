use super::options::Options;
use super::pass::{Aim, Outcome, Pass};
use crate::context::Context;
use crate::error::Result;

const WHY: &str = "outputs of tools that `toolOutputCache.tools` marks \"first\" became placeholders";

/// Replaces the outputs of tools that are configured to go first (`toolOutputCache.tools`) with placeholders, oldest first,
/// until the view is as small as a compaction would make it. It is part of every ladder, and does nothing if no tool is
/// configured so.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TrimFirst;

impl Options for TrimFirst {}

impl Pass for TrimFirst {
    fn name(&self) -> &'static str {
        "trim_tool_outputs"
    }

    fn wants(&self, context: &Context, aim: &Aim) -> bool {
        context.output_config.enabled
            && context.output_config.tools.any_first()
            && aim.is_due(context.view.tokens())
    }

    fn run(&self, context: &mut Context, aim: &Aim) -> Result<Outcome> {
        let mut items = Vec::new();
        for at in context.first_outputs() {
            if context.view.tokens() <= aim.target {
                break;
            }
            if context.make_placeholder(at) {
                items.push(context.view.body()[at].node);
            }
        }
        context.note_trimmed(&items, WHY);
        Ok(Outcome::changed(items, WHY))
    }
}

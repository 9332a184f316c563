use serde_json::{Value, json};

use super::options::Options;
use super::pass::{Aim, Outcome, Pass};
use crate::config::Keys;
use crate::context::{Context, Form, NodeIndex};
use crate::error::Result;
use crate::message::Role;
use crate::tool_output::{HeadTail, truncate_head_tail};

const WHY: &str = "a long tool output keeps only its head and tail; the full output can be read by its ref";

/// The last resort of the steps document: long tool outputs keep only their head and their tail (CACHE-9), oldest first,
/// until the view is below its threshold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TruncateHeadTail(pub HeadTail);

impl Options for TruncateHeadTail {
    fn options(&self) -> Value {
        json!({ "max": self.0.max, "head": self.0.head, "tail": self.0.tail })
    }

    fn read(keys: &mut Keys<'_>) -> Result<Box<dyn Pass>> {
        Ok(Box::new(Self(HeadTail::from_keys(keys)?)))
    }
}

impl Pass for TruncateHeadTail {
    fn name(&self) -> &'static str {
        "truncate_head_tail"
    }

    fn wants(&self, context: &Context, aim: &Aim) -> bool {
        aim.is_due(context.view.tokens())
    }

    fn run(&self, context: &mut Context, aim: &Aim) -> Result<Outcome> {
        let mut items: Vec<NodeIndex> = Vec::new();
        for at in 0..context.view.body().len() {
            if !aim.is_due(context.view.tokens()) {
                break;
            }
            let slot = &context.view.body()[at];
            let whole = matches!(slot.form, Form::Whole | Form::Cut | Form::Compressed);
            if slot.message.role != Role::Tool || !whole {
                continue;
            }
            if context.shorten_output(at, Form::Truncated, |text| truncate_head_tail(text, &self.0))? {
                items.push(context.view.body()[at].node);
            }
        }
        context.note_trimmed(&items, WHY);
        Ok(Outcome::changed(
            items,
            format!("tool outputs over {} characters were cut in the middle", self.0.max),
        ))
    }
}

use std::collections::HashMap;

use serde_json::{Value, json};

use super::pass::{Aim, Outcome, Pass};
use crate::context::{Context, Form, NodeIndex};
use crate::error::Result;
use crate::message::{Part, Role};

const WHY: &str = "the same output stands further down";

/// Of identical tool outputs the newest stays, and the older ones point to it (PASS-13).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DedupeReads;

impl Pass for DedupeReads {
    fn name(&self) -> &'static str {
        "dedupe_reads"
    }

    fn options(&self) -> Value {
        json!({})
    }

    fn wants(&self, context: &Context, aim: &Aim) -> bool {
        aim.is_due(context.view.tokens())
    }

    fn run(&self, context: &mut Context, _: &Aim) -> Result<Outcome> {
        let mut newest: HashMap<Vec<&str>, NodeIndex> = HashMap::new();
        let mut older: Vec<(usize, NodeIndex)> = Vec::new();
        for (at, slot) in context.view.body().iter().enumerate().rev() {
            if slot.message.role != Role::Tool || !matches!(slot.form, Form::Whole | Form::Cut) {
                continue;
            }
            let Some(texts) = whole_texts(context, slot.node) else { continue };
            match newest.get(&texts) {
                Some(target) => older.push((at, *target)),
                None => {
                    newest.insert(texts, slot.node);
                }
            }
        }
        let mut items = Vec::new();
        for (at, target) in older.into_iter().rev() {
            if context.point_to(at, target) {
                items.push(context.view.body()[at].node);
            }
        }
        context.note_trimmed(&items, WHY);
        Ok(Outcome::changed(items, "of identical tool outputs the newest stays"))
    }
}

/// The texts of a tool output as it was pushed; none where something else stands in it.
fn whole_texts(context: &Context, node: NodeIndex) -> Option<Vec<&str>> {
    fn text(part: &Part) -> Option<&str> {
        match part {
            Part::Text { text, .. } => Some(text),
            _ => None,
        }
    }
    context.history.node(node).message.tool_outputs().flat_map(|o| &o.content).map(text).collect()
}

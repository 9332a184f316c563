use std::collections::HashMap;

use serde_json::{Value, json};

use super::pass::{Aim, Outcome, Pass};
use crate::context::{Context, Slot};
use crate::error::Result;
use crate::message::{ItemType, Role};

const WHY: &str = "ephemeral: newer ones of its kind have come";

/// Of ephemeral messages only the newest of their kind stay (PASS-12). A tool output keeps its pair and loses its content.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ephemeral;

/// What counts as one kind: the outputs of one tool, or the messages of one item type.
#[derive(PartialEq, Eq, Hash)]
enum Kind {
    Tool(String),
    Type(ItemType),
}

impl Pass for Ephemeral {
    fn name(&self) -> &'static str {
        "ephemeral"
    }

    fn options(&self) -> Value {
        json!({})
    }

    fn wants(&self, context: &Context, _: &Aim) -> bool {
        context.history.has_ephemeral()
    }

    fn run(&self, context: &mut Context, _: &Aim) -> Result<Outcome> {
        let outlived = outlived(context);
        let newest_user = context.view.body().iter().rev().find(|s| s.message.opens_turn()).map(|s| s.node);
        let (mut outputs, mut others) = (Vec::new(), Vec::new());
        for at in outlived {
            let slot = &context.view.body()[at];
            let (node, role) = (slot.node, slot.message.role);
            if context.history.node(node).pinned || Some(node) == newest_user {
                continue;
            }
            match role {
                Role::Tool if context.empty_output(at) => outputs.push(node),
                Role::User | Role::System | Role::Developer => others.push(node),
                _ => {}
            }
        }
        for node in &outputs {
            context.note_left_out(*node, WHY, None);
        }
        context.drop_from_view(&others, WHY);
        Ok(Outcome::changed([outputs, others].concat(), WHY))
    }
}

/// Body positions of the ephemeral messages that enough newer ones of their kind outlive.
fn outlived(context: &Context) -> Vec<usize> {
    let tools: HashMap<&str, &str> = context
        .view
        .body()
        .iter()
        .flat_map(|s| s.message.tool_calls())
        .map(|c| (c.id.as_str(), c.name.as_str()))
        .collect();
    let kind = |slot: &Slot| match slot.message.tool_outputs().next() {
        Some(output) => Kind::Tool((*tools.get(output.call_id.as_str()).unwrap_or(&"")).to_owned()),
        None => Kind::Type(slot.message.item_type()),
    };
    let mut newer: HashMap<Kind, u32> = HashMap::new();
    let mut outlived = Vec::new();
    for (at, slot) in context.view.body().iter().enumerate().rev() {
        let Some(keep) = slot.message.meta.ephemeral else { continue };
        let newer = newer.entry(kind(slot)).or_default();
        if *newer >= keep {
            outlived.push(at);
        }
        *newer += 1;
    }
    outlived.reverse();
    outlived
}

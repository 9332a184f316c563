use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use super::pass::{Aim, Outcome, Pass};
use crate::context::{Context, NodeIndex};
use crate::error::Result;
use crate::message::{ItemType, Role};

const WHY: &str = "ephemeral: newer ones of its kind have come";

/// Keeps only the newest ephemeral messages of each kind (PASS-12). An older tool output keeps its pair and loses its
/// content.
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
        context.view.has_ephemeral_news()
    }

    fn run(&self, context: &mut Context, _: &Aim) -> Result<Outcome> {
        let standing = context.view.ephemeral();
        let outlived = outlived(context, &standing);
        let newest_user = context.view.body().iter().rev().find(|s| s.message.opens_turn()).map(|s| s.node);
        let (mut outputs, mut others) = (Vec::new(), Vec::new());
        let mut done: HashSet<usize> = HashSet::new();
        for at in outlived.iter().copied() {
            let slot = &context.view.body()[at];
            let (node, role) = (slot.node, slot.message.role);
            if Some(node) == newest_user {
                continue;
            }
            done.insert(at);
            if context.history.node(node).pinned {
                continue;
            }
            match role {
                Role::Tool if context.empty_output(at) => outputs.push(node),
                Role::User | Role::System | Role::Developer => others.push(node),
                _ => {}
            }
        }
        if let Some(at) = begins_with(context, &others) {
            done.remove(&at);
            others.retain(|node| *node != context.view.body()[at].node);
        }
        // Messages that are done still count as newer ones for those before them, as long as there are any.
        let first = standing.iter().position(|at| !done.contains(at)).unwrap_or(standing.len());
        let staying = standing[first..].iter().map(|at| context.view.body()[*at].node).collect();
        context.view.settle_ephemeral(&staying, done.len() < outlived.len());
        for node in &outputs {
            context.note_left_out(*node, WHY, None);
        }
        context.drop_from_view(&others, WHY);
        Ok(Outcome::changed([outputs, others].concat(), WHY))
    }
}

/// The body position of a user message in `goes` that must stay because the view would otherwise begin with an answer.
fn begins_with(context: &Context, goes: &[NodeIndex]) -> Option<usize> {
    let mut asked = None;
    for (at, slot) in context.view.body().iter().enumerate() {
        match slot.message.role {
            Role::User if goes.contains(&slot.node) => asked = Some(at),
            Role::User => return None,
            Role::Assistant | Role::Tool => return asked,
            Role::System | Role::Developer => {}
        }
    }
    None
}

/// Those of these ephemeral messages (body positions) that have enough newer ones of their kind behind them.
fn outlived(context: &Context, standing: &[usize]) -> Vec<usize> {
    let body = context.view.body();
    let tool = |at: usize, call_id: &str| {
        let mut calls = body[..at].iter().rev().flat_map(|s| s.message.tool_calls());
        calls.find(|call| call.id == call_id).map_or_else(String::new, |call| call.name.clone())
    };
    let kind = |at: usize| match body[at].message.tool_outputs().next() {
        Some(output) => Kind::Tool(tool(at, &output.call_id)),
        None => Kind::Type(body[at].message.item_type()),
    };
    let mut newer: HashMap<Kind, u32> = HashMap::new();
    let mut outlived = Vec::new();
    for at in standing.iter().rev().copied() {
        let Some(keep) = body[at].message.meta.ephemeral else { continue };
        let newer = newer.entry(kind(at)).or_default();
        if *newer >= keep {
            outlived.push(at);
        }
        *newer += 1;
    }
    outlived.reverse();
    outlived
}

use super::options::Options;
use super::pass::{Aim, Outcome, Pass};
use crate::context::{Context, NodeIndex};
use crate::error::Result;
use crate::hashing::{HashMap, HashSet};
use crate::message::{ItemType, Role};

const WHY: &str = "ephemeral: newer messages of its kind have arrived";

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

impl Options for Ephemeral {}

impl Pass for Ephemeral {
    fn name(&self) -> &'static str {
        "ephemeral"
    }

    fn wants(&self, context: &Context, _: &Aim) -> bool {
        context.view.has_ephemeral_news()
    }

    fn run(&self, context: &mut Context, _: &Aim) -> Result<Outcome> {
        let ephemeral = context.view.ephemeral();
        let outdated = outdated(context, &ephemeral);
        let newest_user = context.view.body().iter().rev().find(|s| s.message.opens_turn()).map(|s| s.node);
        let (mut outputs, mut others) = (Vec::new(), Vec::new());
        let mut done: HashSet<usize> = HashSet::default();
        for at in outdated.iter().copied() {
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
        if let Some(at) = removed_but_needed_first(context, &others) {
            done.remove(&at);
            others.retain(|node| *node != context.view.body()[at].node);
        }
        // Messages that are done still count as newer ones for those before them, as long as there are any.
        let first = ephemeral.iter().position(|at| !done.contains(at)).unwrap_or(ephemeral.len());
        let staying = ephemeral[first..].iter().map(|at| context.view.body()[*at].node).collect();
        context.view.set_ephemeral(&staying, done.len() < outdated.len());
        for node in &outputs {
            context.note_left_out(*node, WHY, None);
        }
        context.drop_from_view(&others, WHY);
        Ok(Outcome::changed([outputs, others].concat(), WHY))
    }
}

/// The body position of a user message in `removed` that must stay because the view would otherwise begin with an answer.
fn removed_but_needed_first(context: &Context, removed: &[NodeIndex]) -> Option<usize> {
    let mut user = None;
    for (at, slot) in context.view.body().iter().enumerate() {
        match slot.message.role {
            Role::User if removed.contains(&slot.node) => user = Some(at),
            Role::User => return None,
            Role::Assistant | Role::Tool => return user,
            Role::System | Role::Developer => {}
        }
    }
    None
}

/// Those of these ephemeral messages (body positions) that have enough newer ones of their kind behind them.
fn outdated(context: &Context, ephemeral: &[usize]) -> Vec<usize> {
    let body = context.view.body();
    let tool = |at: usize, call_id: &str| {
        let mut calls = body[..at].iter().rev().flat_map(|s| s.message.tool_calls());
        calls.find(|call| call.id == call_id).map_or_else(String::new, |call| call.name.clone())
    };
    let kind = |at: usize| match body[at].message.tool_outputs().next() {
        Some(output) => Kind::Tool(tool(at, &output.call_id)),
        None => Kind::Type(body[at].message.item_type()),
    };
    let mut newer: HashMap<Kind, u32> = HashMap::default();
    let mut outdated = Vec::new();
    for at in ephemeral.iter().rev().copied() {
        let Some(keep) = body[at].message.meta.ephemeral else { continue };
        let newer = newer.entry(kind(at)).or_default();
        if *newer >= keep {
            outdated.push(at);
        }
        *newer += 1;
    }
    outdated.reverse();
    outdated
}

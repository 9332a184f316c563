use std::collections::HashMap;

use serde_json::{Value, json};

use super::pass::{Aim, Outcome, Pass};
use crate::context::{Context, Form, NodeIndex};
use crate::error::Result;
use crate::hashing::hash;
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
        // Most outputs look like no other one: only those that do are read as a whole.
        let outputs = context.view.body().iter().enumerate().rev().filter_map(|(at, slot)| {
            let whole = slot.message.role == Role::Tool && matches!(slot.form, Form::Whole | Form::Cut);
            let looks = if whole { looks(context, slot.node) } else { None };
            Some((at, slot.node, looks?))
        });
        let outputs = outputs.collect::<Vec<_>>();
        let mut by_looks: Vec<(u64, u32)> =
            outputs.iter().zip(0..).map(|((.., looks), i)| (*looks, i)).collect();
        by_looks.sort_unstable();
        let mut alike = vec![false; outputs.len()];
        for same in by_looks.chunk_by(|(a, _), (b, _)| a == b).filter(|same| same.len() > 1) {
            for (_, i) in same {
                alike[*i as usize] = true;
            }
        }
        let mut newest: HashMap<Vec<Option<&str>>, NodeIndex> = HashMap::new();
        let mut older: Vec<(usize, NodeIndex)> = Vec::new();
        for ((at, node, _), _) in outputs.iter().zip(&alike).filter(|(_, alike)| **alike) {
            let texts = texts(context, *node).collect::<Vec<_>>();
            match newest.get(&texts) {
                Some(target) => older.push((*at, *target)),
                None => {
                    newest.insert(texts, *node);
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

/// How a tool output looks from afar: how many texts it has, how long they are, and the first one's two ends. `None` where
/// something else than text stands in it.
fn looks(context: &Context, node: NodeIndex) -> Option<u64> {
    const END: usize = 24;
    let (mut parts, mut bytes) = (0u32, 0);
    for text in texts(context, node) {
        parts += 1;
        bytes += text?.len();
    }
    let first = texts(context, node).next().flatten().unwrap_or_default().as_bytes();
    let end = first.len().min(END);
    let mut looks = [0; 2 * END];
    looks[..end].copy_from_slice(&first[..end]);
    looks[END..END + end].copy_from_slice(&first[first.len() - end..]);
    Some(hash(&looks) ^ hash(&u64::to_le_bytes(bytes as u64)).rotate_left(parts))
}

/// The texts of a tool output as it was pushed; `None` for what is none.
fn texts(context: &Context, node: NodeIndex) -> impl Iterator<Item = Option<&str>> {
    fn text(part: &Part) -> Option<&str> {
        match part {
            Part::Text { text, .. } => Some(text),
            _ => None,
        }
    }
    context.history.node(node).message.tool_outputs().flat_map(|o| &o.content).map(text)
}

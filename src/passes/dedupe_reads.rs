use super::options::Options;
use super::pass::{Aim, Outcome, Pass};
use crate::context::{Context, Form, NodeIndex, Slot};
use crate::error::Result;
use crate::hashing::HashMap;
use crate::message::Role;

const WHY: &str = "the same output appears again later";

/// Keeps the newest of identical tool outputs; older ones become pointers to it (PASS-13).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DedupeReads;

impl Options for DedupeReads {}

impl Pass for DedupeReads {
    fn name(&self) -> &'static str {
        "dedupe_reads"
    }

    fn wants(&self, context: &Context, aim: &Aim) -> bool {
        aim.is_due(context.view.tokens())
    }

    fn run(&self, context: &mut Context, _: &Aim) -> Result<Outcome> {
        // Only outputs that look alike are compared in full.
        let candidates = context.possible_duplicates().clone();
        if candidates.is_empty() {
            return Ok(Outcome::Unchanged);
        }
        let is_whole =
            |slot: &Slot| slot.message.role == Role::Tool && matches!(slot.form, Form::Whole | Form::Cut);
        let outputs = context.view.body().iter().enumerate().rev();
        let outputs = outputs.filter(|(_, slot)| candidates.contains(&slot.node) && is_whole(slot));
        let mut newest: HashMap<Vec<Option<&str>>, NodeIndex> = HashMap::default();
        let mut older: Vec<(usize, NodeIndex)> = Vec::new();
        for (at, Slot { node, .. }) in outputs {
            let texts = context.history.output_texts(*node).collect::<Vec<_>>();
            match newest.get(&texts) {
                Some(target) => older.push((at, *target)),
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
        Ok(Outcome::changed(items, "only the newest of identical tool outputs was kept"))
    }
}

//! A pass that the host implements. Its callback receives the view's items and returns ids to trim or drop. Ids that must
//! stay are refused. The engine keeps steps, pins and undo intact, as for any other pass.

use serde_json::{Value, json};

use super::ladder::BEFORE;
use super::options::Options;
use super::pass::{Aim, Outcome, Pass, Step};
use crate::config::Keys;
use crate::context::{Context, CustomItem, NodeIndex, NodeKind, Unit, Verdict, begin_with_user};
use crate::error::Result;
use crate::hashing::HashMap;
use crate::message::Role;

const WHY: &str = "a custom pass removed it";

/// A pass that the host implements. Its function is kept elsewhere, because options are plain data. Without the function (in
/// a restored session), the pass does nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Custom {
    /// The name that its decisions are reported under.
    pub name: Option<String>,
    /// Its index in the ladder's list.
    place: usize,
}

impl Custom {
    fn description(&self) -> String {
        self.name
            .as_ref()
            .map_or_else(|| "the custom pass".to_owned(), |name| format!("the custom pass `{name}`"))
    }
}

impl Options for Custom {
    fn options(&self) -> Value {
        self.name.as_ref().map_or_else(|| json!({}), |name| json!({ "name": name }))
    }

    fn read(keys: &mut Keys<'_>) -> Result<Box<dyn Pass>> {
        Ok(Box::new(Self { name: keys.name("name")?, place: 0 }))
    }
}

impl Pass for Custom {
    fn name(&self) -> &'static str {
        "custom"
    }

    fn wants(&self, context: &Context, aim: &Aim) -> bool {
        context.customs.contains_key(&self.place) && aim.is_due(context.view.tokens())
    }

    fn run(&self, context: &mut Context, aim: &Aim) -> Result<Outcome> {
        let Some(run) = context.customs.get(&self.place).cloned() else { return Ok(Outcome::Unchanged) };
        let tokens_before = context.view.tokens();
        let step = |context: &Context, items: Vec<NodeIndex>, why: String| {
            let tokens_after = context.view.tokens();
            Ok(Outcome::Steps(vec![Step { pass: "custom", tokens_before, tokens_after, items, why }]))
        };
        let verdict = match run(&items(context), tokens_before.saturating_sub(aim.target)) {
            Ok(verdict) => verdict,
            Err(error) => {
                let why = format!("{} did nothing: {}", self.description(), error.message());
                return step(context, Vec::new(), why);
            }
        };
        if verdict == Verdict::default() {
            return Ok(Outcome::Unchanged);
        }
        let mut refused = Vec::new();
        let trimmed = trim(context, &verdict.trim, &mut refused);
        let dropped = drop_units(context, &verdict.drop, &mut refused);
        let mut why =
            format!("{} removed {} and trimmed {}", self.description(), dropped.len(), trimmed.len());
        if !refused.is_empty() {
            why = format!("{why}; refused: {}", refused.join("; "));
        }
        step(context, [trimmed, dropped].concat(), why)
    }

    fn set_neighbours(&mut self, before: &[Box<dyn Pass>], _: &[Box<dyn Pass>]) {
        self.place = before.len().saturating_sub(BEFORE);
    }

    fn host_function(&self) -> Option<usize> {
        Some(self.place)
    }
}

fn item_id(context: &Context, node: NodeIndex) -> String {
    context.history.node(node).id.to_string()
}

/// The view's body as the callback sees it.
fn items(context: &Context) -> Vec<CustomItem> {
    let mut age = 0;
    let mut items: Vec<CustomItem> = Vec::with_capacity(context.view.body().len());
    for slot in context.view.body().iter().rev() {
        let node = context.history.node(slot.node);
        let answers = slot.message.tool_outputs().next().map(|output| output.call_id.as_str());
        let caller = context.history.caller(slot.node).map(|caller| &context.history.node(caller).message);
        let call = caller.and_then(|m| m.tool_calls().find(|call| Some(call.id.as_str()) == answers));
        items.push(CustomItem {
            id: item_id(context, slot.node),
            role: slot.message.role,
            item_type: slot.message.item_type(),
            tool: call.map(|call| call.name.clone()),
            tokens: slot.tokens(),
            form: slot.form.as_str(),
            age,
            pinned: node.pinned,
        });
        age += u64::from(slot.message.role == Role::Assistant && node.kind == NodeKind::Message);
    }
    items.reverse();
    items
}

/// Replaces these outputs with placeholders.
fn trim(context: &mut Context, ids: &[String], refused: &mut Vec<String>) -> Vec<NodeIndex> {
    let mut trimmed = Vec::new();
    for id in ids {
        let node = context.history.find(id);
        let at = node.and_then(|node| context.view.position(node));
        let Some((node, at)) = node.zip(at) else {
            refused.push(format!("`{id}` is not in the view"));
            continue;
        };
        if context.view.body()[at].message.role != Role::Tool {
            refused.push(format!("`{id}` is not a tool output, and only tool outputs can be trimmed"));
        } else if context.history.node(node).pinned {
            refused.push(format!("`{id}` is pinned"));
        } else if context.make_placeholder(at) {
            trimmed.push(node);
        } else {
            refused.push(format!("`{id}` would not get smaller, or must be kept"));
        }
    }
    context.note_trimmed(&trimmed, WHY);
    trimmed
}

/// Removes whole units.
fn drop_units(context: &mut Context, ids: &[String], refused: &mut Vec<String>) -> Vec<NodeIndex> {
    let mut named: HashMap<NodeIndex, &String> = HashMap::default();
    for id in ids {
        match context.history.find(id).filter(|node| context.view.position(*node).is_some()) {
            Some(node) => drop(named.insert(node, id)),
            None => refused.push(format!("`{id}` is not in the view")),
        }
    }
    let mut units = context.units();
    let newest = units.iter().rposition(Unit::opens_turn);
    for (at, unit) in units.iter_mut().enumerate() {
        let of_it: Vec<&str> = unit.nodes.iter().filter_map(|n| named.get(n)).map(|id| id.as_str()).collect();
        if of_it.is_empty() {
            continue;
        }
        let shown = |node: &&NodeIndex| context.view.dropped(**node).is_none();
        let others = unit.nodes.iter().filter(shown).filter(|n| !named.contains_key(n));
        let others: Vec<String> = others.map(|n| format!("`{}`", item_id(context, *n))).collect();
        let why = if unit.nodes.iter().any(|n| context.history.node(*n).pinned) {
            "is pinned, or in a step with a pinned message".to_owned()
        } else if Some(at) == newest {
            "is the newest user message".to_owned()
        } else if unit.is_fold() {
            "is a summary: nothing else in the view has its content".to_owned()
        } else if unit.fixed {
            "is part of a step that is waiting for a tool output, or the provider's own compaction".to_owned()
        } else if !others.is_empty() {
            format!("can be dropped only together with the rest of its step: {}", others.join(", "))
        } else {
            unit.mark_removed();
            continue;
        };
        refused.extend(of_it.iter().map(|id| format!("`{id}` {why}")));
    }
    let was_removed: Vec<bool> = units.iter().map(Unit::is_removed).collect();
    begin_with_user(&mut units, u64::MAX / 2);
    for (unit, was_removed) in units.iter().zip(was_removed) {
        if was_removed && !unit.is_removed() {
            let ids = unit.nodes.iter().map(|n| item_id(context, *n));
            refused.extend(
                ids.map(|id| format!("`{id}` must stay first, because a view begins with a user message")),
            );
        }
    }
    let removed = units.iter().filter(|unit| unit.is_removed()).flat_map(|unit| unit.nodes.iter().copied());
    let removed: Vec<NodeIndex> = removed.filter(|node| context.view.dropped(*node).is_none()).collect();
    context.drop_from_view(&removed, WHY);
    removed
}

use serde_json::{Map, Value, json};

use super::options::Options;
use super::pass::{Aim, Outcome, Pass};
use crate::config::{Keys, size};
use crate::context::{Context, NodeIndex, NodeSet, Place, Unit, begin_with_user, default_priority};
use crate::error::Result;
use crate::hashing::HashMap;
use crate::message::{ItemType, Role};
use crate::sorting::sort_by_key;

const WHY: &str = "the rules keep only newer messages of its type";

/// What happens to the items of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// All are removed.
    Drop,
    /// Only the newest stay.
    Truncate {
        /// How many.
        keep_recent: u64,
    },
    /// All stay.
    None,
}

/// A rule for the items of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// The type.
    pub item_type: ItemType,
    /// What happens to its items.
    pub strategy: Strategy,
    /// The rule with the lowest priority is applied first.
    pub priority: i64,
}

/// Removes items by type, the least important type first, until the view is under its threshold (PASS-6).
///
/// Types without a rule are not touched. A tool output goes with its call: if all outputs of a step go, the step keeps what
/// the assistant said in it, or goes whole if the assistant said nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selective {
    /// The rules in the order in which they apply.
    pub rules: Vec<Rule>,
}

impl Default for Selective {
    fn default() -> Self {
        use ItemType as T;
        let truncate = |item_type| Strategy::Truncate { keep_recent: default_keep_recent(item_type) };
        let rules = [
            (T::ToolResult, truncate(T::ToolResult)),
            (T::SkillPrompt, Strategy::Drop),
            (T::SkillMetadata, Strategy::Drop),
            (T::AssistantMessage, truncate(T::AssistantMessage)),
            (T::UserMessage, truncate(T::UserMessage)),
            (T::SystemPrompt, Strategy::None),
            (T::SubagentStrategy, Strategy::None),
            (T::SkillStrategy, Strategy::None),
            (T::CompactionSummary, Strategy::None),
        ];
        let rule =
            |(item_type, strategy)| Rule { item_type, strategy, priority: default_priority(item_type) };
        Self { rules: rules.into_iter().map(rule).collect() }
    }
}

impl Selective {
    /// The newest tool outputs, which stay in any case.
    fn kept_outputs(&self, outputs: &[NodeIndex]) -> NodeSet {
        let rule = self.rules.iter().find(|r| r.item_type == ItemType::ToolResult);
        let keep = match rule.map(|r| r.strategy) {
            Some(Strategy::Drop) => 0,
            Some(Strategy::Truncate { keep_recent }) => size(keep_recent),
            Some(Strategy::None) | None => outputs.len(),
        };
        outputs[outputs.len().saturating_sub(keep)..].iter().copied().collect()
    }

    /// Removes the old items of one type.
    fn apply(&self, rule: &Rule, context: &mut Context) -> Vec<NodeIndex> {
        let keep = match rule.strategy {
            Strategy::None => return Vec::new(),
            Strategy::Drop => 0,
            Strategy::Truncate { keep_recent } => size(keep_recent),
        };
        let of_type = |item_type: ItemType| -> Vec<NodeIndex> {
            let slots = context.view.body().iter();
            slots.filter(|s| s.message.item_type() == item_type).map(|s| s.node).collect()
        };
        let items = of_type(rule.item_type);
        let old: NodeSet = items[..items.len().saturating_sub(keep)].iter().copied().collect();
        if old.is_empty() {
            return Vec::new();
        }
        let kept_outputs = self.kept_outputs(&of_type(ItemType::ToolResult));
        let mut units = context.units();
        let newest_user = units.iter().rposition(Unit::opens_turn);
        let mut with_text = NodeSet::default();
        for (i, unit) in units.iter_mut().enumerate() {
            if !unit.may_be_removed() || unit.is_fold() || Some(i) == newest_user {
                continue;
            }
            let shown = unit.nodes.iter().filter(|n| context.view.dropped(**n).is_none());
            let (outputs, others): (Vec<NodeIndex>, Vec<NodeIndex>) =
                shown.copied().partition(|n| context.history.node(*n).message.role == Role::Tool);
            let all_old = |nodes: &[NodeIndex]| !nodes.is_empty() && nodes.iter().all(|n| old.contains(n));
            if all_old(&outputs) {
                unit.mark_removed();
                with_text.extend(others.into_iter().filter(|n| context.says_something(*n)));
            } else if all_old(&others) && !outputs.iter().any(|n| kept_outputs.contains(n)) {
                unit.mark_removed();
            }
        }
        begin_with_user(&mut units, 0);
        take_out(context, &units, &with_text)
    }
}

/// Removes the units that go. If the outputs of a step go, what the assistant said in it stays.
fn take_out(context: &mut Context, units: &[Unit], with_text: &NodeSet) -> Vec<NodeIndex> {
    let first = units.iter().position(|u| u.place == Place::Shown);
    let mut removed: Vec<NodeIndex> = Vec::new();
    let mut stripped: Vec<NodeIndex> = Vec::new();
    let places: HashMap<NodeIndex, usize> =
        context.view.body().iter().enumerate().map(|(at, s)| (s.node, at)).collect();
    for (i, unit) in units.iter().enumerate().filter(|(_, u)| u.is_removed()) {
        let leads = first.is_none_or(|first| i < first);
        for node in unit.nodes.iter() {
            let Some(at) = places.get(node).copied() else { continue };
            match Some(at).filter(|_| !leads && with_text.contains(node)) {
                Some(at) if context.view.body()[at].message.is_paired() => {
                    if context.strip_calls(at) {
                        stripped.push(*node);
                    }
                }
                Some(_) => {}
                None => removed.push(*node),
            }
        }
    }
    for node in &stripped {
        context.note_left_out(*node, "it was kept without its tool calls", None);
    }
    context.drop_from_view(&removed, WHY);
    stripped.extend(removed);
    stripped
}

impl Options for Selective {
    fn options(&self) -> Value {
        let rule = |rule: &Rule| {
            let mut entry = json!({ "strategy": "NONE", "priority": rule.priority });
            match rule.strategy {
                Strategy::None => {}
                Strategy::Drop => entry["strategy"] = "DROP".into(),
                Strategy::Truncate { keep_recent } => {
                    entry["strategy"] = "TRUNCATE".into();
                    entry["keepRecent"] = keep_recent.into();
                }
            }
            (rule.item_type.as_str().to_owned(), entry)
        };
        json!({ "rules": self.rules.iter().map(rule).collect::<Map<String, Value>>() })
    }

    fn read(keys: &mut Keys<'_>) -> Result<Box<dyn Pass>> {
        let Some(mut given) = keys.object("rules")? else { return Ok(Box::new(Self::default())) };
        let mut rules = Vec::new();
        for item_type in ItemType::ALL {
            if let Some(mut keys) = given.object(item_type.as_str())? {
                rules.push(read_rule(item_type, &mut keys)?);
                keys.finish()?;
            }
        }
        given.finish()?;
        sort_by_key(&mut rules, |rule| rule.priority);
        Ok(Box::new(Self { rules }))
    }
}

impl Pass for Selective {
    fn name(&self) -> &'static str {
        "selective"
    }

    fn wants(&self, context: &Context, aim: &Aim) -> bool {
        aim.is_due(context.view.tokens())
    }

    fn drops_part(&self, item_type: ItemType) -> bool {
        self.rules.iter().any(|rule| rule.item_type == item_type && rule.strategy != Strategy::None)
    }

    fn run(&self, context: &mut Context, aim: &Aim) -> Result<Outcome> {
        let mut items = Vec::new();
        for rule in &self.rules {
            items.extend(drop_parts(rule, context));
            items.extend(self.apply(rule, context));
            let tokens = context.view.tokens();
            if tokens < aim.threshold && tokens <= aim.limit {
                break;
            }
        }
        Ok(Outcome::changed(items, "by item type, the least important first"))
    }
}

/// Removes context parts of the rule's type.
fn drop_parts(rule: &Rule, context: &mut Context) -> Vec<NodeIndex> {
    let keep = match rule.strategy {
        Strategy::None => return Vec::new(),
        Strategy::Drop => 0,
        Strategy::Truncate { keep_recent } => size(keep_recent),
    };
    let mut parts = context.parts_of(rule.item_type);
    parts.truncate(parts.len().saturating_sub(keep));
    context.drop_parts(&parts, WHY);
    parts
}

/// How many of the newest items `TRUNCATE` keeps if the rule does not say.
fn default_keep_recent(item_type: ItemType) -> u64 {
    if item_type == ItemType::ToolResult { 3 } else { 5 }
}

fn read_rule(item_type: ItemType, keys: &mut Keys<'_>) -> Result<Rule> {
    let keep_recent = keys.u64_in("keepRecent", ..)?;
    let strategy = match keys.one_of("strategy", &["DROP", "TRUNCATE", "NONE"])? {
        Some("TRUNCATE") => {
            Strategy::Truncate { keep_recent: keep_recent.unwrap_or_else(|| default_keep_recent(item_type)) }
        }
        Some(name) if keep_recent.is_some() => {
            return Err(keys
                .error("keepRecent", format!("is allowed only with TRUNCATE, but the strategy is {name}")));
        }
        Some("DROP") => Strategy::Drop,
        Some(_) => Strategy::None,
        None => return Err(keys.error("strategy", "expected \"DROP\", \"TRUNCATE\" or \"NONE\"")),
    };
    let priority = keys.integer("priority")?.unwrap_or_else(|| default_priority(item_type));
    Ok(Rule { item_type, strategy, priority })
}

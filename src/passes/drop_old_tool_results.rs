use super::options::options;
use super::pass::{Aim, Outcome, Pass};
use crate::config::size;
use crate::context::{Context, NodeIndex, NodeSet, Unit};
use crate::error::Result;
use crate::message::Role;
use crate::sorting::sort;

const WHY: &str = "an older turn keeps only its user message and its last answer";

options! {
    /// Reduces older exchanges to the user message and the last assistant message, without its calls; the newest exchanges stay
    /// whole (PASS-8).
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct DropOldToolResults {
        /// How many of the newest exchanges stay whole.
        "keepSteps": u64_in(..) => keep_steps: u64 = 3,
    }
}

/// What to do with the older exchanges.
#[derive(Debug, Default, PartialEq)]
struct Reduction {
    removed: Vec<NodeIndex>,
    stripped: Vec<NodeIndex>,
}

impl Reduction {
    fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.stripped.is_empty()
    }
}

impl DropOldToolResults {
    fn reduction(self, context: &Context) -> Reduction {
        let mut exchanges = context.view.exchanges();
        if exchanges.len() <= size(self.keep_steps) && !context.view.hides_requests() {
            debug_assert!(self.reduction_from(context, 0).0.is_empty());
            return Reduction::default();
        }
        let (reduction, done) = self.reduction_from(context, exchanges.from());
        debug_assert_eq!(reduction, self.reduction_from(context, 0).0);
        if let Some(at) = done {
            exchanges.done_before(at);
        }
        reduction
    }

    /// The reduction from a body position on, and the position before which nothing is left to do.
    fn reduction_from(self, context: &Context, from: usize) -> (Reduction, Option<usize>) {
        let units = context.units_from(from);
        let is_request = |i: &usize| units[*i].opens_turn();
        let requests: Vec<usize> = (0..units.len()).filter(is_request).collect();
        let old = requests.len().saturating_sub(size(self.keep_steps));
        let body = context.view.body().iter().skip(from);
        let calling: NodeSet = body.filter(|s| s.message.is_paired()).map(|s| s.node).collect();
        let mut reduction = Reduction::default();
        let mut behind_done = None;
        let mut is_free = true;
        for (i, start) in requests.iter().take(old).enumerate() {
            let end = requests.get(i + 1).copied().unwrap_or(units.len());
            reduce(context, &calling, &units[start + 1..end], &mut reduction);
            is_free &= !units[start + 1..end].iter().any(|u| u.fixed);
            let next = units.get(end).and_then(|unit| unit.nodes.first());
            if is_free && reduction.is_empty() {
                behind_done = next.filter(|node| context.view.dropped(**node).is_none()).or(behind_done);
            }
        }
        let done = behind_done.and_then(|node| context.view.position(*node));
        (reduction, done)
    }
}

/// Reduces what follows a user message to the last answer. `calling`: messages that have tool calls in the view.
fn reduce(context: &Context, calling: &NodeSet, units: &[Unit], reduction: &mut Reduction) {
    let role = |n: &NodeIndex| context.history.node(*n).message.role;
    let mut answered = false;
    for unit in units.iter().rev().filter(|u| u.may_be_removed() && !u.is_fold()) {
        let nodes = unit.nodes.iter().copied().filter(|n| context.view.dropped(*n).is_none());
        for node in nodes.rev() {
            match role(&node) {
                Role::Assistant if !answered && context.says_something(node) => {
                    answered = true;
                    if calling.contains(&node) {
                        reduction.stripped.push(node);
                    }
                }
                Role::Assistant | Role::Tool => reduction.removed.push(node),
                _ => {}
            }
        }
    }
}

impl Pass for DropOldToolResults {
    fn name(&self) -> &'static str {
        "drop_old_tool_results"
    }

    fn is_optional(&self) -> bool {
        true
    }

    fn wants(&self, context: &Context, _: &Aim) -> bool {
        !self.reduction(context).is_empty()
    }

    fn run(&self, context: &mut Context, _: &Aim) -> Result<Outcome> {
        let Reduction { mut removed, mut stripped } = self.reduction(context);
        let to_strip: NodeSet = stripped.iter().copied().collect();
        let from = context.view.exchanges().from();
        for at in from..context.view.body().len() {
            if to_strip.contains(&context.view.body()[at].node) {
                context.strip_calls(at);
            }
        }
        sort(&mut removed);
        sort(&mut stripped);
        for node in &stripped {
            context.note_left_out(*node, "it was kept without its tool calls", None);
        }
        context.drop_from_view(&removed, WHY);
        let keep = self.keep_steps;
        Ok(Outcome::changed(
            [stripped, removed].concat(),
            format!("exchanges before the last {keep} keep only their user message and last answer"),
        ))
    }
}

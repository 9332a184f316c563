//! Changes a planned fold as the caller asked.

use super::plan::{CutBehind, FoldPlan};
use crate::context::{Context, NodeIndex, NodeSet, Place, Unit, begin_with_user};
use crate::error::{Error, Result};
use crate::hashing::HashSet;

/// The plan without the messages to `keep` and with the additional messages to `fold`; `None` if nothing is left to fold. Steps are kept or
/// folded as a whole.
///
/// # Errors
/// `INVALID_ARGUMENT` that names the message and the reason.
pub fn adjust(
    context: &Context,
    plan: &FoldPlan,
    keep: &[NodeIndex],
    fold: &[NodeIndex],
) -> Result<Option<FoldPlan>> {
    if keep.is_empty() && fold.is_empty() {
        return Ok(Some(plan.clone()).filter(|plan| !plan.members.is_empty()));
    }
    let mut units = context.units();
    let planned: NodeSet = plan.members.iter().copied().collect();
    let is_planned = |unit: &Unit| unit.nodes.iter().any(|n| planned.contains(n));
    let is_planned_hidden: Vec<bool> =
        units.iter().map(|u| u.place == Place::Hidden && is_planned(u)).collect();
    for unit in units.iter_mut().filter(|u| is_planned(u) && u.place == Place::Shown) {
        unit.mark_removed();
    }
    let mut kept: HashSet<usize> = HashSet::default();
    for node in keep {
        if let Some(at) = kept_unit(context, &units, *node)? {
            units[at].place = Place::Shown;
            units[at].fixed = true;
            kept.insert(at);
        }
    }
    let newest_user = units.iter().rposition(Unit::opens_turn);
    let mut added: Vec<(usize, NodeIndex)> = Vec::new();
    for node in fold {
        let at = folded_unit(context, &units, *node)?;
        if kept.contains(&at) {
            return Err(refused(context, *node, "belongs to the same step as a message to keep"));
        }
        if Some(at) == newest_user {
            return Err(refused(context, *node, "is the newest user message, which must stay in the view"));
        }
        if units[at].place == Place::Shown {
            units[at].mark_removed();
        }
        added.push((at, *node));
    }
    if plan.layout.with_role(plan.role).needs_user_behind() {
        begin_with_user(&mut units, 0);
    }
    if let Some((_, node)) = added.iter().find(|(at, _)| units[*at].stays()) {
        return Err(refused(context, *node, "must stay because the next message answers it: fold both"));
    }
    let wanted = |at: usize| is_planned_hidden[at] || added.iter().any(|(added, _)| *added == at);
    let folded: Vec<&Unit> = units
        .iter()
        .enumerate()
        .filter(|(at, u)| u.is_removed() || (u.place == Place::Hidden && wanted(*at)))
        .map(|(_, u)| u)
        .collect();
    let cut = plan.cut.clone().map(|cut| CutBehind { named: fold.to_vec(), ..cut });
    Ok(FoldPlan { cut, ..plan.clone() }.of_units(context, &folded))
}

/// Checks that these messages can be kept: they are in the view and are not folds.
///
/// # Errors
/// `INVALID_ARGUMENT` that names the first message that cannot be kept.
pub fn check_kept(context: &Context, keep: &[NodeIndex]) -> Result<()> {
    let units = context.units();
    keep.iter().try_for_each(|node| kept_unit(context, &units, *node).map(|_| ()))
}

/// The unit of a message to keep; `None` if the message stays in any case.
fn kept_unit(context: &Context, units: &[Unit], node: NodeIndex) -> Result<Option<usize>> {
    if is_in_header(context, node) {
        return Ok(None);
    }
    let at = unit_of(context, units, node)?;
    let unit = &units[at];
    if unit.is_fold() {
        let why =
            "is the summary of an earlier fold, which the new one replaces; unfold it to keep its messages";
        return Err(refused(context, node, why));
    }
    if unit.place == Place::Hidden || context.view.dropped(node).is_some() {
        return Err(refused(context, node, "has already left the view; pin it to bring it back"));
    }
    Ok(Some(at))
}

/// The unit of a message to fold.
fn folded_unit(context: &Context, units: &[Unit], node: NodeIndex) -> Result<usize> {
    if is_in_header(context, node) {
        return Err(refused(context, node, "is in the header, which is never folded"));
    }
    let at = unit_of(context, units, node)?;
    let is_pinned = |n: &&NodeIndex| context.history.node(**n).pinned;
    if let Some(pinned) = units[at].nodes.iter().find(is_pinned) {
        let why = "is pinned, or in a step with a pinned message; unpin it to fold it";
        let pinned = if context.history.node(node).pinned { node } else { *pinned };
        return Err(refused(context, pinned, why));
    }
    let live = context.history.unanswered();
    if units[at].nodes.iter().any(|n| live.iter().any(|(_, caller)| caller == n)) {
        return Err(refused(context, node, "belongs to a step whose tool calls are still being executed"));
    }
    Ok(at)
}

fn is_in_header(context: &Context, node: NodeIndex) -> bool {
    context.view.header().iter().any(|s| s.node == node)
}

fn unit_of(context: &Context, units: &[Unit], node: NodeIndex) -> Result<usize> {
    let found = units.iter().position(|u| u.nodes.contains(&node));
    found.ok_or_else(|| match context.history.node(node).folded_by {
        Some(by) => {
            let by = &context.history.node(by).id;
            refused(context, node, &format!("is already folded into `{by}`"))
        }
        None => refused(context, node, "is no longer in the view"),
    })
}

fn refused(context: &Context, node: NodeIndex, why: &str) -> Error {
    let id = &context.history.node(node).id;
    Error::argument(format!("`{id}` {why}"))
}

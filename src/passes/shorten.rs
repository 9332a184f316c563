mod arguments;
mod notice;
mod parts;
mod record;
#[cfg(test)]
mod tests;
mod texts;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

pub use record::left_out_of_record;

use super::options::Options;
use super::pass::{Aim, Outcome, Pass};
use crate::context::{Context, Form, NodeIndex, Slot, begin_with_user};
use crate::error::Result;
use crate::facts::is_record;
use crate::hashing::HashSet;
use crate::message::{Role, open_calls};

const WHY: &str = "shortened as a last resort: the view exceeded its limit";

const LEFT_OUT: &str = "left out as a last resort: the newest user message would not fit whole otherwise";

/// How few tokens a message may be left with. If a view that is made once is still too large then, messages are cut to the second figure.
const LEAST: [u64; 2] = [128, 32];

/// The last resort (COMP-19). Older tool outputs become placeholders, then the largest messages lose the middles of their
/// texts. If that is not enough, the arguments of tool calls lose the middles of their longest strings, and records lose names,
/// then the rest of the summary, then the user's rules. The newest user message is shortened if it alone exceeds the limit
/// (INV-11), or if nothing else can be shortened any more and removing older messages is not enough either. If that leaves room, records
/// get back what fits. If the model can open refs, the full texts stay in the tool output cache.
#[derive(Debug, Clone, Copy, Default)]
pub struct Shorten;

impl Options for Shorten {}

impl Pass for Shorten {
    fn name(&self) -> &'static str {
        "shorten"
    }

    fn wants(&self, context: &Context, aim: &Aim) -> bool {
        context.view.tokens() > aim.limit
    }

    fn run(&self, context: &mut Context, aim: &Aim) -> Result<Outcome> {
        let mut items = drop_older_outputs(context, aim.limit);
        let mut cut = Vec::new();
        let mut left_out = Vec::new();
        // A running session should rather fail, and ask for another summary, than forget all but a line of each message.
        let rounds = if aim.fill { LEAST.len() } else { 1 };
        for least in LEAST.into_iter().take(rounds) {
            for what in ORDER {
                if what == Cut::Last {
                    left_out.extend(leave_out_older(context, aim.limit));
                }
                cut.extend(cut_middles(context, aim.limit, what, least)?);
            }
        }
        give_records_back(context, aim.limit)?;
        let is_whole = |node: NodeIndex| {
            context.view.body().iter().any(|slot| slot.node == node && slot.form == Form::Whole)
        };
        cut.retain(|(node, _)| !is_whole(*node));
        if items.is_empty() && cut.is_empty() && left_out.is_empty() {
            return Ok(Outcome::Unchanged);
        }
        for item in &items {
            context.note_left_out(*item, WHY, None);
        }
        for (item, ref_id) in cut {
            match ref_id {
                Some(_) => context.note_left_out_by_ref(item, WHY, ref_id, None),
                None => context.note_left_out(item, WHY, None), // an output's own ref, which only the host can open
            }
            if !items.contains(&item) {
                items.push(item);
            }
        }
        items.extend(left_out);
        context.view.set_cut_to(Some(aim.limit));
        let over = format!(
            "the view was still over {} tokens, so older tool outputs or its largest messages were cut",
            aim.limit
        );
        let why = if context.output_config.enabled {
            format!("{over}; the tool output cache keeps the full texts")
        } else {
            over
        };
        Ok(Outcome::Changed { items, why })
    }
}

/// Replaces tool outputs with placeholders, oldest first, except those of the newest step.
fn drop_older_outputs(context: &mut Context, limit: u64) -> Vec<NodeIndex> {
    let newest_step =
        context.view.body().iter().rposition(|s| s.message.role == Role::Assistant).unwrap_or(0);
    let mut dropped = Vec::new();
    for at in 0..newest_step {
        if context.view.tokens() <= limit {
            break;
        }
        if context.view.body()[at].message.role == Role::Tool && context.make_placeholder(at) {
            dropped.push(context.view.body()[at].node);
        }
    }
    dropped
}

/// Removes the oldest messages from the view if that lets the newest user message stay whole.
fn leave_out_older(context: &mut Context, limit: u64) -> Vec<NodeIndex> {
    let mut over = context.view.tokens().saturating_sub(limit);
    let newest = context.view.body().iter().rfind(|slot| slot.message.opens_turn());
    // A short user message is never cut, so nothing has to go for it.
    if over == 0 || newest.is_none_or(|slot| slot.tokens() <= LEAST[0]) {
        return Vec::new();
    }
    let mut units = context.units();
    let newest = units.iter().rposition(|unit| unit.opens_turn() && unit.stays()).unwrap_or(0);
    let older = units[..newest].iter_mut();
    for unit in older.filter(|u| u.may_be_removed() && !u.is_fold()) {
        if over == 0 {
            break;
        }
        over = over.saturating_sub(unit.tokens);
        unit.mark_removed();
    }
    if over > 0 {
        return Vec::new();
    }
    begin_with_user(&mut units, 0);
    let shown = |node: &NodeIndex| context.view.dropped(*node).is_none();
    let removed = units.iter().filter(|unit| unit.is_removed()).flat_map(|unit| unit.nodes.iter().copied());
    let removed: Vec<NodeIndex> = removed.filter(shown).collect();
    context.drop_from_view(&removed, LEFT_OUT);
    removed
}

/// Which messages lose their middle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    Others,
    /// The newest user message, if it alone exceeds the limit.
    NewestUser,
    /// Arguments of calls that have their outputs.
    Arguments,
    /// Arguments of calls that are still being executed.
    OpenArguments,
    /// Summaries, with the user's rules: they are all that is left of what they replaced.
    Records,
    /// The newest user message, whatever its size.
    Last,
}

const ORDER: [Cut; 6] =
    [Cut::Others, Cut::NewestUser, Cut::Arguments, Cut::OpenArguments, Cut::Records, Cut::Last];

/// Cuts the middle out of the largest messages, largest first. Returns the messages that were cut, each with the ref of its
/// full text if the tool output cache is on.
fn cut_middles(
    context: &mut Context,
    limit: u64,
    what: Cut,
    least: u64,
) -> Result<Vec<(NodeIndex, Option<String>)>> {
    let body = context.view.body();
    let newest = body.iter().rposition(|s| s.message.opens_turn());
    let open: HashSet<&str> = open_calls(body.iter().map(|s| &*s.message)).into_iter().collect();
    let candidate = |(at, slot): &(usize, &Slot)| {
        let node = context.history.node(slot.node);
        let is_record = node.is_fold() || Some(*at) != newest && is_record(&node.message);
        let may = match what {
            Cut::Others => !is_record && Some(*at) != newest,
            Cut::NewestUser => !is_record && Some(*at) == newest && slot.tokens() > limit,
            Cut::Last => !is_record && Some(*at) == newest,
            Cut::Records => is_record,
            Cut::Arguments => !slot.message.tool_calls().any(|c| open.contains(c.id.as_str())),
            Cut::OpenArguments => true,
        };
        may && slot.form != Form::Placeholder && !node.pinned
    };
    let mut largest: BinaryHeap<(u64, Reverse<usize>)> = context
        .view
        .body()
        .iter()
        .enumerate()
        .filter(candidate)
        .map(|(at, s)| (s.tokens(), Reverse(at)))
        .collect();
    let mut cut = Vec::new();
    while context.view.tokens() > limit {
        let Some((tokens, Reverse(at))) = largest.pop() else { break };
        let over = context.view.tokens() - limit;
        let goal = tokens.saturating_sub(over).max(least);
        if goal >= tokens {
            continue;
        }
        let refs = match what {
            Cut::Arguments | Cut::OpenArguments => arguments::cut(context, at, goal)?,
            _ => {
                let mut replaced = parts::replace(context, at, texts::longest(context, at))?;
                if replaced.is_empty() && what == Cut::Records {
                    replaced = record::cut(context, at, goal)?;
                }
                if replaced.is_empty() {
                    texts::cut(context, at, goal, least)?
                } else {
                    largest.push((context.view.body()[at].tokens(), Reverse(at))); // its texts may have to be cut, too
                    replaced
                }
            }
        };
        let node = context.view.body()[at].node;
        cut.extend(refs.into_iter().map(|ref_id| (node, ref_id)));
    }
    Ok(cut)
}

/// Records are cut before the newest user message, which may then be cut by more than is still over: what has room comes back.
fn give_records_back(context: &mut Context, limit: u64) -> Result<()> {
    for at in (0..context.view.body().len()).rev() {
        let slot = &context.view.body()[at];
        let node = context.history.node(slot.node);
        if slot.form == Form::Shortened && (node.is_fold() || is_record(&node.message)) {
            let room = limit.saturating_sub(context.view.tokens());
            record::give_back(context, at, slot.tokens() + room)?;
        }
    }
    Ok(())
}

//! Everything that the view does not show as it was pushed: why, by which pass, and how to bring it back.

use std::borrow::Cow;

use serde::Serialize;

use super::core::Context;
use super::node::{Node, NodeIndex, NodeKind};
use super::report::LeftOut;
use super::slot::Form;
use crate::hashing::{HashMap, HashSet};

/// For a message that was shortened without a recorded reason.
const SHORTER: &str = "it is shortened in the view";

/// For a message that is gone without a recorded reason.
const GONE: &str = "the conversation went back to before it, or continues without it";

/// A message that the view currently does not show as it was pushed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct LeftOutNow {
    /// The message's id.
    pub id: String,
    /// What happened to it: a fold replaced it (`"folded"`), a pass dropped it (`"dropped"`), it left the conversation by a
    /// rewind or a new header (`"removed"`), or the view shows it in another form.
    #[cfg_attr(
        target_arch = "wasm32",
        tsify(type = "\"folded\" | \"dropped\" | \"removed\" | Exclude<ItemForm, \"whole\">")
    )]
    pub state: &'static str,
    /// The reason, in words.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "string"))]
    pub why: Cow<'static, str>,
    /// The pass that did it; absent if it was none.
    #[cfg_attr(target_arch = "wasm32", tsify(optional, type = "PassName"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pass: Option<Cow<'static, str>>,
    /// The ref that opens its full output in the tool output cache.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub output_ref: Option<String>,
    /// The id of the fold in the view that contains it, directly or through earlier folds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fold: Option<String>,
    /// How to bring it back into the view: `"unfold"`: `unfold(fold)`; `"pin"`: `pin(id)`; `"get"`: its output is in the
    /// store, so `await toolOutputs.get(ref)`, then `pin(id)`. `null` if that is impossible; `message(id)` still returns it
    /// whole.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "\"unfold\" | \"pin\" | \"get\" | null"))]
    pub back: Option<&'static str>,
}

impl Context {
    /// Keeps the lines of a report. The line of a folded message is stored under its fold, so that the message's earlier
    /// line applies again once the fold is undone.
    pub fn keep_lines(&mut self, lines: &[LeftOut]) {
        self.reported.extend_from_slice(lines);
        if self.reported.len() > 2 * self.history.len() + 64 {
            self.forget_older_lines();
        }
    }

    /// Keeps only the newest line of each message, and of each fold.
    fn forget_older_lines(&mut self) {
        let mut known = HashSet::default();
        let mut newest = self.reported.clone();
        newest.reverse();
        newest.retain(|line| known.insert((line.id.clone(), line.fold.clone())));
        newest.reverse();
        self.reported = newest;
        self.reported_rewritten = true;
    }

    /// Every message that the view does not show as it was pushed, in the history's order.
    pub fn left_out_now(&self) -> Vec<LeftOutNow> {
        let forms: HashMap<NodeIndex, Form> = self.view.slots().map(|slot| (slot.node, slot.form)).collect();
        let hidden = |node: NodeIndex| self.view.hidden_parts.iter().any(|slot| slot.node == node);
        let lines = self.newest_lines();
        let may_be_out = |(index, node): &(NodeIndex, &Node)| match node.kind {
            NodeKind::Message => true,
            NodeKind::Part => hidden(*index),
            _ => false,
        };
        let nodes = self.history.nodes_from(0).filter(may_be_out);
        nodes.filter_map(|(index, _)| self.left_out_of(index, forms.get(&index).copied(), &lines)).collect()
    }

    fn left_out_of(
        &self,
        node: NodeIndex,
        form: Option<Form>,
        lines: &HashMap<&str, &LeftOut>,
    ) -> Option<LeftOutNow> {
        let fold = self.history.node(node).folded_by.filter(|_| form.is_none());
        let state = match form {
            // The base prompt contains more than was pushed, not less.
            Some(Form::Whole | Form::Merged) => return None,
            Some(form) => form.as_str(),
            None if fold.is_some() => "folded",
            None if self.view.merged.contains(&node) => Form::Merged.as_str(),
            None if self.view.dropped(node).is_some() || self.history.node(node).kind == NodeKind::Part => {
                "dropped"
            }
            None => "removed",
        };
        let lines = lines.get(&*self.history.node(fold.unwrap_or(node)).id).copied();
        let outermost = fold.and_then(|_| self.history.folds_around(node).last());
        // What is undone under a provider's own compaction stays under it; what is pinned does not.
        let shown_fold = outermost.filter(|summary| self.view.position(*summary).is_some());
        let back = if shown_fold.is_some() {
            Some("unfold")
        } else if form == Some(Form::Unbound) || !self.can_be_pinned(node) {
            None
        } else {
            Some(if self.history.is_away(node) { "get" } else { "pin" })
        };
        let message = &self.history.node(node).message;
        let own_ref = message.output_ref().map(|known| known.id.clone());
        let reported_ref = lines.filter(|_| fold.is_none()).and_then(|line| line.output_ref.clone());
        let id_of = |node: NodeIndex| self.history.node(node).id.to_string();
        Some(LeftOutNow {
            id: id_of(node),
            state,
            why: lines
                .map_or(Cow::Borrowed(if form.is_some() { SHORTER } else { GONE }), |line| line.why.clone()),
            pass: lines.and_then(|line| line.pass.clone()),
            output_ref: own_ref.into_iter().chain(reported_ref).find(|id| self.outputs.contains(id)),
            fold: shown_fold.map(id_of),
            back,
        })
    }

    /// The newest lines, including those since the last report: by the message's id, or by the id of the fold that took it.
    fn newest_lines(&self) -> HashMap<&str, &LeftOut> {
        let lines = self.reported.iter().chain(&self.left_out);
        lines.map(|line| (line.fold.as_deref().unwrap_or(&line.id), line)).collect()
    }
}
